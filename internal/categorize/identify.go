package categorize

import (
	"slices"

	"bizfin/internal/ontology"
)

// identify finds who is on the other side: an institution, a merchant, a word
// that says what kind of business it is, or a person.
func (c *subject) identify() {
	from, end := c.parsed.name.from, c.count
	common := false
	if e, _, ok := c.institutions.longest(&c.line, from, end, c.known); ok {
		c.institution, common = &c.data.institution[e.index], e.exact
	} else if c.bare < from && !c.throughBank() {
		if e, _, ok := c.institutions.longest(&c.line, c.bare, end, c.known); ok && c.processor == nil {
			c.institution = &c.data.institution[e.index]
		}
	}
	if c.institution == nil && c.channel == ach && c.descriptor.empty() {
		c.behindDescriptor(from, end)
	}
	if c.channel == p2p && c.bare > 0 {
		if e, _, ok := c.institutions.longest(&c.line, 0, end, c.known); ok {
			c.set.add(c.data.institution[e.index].facts) // the app itself, not the other side
		}
	}
	c.findNote()
	c.findMerchant(from, end)
	c.findKeyword()
	if common && c.keyword != nil && c.keyword.rank >= likelyRank {
		c.institution = nil // CHASE PLUMBING
	}
	c.findPerson()
	c.weigh()
}

// throughBank reports whether the words before the name are the bank that a wire went through: WT FED#04418 JPMORGAN
// CHASE BAN /ORG=GARZA FAMILY TRUST.
func (c *subject) throughBank() bool { return c.channel == wire && c.bare < c.parsed.name.from }

// behindDescriptor finds an institution behind one or two words of the data files:
// some banks write the entry's description before the company (PAYROLL PAYCHEX).
func (c *subject) behindDescriptor(from, end int) {
	for i := from + 1; i < min(end, from+3) && c.tokens[i-1].id != 0; i++ {
		if e, _, ok := c.institutions.longest(&c.line, i, end, c.known); ok {
			c.institution = &c.data.institution[e.index]
			return
		}
	}
}

// weigh lets a business word that stands on another line of the form cast doubt
// on a merchant of one word: DELTA DENTAL is no airline. A long name made for
// bank lines, and one that a star parts from its product, stand by themselves.
func (c *subject) weigh() {
	if c.merchant == nil || c.keyword == nil || c.keyword.rank < likelyRank || c.channel == p2p ||
		c.described && c.keyword.rank == likelyRank { // GEICO PREM COLL is no college
		return
	}
	if c.matched == 1 && !c.distinct && c.merchant.out != 0 && lines[c.merchant.out] != lines[c.keyword.category] {
		c.within = true
	}
	if c.within {
		c.merchant = nil
	}
}

// known reports whether the name ends at token i, or a word of the data files
// follows: an institution whose name is one common word is not SQUARE ONE TILES.
func (c *subject) known(i int) bool {
	return i >= c.parsed.name.to || i >= c.region.to || c.tokens[i].id != 0 || c.tokens[i].kind != word
}

// findMerchant looks where names begin: behind the processor's code, behind the
// bank's words, behind an article or another firm's code. A name in the middle
// of others is weak evidence.
func (c *subject) findMerchant(from, end int) {
	if c.channel == p2p && c.processor == nil {
		return // the other side of a payment app is a person or small firm, not the brand of that name
	}
	if c.lookUp(from, end) ||
		c.processor == nil && c.bare < from && !c.throughBank() && c.lookUp(c.bare, end) {
		return
	}
	if e, to, ok := c.cutNames.longest(&c.line, from, end, never); ok {
		c.merchant, c.matched = &c.data.merchant[e.index], to-from
		return
	}
	if from < end && c.is(from, "THE") && c.behindArticle(from+1, end) {
		return
	}
	for i := from + 1; i < c.region.to; i++ {
		if c.tokens[i].before == '*' && c.lookUp(i, end) {
			return
		}
	}
	for i := from + 1; i < min(c.parsed.name.to, from+deepest); i++ {
		if e, to, ok := c.merchants.longest(&c.line, i, end, never); ok && len(c.bytes(i, to)) >= minWithin {
			c.merchant, c.within = &c.data.merchant[e.index], true
			return
		}
	}
}

// A name in the middle of others counts if it is long enough to be no accident,
// and among the first words.
const (
	minWithin = 7
	deepest   = 8
)

