package answers

import (
	"fmt"
	"regexp"
	"strings"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// Understand reads an answer: a chosen option, a reserved word, the label of an option, the name of a category or of a
// relationship that says what the money is, or words whose meaning stands clear. Other words are unclear.
func Understand(q Asked, words string, option *string) Meaning {
	m := q.understand(words, option)
	m.Several = m.Unclear && q.apart() && len(strings.Fields(words)) > oneThing
	return m
}

// oneOfThem is what says of one row, or of so many, that it is something else.
var oneOfThem = regexp.MustCompile(`(?i)(?:[,;]|\bbut|\band)\s+(?:(?:but|and|the)\s+)*(?:one\s+(?:was|is|` +
	`for\s+(?:me|us|my|our|home|the\s+house))|(?:two|three|four|five|\d{1,2})\s+(?:times|smallest|largest|biggest|` +
	`of\s+(?:these|them|those)))\b`)

// oneThing is how many words say one thing at most.
const oneThing = 2

func (q Asked) understand(words string, option *string) Meaning {
	if option == nil {
		if m, ok := q.nothingSaid(words); ok {
			return m
		}
		if nothingIsSaid(words) {
			return q.unclear(nil)
		}
		q.with = calledIn(q.Lines)
		if q.ofOtherRows(words) {
			return q.unclear(q.Read(words).Candidates)
		}
		words = q.inHalves(inParts(q.withoutAll(q.withoutDenials(q.explained(words)))))
		if len(q.Lines) > 1 && oneOfThem.MatchString(words) && len(q.mentions(words)) == 0 {
			return q.unclear(nil) // of which, is not said
		}
		if m, ok := q.ofALoan(words); ok {
			return m
		}
		if m, ok := q.splitBut(separated(words)); ok {
			return m
		}
		if m, ok := q.understandParts(separated(words)); ok {
			return m
		}
		if m, ok := q.ofOneRow(words); ok {
			return m
		}
		if each, ok := q.ofEachReading(words, q.rows()); ok {
			return Meaning{Exceptions: each, Partial: true}
		}
	}
	m := q.saidOfAll(words, option)
	if mixes := m.Mixed && len(q.Lines) > 1; option == nil &&
		(mixes && ofTheOtherRows.MatchString(words) || q.tellsOfRefund(words, m)) {
		m = q.unclear(nil)
	}
	if c, _ := ontology.ScheduleC().ByID(m.CategoryID); option == nil && c != nil && c.Is("personal") &&
		worksForUs.MatchString(words) {
		m = q.unclear(nil)
	}
	if option == nil && m.Split == nil && (m.CategoryID != 0 || m.Mixed) && losesShare(words) {
		m = q.unclear(nil)
	}
	if m.Broken != nil && (fullStop.MatchString(words) || isProse.MatchString(words)) { // nobody meant to write a split
		m = q.unclear(nil)
	}
	if option == nil {
		if each := q.whoseTax(words, m, q.rows()); each != nil {
			if len(each) == 1 && each[0].CategoryID == 0 {
				return q.unclear([]*ontology.Category{federalIncomeTax, stateIncomeTax})
			}
			return Meaning{Exceptions: each, Partial: true}
		}
		return q.ofOthers(words, q.whichSalesTax(words, m, q.rows()), false)
	}
	return m
}

// AskAfter asks what words mean that were not understood. Of several things it asks which row is which.
func AskAfter(words string, several bool) string {
	const most = 120
	if runes := []rune(words); len(runes) > most {
		words = string(runes[:most]) + "…"
	}
	asks := fmt.Sprintf("You wrote %q. Which of these is it?", words)
	if several {
		asks += " Where rows are several things, say of each what it is, by the number of its line or by whom it is " +
			"with, as in `2, 5: personal; rest: supplies`."
	}
	return asks
}

// NeedsLines reports whether what an answer means depends on the rows of its question: words do, save for one alone.
func (q Asked) NeedsLines(words string, option *string) bool {
	if o, ok := q.chosen(plain(words), option); ok {
		return o.Value == questions.AsRead
	}
	return option == nil && !q.Company && (q.readApart() || len(strings.Fields(separated(words))) > 1 || mayName(words))
}
