package categorize

import (
	"slices"
	"strings"
)

// parse reads a description. The direction decides which side of a wire is the
// counterparty; unknown takes the beneficiary.
func (d *data) parse(p *parsed, description string, business Business, dir direction) {
	p.read(description)
	d.number(&p.line)
	hits := p.hits[:0:maxHits]
	for i := range p.count {
		hits = d.find(&p.line, i, p.count, hits)
	}
	p.hitCount = len(hits)
	p.state, p.check = -1, -1
	d.prefix(p)
	d.receiver(p, business)
	d.regions(p, dir)
	d.processors(p)
	d.trim(p)
	d.finish(p)
}

// parties are the parts of a line that may name the counterparty, by what their markers say.
type parties struct{ company, payer, payee, plain, shop span }

// keep keeps a part of the line by its role; of those that are one thing the first.
func (p *parsed) keep(of *parties, r role, part span) {
	if part.empty() {
		return
	}
	switch r {
	case roleNone:
		if of.plain.empty() {
			of.plain = part
		}
	case roleCompany:
		of.company = part
	case roleDescriptor:
		p.descriptor = part
	case rolePayer:
		of.payer = part
	case rolePayee:
		of.payee = part
	case roleMemo:
		if p.memo.empty() {
			p.memo = part
		}
	}
}

// of is the part that names the counterparty of money in a direction; empty where none does.
func (of parties) of(dir direction) span {
	switch {
	case !of.company.empty():
		return of.company
	case !of.payee.empty() && (dir != in || of.payer.empty()) && !(dir == in && !of.plain.empty()):
		return of.payee
	case !of.payer.empty() && dir != out:
		return of.payer
	default:
		return of.plain
	}
}

// regions cuts the line at its markers and picks the part that names the counterparty.
func (d *data) regions(p *parsed, dir direction) {
	var named parties
	current, begin := roleNone, p.bare
	keep := func(end int) { p.keep(&named, current, span{begin, end}) }
	colon := false
	next := 0
	for i := p.bare; i < p.count; {
		var found role
		end := i
		for next < p.hitCount && int(p.hits[next].from) < i {
			next++
		}
		for _, h := range p.found()[next:] {
			if int(h.from) != i {
				break
			}
			r := d.markers[h.phrase]
			longer := int(h.to) > end || int(h.to) == end && d.phrases[h.phrase].after != 0
			if r != roleNone && longer && p.marks(r, h, i) &&
				!(r >= roleTail && current >= roleDescriptor && current <= roleBank) {
				found, end = r, int(h.to)
			}
		}
		switch {
		case found == roleDate:
			keep(i)
			for ; i < end; i++ {
				p.tokens[i].own = true
			}
			begin = end
			if current == roleNone { // what follows a date is no name
				current = roleTail
			}
			continue
		case found != roleNone:
			keep(i)
			if found == roleP2PMemo {
				found = roleMemo
			}
			if found == roleP2PBank {
				found = roleBank
			}
			current, colon = found, p.tokens[end-1].after == ':'
			begin = end
			if found == roleID && p.instant(named.company, i, end) {
				named.shop = p.wordsFrom(end)
			}
			if found == roleID {
				for j := i; j < end; j++ {
					p.tokens[j].own = true
				}
			}
			if found == roleTail {
				begin = i
			}
			i = max(end, i+1)
			continue
		}
		if current == roleNone && i > begin && p.tokens[i].before == '"' && p.tokens[i-1].after == ':' { // ANN: "VAN"
			keep(i)
			current, begin = roleMemo, i
		}
		if current == roleNone && i > begin && p.tokens[i].before == ';' && p.channel == p2p { // TO PEAK AUDIO; CABLES
			keep(i)
			current, begin = roleMemo, i
		}
		if current == roleID && !colon && p.tokens[i].kind == word {
			current, begin = roleTail, i
			if p.channel == p2p && p.tokens[i].before == ';' && named.plain.empty() { // CONF# 4K2; JOHN SMITH
				current = roleNone
			}
		}
		if current == roleID || current == roleOwn || current == roleBank {
			p.tokens[i].own = true
		}
		i++
	}
	keep(p.count)
	if !named.shop.empty() {
		p.region, p.processor, p.descriptor = named.shop, d.processorAt[d.byText["PAYPAL INST XFER"]], span{}
		for i := p.region.from; i < p.region.to; i++ {
			p.tokens[i].own = false
		}
		return
	}
	if p.region = named.of(dir); p.region.empty() {
		p.region = span{p.bare, p.bare}
	}
}

