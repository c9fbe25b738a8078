package answers

import (
	"math/bits"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/money"
)

// mentions are the places where words name rows, in their order. What names all of them names none. The same words are
// looked through once for each answer.
func (q Asked) mentions(text string) []mention {
	if q.with == nil || len(q.Lines) == 0 {
		return q.lookThrough(text)
	}
	all, known := q.with.mentioned[text]
	if !known {
		all = q.lookThrough(text)
		for i := range all {
			all[i].rows = slices.Clip(all[i].rows) // who adds to them has rows of their own
		}
		q.with.mentioned[text] = all
	}
	return slices.Clone(all)
}

func (q Asked) lookThrough(text string) (all []mention) {
	for at := 0; at < len(text); {
		m, ok := mention{}, false
		if beginsWord(text, at) {
			m, ok = q.mentionAt(text, at, all)
		}
		if !ok {
			at++
			continue
		}
		m.from = at
		all = append(all, m)
		at = m.to
	}
	return q.joined(text, all)
}

func beginsWord(text string, at int) bool {
	if at > 1 && text[at-1] == ',' && inNumber(text, at-1) { // the 700 of 2,700
		return false
	}
	return !strings.ContainsRune(" \n\t", rune(text[at])) &&
		(at == 0 || strings.ContainsRune(" \n\t(,;:/\"'-&", rune(text[at-1])))
}

// mentionAt is the mention that begins at a word.
func (q Asked) mentionAt(text string, at int, before []mention) (m mention, ok bool) {
	for _, by := range []func(string, int, []mention) (mention, bool){
		q.placeAt, q.numberAt, q.dateAt, q.partyAt, q.wordsAt, q.signAt,
	} {
		if m, ok = by(text, at, before); ok {
			break
		}
	}
	if ok && m.kind == theParty {
		m = q.numberedOf(text, m)
	}
	return m, ok && len(m.rows) > 0 && len(m.rows) < len(q.Lines)
}

// numberedOf are of the rows of somebody those whose numbers stand behind the name: Costco 9 was towels.
func (q Asked) numberedOf(text string, m mention) mention {
	say := numbersBehind.FindStringSubmatch(text[m.to:])
	if say == nil {
		return m
	}
	var rows []uuid.UUID
	for _, number := range numberRuns.FindAllString(say[1], -1) {
		n, _ := strconv.Atoi(number)
		of := common(m.rows, q.numbered(n, ""))
		if of == nil || q.ofAmount(number, false) != nil {
			return m
		}
		rows = append(rows, of...)
	}
	m.rows, m.rank, m.to, m.several = rows, byNumber, m.to+len(say[0])-len(say[2]), len(rows) > 1
	return m
}

// numbersBehind are numbers of lines behind a name.
var numbersBehind = regexp.MustCompile(`(?i)^\s+(?:lines?\s+|#)?(\d{1,3}(?:\s*(?:,|\band\b|&)\s*\d{1,3})*)` +
	`(\s+(?:is|are|was|were)\b|\s*[,.;:]|\s*$)`)

