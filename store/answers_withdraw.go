package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/money"
	"bizfin/internal/questions"
)

// effect is by how much the net profit changes with an answer, over its rows and those of the answer that it takes the
// place of, or takes back.
type effect struct {
	*Organization
	tx     *sqlx.Tx
	rows   []uuid.UUID
	gone   uuid.UUID
	before money.Total
}

func (o *Organization) effectOn(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID, live *pastAnswer) (e effect,
	err error) {
	e = effect{Organization: o, tx: tx, rows: rows}
	if live != nil {
		e.gone = live.ID
		held, err := o.heldBy(ctx, tx, live.ID)
		if err != nil {
			return e, err
		}
		e.rows = slices.Concat(rows, held)
	}
	e.before, err = o.netProfitOf(ctx, tx, e.rows, e.gone)
	return e, err
}

// note notes it with the answer, once all that it changes is written.
func (e effect) note(ctx context.Context, answer uuid.UUID) error {
	after, err := e.netProfitOf(ctx, e.tx, e.rows, e.gone)
	if err != nil {
		return err
	}
	_, err = e.tx.ExecContext(ctx, `
		UPDATE answers
		SET net_profit_effect = $3
		WHERE organization_id = $1
		  AND id = $2`,
		e.ID, answer, after.Minus(e.before))
	return err
}

// withdrawAnswer takes the answer that held back, in favour of a newer one of the hook or of none: rows that it alone
// decided are what other answers say of them, what a person chose before, or to be decided anew; those that its memory
// decided are to be decided anew. Without a newer one its question opens again.
func (o *Organization) withdrawAnswer(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, t target,
	instead uuid.UUID) error {
	old := t.live.ID
	rows, err := o.endAnswer(ctx, tx, now, locked, t)
	if err != nil {
		return err
	}
	opened := uuid.Nil
	if instead == uuid.Nil {
		if opened, err = o.openAgain(ctx, tx, now, *t.live); err != nil {
			return err
		}
	}
	remembered, err := o.remembering(ctx, tx, old, unfiled)
	if err != nil {
		return err
	}
	if err := o.closeChanged(ctx, tx, now, t, rows, remembered); err != nil {
		return err
	}
	all := slices.Concat(rows, t.rows)
	if opened != uuid.Nil { // it may be about others that the answer does not decide any more
		asked, err := o.rowsAsked(ctx, tx, opened)
		if err != nil {
			return err
		}
		all = append(all, asked...)
	}
	if _, err := o.lockOthers(ctx, tx, all); err != nil {
		return err
	}
	if err := o.holdOtherwise(ctx, tx, now, rows, old); err != nil {
		return err
	}
	if err := o.excludeFromLater(ctx, tx, rows, *t.live); err != nil {
		return err
	}
	if err := o.askChangedAgain(ctx, tx, rows, old, instead); err != nil {
		return err
	}
	if err := o.dissolveAmong(ctx, tx, now, locked, rows, isNoTransfer); err != nil { // they paired by this answer
		return err
	}
	holds, err := o.aloneHolds(ctx, tx, old)
	if err != nil {
		return err
	}
	owing, err := o.owing(ctx, tx, old)
	if err != nil {
		return err
	}
	lending, err := o.lending(ctx, tx, old)
	if err != nil {
		return err
	}
	if err := o.forget(ctx, tx, now, locked, old, instead, rows, remembered); err != nil {
		return err
	}
	if holds {
		if err := o.payoutsAnew(ctx, tx, now, locked, payoutsAsked); err != nil {
			return err
		}
	}
	if err := o.payoutsOfAnew(ctx, tx, now, locked, payoutsAsked, owing); err != nil {
		return err
	}
	if err := o.payoutsOfBrandsAnew(ctx, tx, now, locked, payoutsAsked, lending); err != nil {
		return err
	}
	if t.Transaction != uuid.Nil {
		if err := o.contradictedNoMore(ctx, tx, now, locked, old); err != nil {
			return err
		}
	}
	if opened != uuid.Nil {
		if err := o.payoutsOfLender(ctx, tx, now, locked, opened); err != nil {
			return err
		}
		if err := o.freshen(ctx, tx, now, opened); err != nil {
			return err
		}
	}
	if instead == uuid.Nil && t.ofBusiness() {
		if err := o.suggestAnew(ctx, tx, now, locked); err != nil {
			return err
		}
	}
	if err := o.answered(ctx, tx); err != nil {
		return err
	}
	return o.settleAttention(ctx, tx, now, all)
}

