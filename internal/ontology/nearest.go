package ontology

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
)

// Nearest compares at most this many words of at most this many characters, so
// that its cost does not grow with what a caller sends.
const (
	nearestWords = 8
	nearestRunes = 24
)

// Nearest returns up to n categories whose name or path is most like the text,
// the best first and equals in display order: the "did you mean" of an error
// message. Text without a letter or digit has none.
func (o *Ontology) Nearest(text string, n int) []*Category {
	asked := words(text)
	if len(asked) == 0 || n <= 0 {
		return nil
	}
	alike := o.vocabulary.alike(asked)
	type scored struct {
		*Category
		score int
	}
	list := make([]scored, len(o.all))
	for i, c := range o.all {
		called := o.called[c]
		// Every word asked for should occur on the way to the category; of those
		// alike in that, the one whose own name says little else is meant.
		list[i] = scored{c, 2*alike.among(called.path) + max(alike.to(called.name), alike.to(called.key))}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	nearest := make([]*Category, min(n, len(list)))
	for i := range nearest {
		nearest[i] = list[i].Category
	}
	return nearest
}

// places adds the words of a text where they are new.
func (v *vocabulary) places(text string) (list []int) {
	for _, word := range words(text) {
		place, known := v.place[string(word)]
		if !known {
			place = len(v.words)
			v.place[string(word)] = place
			v.words = append(v.words, word)
		}
		list = append(list, place)
	}
	return list
}

// callAll finds the words of all categories, once.
func (o *Ontology) callAll() {
	o.called = make(map[*Category]called, len(o.all))
	o.vocabulary.place = map[string]int{}
	for _, c := range o.all {
		one := called{name: o.vocabulary.places(c.Name),
			key: o.vocabulary.places(c.Path[strings.LastIndexByte(c.Path, '.')+1:])}
		one.path = append(o.vocabulary.places(c.Path), one.name...)
		for _, name := range c.Names {
			one.path = append(one.path, o.vocabulary.places(name)...)
		}
		o.called[c] = one
	}
}

// likeness is how alike some words are to each word of the vocabulary, 0 to
// 1000.
type likeness [][]int

func (v *vocabulary) alike(asked [][]rune) likeness {
	alike := make(likeness, len(asked))
	for i, word := range asked {
		compare := similarTo(word)
		alike[i] = make([]int, len(v.words))
		for place, known := range v.words {
			alike[i][place] = compare(known)
		}
	}
	return alike
}

// among is how well the asked words occur among others: the mean of their best
// matches.
func (l likeness) among(others []int) int {
	sum := 0
	for _, alike := range l {
		best := 0
		for _, place := range others {
			best = max(best, alike[place])
		}
		sum += best
	}
	return sum / len(l)
}

// to is how well words occur among the asked ones.
func (l likeness) to(wanted []int) int {
	sum := 0
	for _, place := range wanted {
		best := 0
		for _, alike := range l {
			best = max(best, alike[place])
		}
		sum += best
	}
	return sum / max(len(wanted), 1)
}

// words splits text into its folded words.
func words(text string) [][]rune {
	var out [][]rune
	for word := range strings.FieldsFuncSeq(text,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(out) == nearestWords {
			break
		}
		runes := []rune(strings.ToLower(word))
		out = append(out, runes[:min(len(runes), nearestRunes)])
	}
	return out
}

// similarTo compares words with one of at most 64 letters: 1000 for equal words
// and 0 for words without anything in common, by the number of letters to change
// (Levenshtein distance). A whole column of the usual table is a word of the
// machine (Myers, "A Fast Bit-Vector Algorithm for Approximate String Matching",
// 1999).
func similarTo(word []rune) func(other []rune) int {
	at := make(map[rune]uint64, len(word)) // the places of each letter
	for i, letter := range word {
		at[letter] |= 1 << i
	}
	last := uint64(1) << (len(word) - 1)
	return func(other []rune) int {
		more, less := ^uint64(0), uint64(0) // where the column grows and falls
		distance := len(word)
		for _, letter := range other {
			same := at[letter]
			diagonal := same | less
			across := ((same & more) + more ^ more) | same
			grows, falls := less|^(across|more), more&across
			if grows&last != 0 {
				distance++
			}
			if falls&last != 0 {
				distance--
			}
			grows = grows<<1 | 1
			more, less = falls<<1|^(diagonal|grows), grows&diagonal
		}
		longest := max(len(word), len(other))
		return 1000 * (longest - distance) / longest
	}
}