// instant reports whether the marker at the tokens from..to-1 is where the long form of an entry names the shop that
// PayPal paid at once: ORIG CO NAME:PAYPAL CO ENTRY DESCR:INST XFER IND ID:KIVA MICROFUN.
func (p *parsed) instant(company span, from, to int) bool {
	return to-from == 2 && p.is(from, "IND") && p.is(from+1, "ID") && to < p.count && p.tokens[to].kind == word &&
		string(p.bytes(company.from, company.to)) == "PAYPAL" &&
		string(p.bytes(p.descriptor.from, p.descriptor.to)) == "INSTXFER"
}

// wordsFrom are the words in a row that begin at token i, before the next marker.
func (p *parsed) wordsFrom(i int) span {
	to := i + 1
	for to < p.count && p.tokens[to].kind == word && !p.is(to, "IND") && !p.is(to, "TRN") {
		to++
	}
	return span{i, to}
}

// marks reports whether a marker counts where it stands.
func (p *parsed) marks(r role, h hit, i int) bool {
	last, next := p.tokens[h.to-1], int(h.to)
	switch r {
	case roleID:
		return next == p.count && i > p.bare || last.after == ':' || last.after == '#' ||
			next < p.count && p.tokens[next].kind != word
	case roleTail:
		return i > p.bare
	case roleTailEnd:
		for _, t := range p.tokens[next:p.count] {
			if t.kind == word {
				return false
			}
		}
		return i > p.bare
	case roleP2PMemo, roleP2PBank:
		return p.channel == p2p && i > p.bare
	}
	return true
}

// processors steps over the code a payment processor writes before the name, and over the words of a service that pays
// others.
func (d *data) processors(p *parsed) {
	for _, h := range p.found() {
		c, from := d.processorAt[h.phrase], int(h.from)
		switch {
		case c == nil || !c.pays():
		case from < p.bare && p.channel == p2p:
			p.app = c
		case from == p.bare && p.region.from > from: // whom it pays stands behind a marker
			p.processor, p.channel = c, max(p.channel, c.channel())
		}
	}
	for at := p.region.from; ; {
		end := at
		for _, h := range p.found() {
			if int(h.from) != at || int(h.to) <= end || int(h.to) >= p.count {
				continue
			}
			c, to := d.processorAt[h.phrase], int(h.to)
			switch {
			case c == nil || c.kind == kindTo || c.kind == kindNobody || d.numberAt(p, to):
				continue
			case c.pays():
				if to = d.payee(p, c.kind, to); to <= end {
					continue
				}
			}
			end = to
			if p.processor == nil {
				p.processor = c
			}
		}
		if end == at {
			d.code(p)
			return
		}
		if p.region.to < end+1 { // the code was followed by a marker
			p.region.to = d.next(p, end)
		}
		if p.descriptor.from < end && !p.descriptor.empty() { // INST XFER are its words
			p.descriptor = span{}
		}
		p.region.from = end
		switch p.processor.kind {
		case kindP2P, kindSender, kindBiller:
			p.channel = p.processor.channel()
		case kindCard:
			p.channel = max(p.channel, card)
		}
		at = end
	}
}

// numberAt reports whether the marker of a number stands at token i: PAYPAL INST XFER PPD ID: 4417 names nobody.
func (d *data) numberAt(p *parsed, i int) bool {
	return slices.ContainsFunc(p.found(), func(h hit) bool {
		return int(h.from) == i && d.markers[h.phrase] == roleID && p.marks(roleID, h, i)
	})
}

// pays reports whether a processor is a service that pays others: its name alone is its own.
func (c *processor) pays() bool { return c.kind == kindSender || c.kind == kindBiller }

// channel is how a service moves money.
func (c *processor) channel() channel {
	if c.kind == kindBiller {
		return bill
	}
	return p2p
}