// excludeFromLater has later answers of the same group say nothing of the rows of one that is gone: they were asked
// about the others alone.
func (o *Organization) excludeFromLater(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID, gone pastAnswer) error {
	if gone.IssueID == nil || len(rows) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE answers
		SET excluded = ARRAY (
		      SELECT unnest(excluded)
		      UNION
		      SELECT unnest($3::uuid[]))
		WHERE organization_id = $1
		  AND id = ANY (ARRAY (
		    SELECT later.id
		    FROM answers was
		    JOIN outstanding_issues asked ON asked.organization_id = was.organization_id AND asked.id = was.issue_id
		    JOIN outstanding_issues rest ON rest.organization_id = asked.organization_id
		      AND rest.group_key = asked.group_key AND rest.incoming = asked.incoming
		    JOIN answers later ON later.organization_id = rest.organization_id AND later.issue_id = rest.id
		    WHERE was.organization_id = (SELECT $1::uuid)
		      AND was.id = $2
		      AND later.id > was.id -- in order of time
		      AND later.issue_id <> was.issue_id
		      AND later.replaced_at IS NULL
		    ORDER BY later.id
		    FOR NO KEY UPDATE OF later))`,
		o.ID, gone.ID, uuids(rows))
	return err
}

// askChangedAgain opens the questions again whether rows are still what they were that an answer ended, which is gone:
// they are what was said before the bank changed them. What the answer in place of it decides is not asked about.
func (o *Organization) askChangedAgain(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID,
	old, instead uuid.UUID) error {
	var again []uuid.UUID
	err := tx.SelectContext(ctx, &again, `
		WITH by_it AS MATERIALIZED ( -- mostly none: rows are looked up for these alone
		  SELECT DISTINCT ON (i.object_id) i.id, i.object_id::uuid AS row
		  FROM answers a
		  JOIN outstanding_issues i ON i.organization_id = a.organization_id AND i.ended_at = a.answered_at
		  WHERE a.organization_id = $1
		    AND a.id = $3
		    AND i.object_type = 'transaction'
		    AND i.kind = $5
		    AND i.status = 'closed'
		  ORDER BY i.object_id, i.id), -- one may have closed just now, at the same time of the clock
		ended AS (
		  SELECT by_it.id, t.id AS row, abs(t.amount) AS amount
		  FROM by_it
		  JOIN transactions t ON t.organization_id = $1 AND t.id = by_it.row
		  WHERE t.id = ANY ($2::uuid[])
		    AND t.category_id IS NOT NULL
		    AND t.answer_id IS DISTINCT FROM $4
		    AND t.deleted_at IS NULL),
		opened AS (
		  UPDATE outstanding_issues i
		  SET status = 'open',
		      ended_at = NULL
		  FROM ended
		  WHERE i.organization_id = $1
		    AND i.id = ended.id)
		INSERT INTO issue_transactions (organization_id, transaction_id, issue_id, amount, n)
		SELECT $1::uuid, row, id, amount, coalesce(`+numberIn("ended.id", "ended.row")+`, 1)
		FROM ended
		ON CONFLICT DO NOTHING
		RETURNING transaction_id`,
		o.ID, uuids(rows), old, uuid.NullUUID{UUID: instead, Valid: instead != uuid.Nil}, questions.KindChanged)
	if err != nil {
		return err
	}
	return o.weighChanged(ctx, tx, again)
}

// closeChanged closes the questions whether rows are still what the answer, or its memory, made them; not where that is
// what it answered.
func (o *Organization) closeChanged(ctx context.Context, tx *sqlx.Tx, now time.Time, t target, rows []uuid.UUID,
	remembered []rowAt) error {
	if t.question != nil && t.question.Kind == questions.KindChanged {
		return nil
	}
	closing := slices.Clone(rows)
	for _, r := range remembered {
		closing = append(closing, r.ID)
	}
	return o.closeQuestions(ctx, tx, now, closing, questions.KindChanged)
}

// endAnswer writes that the answer holds no more, with what it said of counterparties, and returns the rows that it
// decided.
func (o *Organization) endAnswer(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	t target) ([]uuid.UUID, error) {
	old := t.live.ID
	if t.live.IssueID != nil { // before its answers, as by who removes what was answered long ago
		if _, err := o.questionWhere(ctx, tx, `id = $2`, *t.live.IssueID); err != nil {
			return nil, err
		}
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE answers
		SET replaced_at = $3
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, old, now)
	if err != nil {
		return nil, err
	}
	rows, err := o.heldBy(ctx, tx, old)
	if err != nil {
		return nil, err
	}
	if err := o.unrelate(ctx, tx, now, old); err != nil {
		return nil, err
	}
	return rows, o.unmerge(ctx, tx, now, locked, old)
}

// heldBy are the rows that an answer decided and still decides; filed ones never move.
func (o *Organization) heldBy(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID) (rows []uuid.UUID, err error) {
	err = tx.SelectContext(ctx, &rows, `
		SELECT t.id
		FROM answer_rows r
		JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		WHERE r.organization_id = (SELECT $1::uuid)
		  AND r.answer_id = $2
		  AND t.answer_id = $2
		  AND t.filing_state <> 'filed'`,
		o.ID, answer)
	return rows, err
}

// openAgain opens the question that an answer ended, unless another answer to it holds, or the one that it was the rest
// of, and returns which. A newer question of its group that is open, such as the one about what the answer left, ends,
// and gives its rows back. None opens where an older one is open, which its rows join.
func (o *Organization) openAgain(ctx context.Context, tx *sqlx.Tx, now time.Time, old pastAnswer) (uuid.UUID, error) {
	if old.IssueID == nil {
		return uuid.Nil, nil
	}
	if ended, err := o.endedByAnother(ctx, tx, *old.IssueID); err != nil || ended {
		return uuid.Nil, err
	}
	if err := o.rejoin(ctx, tx, now, *old.IssueID); err != nil {
		return uuid.Nil, err
	}
	if opened, err := o.openEnded(ctx, tx, now, *old.IssueID); err != nil || !opened {
		return uuid.Nil, err
	}
	first, err := o.restOfWhich(ctx, tx, old)
	if err != nil || first == uuid.Nil {
		return *old.IssueID, err
	}
	if err := o.rejoin(ctx, tx, now, first); err != nil {
		return uuid.Nil, err
	}
	return first, o.openClosed(ctx, tx, first)
}

// restOfWhich is the question of which the one that an answer ended asked about the rest, where the answer to it was
// taken back since: it closed, as the other answer held for its rows.
func (o *Organization) restOfWhich(ctx context.Context, tx *sqlx.Tx, old pastAnswer) (uuid.UUID, error) {
	var first []uuid.UUID
	err := tx.SelectContext(ctx, &first, `
		SELECT first.id
		FROM answers a
		JOIN outstanding_issues i ON i.organization_id = a.organization_id AND i.id = a.issue_id
		JOIN outstanding_issues first ON first.organization_id = i.organization_id AND first.group_key = i.group_key
		  AND first.incoming = i.incoming
		WHERE a.organization_id = $1
		  AND a.id = $2
		  AND first.id < i.id
		  AND first.status = 'closed'
		  AND a.answered_at BETWEEN first.created_at AND first.ended_at
		ORDER BY first.id
		LIMIT 1`,
		o.ID, old.ID)
	if err != nil || len(first) == 0 {
		return uuid.Nil, err
	}
	return first[0], nil
}

// openClosed opens a question again that closed.
func (o *Organization) openClosed(ctx context.Context, tx *sqlx.Tx, question uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues
		SET status = 'open',
		    ended_at = NULL
		WHERE organization_id = $1
		  AND id = $2
		  AND status = 'closed'`,
		o.ID, question)
	return err
}

