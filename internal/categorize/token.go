package categorize

import (
	"unicode"
	"unicode/utf8"
)

// The bounds of what is read of one line. A bank line says what it is in its
// first words; what lies behind the bounds is ignored, so that the longest
// description the contract allows costs no more than a long ordinary one.
const (
	maxTokens = 40
	maxText   = 400
)

// kind tells words from numbers.
type kind uint8

const (
	word   kind = iota
	number      // digits, masked digits (XXXX), or both
	mixed       // letters and digits: most often an id
)

// token is a run of letters and digits of a description, in upper case.
type token struct {
	start, end uint16 // in line.text
	kind       kind
	before     byte  // the last punctuation between the token before and this one; 0 for none
	after      byte  // the first punctuation behind it; 0 for none
	spaced     bool  // white space lies between the token before and this one
	id         int32 // number of the word in the lexicon; 0 for words that no data file names
	own        bool  // part of the business's own name or of an id: no evidence of anything
	masked     bool  // stars stand for what came before it, as of an account number: ***********CNXR
}

func (t token) size() int { return int(t.end - t.start) }

// line is a description cut into tokens. The text holds the tokens without
// anything between them, so the text of several tokens in a row is one slice,
// and WAL-MART, WAL MART and WALMART are one spelling.
type line struct {
	length int // bytes of the description
	text   [maxText]byte
	size   int
	tokens [maxTokens]token
	count  int
}

// The classes of bytes: a letter or digit stands for itself, in upper case.
const (
	classSpace  = 1 // ends a token
	classJoined = 2 // an apostrophe: left out, and what is around it stays one token
	classPunct  = 3 // ends a token and is remembered
)

var classes = func() (table [256]byte) {
	for b := range table {
		switch c := byte(b); {
		case c >= 'a' && c <= 'z':
			table[b] = c - 'a' + 'A'
		case c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
			table[b] = c
		case c <= ' ' || c == 0x7f:
			table[b] = classSpace
		case c == '\'' || c == '`':
			table[b] = classJoined
		default:
			table[b] = classPunct
		}
	}
	return table
}()

// read cuts the description into tokens. An ampersand between two letters is
// part of the token: AT&T, PG&E.
func (l *line) read(description string) {
	l.length, l.size, l.count = len(description), 0, 0
	var before byte
	spaced, open, stars := true, false, 0
	for i := 0; i < len(description); {
		b := description[i]
		if b >= utf8.RuneSelf {
			r, width := utf8.DecodeRuneInString(description[i:])
			i += width
			switch folded := fold(r); {
			case folded != "":
				if !open && !l.begin(before, spaced) {
					return
				}
				l.put(folded)
				open = true
			case r == '’' || r == '‘' || unicode.Is(unicode.Mn, r):
			default:
				open, spaced = l.close(open), true
			}
			if open {
				before, spaced = 0, false
			}
			continue
		}
		i++
		switch c := classes[b]; c {
		case classSpace:
			open, spaced, stars = l.close(open), true, 0
			for i < len(description) && description[i] == ' ' {
				i++
			}
		case classJoined:
		case classPunct:
			if b == '&' && open && i < len(description) && classes[description[i]] >= 'A' {
				l.put("&")
				continue
			}
			if l.count > 0 && before == 0 {
				l.tokens[l.count-1].after = b
			}
			if b == ':' && open {
				l.unglue()
			}
			open, before = l.close(open), b
			if b == '*' {
				stars++
			} else {
				stars = 0
			}
		default:
			if open {
				small := description[i-2] >= 'a' || i < len(description) && description[i] >= 'a'
				if small && b <= 'Z' && joint(description, i-1) {
					open = l.close(open)
				}
			}
			if !open {
				if !l.begin(before, spaced) {
					return
				}
				l.tokens[l.count-1].masked = stars >= fewestMask
				open, before, spaced, stars = true, 0, false, 0
			}
			if l.size == maxText {
				l.close(open)
				return
			}
			l.text[l.size] = c
			l.size++
			l.tokens[l.count-1].end++
		}
	}
	l.close(open)
}

