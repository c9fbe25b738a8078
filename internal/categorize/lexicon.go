package categorize

import (
	"bytes"
	"fmt"
	"strings"
)

// lexicon finds the phrases of the data files in a line: a trie over words, so
// that the cost of a line does not grow with the number of phrases.
//
// A phrase is written as it stands on a bank line, with four signs of its own:
// a leading ^ holds it to the beginning of the line or of the name, a trailing
// $ to a place behind which only numbers follow, # stands for one number, and a
// colon, star or equals sign at the end must stand there in the line too.
type lexicon struct {
	words   map[string]int32
	edges   map[uint64]int32 // node and word -> node
	nodes   []node
	phrases []phrase
	byText  map[string]int32
}

type node struct{ phrases []int32 }

type phrase struct {
	first bool // ^
	last  bool // $
	after byte // ':', '*' or '=', 0 for none
}

// hit is one occurrence of a phrase, in the tokens from..to-1.
type hit struct {
	phrase   int32
	from, to int16
}

const maxHits = 96

// numberWord stands for any number in a phrase.
const numberWord = 1

func newLexicon() *lexicon {
	return &lexicon{
		words:  map[string]int32{"#": numberWord},
		edges:  map[uint64]int32{},
		nodes:  make([]node, 1),
		byText: map[string]int32{},
	}
}

// add returns the number of a phrase; the same text has the same number.
func (x *lexicon) add(text string) (int32, error) {
	text = strings.TrimSpace(text)
	if id, ok := x.byText[text]; ok {
		return id, nil
	}
	body, p := text, phrase{}
	body, p.first = strings.CutPrefix(body, "^")
	body, p.last = strings.CutSuffix(body, "$")
	if n := len(body); n > 0 && strings.IndexByte(":*=", body[n-1]) >= 0 {
		p.after, body = body[n-1], body[:n-1]
	}
	var at int32
	words := 0
	for _, field := range strings.Fields(body) {
		if field == "#" {
			at = x.step(at, numberWord)
			words++
			continue
		}
		if strings.HasSuffix(field, "#") {
			at = x.step(at, x.word(field))
			words++
			continue
		}
		var l line
		l.read(field)
		for i := range l.count {
			if l.tokens[i].kind == number {
				return 0, fmt.Errorf("phrase %q: a number in a phrase is written #", text)
			}
			at = x.step(at, x.word(string(l.bytes(i, i+1))))
			words++
		}
	}
	if words == 0 {
		return 0, fmt.Errorf("phrase %q has no word", text)
	}
	id := int32(len(x.phrases))
	x.phrases = append(x.phrases, p)
	x.nodes[at].phrases = append(x.nodes[at].phrases, id)
	x.byText[text] = id
	return id, nil
}

// spell has every phrase found with other spellings of a word, too, where none is written so.
func (x *lexicon) spell(word string, others []string) {
	next := make([][]int32, len(x.nodes)) // the words that lead on from a node
	for e := range x.edges {
		next[e>>32] = append(next[e>>32], int32(uint32(e)))
	}
	id := x.word(word)
	for at := range int32(len(x.nodes)) {
		if to, ok := x.edges[edge(at, id)]; ok {
			for _, other := range others {
				x.share(edge(at, x.word(other)), to, next)
			}
		}
	}
}

// share has an edge lead where another does. What it leads to already stays, and gets what it lacks.
func (x *lexicon) share(e uint64, to int32, next [][]int32) {
	own, ok := x.edges[e]
	switch {
	case !ok:
		x.edges[e] = to
	case own != to:
		if len(x.nodes[own].phrases) == 0 {
			x.nodes[own].phrases = x.nodes[to].phrases
		}
		for _, word := range next[to] {
			x.share(edge(own, word), x.edges[edge(to, word)], next)
		}
	}
}

func (x *lexicon) word(text string) int32 {
	id, ok := x.words[text]
	if !ok {
		id = int32(len(x.words)) + 1
		x.words[text] = id
	}
	return id
}

func edge(from, word int32) uint64 { return uint64(from)<<32 | uint64(word) }

func (x *lexicon) step(from, word int32) int32 {
	to, ok := x.edges[edge(from, word)]
	if !ok {
		to = int32(len(x.nodes))
		x.nodes = append(x.nodes, node{})
		x.edges[edge(from, word)] = to
	}
	return to
}

// number gives every token the number of its word.
func (x *lexicon) number(l *line) {
	for i := range l.count {
		t := &l.tokens[i]
		text := l.text[t.start:t.end]
		switch t.kind {
		case number:
			t.id = numberWord
		case mixed:
			if t.id = x.words[string(text)]; t.id == 0 {
				t.id = x.words[string(bytes.TrimRight(text, digits))+"#"]
			}
		default:
			t.id = x.words[string(text)]
		}
	}
}

const digits = "0123456789"

// find appends the phrases that begin at token i to hits, shortest first. The
// signs ^ and $ are left to the caller, who knows where the name begins.
func (x *lexicon) find(l *line, i, end int, hits []hit) []hit {
	var at int32
	for j := i; j < end; j++ {
		id := l.tokens[j].id
		if id == 0 {
			return hits
		}
		var ok bool
		if at, ok = x.edges[edge(at, id)]; !ok {
			return hits
		}
		for _, p := range x.nodes[at].phrases {
			if after := x.phrases[p].after; after != 0 && l.tokens[j].after != after {
				continue
			}
			if len(hits) == cap(hits) {
				return hits
			}
			hits = append(hits, hit{phrase: p, from: int16(i), to: int16(j + 1)})
		}
	}
	return hits
}
