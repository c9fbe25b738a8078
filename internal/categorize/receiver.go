package categorize

import "strings"

// businessLetters is how many letters of its name a line must have: fewer are anybody's.
const businessLetters = 8

// receiver marks the name of the business where it stands behind another's, cut or whole, at the end of the words or
// before a marker: it is whom the line was sent to, and shows nothing. A bar's name does not make its laundry a bar. In
// a payment app one word of it is a person's name, of the owner's family.
func (d *data) receiver(p *parsed, b Business) {
	if len(b.words) == 0 {
		return
	}
	first := p.bare + 1
	numbered := p.bare > 0 && p.tokens[p.bare-1].kind == number          // VENMO PAYMENT 250116 1283 THE BUSINESS
	if p.channel == p2p && (numbered || p.bare > 1 && p.is(1, "CORP")) { // ACH CORP DEBIT PAYMENT VENMO THE BUSINESS
		first = p.bare
	}
	for i := first; i < p.count; i++ {
		if p.tokens[i].kind == number {
			continue
		}
		end := p.called(b, i)
		if end == 0 || p.channel == p2p && end == i+1 || !d.endsWords(p, end) {
			continue
		}
		for ; i < end; i++ {
			p.tokens[i].own = true
		}
		p.ours = true
		return
	}
}

// called is where the name of the business ends that begins at token i; 0 where it does not stand there. The line may
// break it off anywhere behind its first word.
func (p *parsed) called(b Business, i int) int {
	letters, at := 0, i
	for n, word := range b.words {
		for at < p.count && at > i && joins(string(p.bytes(at, at+1))) {
			at++
		}
		if at == p.count {
			break
		}
		text := string(p.bytes(at, at+1))
		if !strings.HasPrefix(word, text) || n == 0 && text != word {
			break
		}
		letters += len(text)
		at++
		if text != word {
			break
		}
	}
	if letters < businessLetters {
		return 0
	}
	return at
}

// endsWords reports whether no word of a name follows: the line ends there, or a number or a marker stands there. The
// form of the business's own firm is a part of its name.
func (d *data) endsWords(p *parsed, at int) bool {
	for at < p.count && (legalForm(string(p.bytes(at, at+1))) || p.cutForm(at)) {
		p.tokens[at].own = true
		at++
	}
	if at == p.count || p.tokens[at].kind != word {
		return true
	}
	for _, h := range p.found() {
		if int(h.from) == at && d.markers[h.phrase] != roleNone {
			return true
		}
	}
	return false
}

// cutForm reports whether token i is the beginning of LLC, which the line broke off.
func (p *parsed) cutForm(i int) bool { return p.is(i, "L") || p.is(i, "LL") }
