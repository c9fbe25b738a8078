package categorize

import (
	"fmt"
	"strings"
)

// names finds the longest known name that a run of tokens begins with. Names are
// compared without what stands between their words, whole words only: WAL-MART
// and WALMART are one, and neither is in WALMARTIN.
type names struct {
	byText map[string]entry
	words  int // most tokens a name has

	// lengths has the lengths of the names that begin alike, as a set of bits: most
	// words begin no name, and of the others only few ends need a look.
	lengths [1 << lengthBits]uint64
}

const lengthBits = 12

// place is where the names that begin like text have their lengths: by its first
// two bytes, as no name is shorter.
func place(text []byte) int {
	if len(text) < shortest {
		return 0
	}
	return int((uint32(text[0])<<8 | uint32(text[1])) * 0x9E3779B1 >> (32 - lengthBits))
}

const shortest = 2

// lengthBit is the bit of a length; the longest share one.
func lengthBit(size int) uint64 { return 1 << min(size, 63) }

type entry struct {
	index int32
	exact bool // counts only where the caller allows it to end
}

func newNames() *names { return &names{byText: map[string]entry{}} }

// extraWords allows for names that a line breaks into more words than the data do.
const extraWords = 2

func (n *names) add(name string, index int32, exact bool) error {
	var l line
	l.read(name)
	text := string(l.bytes(0, l.count))
	if len(text) < shortest {
		return fmt.Errorf("name %q is too short", name)
	}
	if _, ok := n.byText[text]; !ok { // the first entry keeps a name that two have
		n.byText[text] = entry{index, exact}
	}
	n.words = max(n.words, l.count+extraWords)
	n.lengths[place([]byte(text))] |= lengthBit(len(text))
	return nil
}

// longest returns the entry of the longest name in the tokens from..end-1, and
// the token behind it. allowed decides whether an exact name may end at a token.
func (n *names) longest(l *line, from, end int, allowed func(to int) bool) (entry, int, bool) {
	if from >= end {
		return entry{}, 0, false
	}
	lengths := n.lengths[place(l.text[l.tokens[from].start:l.size])]
	for to := min(end, from+n.words); lengths != 0 && to > from; to-- {
		text := l.bytes(from, to)
		if lengths&lengthBit(len(text)) == 0 {
			continue
		}
		if e, ok := n.byText[string(text)]; ok && (!e.exact || allowed(to)) {
			return e, to, true
		}
	}
	return entry{}, 0, false
}

// foldName makes the key of a name: its words in lower case, without the form of
// the firm and without what stands between words.
func foldName(name string) string {
	var l line
	l.read(name)
	var buf [160]byte
	b := buf[:0]
	count := l.count
	for count > 1 && legalForm(string(l.bytes(count-1, count))) {
		count--
	}
	for i := range count {
		if i > 0 {
			b = append(b, ' ')
		}
		if len(b)+l.tokens[i].size() > len(buf) {
			break
		}
		b = append(b, l.bytes(i, i+1)...)
	}
	return strings.ToLower(string(b))
}

func never(int) bool { return false }
