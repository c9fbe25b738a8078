package answers

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/split"
	"bizfin/internal/wording"
)

// understandParts reads an answer of parts. Rows of a part that is not understood stay open, as long as another part
// is: what the rest seems to be is not to be guessed of them.
func (q Asked) understandParts(words string) (Meaning, bool) {
	if q.with == nil {
		q.with = calledIn(q.Lines)
	}
	var m Meaning
	parts, problem, ok := q.parts(words)
	sentences := false
	several := fullStop.MatchString(words) || strings.Count(words, ":") > 1 // 1001: rent, 1002: the lawyer
	written := strings.Contains(words, ";")
	if !ok && (!written || !mayName(words) || q.numbersRows(words)) || several && !written {
		told, named, unheard := q.told(words)
		m.Unheard = unheard
		switch {
		case named && told == nil && !ok:
			return q.unclear(nil), true
		case told != nil:
			parts, problem, ok, sentences = told, "", true, true
		}
	}
	switch {
	case !ok && (len(q.Lines) > 0 || strings.Contains(words, ";") && !q.Company):
		return q.ofWhom(words)
	case !ok:
		return Meaning{}, false
	case problem != "":
		return Meaning{Problem: problem}, true
	}
	m, ok = q.ofParts(parts, sentences, m)
	if sentences {
		m.Unheard = append(m.Unheard, q.alsoUnheard(words, m)...)
	}
	return m, ok
}

// ofParts is what an answer of parts means, with what of it is not understood. Nobody who writes in sentences meant to
// write a part.
func (q Asked) ofParts(parts []part, sentences bool, m Meaning) (Meaning, bool) {
	if sentences {
		parts = q.closest(parts)
	}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(a.rank, b.rank) })
	understood, missed := 0, false
	for _, p := range parts {
		m.Unheard = append(m.Unheard, p.unknown...)
	}
	taken := map[uuid.UUID]part{}
	for _, p := range parts {
		rows, twice := q.claim(p, taken)
		if twice {
			return Meaning{Problem: "must say of each row once what it is: two parts name the same one"}, true
		}
		says := q.ofPart(p, rows)
		if sentences && (says.Broken != nil || says.Problem != "") {
			says = Meaning{Unclear: true}
		}
		switch {
		case says.Broken != nil || says.Problem != "":
			return says, true
		case says.Unclear && p.rank != theRest && (sentences || len(rows) > 0):
			m.Exceptions = append(m.Exceptions, Exception{Transactions: rows, Missed: p.said()}) // they stay open
		case says.Unclear:
			missed = true
			m.Unheard = append(m.Unheard, p.said())
		case p.rank == theRest && missed:
		case p.rank == theRest && says.Exceptions == nil:
			m.CategoryID, m.Relationship, m.Split = says.CategoryID, says.Relationship, says.Split
			understood++
		default:
			m.Exceptions = append(m.Exceptions, says.Exceptions...)
			understood++
		}
	}
	decides := slices.ContainsFunc(m.Exceptions, func(e Exception) bool { return e.CategoryID != 0 })
	if m.Partial = m.CategoryID == 0; understood == 0 || m.Partial && !decides {
		return q.unclear(nil), true
	}
	return m, true
}

// alsoUnheard are sentences of an answer that left rows open which neither decided any row nor are said to be not
// understood: those that name others, and those that say something of rows they do not name.
func (q Asked) alsoUnheard(words string, m Meaning) (unheard []string) {
	if !m.Partial || len(m.Exceptions) == 0 {
		return nil
	}
	missed := slices.Clone(m.Unheard)
	for _, e := range m.Exceptions {
		missed = append(missed, e.Missed)
	}
	within := func(text, of string) bool { return strings.Contains(wording.Fold(text), wording.Fold(of)) }
	for _, text := range sentenceEnds.Split(words, -1) {
		text = strings.Trim(text, " .!")
		said := article.ReplaceAllString(text, "")
		if said == "" || nobodyKnows.MatchString(text) || slices.ContainsFunc(missed, func(is string) bool {
			return is != "" && (within(text, is) || within(is, text))
		}) {
			continue
		}
		if q.readApart() && forWork.MatchString(text) { // each is what its line reads
			continue
		}
		named := q.mentions(text)
		decides := slices.ContainsFunc(m.Exceptions, func(e Exception) bool {
			return slices.ContainsFunc(named, func(m mention) bool { return common(m.rows, e.Transactions) != nil })
		})
		if !decides && (len(named) > 0 || q.says(said) || linked.MatchString(" "+text+" ")) {
			unheard = append(unheard, text)
		}
	}
	return unheard
}

// sentenceEnds are what parts sentences.
var sentenceEnds = regexp.MustCompile(`[.!]\s+|[;\n]\s*`)

// said is what a part says that is not understood; empty where that is not what is wrong with it.
func (p part) said() string {
	switch {
	case p.target == notSure, p.target == leftOutPart, strings.Contains(p.target, unclearPart) && p.words == "":
		return ""
	default:
		return cmp.Or(strings.TrimSpace(p.words), strings.TrimSpace(p.target))
	}
}

