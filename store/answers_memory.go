package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/decide"
	"bizfin/internal/questions"
)

// remember makes an answer decide the next rows of its group, or be their context; one about others, or about a family,
// decides the next rows of each of those that its rows were with, and suggests for the others, as one about large
// receipts does for all. What its rows have in common is kept: how large they were, on which types of accounts, how far
// apart, and what they read. Rows of one use that were said to be several things only suggest, by what most of them
// were; so do those of an answer about some alone that left others of their use open. The amount is that of the newest
// row, and 0 where no row is left.
func (o *Organization) remember(ctx context.Context, tx *sqlx.Tx, now time.Time, id uuid.UUID, t target, a Answer,
	named *namedCounterparty, left []uuid.UUID) error {
	if !a.Partial {
		left = nil
	}
	var sameAs *string
	if named != nil { // the next rows are what the other counterparty's are
		sameAs = &named.Key
	}
	_, err := tx.ExecContext(ctx, `
		WITH said AS (
		  SELECT CASE WHEN $9 THEN c.key WHEN $13 THEN coalesce(c.key, $10) ELSE $10 END AS key,
		         coalesce(r.category_id, nullif($4, 0)) AS category_id, t.id, t.amount, t.primary_date,
		         t.suggested_id, accounts.type AS account_type
		  FROM answer_rows r
		  JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		  JOIN accounts ON accounts.organization_id = t.organization_id AND accounts.id = t.account_id
		  LEFT JOIN counterparties c ON c.organization_id = t.organization_id AND c.id = t.counterparty_id
		  WHERE r.organization_id = (SELECT $1::uuid)
		    AND r.answer_id = $2),
		open AS (
		  SELECT DISTINCT CASE WHEN $9 THEN c.key WHEN $13 THEN coalesce(c.key, $10) ELSE $10 END AS key
		  FROM transactions t
		  LEFT JOIN counterparties c ON c.organization_id = t.organization_id AND c.id = t.counterparty_id
		  WHERE t.organization_id = $1
		    AND t.id = ANY ($15::uuid[])),
		spaced AS (
		  SELECT *, primary_date - lag(primary_date) OVER (PARTITION BY key, category_id ORDER BY primary_date) AS days
		  FROM said)
		INSERT INTO business_answers (organization_id, id, counterparty_key, incoming, amount, category_id,
		  relationship, note, same_as, created_at, mixed, answer_id, whole, largest, smallest, row_count, account_types,
		  least_days, most_days, newest, several, split, way, reads)
		SELECT $1, gen_random_uuid(), g.key, $3, g.amount,
		       CASE WHEN g.category_id < 0 THEN -1 ELSE g.category_id END, nullif($5, ''), nullif($6, ''), $7, $8, $11,
		       $2, $12, g.largest, g.smallest, g.rows, g.account_types, g.least_days, g.most_days, g.newest,
		       g.rows IS NULL AND $13 OR count(*) OVER (PARTITION BY g.key) > 1 OR g.key IN (SELECT key FROM open),
		       CASE WHEN g.category_id < 0 THEN $14::jsonb -> (-1 - g.category_id) END, greatest(-g.category_id, 1),
		       g.reads
		FROM (
		  SELECT key, category_id,
		         (array_agg(amount ORDER BY primary_date DESC, id DESC))[1] AS amount,
		         max(abs(amount)) AS largest, min(abs(amount)) AS smallest, count(*) AS rows,
		         array_agg(DISTINCT account_type) AS account_types, min(days) AS least_days, max(days) AS most_days,
		         max(primary_date) AS newest, array_agg(DISTINCT suggested_id) AS reads
		  FROM spaced
		  GROUP BY key, category_id
		  UNION ALL
		  SELECT $10, nullif($4, 0), 0, 999999999999999, NULL, NULL, NULL, NULL, NULL, NULL, NULL
		  WHERE NOT $9
		    AND NOT EXISTS (
		      SELECT
		      FROM said
		      WHERE key = $10)) g
		WHERE g.key IS NOT NULL`,
		o.ID, id, *t.incoming, a.CategoryID, a.Relationship, a.Note, sameAs, now, a.AboutOthers, *t.key, a.Mixed,
		t.Counterparty != uuid.Nil, questions.ParseKey(*t.key).Teaches(), a.Splits, uuids(left))
	return err
}

const unfiled = "t.filing_state <> 'filed'"

