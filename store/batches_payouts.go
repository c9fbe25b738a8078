package store

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/questions"
)

// payoutsThatStand are payouts of customers' money, by their categories, that nobody answered and that stand.
const payoutsThatStand = `category_id = ANY ($2::integer[]) AND category_source IN ('rule', 'merchant')`

// payoutCategories are those of [questions.Payouts] as an array.
func payoutCategories() (payouts pq.Int64Array) {
	for _, c := range questions.Payouts() {
		payouts = append(payouts, int64(c))
	}
	return payouts
}

// payoutsSinceLent has all rows gone through where payouts stand of somebody who lent to the business, by
// [questions.BrandOf], by their day, as is known only now. Rows that are decided again do not have it done while all
// are gone through anyway, where it would begin again for ever.
func (o *Organization) payoutsSinceLent(ctx context.Context, tx *sqlx.Tx, now time.Time, lent map[string]time.Time,
	again bool) error {
	var brands, days []string
	for brand, since := range lent {
		brands, days = append(brands, brand), append(days, since.Format(time.DateOnly))
	}
	if len(brands) == 0 {
		return nil
	}
	var stand bool
	err := tx.GetContext(ctx, &stand, `
		SELECT EXISTS (
		  SELECT
		  FROM unnest($3::text[], $4::date[]) AS l (brand, day)
		  JOIN counterparties c ON c.organization_id = $1 AND (c.key = l.brand OR starts_with(c.key, l.brand || ' '))
		  JOIN transactions t ON t.organization_id = $1 AND t.counterparty_id = c.id AND t.primary_date >= l.day
		  WHERE `+payoutsThatStand+`
		    AND t.processing = 'processed'
		    AND t.filing_state = 'unfiled'
		    AND t.deleted_at IS NULL
		    AND NOT ($5 AND EXISTS (
		      SELECT
		      FROM standing_due
		      WHERE organization_id = $1)))`,
		o.ID, payoutCategories(), pq.StringArray(brands), pq.StringArray(days), again)
	if err != nil || !stand {
		return err
	}
	return o.queueAll(ctx, tx, now)
}
