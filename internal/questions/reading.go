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
	clear := s.clear(found, d)
	if clear == nil || s.deniedToo(clear, d) {
		return r
	}
	r.Category = clear
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
}

// sentence is what was heard of an answer.
type sentence struct {
	words   []string
	stems   []string
	parts   []int // of each stem
	yes     []heard
	denied  []heard
	strange []bool // whether a word says nothing to anybody
	unknown int    // how many do not
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
	s.shares = shared.MatchString(words)
	names := namesIn(words)
	denying, part := false, -1
	for i := 0; i < len(s.stems); {
		if s.parts[i] != part {
			denying, part = false, s.parts[i]
		}
		h, ok := s.phraseAt(i)
		if !ok {
			if !names[s.words[i]] && !strings.ContainsFunc(s.words[i], unicode.IsDigit) { // no name of a thing
				s.unknown++
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
var shared = regexp.MustCompile(`\b[1-9]?\d ?%|\b\d{1,2} ?/ ?\d{1,2}\b|(?i)\bhalf\b.+\bhalf\b`)

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
	means []*ontology.Category
	from  int // its first word
	end   int // behind its last
	part  int
}

// lines are the meanings of what was said: those of most ideas, and weak ones only where there is nothing else.
func (s sentence) lines(d Direction) []found {
	said := linesOf(s.yes, d)
	all := slices.DeleteFunc(slices.Clone(said), func(f found) bool {
		return slices.ContainsFunc(said, func(other found) bool { return other.outranks(f) })
	})
	if strong := slices.DeleteFunc(slices.Clone(all), func(f found) bool { return f.weak }); len(strong) > 0 {
		return strong
	}
	return all
}

func linesOf(said []heard, d Direction) []found {
	var all []found
	for _, m := range theLexicon().meanings {
		f := found{line: m, from: -1}
		complete := true
		for _, of := range m.ideas {
			at := slices.IndexFunc(said, func(h heard) bool { return slices.Contains(h.ideas, of) })
			if at < 0 {
				complete = false
				break
			}
			if f.from < 0 || said[at].at < f.from {
				f.from, f.part = said[at].at, said[at].part
			}
			f.end = max(f.end, said[at].end)
		}
		if !complete {
			continue
		}
		back := d == In && slices.ContainsFunc(said, func(h heard) bool { return slices.Contains(h.ideas, ideaRefund) })
		if f.means = m.in(d, back); len(f.means) > 0 {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return a.from - b.from })
	return all
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

// clear is the one category that the lines agree in; nil where none stands clear of the others.
func (s sentence) clear(all []found, d Direction) *ontology.Category {
	if slices.ContainsFunc(s.yes, func(h heard) bool { return slices.Contains(h.ideas, ideaRefund) }) && d == In {
		all = slices.DeleteFunc(slices.Clone(all), func(f found) bool {
			return len(f.ideas) == 1 && f.ideas[0] == ideaRefund && len(all) > 1
		})
	}
	if len(all) == 0 || s.unknown > 0 && (all[0].weak || len(all[0].ideas) == 1) {
		return nil // an unknown word may turn what one idea says
	}
	if s.unheardHead(all[0]) {
		return nil
	}
	if c := private(all, d); c != nil {
		return c
	}
	c := agreed(all)
	if c == nil {
		c = agreed(s.heads(all))
	}
	if c != nil && c.Kind == ontology.KindPersonal && (s.forUnheard() || !saysPersonal(all)) {
		return nil
	}
	if c != nil && d == In && len(all) == 1 && len(all[0].ideas) == 1 {
		return sold(c)
	}
	return c
}

// saysPersonal is whether one of the lines means the owner's own life alone: that two things could each be that too
// does not make it so.
func saysPersonal(all []found) bool {
	return slices.ContainsFunc(all, func(f found) bool {
		return !slices.ContainsFunc(f.means, func(c *ontology.Category) bool { return c.Kind != ontology.KindPersonal })
	})
}

// sold is what was sold: one word for it says that it was, and not whether it was goods or work, or how it was paid.
func sold(c *ontology.Category) *ontology.Category {
	switch c.Path {
	case "revenue.sales.services", "revenue.sales.products", "revenue.sales.cash_deposits":
		return mustPath("revenue.sales")
	}
	return c
}

// forUnheard is whether something is for what nobody knows: dog food for the kennel is not the owner's.
func (s sentence) forUnheard() bool {
	i := slices.Index(s.words, "for")
	return i >= 0 && slices.Contains(s.strange[i:], true)
}

// agreed is the category that lines have in common: where each can be several things, the one that all can be. Of those
// that all can be, it is the one that takes in the others, as a repair of the shop or of its oven is a repair.
func agreed(all []found) *ontology.Category {
	if len(all) == 0 {
		return nil
	}
	common := all[0].means
	for _, f := range all[1:] {
		var both []*ontology.Category
		for _, a := range common {
			for _, b := range f.means {
				closer := a
				if b.Is(a.Path) {
					closer = b
				} else if !a.Is(b.Path) {
					continue
				}
				if !slices.Contains(both, closer) {
					both = append(both, closer)
				}
			}
		}
		common = both
	}
	if len(common) > 0 {
		return takingIn(common)
	}
	return nil
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

// heads are the lines without those that only say more of another: what stands right in front of a thing, as printer
// does in printer repair, and what stands behind a word such as for. Nil where something is loud.
func (s sentence) heads(all []found) []found {
	if slices.ContainsFunc(all, func(f found) bool { return f.loud || f.weak }) {
		return nil
	}
	heads := slices.DeleteFunc(slices.Clone(all), func(f found) bool {
		return slices.ContainsFunc(all, func(other found) bool {
			return f.end == other.from && f.part == other.part && s.parts[f.end-1] == f.part
		})
	})
	if len(heads) < 2 {
		return heads
	}
	first := heads[0]
	if slices.ContainsFunc(heads[1:], func(f found) bool { return f.means[0].Kind == ontology.KindPersonal }) {
		return nil
	}
	return slices.DeleteFunc(heads, func(f found) bool {
		if f.from == first.from || f.part != first.part {
			return false
		}
		for i := first.from; i < f.from; i++ {
			if slices.Contains(toPurpose, s.stems[i]) {
				return true
			}
			if s.words[i] == "and" || s.words[i] == "plus" {
				return false
			}
		}
		return false
	})
}

// mostBefore are so many unknown words right in front of a thing that may still only describe it.
const mostBefore = 2

// unheardHead is whether what was bought may be a word that nobody knows, one in front of what was understood.
func (s sentence) unheardHead(first found) bool {
	front := first.from // behind the words that only say which one it is: a covid grant
	for front > 0 && s.strange[front-1] && s.parts[front-1] == first.part {
		front--
	}
	return slices.Contains(s.strange[:front], true) || first.from-front > mostBefore
}

// soleOf is the category of lines that all say one thing, or one thing more and less closely.
func soleOf(all []found) *ontology.Category {
	var sole *ontology.Category
	for _, f := range all {
		if len(f.means) != 1 {
			return nil
		}
		switch c := f.means[0]; {
		case sole == nil || c.Is(sole.Path):
			sole = c
		case !sole.Is(c.Path):
			return nil
		}
	}
	return sole
}

// private is the owner's own spending where it was named as that, whatever was bought; the closer word for it where the
// other one is about the owner too.
func private(all []found, d Direction) *ontology.Category {
	own := func(f found) bool { return slices.Equal(f.ideas, []idea{ideaPersonal}) }
	if d != Out || !slices.ContainsFunc(all, own) {
		return nil
	}
	others := slices.DeleteFunc(slices.Clone(all), own)
	for _, f := range others {
		for _, c := range f.means {
			switch c.Kind {
			case ontology.KindExpense, ontology.KindCOGS:
				if f.loud {
					return nil
				}
			case ontology.KindPersonal, ontology.KindTax, ontology.KindEquity:
				if soleOf(others) == nil {
					return nil
				}
			default:
				return nil
			}
		}
	}
	if c := soleOf(others); c != nil && c.Kind != ontology.KindExpense && c.Kind != ontology.KindCOGS {
		return c
	}
	return all[slices.IndexFunc(all, own)].means[0]
}

// toPurpose are stems of words behind which a thing is only described.
var toPurpose = []string{"for", "at", "to", "from", "of", "with", "on", "while", "dur", "in", "about", "who", "that",
	"which", "when", "wher", "becaus", "sinc", "through", "so"}

// deniedToo is whether a category is said and denied at once, and not one that is only near it: not rent,
// the storage unit.
func (s sentence) deniedToo(c *ontology.Category, d Direction) bool {
	for _, f := range linesOf(s.denied, d) {
		for _, no := range f.means {
			if len(f.means) == 1 && no == c {
				return true
			}
		}
	}
	return false
}