// payee finds whom a service pays, given where its own name ends: behind words such as SENT MONEY TO, or a star. What
// pays bills may name them directly. It returns 0 where the line names nobody: the service's own fees stand there, an
// own account, or where it has its seat.
func (d *data) payee(p *parsed, k processorKind, at int) int {
	to, star := at, p.tokens[at].before == '*'
	for _, h := range p.found() {
		if c := d.processorAt[h.phrase]; c != nil && c.kind == kindTo && int(h.from) == at {
			to = max(to, int(h.to))
		}
	}
	if to == p.count || to == at && at >= p.region.to {
		return 0
	}
	t := p.tokens[to]
	direct := to == at && !star
	switch {
	case t.kind != word || t.size() < 2 || t.own:
		return 0
	case direct && (k != kindBiller || t.id != 0 && d.flags(t.id)&flagGiven == 0):
		return 0
	}
	for _, h := range p.found() {
		if c := d.processorAt[h.phrase]; c != nil && c.kind == kindNobody && int(h.from) == to {
			return 0
		}
	}
	if to > at {
		return to
	}
	if last := p.region.to - 1; last > to && last <= to+2 && p.tokens[last].spaced &&
		d.flags(p.tokens[last].id)&flagState != 0 && !p.is(last, "CO") {
		return 0 // SEATTLE WA
	}
	return to
}

// next is where the next marker stands behind the token at which a name begins. What was taken for a number's is the
// name's: PAYPAL DES:INST XFER ID:ADOBE.
func (d *data) next(p *parsed, from int) int {
	p.tokens[from].own = false
	for _, h := range p.found() {
		if i := int(h.from); i > from && d.markers[h.phrase] != roleNone && p.marks(d.markers[h.phrase], h, i) {
			return i
		}
	}
	return p.count
}

// code steps over the short code of an unknown processor or of the merchant's own
// billing: BAR*BARCODES. A name of the dictionary is no code: UPS*, ATT*.
func (d *data) code(p *parsed) {
	at := p.region.from
	if at+1 >= p.region.to || p.tokens[at+1].before != '*' || p.tokens[at+1].kind != word ||
		p.tokens[at].size() > maxCode {
		return
	}
	if _, _, known := d.merchants.longest(&p.line, at, p.count, never); !known {
		p.region.from = at + 1
	}
}

const maxCode = 4

// trim finds where the name ends and which place follows it.
func (d *data) trim(p *parsed) {
	from, to := p.region.from, p.region.to
	if from < to && (p.is(from, "WWW") || p.numbered(from) || p.accountOf(from) ||
		p.processor != nil && p.dayOf(from)) {
		from++
	}
	end := to
	for j := from; j < to; j++ {
		if p.tokens[j].own || j > from && p.stops(d, j) || j > from+1 && p.tokens[j].kind == word &&
			endsName(string(p.bytes(j-1, j))) {
			end = j
			break
		}
		if j > from && p.domain(d, j) { // MOO.COM behind the name; COURSERA.ORG is the name
			end = j + 1
			break
		}
		if j > from && j+1 < to && p.domain(d, j+1) {
			end = j
			break
		}
	}
	for j := to - 1; j > from; j-- { // the state is the last word that is no number and no country
		if t := p.tokens[j]; t.own || t.kind != word || d.flags(t.id)&flagCountry != 0 && j > from+1 {
			continue
		}
		if d.flags(p.tokens[j].id)&flagState != 0 && (p.tokens[j].spaced || p.tokens[j].before != 0) &&
			!d.company(p, j) {
			p.state = j
		}
		break
	}
	if p.state >= 0 {
		city := p.state
		for city > max(from+1, end) && city > p.state-3 && p.tokens[city-1].kind == word {
			city--
		}
		if end >= p.state { // the place follows the name directly: one word, or two as in NEW YORK
			end = p.state
			if end-from >= 2 {
				end--
			}
			if end-from >= 2 && d.flags(p.tokens[end-1].id)&flagCity != 0 {
				end--
			}
			city = end
		}
		p.city = span{city, p.state}
	}
	p.name = span{from, max(from, end)}
}

// dayOf reports whether the day of an entry stands at token i before a name: PAYPAL INST XFER 260317 DROPBOX.
func (p *parsed) dayOf(i int) bool {
	return p.tokens[i].kind == number && p.tokens[i].size() == 6 && i+1 < p.count && p.tokens[i+1].kind == word
}

