package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/categorize"
	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/questions"
)

// pairReach is how many days around a row those are that may bear on which rows near it are legs: their other legs,
// others of these, and so on.
const pairReach = 5 * categorize.PairDays

// Opposites finds rows as large as the rows given, and near in time: those that may be their other legs, and those that
// may as well be. They have no other leg, or one that nobody said, and are processed, or were and are to be again. Of
// very many equal ones the nearest are enough; where all only come in, or all only go out, none are found.
func (o *Organization) Opposites(ctx context.Context, legs []decide.Decision) ([]decide.Near, error) {
	if len(legs) == 0 {
		return nil, nil
	}
	type wanted struct {
		amount        money.Amount
		day, currency string
	}
	type side struct {
		amount   money.Amount
		currency string
	}
	seen, given, sides := map[wanted]bool{}, map[uuid.UUID]bool{}, map[side]bool{}
	var amounts pq.Int64Array
	var days, currencies pq.StringArray
	for _, d := range legs {
		given[d.Row.ID] = true
		sides[side{d.Row.Amount, d.Row.Currency}] = true
		w := wanted{max(d.Row.Amount, -d.Row.Amount), d.Row.PrimaryDate.Format(time.DateOnly), d.Row.Currency}
		if !seen[w] {
			seen[w] = true
			amounts, days, currencies = append(amounts, int64(w.amount)), append(days, w.day), append(currencies,
				w.currency)
		}
	}
	var near []decide.Near
	err := o.reader().SelectContext(ctx, &near, `
		SELECT DISTINCT ON (t.id) `+rowColumns+`,
		       coalesce(t.transfer_id, '00000000-0000-0000-0000-000000000000') AS other,
		       t.processing <> 'processed' AS waits
		FROM (
		  SELECT t.*
		  FROM unnest($2::bigint[], $3::date[], $4::text[]) AS u (amount, day, currency)
		  CROSS JOIN (VALUES (1), (-1)) AS s (sign)
		  CROSS JOIN LATERAL (
		    SELECT *
		    FROM transactions
		    WHERE organization_id = (SELECT $1::uuid)
		      AND amount = s.sign * u.amount
		      AND primary_date BETWEEN u.day - $5::integer AND u.day + $5::integer
		      AND currency = u.currency
		      AND deleted_at IS NULL
		      AND processing = 'processed'
		      AND (transfer_id IS NULL
		        OR category_source = 'rule' AND answer_id IS NULL AND filing_state <> 'filed')
		    ORDER BY abs(primary_date - u.day), id
		    LIMIT 50) t
		  UNION ALL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND abs(amount) = ANY ($2::bigint[])
		    AND deleted_at IS NULL
		    AND `+queuedAgain+`
		    AND transfer_id IS NULL
		  LIMIT 500)) t
		JOIN accounts a ON a.organization_id = (SELECT $1::uuid) AND a.id = t.account_id
		ORDER BY t.id`,
		o.ID, amounts, days, currencies, pairReach)
	if err != nil {
		return nil, translate(ctx, err)
	}
	other := make(map[uuid.UUID]uuid.UUID, len(near))
	for _, n := range near {
		other[n.ID] = n.Other
		sides[side{n.Amount, n.Currency}] = true
	}
	return slices.DeleteFunc(near, func(n decide.Near) bool { // a leg is nothing without the other
		return given[n.ID] || n.Other != uuid.Nil && other[n.Other] != n.ID ||
			!sides[side{-n.Amount, n.Currency}]
	}), nil
}

// stays is whether a leg t keeps its category, or none, whatever its other leg says: the user chose it, or it was
// filed.
const stays = `(t.category_source = 'user' OR t.filing_state = 'filed') IS TRUE`

