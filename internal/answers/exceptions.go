package answers

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/wording"
)

// An answer may be a rule with exceptions, of parts between semicolons:
//
//	answer = part *(";" part)
//	part   = [lines ":"] target
//	lines  = line *("," line)
//	line   = 3 | 3-5 | #1041 | #TAX | 950.00 | "rest" | the name of a counterparty among the rows
//
// "line 3", "3 to 5", "3..5" and "$1,950.00" are read, too: an amount has its cents, and names all rows of it. A
// target is whatever can be said of a row: an option, the path or the name of a category, words that stand clear; a
// split, whose parts have commas between them; or "not sure", which leaves its rows open. A part without lines is
// about all that no other part names, as "rest" is. A number outranks what is behind a #, that an amount, that a
// name, and that the rest. Each part may divide its rows in its own way. The business's share is of what the line of
// each row reads. A number of three digits and more that is no line's is one that the bank wrote, as on checks.
//
// Words before a colon that name no rows may be a name that nobody here has, so that what is behind them is not said
// of the rows that are asked about.

// part is one part of an answer.
type part struct {
	rows   []uuid.UUID // empty for the rest
	rank   rank        // the weakest of what names them
	target string
	words  string // of the answer, as they stand there
	lost   bool   // what is said of the rows is not understood, whatever it reads

	unknown []string // what other parts of the answer say of names that no row has
}

// mayName reports whether an answer is written as parts that name rows.
func mayName(words string) bool { return strings.Contains(separated(words), ":") }

var (
	lineRange = regexp.MustCompile(`(?i)^(?:(?:lines?|rows?|no\.?|numbers?)\s*)?(\d{1,5})` +
		`(?:\s*(?:-|–|—|\.{2,3}|\bto\b|\bthrough\b)\s*(\d{1,5}))?$`)
	checkNamed = regexp.MustCompile(`(?i)^checks?\s*(?:(?:no\.?|number)\s*)?#?\s*(\d{1,12})` +
		`(?:\s*(?:-|–|\bto\b|\bthrough\b)\s*(\d{1,12}))?$`)
	lineNamed = regexp.MustCompile(`^#(\w+)$`)
	lineOf    = regexp.MustCompile(`^((?i:\$|usd)?)\s*(\d{1,12}\.\d\d)$`)
	joinedBy  = regexp.MustCompile(`(?i)\s+(?:and|&)\s+`)
	amountIn  = regexp.MustCompile(`\b\d{1,3}(?:,\d{3})+\.\d\d\b`)
	// meantLines is what is written as lines are, whether or not they are there.
	meantLines = regexp.MustCompile(`(?i)^(?:#.*|` + digitsAndSo + `\pN` + digitsAndSo + `)$`)
)

const (
	digitsAndSo = `(?:(?:not|lines?|rows?|no|numbers?|and|to|through)\b|[\pN.,&\s\p{Pd}])*`
	howNamed    = "rows are named by their number, such as 2 or 2-5, by a number or word of the bank behind #, " +
		"by their amount with its cents, by the name of a counterparty among them, or as the rest"
)

// parts reads an answer as parts that name rows; ok is false where it is no such answer but plain words. problem says
// what is wrong with one that names what is not there.
func (q Asked) parts(words string) (parts []part, problem string, ok bool) {
	if q.Company || !mayName(words) {
		return nil, "", false
	}
	words = q.withoutHeading(words)
	rests := 0
	var unknown []string // what is said of names that no row has
	for text := range strings.SplitSeq(strings.TrimRight(strings.TrimSpace(words), ";"), ";") {
		of, target, named := strings.Cut(text, ":")
		switch {
		case named:
		case len(q.Lines) == 0:
			continue
		default:
			of, target = "rest", text
		}
		if others := restIs.FindStringSubmatch(of); others != nil { // everything else is business: fuel, repairs
			of, target = "rest", others[1]
		}
		p := part{target: strings.TrimRight(strings.TrimSpace(target), " .!")}
		var nobody []string
		for _, line := range q.references(of) {
			known, problem := q.name(&p, line)
			_, path := pathOf(p.target)
			switch {
			case problem != "":
				return nil, problem, true
			case known:
			case path, len(q.Lines) > 0 && meantLines.MatchString(line):
				return nil, fmt.Sprintf("must name rows of the question before a colon: it has none that are %q; %s",
					line, howNamed), true
			case q.mayBeNobody(line, p.target):
				nobody = append(nobody, line)
			default:
				return nil, "", false
			}
		}
		if nobody != nil && p.target != "" {
			unknown = append(unknown, strings.Join(nobody, ", ")+": "+p.target)
			if len(p.rows) == 0 {
				continue
			}
		}
		if p.target == "" {
			return nil, "must say what the rows before each colon are", true
		}
		if p.rank == theRest {
			rests++
		}
		parts = append(parts, p)
	}
	if len(q.Lines) == 0 {
		return nil, "", false
	}
	if unknown != nil {
		if parts, ok = withoutRest(parts, &unknown); !ok {
			return nil, "", false
		}
		rests, parts[0].unknown = 0, unknown
	}
	if rests > 1 {
		return nil, "must say once, and once only, what the rest is; beside rows that are named the parts of a split " +
			"stand between commas, as in: 60% car, rest personal", true
	}
	if rests == 1 && q.namesAll(parts) {
		return nil, "must leave the rest out: the other parts name all lines of the question", true
	}
	return parts, "", true
}

