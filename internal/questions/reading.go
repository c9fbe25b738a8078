package questions

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"bizfin/internal/ontology"
)

// Reading is what free words say of the money. Where nothing stands clear, both Category and Split are empty.
type Reading struct {
	Category   *ontology.Category   // the one thing that the words say; nil where none stands clear
	Split      bool                 // they say that it is several things at once
	Candidates []*ontology.Category // what they may say, the likeliest first
}

// mostCandidates are so many readings that a person chooses from.
const mostCandidates = 4

// Read finds what words say, by what they are about and not by whole phrases. Only what stands clear is read: what is
// denied, doubted, or said beside something else is not.
func Read(words string, d Direction) Reading {
	s := listen(words)
	s.place(d)
	found := s.lines(d)
	var r Reading
	for _, f := range found {
		r.consider(f.means...)
	}
	switch {
	case s.doubt, s.denials > 1:
		return r
	case s.shares:
		r.Split = d != In
		return r
	}
	if clear := s.weigh(found, d); clear != nil && !s.deniedToo(clear, d) {
		r.Category = clear
	}
	return r
}

func (r *Reading) consider(categories ...*ontology.Category) {
	for _, c := range categories {
		if len(r.Candidates) < mostCandidates && !slices.Contains(r.Candidates, c) {
			r.Candidates = append(r.Candidates, c)
		}
	}
}

// heard is an idea at its place among the words.
type heard struct {
	ideas []idea
	at    int
	end   int // behind the last of its words
	part  int // of the sentence, between commas
	place place
	item  int // of the things that "and" joins
}

func (h heard) is(of idea) bool { return slices.Contains(h.ideas, of) }

// sentence is what was heard of an answer.
type sentence struct {
	words   []string
	stems   []string
	parts   []int // of each stem
	yes     []heard
	denied  []heard
	strange []bool       // whether a word says nothing to anybody
	aside   map[int]bool // strange words that only say where, or from whom
	denials int
	doubt   bool
	shares  bool
}

// listen finds the ideas of words, and which are denied: from a denial to the end of its part, or to where the speaker
// turns.
func listen(words string) sentence {
	l := theLexicon()
	s := sentence{}
	for part, text := range partsOf(words) {
		for _, w := range strings.Fields(fold(text)) {
			is := stem(w)
			if !l.stems[is] {
				is = cmp.Or(l.meant(w), is)
			} else if l.otherWord(w) {
				is = w + "'"
			}
			s.words, s.stems, s.parts = append(s.words, w), append(s.stems, is), append(s.parts, part)
			s.strange = append(s.strange, false)
		}
	}
	s.doubt = strings.Contains(words, "?")
	s.shares = shared.MatchString(words) && (sides.MatchString(words) || len(shared.FindAllString(words, -1)) > 1)
	denying, part := false, -1
	for i := 0; i < len(s.stems); {
		if s.parts[i] != part {
			denying, part = false, s.parts[i]
		}
		h, ok := s.phraseAt(i)
		if !ok {
			if !strings.ContainsFunc(s.words[i], unicode.IsDigit) {
				s.strange[i] = true
			}
			i++
			continue
		}
		switch {
		case h.is(ideaDoubt):
			s.doubt = true
		case h.is(ideaShares):
			s.shares = true
		case h.is(ideaNo) && s.deniedNext(h): // no, not that
		case h.is(ideaNot), h.is(ideaNo) && !s.alone(h):
			if denying {
				s.denials++
			}
			denying = true
			s.denials++
		case h.is(ideaTurns):
			denying = false
		case denying:
			s.denied = append(s.denied, h)
		default:
			s.yes = append(s.yes, h)
		}
		i = h.end
	}
	return s
}

// shared is what a part of something looks like: 40 %, 1/2, half this half that.
var shared = regexp.MustCompile(
	`(?i)\b[1-9]?\d ?(?:%|percent\b)|\b\d{1,2} ?/ ?\d{1,2}\b|\b(?:half|part)\b.+\b(?:half|part)\b`)

