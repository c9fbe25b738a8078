package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/money"
	"bizfin/internal/split"
)

// notTooLarge is a *MisfitError where a split makes a part of some row, filed ones too, that is more than an amount can
// be: where something is taken off, the other parts come to more than the row.
func (o *Organization) notTooLarge(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID, spec split.Spec) error {
	if !spec.TakesOff() {
		return nil
	}
	var list []splitRow
	err := tx.SelectContext(ctx, &list, `
		SELECT t.id, t.account_id, t.amount, t.currency, t.primary_date
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		    AND deleted_at IS NULL
		  LIMIT 1) t
		ORDER BY t.primary_date, t.id`,
		o.ID, uuids(rows))
	if err != nil {
		return err
	}
	years := map[int][]money.Amount{}
	for _, r := range list {
		switch {
		case !r.of(spec):
		case spec.Yearly:
			years[r.Day.Year()] = append(years[r.Day.Year()], r.Amount)
		case errors.Is(spec.Fits(r.Amount), split.ErrTooLarge):
			return &MisfitError{fmt.Sprintf("has parts that come to more than an amount can be, of the %s of %s, "+
				"which it is about", money.TotalOf(r.Amount).Abs(), r.Day.Format(time.DateOnly))}
		}
	}
	for year, payments := range years {
		for _, portions := range spec.OverYear(payments, nil) {
			if split.TooLarge(portions) {
				return &MisfitError{fmt.Sprintf("has parts that come to more than an amount can be, of a payment of "+
					"%d, which it is about", year)}
			}
		}
	}
	return nil
}
