package questions

import (
	"slices"

	"bizfin/internal/ontology"
)

// What is said is weighed: each line of meanings.tsv whose ideas were said speaks for its categories, the more so the
// closer its words stand to what was bought. A category is read where enough speaks for it, and clearly more than for
// any other that is not above or below it. All weights are hundredths of what one plain word for a thing weighs.
const (
	enoughSaid  = 80  // what must speak for a category
	clearOf     = 40  // more than for the next
	perIdea     = 25  // for each further idea of a line that is about what was bought
	perIdeaElse = 10  // and of another line
	prevailing  = 250 // a line that says whose money it is, whatever was bought
)

// place is how words stand among the others, by what they weigh there.
type place int

const (
	before     place = 34  // printer, in printer repair
	describing place = 35  // for the printer
	later      place = 60  // in a later part, or behind the verb
	named      place = 100 // what was bought
)

// shared is what each of the categories of a line gets of its weight, in hundredths.
func sharedBy(n int) int {
	switch n {
	case 1:
		return 100
	case 2:
		return 65
	default:
		return 50
	}
}

// claim is what speaks for categories.
type claim struct {
	means  []*ontology.Category
	weight int
}

// weigh is the category that the lines speak for; nil where none stands clear of the others.
func (s sentence) weigh(all []found, d Direction) *ontology.Category {
	claims := make([]claim, 0, len(all))
	var candidates []*ontology.Category
	for _, f := range all {
		claims = append(claims, claim{f.means, s.weighs(f)})
		for _, c := range f.means {
			if !slices.Contains(candidates, c) {
				candidates = append(candidates, c)
			}
		}
	}
	best, most := (*ontology.Category)(nil), 0
	for _, c := range candidates {
		if n := speaksFor(claims, c); n > most || n == most && best != nil && c.Is(best.Path) {
			best, most = c, n
		}
	}
	if most < enoughSaid {
		return nil
	}
	near := []*ontology.Category{best}
	for _, c := range candidates {
		if most-speaksFor(claims, c) < clearOf && !related(c, best) {
			near = append(near, c)
		}
	}
	c := takingIn(near)
	if c == nil || s.contradicts(all, c, d) {
		return nil
	}
	if d == In && len(all) == 1 && len(all[0].ideas) == 1 {
		return sold(c)
	}
	return c
}

// contradicts is whether something else was said than a category, and not only to describe: ink and needles are two
// things, and what sharpening my shears is about is not plain. Beside a word that nobody knows, one word is not
// believed, nor is what is about something else too.
func (s sentence) contradicts(all []found, c *ontology.Category, d Direction) bool {
	strange, plain, alone := s.strangeBut(all, d), 0, false
	for _, f := range all {
		says := slices.ContainsFunc(f.means, func(m *ontology.Category) bool { return related(m, c) })
		switch {
		case says && (f.prevails || f.loud || f.alters && f.weight > describing):
			return false
		case says:
			plain = max(plain, f.words)
			alone = alone || len(f.means) == 1
		}
	}
	for _, f := range all {
		says := slices.ContainsFunc(f.means, func(m *ontology.Category) bool { return related(m, c) })
		if !says && (strange || f.weight != describing) {
			return true
		}
	}
	for i, h := range s.yes {
		if h.place == named && theLexicon().isThing(h, d) && !slices.ContainsFunc(all, func(f found) bool {
			return f.among(s.yes[i])
		}) {
			return true
		}
	}
	personal := c.Kind == ontology.KindPersonal
	return strange && plain == 1 || personal && (strange || !alone)
}

// strangeBut is whether a word is known to nobody, but for those right in front of what was named, which only say which
// one it is (a pruning saw), and those that say where or from whom it came.
func (s sentence) strangeBut(all []found, d Direction) bool {
	before := map[int]bool{}
	for i := range s.beside {
		before[i] = true
	}
	other := map[Direction]Direction{Out: In, In: Out}[d]
	for _, h := range s.yes {
		if d != Either && h.place == named && !h.is(ideaRefund) && !theLexicon().isThing(h, d) && theLexicon().isThing(h, other) &&
			!slices.ContainsFunc(all, func(f found) bool { return f.among(h) }) {
			return true // what it says is of money the other way
		}
	}
	for _, h := range s.yes {
		for i := h.at - 1; h.place == named && i >= 0 && s.strange[i] && s.parts[i] == h.part; i-- {
			before[i] = true
		}
	}
	for i, strange := range s.strange {
		if strange && !before[i] {
			return true
		}
	}
	return false
}

