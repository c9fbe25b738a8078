package decide_test

import (
	"encoding/csv"
	"os"
	"slices"
	"testing"

	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// labels are the lines of a file and whether each counts in the profit, by its labeller.
func labels(t *testing.T, path string) (rows []decide.Row, onForm []bool) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := func(name string) int { return slices.Index(lines[0], name) }
	for _, line := range lines[1:] {
		amount, err := money.Parse(line[at("amount")])
		if err != nil {
			t.Fatal(err)
		}
		category, ok := ontology.ScheduleC().ByPath(line[at("expected_category")])
		rows, onForm = append(rows, row(amount, line[at("description")])), append(onForm, ok && category.Kind.OnForm())
	}
	return rows, onForm
}

// TestWhatIsEstablishedIsRightInDollars holds the project's own lines to half a percent of what came in, and only
// reports on the file that BIZFIN_EVAL_LINES names.
func TestWhatIsEstablishedIsRightInDollars(t *testing.T) {
	const own = 2
	files := []string{"../categorize/testdata/lines.csv", "../categorize/testdata/tuning.csv"}
	if other := os.Getenv("BIZFIN_EVAL_LINES"); other != "" {
		files = append(files, other)
	}
	for i, file := range files {
		rows, onForm := labels(t, file)
		var lines, established int
		var size, sure, wrong, receipts money.Amount
		for j, d := range decide.New().Decide(rows, questions.Remember(nil)) {
			amount := max(d.Row.Amount, -d.Row.Amount)
			lines, size, receipts = lines+1, size+amount, receipts+max(d.Row.Amount, 0)
			if !d.Established {
				continue
			}
			established, sure = established+1, sure+amount
			category, ok := ontology.ScheduleC().ByID(d.CategoryID)
			if !ok {
				t.Fatalf("%q is established as %d", d.Row.Description, d.CategoryID)
			}
			if category.Kind.OnForm() != onForm[j] {
				wrong += amount
				t.Logf("%s: %q of %s is established as %s", file, d.Row.Description, d.Row.Amount, category.Path)
			}
		}
		t.Logf("%s: established %d of %d lines, %s of %s; wrong %s of %s that came in", file, established, lines, sure,
			size, wrong, receipts)
		if i < own && (wrong*200 > receipts || established*5 < lines) {
			t.Error("want a fifth of the lines established, and at most half a percent of what came in wrong")
		}
	}
}
