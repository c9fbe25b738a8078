package categorize

import (
	"bytes"
	"slices"
	"strings"
)

// span is the tokens from..to-1.
type span struct{ from, to int }

func (s span) empty() bool { return s.from >= s.to }

// parsed is a line with its parts. It is large and lives on the stack of Decide.
type parsed struct {
	line
	hits       [maxHits]hit // the phrases of the line, by first token, shorter ones first
	hitCount   int
	channel    channel
	processor  *processor
	app        *processor // the payment app among the bank's own words
	bare       int        // first token behind the bank's own words
	name       span       // the counterparty as written, without store number, place and ids
	region     span       // the words the name was found in: name, and what follows it
	descriptor span       // ACH company entry description
	memo       span
	city       span
	ours       bool // the name of the business stands behind another's
	state      int  // token of the state, -1 where none
	check      int  // token of the check number, -1 where none
}

// found are the phrases of the line.
func (p *parsed) found() []hit { return p.hits[:p.hitCount] }

// skipNumbers passes numbers that are no part of a name: dates, times, card and trace numbers.
func (p *parsed) skipNumbers(at int) int {
	for at < p.count && (p.tokens[at].kind == number || p.clock(at)) {
		t := p.tokens[at]
		date := at+1 < p.count && (t.after == '/' || t.after == ':') &&
			(p.tokens[at+1].kind == number || p.clock(at+1)) || t.before == '/' || t.before == ':' || p.dashed(at) ||
			p.day(at) || at > 0 && p.day(at-1)
		if t.size() < 4 && !date && t.kind == number && t.before != '#' && p.text[t.start] != 'X' {
			break
		}
		at++
	}
	return at
}

// clock reports whether token i is the end of a time of day: 08:14a.
func (p *parsed) clock(i int) bool {
	t := p.tokens[i]
	if i == 0 || p.tokens[i-1].kind != number || t.before != ':' || t.size() != 3 {
		return false
	}
	half := p.text[t.end-1]
	return half == 'A' || half == 'P'
}

// day reports whether a month and a day stand at token j: PURCHASE BELLA FURNITURE 09-29 GREENSBORO.
func (p *parsed) day(j int) bool {
	if j+1 >= p.count || p.tokens[j+1].kind != number {
		return false
	}
	month, day := p.tokens[j], p.tokens[j+1]
	joined := !day.spaced && (day.before == '-' || day.before == '/')
	return joined && month.spaced && month.size() == 2 && day.size() == 2
}

// spells reports whether letters and digits are a name and no id: CONCEPT2, PARTS4LAPTOPS.
func (p *parsed) spells(t token) bool {
	const leastLetters, mostDigits = 4, 2
	if t.kind != mixed {
		return false
	}
	digits := 0
	for i, c := range p.text[t.start:t.end] {
		if c >= '0' && c <= '9' {
			digits++
			if i < leastLetters {
				return false
			}
		}
	}
	return digits <= mostDigits
}

// dashed reports whether token i is part of a date: 01-19-25.
func (p *parsed) dashed(i int) bool {
	for first := max(i-2, 0); first <= i && first+2 < p.count; first++ {
		month, day, year := p.tokens[first], p.tokens[first+1], p.tokens[first+2]
		if month.kind == number && day.kind == number && year.kind == number && month.size() == 2 && day.size() == 2 &&
			(year.size() == 2 || year.size() == 4) && day.before == '-' && year.before == '-' {
			return true
		}
	}
	return false
}

// reference reports whether token i, with another behind it, is a bank's number of a payment and no name: letters and
// at least three digits, eight in all.
func (p *parsed) reference(i int) bool {
	if i+1 >= p.count {
		return false
	}
	digits := 0
	for _, c := range p.bytes(i, i+1) {
		if '0' <= c && c <= '9' {
			digits++
		}
	}
	return digits >= 3 && p.tokens[i].size() >= 8
}

// zelleBanks are what the banks that send Zelle payments begin their ids with.
var zelleBanks = [...]string{"BAC", "COF", "CTI", "CTZ", "DFC", "JPM", "PNC", "RGN", "TIS", "USB", "WFC"}

// zelleID reports whether token i, behind a name, is the id of a Zelle payment that happens to have no digit: ANGELA
// RUIZ BACLUHDZYNUT.
func (p *parsed) zelleID(i int) bool {
	const least = 11
	text := string(p.bytes(i, i+1))
	return len(text) >= least && p.tokens[i].kind == word &&
		slices.ContainsFunc(zelleBanks[:], func(bank string) bool { return strings.HasPrefix(text, bank) })
}

// numbered reports whether token i, with a word behind it, is what a firm numbers its entries by, and no name: up to
// three letters and a day or a longer number (SQ251219 SQUARE INC).
func (p *parsed) numbered(i int) bool {
	if i+1 == p.count || p.tokens[i+1].kind != word {
		return false
	}
	const mostLetters, leastDigits = 3, 6
	text := p.bytes(i, i+1)
	digits := bytes.TrimLeft(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")
	letters := len(text) - len(digits)
	return letters > 0 && letters <= mostLetters && len(digits) >= leastDigits &&
		len(bytes.TrimLeft(digits, "0123456789")) == 0
}

// fits checks the signs ^ and $ of a phrase. start is where the name begins.
func (p *parsed) fits(x *lexicon, h hit, start int) bool {
	f := x.phrases[h.phrase]
	if f.first && h.from != 0 && int(h.from) != start {
		return false
	}
	if f.last {
		for _, t := range p.tokens[h.to:p.count] {
			if t.kind == word && !t.own {
				return false
			}
		}
	}
	return true
}