// joined are mentions with those that follow one another as one: of a list the rows of each, else those that all of
// them name, as in "Rick's 95 in August".
func (q Asked) joined(text string, all []mention) (runs []mention) {
	var list []mention          // of the run that is heard
	var party, base []uuid.UUID // whose rows were named last, and those of which dates are said
	by := byName                // how these were
	end := func() {
		if len(list) == 0 {
			return
		}
		run := list[0]
		run.rows = nil
		for _, m := range list {
			for _, row := range m.rows {
				if !slices.Contains(run.rows, row) {
					run.rows = append(run.rows, row)
				}
			}
			run.to, run.rank = m.to, max(run.rank, m.rank)
			run.sure, run.several = run.sure || m.sure || len(list) > 1, run.several || m.several || len(list) > 1
		}
		if len(run.rows) < len(q.Lines) {
			runs = append(runs, run)
		}
		list = nil
	}
	for i, m := range all {
		if m.kind == theAmount || m.kind == theWords || m.kind == thePlace {
			m.rows = among(m.rows, party)
		}
		if of := common(m.rows, party); m.kind == theDate && of != nil {
			m.rows, m.rank = of, by
		}
		if m.kind == theParty || m.kind == theWords {
			party, by = m.rows, m.rank
		}
		if i == 0 {
			list = []mention{m}
			continue
		}
		last := &list[len(list)-1]
		if m.kind == theAmount && partFollows.MatchString(upBefore(text, list[0].from)) {
			end() // of the 1,275, 1,245 was a check that bounced
			list, base = []mention{m}, nil
			continue
		}
		if n := len(runs); n > 0 && last.kind == theAmount && sameAs(runs[n-1].rows, last.rows) {
			end() // Carly bought it for 600, and Deb's 180 is a gift
			list, base = []mention{m}, nil
			continue
		}
		switch between := text[all[i-1].to:m.from]; {
		case m.kind == theDate && thereafter.MatchString(text[m.from:]): // until May rent, after that insurance
			end()
			list, base = []mention{m}, nil
		case endsList(last.kind, m, between, text), endsAside(all[i-1], m, between, text):
			end()
			list, base = []mention{m}, nil
		case listed.MatchString(between),
			m.kind <= theNumber && text[m.from] == '#' && strings.TrimSpace(between) == "",    // #1201 #1202
			m.kind == theDate && all[i-1].kind == theDate && strings.TrimSpace(between) == "": // Uber Jan Mar May
			if m.kind == theDate && base != nil {
				if m.rows = common(base, m.rows); m.rows == nil {
					list[len(list)-1].to = m.to // none of those on that day
					continue
				}
				m.rank = min(m.rank, byName)
			}
			if apposed := last.kind >= theParty && last.kind != theDate; apposed && m.kind < theParty &&
				len(m.rows) < len(last.rows) && len(common(last.rows, m.rows)) == len(m.rows) {
				list = list[:len(list)-1] // the two B&H ones, 214.95 and 89.50
			}
			list = append(list, m)
		case m.kind == theDate && all[i-1].kind == theDate && upTo.MatchString(between):
			last.rows, last.to = among(q.between(last.rows, m.rows), party), m.to
		case m.kind == theDate && len(list) > 1 && sameRows.MatchString(between) && eachHas(list, m.rows):
			base = allOf(list) // the Ubers and Lyfts on Mar 13
			list = []mention{{from: list[0].from, to: m.to, rows: common(base, m.rows), rank: list[0].rank,
				kind: theAmount, sure: true, several: true}}
		case sameRows.MatchString(between) && common(last.rows, m.rows) != nil:
			if m.kind == theDate {
				base = last.rows
			}
			last.rows, last.to = common(last.rows, m.rows), m.to
			last.rank, last.sure, last.kind = min(last.rank, m.rank), true, theAmount
		default:
			end()
			list, base = []mention{m}, nil
		}
	}
	end()
	return runs
}

// endsList reports whether somebody who is named behind a comma, after an amount or a day, begins something else: all
// but the 555, Deb is private. A list says are.
func endsList(last mentioned, m mention, between, text string) bool {
	return m.kind == theParty && last != theParty && last != theWords && strings.Contains(between, ",") &&
		!listGoesOn.MatchString(text[m.to:])
}

// endsAside reports whether somebody who is named behind a comma begins something else, as the one before it only says
// to whom a payment was: 8/7 was a loan to Miguel, Dana is rent.
func endsAside(before, m mention, between, text string) bool {
	behind := wordBehind.FindStringSubmatch(text[m.to:])
	return m.kind == theParty && before.kind == theParty && strings.TrimSpace(between) == "," &&
		toWhom.MatchString(upBefore(text, before.from)) && behind != nil && !listEnds.MatchString(behind[1])
}

var (
	toWhom     = regexp.MustCompile(`(?i)\b(?:to|from|for|by|with)\s+$`)
	wordBehind = regexp.MustCompile(`^(?:['’]s)?\s+(\pL+)`)
	listEnds   = regexp.MustCompile(`(?i)^(?:and|are|were|all|both|too)$`)
)

var listGoesOn = regexp.MustCompile(`(?i)^(?:\s*(?:,|and|&)\s*\S+){0,4}\s+(?:are|were|all)\b`)

// partFollows stands before a row of which figures follow.
var partFollows = regexp.MustCompile(`(?i)(?:^|[.,;]\s*|\band\s+|\bbut\s+)of(?:\s+(?:the|that))?\s+\$?$`)

var (
	sameRows = regexp.MustCompile(`(?i)^[\s(]*(?:(?:in|on|from|of|at|to|for|the|ones?|checks?|payments?|` +
		`deposits?|charges?|that|cash|order|back|is|,)\s*)*[$(]*$`)
)

var (
	sized = regexp.MustCompile(`(?i)^(?:the\s+)?(one|two|three|four|five|six|\d)?\s*(big(?:gest|ger)?|` +
		`huge|large(?:st|r)?|small(?:est|er)?|little|tiny)\s+ones?\b`)
)

