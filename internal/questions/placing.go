package questions

import "slices"

// place is how words stand among the others, by what they weigh there.
type place int

const (
	before     place = 34  // printer, in printer repair
	describing place = 35  // for the printer
	later      place = 60  // in a later part, or behind the verb
	named      place = 100 // what was bought
)

// placing goes through a sentence and finds how what was heard stands in it. Words that follow each other are a chunk,
// of which the last thing is the one that it is about. The first chunk with a thing is about what was bought, and so is
// each that "and" joins to it; behind "for", "at", "who" or "that" it is only described.
type placing struct {
	*sentence
	l         *lexicon
	d         Direction
	chunk     []int // what was heard in it; -1 for a word that nobody knows
	item      int   // of the things that "and" joins
	main      int   // the part of what was bought
	part      int
	seen      bool // what was bought
	joined    bool // "and" stands in front
	described bool // a word such as "for" stands in front
	beside    bool // one that says where, or from whom
	back      bool // the money came back, for what "for" is in front of
}

// place finds the places of what was heard.
func (s *sentence) place(d Direction) {
	s.aside = map[int]bool{}
	p := placing{sentence: s, l: theLexicon(), d: d}
	next := 0
	for i := 0; i < len(s.words); {
		if s.parts[i] != p.part {
			p.end()
			p.part, p.described, p.beside = s.parts[i], false, false
		}
		switch {
		case next < len(s.yes) && s.yes[next].at == i:
			p.hears(next)
			i, next = s.yes[next].end, next+1
			continue
		case s.strange[i]:
			s.aside[i] = p.beside
			p.chunk = append(p.chunk, -1)
		default: // a number, or what is denied
			p.end()
		}
		i++
	}
	p.end()
}

// hears takes the next of what was heard.
func (p *placing) hears(at int) {
	h := p.yes[at]
	p.back = p.back || p.d == In && h.is(ideaRefund)
	switch {
	case h.is(ideaLinks):
		p.describes()
		p.beside = p.described && p.words[h.at] != "for" && p.words[h.at] != "with"
	case h.is(ideaJoins):
		p.end()
		p.joined = true
		p.item++
	case h.is(ideaStarts):
		joined := p.joined
		p.end()
		p.joined = joined
	case h.says():
		if p.l.links[p.words[h.at]] { // "for the shop" is heard as a whole
			p.describes()
		}
		p.chunk = append(p.chunk, at)
		if last := p.words[h.end-1]; slices.Contains(p.words[h.at+1:h.end], "for") || last == "the" ||
			p.l.links[last] && last != "in" {
			p.describes()
		}
	}
}

func (p *placing) describes() {
	p.end()
	p.described = p.seen && !p.back
}

// end ends a chunk.
func (p *placing) end() {
	of := later
	switch {
	case p.described:
		of = describing
	case !p.seen, p.back, p.joined && p.part == p.main:
		of = named
	}
	about := func(at int) bool { return at < 0 || p.l.isThing(p.yes[at], p.d) }
	head := len(p.chunk) - 1
	for head > 0 && !about(p.chunk[head]) {
		head--
	}
	for i, at := range p.chunk {
		if at < 0 {
			continue
		}
		p.yes[at].place, p.yes[at].item = of, p.item
		if i < head {
			p.yes[at].place = min(of, before)
		}
	}
	if head >= 0 && !p.described && about(p.chunk[head]) {
		if !p.seen {
			p.main = p.part
		}
		p.seen = true
	}
	p.chunk, p.joined = p.chunk[:0], false
}

// isThing is whether what was heard alone means something in a direction. Money that came back is about what was
// bought.
func (l *lexicon) isThing(h heard, d Direction) bool {
	return slices.ContainsFunc(h.ideas, func(of idea) bool {
		return (d != In || of != ideaRefund) && (d != In && l.things[0][of] || d != Out && l.things[1][of])
	})
}

// fills is whether what was heard stands among the words of a thing, and says nothing itself.
func (h heard) fills() bool {
	return h.is(ideaNeutral) && !h.is(ideaLinks) && !h.is(ideaJoins) && !h.is(ideaStarts)
}

// says is whether what was heard is about anything.
func (h heard) says() bool {
	return slices.ContainsFunc(h.ideas, func(of idea) bool {
		return of != ideaNeutral && of != ideaLinks && of != ideaJoins && of != ideaStarts
	})
}