// sides are words for whose a share is: a gallery keeps 40 % and divides nothing.
var sides = regexp.MustCompile(
	`(?i)\b(personal|private|business|work|home|house|mine|me|my|rest|other|half|part|shop)\b`)

// partsOf are the parts of a sentence, between its signs. A dash or a dot within a word is none.
func partsOf(words string) []string {
	var parts []string
	from := 0
	runes := []rune(words)
	for i, r := range runes {
		last := i+1 == len(runes)
		within := strings.ContainsRune(".-–—", r) && !last && !unicode.IsSpace(runes[i+1])
		if strings.ContainsRune(",;:!?()\n.-–—", r) && !within {
			parts = append(parts, string(runes[from:i]))
			from = i + 1
		}
	}
	return append(parts, string(runes[from:]))
}

// alone is whether nothing follows in the same part: "No, it was rent".
func (s sentence) alone(h heard) bool { return h.end >= len(s.parts) || s.parts[h.end] != h.part }

// deniedNext is whether a denial follows at once.
func (s sentence) deniedNext(h heard) bool {
	if s.alone(h) {
		return false
	}
	next, ok := s.phraseAt(h.end)
	return ok && slices.Contains(next.ideas, ideaNot)
}

// phraseAt is the longest phrase that begins at a word, within its part, up to where a longer one begins: the customer
// paid us back is about the paying back.
func (s sentence) phraseAt(at int) (heard, bool) {
	h, ok := s.longestAt(at, len(s.stems))
	for next := at + 1; ok && next < h.end; next++ {
		if longer, found := s.longestAt(next, len(s.stems)); found && longer.end-longer.at > h.end-h.at {
			return s.longestAt(at, next)
		}
	}
	return h, ok
}

// longestAt is the longest phrase that begins at a word and ends before another, within its part.
func (s sentence) longestAt(at, before int) (heard, bool) {
	l := theLexicon()
	for n := min(l.longest, before-at); n > 0; n-- {
		if s.parts[at+n-1] != s.parts[at] {
			continue
		}
		ideas, ok := l.exact[strings.Join(s.words[at:at+n], " ")]
		if !ok {
			ideas, ok = l.phrases[strings.Join(s.stems[at:at+n], " ")]
		}
		if ok {
			return heard{ideas: ideas, at: at, end: at + n, part: s.parts[at]}, true
		}
	}
	return heard{}, false
}

// found is a line of meanings.tsv whose ideas were all said.
type found struct {
	line
	means  []*ontology.Category
	from   int   // its first word
	item   int   // of several things, the one that it is about; -1 where it is about none
	weight place // the best of its words' places
	words  int   // of its longest phrase
	apart  bool  // whether a thing of it was said beside what was named, and not to describe that
}

// lines are the meanings of what was said: those of most ideas, and weak ones only where there is nothing else.
func (s sentence) lines(d Direction) []found {
	said := theLexicon().linesOf(s.yes, d)
	all := slices.DeleteFunc(slices.Clone(said), func(f found) bool {
		return slices.ContainsFunc(said, func(other found) bool { return other.outranks(f) })
	})
	if strong := slices.DeleteFunc(slices.Clone(all), func(f found) bool { return f.weak }); len(strong) > 0 {
		return strong
	}
	return all
}

func (l *lexicon) linesOf(said []heard, d Direction) []found {
	best := map[idea]heard{} // where each idea is most about what was bought
	for _, h := range said {
		for _, of := range h.ideas {
			if b, twice := best[of]; !twice || h.place > b.place {
				best[of] = h
			}
		}
	}
	_, back := best[ideaRefund]
	back = back && d == In
	var all []found
	for of := range best {
		for _, m := range l.meanings[of] {
			if f := (found{line: m, item: -1}); f.completes(best, l, d) {
				if f.means = m.in(d, back); len(f.means) > 0 {
					all = append(all, f)
				}
			}
		}
	}
	if back && slices.ContainsFunc(all, found.costs) { // what was bought says more than that it came back
		all = slices.DeleteFunc(all, func(f found) bool { return !f.costs() })
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Or(a.from-b.from, a.no-b.no) })
	return all
}

