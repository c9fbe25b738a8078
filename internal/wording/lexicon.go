package wording

import (
	_ "embed"
	"slices"
	"strings"
	"sync"
	"unicode"
)

// idea is what words are about, as words.tsv names it.
type idea string

// The ideas that the reader itself knows; what all others mean it learned.
const (
	ideaNot     idea = "not"     // what follows is denied
	ideaNo      idea = "no"      // denies what follows, unless it stands alone in front
	ideaTurns   idea = "turns"   // what follows is said again
	ideaDoubt   idea = "doubt"   // the owner does not know
	ideaShares  idea = "shares"  // several things at once
	ideaNeutral idea = "neutral" // says nothing of the books
	ideaLinks   idea = "links"   // what follows only describes what was said
	ideaJoins   idea = "joins"   // what follows was bought too
	ideaStarts  idea = "starts"  // what follows is another thing than what stands before
)

//go:embed data/words.tsv
var wordsTSV string

// lexicon is the file as it is read.
type lexicon struct {
	exact    map[string][]idea   // by their words, with spaces between: training is not what a train is
	phrases  map[string][]idea   // by their stems, likewise
	longest  int                 // words of a phrase
	stems    map[string]bool     // of all phrases
	words    map[string]bool     // of all phrases, with their endings
	forms    map[string][]string // of words, by their stem
	byLetter map[rune][]string   // words that a misspelt one may be meant for, by their first letter
	links    map[string]bool     // words behind which a thing is only described
}

// theLexicon reads the file once; a fault of it panics, which the package's tests rule out.
var theLexicon = sync.OnceValue(func() *lexicon {
	l := &lexicon{exact: map[string][]idea{}, phrases: map[string][]idea{}, stems: map[string]bool{},
		words:    map[string]bool{},
		forms:    map[string][]string{},
		byLetter: map[rune][]string{},
		links:    map[string]bool{}}
	for _, fields := range RowsOf(wordsTSV, 2) {
		for phrase := range strings.SplitSeq(fields[1], ",") {
			l.teach(idea(fields[0]), phrase)
		}
	}
	for words, of := range l.exact {
		l.links[words] = slices.Contains(of, ideaLinks)
	}
	for word := range l.words {
		l.forms[stem(word)] = append(l.forms[stem(word)], word)
		first := []rune(word)[0]
		l.byLetter[first] = append(l.byLetter[first], word)
	}
	return l
})

func (l *lexicon) teach(of idea, phrase string) {
	words := stemsOf(phrase)
	if len(words) == 0 {
		panic("wording: an empty word for " + string(of))
	}
	add := func(to map[string][]idea, key string) {
		if !slices.Contains(to[key], of) {
			to[key] = append(to[key], of)
		}
	}
	add(l.exact, Fold(phrase))
	add(l.phrases, strings.Join(words, " "))
	l.longest = max(l.longest, len(words))
	for _, w := range strings.Fields(Fold(phrase)) {
		l.words[w], l.stems[stem(w)] = true, true
	}
}

// RowsOf are the lines of a file with so many columns; lines with # in front are remarks.
func RowsOf(file string, columns int) [][]string {
	var rows [][]string
	for text := range strings.Lines(file) {
		text = strings.TrimSuffix(text, "\n")
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		fields := strings.Split(text, "\t")
		if len(fields) != columns {
			panic("wording: not so many columns: " + text)
		}
		rows = append(rows, fields)
	}
	return rows
}

// stemsOf are the words of a phrase without their endings.
func stemsOf(phrase string) []string {
	words := strings.Fields(Fold(phrase))
	for i, w := range words {
		words[i] = stem(w)
	}
	return words
}

// stem takes the endings off a word that the plural and the times of a verb put there, so that all forms of a word are
// one. What is left need not be a word.
func stem(w string) string {
	const shortest = 3 // letters that stay
	for _, r := range w {
		if unicode.IsDigit(r) {
			return w
		}
	}
	cut := func(ending, instead string) bool {
		rest, ok := strings.CutSuffix(w, ending)
		if ok = ok && len(rest) >= shortest && strings.ContainsAny(rest, "aeiouy"); ok {
			w = rest + instead
		}
		return ok
	}
	switch {
	case strings.HasSuffix(w, "ss"), strings.HasSuffix(w, "us"), strings.HasSuffix(w, "is"):
	case cut("ies", "y"), cut("sses", "ss"), cut("s", ""):
	}
	if cut("ing", "") || cut("ed", "") {
		if n := len(w); n > shortest && w[n-1] == w[n-2] && !strings.ContainsRune("lsz", rune(w[n-1])) {
			w = w[:n-1]
		}
	}
	if len(w) > shortest {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}

// otherWord is whether a word only shares its stem with those that are known: a suit is no suite, and to find is no
// jeweller's findings. Endings are taken off the word that was said, never off the known one.
func (l *lexicon) otherWord(w string) bool {
	is := stem(w)
	if l.words[w] || !l.stems[is] {
		return false
	}
	inflected := strings.HasSuffix(w, "ing") || strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "s")
	for _, known := range l.forms[is] {
		base := known == is || known == is+"e" || strings.HasSuffix(known, "y")
		if inflected && base || strings.TrimSuffix(known, "s") == w || known == strings.TrimSuffix(w, "s") {
			return false
		}
	}
	return true
}

// Strange reports whether a folded word is none that is known, nor a form of one.
func Strange(word string) bool {
	l := theLexicon()
	return !l.words[word] && !l.stems[stem(word)]
}

// Tells reports whether a folded word by itself says something of the books.
func Tells(word string) bool {
	return slices.ContainsFunc(theLexicon().exact[word], func(is idea) bool { return is != ideaNeutral })
}

// meant is the stem of the word that another is a slip of: known words with the same first letter that the fewest
// changes of a letter make of it, one or in a long word two, where they are forms of one word. One letter for another
// makes other words (a lumper is no lumber), so that counts in long words only.
func (l *lexicon) meant(word string) string {
	const short, long = 5, 9
	letters := []rune(word)
	if len(letters) < short {
		return ""
	}
	most := 1
	if len(letters) >= long {
		most = 2
	}
	best, distance, twice := "", most+1, false
	for _, known := range l.byLetter[letters[0]] {
		k := []rune(known)
		if len(k) < short-1 || len(k)-len(letters) > most || len(letters)-len(k) > most {
			continue
		}
		another := len(k) == len(letters) && len(letters) < long-1 && oneOther(letters, k)
		if another || known == word+"e" {
			continue
		}
		switch d := changes(letters, k); {
		case d < distance:
			best, distance, twice = stem(known), d, false
		case d == distance && stem(known) != best:
			twice = true
		}
	}
	if distance > most || twice {
		return ""
	}
	return best
}

// oneOther is whether two words of one length differ in exactly one letter.
func oneOther(a, b []rune) bool {
	n := 0
	for i := range a {
		if a[i] != b[i] {
			n++
		}
	}
	return n == 1
}

// changes counts the letters to be changed, added, taken away, or swapped with their neighbour, to make b of a.
func changes(a, b []rune) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			other := 1
			if a[i-1] == b[j-1] {
				other = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+other)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
