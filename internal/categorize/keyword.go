package categorize

import (
	"sort"
	"strings"
)

// findKeyword takes the best business word of the name and of a payment's note.
func (c *subject) findKeyword() {
	n := c.parsed.name
	c.keyword = c.keywordBetween(n.from, n.to)
	if c.channel == p2p && !c.memo.empty() {
		if k := c.keywordBetween(c.memo.from, c.memo.to); k != nil {
			c.keyword, c.noted = k, true
		}
	}
	c.contested = c.keyword != nil && c.contests(c.keyword, n)
	if last := n.to - 1; c.keyword == nil && last >= n.from && n.to == c.count {
		c.keyword = c.stem(c.bytes(last, n.to), c.tokens[last])
	}
	if c.keyword == nil {
		c.keyword = c.ticket(n)
	}
	for i := n.from; i < min(n.to, n.from+3) && c.keyword == nil && c.channel != p2p; i++ {
		c.keyword = c.part(i)
	}
	if c.keyword == nil && !c.descriptor.empty() && c.dir == out {
		c.keyword = c.keywordBetween(c.descriptor.from, c.descriptor.to)
		c.described = c.keyword != nil
	}
	if c.keyword == nil && c.processor != nil {
		c.keyword = c.processor.keyword
	}
	if c.keyword == nil && c.parsed.domain(c.data, n.to-1) {
		c.keyword = c.website
	}
	if k := c.keyword; k != nil && k.personal && k.rank <= likelyRank && c.dir == out &&
		(c.channel == wire || c.channel == ach) {
		c.keyword = nil // nobody wires a shop for a toy: whoever sells by the pallet is called so, too
	}
}

// contests reports whether a word of the name speaks for private life beside a
// better one that speaks for business: LA PETITE ACADEMY CHILDCARE. Restaurants
// and travel are taken as business beside any other word.
func (c *subject) contests(k *keyword, n span) bool {
	if k.personal || k.onTheWay {
		return false
	}
	for _, h := range c.found() {
		if int(h.from) < n.from || int(h.to) > n.to {
			continue
		}
		if o := c.keywordAt[h.phrase]; o != nil && o.personal && o.rank >= likelyRank && !c.covered(h, n.from, n.to) {
			return true
		}
	}
	return false
}

// ticket finds the number of an airline ticket behind a name: three digits of the
// airline and ten more (IATA Resolution 722). 890 stands for an agent's own fee.
func (c *subject) ticket(n span) *keyword {
	for i := n.to; i < min(c.count, n.to+2); i++ {
		if t := c.tokens[i]; t.kind != number || t.size() != ticketSize {
			continue
		}
		switch string(c.bytes(i, i+1)[:3]) {
		case "001", "006", "016", "027", "173", "279", "422", "487", "526", "014", "125", "220", "057", "074":
			return c.airTicket
		case "890":
			return c.agentFee
		}
	}
	return nil
}

// part finds a keyword at the end of a word that the data files do not know, or at
// its beginning.
func (c *subject) part(i int) *keyword {
	t := c.tokens[i]
	if t.id != 0 || t.kind != word || t.size() < minCompound || t.size() > maxCompound {
		return nil
	}
	text := c.bytes(i, i+1)
	for size := len(text) - 3; size >= minInside; size-- {
		if k := c.inside[string(text[len(text)-size:])]; k != nil {
			return k
		}
	}
	for size := len(text) - 3; size > minInside; size-- {
		if k := c.inside[string(text[:size])]; k != nil {
			return k
		}
	}
	return nil
}

// stem completes a word that the bank cut off at the end of its line, where one
// keyword alone, or several that mean the same, begin so.
func (c *subject) stem(text []byte, t token) *keyword {
	if c.length < minCut || t.kind != word || t.id != 0 || len(text) < minStem {
		return nil
	}
	i := sort.Search(len(c.stems), func(i int) bool { return c.stems[i].word >= string(text) })
	if i == len(c.stems) || !strings.HasPrefix(c.stems[i].word, string(text)) {
		return nil
	}
	if next := i + 1; next < len(c.stems) && strings.HasPrefix(c.stems[next].word, string(text)) &&
		c.stems[next].keyword.category != c.stems[i].keyword.category {
		return nil
	}
	return c.stems[i].keyword
}

// Card networks give a merchant's name 22 characters: shorter lines were not cut
// off, and what is left of a word must still tell it.
const (
	minCut  = 20
	minStem = 5
)

// keywordBetween returns the best business word that lies in the tokens
// from..to-1, but not inside another: the surer, then the longer, then the later.
func (c *subject) keywordBetween(from, to int) *keyword {
	var best *keyword
	words := 0
	for _, h := range c.found() {
		if int(h.from) < from || int(h.to) > to {
			continue
		}
		k := c.keywordAt[h.phrase]
		if k != nil && k.kind == "association" && c.tokens[h.from].before == '&' {
			k = c.partners // SMITH & ASSOC
		}
		if k == nil || best != nil && (k.rank < best.rank || k.rank == best.rank && int(h.to-h.from) < words) ||
			c.covered(h, from, to) {
			continue
		}
		best, words = k, int(h.to-h.from)
	}
	return best
}

// covered reports whether a longer business word in the tokens from..to-1 holds
// this one: a GOLF COURSE is no course, and a CONDO ASSOCIATION none of a trade.
func (c *subject) covered(h hit, from, to int) bool {
	for _, o := range c.found() {
		if o.from <= h.from && o.to >= h.to && o.to-o.from > h.to-h.from && int(o.from) >= from && int(o.to) <= to &&
			c.keywordAt[o.phrase] != nil {
			return true
		}
	}
	return false
}
