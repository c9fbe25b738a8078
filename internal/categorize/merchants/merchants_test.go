package merchants

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"bizfin/internal/ontology"

	"github.com/google/go-cmp/cmp"
)

// sum is the SHA-256 of the data that Version names.
const sum = "aadef75d5f6ef98bb10fcc268892ff140c9431e9ab35dd457eb5e409f8ad93c9"

// The contract's vocabularies of counterparties.
var (
	types = []string{"company", "person", "government", "non-profit", "educational", "financial", "healthcare",
		"religious",
		"charity", "association", "cooperative", "partnership", "trust", "estate"}
	relationships = []string{"client", "service", "partner", "contractor", "investor", "owner", "lifestyle", "supplier",
		"utility", "landlord", "lender", "insurer", "payment_processor", "marketplace", "regulator", "tax_authority",
		"donation_recipient", "payroll", "unknown"}
)

func TestVersionIsRaisedWithTheData(t *testing.T) {
	t.Parallel()
	got := sha256.Sum256([]byte(Version + "\n" + curated + generated))
	if hex.EncodeToString(got[:]) != sum {
		t.Errorf("the data changed: raise Version, then set sum to %x of the new version and data", got)
	}
}

func TestDictionaryIsLargeEnough(t *testing.T) {
	t.Parallel()
	byHand := 0
	for _, m := range All() {
		if m.Curated {
			byHand++
		}
	}
	if byHand < 500 || len(All()) < 2500 {
		t.Errorf("%d curated of %d, want at least 500 of 2500", byHand, len(All()))
	}
}

func TestCuratedComesFirstThenNames(t *testing.T) {
	t.Parallel()
	sorted := slices.IsSortedFunc(All(), func(a, b Merchant) int {
		if a.Curated != b.Curated {
			if a.Curated {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Name, b.Name)
	})
	if !sorted {
		t.Error("All is not sorted")
	}
}

func TestFieldsAreInTheirVocabularies(t *testing.T) {
	t.Parallel()
	for _, m := range All() {
		if m.Name == "" || strings.TrimSpace(m.Name) != m.Name {
			t.Errorf("name %q", m.Name)
		}
		if !slices.Contains(types, m.Type) {
			t.Errorf("%s: type %q", m.Name, m.Type)
		}
		if !slices.Contains(relationships, m.Relationship) {
			t.Errorf("%s: relationship %q", m.Name, m.Relationship)
		}
		if !slices.Contains([]string{Business, Mixed, Personal}, m.Use) {
			t.Errorf("%s: use %q", m.Name, m.Use)
		}
		if strings.ContainsAny(m.Website, "/: ") {
			t.Errorf("%s: website %q is no host name", m.Name, m.Website)
		}
	}
}

func TestPathsAreAssignableCategories(t *testing.T) {
	t.Parallel()
	for _, m := range All() {
		for _, path := range []string{m.Out, m.In} {
			if path == "" {
				continue
			}
			if c, ok := ontology.ScheduleC().ByPath(path); !ok || !c.Assignable {
				t.Errorf("%s: %q is no assignable category", m.Name, path)
			}
		}
	}
}

func TestDirectionFitsTheCategory(t *testing.T) {
	t.Parallel()
	for _, m := range All() {
		for _, direction := range []struct {
			path  string
			never ontology.Side
		}{{m.Out, ontology.SideIn}, {m.In, ontology.SideOut}} {
			if c, ok := ontology.ScheduleC().ByPath(direction.path); ok && c.Side == direction.never {
				t.Errorf("%s: %q is in the wrong direction", m.Name, direction.path)
			}
		}
	}
}

func TestEntriesOfOneNameAreOneCounterparty(t *testing.T) {
	t.Parallel()
	type counterparty struct{ Type, Relationship, Website string }
	first := map[string]counterparty{}
	for _, m := range All() {
		this := counterparty{m.Type, m.Relationship, m.Website}
		if seen, ok := first[m.Name]; !ok {
			first[m.Name] = this
		} else if diff := cmp.Diff(seen, this); diff != "" {
			t.Errorf("%s: entries differ:\n%s", m.Name, diff)
		}
	}
}

func TestAliasesAreDistinctAndPrintable(t *testing.T) {
	t.Parallel()
	owner := map[string]int{}
	for i, m := range All() {
		if len(m.Aliases)+len(m.Exact) == 0 {
			t.Errorf("%s: no alias", m.Name)
		}
		spelled := slices.Sorted(slices.Values(slices.Concat(m.Aliases, m.Exact)))
		if len(slices.Compact(slices.Clone(spelled))) != len(spelled) {
			t.Errorf("%s: an alias twice in %q", m.Name, spelled)
		}
		for _, alias := range spelled {
			key := letters(alias)
			if len(key) < 2 || alias != strings.ToUpper(alias) || strings.Trim(alias, " =*#") != alias {
				t.Errorf("%s: alias %q", m.Name, alias)
			}
			for _, r := range alias {
				if r < ' ' || r > '~' {
					t.Errorf("%s: alias %q is not ASCII", m.Name, alias)
				}
			}
			// One entry may spell an ampersand in two ways.
			if other, ok := owner[key]; ok && other != i {
				t.Errorf("alias %q of %s belongs to %s too", alias, m.Name, All()[other].Name)
			}
			owner[key] = i
		}
	}
}

// Whatever begins with two letters is hardly theirs: DV FLORA was software, by a name that its semicolon had divided.
func TestTwoLettersBeginNobodysName(t *testing.T) {
	t.Parallel()
	for _, m := range All() {
		for _, alias := range m.Aliases {
			if len(alias) < 3 {
				t.Errorf("%s: %q begins many names; say it whole, as =%s", m.Name, alias, alias)
			}
		}
	}
}

func TestOrdinaryWordsAreNoPrefixAliases(t *testing.T) {
	t.Parallel()
	ordinary := []string{"TARGET", "GAP", "SHELL", "SUBWAY", "SQUARE", "APPLE", "DELTA", "UNITED", "DISCOVER", "CHASE",
		"PROGRESSIVE", "NEXT", "ALLY", "TOAST", "CLOVER", "BOX", "NOTION", "REMOTE", "LATER", "BUFFER", "LOOM",
		"SPECTRUM",
		"FRONTIER", "SPIRIT", "MIDAS", "RAMP", "FOUND", "RELAY", "MERCURY", "ROOT", "RING", "MAX", "GUARDIAN",
		"PRINCIPAL"}
	for _, m := range All() {
		for _, alias := range m.Aliases {
			if slices.Contains(ordinary, alias) {
				t.Errorf("%s: %s names nobody whatever follows it", m.Name, alias)
			}
		}
	}
}

func TestParseRejectsAWrongNumberOfColumns(t *testing.T) {
	t.Parallel()
	if _, err := parse("# comment\n\nName\tcompany\n", true); err == nil {
		t.Error("no error")
	}
}

func TestParseTellsExactNamesFromBeginnings(t *testing.T) {
	t.Parallel()
	got, err := parse("Shell\tcompany\tsupplier\texpense.car_truck.fuel\t\tmixed\tshell.us\tSHELL OIL;=SHELL\n", true)
	if err != nil {
		t.Fatal(err)
	}
	want := []Merchant{{Name: "Shell", Aliases: []string{"SHELL OIL"}, Exact: []string{"SHELL"}, Type: "company",
		Relationship: "supplier", Out: "expense.car_truck.fuel", Website: "shell.us", Use: Mixed, Curated: true}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// letters is what of an alias is compared.
func letters(alias string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, alias)
}
