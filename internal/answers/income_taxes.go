package answers

import (
	"regexp"

	"github.com/google/uuid"
)

// whoseTax has rows that words call income tax be the tax of whoever takes it: what the IRS takes is federal, what a
// state's department takes is the state's, unless the words say which it is. nil where that is nothing else.
func (q Asked) whoseTax(words string, m Meaning, rows []uuid.UUID) []Exception {
	_, path := pathOf(plain(words))
	_, chosen := q.chosen(plain(words), nil)
	ofState := ofAState.MatchString(words)
	if m.CategoryID != federalIncomeTax.ID && m.CategoryID != stateIncomeTax.ID || path || chosen ||
		saysWhose.MatchString(words) && !ofState {
		return nil
	}
	of := map[int][]uuid.UUID{}
	for _, l := range q.Lines {
		switch said := l.Counterparty + " " + l.Description; {
		case !has(rows, l.Transaction):
		case ofState && byIRS.MatchString(said):
			of[0] = append(of[0], l.Transaction) // that is no state
		case ofState:
			of[stateIncomeTax.ID] = append(of[stateIncomeTax.ID], l.Transaction)
		case byIRS.MatchString(said):
			of[federalIncomeTax.ID] = append(of[federalIncomeTax.ID], l.Transaction)
		case byState.MatchString(said):
			of[stateIncomeTax.ID] = append(of[stateIncomeTax.ID], l.Transaction)
		case isEstimated.MatchString(words):
			of[m.CategoryID] = append(of[m.CategoryID], l.Transaction)
		default:
			of[0] = append(of[0], l.Transaction) // whose, is not said
		}
	}
	var each []Exception
	for _, id := range []int{federalIncomeTax.ID, stateIncomeTax.ID, 0} {
		if of[id] != nil {
			each = append(each, Exception{Transactions: of[id], CategoryID: id})
		}
	}
	if len(each) == 1 && each[0].CategoryID == m.CategoryID {
		return nil
	}
	return each
}

var (
	saysWhose = regexp.MustCompile(`(?i)\b(?:federal|irs|local|city|county)\b|\bstate\s+(?:income|estimate\w*|` +
		`tax\w*|return)|\s(?-i:\p{Lu}\pL{2,})`)
	isEstimated = regexp.MustCompile(`(?i)\b(?:estimate[ds]?|quarterl(?:y|ies))\b`)

	byIRS   = regexp.MustCompile(`(?i)\b(?:irs|internal\s+revenue|usataxpymt|eftps|1040)\b`)
	byState = regexp.MustCompile(`(?i)\b\w\wtax(?:pmt|pay|inc)|\b(?:dept|department|state|revenue|dor|ftb|` +
		`franchise\s+tax|comptroller|` +
		`treasur\w+)\b`)
)