// joint reports whether a word begins at an upper-case letter inside a run of
// letters, as banks glue them: CreditGUSTO, ATTWithdrawalPayment. Brands write so
// too (PayPal, SurveyMonkey), so both sides must be long.
func joint(s string, i int) bool {
	if i == 0 || i+1 == len(s) {
		return false
	}
	if s[i] < 'A' {
		return false
	}
	small, large := func(b byte) bool { return b >= 'a' && b <= 'z' }, func(b byte) bool { return b >= 'A' && b <= 'Z' }
	switch before, after := small(s[i-1]), small(s[i+1]); {
	case before && after:
		return runs(s, i-6, i, small) && runs(s, i+1, i+7, small)
	case before:
		return runs(s, i-4, i, small) && runs(s, i+1, i+3, large)
	case after:
		return runs(s, i-3, i, large) && runs(s, i+1, i+5, small)
	}
	return false
}

func runs(s string, from, to int, class func(byte) bool) bool {
	if from < 0 || to > len(s) {
		return false
	}
	for ; from < to; from++ {
		if !class(s[from]) {
			return false
		}
	}
	return true
}

func (l *line) begin(before byte, spaced bool) bool {
	if l.count == maxTokens || l.size == maxText {
		return false
	}
	l.tokens[l.count] = token{start: uint16(l.size), end: uint16(l.size), before: before, spaced: spaced}
	l.count++
	return true
}

// put adds to the open token, as far as there is room.
func (l *line) put(s string) {
	n := copy(l.text[l.size:], s)
	l.size += n
	l.tokens[l.count-1].end += uint16(n)
}

// close ends the open token and settles its kind. It returns false: no token is open.
func (l *line) close(open bool) bool {
	if !open {
		return false
	}
	l.split()
	t := &l.tokens[l.count-1]
	digits, masks := 0, 0
	for _, c := range l.text[t.start:t.end] {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == 'X':
			masks++
		}
	}
	switch size := t.size(); {
	case digits == size, masks > 1 && digits+masks == size:
		t.kind = number
	case digits > 0, t.masked:
		t.kind = mixed
	}
	return false
}

// fewestMask is how many stars are more than what parts a service from a shop: SQ *AMY'S.
const fewestMask = 3

// classCode is the word that stands directly behind an entry description of full length: CHARGEBACKSEC:CCD.
const classCode = "SEC"

// unglue parts the open token from the class code that is glued to its end.
func (l *line) unglue() {
	t := &l.tokens[l.count-1]
	at := t.end - uint16(len(classCode))
	if t.size() <= len(classCode) || string(l.text[at:t.end]) != classCode || l.count == maxTokens {
		return
	}
	end := t.end
	t.end, t.after = at, 0
	l.close(true)
	l.tokens[l.count] = token{start: at, end: end}
	l.count++
}

// split parts a word from the number it is glued to, as in ADS4410221 and 1411902283RENT.
func (l *line) split() {
	l.splitHead()
	if l.splitMiddle() {
		return
	}
	t := &l.tokens[l.count-1]
	at := t.end
	for at > t.start && l.text[at-1] >= '0' && l.text[at-1] <= '9' {
		at--
	}
	letters, digits := at-t.start, t.end-at
	shop := letters >= minShopLetters && digits == minGluedDigits-1 // RACETRAC242
	if digits < minGluedDigits && !shop || l.count == maxTokens ||
		letters < minGluedLetters && (letters < 2 || digits < ticketDigits) {
		return
	}
	masked := true
	for _, c := range l.text[t.start:at] {
		if c >= '0' && c <= '9' {
			return
		}
		masked = masked && c == 'X'
	}
	if masked {
		return
	}
	l.tokens[l.count] = token{start: at, end: t.end, kind: number}
	l.count++
	t.end = at
}

