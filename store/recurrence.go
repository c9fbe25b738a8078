package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/recurrence"
	"bizfin/store/statement"
)

// rhythmRows is how many of a counterparty's newest rows its rhythm is looked for in: a monthly payment of five years,
// and what lists of counterparties cost does not grow with the business.
const rhythmRows = 60

// paymentRow is a row with a counterparty, as far as it may recur.
type paymentRow struct {
	CounterpartyID uuid.UUID    `db:"counterparty_id"`
	Currency       string       `db:"currency"`
	Amount         money.Amount `db:"amount"`
	Day            time.Time    `db:"primary_date"`
	AsOf           time.Time    `db:"as_of"`
}

// Rhythms finds what recurs with each counterparty, by currency. What is overdue is measured by the newest row of the
// business that is not of the future: a rhythm is not over because nothing was uploaded since.
func (o *Organization) Rhythms(ctx context.Context, now time.Time,
	counterparties []uuid.UUID) (map[uuid.UUID]map[string]recurrence.Rhythm, error) {
	var rows []paymentRow
	err := o.prepared().SelectContext(ctx, &rows, `
		WITH present AS (
		  SELECT coalesce(greatest((
		    SELECT primary_date
		    FROM transactions
		    WHERE organization_id = $1
		      AND deleted_at IS NULL
		      AND processing = 'processed'
		      AND primary_date <= $3::date
		    ORDER BY primary_date DESC, id DESC
		    LIMIT 1), (
		    SELECT max(primary_date)
		    FROM (`+statement.Waiting("$1", statement.Newest, "primary_date <= $3::date")+`) w)), $3::date) AS as_of)
		SELECT c.id AS counterparty_id, t.currency, t.amount, t.primary_date, p.as_of
		FROM present p
		CROSS JOIN unnest($2::uuid[]) AS c (id)
		CROSS JOIN LATERAL (
		  SELECT currency, amount, primary_date
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND counterparty_id = c.id
		    AND deleted_at IS NULL
		  ORDER BY primary_date DESC, id DESC
		  LIMIT $4) t
		ORDER BY c.id, t.primary_date DESC`,
		o.ID, uuids(counterparties), now.UTC().Format(time.DateOnly), rhythmRows)
	if err != nil {
		return nil, translate(ctx, err)
	}
	return rhythmsOf(rows), nil
}

// rhythmsOf are what recurs among rows, those of each counterparty newest first.
func rhythmsOf(rows []paymentRow) map[uuid.UUID]map[string]recurrence.Rhythm {
	payments := map[uuid.UUID]map[string][]recurrence.Payment{}
	read := map[uuid.UUID]int{}
	oldest := map[uuid.UUID]time.Time{}
	for _, r := range rows {
		if payments[r.CounterpartyID] == nil {
			payments[r.CounterpartyID] = map[string][]recurrence.Payment{}
		}
		of := payments[r.CounterpartyID]
		of[r.Currency] = append(of[r.Currency], recurrence.Payment{Day: r.Day, Amount: r.Amount})
		oldest[r.CounterpartyID] = r.Day
		read[r.CounterpartyID]++
	}
	found := map[uuid.UUID]map[string]recurrence.Rhythm{}
	for id, currencies := range payments {
		found[id] = map[string]recurrence.Rhythm{}
		for currency, list := range currencies {
			if read[id] == rhythmRows { // there are more of the oldest day, perhaps
				list = beforeDay(list, oldest[id])
			}
			if rhythm, ok := recurrence.Of(list, rows[0].AsOf); ok {
				found[id][currency] = rhythm
			}
		}
	}
	return found
}

// beforeDay are the payments, newest first, before the first one of a day.
func beforeDay(list []recurrence.Payment, day time.Time) []recurrence.Payment {
	for i, p := range list {
		if p.Day.Equal(day) {
			return list[:i]
		}
	}
	return list
}
