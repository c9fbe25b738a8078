package store

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bizfin/internal/money"
)

// TestListsAreReadAsTheyWereWritten has numbers of all lengths beside each other: those of up to 18 characters are read
// another way than longer ones.
func TestListsAreReadAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOfN(rapid.StringMatching(`0|-?[1-9][0-9]{0,25}`), 1, 20).Draw(t, "numbers")
		var list totals
		if err := list.Scan(strings.Join(texts, ",")); err != nil {
			t.Fatalf("%q: %v", texts, err)
		}
		var want totals
		for _, text := range texts {
			var total money.Total
			if err := total.Scan(text); err != nil {
				t.Fatal(err)
			}
			want = append(want, total)
		}
		if !slices.Equal(list, want) {
			t.Fatalf("%q are read as %v", texts, list)
		}
	})
}

func TestWhatIsNoListOfNumbersIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", ",", "1,", ",1", "1,,2", "-", "1,-", "--1", "+", "1.0", "1,x", "1 ", " 1", "1;2", "12-3",
	} {
		var days integers
		var sums totals
		if days.Scan(text) == nil || sums.Scan(text) == nil {
			t.Errorf("%q is read as %v and %v", text, days, sums)
		}
	}
}
