package questions

import (
	"github.com/google/uuid"

	"bizfin/internal/money"
)

// AskedRow is a row of a question that is answered by a rule, with or without exceptions.
type AskedRow struct {
	Transaction uuid.UUID    `db:"id"`
	Party       string       `db:"party"` // whom it is with; empty where the line names nobody
	Amount      money.Amount `db:"amount"`
	Shown       bool         `db:"-"` // its line is one of those that the question shows
	Apart       bool         `db:"-"` // the answer says something else of it than the rule, or leaves it open
}

// Unseen are the rows of a question that its answer does not speak for, as nobody was shown them and they may be
// something else. Where lines with somebody were said to be another thing than the rule says, others may have to be,
// too; of who is not among those shown, that goes by all of these. And what is bought for less than half of what was
// shown, or for more than twice of it, is often another thing; where one line was shown, for a quarter less or a third
// more.
func Unseen(about Key, rows []AskedRow) []uuid.UUID {
	type seen struct {
		differ         bool
		least, largest money.Amount
		lines          int
	}
	const anybody = "\x00"
	by := map[string]seen{}
	for _, r := range rows {
		size := max(r.Amount, -r.Amount)
		for _, party := range [...]string{r.Party, anybody} {
			s, ok := by[party]
			switch {
			case !r.Shown:
			case !ok:
				by[party] = seen{r.Apart, size, size, 1}
			default:
				by[party] = seen{s.differ || r.Apart, min(s.least, size), max(s.largest, size), s.lines + 1}
			}
		}
	}
	var unseen []uuid.UUID
	for _, r := range rows {
		s, ok := by[r.Party]
		if !ok {
			s = by[anybody]
		}
		size := max(r.Amount, -r.Amount)
		other := 2*size < s.least || size > 2*s.largest
		if s.lines == 1 {
			other = 4*size < 3*s.least || 3*size > 4*s.largest
		}
		bought := r.Amount < 0 && (about.OfFamily() || about.OfCounterparty())
		if !r.Shown && !r.Apart && (s.differ || bought && other) {
			unseen = append(unseen, r.Transaction)
		}
	}
	return unseen
}

// WhyUnseen is why rows are asked about once more that an answer did not speak for.
const WhyUnseen = "Their lines were not among those shown when you answered the same question: they may differ, as " +
	"some of those did, or are of other amounts."

// WhyRest is why rows are asked about once more some of which an answer left open, while it does not speak for the
// others.
const WhyRest = "You left some of these open when you answered the same question. The lines of the others were not " +
	"among those shown then: they may differ, as some of those did, or are of other amounts."
