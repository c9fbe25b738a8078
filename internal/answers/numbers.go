package answers

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/money"
)

var (
	lineWord = regexp.MustCompile(`(?i)^(?:(?:the|all)\s+)*(lines?|rows?|numbers?|nos?\.?|checks?|` +
		`items?)\s*(?:(?:no\.?|number)\s*)?#?`)
	aNumber = regexp.MustCompile(`^([#$]?)(\d{1,3}(?:,\d{3})+|\d{1,12})(\.\d\d)?('?s|’s)?(?:\s*(?:-|–|\bto\b|` +
		`\bthrough\b|\bthru\b)\s*(\d{1,5})\b)?`)
	measured = regexp.MustCompile(`(?i)^(?:[%/\d\pL]|\.\d|\s*(?:%|percent|per|pct|x|hours?|hrs?|days?|weeks?|` +
		`months?|mos?|` +
		`years?|yrs?|people|guys|men|kids|times|k|miles?|th|st|nd|rd|am|pm|employees?|trucks?|vans?|cars?|` +
		`vehicles?|phones?|bedroom|bath|or|out|of|half|halves|nights?|trips?|boxes|rolls)\b)`)
	// dayWorks is no count of days: 120 day laborer.
	dayWorks = regexp.MustCompile(`(?i)^\s+day\s+(?:labor|work|care|camp|spa|trip|pass)`)
	// beginsList is what stands before a number that may be that of a line.
	beginsList = regexp.MustCompile(`(?i)(?:^|[.,;:!(\n&–-]|\b(?:and|but|plus|except|thats|that's|are|n|so|` +
		`lines?|rows?|numbers?|nos?\.?|items?)|` +
		`\b(?:except|but)\s+for|\b(?:without|besides|excluding|other\s+than|apart\s+from)|` +
		`\b(?:sure|know|idea|clue|remember)\s+about)\s*(?:(?:only|also|just|both)\s+)*#?$`)
	theBefore = regexp.MustCompile(`(?i)(?:\b(?:the|that|those|these|both|all|my|other|her|his|their|its|our)|` +
		`'s|’s)\s+\$?$`)
	roughly = regexp.MustCompile(`(?i)\b(?:about|around|roughly|like|approx\.?)\s+\$?$|~\s*\$?$`)
	ofForm  = regexp.MustCompile(`^(?:1099|1040|941|940|1120|1065|8829|401|403|529|20(?:1[5-9]|2\d|30))$`)
)