// behindArticle looks behind an article. It makes a name of one word a word again: what the dictionary knows as a
// common one, marked to stand alone, is no name there, and any other is weak evidence. Firms that have an article in
// their name have it in the dictionary.
func (c *subject) behindArticle(from, end int) bool {
	e, to, ok := c.merchants.longest(&c.line, from, end, func(to int) bool { return c.alone(to) })
	if !ok || e.exact && to-from == 1 || !c.lookUp(from, end) {
		return false
	}
	c.within = c.within || c.matched == 1 && !c.distinct
	return true
}

func (c *subject) lookUp(from, end int) bool {
	e, to, ok := c.merchants.longest(&c.line, from, end, func(to int) bool { return c.alone(to) })
	if !ok {
		return false
	}
	m := &c.data.merchant[e.index]
	if !m.curated && !e.exact && !c.alone(to) {
		c.within = true
	}
	c.merchant, c.matched = m, to-from
	c.distinct = to < c.count && c.tokens[to].before == '*' ||
		m.curated && !e.exact && len(c.bytes(from, to)) >= minDistinct
	return true
}

// minDistinct is the length from which a word that begins the bank lines of one
// firm by hand-made entry is hardly another firm's too: HOOTSUITE MEDIA.
const minDistinct = 8

// alone reports whether nothing that belongs to a name follows from token i on:
// the rest is a place, a number, or words that say nothing.
func (c *subject) alone(i int) bool {
	for j := i; j < c.region.to; j++ {
		t := c.tokens[j]
		switch {
		case c.state >= 0 && j >= c.city.from && j <= c.state:
			return true
		case t.kind == number, t.own:
			if j >= c.parsed.name.to {
				return true
			}
		case t.kind == mixed, t.before == '#':
			return true
		case c.flags(t.id)&(flagFiller|flagLegal|flagCountry|flagTLD) != 0:
		case c.state >= 0 && c.state-j <= 3: // the words before the state are the city
			return c.keywordBetween(j, c.state) == nil
		default:
			return false
		}
	}
	return true
}

// findNote parts what a payment was for from whom it was with: ZELLE TO OWEN QUORVANE FEB PLOW. Four words and more of
// which the first is a given name are that, the middle name or initial where there is one, and the last name.
func (c *subject) findNote() {
	n := c.parsed.name
	if c.channel != p2p || !c.memo.empty() || n.to-n.from < 4 || c.flags(c.tokens[n.from].id)&flagGiven == 0 {
		return
	}
	last := n.from + 1
	if c.is(last, "AND") { // MATT AND ERIN COBB
		last += 2
	}
	if t := c.tokens[last]; t.size() == 1 || c.flags(t.id)&flagGiven != 0 {
		last++
	}
	for i := n.from; i < n.to; i++ {
		if c.flags(c.tokens[i].id)&flagLegal != 0 || i <= last && c.tokens[i].kind != word {
			return
		}
	}
	if last+1 < n.to {
		c.parsed.name.to, c.memo = last+1, span{last + 1, n.to}
	}
}

// findPerson decides whether the name is a person's: words only, none of them
// a business word, with a payment app, or a given name in a wire or transfer.
func (c *subject) findPerson() {
	n := c.parsed.name
	count := 0
	for i := n.from; i < n.to; i++ {
		f := c.flags(c.tokens[i].id)
		if f&flagLegal != 0 && i > n.from {
			c.legal = true
		}
		if c.tokens[i].kind != word || c.tokens[i].own {
			return
		}
		if f&flagGiven != 0 {
			c.given = true
		}
		count++
	}
	if c.legal || c.institution != nil || c.merchant != nil && !c.within || count == 0 || count > 4 {
		return
	}
	if c.keywordBetween(n.from, n.to) != nil || c.keyword != nil && !c.noted {
		return
	}
	switch c.channel {
	case p2p:
		c.person = c.given || count == 2 || count == 3
	case wire, transfer:
		c.person = c.given && count >= 2
	case ach, bill:
		c.person = c.given && (count == 2 || count == 3)
	}
}

// namesakeLetters is how many letters a name has at least that a person shares with the business: shorter words are
// names and other words alike.
const namesakeLetters = 4