// openEnded opens a question that no answer ends any more. It closes where an older one is open, or no row is left.
func (o *Organization) openEnded(ctx context.Context, tx *sqlx.Tx, now time.Time, question uuid.UUID) (opened bool,
	err error) {
	var became []string
	err = tx.SelectContext(ctx, &became, `
		UPDATE outstanding_issues i
		SET status = CASE WHEN other.open THEN 'closed' ELSE 'open' END,
		    answer = NULL,
		    selected_option = NULL,
		    answered_by = NULL,
		    ended_at = CASE WHEN other.open THEN $3::timestamptz END
		FROM (
		  SELECT EXISTS (
		    SELECT
		    FROM outstanding_issues same
		    JOIN outstanding_issues i ON i.organization_id = same.organization_id AND i.group_key = same.group_key
		      AND i.incoming = same.incoming
		    WHERE same.organization_id = $1
		      AND i.id = $2
		      AND same.id <> $2
		      AND same.status = 'open')
		    OR NOT EXISTS (
		      SELECT
		      FROM outstanding_issues
		      WHERE organization_id = $1
		        AND id = $2
		        AND object_type = 'company'
		        AND transaction_count = 0)
		    AND NOT EXISTS (
		      SELECT
		      FROM issue_transactions it
		      JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		      WHERE it.organization_id = $1
		        AND it.issue_id = $2
		        AND t.deleted_at IS NULL) AS open) other
		WHERE i.organization_id = $1
		  AND i.id = $2
		  AND i.status = 'answered'
		RETURNING i.status`,
		o.ID, question, now)
	return slices.Contains(became, IssueOpen), err
}

