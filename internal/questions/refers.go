package questions

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/money"
)

var (
	isOne = regexp.MustCompile(`(?i)^(?:(?:is|are|was|were|being|for|means?|goes\s+to|went\s+to|should\s+be)\b|` +
		`[=:]|'s\b)(?:\s+(?:both|all|just|only|really|actually|an?|the)\b)*\s*`)
	aNoun = regexp.MustCompile(`(?i)^(?:ones?|checks?|payments?|deposits?|charges?|lines?|rows?|transfers?|` +
		`purchases?|bills?|debits?|transactions?)\b\s*`)
	plainNoun = regexp.MustCompile(`(?i)^(?:ones?|checks?|lines?|rows?|charges?|payments?)\s*$`)
	ofSelf    = regexp.MustCompile(`(?i)^(?:i|i'm|we|it|that|should|goes|went)\b`)
	lineWord  = regexp.MustCompile(`(?i)^(?:the\s+)?(?:lines?|rows?|numbers?|nos?\.?|checks?|items?)\s+(?:no\.?\s*)?`)
	allThe    = regexp.MustCompile(`(?i)^all\s+(?:of\s+)?(the|those|these)\s+`)
	theOnes   = regexp.MustCompile(`(?i)^(?:the|those|these)\s+`)
	aNumber   = regexp.MustCompile(`^([#$]?)(\d{1,12}(?:\.\d\d)?)(?:'?s)?\b(?:\s*(?:-|–|\bto\b|` +
		`\bthrough\b)\s*(\d{1,5})\b)?\s*`)
	measured = regexp.MustCompile(`(?i)^(?:[%/.]|(?:percent|per|pct|x|hours?|hrs?|days?|weeks?|months?|mos?|` +
		`years?|yrs?|dollars?|bucks|usd|people|guys|men|kids|times|k|miles?|th|st|nd|rd|am|pm|employees?|trucks?|vans?|cars?|` +
		`vehicles?|phones?|bedroom|bath|or|out|of)\b)`)
	someOnes = regexp.MustCompile(`(?i)^(?:the|those|these|that)\s+((?:[\pL&'\d-]+\s+){1,3}?)` +
		`(?:ones?|stuff|things?|charges?|payments?|checks?|deposits?|trips?|purchases?)\b\s*`)
	saysOfKind = regexp.MustCompile(`(?i)^(?:(?:is|are|was|were|half|all|private|personal|business|mine|ours)\b|` +
		`[\d½¼¾=])`)
	bankWords  = regexp.MustCompile(`^(?:[Tt]he\s+)?([A-Z\d]{2,}(?:[ -][A-Z\d]{2,})*)\s+(?:ones?\s+)?`)
	lineWithin = regexp.MustCompile(`(?i)\b(?:lines?|rows?|check|number|no\.?)\s+#?(\d{1,6})\b`)
)

// clause is what is said of some rows.
type clause struct {
	part
	sure  bool // it names its rows beyond doubt
	names bool // it ends with a name, so that other names may follow
}

// refers finds the rows that words begin with: by numbers of lines or of the bank, by amounts, by a counterparty, or by
// words of their descriptions, and what is behind. Among names a word that is written as one is a name.
func (q Asked) refers(text string, amongNames bool) (of clause, behind string) {
	byParty := func(text string) (clause, string) { return q.byParty(text, amongNames) }
	for _, by := range []func(string) (clause, string){q.byNumbers, byParty, q.byKind, q.byDescription} {
		if of, behind = by(text); len(of.rows) > 0 && len(of.rows) < len(q.Lines) {
			if is := isOne.FindString(behind); is != "" {
				of.sure, behind = true, behind[len(is):]
			}
			of.sure = of.sure || behind == ""
			return of, strings.TrimSpace(behind)
		}
	}
	return clause{}, ""
}

// byNumbers are rows by numbers: 2 and 3; line 5; 6-9; the 1325 ones; $180; check 2146.
func (q Asked) byNumbers(text string) (of clause, behind string) {
	word := lineWord.FindString(text)
	behind = text[len(word):]
	if word == "" {
		behind = theOnes.ReplaceAllString(allThe.ReplaceAllString(text, "$1 "), "")
	}
	for {
		m := aNumber.FindStringSubmatch(behind)
		if m == nil || word == "" && measured.MatchString(behind[len(m[0]):]) {
			break
		}
		rows, by := q.numbered(m[1], m[2], m[3])
		if len(rows) == 0 {
			return clause{}, ""
		}
		of.rows, of.rank = append(of.rows, rows...), max(of.rank, by)
		behind = behind[len(m[0]):]
	}
	noun := aNoun.FindString(behind)
	if noun != "" && (plainNoun.MatchString(noun) || isOne.MatchString(behind[len(noun):])) {
		behind = behind[len(noun):]
	}
	of.sure = word != "" || ofSelf.MatchString(behind)
	return of, behind
}