// namesake reports whether a name has a word of the business's or its owner's, other than a given name: a person is of
// the family whose business it is, and behind a bank's name it is the owner's.
func (c *subject) namesake(b Business) bool {
	for i := c.parsed.name.from; i < c.parsed.name.to; i++ {
		text := c.bytes(i, i+1)
		if len(text) < namesakeLetters || c.flags(c.tokens[i].id)&flagGiven != 0 {
			continue
		}
		same := func(word string) bool { return string(text) == word }
		if slices.ContainsFunc(b.words, same) || slices.ContainsFunc(b.owner, same) {
			return true
		}
	}
	return false
}

// sharesCalling reports whether a name has a word that firms of the business's own calling are called by.
func (c *subject) sharesCalling(b Business) bool {
	for i := c.parsed.name.from; i < c.parsed.name.to; i++ {
		for _, calling := range c.callings[string(c.bytes(i, i+1))] {
			if slices.ContainsFunc(b.words, func(own string) bool {
				return slices.Contains(c.callings[own], calling)
			}) {
				return true
			}
		}
	}
	return false
}

// hosts reports whether the business is called like one that lets.
func (c *subject) hosts(b Business) bool { return c.calls(b, "lodging") }

// gather collects the terms that the line makes true.
func (c *subject) gather(l Line) {
	f := &c.facts
	c.calling = c.sharesCalling(l.Business)
	c.set.add(f.channels[c.channel])
	for _, h := range c.found() {
		terms := c.termsAt[h.phrase]
		if len(terms) == 0 || c.tokens[h.from].own || c.tokens[h.to-1].own {
			continue
		}
		if p := c.phrases[h.phrase]; (p.first || p.last) && !c.fits(c.lexicon, h, c.bare) {
			continue
		}
		c.set.add(terms)
	}
	if c.institution != nil {
		c.set.add(c.institution.facts)
	}
	if c.parsed.name.empty() || c.onlyNumbers() {
		c.set.add(f.unnamed)
	} else {
		c.set.add(f.named)
	}
	if c.person {
		c.set.add(f.person)
	}
	if (c.person || c.channel != p2p) && c.namesake(l.Business) {
		c.set.add(f.namesake)
	}
	if c.hosts(l.Business) {
		c.set.add(f.host)
	}
	if c.noted {
		c.set.add(f.noted)
	}
	if c.ours {
		c.set.add(f.ours)
	}
	if c.legal || c.keyword != nil || c.merchant != nil && !c.within {
		c.set.add(f.firm)
	}
	if c.merchant != nil && c.merchant.Type != "financial" {
		c.set.add(f.dictionary)
	}
	if c.institution != nil && c.institution.Type == "government" {
		c.forms()
	}
	if c.local() {
		c.set.add(f.local)
	}
	if c.institution != nil && c.institution.Type == "financial" ||
		c.merchant != nil && c.merchant.Type == "financial" {
		c.set.add(f.financial)
	}
	if size(c.amount) < 100 {
		c.set.add(f.tiny)
	}
	if l.Service != "" {
		c.set.add(f.balance)
	}
	switch l.AccountType {
	case "credit":
		c.set.add(f.credit)
	case "loan":
		c.set.add(f.loan)
	}
}

// forms finds the number of the tax return a payment goes with: 941 and its like
// are employers' returns, 1040 is the owner's.
func (c *subject) forms() {
	for i := range c.count {
		if t := c.tokens[i]; t.kind != number || t.own {
			continue
		}
		switch string(c.bytes(i, i+1)) {
		case "940", "941", "943", "944", "945":
			c.set.add(c.facts.payrollForm)
		case "1040":
			c.set.add(c.facts.incomeForm)
		}
	}
}

// local reports whether a city stands before the state: the merchant has premises
// there. One that sells from afar shows its telephone number or host name instead.
func (c *subject) local() bool {
	at := c.state - 1
	return at > c.parsed.name.from && c.tokens[at].kind == word && c.flags(c.tokens[at].id)&flagTLD == 0
}

// onlyNumbers reports whether the name has no word a person could recognize.
func (c *subject) onlyNumbers() bool {
	for i := c.parsed.name.from; i < c.parsed.name.to; i++ {
		t := c.tokens[i]
		if t.kind == word && t.size() > 1 && c.flags(t.id)&(flagFiller|flagState) == 0 || c.spells(t) {
			return false
		}
	}
	return true
}

// lines is the line of the form, or the branch beside it, by category.
var lines = func() map[int]string {
	m := map[int]string{}
	for _, c := range ontology.ScheduleC().All() {
		m[c.ID] = c.ScheduleCLine
		if c.ScheduleCLine == "" {
			m[c.ID] = string(c.Kind)
		}
	}
	return m
}()
