package store

import (
	"database/sql"
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

// The months of a row are summed anew where reports sum something else of it, and no others are.
func TestAChangeMarksTheMonthsThatReportsSumOtherwise(t *testing.T) {
	t.Parallel()
	const january, february = day(20468), day(20488) // the 15th, and 4 February of 2026
	processed := row{ID: uuid.New(), said: said{AccountID: uuid.New(), Amount: 100, Currency: "USD",
		PrimaryDate: january, ProcessedDate: january},
		understood: understood{Processing: "processed", Category: 3000, Text: sql.NullString{String: "x", Valid: true}}}
	for name, test := range map[string]struct {
		change func(r *row)
		months []string
	}{
		"nothing":      {func(*row) {}, nil},
		"a category":   {func(r *row) { r.Category = 3250 }, []string{"2026-01-01"}},
		"a suggestion": {func(r *row) { r.Category, r.Suggested = 0, 3000 }, []string{"2026-01-01"}},
		"a counterparty": {func(r *row) { r.CounterpartyID = uuid.NullUUID{UUID: uuid.New(), Valid: true} },
			[]string{"2026-01-01"}},
		"a pair": {func(r *row) { r.TransferID = uuid.NullUUID{UUID: uuid.New(), Valid: true} },
			[]string{"2026-01-01"}},
		"an amount": {func(r *row) { r.Amount = -100 }, []string{"2026-01-01"}},
		"another month": {func(r *row) { r.PrimaryDate, r.ProcessedDate = february, february },
			[]string{"2026-01-01", "2026-02-01"}},
		"two dates":           {func(r *row) { r.PrimaryDate = january - 9 }, []string{"2026-01-01"}},
		"pending":             {func(r *row) { r.Pending = true }, []string{"2026-01-01"}},
		"another currency":    {func(r *row) { r.Currency = "EUR" }, []string{"2026-01-01"}},
		"to be decided again": {func(r *row) { r.Processing = "queued" }, []string{"2026-01-01"}},
		"a deletion":          {func(r *row) { r.Deleted = true }, []string{"2026-01-01"}},
		"attention":           {func(r *row) { r.NeedsAttention = true }, nil},
		"words":               {func(r *row) { r.Text.String = "y" }, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after := processed
			test.change(&after)
			l := &ledger{before: map[uuid.UUID]row{processed.ID: processed},
				after: map[uuid.UUID]row{processed.ID: after},
				added: map[uuid.UUID]*accountNumbers{}}
			c := l.changes()
			if diff := cmp.Diff(test.months, slices.Sorted(maps.Keys(c.months))); diff != "" {
				t.Errorf("(-want +marked): %s", diff)
			}
			if listed := len(c.texts) > 0; listed != (name == "words") {
				t.Errorf("its words are listed: %t", listed)
			}
		})
	}
}
