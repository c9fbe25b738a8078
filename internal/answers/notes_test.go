package answers_test

import (
	"path/filepath"
	"strings"
	"testing"

	"bizfin/internal/answers"
	"bizfin/internal/ontology"
	"bizfin/internal/wording"
)

// TestNotesOfBooks reads what owners noted beside rows of six labelled books, as if it were an answer. Notes explain a
// line to its reader, so they say less than an answer does: it shows sums, and fails only where a quarter is read
// wrongly.
func TestNotesOfBooks(t *testing.T) {
	files, err := filepath.Glob("../books/testdata/tune/*/rows.csv")
	if err != nil || len(files) == 0 {
		t.Fatalf("files %v, %v", files, err)
	}
	for _, name := range files {
		book := filepath.Base(filepath.Dir(name))
		t.Run(book, func(t *testing.T) {
			seen := map[string]bool{}
			right, unclear, wrong := 0, 0, 0
			for _, row := range rowsOf(t, name) {
				incoming, truth, note := !strings.HasPrefix(row[3], "-"), row[5], row[8]
				if _, one := ontology.ScheduleC().ByPath(truth); !one || note == "" || seen[note+truth] {
					continue
				}
				seen[note+truth] = true
				got := understood(
					answers.Understand(answers.Asked{Context: wording.Context{Incoming: &incoming}}, note, nil),
				)
				switch {
				case sameLine(got, truth):
					right++
				case got == "unclear" || got == "skip":
					unclear++
					t.Logf("unclear: %q is %s", note, truth)
				default:
					wrong++
					t.Logf("wrong: %q is read as %s, and is %s", note, got, truth)
				}
			}
			if wrong*4 > len(seen) {
				t.Errorf("%d of %d notes are read wrongly", wrong, len(seen))
			}
			t.Logf("%d notes: %d right, %d unclear, %d wrong", len(seen), right, unclear, wrong)
		})
	}
}