// numberAt are rows by a number: that of their line, one that the bank wrote, or their amount. Lines follow one another
// in a list: 2, 3 and 6-9.
func (q Asked) numberAt(text string, at int, before []mention) (m mention, ok bool) {
	const leastWritten = 3 // digits of a number by which a line of the bank is known
	word := lineWord.FindString(text[at:])
	from := at + len(word)
	say := aNumber.FindStringSubmatch(text[from:])
	if say == nil {
		return mention{}, false
	}
	sign, number, cents, many, last := say[1], strings.ReplaceAll(say[2], ",", ""), say[3], say[4] != "", say[5]
	end := from + len(say[0])
	if last != "" && (cents != "" || sign == "$" || len(last) > 3 && len(number) < 4) {
		end, last = from+strings.Index(say[0][len(say[1]+say[2]):], say[4])+len(say[1]+say[2]+cents+say[4]), ""
	}
	lines := word != "" && !strings.HasPrefix(strings.ToLower(strings.TrimLeft(word, "theal ")), "check")
	check := cents == "" && sign != "$" && len(number) >= leastWritten && q.written(number) != nil
	counts := measured.MatchString(text[end:]) && !dayWorks.MatchString(text[end:]) &&
		!(check && strings.HasPrefix(text[end:], " "))
	if counts && sign == "" && cents == "" && word == "" {
		return mention{}, false
	}
	of := andUp.FindStringSubmatch(text[end:])
	if otherBound.MatchString(text[end:]) { // over 200 and under 400
		of = nil
	}
	if !check && (of != nil || overThat.MatchString(upBefore(text, at))) {
		m, ok = q.beyond(upBefore(text, at), number+cents, of, end)
		if ok {
			m = q.withOther(m, text)
		}
		return m, ok
	}
	if rows := q.amongAmounts(number, last, cents); word == "" && sign != "#" && rows != nil {
		return mention{to: end, rows: rows, rank: byAmount, kind: theAmount, sure: true, several: true}, true
	}
	m = mention{to: end, several: many, sure: word != "" || sign != "" || cents != "" || many}
	n, _ := strconv.Atoi(number)
	whole := cents == "" && sign != "$" && !strings.Contains(say[2], ",")
	the := theBefore.MatchString(upBefore(text, at))
	inList := false
	if n := len(before); n > 0 && before[n-1].kind == theLine {
		inList = listed.MatchString(text[before[n-1].to:at])
	}
	if number = q.shortened(text, at, number, before); len(number) > len(say[2]) {
		word, whole = "check", true
	}
	amount := q.ofAmount(number+cents, roughly.MatchString(upBefore(text, at)))
	switch {
	case whole && lines, whole && inList && sign != "$" && len(number) < leastWritten:
		m.rows, m.rank, m.kind, m.sure = q.numbered(n, last), byNumber, theLine, true
	case whole && last != "" && beginsList.MatchString(upBefore(text, at)) && !the && q.numbered(n, last) != nil:
		m.rows, m.rank, m.kind, m.sure = q.numbered(n, last), byNumber, theLine, true
	case whole && sign == "#" && last == "" && q.written("#"+number) != nil:
		m.rows, m.rank, m.kind, m.sure = q.written("#"+number), byWord, theNumber, true
	case whole && sign == "#" && len(number) < leastWritten && q.numbered(n, last) != nil:
		m.rows, m.rank, m.kind = q.numbered(n, last), byNumber, theLine
	case whole && !many && (len(number) >= leastWritten || sign == "#") && !ofForm.MatchString(number) &&
		q.written(number) != nil:
		m.rows, m.rank, m.kind, m.sure = q.writtenUpTo(number, last), byWord, theNumber, true
		if rows, behind, side := q.besideNumber(number, upBefore(text, at), text[end:]); side {
			m.rows, m.to, m.several = rows, end+behind, true
		}
	case whole && sign == "#":
		m.rows, m.rank, m.kind = q.numbered(n, last), byNumber, theLine
	case (many || the || !whole || len(number) >= leastWritten) && amount != nil:
		m.rows, m.rank, m.kind = amount, byAmount, theAmount
		m.sure = m.sure || the || len(number) >= leastWritten
	case whole && !many && len(number) < leastWritten && beginsList.MatchString(upBefore(text, at)):
		m.rows, m.rank, m.kind = q.numbered(n, last), byNumber, theLine
		if m.rows == nil {
			m.rows, m.rank, m.kind = amount, byAmount, theAmount
		}
	}
	return m, true
}

// shortened is a number of the bank of which only the last digits are said, behind a whole one: 1203, 4 and 5.
func (q Asked) shortened(text string, at int, number string, before []mention) string {
	const whole = 3 // digits
	for _, m := range slices.Backward(before) {
		if m.kind != theNumber || !listed.MatchString(text[m.to:at]) {
			break
		}
		at = m.from
		said := numberRuns.FindString(text[m.from:m.to])
		if long := len(said) - len(number); len(said) >= whole && long > 0 && q.written(said[:long]+number) != nil {
			return said[:long] + number
		}
	}
	return number
}

var (
	andUp = regexp.MustCompile(`(?i)^\s*,?\s*(?:and|or)\s+(up|more|over|above|higher|under|less|below|` +
		`lower|down)\b`)
	overThat = regexp.MustCompile(`(?i)\b(over|above|more\s+than|under|below|less\s+than|up\s+to)\s+\$?$`)
	upwards  = regexp.MustCompile(`(?i)^(?:up|more|over|above|higher)`)
)