// withoutRest are the parts that name rows, where others name somebody whom no row is known by: then nobody can tell
// which rows are the rest. ok is false where none names any.
func withoutRest(parts []part, unknown *[]string) (named []part, ok bool) {
	for _, p := range parts {
		if p.rank == theRest {
			*unknown = append(*unknown, "rest: "+p.target)
		} else {
			named = append(named, p)
		}
	}
	return named, len(named) > 0
}

// mayBeNobody reports whether what stands before a colon may be the name of somebody with whom no row is, of whom it
// says something: not a thing that the rows behind the colon are.
func (q Asked) mayBeNobody(name, target string) bool {
	_, party := q.party(target)
	return len(q.Lines) > 1 && aPlainName.MatchString(name) && !noName.MatchString(name) && !party &&
		!aNumberOf.MatchString(target)
}

var aNumberOf = regexp.MustCompile(`#|\d{3}|^\d[\d\s,–-]*$`)

var aPlainName = regexp.MustCompile(`^\p{Lu}[\pL\d'’&.-]*(?:\s+[\pL\d'’&.*/-]+){0,4}$`)

// noName is what stands before a colon and is nobody's name.
var noName = regexp.MustCompile(`(?i)^(?:none|all|both|each|everything|everyone|nothing|yes|no|note|ps|answer|` +
	`others?|rest)\b`)

// references are those before a colon: between commas, or joined by "and" where that is no part of a name.
func (q Asked) references(of string) (all []string) {
	for line := range strings.SplitSeq(amountsWhole(of), ",") {
		line = strings.TrimSpace(line)
		if _, one := q.party(line); one {
			all = append(all, line)
			continue
		}
		for _, line := range joinedBy.Split(line, -1) {
			all = append(all, strings.TrimSpace(line))
		}
	}
	return all
}

// amountsWhole leaves the commas out that only set thousands apart, in front of cents.
func amountsWhole(lines string) string {
	return amountIn.ReplaceAllStringFunc(lines, func(amount string) string {
		return strings.ReplaceAll(amount, ",", "")
	})
}

// namesAll reports whether the parts of an answer name all rows of the question.
func (q Asked) namesAll(parts []part) bool {
	named := map[uuid.UUID]bool{}
	for _, p := range parts {
		for _, row := range p.rows {
			named[row] = true
		}
	}
	return len(named) == len(q.Lines)
}

