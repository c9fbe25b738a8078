package questions

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// TestEveryWordOfTheDataIsReached finds words that nobody could ever say to an effect: those whose idea means nothing,
// alone or together, and those that are not heard as what they stand for.
func TestEveryWordOfTheDataIsReached(t *testing.T) {
	l := theLexicon()
	used := map[idea]bool{ideaNot: true, ideaNo: true, ideaTurns: true, ideaDoubt: true, ideaShares: true,
		ideaNeutral: true, ideaLinks: true, ideaJoins: true, ideaStarts: true}
	for _, lines := range l.meanings {
		for _, m := range lines {
			for _, of := range m.ideas {
				used[of] = true
			}
		}
	}
	for _, fields := range rowsOf(wordsTSV, 2) {
		of := idea(fields[0])
		if !used[of] {
			t.Errorf("meanings.tsv has no line with %q", of)
		}
		for phrase := range strings.SplitSeq(fields[1], ",") {
			s := listen(phrase)
			h, ok := s.longestAt(0, len(s.stems))
			if !ok || h.end != len(s.stems) || !slices.Contains(h.ideas, of) {
				t.Errorf("%q is not heard as %q", strings.TrimSpace(phrase), of)
			}
		}
	}
}

// TestNoDataContradictsItself finds a word twice in a line, and two lines for the same ideas.
func TestNoDataContradictsItself(t *testing.T) {
	for _, fields := range rowsOf(wordsTSV, 2) {
		seen := map[string]bool{}
		for phrase := range strings.SplitSeq(fields[1], ",") {
			if seen[fold(phrase)] {
				t.Errorf("%q stands twice in the line of %q", strings.TrimSpace(phrase), fields[0])
			}
			seen[fold(phrase)] = true
		}
	}
	lines := map[string]bool{}
	for _, m := range slices.Concat(slices.Collect(maps.Values(theLexicon().meanings))...) {
		ideas := slices.Sorted(slices.Values(m.ideas))
		key := ""
		for _, of := range ideas {
			key += string(of) + "+"
		}
		if lines[key] {
			t.Errorf("two lines for %q", key)
		}
		lines[key] = true
		if len(slices.Compact(ideas)) < len(m.ideas) {
			t.Errorf("an idea stands twice in %q", key)
		}
		if len(m.means[0])+len(m.means[1]) == 0 {
			t.Errorf("the line of %q means nothing", key)
		}
	}
}

func BenchmarkRead(b *testing.B) {
	theLexicon() // reads its files once
	for b.Loop() {
		Read("paid the neighbor's kid for helping me unload the new kiln, not a regular employee", Out)
	}
}
