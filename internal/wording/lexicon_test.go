package wording

import (
	"slices"
	"strings"
	"testing"
)

// TestEveryWordOfTheDataIsReached finds words that nobody could ever say to an effect: they are not heard as what they
// stand for.
func TestEveryWordOfTheDataIsReached(t *testing.T) {
	for _, fields := range RowsOf(wordsTSV, 2) {
		of := idea(fields[0])
		for phrase := range strings.SplitSeq(fields[1], ",") {
			s := listen(phrase)
			h, ok := s.longestAt(0, len(s.stems))
			if !ok || h.end != len(s.stems) || !slices.Contains(h.ideas, of) {
				t.Errorf("%q is not heard as %q", strings.TrimSpace(phrase), of)
			}
		}
	}
}

// TestNoWordStandsTwiceInALine finds one that does.
func TestNoWordStandsTwiceInALine(t *testing.T) {
	for _, fields := range RowsOf(wordsTSV, 2) {
		seen := map[string]bool{}
		for phrase := range strings.SplitSeq(fields[1], ",") {
			if seen[Fold(phrase)] {
				t.Errorf("%q stands twice in the line of %q", strings.TrimSpace(phrase), fields[0])
			}
			seen[Fold(phrase)] = true
		}
	}
}

func BenchmarkRead(b *testing.B) {
	theLexicon() // both read their files once
	learned()
	out := false
	for b.Loop() {
		Context{
			Incoming: &out,
		}.Read(
			"paid the neighbor's kid for helping me unload the new kiln, not a regular employee",
		)
	}
}
