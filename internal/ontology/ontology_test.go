package ontology

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func mustPath(t *testing.T, path string) *Category {
	t.Helper()
	c, ok := ScheduleC().ByPath(path)
	if !ok {
		t.Fatalf("no category %q", path)
	}
	return c
}

func paths(categories []*Category) []string {
	var out []string
	for _, c := range categories {
		out = append(out, c.Path)
	}
	return out
}

func TestScheduleC_IsLoadedOnceWithItsIdentity(t *testing.T) {
	t.Parallel()
	o := ScheduleC()
	if o != ScheduleC() {
		t.Error("parsed more than once")
	}
	if o.ID != DefaultID || o.Key != DefaultKey || o.Version != "2025.1" || o.Name == "" {
		t.Errorf("got %q %q %q %q", o.ID, o.Key, o.Version, o.Name)
	}
}

func TestAll_ListsEachCategoryOnceAfterItsParentAndUncategorizedLast(t *testing.T) {
	t.Parallel()
	o := ScheduleC()
	want := []string{"revenue", "cogs", "expense", "transfer", "equity", "liability", "asset", "tax", "personal",
		"nondeductible", "uncategorized"}
	if diff := cmp.Diff(want, paths(o.Roots)); diff != "" {
		t.Error(diff)
	}
	seen := map[int]bool{}
	for _, c := range o.All() {
		if seen[c.ID] {
			t.Errorf("%s is listed twice", c.Path)
		}
		if c.Parent != nil && (!seen[c.Parent.ID] || !slices.Contains(c.Parent.Children, c)) {
			t.Errorf("%s stands before its parent or is not its child", c.Path)
		}
		seen[c.ID] = true
	}
}

// The file lists every id and key ever published; new ones are added to it.
func TestPublishedIDsAndKeysStay(t *testing.T) {
	t.Parallel()
	published, err := os.ReadFile("testdata/keys.txt")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(published)), "\n")
	var have []string
	for _, c := range ScheduleC().All() {
		have = append(have, c.IDString()+" "+c.Path)
	}
	slices.Sort(lines)
	slices.Sort(have)
	if diff := cmp.Diff(lines, have); diff != "" {
		t.Error(diff)
	}
}

func TestDescriptions_AreOneOrTwoShortSentences(t *testing.T) {
	t.Parallel()
	seen := map[string]string{}
	for _, c := range ScheduleC().All() {
		d := c.Description
		sentences := strings.Count(d+" ", ". ") + strings.Count(d+" ", "? ")
		if len(d) < 20 || len(d) > 240 || sentences < 1 || sentences > 2 || !strings.ContainsAny(d[len(d)-1:], ".?") {
			t.Errorf("%s: %d bytes, %d sentences: %q", c.Path, len(d), sentences, d)
		}
		if other, ok := seen[d]; ok && !strings.HasPrefix(c.Path, "cogs.inventory") {
			t.Errorf("%s and %s share a description", c.Path, other)
		}
		seen[d] = c.Path
	}
}

func TestOnlyMealsAreDeductibleInPart(t *testing.T) {
	t.Parallel()
	for _, c := range ScheduleC().All() {
		want := 0
		switch {
		case c.Path == "expense.meals":
			want = 50
		case c.Is("revenue"), c.Is("cogs"), c.Is("expense"):
			want = 100
		}
		if c.DeductiblePercent != want {
			t.Errorf("%s: %d %%, want %d", c.Path, c.DeductiblePercent, want)
		}
	}
}

func TestNotAssignableAreBranchesAndYearEndFiguresAlone(t *testing.T) {
	t.Parallel()
	yearEnd := []string{"cogs.inventory_beginning", "cogs.inventory_ending", "expense.depletion",
		"expense.energy_efficient_bldgs"}
	for _, c := range ScheduleC().All() {
		if want := c.Parent != nil && !slices.Contains(yearEnd, c.Path); c.Assignable != want {
			t.Errorf("%s: assignable %t, want %t", c.Path, c.Assignable, want)
		}
	}
}

func TestEveryLineThatTakesAmountsHasACategoryAndEveryFormCategoryALine(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	for _, c := range ScheduleC().All() {
		used[c.ScheduleCLine] = true
		if c.Kind.OnForm() == (c.ScheduleCLine == "") && c.Path != "revenue" && c.Path != "expense" {
			t.Errorf("%s: line %q", c.Path, c.ScheduleCLine)
		}
	}
	for _, line := range Lines {
		if !line.Computed && !used[line.Number] {
			t.Errorf("line %s has no category", line.Number)
		}
	}
}

func TestKindAndSideFollowFromTheBranch(t *testing.T) {
	t.Parallel()
	tests := []struct {
		path string
		kind Kind
		side Side
	}{
		{"revenue", KindRevenue, SideIn},
		{"revenue.sales.services", KindRevenue, SideIn},
		{"revenue.returns", KindReturns, SideOut},
		{"revenue.returns.refunds", KindReturns, SideOut},
		{"revenue.other.interest", KindOtherIncome, SideIn},
		{"cogs.other.packaging", KindCOGS, SideOut},
		{"expense.other.software", KindExpense, SideOut},
		{"transfer.internal", KindTransfer, SideAny},
		{"equity.owner_draw", KindEquity, SideAny},
		{"liability.client_funds", KindLiability, SideAny},
		{"asset.brokerage", KindAsset, SideAny},
		{"tax.refund", KindTax, SideAny},
		{"personal.student_loan", KindPersonal, SideAny},
		{"nondeductible.fines", KindNondeductible, SideOut},
		{"uncategorized.tax_payment", KindUncategorized, SideAny},
	}
	for _, tt := range tests {
		if c := mustPath(t, tt.path); c.Kind != tt.kind || c.Side != tt.side {
			t.Errorf("%s: %s %s, want %s %s", tt.path, c.Kind, c.Side, tt.kind, tt.side)
		}
	}
}