// completes is whether all ideas of a line were said, and of one thing.
func (f *found) completes(best map[idea]heard, l *lexicon, d Direction) bool {
	for _, of := range f.ideas {
		if h, said := best[of]; !said || !f.takes(h, l.isThing(h, d)) {
			return false
		}
	}
	return true
}

// costs is whether a line is about a cost, and not only that money came back.
func (f found) costs() bool {
	return (f.ideas[0] != ideaRefund || len(f.ideas) > 1) && slices.ContainsFunc(f.means, isCost)
}

// takes adds what was heard to what a line is about, unless it is another of several things.
func (f *found) takes(h heard, thing bool) bool {
	if thing && h.place == named {
		if f.item >= 0 && f.item != h.item {
			return false
		}
		f.item = h.item
	}
	f.apart = f.apart || thing && (h.place == before || h.place == later)
	if f.weight == 0 || h.at < f.from {
		f.from = h.at
	}
	f.weight = max(f.weight, h.place)
	f.words = max(f.words, h.end-h.at)
	return true
}

// in is what a line means in a direction. Money that came back means what was bought.
func (m line) in(d Direction, back bool) []*ontology.Category {
	switch {
	case d == Out:
		return m.means[0]
	case d == In && back && len(m.ideas) > 0 && !slices.Contains(m.ideas, ideaRefund) && len(m.means[0]) > 0:
		costs := slices.DeleteFunc(slices.Clone(m.means[0]), func(c *ontology.Category) bool {
			return c.Kind != ontology.KindExpense && c.Kind != ontology.KindCOGS
		})
		if len(costs) > 0 {
			return costs
		}
		return m.means[1]
	case d == In:
		return m.means[1]
	case len(m.means[0]) == 1 && slices.Equal(m.means[0], m.means[1]):
		return m.means[0]
	default:
		return nil
	}
}

// outranks is whether a line says all that another one does, and more.
func (f found) outranks(other found) bool {
	if len(f.ideas) <= len(other.ideas) {
		return false
	}
	for _, of := range other.ideas {
		if !slices.Contains(f.ideas, of) {
			return false
		}
	}
	return true
}

// sold is what was sold: one word for it says that it was, and not whether it was goods or work, or how it was paid.
func sold(c *ontology.Category) *ontology.Category {
	switch c.Path {
	case "revenue.sales.services", "revenue.sales.products", "revenue.sales.cash_deposits":
		return mustPath("revenue.sales")
	}
	return c
}

// takingIn is the category that takes in others: one of them, or what stands right above them on one line of the form.
func takingIn(categories []*ontology.Category) *ontology.Category {
	if len(categories) == 1 {
		return categories[0]
	}
	path := categories[0].Path
	for path != "" && slices.ContainsFunc(categories, func(c *ontology.Category) bool { return !c.Is(path) }) {
		path, _, _ = cutLast(path)
	}
	over, ok := ontology.ScheduleC().ByPath(path)
	if !ok || !over.Assignable || slices.Contains(sayNothing, path) {
		return nil
	}
	return over
}

// sayNothing are categories that take in too much to be an answer.
var sayNothing = []string{"expense.other", "expense.legal_professional", "expense.commissions_fees",
	"expense.depreciation", "revenue.other", "revenue.returns"}

func cutLast(path string) (above, last string, ok bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// deniedToo is whether a category is said and denied at once, and not one that is only near it: not rent,
// the storage unit.
func (s sentence) deniedToo(c *ontology.Category, d Direction) bool {
	for _, f := range theLexicon().linesOf(s.denied, d) {
		for _, no := range f.means {
			if len(f.means) == 1 && no == c {
				return true
			}
		}
	}
	return false
}