// numbered are the rows of a number: the line of that number, or those up to another; those of which the bank wrote it;
// those of that amount.
func (q Asked) numbered(sign, number, to string) (rows []uuid.UUID, by rank) {
	those := func(is func(AskedLine) bool) (rows []uuid.UUID) {
		for _, l := range q.Lines {
			if is(l) {
				rows = append(rows, l.Transaction)
			}
		}
		return rows
	}
	whole := !strings.Contains(number, ".")
	n, _ := strconv.Atoi(strings.Split(number, ".")[0])
	if whole && sign == "" {
		last := n
		if to != "" {
			last, _ = strconv.Atoi(to)
		}
		rows = those(func(l AskedLine) bool { return n <= l.N && l.N <= last && l.N > 0 })
		if len(rows) > 0 || to != "" {
			return rows, byNumber
		}
	}
	const leastWritten = 3 // digits of a number by which a line of the bank is known
	if year := len(number) == 4 && (number[:2] == "19" || number[:2] == "20"); whole && sign != "$" &&
		len(number) >= leastWritten && !year || sign == "#" {
		if rows = those(func(l AskedLine) bool { return writes(l.Description, number) }); len(rows) > 0 {
			return rows, byWord
		}
	}
	if sign == "#" {
		return nil, byWord
	}
	if whole {
		number += ".00"
	}
	amount, err := money.Parse(number)
	if err != nil {
		return nil, byAmount
	}
	return those(func(l AskedLine) bool { return max(l.Amount, -l.Amount) == amount }), byAmount
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

// byParty are the rows of a counterparty among several, by its name or by words of it that mean nothing else.
func (q Asked) byParty(text string, amongNames bool) (of clause, behind string) {
	const longest = 6 // words of a name
	words := strings.Fields(text)
	if len(q.parties().names) < 2 {
		return clause{}, ""
	}
	for n := min(longest, len(words)); n > 0; n-- {
		if rows := q.ofParty(strings.Join(words[:n], " "), amongNames); len(rows) > 0 {
			return clause{part{rows, byName, ""}, true, false}, strings.Join(words[n:], " ")
		}
	}
	return clause{}, ""
}

// ofParty are the rows of the one counterparty that a name means: all of it, several words of it, or one that says
// nothing else to anybody.
func (q Asked) ofParty(name string, amongNames bool) (rows []uuid.UUID) {
	name = strings.TrimSuffix(strings.TrimSuffix(name, "'s"), "’s")
	said := fold(name)
	names, one := q.party(name)
	whole := slices.ContainsFunc(names, func(is string) bool {
		return strings.ReplaceAll(fold(is), " ", "") == strings.ReplaceAll(said, " ", "")
	})
	strange := slices.ContainsFunc(strings.Fields(said), strangeWord) || amongNames && capital.MatchString(name)
	if !one || !whole && !strange && !proper.MatchString(name) {
		return nil
	}
	for _, l := range q.Lines {
		if slices.Contains(names, l.Counterparty) {
			rows = append(rows, l.Transaction)
		}
	}
	return rows
}

// A name as one writes it: of one word, and of several.
var (
	capital = regexp.MustCompile(`^\p{Lu}[\pL'.-]+$`)
	proper  = regexp.MustCompile(`^\p{Lu}.*\s\p{Lu}[\pL'&.-]*$`)
)

// strangeWord reports whether a word says nothing of money to anybody, so that it may be a name.
func strangeWord(word string) bool {
	const shortest = 3
	l := theLexicon()
	return len(word) >= shortest && !l.words[word] && !l.stems[stem(word)] && !plainWords[word]
}

// plainWords are common ones that say nothing of money.
var plainWords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`the and for are was were all not but his her our your they them this that these
		those with from what who one two out off new big old good day way man men too any can did has had got how may
		now see use via per yes own some most more much many other another each every little small large great
		north south east west first second last city county state street road park lake river valley hill center`) {
		words[w] = true
	}
	return words
}()

// byKind are rows by what their lines read, as a question about several such things calls it: the internet 60 %.
func (q Asked) byKind(text string) (of clause, behind string) {
	const longest = 64 // bytes of what a kind is called
	for end := range min(len(text), longest) + 1 {
		if end < len(text) && text[end] != ' ' {
			continue
		}
		behind := strings.TrimSpace(text[end:])
		if rows := q.ofKind(text[:end]); len(rows) > 0 && saysOfKind.MatchString(behind) {
			return clause{part{rows, byName, ""}, true, false}, behind
		}
	}
	return clause{}, ""
}

// byDescription are rows by words of their lines: the convention center one, the Saigon stuff.
func (q Asked) byDescription(text string) (of clause, behind string) {
	m := someOnes.FindStringSubmatch(allThe.ReplaceAllString(text, "$1 "))
	if m == nil {
		m = bankWords.FindStringSubmatch(text)
	}
	if m == nil {
		return clause{}, ""
	}
	behind = allThe.ReplaceAllString(text, "$1 ")[len(m[0]):]
	if behind != "" && !isOne.MatchString(behind) {
		return clause{}, ""
	}
	said := " " + fold(m[1])
	of = clause{part{nil, byWord, ""}, true, false}
	for _, l := range q.Lines {
		if reads := " " + fold(l.Description+" "+l.Counterparty) + " "; strings.Contains(reads, said+" ") ||
			strings.Contains(reads, said+"s ") || strings.Contains(reads, said+"es ") {
			of.rows = append(of.rows, l.Transaction)
		}
	}
	return of, behind
}

// namedIn are rows that words name somewhere within: by a counterparty, or as line 3.
func (q Asked) namedIn(text string) (rows []uuid.UUID) {
	has := map[uuid.UUID]bool{}
	add := func(more []uuid.UUID) {
		for _, row := range more {
			if !has[row] {
				has[row], rows = true, append(rows, row)
			}
		}
	}
	for _, m := range lineWithin.FindAllStringSubmatch(text, -1) {
		more, _ := q.numbered("", m[1], "")
		add(more)
	}
	words, known := strings.Fields(text), q.parties().words
	for i := range words {
		if first, _, _ := strings.Cut(fold(words[i]), " "); known[first] == nil {
			continue
		}
		if of, _ := q.byParty(strings.Join(words[i:], " "), false); len(of.rows) > 0 {
			add(of.rows)
		}
	}
	if len(rows) == len(q.Lines) {
		return nil
	}
	return rows
}