// endedByAnother gives a question the newest other answer to it that holds, and returns whether there is one.
func (o *Organization) endedByAnother(ctx context.Context, tx *sqlx.Tx, question uuid.UUID) (bool, error) {
	result, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues i
		SET answer = a.answer,
		    selected_option = a.selected_option,
		    answered_by = a.answered_by,
		    ended_at = a.answered_at
		FROM (
		  SELECT *
		  FROM answers
		  WHERE organization_id = $1
		    AND issue_id = $2
		    AND replaced_at IS NULL
		    AND status IN ('accepted', 'partly')
		  ORDER BY answered_at DESC, id DESC
		  LIMIT 1) a
		WHERE i.organization_id = $1
		  AND i.id = $2`,
		o.ID, question)
	if err != nil {
		return false, err
	}
	held, err := result.RowsAffected()
	return held > 0, err
}

// rejoin gives a question that an answer ended the rows of a newer one of its group, which ends. Those that it was
// about before keep their numbers, and what was made of them by the answer is over. The others are numbered behind.
func (o *Organization) rejoin(ctx context.Context, tx *sqlx.Tx, now time.Time, question uuid.UUID) error {
	newer, err := o.restOf(ctx, tx, question)
	if err != nil || newer == nil || CompareUUIDs(newer.ID, question) < 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO issue_transactions (organization_id, transaction_id, issue_id, amount, n)
		SELECT $1::uuid, it.transaction_id, $2::uuid, it.amount, coalesce(`+numberIn("$2", "it.transaction_id")+`,
		         CASE WHEN it.n > i.numbered THEN it.n END)
		FROM issue_transactions it
		JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = $2
		WHERE it.organization_id = $1
		  AND it.issue_id = $3
		ON CONFLICT DO NOTHING`,
		o.ID, question, newer.ID)
	if err != nil {
		return err
	}
	if err := o.numberFrom(ctx, tx, newer.ID, question); err != nil {
		return err
	}
	left, err := o.leave(ctx, tx, `issue_id = $2`, newer.ID)
	if err != nil {
		return err
	}
	return o.discount(ctx, tx, now, left)
}
