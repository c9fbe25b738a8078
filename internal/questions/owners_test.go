package questions_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// TestOwnersWords reads answers in owners' words and says how many were understood rightly, left open, and understood
// wrongly. A category above or below the true one in the tree is right too. The files have the columns kind, direction
// (in or out), counterparty, question, answer and truth: category paths with | between them where each is true, or
// skip, split, or unclear where no single reading is right.
func TestOwnersWords(t *testing.T) {
	files, err := filepath.Glob("testdata/owners*.csv")
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) { holdToBars(t, ownersWords(t, name, t.Logf)) })
	}
}

// TestFreshOwnersWords reads answers that were written before the reader was changed for them, of which only the sums
// were looked at.
func TestFreshOwnersWords(t *testing.T) {
	holdToBars(t, ownersWords(t, "testdata/fresh/owners-words.csv", func(string, ...any) {}))
}

// read counts answers by what became of them.
type read struct{ all, right, unclear, wrong int }

func holdToBars(t *testing.T, n read) {
	t.Logf("%d answers: %d right, %d unclear, %d wrong", n.all, n.right, n.unclear, n.wrong)
	if n.right*100 < 85*n.all || n.wrong*100 > n.all {
		t.Errorf("%d of %d right, %d wrong; want at least 85 %% and at most 1 %%", n.right, n.all, n.wrong)
	}
}

func ownersWords(t *testing.T, name string, say func(string, ...any)) read {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	n := read{all: len(rows) - 1}
	for _, row := range rows[1:] {
		incoming, answer, truths := row[1] == "in", row[4], strings.Split(row[5], "|")
		got := understood(questions.Understand(questions.Asked{Incoming: &incoming}, answer, nil))
		switch {
		case slices.ContainsFunc(truths, func(truth string) bool {
			return got == truth || got != "unclear" && sameLine(got, truth)
		}):
			n.right++
		case got == "unclear" || got == "skip":
			n.unclear++
			say("unclear: %s %q is %s", row[1], answer, row[5])
		default:
			n.wrong++
			say("wrong: %s %q is read as %s, and is %s", row[1], answer, got, row[5])
		}
	}
	return n
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
