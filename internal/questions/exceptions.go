package questions

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/ontology"
)

// An answer may be a rule with exceptions, of parts between semicolons:
//
//	answer = part *(";" part)
//	part   = [lines ":"] target
//	lines  = line *("," line)
//	line   = 3 | 3-5 | #1041 | #TAX | "rest" | the name of a counterparty among the rows
//
// A target is whatever can be said of a row: an option, the path or the name of a category, words that stand clear; a
// split, whose parts have commas between them; or "not sure", which leaves its rows open. A part without lines is about
// all that no other part names, as "rest" is. A line outranks a name, and that the rest. One answer divides rows in one
// way: two splits in it are unclear.

// AskedLine is a row of a question as an answer can name it.
type AskedLine struct {
	N            int // the number that it is shown with
	Transaction  uuid.UUID
	Description  string
	Counterparty string // its name; empty where the line names nobody
	Reads        int    // the category that its line reads; 0 where nothing is suggested
}

// Exception is what an answer says of some rows of a question alone.
type Exception struct {
	Transactions []uuid.UUID
	CategoryID   int // 0 leaves them open, split.Category divides them as the answer says
}

// part is one part of an answer.
type part struct {
	rows   []uuid.UUID // empty for the rest
	rest   bool
	named  bool // by a name, which a line outranks
	target string
}

// MayName reports whether an answer may name rows, so that the rows of its question are worth reading.
func MayName(words string) bool { return strings.Contains(words, ":") }

// NeedsLines reports whether what an answer means depends on the rows of its question.
func (q Asked) NeedsLines(words string, option *string) bool {
	if o, ok := q.chosen(words, option); ok && o.Value == AsRead {
		return true
	}
	return option == nil && MayName(words)
}

var (
	lineRange = regexp.MustCompile(`^(\d{1,5})(?: ?[-–] ?(\d{1,5}))?$`)
	lineNamed = regexp.MustCompile(`^#(\w+)$`)
)

// parts reads an answer as parts that name rows; ok is false where it is no such answer but plain words. problem says
// what is wrong with one that names what is not there.
func (q Asked) parts(words string) (parts []part, problem string, ok bool) {
	if len(q.Lines) == 0 || !MayName(words) {
		return nil, "", false
	}
	rests := 0
	for text := range strings.SplitSeq(strings.TrimRight(strings.TrimSpace(words), ";"), ";") {
		of, target, named := strings.Cut(text, ":")
		if !named {
			of, target = "rest", text
		}
		p := part{target: strings.TrimSpace(target)}
		for line := range strings.SplitSeq(of, ",") {
			var known bool
			if known, problem = q.name(&p, strings.TrimSpace(line)); !known {
				return nil, "", false
			}
			if problem != "" {
				return nil, problem, true
			}
		}
		if p.target == "" {
			return nil, "must say what the rows before each colon are", true
		}
		if p.rest {
			rests++
		}
		parts = append(parts, p)
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
	if m := lineRange.FindStringSubmatch(reference); m != nil {
		from, _ := strconv.Atoi(m[1])
		to := from
		if m[2] != "" {
			to, _ = strconv.Atoi(m[2])
		}
		if !add(func(l AskedLine) bool { return from <= l.N && l.N <= to }) {
			return true, "must name lines of the question: there is no line " + reference
		}
		return true, ""
	}
	if m := lineNamed.FindStringSubmatch(reference); m != nil {
		number := regexp.MustCompile(`(?i)(^|\W)0*` + m[1] + `(\W|$)`)
		if !add(func(l AskedLine) bool { return number.MatchString(l.Description) }) {
			return true, "must name lines of the question: none has the number or word " + reference
		}
		return true, ""
	}
	switch fold(reference) {
	case "rest", "the rest", "all", "all others", "others", "everything else":
		p.rest = true
		return true, ""
	}
	name, one := q.party(reference)
	if one {
		p.named = true
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
	case !ok:
		return Meaning{}, false
	case problem != "":
		return Meaning{Problem: problem}, true
	}
	var m Meaning
	whole := q
	whole.Lines = nil
	taken := map[uuid.UUID]bool{}
	slices.SortStableFunc(parts, func(a, b part) int { return rankOf(a) - rankOf(b) })
	for _, p := range parts {
		says := Understand(whole, p.target, nil)
		if says.Learned && misspelledPath(p.target) {
			says = Meaning{}
		}
		divides := says.Split != nil
		switch {
		case says.Broken != nil:
			return Meaning{Broken: says.Broken}, true
		case divides && m.Split != nil:
			return q.unclear(nil), true
		case divides:
			m.Split = says.Split
		case says.CategoryID <= 0 && says.Reserved != Skip:
			if c, found := ontology.ScheduleC().ByPath(p.target); strings.Contains(p.target, ".") && (!found ||
				!c.Assignable) {
				return Meaning{Problem: "must name categories that transactions are assigned to: " +
					"there is no " + p.target}, true
			}
			return q.unclear(nil), true
		}
		if p.rest {
			m.CategoryID, m.Relationship = says.CategoryID, says.Relationship
			continue
		}
		e := Exception{CategoryID: says.CategoryID}
		for _, row := range p.rows {
			if !taken[row] {
				taken[row] = true
				e.Transactions = append(e.Transactions, row)
			}
		}
		m.Exceptions = append(m.Exceptions, e)
	}
	m.Partial = m.CategoryID == 0
	return m, true
}

// asRead is that each row of a question is what its line reads; those that read nothing stay open.
func (q Asked) asRead() Meaning {
	m := Meaning{Partial: true}
	for _, l := range q.Lines {
		c, ok := ontology.ScheduleC().ByID(l.Reads)
		if !ok || c.Is(ontology.Uncategorized) || !c.Assignable {
			continue
		}
		at := slices.IndexFunc(m.Exceptions, func(e Exception) bool { return e.CategoryID == c.ID })
		if at < 0 {
			at = len(m.Exceptions)
			m.Exceptions = append(m.Exceptions, Exception{CategoryID: c.ID})
		}
		m.Exceptions[at].Transactions = append(m.Exceptions[at].Transactions, l.Transaction)
	}
	if len(m.Exceptions) == 0 {
		return q.unclear(nil)
	}
	return m
}

// rankOf orders parts by which outranks which.
func rankOf(p part) int { return btoi(p.named) + 2*btoi(p.rest) }

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