// remembering are the rows that the memory of an answer decided, suggests something for, or gave its note, and those
// that seem to be something beside it.
func (o *Organization) remembering(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID, which string) ([]rowAt, error) {
	var rows []rowAt
	err := tx.SelectContext(ctx, &rows, `
		SELECT t.id, t.account_id, t.currency, t.primary_date
		FROM transactions t
		WHERE t.organization_id = $1
		  AND t.answer_id = $2
		  AND `+unanswered+`
		  AND t.deleted_at IS NULL
		  AND `+which+`
		ORDER BY t.id`,
		o.ID, answer)
	if err != nil {
		return nil, err
	}
	beside, err := o.seeming(ctx, tx, answer, which)
	return append(rows, beside...), err
}

// seeming are the rows that follow no answer and seem to be something, of those whom the memory of an answer is about:
// without it they may seem to be something else. What several answers say of a counterparty is weighed together, so no
// one of them is noted with such a row.
func (o *Organization) seeming(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID, which string) ([]rowAt, error) {
	var rows []rowAt
	err := tx.SelectContext(ctx, &rows, `
		WITH RECURSIVE meant (id, key) AS ( -- whom a memory is about, and whom that one became
		  SELECT id, counterparty_key
		  FROM business_answers
		  WHERE organization_id = $1
		    AND answer_id = $2
		  UNION
		  SELECT m.id, b.same_as
		  FROM meant m
		  JOIN business_answers b ON b.organization_id = $1 AND b.counterparty_key = m.key
		  WHERE b.same_as IS NOT NULL)
		SELECT DISTINCT t.id, t.account_id, t.currency, t.primary_date
		FROM meant m
		JOIN business_answers b ON b.organization_id = $1 AND b.id = m.id
		JOIN counterparties c ON c.organization_id = $1 AND c.key = m.key
		JOIN transactions t ON t.organization_id = c.organization_id AND t.counterparty_id = c.id
		WHERE t.deleted_at IS NULL
		  AND t.answer_id IS NULL
		  AND t.category_id IS NULL
		  AND t.suggested_id IS NOT NULL
		  AND ((t.amount > 0) = b.incoming OR starts_with(b.counterparty_key, $3)) -- it is about both
		  AND `+which+`
		ORDER BY t.id`,
		o.ID, answer, questions.AboutTransfer("").String())
	return rows, err
}