// accountOf reports whether the account of a wire's beneficiary stands at token i before a name: BEN:/4417702215 YIWU
// LANHE.
func (p *parsed) accountOf(i int) bool {
	const least = 8
	t := p.tokens[i]
	return p.channel == wire && t.kind == number && t.size() >= least && i+1 < p.count && p.tokens[i+1].kind == word
}

// company reports whether CO at token j is short for company rather than for
// Colorado: a business word stands before it, as in AUSTIN PLUMBING CO.
func (d *data) company(p *parsed, j int) bool {
	if !p.is(j, "CO") || p.tokens[j-1].kind != word {
		return false
	}
	for _, h := range p.found() {
		if int(h.to) == j && d.keywordAt[h.phrase] != nil && d.keywordAt[h.phrase].rank >= likelyRank {
			return true
		}
	}
	return false
}

// stops reports whether token j cannot belong to a name that has begun.
func (p *parsed) stops(d *data, j int) bool {
	t := p.tokens[j]
	switch t.kind {
	case number:
		return t.size() >= 3 || t.before == '#' || p.text[t.start] == 'X' || p.day(j)
	case mixed:
		return t.size() >= 5 || t.before == '*' || t.before == '#'
	}
	if j+1 < p.count { // letters glued to digits are a reference
		if next := p.tokens[j+1]; next.kind == number && !next.spaced && next.before == 0 {
			return true
		}
	}
	if p.paid() && t.before == '-' && t.spaced && j > p.region.from+1 { // WILLA KRANTZ - CUPPING: a note
		return true
	}
	if p.channel == wire && p.sum(j) || p.channel == p2p && j > p.region.from+1 && p.zelleID(j) {
		return true
	}
	if p.channel == p2p && p.is(j, "ON") && j+1 < p.count && p.tokens[j+1].kind == number &&
		p.tokens[j+1].size() == 4 { // DUNCAN ABERLE ON 0117
		return true
	}
	text := p.text[t.start:t.end]
	return len(text) > 4 && string(text[:4]) == "HTTP" || t.before == '#' || t.before == ';' || t.before == '|' ||
		p.monthDay(j)
}

// sum reports whether a sum in another currency stands at token j: EUR 11,400.00 @ 1.0412.
func (p *parsed) sum(j int) bool {
	if j+1 >= p.count || p.tokens[j+1].kind != number {
		return false
	}
	switch string(p.bytes(j, j+1)) {
	case "USD", "EUR", "GBP", "CAD", "AUD", "CHF", "JPY", "MXN", "CNY":
		return true
	}
	return false
}

// paid reports whether the bank's words before the name say that somebody was paid, or paid.
func (p *parsed) paid() bool {
	return p.channel == p2p || p.bare > 0 && (p.channel == ach || p.channel == wire || p.channel == bill)
}

// monthDay reports whether a month and a day end the line at token j, in words: SALES - APR 01 (INSTANT).
func (p *parsed) monthDay(j int) bool {
	if j+1 >= p.count || p.tokens[j+1].kind != number || p.tokens[j+1].size() > 2 || !p.tokens[j+1].spaced {
		return false
	}
	return IsMonth(string(p.bytes(j, j+1)))
}

// IsMonth reports whether a word is a month, as banks write it before a day.
func IsMonth(word string) bool {
	switch strings.ToUpper(word) {
	case "JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "SEPT", "OCT", "NOV", "DEC":
		return true
	}
	return false
}

// domain reports whether token j is the end of a host name such as MOO.COM.
func (p *parsed) domain(d *data, j int) bool {
	if j < 1 || j >= p.count {
		return false
	}
	t := p.tokens[j]
	return t.before == '.' && !t.spaced && d.flags(t.id)&flagTLD != 0
}

// finish settles the channel and the check number.
func (d *data) finish(p *parsed) {
	for _, h := range p.found() {
		if c := d.anywhere[h.phrase]; c != 0 && p.channel == 0 && !(c == check && h.from != 0) {
			p.channel = c
		}
	}
	if p.channel == check || p.channel == 0 {
		for i := range min(p.count, 5) {
			if p.tokens[i].kind == number && p.channel == check {
				p.check = i
				break
			}
		}
	}
}