// splitHead parts the number of a company from the word behind it.
func (l *line) splitHead() {
	t := &l.tokens[l.count-1]
	at := t.start
	for at < t.end && l.text[at] >= '0' && l.text[at] <= '9' {
		at++
	}
	if at-t.start != companyDigits || t.end-at < minGluedLetters || l.count == maxTokens {
		return
	}
	for _, c := range l.text[at:t.end] {
		if c < 'A' || c > 'Z' {
			return
		}
	}
	l.tokens[l.count] = token{start: at, end: t.end, after: t.after}
	l.count++
	t.end, t.kind, t.after = at, number, 0
}

// splitMiddle parts a word, its number and what a card's line glues behind it: the town of WILLIAMS7229HICKORY, the
// ticket of AIR0012387741930FORT WORTH, the bill of ADS4418209713cc@google.com and the store of MURPHY7422ATWALMART.
func (l *line) splitMiddle() bool {
	t := &l.tokens[l.count-1]
	letter := func(i uint16) bool { return l.text[i] >= 'A' && l.text[i] <= 'Z' }
	from := t.start
	for from < t.end && letter(from) {
		from++
	}
	to := from
	for to < t.end && l.text[to] >= '0' && l.text[to] <= '9' {
		to++
	}
	behind := to
	for behind < t.end && letter(behind) {
		behind++
	}
	ticket := to-from >= ticketDigits && to-from <= ticketSize && t.end-to >= minGluedLetters
	bill := to-from >= billDigits-1 && to-from <= billDigits && string(l.text[to:t.end]) == "CC"
	within := to-from == minGluedDigits && t.end-to > minGluedLetters && string(l.text[to:to+2]) == "AT"
	town := to-from >= minGluedDigits && t.end-to >= minTown && from-t.start >= minTown
	if from-t.start < minGluedLetters || behind < t.end || !ticket && !bill && !within && !town ||
		l.count+2 > maxTokens {
		return false
	}
	end, after := t.end, t.after
	t.end, t.after = from, 0
	l.tokens[l.count] = token{start: from, end: to, kind: number}
	l.tokens[l.count+1] = token{start: to, end: end, after: after}
	l.count += 2
	return true
}

const (
	billDigits      = 10 // of what an advertiser is billed, with a C for card behind
	companyDigits   = 10 // of the company that sends an ACH entry
	minGluedLetters = 3
	minGluedDigits  = 4
	minShopLetters  = 6
	minTown         = 5  // letters of a town that a card's line glues to a store's number: WILLIAMS7229HICKORY
	ticketDigits    = 10 // an airline writes its ticket behind two letters: AMERICAN AI0012288112345
)

// bytes are the text of the tokens from..to-1, without anything between them.
func (l *line) bytes(from, to int) []byte {
	if from >= to {
		return nil
	}
	return l.text[l.tokens[from].start:l.tokens[to-1].end]
}

func (l *line) is(i int, s string) bool { return string(l.bytes(i, i+1)) == s }

// fold returns the ASCII letters a letter is written with in a bank line, the
// upper-case letter itself where there are none, and "" for what is no letter.
func fold(r rune) string {
	switch r = unicode.ToUpper(r); {
	case r >= 'À' && r <= 'Å', r >= 'Ā' && r <= 'Ą':
		return "A"
	case r == 'Æ':
		return "AE"
	case r == 'Ç', r >= 'Ć' && r <= 'Č':
		return "C"
	case r >= 'È' && r <= 'Ë', r >= 'Ē' && r <= 'Ě':
		return "E"
	case r >= 'Ì' && r <= 'Ï', r >= 'Ĩ' && r <= 'İ':
		return "I"
	case r == 'Ñ', r >= 'Ń' && r <= 'Ň':
		return "N"
	case r >= 'Ò' && r <= 'Ö', r == 'Ø', r >= 'Ō' && r <= 'Ő':
		return "O"
	case r >= 'Ś' && r <= 'Š':
		return "S"
	case r == 'ß':
		return "SS"
	case r >= 'Ù' && r <= 'Ü', r >= 'Ũ' && r <= 'Ų':
		return "U"
	case r == 'Ý', r == 'Ÿ':
		return "Y"
	case r >= 'Ź' && r <= 'Ž':
		return "Z"
	case unicode.IsLetter(r):
		return string(r)
	}
	return ""
}

const ticketSize = 13
