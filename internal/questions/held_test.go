package questions_test

import (
	"encoding/csv"
	"os"
	"testing"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// TestHeldWords measures answers that nobody who tunes the reading has seen: "make eval". Only sums are printed. A
// reading is right that is the true category, one above or below it; one that stays open is right where no single one
// is true.
func TestHeldWords(t *testing.T) {
	if os.Getenv("BIZFIN_EVAL_BOOKS") == "" {
		t.Skip("this is make eval")
	}
	file, err := os.Open("testdata/held/owners-words.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	categories, about := ontology.ScheduleC(), questions.AskedAbout()
	right, open, wrong, profit := 0, 0, 0, 0
	for _, row := range rows[1:] {
		incoming, truth := row[1] == "in", row[5]
		meaning := questions.Understand(about(incoming, row[2], row[3]), row[4], nil)
		read, understood := categories.ByID(meaning.CategoryID)
		should, one := categories.ByPath(truth)
		switch {
		case meaning.Mixed && truth == "split", !understood && !meaning.Mixed && !one && truth != "split":
			right++
		case understood && one && (read.Is(should.Path) || should.Is(read.Path)):
			right++
		case !understood && !meaning.Mixed:
			open++
		default:
			wrong++
			if understood && one && read.Kind.OnForm() != should.Kind.OnForm() {
				profit++
			}
		}
	}
	t.Logf("%d answers: %d right, %d open, %d wrong, %d of these in and not out of the profit, or the reverse",
		len(rows)-1, right, open, wrong, profit)
}
