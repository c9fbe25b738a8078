package answers_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bizfin/internal/answers"
	"bizfin/internal/ontology"
)

// TestHeldWords measures answers that nobody who tunes the reading has seen: "make eval". Only sums are printed. A
// reading is right that is a true category, or above or below one; one that stays open is right where no single one is
// true.
func TestHeldWords(t *testing.T) {
	if os.Getenv("BIZFIN_EVAL_BOOKS") == "" {
		t.Skip("this is make eval")
	}
	files, err := filepath.Glob("testdata/held/*.csv")
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) { heldWords(t, rowsOf(t, name)) })
	}
}

func heldWords(t *testing.T, rows [][]string) {
	categories, about := ontology.ScheduleC(), answers.AskedAbout()
	right, open, wrong, profit := 0, 0, 0, 0
	for _, row := range rows {
		incoming, truths := row[1] == "in", strings.Split(row[5], "|")
		meaning := answers.Understand(about(incoming, row[2], row[3]), row[4], nil)
		read, understood := categories.ByID(meaning.CategoryID)
		should, one := categories.ByPath(truths[0])
		switch {
		case (meaning.Mixed || meaning.Split != nil) && truths[0] == "split",
			!understood && !meaning.Mixed && !one && truths[0] != "split":
			right++
		case understood && slices.ContainsFunc(truths, func(truth string) bool { return sameLine(read.Path, truth) }):
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
		len(rows), right, open, wrong, profit)
}
