package answers

import "bizfin/internal/wording"

// ofALoan reads how much interest is in a year's payments, of which the rest pays the loan back, also where their lines
// read like a lease.
func (q Asked) ofALoan(words string) (Meaning, bool) {
	said := interestFigure(words)
	if said == "" || q.Direction() != wording.Out || !paysBack.MatchString(words) || len(q.mentions(words)) > 0 {
		return Meaning{}, false
	}
	m, _ := q.readSplit(said)
	return m, m.Split != nil
}
