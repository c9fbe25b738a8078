package questions

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/split"
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
// each row reads.
//
// Words before a colon that name no rows may be a name that nobody here has, so that what is behind them is not said
// of the rows that are asked about.

// part is one part of an answer.
type part struct {
	rows   []uuid.UUID // empty for the rest
	rank   rank        // the weakest of what names them
	target string
}

// rank orders references by which outranks which.
type rank int

const (
	byNumber rank = iota
	byWord
	byAmount
	byName
	theRest
)

// mayName reports whether an answer may name rows, so that the rows of its question are worth reading.
func mayName(words string) bool { return strings.Contains(separated(words), ":") }

// NeedsLines reports whether what an answer means depends on the rows of its question.
func (q Asked) NeedsLines(words string, option *string) bool {
	if o, ok := q.chosen(plain(words), option); ok && o.Value == AsRead {
		return true
	}
	return option == nil && (mayName(words) || q.readApart())
}

// readApart reports whether the rows are told apart by what their lines read.
func (q Asked) readApart() bool {
	return slices.ContainsFunc(q.Options, func(o Option) bool { return o.Role == RoleReads })
}

var (
	lineRange = regexp.MustCompile(`(?i)^(?:(?:lines?|rows?|no\.?|numbers?)\s*)?(\d{1,5})` +
		`(?:\s*(?:-|–|—|\.{2,3}|\bto\b|\bthrough\b)\s*(\d{1,5}))?$`)
	lineNamed = regexp.MustCompile(`^#(\w+)$`)
	lineOf    = regexp.MustCompile(`^((?i:\$|usd)?)\s*(\d{1,12}\.\d\d)$`)
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
	rests := 0
	for text := range strings.SplitSeq(strings.TrimRight(strings.TrimSpace(words), ";"), ";") {
		of, target, named := strings.Cut(text, ":")
		switch {
		case named:
		case len(q.Lines) == 0:
			continue
		default:
			of, target = "rest", text
		}
		p := part{target: strings.TrimSpace(target)}
		for line := range strings.SplitSeq(amountsWhole(of), ",") {
			line = strings.TrimSpace(line)
			known, problem := q.name(&p, line)
			_, path := pathOf(p.target)
			switch {
			case problem != "":
				return nil, problem, true
			case known:
			case path, len(q.Lines) > 0 && meantLines.MatchString(line):
				return nil, fmt.Sprintf("must name rows of the question before a colon: it has none that are %q; %s",
					line, howNamed), true
			default:
				return nil, "", false
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
	if rests > 1 {
		return nil, "must say once, and once only, what the rest is; beside rows that are named the parts of a split " +
			"stand between commas, as in: 60% car, rest personal", true
	}
	if rests == 1 && q.namesAll(parts) {
		return nil, "must leave the rest out: the other parts name all lines of the question", true
	}
	return parts, "", true
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
	add := func(is func(AskedLine) bool) bool {
		before := len(p.rows)
		for _, l := range q.Lines {
			if is(l) {
				p.rows = append(p.rows, l.Transaction)
			}
		}
		return len(p.rows) > before
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
	if m := lineNamed.FindStringSubmatch(reference); m != nil {
		p.rank = max(p.rank, byWord)
		number := regexp.MustCompile(`(?i)(^|\W)0*` + m[1] + `(\W|$)`)
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
	switch fold(reference) {
	case "rest", "the rest", "all", "all others", "others", "everything else":
		p.rank = theRest
		return true, ""
	}
	name, one := q.party(reference)
	if one {
		p.rank = max(p.rank, byName)
		add(func(l AskedLine) bool { return l.Counterparty == name })
	}
	return one, ""
}

// party is the one counterparty among the rows that a name means: wholly, or by some of its words.
func (q Asked) party(reference string) (name string, one bool) {
	said := fold(reference)
	var whole, some []string
	for _, l := range q.Lines {
		is := fold(l.Counterparty)
		switch {
		case is == "" || said == "":
		case is == said && !slices.Contains(whole, l.Counterparty):
			whole = append(whole, l.Counterparty)
		case strings.Contains(" "+is+" ", " "+said+" ") && !slices.Contains(some, l.Counterparty):
			some = append(some, l.Counterparty)
		}
	}
	if len(whole) == 0 {
		whole = some
	}
	if len(whole) != 1 {
		return "", false
	}
	return whole[0], true
}

// understandParts reads an answer of parts. Where one of them is not understood nothing is.
func (q Asked) understandParts(words string) (Meaning, bool) {
	parts, problem, ok := q.parts(words)
	switch {
	case !ok && (len(q.Lines) > 0 || strings.Contains(words, ";") && !q.Company):
		return q.ofWhom(words)
	case !ok:
		return Meaning{}, false
	case problem != "":
		return Meaning{Problem: problem}, true
	}
	var m Meaning
	read := false
	taken := map[uuid.UUID]rank{}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.rank, b.rank) })
	for _, p := range parts {
		rows, twice := q.claim(p, taken)
		if twice {
			return Meaning{Problem: "must say of each row once what it is: two parts name the same one"}, true
		}
		if each, ok := q.ofEachReading(p.target, rows); ok {
			m.Exceptions = append(m.Exceptions, each...)
			continue
		}
		if o, ok := q.chosen(plain(p.target), nil); ok && o.Value == AsRead {
			m.Exceptions, read = append(m.Exceptions, q.eachAsRead(rows)...), true
			continue
		}
		says := q.ofOthers(p.target, q.target(p.target), p.rank != theRest)
		if says.Learned && misspelledPath(p.target) {
			says = Meaning{}
		}
		switch {
		case says.Broken != nil:
			return Meaning{Broken: says.Broken}, true
		case says.CategoryID == 0 && says.Reserved != Skip:
			if c, found := ontology.ScheduleC().ByPath(p.target); strings.Contains(p.target, ".") && (!found ||
				!c.Assignable) {
				return Meaning{Problem: "must name categories that transactions are assigned to: " +
					"there is no " + p.target}, true
			}
			return q.unclear(nil), true
		}
		if p.rank == theRest {
			m.CategoryID, m.Relationship, m.Split = says.CategoryID, says.Relationship, says.Split
			continue
		}
		m.Exceptions = append(m.Exceptions, Exception{Transactions: rows, CategoryID: says.CategoryID,
			Split: says.Split})
	}
	m.Partial = m.CategoryID == 0
	if read && m.Partial && !slices.ContainsFunc(m.Exceptions, func(e Exception) bool { return e.CategoryID != 0 }) {
		return q.unclear(nil), true // what they are to be read as they do not read
	}
	return m, true
}

// claim takes the rows of a part: those that no part before it took, which names them more closely. twice is whether
// one as close named one of them.
func (q Asked) claim(p part, taken map[uuid.UUID]rank) (rows []uuid.UUID, twice bool) {
	if p.rank == theRest {
		p.rows = q.rows()
	}
	for _, row := range p.rows {
		by, is := taken[row]
		twice = twice || is && by == p.rank && p.rank != theRest
		if !is {
			rows = append(rows, row)
		}
	}
	for _, row := range rows {
		taken[row] = p.rank
	}
	return rows, twice
}

// ofEachReading is what an answer says of rows by the business's share of what the line of each reads; those whose
// lines read nothing that is the business's stay open. ok is false where it says no such share.
func (q Asked) ofEachReading(words string, rows []uuid.UUID) (each []Exception, ok bool) {
	words = plain(words)
	if m, _ := q.readSplit(words); m.Split != nil || m.Broken != nil || !q.readApart() {
		return nil, false
	}
	among := map[uuid.UUID]bool{}
	for _, row := range rows {
		among[row] = true
	}
	yearly := 0 // readings of which it says the amounts of a year
	for _, l := range q.Lines {
		if !among[l.Transaction] {
			continue
		}
		says := Exception{}
		if c, known := ontology.ScheduleC().ByID(l.Reads); known && c.Kind.OnForm() && c.Assignable {
			if says, ok = q.shareOf(words, c); !ok {
				return nil, false
			}
		}
		at := slices.IndexFunc(each, func(e Exception) bool {
			return e.CategoryID == says.CategoryID && (e.Split == nil || slices.Equal(e.Split.Parts, says.Split.Parts))
		})
		if at < 0 {
			at, each = len(each), append(each, says)
			if says.Split != nil && says.Split.Yearly {
				yearly++
			}
		}
		each[at].Transactions = append(each[at].Transactions, l.Transaction)
	}
	return each, ok && yearly < 2 // a year's amounts are of one thing
}

// shareOf is what an answer says of rows whose lines read a category, where it names the business's share.
func (q Asked) shareOf(words string, reads *ontology.Category) (Exception, bool) {
	if slices.Contains(business, fold(words)) {
		return Exception{CategoryID: reads.ID}, true
	}
	q.reads, q.Lines = reads, nil
	m, _ := q.readSplit(words)
	if m.Split == nil {
		return Exception{}, false
	}
	return Exception{CategoryID: split.Category, Split: m.Split}, true
}

// target is what is said of the rows before a colon. It names no rows itself: where it is written as if it did, it has
// the problem that there are none.
func (q Asked) target(words string) Meaning {
	q.Lines = nil
	if m, ok := q.nothingSaid(words); ok {
		return m
	}
	if _, problem, ok := q.parts(words); ok {
		return Meaning{Problem: problem}
	}
	return q.saidOfAll(words, nil)
}

// ofWhom reads words with colons that name no rows: they are unclear where what is behind one has a meaning of its own,
// unless what stands before it means the same. ok is false where they are words like others.
func (q Asked) ofWhom(words string) (m Meaning, ok bool) {
	if _, divides := q.readSplit(plain(words)); divides { // car: 60%; rest: personal
		return Meaning{}, false
	}
	for text := range strings.SplitSeq(words, ";") {
		before, behind, colon := strings.Cut(text, ":")
		if !colon {
			continue
		}
		says, of := q.target(strings.TrimSpace(behind)), q.target(strings.TrimSpace(before))
		if says.CategoryID == of.CategoryID && says.Mixed == of.Mixed || says.CategoryID == 0 && !says.Mixed {
			continue
		}
		var readings []*ontology.Category
		for _, id := range []int{says.CategoryID, of.CategoryID} {
			if c, known := ontology.ScheduleC().ByID(id); known {
				readings = append(readings, c)
			}
		}
		return q.unclear(readings), true
	}
	return Meaning{}, false
}
