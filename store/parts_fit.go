package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/money"
	"bizfin/internal/split"
)

// MisfitError is an answer whose amounts are not those of its rows. Its text is for who gave it.
type MisfitError struct{ Text string }

func (e *MisfitError) Error() string { return "store: the answer " + e.Text }

// fitting is which of the rows that an answer divides its split is not about, and of the split what it says of the
// others. A *MisfitError where its amounts are none of theirs. Filed rows are as they are, and need not fit.
func (o *Organization) fitting(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID,
	spec split.Spec) (others []uuid.UUID, said split.Spec, err error) {
	if spec.Scales() && !spec.TakesOff() || len(rows) == 0 {
		return nil, spec, nil
	}
	var list []splitRow
	err = tx.SelectContext(ctx, &list, `
		SELECT t.id, t.account_id, t.amount, t.currency, t.primary_date, t.filing_state = 'filed' AS filed
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
	if err != nil || len(list) == 0 {
		return nil, spec, err
	}
	if err := notTooLarge(list, spec); err != nil || spec.Scales() {
		return nil, spec, err
	}
	spec.Currency = currencyOf(list, spec)
	about := slices.DeleteFunc(slices.Clone(list), func(r splitRow) bool { return !r.of(spec) })
	for _, r := range list {
		if !r.of(spec) {
			others = append(others, r.ID)
		}
	}
	switch {
	case len(about) > 0:
	case len(spec.Years) > 0:
		return nil, spec, &MisfitError{fmt.Sprintf(
			"says amounts of %d, in which none of the payments is that it is about", spec.Years[0])}
	default:
		return nil, spec, &MisfitError{fmt.Sprintf("says amounts in %s, in which none of the payments is that it is "+
			"about; amounts without a sign are in the currency of the payments", spec.Currency)}
	}
	if spec.Yearly {
		said, err = fittingYears(about, spec)
		return others, said, err
	}
	for _, r := range about {
		if err := spec.Fits(r.Amount); err != nil && !r.Filed {
			return nil, spec, &MisfitError{fmt.Sprintf("%s the %s of %s, which it is about%s", misfit(err, spec),
				money.TotalOf(r.Amount).Abs(), r.Day.Format(time.DateOnly), advice(len(about)))}
		}
	}
	return others, spec, nil
}

// notTooLarge is a *MisfitError where a split makes a part of some row, filed ones too, that is more than an amount can
// be: where something is taken off, the other parts come to more than the row.
func notTooLarge(list []splitRow, spec split.Spec) error {
	if !spec.TakesOff() {
		return nil
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

// of is whether a row is one that the amounts of a split are about.
func (r rowAt) of(spec split.Spec) bool {
	return spec.In(r.Currency) && (len(spec.Years) == 0 || slices.Contains(spec.Years, r.Day.Year()))
}

// currencyOf is what the amounts of a split are in: where they do not say it, what most of the rows are in that they
// are about, of as many the earlier ones.
func currencyOf(list []splitRow, spec split.Spec) (currency string) {
	in := map[string]int{}
	for _, r := range list {
		if r.of(spec) {
			in[r.Currency]++
		}
	}
	currency = spec.Currency
	for _, r := range list {
		if in[r.Currency] > in[currency] && spec.In(r.Currency) {
			currency = r.Currency
		}
	}
	return currency
}

// fittingYears is fitting of amounts of a year, of payments in their currency: a sum of others would be of nothing.
func fittingYears(list []splitRow, spec split.Spec) (said split.Spec, err error) {
	paid := map[int]money.Total{}
	for _, r := range list {
		paid[r.Day.Year()] = paid[r.Day.Year()].Plus(money.TotalOf(r.Amount).Abs())
	}
	said = spec
	said.Years = slices.Sorted(maps.Keys(paid))
	fixed := money.TotalOf(spec.Fixed())
	for _, year := range said.Years {
		total := paid[year]
		if err = spec.Leaves(total.Compare(fixed)); err == nil {
			continue
		}
		return spec, &MisfitError{fmt.Sprintf(
			"%s the payments of %d that it is about, %s in all; a year is named as in: interest 1,480.00 in 2025",
			misfit(err, spec), year, total)}
	}
	return said, nil
}

// misfit says in words why a split is none of money.
func misfit(err error, spec split.Spec) string {
	if errors.Is(err, split.ErrTooSmall) {
		return fmt.Sprintf("has amounts that come to %s, more than", spec.Fixed())
	}
	return fmt.Sprintf("has amounts that come to %s and no part that takes the rest, less than", spec.Fixed())
}

func advice(rows int) string {
	if rows == 1 {
		return ""
	}
	return fmt.Sprintf(", and one of %d payments; percentages fit all of them, and each has a hook of its own", rows)
}
