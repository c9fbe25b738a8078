package store

import (
	"time"

	"github.com/google/uuid"
	lru "github.com/hashicorp/golang-lru/v2"

	"bizfin/store/reportsql"
)

// manyRows remembers for which days of a business the form for few rows was asked in vain, so that a report of these
// days asks for the other one at once. The answer does not depend on it: where rows went since, it takes a little
// longer.
type manyRows struct {
	days *lru.Cache[uuid.UUID, [2]time.Time] // the first and the last, by business
}

// manyRowsOf is of how many businesses they are remembered: the last ones to have asked.
const manyRowsOf = 10_000

func newManyRows() manyRows {
	cache, err := lru.New[uuid.UUID, [2]time.Time](manyRowsOf)
	if err != nil {
		panic(err) // of a size below one
	}
	return manyRows{cache}
}

// note is called when there were too many. A filter by counterparty looks for the rows of these alone.
func (m manyRows) note(business uuid.UUID, r reportsql.Report) {
	if !r.FilterByCounterparty && !m.knows(business, r) {
		m.days.Add(business, [2]time.Time{r.From, r.To})
	}
}

func (m manyRows) knows(business uuid.UUID, r reportsql.Report) bool {
	days, ok := m.days.Get(business)
	return ok && !r.FilterByCounterparty && !r.From.After(days[0]) && !r.To.Before(days[1])
}