// ofPart is what an answer means by one of its parts: of the rest, or as exceptions of rows.
func (q Asked) ofPart(p part, rows []uuid.UUID) Meaning {
	if p.lost || p.target == leftOutPart {
		return Meaning{Unclear: true}
	}
	if each, ok := q.ofEachReading(p.target, rows); ok {
		return Meaning{Exceptions: each}
	}
	if c := q.ofTheseRows(p, rows); c != nil {
		return Meaning{Exceptions: []Exception{{Transactions: rows, CategoryID: c.ID}}}
	}
	p.target = q.inDollars(p.target, rows)
	if p.rank != theRest && q.offers(federalIncomeTax) && private.MatchString(wording.Fold(plain(p.target))) {
		p.target = ownTax // what the IRS takes of the owner
	}
	if o, ok := q.chosen(plain(p.target), nil); ok && o.Value == questions.AsRead {
		each := q.eachAsRead(rows)
		unread := !slices.ContainsFunc(each, func(e Exception) bool { return e.CategoryID != 0 })
		return Meaning{Exceptions: each, Unclear: unread} // what they are to be read as they do not read
	}
	says := q.ofOthers(p.target, q.whichSalesTax(p.target, q.target(p.target), rows), p.rank != theRest)
	if each := q.whoseTax(p.target, says, rows); each != nil {
		return Meaning{Exceptions: each}
	}
	_, path := pathOf(plain(p.target))
	if says.Learned && misspelledPath(p.target) || !path && q.ofManyKinds(says, rows) {
		says = Meaning{}
	}
	var broken *split.Problem
	switch {
	case errors.As(says.Broken, &broken) && broken.Unknown != "" && !strings.Contains(broken.Unknown, "."):
		return Meaning{Unclear: true} // a name that nobody knows; the other parts hold
	case says.Broken != nil:
		return Meaning{Broken: says.Broken}
	case says.CategoryID == 0 && says.Reserved != wording.Skip:
		if c, found := ontology.ScheduleC().ByPath(p.target); strings.Contains(p.target, ".") && (!found ||
			!c.Assignable) {
			return Meaning{Problem: "must name categories that transactions are assigned to: " +
				"there is no " + p.target}
		}
		return Meaning{Unclear: true}
	case p.rank == theRest:
		return says
	}
	return Meaning{Exceptions: []Exception{{Transactions: rows, CategoryID: says.CategoryID, Split: says.Split,
		Unsure: says.Reserved == wording.Skip}}}
}

// whichSalesTax asks which it is where words say that rows are sales tax and their lines do not read it as apart from
// what customers pay: whether it is counted there the words do not say, nor has the business yet.
func (q Asked) whichSalesTax(words string, m Meaning, rows []uuid.UUID) Meaning {
	_, path := pathOf(plain(words))
	_, chosen := q.chosen(plain(words), nil)
	named := wording.Same(questions.SalesTaxCollected.Name, plain(words)) // as the follow-up calls it
	if m.CategoryID != questions.SalesTaxCollected.ID || path || chosen || named || len(rows) == 0 {
		return m
	}
	for _, l := range q.Lines {
		if slices.Contains(rows, l.Transaction) && l.Reads == questions.SalesTaxCollected.ID {
			return m
		}
	}
	return q.unclear([]*ontology.Category{questions.SalesTaxIncluded, questions.SalesTaxCollected})
}

// claim takes the rows of a part: those that no part before it took, which names them more closely. twice is whether
// one as close named one of them.
func (q Asked) claim(p part, taken map[uuid.UUID]part) (rows []uuid.UUID, twice bool) {
	if p.rank == theRest {
		p.rows = q.rows()
	}
	for _, row := range p.rows {
		by, is := taken[row]
		twice = twice || is && by.rank == p.rank && p.rank != theRest
		if !is {
			rows = append(rows, row)
		}
	}
	for _, row := range rows {
		taken[row] = p
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
	if slices.Contains(business, wording.Fold(words)) || allBusiness.MatchString(words) {
		return Exception{CategoryID: reads.ID}, true
	}
	q.reads, q.Lines = reads, nil
	if said, is := inPercent(words); is {
		words = said
	} else if of := ofHomeOffice.FindStringSubmatch(words); of != nil {
		words = of[1] + "% home office, rest personal"
	} else if justHalf.MatchString(words) {
		words = "50% business, rest personal"
	}
	m, _ := q.divided(words)
	if m.Split == nil {
		return Exception{}, false
	}
	return Exception{CategoryID: split.Category, Split: m.Split}, true
}

var (
	// ofHomeOffice is the share of what is used at home that the room takes in which one works.
	ofHomeOffice = regexp.MustCompile(`(?i)^\s*(\d[\d.]*)\s*(?:%|percent)\s+(?:(?:for|is|of|to|my|our|` +
		`the)\s+)*home\s+office[\s.!]*$`)
	justHalf = regexp.MustCompile(`(?i)^\s*(?:about\s+)?half(?:\s+of\s+it)?[\s.!]*$`)
)

// isCalled reports whether words are the very name of a category, or of an option that is one.
func (q Asked) isCalled(words string) bool {
	o, _ := q.chosen(plain(words), nil)
	_, option := ontology.ScheduleC().ByPath(o.Value)
	c, named := wording.CategoryNamed(plain(words), q.Direction())
	return option || named && wording.IsName(plain(words)) && c.Assignable
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
		if !strings.Contains(words, ";") && q.isCalled(before) { // what is behind it only explains
			return q.target(strings.TrimSpace(before)), true
		}
		if c := q.ofGoodsSold(behind); c != nil && !strings.Contains(words, ";") { // or what stands before it
			return Meaning{CategoryID: c.ID}, true
		}
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
