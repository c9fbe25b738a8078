package questions

import (
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
	beside  map[int]bool // strange words that only say where, or from whom
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
			if meant, ok := l.meant(w); !l.stems[is] && ok {
				is = meant
			} else if l.otherWord(w) {
				is = w + "'"
			}
			s.words, s.stems, s.parts = append(s.words, w), append(s.stems, is), append(s.parts, part)
			s.strange = append(s.strange, false)
		}
	}
	s.doubt = strings.Contains(words, "?")
	s.shares = shared.MatchString(words) && (sides.MatchString(words) || len(shared.FindAllString(words, -1)) > 1)
	names := namesIn(words)
	denying, part := false, -1
	for i := 0; i < len(s.stems); {
		if s.parts[i] != part {
			denying, part = false, s.parts[i]
		}
		h, ok := s.phraseAt(i)
		if !ok {
			if !names[s.words[i]] && !strings.ContainsFunc(s.words[i], unicode.IsDigit) { // no name of a thing
				s.strange[i] = true
			}
			i++
			continue
		}
		is := func(of idea) bool { return slices.Contains(h.ideas, of) }
		switch {
		case is(ideaDoubt):
			s.doubt = true
		case is(ideaShares):
			s.shares = true
		case is(ideaNo) && s.deniedNext(h): // no, not that
		case is(ideaNot), is(ideaNo) && !s.alone(h):
			if denying {
				s.denials++
			}
			denying = true
			s.denials++
		case is(ideaTurns):
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
var shared = regexp.MustCompile(`\b[1-9]?\d ?(?:%|percent\b)|\b\d{1,2} ?/ ?\d{1,2}\b|(?i)\b(?:half|part)\b.+\b(?:half|part)\b`)

// sides are words for whose a share is: a gallery keeps 40 % and divides nothing.
var sides = regexp.MustCompile(`(?i)\b(personal|private|business|work|home|house|mine|me|my|rest|other|half|part|shop)\b`)

// namesIn are words that are somebody's name by their capital, folded. The first word has one anyway.
func namesIn(words string) map[string]bool {
	names := map[string]bool{}
	for i, w := range strings.Fields(words) {
		letters := []rune(w)
		if i > 0 && len(letters) > 1 && unicode.IsUpper(letters[0]) && unicode.IsLower(letters[1]) {
			names[fold(w)] = true
		}
	}
	return names
}

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
	var all []found
	back := d == In && slices.ContainsFunc(said, func(h heard) bool { return h.is(ideaRefund) })
	for _, m := range l.meanings {
		f := found{line: m, item: -1}
		complete := true
		for _, of := range m.ideas {
			at := -1
			for i, h := range said {
				if h.is(of) && (at < 0 || h.place > said[at].place) {
					at = i
				}
			}
			if complete = at >= 0 && f.takes(said[at], l.isThing(said[at], d)); !complete {
				break
			}
		}
		if !complete {
			continue
		}
		if f.means = m.in(d, back); len(f.means) > 0 {
			all = append(all, f)
		}
	}
	if back && slices.ContainsFunc(all, found.costs) { // what was bought says more than that it came back
		all = slices.DeleteFunc(all, func(f found) bool { return !f.costs() })
	}
	slices.SortStableFunc(all, func(a, b found) int { return a.from - b.from })
	return all
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
