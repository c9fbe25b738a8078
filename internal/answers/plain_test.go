package answers

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/wording"
)

// Wide letters, digits and signs say what others say.
func TestWideSignsAreReadLikeOthers(t *testing.T) {
	q := Asked{Context: wording.Context{Incoming: new(bool)}}
	for wide, words := range map[string]string{
		"60％ car, rest personal":     "60% car, rest personal",
		"６０％ car，rest personal":      "60% car, rest personal",
		"＄３０ supplies；rest personal": "$30 supplies; rest personal",
		"½ car, ½ personal":          "50% car, 50% personal",
		"¼ personal, ¾ car":          "25% personal, 75% car",
		"ｒｅｎｔ":                       "rent",
		"ｕｎｄｏ":                       "undo",
		"rent？":                      "rent?",
		"expense．meals":              "expense.meals",
	} {
		if got, want := Understand(q, wide, nil), Understand(q, words, nil); !cmp.Equal(got, want) {
			t.Errorf("%q means %+v, and %q %+v", wide, got, words, want)
		}
	}
}

// What is kept of an answer is what was written.
func TestWhatIsKeptIsAsItWasWritten(t *testing.T) {
	const written = "half ｐersonal half business"
	if m := Understand(Asked{Context: wording.Context{Incoming: new(bool)}}, written, nil); !m.Mixed ||
		!strings.HasSuffix(m.Note, written) {
		t.Errorf("%q means %+v", written, m)
	}
}

// A wide colon stands behind names of rows, too, and a wide digit is none: nothing is said of all rows.
func TestAWideColonNamesRows(t *testing.T) {
	q := fiveTransfers()
	if !q.NeedsLines("2：rent", nil) {
		t.Error("the rows of the question are not read")
	}
	if m := Understand(q, "2：expense.rent.property", nil); len(m.Exceptions) != 1 {
		t.Errorf("one line means %+v", m)
	}
	if m := Understand(q, "２：rent", nil); m.Problem == "" {
		t.Errorf("a line that is not there means %+v", m)
	}
}

// Whom the money is with says nothing of what it is for, but for a firm of the owner's.
func TestAFirmThatIsNamedIsNotRead(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"it's from Harbor Point LLC for consulting": "it's   for consulting",
		"paid to harbor point, llc":                 "paid  ",
		"moved to my other LLC":                     "moved to my other LLC",
		"fee the state makes every LLC pay":         "fee the state makes every LLC pay",
	} {
		if got := wording.BesideFirm(words); got != want {
			t.Errorf("%q is read as %q, want %q", words, got, want)
		}
	}
}