// placeAt are rows by where they stand in the list or by how large they are: the first three, the two big ones.
func (q Asked) placeAt(words string, at int, before []mention) (m mention, ok bool) {
	text := words[at:]
	m = mention{rank: byWord, kind: thePlace, sure: true, to: at}
	if say := superlative.FindStringSubmatch(text); say != nil {
		return q.extreme(say[1], mention{rank: byWord, kind: thePlace, sure: true, to: at + len(say[0]) - len(say[2])})
	}
	if say := sized.FindStringSubmatch(text); say != nil {
		one := strings.HasSuffix(strings.ToLower(say[0]), "one")
		if one && strings.HasSuffix(strings.ToLower(say[2]), "er") {
			return mention{}, false // the larger one is one of those that were named
		}
		lines, n := q.asListed(), count(say[1])
		if theirs, behind := q.ofWhomBehind(words, at+len(say[0])); theirs != nil { // the big ones to Georgia
			lines = slices.DeleteFunc(lines, func(l AskedLine) bool { return !has(theirs, l.Transaction) })
			say[0] += words[at+len(say[0]) : behind]
		}
		slices.SortStableFunc(lines, func(a, b AskedLine) int { return int(size(b.Amount) - size(a.Amount)) })
		if strings.Contains("slt", strings.ToLower(say[2][:1])) && !strings.EqualFold(say[2][:2], "la") {
			slices.Reverse(lines)
		}
		if say[1] == "" && !strings.HasSuffix(say[2], "st") {
			n = untilGap(lines)
		}
		if several := strings.HasSuffix(strings.ToLower(say[0]), "ones"); several && n == 1 && say[1] == "" {
			return mention{}, false // the smaller ones are no one row
		}
		if n >= len(lines) || !farApart(lines[n-1].Amount, lines[n].Amount) {
			return mention{}, false
		}
		return q.firstOf(lines, n, m, len(say[0])), true
	}
	return q.inOrder(words, at, before)
}

// ofWhomBehind are the rows of somebody who is named behind to, from and the like, and where that ends; nil where
// nobody is.
func (q Asked) ofWhomBehind(words string, at int) (rows []uuid.UUID, end int) {
	joint := toSomebody.FindString(words[at:])
	if joint == "" {
		return nil, at
	}
	m, ok := q.partyAt(words, at+len(joint), nil)
	if !ok {
		return nil, at
	}
	return m.rows, m.to
}

var toSomebody = regexp.MustCompile(`(?i)^\s+(?:to|from|at|with|of|for)\s+(?:the\s+)?`)

// superlative is the one row that is the largest or the smallest: the biggest was a party at home.
var superlative = regexp.MustCompile(`(?i)^the\s+(biggest|largest|highest|priciest|most\s+expensive|smallest|` +
	`cheapest|lowest|least\s+expensive)(?:\s+(?:one|check|payment|deposit|purchase|charge|order))?(\s+(?:is|was|went)\b|:|,)`)

// extreme is the one row of the largest amount, or of the smallest; there may be none such.
func (q Asked) extreme(which string, m mention) (mention, bool) {
	lines := q.asListed()
	slices.SortStableFunc(lines, func(a, b AskedLine) int { return int(size(b.Amount) - size(a.Amount)) })
	if smallest.MatchString(which) {
		slices.Reverse(lines)
	}
	if len(lines) < 2 || size(lines[0].Amount) == size(lines[1].Amount) {
		return mention{}, false
	}
	m.rows = []uuid.UUID{lines[0].Transaction}
	return m, true
}

var smallest = regexp.MustCompile(`(?i)^(?:smallest|cheapest|lowest|least)`)

// farApart reports whether of two amounts one is far larger, so that the larger are the big ones.
func farApart(a, b money.Amount) bool {
	return moreTimes(max(size(a), size(b)), min(size(a), size(b)), 3, 2)
}

// untilGap are how many of lines in the order of their amounts stand before the widest gap between these: where the
// larger of two is most times the smaller.
func untilGap(lines []AskedLine) int {
	n, large, small := 1, money.Amount(0), money.Amount(1)
	for i := 1; i < len(lines); i++ {
		a, b := size(lines[i-1].Amount), size(lines[i].Amount)
		if moreTimes(max(a, b), max(min(a, b), 1), large, small) {
			n, large, small = i, max(a, b), max(min(a, b), 1)
		}
	}
	return n
}

// moreTimes reports whether a is more times b than c is d, all of them positive or nought; the products need 128 bits.
func moreTimes(a, b, c, d money.Amount) bool {
	high, low := bits.Mul64(uint64(a), uint64(d))
	otherHigh, otherLow := bits.Mul64(uint64(c), uint64(b))
	return high > otherHigh || high == otherHigh && low > otherLow
}
