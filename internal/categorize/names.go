package categorize

import "fmt"

// names finds the longest known name that a run of tokens begins with. Names are
// compared without what stands between their words, whole words only: WAL-MART
// and WALMART are one, and neither is in WALMARTIN.
type names struct {
	byText map[string]entry
	words  int // most tokens a name has
	bytes  int // most bytes a name has
}

type entry struct {
	index int32
	exact bool // counts only where the caller allows it to end
}

func newNames() names { return names{byText: map[string]entry{}} }

// extraWords allows for names that a line breaks into more words than the data do.
const extraWords = 2

func (n *names) add(name string, index int32, exact bool) error {
	var l line
	l.read(name)
	text := string(l.bytes(0, l.count))
	if text == "" {
		return fmt.Errorf("name %q has no word", name)
	}
	if _, ok := n.byText[text]; !ok { // the first entry keeps a name that two have
		n.byText[text] = entry{index, exact}
	}
	n.words, n.bytes = max(n.words, l.count+extraWords), max(n.bytes, len(text))
	return nil
}

// longest returns the entry of the longest name in the tokens from..end-1, and
// the token behind it. allowed decides whether an exact name may end at a token.
func (n *names) longest(l *line, from, end int, allowed func(to int) bool) (entry, int, bool) {
	for to := min(end, from+n.words); to > from; to-- {
		text := l.bytes(from, to)
		if len(text) > n.bytes {
			continue
		}
		if e, ok := n.byText[string(text)]; ok && (!e.exact || allowed(to)) {
			return e, to, true
		}
	}
	return entry{}, 0, false
}
