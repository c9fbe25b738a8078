package categorize

import (
	"slices"
	"strings"
)

// businessLetters is how many letters of its name a line must have: fewer are anybody's.
const businessLetters = 8

// venmoID is how many digits stand at least before the name that an entry of Venmo ends with: its day, or the id of the
// payment. The name is whose account it is; who was paid the bank is not told.
const venmoID = 6

// receiver marks the name of the business where it stands behind another's, cut or whole, at the end of the words or
// before a marker: it is whom the line was sent to, and shows nothing. A bar's name does not make its laundry a bar. In
// a payment app one word of it is a person's name, of the owner's family.
func (d *data) receiver(p *parsed, b Business) {
	numbered := p.bare > 0 && p.tokens[p.bare-1].kind == number // VENMO PAYMENT 250116 1283 THE BUSINESS
	if numbered && p.channel == p2p && p.byVenmo() && p.tokens[p.bare-1].size() >= venmoID {
		for i := p.bare; i < p.count; i++ {
			p.tokens[i].own = true
		}
		return
	}
	if p.sender(b) || d.customer(p) || len(b.words) == 0 {
		return
	}
	first := p.bare + 1
	if p.channel == p2p && (numbered || p.bare > 1 && p.is(1, "CORP")) { // ACH CORP DEBIT PAYMENT VENMO THE BUSINESS
		first = p.bare
	}
	for i := first; i < p.count; i++ {
		if p.tokens[i].kind == number {
			continue
		}
		end := p.behindID(b, i, p.called(b, i))
		relative := end == i+1 && d.flags(p.tokens[i-1].id)&flagGiven != 0 // SENT TO ERIK HALVORSEN
		if end == 0 || relative || p.channel == p2p && end == i+1 || !d.endsWords(p, end) {
			continue
		}
		for ; i < end; i++ {
			p.tokens[i].own = true
		}
		p.ours = true
		return
	}
}

// sender marks what Mercury writes on what it sends, unless its customer writes something else: From Kettle LLC via
// mercury.com. It is whose account it is. It is false where that does not stand there, and where the business pays
// itself.
func (p *parsed) sender(b Business) bool {
	if p.called(b, p.bare) != 0 {
		return false
	}
	for end := p.bare + 3; end < p.count; end++ {
		if !p.is(end, "COM") || !p.is(end-1, "MERCURY") || !p.is(end-2, "VIA") {
			continue
		}
		for from := end - 3; from > p.bare; from-- {
			if !p.is(from, "FROM") {
				continue
			}
			for i := from; i <= end; i++ {
				p.tokens[i].own = true
			}
			return true
		}
	}
	return false
}

// customer marks the name of a person that an entry of a company writes before CUSTOMER ID: whose account it is. It is
// false where none stands there.
func (d *data) customer(p *parsed) bool {
	if p.bare < 2 || !p.is(0, "ACH") || !p.is(1, "CORP") {
		return false
	}
	for i := p.bare + 3; i+1 < p.count; i++ {
		if p.is(i, "CUSTOMER") && p.is(i+1, "ID") && d.flags(p.tokens[i-2].id)&flagGiven != 0 &&
			p.tokens[i-1].kind == word {
			p.tokens[i-2].own, p.tokens[i-1].own = true, true
			return true
		}
	}
	return false
}

// byVenmo reports whether the bank's own words say Venmo.
func (p *parsed) byVenmo() bool {
	for i := range p.bare {
		if p.is(i, "VENMO") {
			return true
		}
	}
	return false
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

// behindID steps over the last word of a line behind the name of the business that begins at token i and ends at end,
// where the line broke the name off: no name goes on there, and a word that nobody knows is the id of the entry.
func (p *parsed) behindID(b Business, i, end int) int {
	if end == 0 || end+1 != p.count || p.tokens[end].id != 0 {
		return end
	}
	if last := string(p.bytes(end-1, end)); slices.Contains(b.words, last) || end-1 == i {
		return end
	}
	return end + 1
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
