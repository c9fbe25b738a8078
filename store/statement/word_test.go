package statement

import (
	"strings"
	"testing"
)

func TestAWordThatRepeatsItselfIsNoPatternOfLIKE(t *testing.T) {
	t.Parallel()
	for _, word := range []string{strings.Repeat("a", 63) + "b", strings.Repeat("A", 5) + strings.Repeat("a", 5),
		strings.Repeat("ab", 31) + "c",
		strings.Repeat("a", 31) + "b" + strings.Repeat("a", 32), strings.Repeat("😀", 4), "0000-0000-0000"} {
		if operator, pattern := Has(word); operator != "~" || pattern != "***="+word {
			t.Errorf("%s is looked for by %s %s", word, operator, pattern)
		}
	}
	for _, word := range []string{"coffee", "mississippi", "aaaaaaaa", "100%_off", "b" + strings.Repeat("a!", 31),
		"bookkeeping", "a"} {
		if operator, pattern := Has(word); operator != "LIKE" || pattern != LikePattern(word) {
			t.Errorf("%s is looked for by %s %s", word, operator, pattern)
		}
	}
}
