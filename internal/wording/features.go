package wording

import (
	"slices"
	"strconv"
	"strings"
)

// The reader learned from labelled answers what words mean. It sees an answer as a set of features: words and pairs of
// them, pieces of longer words, what they are about by words.tsv, what is denied, what was asked and which
// category the question itself names first. All that is said
// of the books is said of money in or of money out, so each feature carries the direction.

// featuresOf are what the reader sees of an answer in a direction, each of them once.
func (q Context) featuresOf(s sentence, d Direction) []string {
	f := features{way: wayOf(d)}
	f.words(s)
	f.ideas(s)
	f.without(q)
	slices.Sort(f.all)
	return slices.Compact(f.all)
}

func wayOf(d Direction) string {
	if d == In {
		return "i:"
	}
	return "o:"
}

type features struct {
	way string // the direction, in front of each
	all []string
}

func (f *features) add(kind, of string) { f.all = append(f.all, f.way+kind+of) }

// piece is how many letters the pieces of words have, which see through endings, slips and words set together.
const piece = 4

func (f *features) words(s sentence) {
	f.add("long ", strconv.Itoa(min(len(s.words), 8)))
	before := "^"
	for i, w := range s.stems {
		if i > 0 && s.parts[i] != s.parts[i-1] {
			before = ","
		}
		f.add("w ", w)
		f.add("b ", before+" "+w)
		before = w
		if letters := "^" + s.words[i] + "$"; len(letters) >= piece+2 {
			for at := range len(letters) - piece + 1 {
				f.add("p ", letters[at:at+piece])
			}
		}
	}
	f.add("b ", before+" $")
	strange := 0
	for _, is := range s.strange {
		if is {
			strange++
		}
	}
	f.add("strange ", strconv.Itoa(min(strange, 3)))
}

// ideas are what words are about: each alone, with whether it only describes, and with the few next to it.
func (f *features) ideas(s sentence) {
	const near = 5
	l := theLexicon()
	var said []idea
	described, part := false, 0
	for _, h := range s.yes {
		if h.part != part {
			described, part = false, h.part
		}
		described = described || l.links[s.words[h.at]]
		for _, of := range h.ideas {
			if of.says() {
				f.add("i ", string(of))
				if described {
					f.add("for ", string(of))
				} else {
					f.add("is ", string(of))
				}
				said = append(said, of)
			}
		}
	}
	for i, a := range said {
		for _, b := range said[i+1 : min(i+1+near, len(said))] {
			f.add("ii ", string(min(a, b))+"+"+string(max(a, b)))
		}
	}
	for _, h := range s.denied {
		for _, of := range h.ideas {
			f.add("not ", string(of))
		}
	}
	if s.denials > 0 {
		f.add("denies", "")
	}
	if s.shares {
		f.add("shares", "")
	}
}

// without is what is there whatever is said: the direction, and what was asked.
func (f *features) without(q Context) {
	f.add("", "")
	f.asked(q.Question)
	if len(q.Options) > 0 {
		f.add("first ", q.Options[0].Value)
	}
}

// asked is what the question says: whom it is about, and in what kind of business that is.
func (f *features) asked(question string) {
	for _, w := range strings.Fields(Fold(question)) {
		f.add("q ", w)
	}
	for _, h := range listen(question).yes {
		for _, of := range h.ideas {
			if of.says() {
				f.add("qi ", string(of))
			}
		}
	}
}

// portions are what stands between commas, "and" and the like, each as if nothing else had been said; none where all is
// one.
func (s sentence) portions() []sentence {
	var all []sentence
	from := 0
	end := func(to int) {
		if to > from {
			all = append(all, s.portion(from, to))
		}
	}
	for i := range s.words {
		switch {
		case s.joins(i):
			end(i)
			from = i + 1
		case i > 0 && s.parts[i] != s.parts[i-1]:
			end(i)
			from = max(from, i)
		}
	}
	if from == 0 {
		return nil
	}
	end(len(s.words))
	return all
}

func (s sentence) joins(at int) bool {
	return slices.Contains(theLexicon().exact[s.words[at]], ideaJoins)
}

func (s sentence) portion(from, to int) sentence {
	of := sentence{words: s.words[from:to], stems: s.stems[from:to], parts: s.parts[from:to],
		strange: s.strange[from:to]}
	within := func(all []heard) (in []heard) {
		for _, h := range all {
			if from <= h.at && h.end <= to {
				h.at, h.end = h.at-from, h.end-from
				in = append(in, h)
			}
		}
		return in
	}
	of.yes, of.denied = within(s.yes), within(s.denied)
	return of
}

// says is whether an idea is about anything.
func (of idea) says() bool {
	switch of {
	case ideaNeutral, ideaLinks, ideaJoins, ideaStarts:
		return false
	}
	return true
}
