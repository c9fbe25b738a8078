package answers_test

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bizfin/internal/answers"
	"bizfin/internal/ontology"
	"bizfin/internal/wording"
)

// TestOwnersWords reads answers that the reader learned from, and says how many were understood rightly, left open, and
// understood wrongly; what it makes of others is what TestWordsOfOtherAuthors says. A category above or below the true
// one in the tree is right too. The files have the columns kind, direction (in or out), counterparty, question, answer
// and truth: category paths with | between them where each is true, or skip, split, or unclear where no single reading
// is right.
func TestOwnersWords(t *testing.T) {
	files, err := filepath.Glob("testdata/owners*.csv")
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v, %v", files, err)
	}
	var sum read
	for _, name := range files {
		t.Run(filepath.Base(name), func(t *testing.T) {
			n := ownersWords(t, name, t.Logf)
			t.Logf("%d answers: %d right, %d unclear, %d wrong", n.all, n.right, n.unclear, n.wrong)
			sum = read{sum.all + n.all, sum.right + n.right, sum.unclear + n.unclear, sum.wrong + n.wrong}
		})
	}
	holdToBars(t, sum)
}

// TestFreshOwnersWords reads answers that were written before the lexicon was read; the reader has learned from them
// since, so it holds no more than that they are read.
func TestFreshOwnersWords(t *testing.T) {
	n := ownersWords(t, "testdata/fresh/owners-words.csv", func(string, ...any) {})
	t.Logf("%d answers: %d right, %d unclear, %d wrong", n.all, n.right, n.unclear, n.wrong)
	if n.right*100 < 80*n.all || n.wrong*100 > 5*n.all {
		t.Errorf("%d of %d right, %d wrong; want at least 80 %% and at most 5 %%", n.right, n.all, n.wrong)
	}
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
	rows, about := rowsOf(t, name), answers.AskedAbout()
	n := read{all: len(rows)}
	for _, row := range rows {
		incoming, answer, truths := row[1] == "in", row[4], strings.Split(row[5], "|")
		got := understood(answers.Understand(about(incoming, row[2], row[3]), answer, nil))
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

// rowsOf are the rows of a CSV file below its names.
func rowsOf(t *testing.T, name string) [][]string {
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
	return rows[1:]
}

func TestWordsAreReadTheSameInAnyCaseAndSpacing(t *testing.T) {
	spaced := strings.NewReplacer(" ", "  \t ")
	for _, row := range rowsOf(t, "testdata/owners_trades.csv") {
		incoming, answer := row[1] == "in", row[4]
		q := answers.Asked{Context: wording.Context{Incoming: &incoming}}
		want := understood(answers.Understand(q, answer, nil))
		for _, same := range []string{strings.ToUpper(answer), strings.ToLower(answer),
			" " + spaced.Replace(answer) + " "} {
			if got := understood(answers.Understand(q, same, nil)); got != want {
				t.Errorf("%q is read as %s, and %q as %s", answer, want, same, got)
			}
		}
	}
}

// Whatever is said, in whatever order and signs: one thing follows of it, or nothing with readings to choose from.
func TestAnyWordsMeanOneThingOrAreAskedAbout(t *testing.T) {
	var words []string
	for _, row := range rowsOf(t, "testdata/owners_trades.csv") {
		words = append(words, strings.Fields(row[4])...)
	}
	signs := []string{" ", " ", " ", ", ", ". ", "; ", " - ", "? ", "/", "% ", "", "\n", "\x00", "é", "🙂"}
	rapid.Check(t, func(t *rapid.T) {
		var answer strings.Builder
		for range rapid.IntRange(0, 12).Draw(t, "words") {
			answer.WriteString(rapid.SampledFrom(words).Draw(t, "word"))
			answer.WriteString(rapid.SampledFrom(signs).Draw(t, "sign"))
		}
		incoming := rapid.Bool().Draw(t, "incoming")
		m := answers.Understand(answers.Asked{Context: wording.Context{Incoming: &incoming}}, answer.String(), nil)
		c, one := ontology.ScheduleC().ByID(m.CategoryID)
		switch {
		case one && !c.Assignable:
			t.Fatalf("%q is read as %s, which nothing is assigned to", answer.String(), c.Path)
		case m.Unclear && (one || len(m.Readings) < 2):
			t.Fatalf("%q is unclear, and means %+v", answer.String(), m)
		case !m.Unclear && !one && m.Reserved == "" && m.Split == nil && m.Broken == nil && !m.Mixed:
			t.Fatalf("%q means nothing: %+v", answer.String(), m)
		}
	})
}

func understood(m answers.Meaning) string {
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
