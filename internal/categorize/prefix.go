package categorize

// prefix skips the bank's own words at the beginning, and dates and numbers among them.
func (d *data) prefix(p *parsed) {
	at := p.skipNumbers(0)
	if at+1 < p.count && p.is(at+1, "ZELLE") { // CITIZENS ZELLE DR WREN HALLORAN: the bank's own name
		at++
	}
	if p.is(at, "RETURN") && d.knows(p, at+1) { // RETURN LOWE'S 1656
		at, p.channel = at+1, card
	}
	for at < p.count {
		best := at
		for _, h := range p.found() {
			if int(h.from) != at || int(h.to) <= best || !p.fits(d.lexicon, h, at) {
				continue
			}
			if c := d.prefixes[h.phrase]; c != 0 {
				best, p.channel = int(h.to), c
			}
		}
		if best == at {
			break
		}
		at = p.skipNumbers(best)
		switch {
		case p.channel == p2p, p.channel == wire: // TD ZELLE SENT 51990Q8R4 ZELLE WREN HALLORAN
		case p.channel == transfer && at > 0 && p.is(at-1, "REF"): // ONLINE TRANSFER REF #IB001JU82Z TO BUSINESS CARD
		default:
			continue
		}
		if p.reference(at) {
			at++
		}
	}
	p.bare = d.behindDescription(p, d.behindPlace(p, p.behindTerminal(p.behindBankID(at))))
}

// behindBankID steps over the number of a Zelle payment and the bank of the other side, which one bank writes before
// whom it was with: ZELLE CREDIT PAY ID:JPM8pFEKUn1U ORG ID:JPM NAME:WREN HALLORAN.
func (p *parsed) behindBankID(at int) int {
	const idAndBank = 4 // ORG ID JPM NAME, behind an id of one word or of a few
	for i := at; p.channel == p2p && i <= at+idAndBank && i+idAndBank < p.count; i++ {
		if p.is(i, "ORG") && p.is(i+1, "ID") && p.is(i+3, "NAME") {
			return i + idAndBank
		}
	}
	return at
}

// behindDescription steps over the description of an entry where a bank writes it before a company that is known: ACH
// CORP DEBIT PREM COLL GEICO CUSTOMER ID 4417, and of what comes in TRANSFER SHOPIFY CUSTOMER ID ST-4K2.
func (d *data) behindDescription(p *parsed, at int) int {
	const mostLetters, mostWords = 10, 3 // of a company entry description (Nacha rules)
	from := at
	switch {
	case p.channel == ach && at >= 2 && p.is(1, "CORP"):
	case at <= 1 && p.customerID(): // TRANSFER may be taken for the bank's own word
		from = 0
	default:
		return at
	}
	if d.knows(p, from) {
		return at
	}
	for i := from + 1; i < min(from+mostWords, p.count) && len(p.bytes(from, i)) <= mostLetters; i++ {
		if d.knows(p, i) {
			p.channel, p.descriptor = ach, span{from, i}
			return i
		}
	}
	return at
}

// customerID reports whether the words CUSTOMER ID stand in a line, which one bank writes behind whom an entry is for.
func (p *parsed) customerID() bool {
	for i := 2; i+1 < p.count; i++ {
		if p.is(i, "CUSTOMER") && p.is(i+1, "ID") {
			return true
		}
	}
	return false
}

// knows reports whether the name of an institution or merchant begins at token i.
func (d *data) knows(p *parsed, i int) bool {
	if _, _, ok := d.institutions.longest(&p.line, i, p.count, never); ok {
		return true
	}
	_, _, ok := d.merchants.longest(&p.line, i, p.count, never)
	return ok
}

// behindTerminal steps over the number of a terminal with its time and day: POINT OF SALE DEBIT L340 TIME 11:07 AM DATE
// 10/14 GETGO.
func (p *parsed) behindTerminal(at int) int {
	const words = 7 // L340 TIME 11 07 AM DATE
	if p.channel != card || at >= p.count || p.tokens[at].kind != mixed {
		return at
	}
	for i := at + 1; i < min(at+words, p.count); i++ {
		if p.is(i, "DATE") {
			return p.skipNumbers(i + 1)
		}
		if p.tokens[i].kind != number && !p.is(i, "TIME") && !p.is(i, "AM") && !p.is(i, "PM") {
			break
		}
	}
	return at
}

// behindPlace steps over the place that some banks write before the shop, with the card's last digits (01-19-25 SALEM
// VA 3307 CITY ELECTRIC SUPPLY) or without (ON 121625 BEND OR TARGET).
func (d *data) behindPlace(p *parsed, at int) int {
	const mostWords = 3 // of a town
	if p.channel != card || at == 0 || p.tokens[at-1].kind != number {
		return at
	}
	behindDay := at > 1 && p.is(at-2, "ON") && p.tokens[at-1].size() == 6
	if shop := d.behindPhone(p, at); behindDay && shop > 0 { // ON 012125 800-266-2278 MN COMCAST CABLE
		return shop
	}
	for i := at; i < min(at+mostWords, p.count) && p.tokens[i].kind == word; i++ {
		state, next := i+1, i+2
		if next >= p.count || d.flags(p.tokens[state].id)&flagState == 0 {
			continue
		}
		if behindDay && p.tokens[next].kind == word && !p.is(next, "REF") {
			return next
		}
		digits, shop := next, i+3
		if shop < p.count && p.tokens[digits].kind == number && p.tokens[digits].size() == 4 &&
			p.tokens[digits].before != '#' && p.tokens[shop].kind == word { // DRIVE IN #4252 is the number of a shop
			return shop
		}
	}
	return at
}

// behindPhone is where the shop stands whose telephone and state are at token at; 0 where they are not.
func (d *data) behindPhone(p *parsed, at int) int {
	sizes := [...]int{3, 3, 4}
	state := at + len(sizes)
	if state+1 >= p.count || d.flags(p.tokens[state].id)&flagState == 0 || p.tokens[state+1].kind != word {
		return 0
	}
	for i, size := range sizes {
		if t := p.tokens[at+i]; t.kind != number || t.size() != size {
			return 0
		}
	}
	return state + 1
}