func TestLookups_FindEveryCategory(t *testing.T) {
	t.Parallel()
	o := ScheduleC()
	for _, c := range o.All() {
		byID, _ := o.ByID(c.ID)
		byNames, _ := o.ByNames(c.Names)
		shouted, _ := o.ByNames(strings.Split(strings.ToUpper(strings.Join(c.Names, namesSeparator)), namesSeparator))
		bySegments, _ := o.ByNames(strings.Split(c.Path, "."))
		byKey, _ := o.ByNames([]string{c.Path})
		byLastName, _ := o.ByNames([]string{c.Name})
		asNamed, _ := o.Find(" " + strings.ToLower(c.Name))
		asKeyed, _ := o.Find(strings.ToUpper(c.Path) + " ")
		byName := o.ByName(" " + strings.ToUpper(c.Name))
		for _, found := range []*Category{mustPath(t, c.Path), byID, byNames, shouted, bySegments, byKey, byLastName,
			asNamed, asKeyed} {
			if found != c {
				t.Errorf("%s: found %v", c.Path, found)
			}
		}
		if len(byName) != 1 || byName[0] != c {
			t.Errorf("ByName(%q) = %v", c.Name, paths(byName))
		}
	}
}

func TestLookups_FindNothingForTheUnknown(t *testing.T) {
	t.Parallel()
	o := ScheduleC()
	if _, ok := o.ByID(1); ok {
		t.Error("id 1")
	}
	for _, text := range []string{"", "expense.", "Expense.Advertising", "advertising", "refund"} {
		if c, ok := o.ByPath(text); ok {
			t.Errorf("ByPath(%q) = %s", text, c.Path)
		}
	}
	if found := o.ByName("refund"); found != nil {
		t.Errorf("ByName(refund) = %v", paths(found))
	}
	for _, path := range [][]string{nil, {""}, {"refund"}, {"Expenses", "Advertising", "Radio"}} {
		if c, ok := o.ByNames(path); ok {
			t.Errorf("ByNames(%q) = %s", path, c.Path)
		}
	}
}

func TestCategory_KnowsItsPlaceInTheTree(t *testing.T) {
	t.Parallel()
	c := mustPath(t, "expense.rent.property")
	if diff := cmp.Diff([]int{32002, 32003, 32004}, c.Descendants()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"Expenses", "Rent or lease", "Rent of business property"}, c.Names); diff != "" {
		t.Error(diff)
	}
	if c.Root().Path != "expense" || c.IDString() != "32002" {
		t.Errorf("root %s, id %s", c.Root().Path, c.IDString())
	}
	for path, want := range map[string]bool{
		"expense": true, "expense.rent": true, "expense.rent.property": true,
		"expense.rent.prop": false, "expense.rent.property.storage": false, "cogs": false, "": false,
	} {
		if got := c.Is(path); got != want {
			t.Errorf("Is(%q) = %t", path, got)
		}
	}
}

func TestMatching_FindsWordsInTheNames(t *testing.T) {
	t.Parallel()
	o := ScheduleC()
	for word, want := range map[string][]int{
		"ADVERTISING":      {3080, 30801, 30802, 30803},
		"print_signage":    nil,
		"_":                nil,
		" co-working ":     {32004},
		"digital":          nil,
		"rental equipment": nil,
		"":                 nil,
		"%":                nil,
	} {
		if diff := cmp.Diff(want, o.Matching(word)); diff != "" {
			t.Errorf("%q: %s", word, diff)
		}
	}
}

func TestNearest_FindsTheOneThatWasMeant(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"advertizing":                  "expense.advertising",
		"Expense.Advertizing.Digital":  "expense.advertising.digital",
		"Expenses > Advertising":       "expense.advertising",
		"ofice suplies":                "expense.office.supplies",
		"owner's drawing":              "equity.owner_draw",
		"uncategorised":                "uncategorized",
		"deductible meals":             "expense.meals",
		"Software":                     "expense.other.software",
		"credit card payments":         "transfer.credit_card_payment",
		strings.Repeat("travel ", 1e4): "expense.travel",
	} {
		got := ScheduleC().Nearest(text, 3)
		if len(got) != 3 || got[0].Path != want {
			t.Errorf("Nearest(%.40q) = %v, want %s first", text, paths(got), want)
		}
	}
}

func TestNearest_GivesNoMoreThanAskedAndNothingForNoWords(t *testing.T) {
	t.Parallel()
	o := ScheduleC()
	for _, tt := range []struct {
		text    string
		n, want int
	}{{"rent", 1, 1}, {"rent", 1000, len(o.All())}, {"rent", 0, 0}, {"rent", -1, 0}, {"", 3, 0}, {" .-/ ", 3, 0}} {
		if got := len(o.Nearest(tt.text, tt.n)); got != tt.want {
			t.Errorf("Nearest(%q, %d) gives %d, want %d", tt.text, tt.n, got, tt.want)
		}
	}
}

func TestLines_AreUniqueAndTheComputedOnesAreMarked(t *testing.T) {
	t.Parallel()
	var computed []string
	for i, line := range Lines {
		if line.Label == "" || slices.ContainsFunc(Lines[:i], func(l Line) bool { return l.Number == line.Number }) {
			t.Errorf("line %q has no label or is repeated", line.Number)
		}
		if line.Computed {
			computed = append(computed, line.Number)
		}
	}
	if diff := cmp.Diff([]string{"3", "4", "5", "7", "28", "29", "31", "40", "42"}, computed); diff != "" {
		t.Error(diff)
	}
}