// beyond are the rows from an amount on: 300 and up, over 100.
func (q Asked) beyond(before, said string, behind []string, end int) (m mention, ok bool) {
	if !strings.Contains(said, ".") {
		said += ".00"
	}
	amount, err := money.Parse(said)
	if err != nil {
		return mention{}, false
	}
	m = mention{to: end, rank: byAmount, kind: theAmount, sure: true, several: true}
	if behind != nil {
		m.to += len(behind[0])
		up := upwards.MatchString(behind[1])
		m.rows = q.those(func(l AskedLine) bool { return size(l.Amount) == amount || (size(l.Amount) > amount) == up })
		return m, true
	}
	over := strings.ToLower(overThat.FindStringSubmatch(before)[1])
	if strings.HasPrefix(over, "up") { // up to 500
		m.rows = q.those(func(l AskedLine) bool { return size(l.Amount) <= amount })
		return m, true
	}
	up := upwards.MatchString(over)
	m.rows = q.those(func(l AskedLine) bool { return size(l.Amount) != amount && (size(l.Amount) > amount) == up })
	return m, true
}

// withOther are of the rows on one side of an amount those that are on one side of another, too: over 200 and under
// 400.
func (q Asked) withOther(m mention, text string) mention {
	of := otherBound.FindStringSubmatch(text[m.to:])
	if of == nil {
		return m
	}
	said := strings.ReplaceAll(of[2], ",", "")
	if !strings.Contains(said, ".") {
		said += ".00"
	}
	bound, err := money.Parse(said)
	if err != nil {
		return m
	}
	up := upwards.MatchString(of[1])
	m.rows = common(m.rows, q.those(func(l AskedLine) bool {
		return size(l.Amount) != bound && (size(l.Amount) > bound) == up
	}))
	m.to += len(of[0])
	return m
}

var otherBound = regexp.MustCompile(`(?i)^\s*,?\s*(?:and|but)\s+(over|above|more\s+than|under|below|` +
	`less\s+than)\s+\$?` +
	`(\d[\d,]*(?:\.\d\d)?)\b`)

// amongAmounts are the rows from one amount to another: 400 to 700. It is nil where these are numbers of lines or of
// the bank.
func (q Asked) amongAmounts(number, last, cents string) []uuid.UUID {
	const least = 3 // digits of what is no line
	from, err := money.Parse(number + ".00")
	to, unread := money.Parse(last + ".00")
	if err != nil || unread != nil || cents != "" || len(number) < least || len(last) < least || to <= from ||
		q.written(number) != nil || q.written(last) != nil {
		return nil
	}
	n, _ := strconv.Atoi(number)
	if q.numbered(n, last) != nil {
		return nil
	}
	return q.those(func(l AskedLine) bool { return from <= size(l.Amount) && size(l.Amount) <= to })
}

var (
	numberSide   = regexp.MustCompile(`(?i)\b(before|after|up\s+to|until|till|through|since|from)\s+(?:the\s+)?$`)
	numberBehind = regexp.MustCompile(`(?i)^\s+(?:(?:and|or)\s+(later|after|up|on|earlier|before)|(on(?:wards?)?))\b`)
)

// besideNumber are the rows of checks before a number, or from it on, and how many bytes behind it say that.
func (q Asked) besideNumber(number, before, behind string) (rows []uuid.UUID, long int, ok bool) {
	side, more := numberSide.FindStringSubmatch(before), numberBehind.FindStringSubmatch(behind)
	which := ""
	switch {
	case more != nil && more[1] != "":
		which, long = strings.ToLower(more[1]), len(more[0])
		which = map[string]string{"earlier": "through", "before": "through"}[which]
	case side == nil, strings.EqualFold(side[1], "from") && more == nil:
		return nil, 0, false
	default:
		which = strings.Join(strings.Fields(strings.ToLower(side[1])), " ")
		if more != nil {
			long = len(more[0])
		}
	}
	of, _ := strconv.Atoi(number)
	return q.those(func(l AskedLine) bool {
		for _, digits := range numberRuns.FindAllString(l.Description, -1) {
			n, err := strconv.Atoi(strings.TrimLeft(digits, "0"))
			if err != nil || len(strings.TrimLeft(digits, "0")) != len(number) {
				continue
			}
			switch which {
			case "before", "until", "till":
				return n < of
			case "up to", "through":
				return n <= of
			case "after":
				return n > of
			default:
				return n >= of
			}
		}
		return false
	}), long, true
}

