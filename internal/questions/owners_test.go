package questions_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"testing"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// TestOwnersWords reads answers in owners' words and says how many were understood rightly, left open, and understood
// wrongly. A category above or below the true one in the tree is right too. The files have the columns kind, direction
// (in or out), counterparty, question, answer and truth: a category path, or skip, split, or unclear where no single
// reading is right.
func TestOwnersWords(t *testing.T) {
	files, err := filepath.Glob("testdata/owners*.csv")
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			file, err := os.Open(name)
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			rows, err := csv.NewReader(file).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			rows = rows[1:]
			right, unclear, wrong := 0, 0, 0
			for _, row := range rows {
				incoming, answer, truth := row[1] == "in", row[4], row[5]
				got := understood(questions.Understand(questions.Asked{Incoming: &incoming}, answer, nil))
				switch {
				case got == truth || got != "unclear" && sameLine(got, truth):
					right++
				case got == "unclear" || got == "skip":
					unclear++
					t.Logf("unclear: %s %q is %s", row[1], answer, truth)
				default:
					wrong++
					t.Logf("wrong: %s %q is read as %s, and is %s", row[1], answer, got, truth)
				}
			}
			t.Logf("%d answers: %d right, %d unclear, %d wrong", len(rows), right, unclear, wrong)
			if right*100 < 85*len(rows) || wrong*100 > len(rows) {
				t.Errorf("%d of %d right, %d wrong; want at least 85 %% and at most 1 %%", right, len(rows), wrong)
			}
		})
	}
}

func understood(m questions.Meaning) string {
	switch {
	case m.Reserved != "":
		return string(m.Reserved)
	case m.Unclear:
		return "unclear"
	case m.Mixed, m.Split != nil:
		return "split"
	case m.Broken != nil:
		return "broken: " + m.Broken.Error()
	default:
		c, _ := ontology.ScheduleC().ByID(m.CategoryID)
		return c.Path
	}
}

func sameLine(a, b string) bool {
	x, known := ontology.ScheduleC().ByPath(a)
	y, too := ontology.ScheduleC().ByPath(b)
	return known && too && (x.Is(y.Path) || y.Is(x.Path))
}