// saveTransfers joins the legs, and gives the one that was decided earlier its category where it does not stay. Its
// accounts are locked. errStale where a row is no longer what was read.
func (o *Organization) saveTransfers(ctx context.Context, tx *sqlx.Tx, now time.Time,
	transfers []decide.Transfer) error {
	if len(transfers) == 0 {
		return nil
	}
	var ids, others, reasons pq.StringArray
	var revisions, categories, confidences pq.Int64Array
	var rows, asked, changed []uuid.UUID
	for _, t := range transfers {
		revision := t.Leg.Revision
		if t.Decided { // its decision is written already
			revision++
		}
		rows = append(rows, t.Leg.ID)
		ids, others, reasons = append(ids, t.Leg.ID.String()), append(others, t.Other.ID.String()),
			append(reasons, t.Reason())
		revisions, categories, confidences = append(revisions, int64(revision)), append(categories,
			int64(t.CategoryID)), append(confidences, int64(t.Confidence))
		if t.Leg.NeedsAttention {
			asked = append(asked, t.Leg.ID)
		}
		if t.Leg.NeedsAttention && t.Leg.UserCategory == nil { // whether it is still what its line said before
			changed = append(changed, t.Leg.ID)
		}
	}
	joined, err := o.writeRows(ctx, tx, rows, `
		UPDATE transactions t
		SET transfer_id = u.other,
		    category_id = CASE WHEN `+stays+` THEN t.category_id ELSE u.category END,
		    category_source = CASE WHEN `+stays+` THEN t.category_source ELSE 'rule' END,
		    category_confidence = CASE WHEN `+stays+` THEN t.category_confidence ELSE u.confidence END,
		    category_reason = CASE WHEN `+stays+` THEN t.category_reason ELSE u.reason END,
		    is_refund = false,
		    revision = t.revision + 1,
		    updated_at = $2
		FROM unnest($3::uuid[], $4::uuid[], $5::integer[], $6::integer[], $7::integer[], $8::text[])
		  AS u (id, other, revision, category, confidence, reason)
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = u.id
		  AND t.revision = u.revision
		  AND t.transfer_id IS NULL
		  AND t.deleted_at IS NULL`,
		o.ID, now, ids, others, revisions, categories, confidences, reasons)
	if err != nil {
		return err
	}
	if joined != int64(len(transfers)) {
		return errStale
	}
	if err := o.closeQuestions(ctx, tx, now, changed, questions.KindChanged); err != nil {
		return err
	}
	return o.closeQuestions(ctx, tx, now, asked, aboutCategory)
}

// dissolveAmong takes apart the pairs of those of some rows that are legs, and of a category that is so.
func (o *Organization) dissolveAmong(ctx context.Context, tx *sqlx.Tx, now time.Time, locked, rows []uuid.UUID,
	so func(category int) bool) error {
	var legs []struct {
		rowAt
		Category int `db:"category_id"`
	}
	err := tx.SelectContext(ctx, &legs, `
		SELECT id, account_id, coalesce(category_id, 0) AS category_id
		FROM transactions
		WHERE organization_id = (SELECT $1::uuid)
		  AND id = ANY ($2::uuid[])
		  AND transfer_id IS NOT NULL
		ORDER BY account_id, id`,
		o.ID, uuids(rows))
	if err != nil {
		return err
	}
	for len(legs) > 0 {
		account := legs[0].Account
		var of []uuid.UUID
		for len(legs) > 0 && legs[0].Account == account {
			if so(legs[0].Category) {
				of = append(of, legs[0].ID)
			}
			legs = legs[1:]
		}
		if err := o.dissolve(ctx, tx, now, locked, account, of); err != nil {
			return err
		}
	}
	return nil
}

func anyCategory(int) bool { return true }

// isNoTransfer is whether a row of a category that somebody chose is no leg of a transfer.
func isNoTransfer(category int) bool {
	return categorize.EvidenceOfChoice(category) <= categorize.Against
}