// numbered are the lines of a number, or from it up to another.
func (q Asked) numbered(n int, to string) []uuid.UUID {
	last := n
	if to != "" {
		last, _ = strconv.Atoi(to)
	}
	return q.those(func(l AskedLine) bool { return n <= l.N && l.N <= last && l.N > 0 })
}

// writtenUpTo are the rows of which the bank wrote a number, or one of as many digits from it up to another.
func (q Asked) writtenUpTo(number, last string) []uuid.UUID {
	if 0 < len(last) && len(last) < len(number) { // 1203-05
		last = number[:len(number)-len(last)] + last
	}
	from, _ := strconv.Atoi(number)
	to, err := strconv.Atoi(last)
	const mostChecks = 500
	if err != nil || len(last) != len(number) || to < from || to-from > mostChecks {
		return q.written(number)
	}
	return q.those(func(l AskedLine) bool {
		for _, digits := range numberRuns.FindAllString(l.Description, -1) {
			n, err := strconv.Atoi(strings.TrimLeft(digits, "0"))
			if err == nil && from <= n && n <= to {
				return true
			}
		}
		return false
	})
}

var numberRuns = regexp.MustCompile(`\d+`)

// written are the rows of which the bank wrote a number.
func (q Asked) written(number string) []uuid.UUID {
	return q.those(func(l AskedLine) bool { return writes(l.Description, number) })
}

// ofAmount are the rows of an amount: of one without cents those of just that many dollars or, where there are none, of
// the one amount that it is without its cents, or is about.
func (q Asked) ofAmount(said string, about bool) []uuid.UUID {
	exact := said
	if !strings.Contains(said, ".") {
		exact += ".00"
	}
	amount, err := money.Parse(exact)
	if err != nil {
		return nil
	}
	if rows := q.those(func(l AskedLine) bool { return size(l.Amount) == amount }); rows != nil {
		return rows
	}
	const leastAbout = 10_00
	if exact == said || amount < leastAbout && !about {
		return nil
	}
	var only money.Amount
	rows := q.those(func(l AskedLine) bool {
		off := size(l.Amount) - amount
		return off >= 0 && off < 100 || about && off < 0 && off > -100
	})
	for _, l := range q.Lines {
		if len(rows) > 0 && l.Transaction == rows[0] {
			only = size(l.Amount)
		}
	}
	if len(q.those(func(l AskedLine) bool { return size(l.Amount) == only })) != len(rows) {
		return nil
	}
	return rows
}

// writes reports whether a line of the bank has a number, with or without noughts before it.
func writes(line, number string) bool {
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	for from := 0; ; {
		at := strings.Index(line[from:], number)
		if at < 0 {
			return false
		}
		at += from
		before := strings.TrimRight(line[:at], "0")
		end := at + len(number)
		if (before == "" || !digit(before[len(before)-1])) && (end == len(line) || !digit(line[end])) {
			return true
		}
		from = at + 1
	}
}

var aFigureSaid = regexp.MustCompile(`(?:^|[\s($])\$?\d[\d,]*\.\d\d\b|(?:^|[\s(])\$\s?\d|(?:^|` +
	`[\s($])\d{1,3}(?:,\d{3})+\b|(?:^|[\s(])\d{3,}\b`)

// figureIn reports whether words have a sum of money.
func figureIn(words string) bool {
	for _, said := range aFigureSaid.FindAllString(words, -1) {
		if !ofForm.MatchString(strings.Trim(said, " ($")) {
			return true
		}
	}
	return false
}
