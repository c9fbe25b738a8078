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
	alike := likenesses{}
	score := make(map[*Category]int, len(o.all))
	for _, c := range o.all {
		called := o.called[c]
		// Every word asked for should occur on the way to the category; of those
		// alike in that, the one whose own name says little else is meant.
		score[c] = 2*alike.of(asked, called.path) + max(alike.of(called.name, asked), alike.of(called.key, asked))
	}
	nearest := slices.Clone(o.all)
	slices.SortStableFunc(nearest, func(a, b *Category) int { return cmp.Compare(score[b], score[a]) })
	return nearest[:min(n, len(nearest))]
}

// called is how a category is called, in words.
type called struct {
	name []string
	key  []string // the last segment of its path
	path []string // all on the way to it
}

// callAll finds the words of all categories, once.
func (o *Ontology) callAll() {
	o.called = make(map[*Category]called, len(o.all))
	for _, c := range o.all {
		one := called{name: words(c.Name), key: words(c.Path[strings.LastIndexByte(c.Path, '.')+1:])}
		one.path = append(words(c.Path), one.name...)
		for _, name := range c.Names {
			one.path = append(one.path, words(name)...)
		}
		o.called[c] = one
	}
}

// words splits text into its folded words.
func words(text string) []string {
	var out []string
	for word := range strings.FieldsFuncSeq(text,
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		if len(out) == nearestWords {
			break
		}
		runes := []rune(strings.ToLower(word))
		out = append(out, string(runes[:min(len(runes), nearestRunes)]))
	}
	return out
}

// likenesses remembers how alike words are: the same words are on the way to
// many categories.
type likenesses map[[2]string]int

// of is how well the wanted words occur among the others: the mean of their
// best matches, 0 to 1000.
func (l likenesses) of(wanted, among []string) int {
	sum := 0
	for _, w := range wanted {
		best := 0
		for _, a := range among {
			pair := [2]string{min(w, a), max(w, a)}
			alike, known := l[pair]
			if !known {
				alike = similarity([]rune(w), []rune(a))
				l[pair] = alike
			}
			best = max(best, alike)
		}
		sum += best
	}
	return sum / max(len(wanted), 1)
}

// similarity is 1000 for equal words and 0 for words without anything in
// common, by the number of letters to change (Levenshtein distance).
func similarity(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, ra := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, rb := range b {
			substitute := diagonal
			if ra != rb {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	longest := max(len(a), len(b))
	return 1000 * (longest - row[len(b)]) / longest
}