// forget drops the memory of an answer, and has the rows decided anew that it, or its memory, decided. Pairs of these
// are taken apart: they are found again. The rows of its memory came before the answer instead of it, if there is one,
// and note that: what they are without either stays, as it would have been when that was given.
func (o *Organization) forget(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, answer,
	instead uuid.UUID, decided []uuid.UUID, rows []rowAt) error {
	own, err := o.stillOf(ctx, tx, answer, decided)
	if err != nil {
		return err
	}
	var ids, accounts []uuid.UUID
	for _, r := range append(rows, own...) {
		ids, accounts = append(ids, r.ID), append(accounts, r.Account)
	}
	remembered := ids[:len(rows)]
	if err := mustHave(locked, accounts); err != nil {
		return err
	}
	if err := o.dissolveAmong(ctx, tx, now, locked, ids, anyCategory); err != nil {
		return err
	}
	_, err = o.writeRows(ctx, tx, ids, `
		UPDATE transactions t
		SET `+notEstablished+`,
		    suggested_id = NULL,
		    context = `+withoutNote("old.note")+`,
		    answer_id = CASE WHEN t.id = ANY ($5::uuid[])
		      AND (t.amount > 0 OR t.counterparty_id IS NULL) THEN $6::uuid END,
		    processing = 'queued',
		    revision = t.revision + 1,
		    updated_at = $4
		FROM answers old
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = ANY ($2::uuid[])
		  AND old.organization_id = $1
		  AND old.id = $3`,
		o.ID, uuids(ids), answer, now, uuids(remembered), uuid.NullUUID{UUID: instead, Valid: instead != uuid.Nil})
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		DELETE FROM business_answers
		WHERE organization_id = $1
		  AND answer_id = $2`,
		o.ID, answer)
	if err != nil {
		return err
	}
	if err := o.refundsLeft(ctx, tx, now, locked, slices.Concat(decided, ids)); err != nil {
		return err
	}
	return o.queueEvents(ctx, tx, accounts...)
}

// stillOf are those of the rows that an answer decided which it decides still, and the refunds that follow its split.
func (o *Organization) stillOf(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID, decided []uuid.UUID) ([]rowAt,
	error) {
	var rows []rowAt
	err := tx.SelectContext(ctx, &rows, `
		SELECT id, account_id
		FROM transactions
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])
		  AND answer_id = $3
		UNION
		SELECT t.id, t.account_id
		FROM transaction_parts p
		JOIN transactions t ON t.organization_id = p.organization_id AND t.id = p.transaction_id
		WHERE p.organization_id = (SELECT $1::uuid)
		  AND p.answer_id = $3
		  AND t.category_id = -1
		  AND t.category_source <> 'user'
		  AND t.deleted_at IS NULL
		  AND t.filing_state <> 'filed'`,
		o.ID, uuids(decided), answer)
	return rows, err
}

// contradictedNoMore has rows decided anew that are open as an answer about a single row, which is gone, contradicted a
// memory: those of whom that is about, and those of its questions.
func (o *Organization) contradictedNoMore(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	answer uuid.UUID) error {
	var rows []decide.Row
	err := tx.SelectContext(ctx, &rows, `
		WITH `+otherwise+`
		    AND a.id = $3),
		about AS (
		  SELECT DISTINCT b.counterparty_key, b.incoming
		  FROM business_answers b
		  JOIN otherwise e ON `+contradicts+`
		  WHERE b.organization_id = $1),
		asked AS (
		  SELECT it.transaction_id AS id
		  FROM about
		  JOIN outstanding_issues i ON i.organization_id = $1 AND i.group_key = about.counterparty_key
		    AND i.incoming = about.incoming
		  JOIN issue_transactions it ON it.organization_id = i.organization_id AND it.issue_id = i.id
		  WHERE i.status = 'open'
		  UNION
		  SELECT t.id
		  FROM about
		  JOIN counterparties c ON c.organization_id = $1 AND c.key = about.counterparty_key
		  JOIN transactions t ON t.organization_id = c.organization_id AND t.counterparty_id = c.id
		  WHERE (t.amount > 0) = about.incoming)
		SELECT t.id, t.revision, t.account_id
		FROM asked
		JOIN transactions t ON t.organization_id = $1 AND t.id = asked.id
		WHERE t.category_id IS NULL
		  AND `+unanswered+`
		  AND t.suggested_id IS NOT NULL
		  AND t.processing = 'processed'
		  AND t.deleted_at IS NULL
		  AND `+unfiled+`
		ORDER BY t.id`,
		o.ID, questions.Mark, answer)
	if err != nil {
		return err
	}
	if err := mustHave(locked, accountsOf(rows)); err != nil {
		return err
	}
	return o.decideAnew(ctx, tx, now, rows, uuid.Nil)
}

// mostUnasked are so many of the newest rows that nobody asks about, and an answer decides with the next ones.
const mostUnasked = 1000

// unaskedAnew has rows decided anew, of those whom an answer is about, that no answer decides: they are what was said
// of the others, as the next ones are, whenever they came. Of costs these are also the rows that stand by themselves or
// by an older memory, and those that another question asks about.
func (o *Organization) unaskedAnew(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	t target) error {
	if t.key == nil || t.incoming == nil || len(t.rows) == 0 {
		return nil
	}
	var rows []decide.Row
	err := tx.SelectContext(ctx, &rows, `
		WITH said AS (
		  SELECT DISTINCT said.counterparty_id
		  FROM unnest($2::uuid[]) AS u (id)
		  CROSS JOIN LATERAL (
		    SELECT counterparty_id
		    FROM transactions
		    WHERE organization_id = (SELECT $1::uuid)
		      AND id = u.id
		    LIMIT 1) said)
		SELECT t.id, t.revision, t.account_id
		FROM transactions t
		WHERE t.organization_id = $1
		  AND (t.category_id IS NULL AND NOT t.needs_attention
		    OR $5 AND t.counterparty_id IS NOT NULL
		      AND (t.category_id IS NULL
		        OR t.category_source IN ('rule', 'merchant', 'memory') AND NOT t.needs_attention))
		  AND t.processing = 'processed'
		  AND t.deleted_at IS NULL
		  AND t.filing_state = 'unfiled'
		  AND t.transfer_id IS NULL
		  AND NOT t.is_refund
		  AND (t.amount > 0) = $3
		  AND EXISTS (
		    SELECT
		    FROM said
		    WHERE said.counterparty_id IS NOT DISTINCT FROM t.counterparty_id)
		  AND `+unanswered+`
		ORDER BY t.primary_date DESC, t.id DESC
		LIMIT $4`,
		o.ID, uuids(t.rows), *t.incoming, mostUnasked, !*t.incoming)
	if err != nil {
		return err
	}
	return o.theseAnew(ctx, tx, now, locked, rows)
}