// name adds the rows that a reference names; known is false where it is none.
func (q Asked) name(p *part, reference string) (known bool, problem string) {
	add := func(is func(AskedLine) bool) (known bool) {
		for _, l := range q.Lines {
			if !is(l) {
				continue
			}
			known = true
			if !slices.Contains(p.rows, l.Transaction) { // 43-51 and all other of that bank
				p.rows = append(p.rows, l.Transaction)
			}
		}
		return known
	}
	if len(q.Lines) == 0 {
		return false, ""
	}
	if m := lineRange.FindStringSubmatch(reference); m != nil {
		from, _ := strconv.Atoi(m[1])
		to := from
		if m[2] != "" {
			to, _ = strconv.Atoi(m[2])
		}
		if written := q.writtenAs(m[1], m[2]); written != nil && !q.isLine(from) {
			p.rank = max(p.rank, byWord)
			p.rows = append(p.rows, written...)
			return true, ""
		}
		for _, n := range []int{from, to} {
			if !slices.ContainsFunc(q.Lines, func(l AskedLine) bool { return l.N == n }) {
				return true, fmt.Sprintf("must name lines of the question: there is no line %d", n)
			}
		}
		if !add(func(l AskedLine) bool { return from <= l.N && l.N <= to }) {
			return true, "must name lines of the question from the first to the last: " + reference + " has none"
		}
		return true, ""
	}
	if m := checkNamed.FindStringSubmatch(reference); m != nil {
		if written := q.writtenAs(m[1], m[2]); written != nil {
			p.rank = max(p.rank, byWord)
			p.rows = append(p.rows, written...)
			return true, ""
		}
	}
	if m := lineNamed.FindStringSubmatch(reference); m != nil {
		p.rank = max(p.rank, byWord)
		number := regexp.MustCompile(`(?i)(^|\W)0*` + m[1] + `(\W|$)`)
		if !strings.ContainsAny(m[1], "0123456789_") { // 9000000014TAXES
			number = regexp.MustCompile(`(?i)(^|\PL)` + m[1] + `(?:e?s)?(\PL|$)`)
		}
		if !add(func(l AskedLine) bool { return number.MatchString(l.Description) }) {
			return true, "must name lines of the question: none has the number or word " + reference
		}
		return true, ""
	}
	if m := lineOf.FindStringSubmatch(reference); m != nil {
		p.rank = max(p.rank, byAmount)
		amount, err := money.Parse(m[2])
		if err != nil || !add(func(l AskedLine) bool {
			return max(l.Amount, -l.Amount) == amount && (m[1] == "" || l.Currency == "USD")
		}) {
			return true, "must name lines of the question: none has the amount " + reference
		}
		return true, ""
	}
	switch wording.Fold(reference) {
	case "rest", "the rest", "all", "all others", "others", "everything else":
		p.rank = theRest
		return true, ""
	}
	if names, one := q.party(othersOf.ReplaceAllString(reference, "")); one {
		p.rank = max(p.rank, byName)
		return add(func(l AskedLine) bool { return slices.Contains(names, l.Counterparty) }), ""
	}
	rows, by := q.ofKind(reference), byName
	if rows == nil && (bankWrites.MatchString(reference) || howPaid.MatchString(reference)) { // NET: net pay
		rows, by = q.wordOfSome(strings.TrimSuffix(strings.ToUpper(reference), "S")), byWord
	}
	if rows == nil && aPlainName.MatchString(reference) {
		rows = q.onLines(reference)
	}
	p.rank = max(p.rank, by)
	return add(func(l AskedLine) bool { return slices.Contains(rows, l.Transaction) }), ""
}

var (
	// othersOf stands before somebody whose rows are named, too: 43-51 and all other RBFCU.
	othersOf   = regexp.MustCompile(`(?i)^(?:(?:all|any)\s+(?:the\s+)?)?other\s+`)
	howPaid    = regexp.MustCompile(`(?i)^(?:cash|checks?)$`)
	bankWrites = regexp.MustCompile(`^[A-Z][A-Z\d]{2,}$`)
	restIs     = regexp.MustCompile(`(?i)^\s*(?:and\s+)?(?:the\s+)?(?:rest|everything\s+else|all\s+else|` +
		`others)\s+(?:is|are)\s+` +
		`(.+)$`)
	// aHeading stands before parts that are numbered: Loan. 7: 250.45 interest, rest principal.
	aHeading = regexp.MustCompile(`^\s*([\pL\s'’-]{3,40})\.\s+(\d+(?:\s*[-,–]\s*\d+)*\s*:)`)
)

// wordOfSome are the rows, and not all of them, that a word of the bank stands in.
func (q Asked) wordOfSome(word string) []uuid.UUID {
	is := regexp.MustCompile(`(^|\PL)` + regexp.QuoteMeta(word) + `(?:E?S)?(\PL|$)`)
	rows := q.those(func(l AskedLine) bool { return is.MatchString(strings.ToUpper(l.Description)) })
	if len(rows) == len(q.Lines) {
		return nil
	}
	return rows
}

// withoutHeading are words without what stands before parts that are numbered, where these name all rows.
func (q Asked) withoutHeading(words string) string {
	of := aHeading.FindStringSubmatchIndex(words)
	if of == nil {
		return words
	}
	if parts, problem, ok := q.parts(words[of[4]:]); !ok || problem != "" || !q.namesAll(parts) {
		return words
	}
	return words[of[4]:]
}

// isLine reports whether a number is that of a line.
func (q Asked) isLine(n int) bool {
	return slices.ContainsFunc(q.Lines, func(l AskedLine) bool { return l.N == n })
}

// writtenAs are the rows of a number that the bank wrote, as on checks, or from it up to another; nil where it is too
// short to be known by.
func (q Asked) writtenAs(number, last string) []uuid.UUID {
	const shortest = 3
	if len(number) < shortest {
		return nil
	}
	return q.writtenUpTo(number, last)
}

// party is the one counterparty among the rows that a name means: wholly, or by some of its words. Rows whose lines
// write the words of its name in another order are with it, too.
func (q Asked) party(reference string) (names []string, one bool) {
	return q.parties().one(reference)
}
