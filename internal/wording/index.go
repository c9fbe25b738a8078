package wording

import (
	"hash/maphash"
	"strings"
)

// index finds lines of a text by what stands in front of their tab. The text stays where it is, in the program, so that
// large ones take little memory.
type index struct {
	text   string
	seed   maphash.Seed
	places []uint32 // behind the hash of a key, or the next free place there: where its line starts, plus one
}

func indexOf(text string) *index {
	size := 1
	for size < 2*strings.Count(text, "\n")+1 {
		size *= 2
	}
	t := &index{text: text, seed: maphash.MakeSeed(), places: make([]uint32, size)}
	start := 0
	for line := range strings.Lines(text) {
		key, _, _ := strings.Cut(line, "\t")
		at := t.first(key)
		for t.places[at] != 0 {
			at = t.next(at)
		}
		t.places[at] = uint32(start) + 1
		start += len(line)
	}
	return t
}

// line is what stands behind a key; empty where there is none.
func (t *index) line(key string) string {
	for at := t.first(key); t.places[at] != 0; at = t.next(at) {
		rest := t.text[t.places[at]-1:]
		if strings.HasPrefix(rest, key) && rest[len(key)] == '\t' {
			line, _, _ := strings.Cut(rest[len(key)+1:], "\n")
			return line
		}
	}
	return ""
}

func (t *index) first(key string) int { return int(maphash.String(t.seed, key)) & (len(t.places) - 1) }

func (t *index) next(at int) int { return (at + 1) & (len(t.places) - 1) }
