package questions

import (
	"strings"
	"testing"
)

// What is wrong with a split is what is said of it, and what is suggested would be taken.
func TestWhatIsWrongWithASplitIsSaid(t *testing.T) {
	for words, says := range map[string]string{
		"60% uncategorized.out, rest personal":    "which names no category",
		"60% expense.advertizing, rest personal":  "nearest: expense.advertising",
		"-60% car, rest personal":                 `takes off "car"`,
		"60% car, less 10% car, rest personal":    `takes off "car"`,
		"60% car":                                 "say what the rest is",
		"60% car, 40% meals, rest office rent":    "for which nothing is left",
		"60% car, less 10% nonsense, rest travel": "which names no category",
	} {
		m := Understand(Asked{Incoming: new(bool)}, words, nil)
		if m.Broken == nil || !strings.Contains(m.Broken.Error(), says) {
			t.Errorf("%q means %+v", words, m)
			continue
		}
		if _, near, _ := strings.Cut(m.Broken.Error(), "nearest: "); strings.Contains(near, "uncategorized") {
			t.Errorf("%q is to be %s", words, near)
		}
	}
}