// dissolvePairs takes pairs apart of which a row that came may as well be a leg. Their rows are locked; errStale where
// one is no longer what was read.
func (o *Organization) dissolvePairs(ctx context.Context, tx *sqlx.Tx, now time.Time, pairs []decide.Pair,
	rows map[uuid.UUID]row) error {
	for _, p := range pairs {
		for _, leg := range p {
			if r := rows[leg.ID]; r.Revision != leg.Revision || r.Deleted {
				return errStale
			}
		}
		accounts := inOrder([]uuid.UUID{p[0].AccountID, p[1].AccountID})
		if err := o.dissolve(ctx, tx, now, accounts, p[0].AccountID, []uuid.UUID{p[0].ID}); err != nil {
			return err
		}
	}
	return nil
}

// pairAnew has the rows decided anew that are asked about and that a deleted one may have been the other leg of: it may
// have stood between them and others.
func (o *Organization) pairAnew(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	deleted uuid.UUID) error {
	var rows []decide.Row
	err := tx.SelectContext(ctx, &rows, `
		SELECT t.id, t.revision, t.account_id
		FROM transactions d
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND amount = -d.amount
		    AND primary_date BETWEEN d.primary_date - $3::integer AND d.primary_date + $3::integer
		    AND currency = d.currency
		    AND account_id <> d.account_id
		    AND deleted_at IS NULL
		    AND processing = 'processed'
		    AND transfer_id IS NULL
		    AND category_id IS NULL
		    AND needs_attention
		    AND filing_state <> 'filed'
		  ORDER BY abs(primary_date - d.primary_date), id
		  LIMIT 50) t
		WHERE d.organization_id = (SELECT $1::uuid)
		  AND d.id = $2
		  AND d.amount <> 0
		ORDER BY t.id`,
		o.ID, deleted, categorize.PairDays)
	if err != nil {
		return err
	}
	if err := mustHave(locked, accountsOf(rows)); err != nil {
		return err
	}
	return o.decideAnew(ctx, tx, now, rows, uuid.Nil)
}

// dissolve takes pairs apart, given one leg of each and the account these legs are in: both are decided anew, save
// where the user chose the category, and all their accounts have an event. Without legs it does nothing. A suggestion
// stays beside an answer: without one, that would have come after the row, see readSince.
func (o *Organization) dissolve(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	account uuid.UUID, legs []uuid.UUID) error {
	if len(legs) == 0 {
		return nil
	}
	var others []struct {
		ID      uuid.UUID `db:"id"`
		Account uuid.UUID `db:"account_id"`
	}
	err := tx.SelectContext(ctx, &others, `
		SELECT other.id, other.account_id
		FROM transactions leg
		JOIN transactions other ON other.organization_id = leg.organization_id AND other.id = leg.transfer_id
		WHERE leg.organization_id = (SELECT $1::uuid)
		  AND leg.id = ANY ($2::uuid[])`,
		o.ID, uuids(legs))
	if err != nil {
		return err
	}
	both, accounts := slices.Clone(legs), []uuid.UUID{account}
	for _, other := range others {
		both, accounts = append(both, other.ID), append(accounts, other.Account)
	}
	accounts = inOrder(accounts)
	if err := mustHave(locked, accounts); err != nil {
		return err
	}
	_, err = o.writeRows(ctx, tx, both, `
		UPDATE transactions t
		SET transfer_id = NULL,
		    category_id = CASE WHEN `+stays+` THEN category_id END,
		    category_source = CASE WHEN `+stays+` THEN category_source END,
		    category_confidence = CASE WHEN `+stays+` THEN category_confidence END,
		    category_reason = CASE WHEN `+stays+` THEN category_reason END,
		    suggested_id = CASE WHEN `+stays+` OR answer_id IS NOT NULL THEN suggested_id END,
		    processing = CASE WHEN `+stays+` THEN processing ELSE 'queued' END,
		    revision = revision + 1,
		    updated_at = $3
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])`,
		o.ID, uuids(both), now)
	if err != nil {
		return err
	}
	return o.queueEvents(ctx, tx, accounts...)
}