// among is whether what was heard is one of a line's ideas.
func (f found) among(h heard) bool {
	return slices.ContainsFunc(h.ideas, func(of idea) bool { return slices.Contains(f.ideas, of) })
}

// speaksFor is what speaks for a category, or for one above or below it.
func speaksFor(claims []claim, c *ontology.Category) int {
	n := 0
	for _, of := range claims {
		if slices.ContainsFunc(of.means, func(m *ontology.Category) bool { return related(m, c) }) {
			n += of.weight * sharedBy(len(of.means)) / 100
		}
	}
	return n
}

func related(a, b *ontology.Category) bool { return a.Is(b.Path) || b.Is(a.Path) }

// weighs is what a line weighs: by the best place of its ideas, and how many these are.
func (s sentence) weighs(f found) int {
	more := len(f.ideas) - 1
	switch {
	case f.weak && slices.Contains(s.strange, true): // the unknown word may be what it was
		return int(describing)
	case f.prevails, f.alters && f.weight > describing:
		return prevailing + perIdea*more
	case f.loud, f.weight == named:
		return int(named) + perIdea*more
	default:
		return int(f.weight) + perIdeaElse*more
	}
}

// place finds how what was heard stands among the words. Words that follow each other are a chunk, of which the last
// thing is the one that it is about. The first chunk with a thing is about what was bought, and so is each that "and"
// joins to it; behind "for", "at", "who" or "that" it is only described.
func (s *sentence) place(d Direction) {
	l := theLexicon()
	s.beside = map[int]bool{}
	thing := func(h heard) bool { return l.isThing(h, d) }
	var chunk []int // of s.yes; -1 for a word that nobody knows
	seen, described, joined, back, beside := false, false, false, false, false
	item := 0
	part, main := 0, 0
	closeChunk := func() {
		of := later
		switch {
		case described:
			of = describing
		case !seen, back, joined && part == main:
			of = named
		}
		head := len(chunk) - 1
		for head > 0 && chunk[head] >= 0 && !thing(s.yes[chunk[head]]) {
			head--
		}
		for i, at := range chunk {
			if at < 0 {
				continue
			}
			s.yes[at].place, s.yes[at].item = of, item
			if i < head {
				s.yes[at].place = min(of, before)
			}
		}
		if len(chunk) > 0 && !described && (chunk[head] < 0 || thing(s.yes[chunk[head]])) {
			if !seen {
				main = part
			}
			seen = true
		}
		chunk, joined = chunk[:0], false
	}
	next := 0
	for i := 0; i < len(s.words); {
		if s.parts[i] != part {
			closeChunk()
			part, described, beside = s.parts[i], false, false
		}
		if next < len(s.yes) && s.yes[next].at == i {
			h := s.yes[next]
			back = back || d == In && h.is(ideaRefund)
			switch {
			case h.is(ideaLinks):
				closeChunk()
				described = seen && !back
				beside = described && s.words[i] != "for" && s.words[i] != "with"
			case h.is(ideaJoins):
				closeChunk()
				joined = true
				item++
			case h.is(ideaStarts):
				joining := joined
				closeChunk()
				joined = joining
			case h.says():
				if l.links[s.words[i]] { // "for the shop" is heard as a whole
					closeChunk()
					described = seen && !back
				}
				chunk = append(chunk, next)
				if slices.Contains(s.words[i+1:h.end], "for") {
					closeChunk()
					described = seen && !back
				}
			}
			i, next = h.end, next+1
			continue
		}
		switch {
		case s.strange[i]:
			if beside {
				s.beside[i] = true
			}
			chunk = append(chunk, -1)
		default: // a number, a name, or what is denied
			closeChunk()
		}
		i++
	}
	closeChunk()
}

// isThing is whether what was heard alone means something in a direction. Money that came back is about what was bought.
func (l *lexicon) isThing(h heard, d Direction) bool {
	return slices.ContainsFunc(h.ideas, func(of idea) bool {
		return (d != In || of != ideaRefund) && (d != In && l.things[0][of] || d != Out && l.things[1][of])
	})
}

// says is whether what was heard is about anything.
func (h heard) says() bool {
	return slices.ContainsFunc(h.ideas, func(of idea) bool {
		return of != ideaNeutral && of != ideaLinks && of != ideaJoins && of != ideaStarts
	})
}
