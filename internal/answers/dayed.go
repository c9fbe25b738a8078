package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/wording"
)

// series are the figures of days that one sentence says. They are parts of rows that were named before: "Lines 6 to 9
// are the 941, our half was 272.87 in July, 264.69 in January"; or of any: "Interest: Jan 125.84, Feb 124.07".
type series struct {
	begun   bool
	base    []uuid.UUID // the rows that they are parts of; nil for all
	subject string      // what the figures are
}

// figureOn is the figure that a saying gives of a part of the row of a day, and the words before it. After the first of
// a series a number without cents is a figure, too.
func figureOn(s saying, m mention, begun bool) (figure, subject string, ok bool) {
	lead, tail := s.text[:m.from], s.text[m.to:]
	sum := aSumOf
	if begun {
		sum = aSumOrNumber
	}
	figures := sum.FindAllString(lead+" "+tail, -1)
	if m.kind != theDate || len(figures) != 1 || strings.Trim(sum.ReplaceAllString(tail, ""), " ()") != "" {
		return "", "", false // on July 14 52.98 was mine
	}
	return strings.Trim(figures[0], " ($"), strings.TrimSpace(figureAway.ReplaceAllString(lead, " ")), true
}

// clauseOn is what a figure of a day says of its row. ok is false where it is not one row, or not more than the figure.
func (q Asked) clauseOn(d series, figure string, days []uuid.UUID) (c clause, ok bool) {
	base := d.base
	if base == nil {
		base = q.rows()
	}
	rows := common(base, days)
	if len(rows) != 1 || d.subject == "" || !q.partOfAll(figure, rows) {
		return clause{rows: slices.Concat(d.base, days), rank: byNumber, sure: true, said: []string{unclearPart}}, false
	}
	return clause{rows: rows, rank: byAmount, sure: true,
		said: []string{strings.Trim(d.subject, " ,:") + " was " + figure}}, true
}

var (
	// someHave is what stands around what some rows have in them.
	someHave = regexp.MustCompile(`(?i)^.*\b(?:have|has|had|there\s+(?:was|were|is|are)|included?s?)\s+(?:(?:also|` +
		`some|a\s+little)\s+)*|\s+in\s+(?:them|it|those|there)\s*$|^.*\bpart\s+was\s+`)
	aSumOf       = regexp.MustCompile(`(?:^|[\s($])\$?\d[\d,]*\.\d\d\b|(?:^|[\s(])\$\s?\d[\d,]*`)
	aSumOrNumber = regexp.MustCompile(aSumOf.String() + `|(?:^|\s)\d{2,6}\b`)
	figureAway   = regexp.MustCompile(`(?i)(?:\s+(?:is|was|were|of)\b)?\s*(?:about\s+)?\$?\d[\d,]*(?:\.\d\d)?\b` +
		`(?:\s+(?:of|in|on|for|from|the|that|it)\b)*\s*$|\s+(?:in|on|for|from)(?:\s+the)?\s*$`)
)

// ofTheOthers is what speaks of rows that were not named yet.
var ofTheOthers = regexp.MustCompile(`(?i)\b(?:others?|rest)\b`)

// cameBackTo is the one of some clauses that words come back to, by a word that only this one has; -1 where there is
// none.
func cameBackTo(clauses []clause, words string) int {
	of := -1
	for _, word := range strings.Fields(wording.Fold(words)) {
		const shortest = 3
		if len(word) < shortest || plainWords[word] || saidOfAny[word] {
			continue
		}
		switch has := haveWord(clauses, word); {
		case len(has) != 1:
		case of >= 0 && of != has[0]:
			return -1
		default:
			of = has[0]
		}
	}
	return of
}

// haveWord are the clauses that have a word.
func haveWord(clauses []clause, word string) (has []int) {
	for i, c := range clauses {
		if strings.Contains(" "+wording.Fold(c.noun+" "+strings.Join(c.said, " "))+" ", " "+word+" ") {
			has = append(has, i)
		}
	}
	return has
}

// saidOfAny are words that figures are said with, whatever they are of.
var saidOfAny = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`interest principal payment payments loan loans fee fees tax taxes year total each
		month altogether together whole rest part amount paid pay pays`) {
		words[w] = true
	}
	return words
}()
