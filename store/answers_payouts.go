package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/decide"
	"bizfin/internal/questions"
)

// aloneHolds reports whether an answer is the only one by which others' money may be in what any service pays out, as
// sales tax is that is no part of the receipts, and what clients have passed on: payouts may have some in them while it
// holds, and are sales without it.
func (o *Organization) aloneHolds(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID) (alone bool, err error) {
	var said []struct {
		AnswerID uuid.UUID `db:"answer_id"`
		Key      string    `db:"counterparty_key"`
		Incoming bool      `db:"incoming"`
		Tax      bool      `db:"tax"`
	}
	err = tx.SelectContext(ctx, &said, `
		SELECT DISTINCT answer_id, counterparty_key, incoming, said.category = $2 AS tax
		FROM business_answers
		CROSS JOIN LATERAL (
		  SELECT category_id AS category
		  UNION
		  SELECT (p ->> 'category')::integer
		  FROM jsonb_array_elements(split -> 'parts') p) said
		WHERE organization_id = $1
		  AND said.category IN ($2, $3)`,
		o.ID, questions.SalesTaxCollected.ID, questions.ClientFunds.ID)
	for _, a := range said {
		switch holds := a.Tax || questions.PassesOn(a.Key, a.Incoming); {
		case holds && a.AnswerID != answer:
			return false, err
		case holds:
			alone = true
		}
	}
	return alone, err
}

// owing are the counterparties, by their keys, of whose money an answer says that the business owes some: what else
// they pay out is not known to be sales while it holds.
func (o *Organization) owing(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID) (keys []string, err error) {
	return o.saidToBe(ctx, tx, answer, questions.Owed)
}

// saidToBe are the counterparties, by their keys, of whose money that came in an answer says that it is, wholly or in
// part, of some categories.
func (o *Organization) saidToBe(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID, categories []int) (keys []string,
	err error) {
	var some pq.Int64Array
	for _, c := range categories {
		some = append(some, int64(c))
	}
	err = tx.SelectContext(ctx, &keys, `
		SELECT DISTINCT counterparty_key
		FROM business_answers
		WHERE organization_id = $1
		  AND answer_id = $2
		  AND incoming
		  AND (category_id = ANY ($3::integer[])
		    OR EXISTS (
		      SELECT
		      FROM jsonb_array_elements(split -> 'parts') p
		      WHERE (p ->> 'category')::integer = ANY ($3::integer[])))`,
		o.ID, answer, some)
	for i, key := range keys {
		keys[i] = questions.CounterpartyOf(key)
	}
	return slices.DeleteFunc(keys, func(key string) bool { return key == "" }), err
}

// lending are those who lent to the business, by [questions.BrandOf], as an answer says.
func (o *Organization) lending(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID) (brands []string, err error) {
	keys, err := o.saidToBe(ctx, tx, answer, []int{questions.LoanProceeds.ID})
	for _, key := range keys {
		if brand := questions.BrandOf(key); brand != "" && !slices.Contains(brands, brand) {
			brands = append(brands, brand)
		}
	}
	return brands, err
}

// seemsLent is whether a question is about money that seems to be lent.
func (q askedIssue) seemsLent() bool {
	return q.GroupKey != nil && len(q.Options) > 0 && q.Options[0].Value == "liability.loan_proceeds"
}

// payoutsOfBrandsAnew is payoutsAnew of those of some brands.
func (o *Organization) payoutsOfBrandsAnew(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	which string, brands []string) error {
	for _, brand := range brands {
		if brand == "" {
			continue
		}
		err := o.payoutsAnew(ctx, tx, now, locked,
			which+ofCounterparties(`key = $4 OR starts_with(key, $4 || ' ')`), brand)
		if err != nil {
			return err
		}
	}
	return nil
}

// payoutsOfLender has payouts that stand of somebody decided anew where a question is open again about their money that
// seems to be lent.
func (o *Organization) payoutsOfLender(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	question uuid.UUID) error {
	var key string
	err := tx.GetContext(ctx, &key, `
		SELECT coalesce(max(group_key), '')
		FROM outstanding_issues
		WHERE organization_id = $1
		  AND id = $2
		  AND incoming
		  AND options -> 0 ->> 'value' = 'liability.loan_proceeds'`,
		o.ID, question)
	if err != nil {
		return err
	}
	brands := []string{questions.BrandOf(questions.CounterpartyOf(key))}
	return o.payoutsOfBrandsAnew(ctx, tx, now, locked, payoutsThatStand, brands)
}

// payoutsOfAnew is payoutsAnew of counterparties, by their keys.
func (o *Organization) payoutsOfAnew(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, which string,
	keys []string) error {
	if len(keys) == 0 {
		return nil
	}
	return o.payoutsAnew(ctx, tx, now, locked, which+ofCounterparties(`key = ANY ($4::text[])`), pq.StringArray(keys))
}

// ofCounterparties are rows with some of the business's counterparties.
func ofCounterparties(which string) string {
	return `
		  AND counterparty_id IN (
		    SELECT id
		    FROM counterparties
		    WHERE organization_id = (SELECT $1::uuid)
		      AND (` + which + `))`
}

// payoutsAsked are payouts of customers' money that nobody answered and that are asked about.
const payoutsAsked = `category_id IS NULL AND suggested_id = ANY ($2::integer[])`

// mostPayouts are so many of the newest payouts that are decided anew at once.
const mostPayouts = 1000

// payoutsAnew has payouts decided anew that nobody answered: whether others' money may be in them has changed. Where
// there are more, all rows are gone through in turns, so that none stands as it was.
func (o *Organization) payoutsAnew(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, which string,
	args ...any) error {
	var rows []decide.Row
	err := tx.SelectContext(ctx, &rows, `
		SELECT id, revision, account_id
		FROM transactions t
		WHERE organization_id = $1
		  AND `+which+`
		  AND `+unanswered+`
		  AND processing = 'processed'
		  AND filing_state = 'unfiled'
		  AND deleted_at IS NULL
		ORDER BY primary_date DESC, id DESC
		LIMIT $3`,
		append([]any{o.ID, payoutCategories(), mostPayouts}, args...)...)
	if err != nil {
		return err
	}
	if len(rows) == mostPayouts {
		if err := o.queueAll(ctx, tx, now); err != nil {
			return err
		}
	}
	return o.theseAnew(ctx, tx, now, locked, rows)
}
