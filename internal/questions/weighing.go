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

// sharedBy is what each of the categories of a line gets of its weight, in hundredths.
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

// weigh is the category that the lines speak for; nil where none stands clear of the others.
func (s sentence) weigh(all []found, d Direction) *ontology.Category {
	total := map[*ontology.Category]int{}
	var best *ontology.Category
	for _, f := range all {
		for _, c := range f.means {
			n := s.total(all, c)
			if total[c] = n; best == nil || n > total[best] || n == total[best] && c.Is(best.Path) {
				best = c
			}
		}
	}
	most := total[best]
	if most < enoughSaid {
		return nil
	}
	near := []*ontology.Category{best}
	for c, n := range total {
		if most-n < clearOf && !related(c, best) {
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
	strange, plain, alone, steady := s.strangeBut(all, d), 0, false, false
	for _, f := range all {
		switch {
		case f.speaksFor(c) && (f.prevails || f.loud || f.alters && f.weight > describing):
			return false
		case f.speaksFor(c):
			plain = max(plain, f.words)
			alone = alone || len(f.means) == 1
			steady = steady || f.steady && f.weight == named
		}
	}
	for _, f := range all {
		if steady && f.weight == before {
			continue
		}
		if !f.speaksFor(c) && (strange || f.apart || f.weight != describing) {
			return true
		}
	}
	for _, h := range s.yes {
		if h.place == named && theLexicon().isThing(h, d) && !h.among(all) {
			return true
		}
	}
	personal := c.Kind == ontology.KindPersonal
	return strange && plain == 1 || personal && (strange || !alone)
}

// strangeBut is whether a word is known to nobody, but for those that only say which one it is (a pruning saw, the
// Ortiz house), and those that say where or from whom it came. What is only said of money the other way is strange too.
func (s sentence) strangeBut(all []found, d Direction) bool {
	l, which := theLexicon(), map[int]bool{}
	for _, h := range s.yes {
		if h.place == named && !h.among(all) && !h.is(ideaRefund) && !l.isThing(h, d) && l.isThing(h, Either) {
			return true
		}
		if l.links[s.words[h.at]] || h.place == later || h.place == 0 && !h.fills() {
			continue
		}
		for i := h.at - 1; i >= 0 && s.strange[i] && s.parts[i] == h.part; i-- {
			which[i] = true
		}
	}
	for i, strange := range s.strange {
		if strange && !which[i] && !s.aside[i] {
			return true
		}
	}
	return false
}

// among is whether what was heard is an idea of one of the lines.
func (h heard) among(all []found) bool {
	return slices.ContainsFunc(all, func(f found) bool {
		return slices.ContainsFunc(f.ideas, func(of idea) bool { return h.is(of) })
	})
}

// speaksFor is whether a line means a category, or one above or below it.
func (f found) speaksFor(c *ontology.Category) bool {
	return slices.ContainsFunc(f.means, func(m *ontology.Category) bool { return related(m, c) })
}

// total is what speaks for a category.
func (s sentence) total(all []found, c *ontology.Category) int {
	n := 0
	for _, f := range all {
		if f.speaksFor(c) {
			n += s.weighs(f) * sharedBy(len(f.means)) / 100
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
