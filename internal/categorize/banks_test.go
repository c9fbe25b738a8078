package categorize_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// TestLinesOfManyBanksAreRead holds lines in the formats of banks, credit unions, cards, and of payment services in
// the accounts at them, written by people who know nothing of the engine (testdata/banks), to what was reached after
// they had been read: of a hundred so many get a category that their author accepts, are taken for what counts on the
// form or for what does not, and are with whom they are. BIZFIN_EVAL_LINES_OF_BANKS names another file of this form,
// of which only the figures are logged.
func TestLinesOfManyBanksAreRead(t *testing.T) {
	t.Parallel()
	if other := os.Getenv("BIZFIN_EVAL_LINES_OF_BANKS"); other != "" {
		readsBanks(t, other)
		return
	}
	for name, least := range map[string]banksRead{
		"regional":  {accepted: 82, onForm: 96, named: 85},
		"unions":    {accepted: 80, onForm: 95, named: 75},
		"national":  {accepted: 84, onForm: 97, named: 86},
		"mixed":     {accepted: 85, onForm: 96, named: 84},
		"others":    {accepted: 79, onForm: 90, named: 84},
		"community": {accepted: 79, onForm: 95.5, named: 86},
		"sources":   {accepted: 85, onForm: 97, named: 86.5},
		"country":   {accepted: 85, onForm: 98.5, named: 74.5},
		"services":  {accepted: 85, onForm: 90, named: 67.5},
		"balances":  {accepted: 82, onForm: 92, named: 76},
	} {
		got := readsBanks(t, filepath.Join("testdata", "banks", name+".csv"))
		if got.accepted < least.accepted || got.onForm < least.onForm || got.named < least.named {
			t.Errorf("%s: %+v, want at least %+v", name, got, least)
		}
	}
}

// banksRead are shares in percent.
type banksRead struct{ accepted, onForm, named float64 }

func readsBanks(t *testing.T, file string) banksRead {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	engine := categorize.New()
	var accepted, onForm, named int
	for _, row := range rows[1:] {
		amount, err := money.Parse(row[2])
		if err != nil {
			t.Fatalf("%s: %q: %v", file, row, err)
		}
		line := categorize.Line{Description: row[3], Amount: amount, AccountType: row[1],
			Service: categorize.ServiceOf(row[0])}
		d := engine.Decide(line, categorize.NewMemory())
		is, _ := ontology.ScheduleC().ByID(d.CategoryID)
		right := func(accepts func(truth *ontology.Category) bool) bool {
			return is != nil && slices.ContainsFunc(strings.Split(row[4], "|"), func(path string) bool {
				truth, ok := ontology.ScheduleC().ByPath(path)
				return ok && accepts(truth)
			})
		}
		if right(func(truth *ontology.Category) bool { return is.Is(truth.Path) || truth.Is(is.Path) }) {
			accepted++
		}
		if right(func(truth *ontology.Category) bool { return is.Kind.OnForm() == truth.Kind.OnForm() }) {
			onForm++
		}
		if sameName(d.Counterparty.Name, row[5]) {
			named++
		}
	}
	of := func(n int) float64 { return 100 * float64(n) / float64(len(rows)-1) }
	got := banksRead{of(accepted), of(onForm), of(named)}
	t.Logf("%s: of %d lines %.1f %% get an accepted category, %.1f %% count on the form or off it as they should, "+
		"%.1f %% are with whom they are", filepath.Base(file), len(rows)-1, got.accepted, got.onForm, got.named)
	return got
}

// sameName reports whether two spellings of a name are one, or one a part of the other.
func sameName(a, b string) bool {
	letters := func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				return unicode.ToLower(r)
			}
			return -1
		}, s)
	}
	a, b = letters(a), letters(b)
	return a == b || a != "" && b != "" && (strings.Contains(a, b) || strings.Contains(b, a))
}
