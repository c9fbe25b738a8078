package store

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/decide"
	"bizfin/internal/questions"
	"bizfin/internal/split"
)

// AnswerHook stores an answer and what follows from it, and returns its outcome. What was understood decides the rows
// that no narrower or newer answer decided, and is remembered for the next ones; refunds of them follow. An answer
// before it to the same hook is replaced: what only that one decided is as if it had never been given. Words that are
// the name of another counterparty say who it is, whatever else they may mean. Filed rows stay what they are. The same
// answer again changes nothing, and neither does an unclear one. ErrNotFound.
func (o *Organization) AnswerHook(ctx context.Context, now time.Time, hook Hook, a Answer) (status string, err error) {
	err = o.inTxAlone(ctx, func(tx *sqlx.Tx, locked []uuid.UUID) error {
		a := a
		t, err := o.targetOf(ctx, tx, hook)
		if err != nil {
			return err
		}
		var named *namedCounterparty
		if (a.Unclear || a.Learned) && t.Issue != uuid.Nil && t.question.Status == IssueOpen {
			if named, err = o.counterpartyNamed(ctx, tx, *t.question, a); err != nil {
				return err
			}
		}
		switch {
		case a.Reserved != "":
			status = AnswerAccepted
			return o.takeBack(ctx, tx, now, locked, t, a)
		case a.Unclear && named == nil:
			status = AnswerUnclear
			return o.keepWords(ctx, tx, now, t, a)
		case len(t.rows) > 0 && nothingSaid(t, a): // each of its rows is left open: nobody knows
			a.Reserved, status = questions.Skip, AnswerAccepted
			return o.takeBack(ctx, tx, now, locked, t, a)
		case t.live != nil && t.live.same(a):
			status = t.live.Status
			return nil
		}
		if named != nil {
			a.Unclear, a.Learned, a.CategoryID = false, false, named.CategoryID
		}
		status, err = o.decideBy(ctx, tx, now, locked, t, a, named)
		return err
	})
	return status, err
}

// nothingSaid is whether an answer leaves all rows open.
func nothingSaid(t target, a Answer) bool {
	said, _, left := t.split(a)
	return len(said) == 0 && len(left) > 0
}

// keepWords keeps what was not understood, and asks what it means. Nothing else changes.
func (o *Organization) keepWords(ctx context.Context, tx *sqlx.Tx, now time.Time, t target, a Answer) error {
	if t.last != nil && t.last.Status == AnswerUnclear && t.last.same(a) {
		return nil
	}
	if err := o.record(ctx, tx, now, newID(), t, a, AnswerUnclear); err != nil || t.question == nil {
		return err
	}
	words, err := json.Marshal(FollowUp{Answer: a.Text, Options: a.Readings})
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE outstanding_issues
		SET follow_up = $3
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, t.question.ID, string(words))
	return err
}

// takeBack makes it as if the hook had never been answered. Who does not know the answer is asked last.
func (o *Organization) takeBack(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, t target,
	a Answer) error {
	status, skip := AnswerUndone, a.Reserved == questions.Skip
	if skip {
		status = AnswerSkipped
	}
	if t.last == nil && !skip || t.last != nil && t.last.Status == status {
		return nil
	}
	if t.live != nil {
		if err := o.withdrawAnswer(ctx, tx, now, locked, t, uuid.Nil); err != nil {
			return err
		}
	}
	if err := o.record(ctx, tx, now, newID(), t, a, status); err != nil {
		return err
	}
	if t.question == nil {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues
		SET skipped = $3,
		    follow_up = NULL
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, t.question.ID, skip)
	return err
}

// record appends to the history.
func (o *Organization) record(ctx context.Context, tx *sqlx.Tx, now time.Time, id uuid.UUID, t target, a Answer,
	status string) error {
	var question *uuid.UUID
	if t.question != nil {
		question = &t.question.ID
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO answers (organization_id, id, hook, issue_id, group_key, incoming, level, status, answer,
		  selected_option, category_id, mixed, note, answered_by, via, answered_at, split)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, nullif($11, 0), $12, nullif($13, ''), $14, $15, $16, $17)`,
		o.ID, id, t.String(), question, t.key, t.incoming, t.level, status, a.Text, a.Option, a.CategoryID, a.Mixed,
		a.Note, a.Person, a.Via, now, a.Split)
	if err != nil {
		return err
	}
	action := ActAnswer
	if t.last != nil {
		action = ActCorrect
	}
	return o.db.record(ctx, tx, now, act{action: action, organization: o.ID, objectType: "hook", objectID: t.String(),
		counts: quantities{"answers": 1, "rows": int64(len(t.rows))}})
}

// decideBy has an answer decide what it is about.
func (o *Organization) decideBy(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, t target, a Answer,
	named *namedCounterparty) (status string, err error) {
	id := newID()
	var others []uuid.UUID // that the amounts of the answer are not about
	if a.Split != nil {
		rest, said, err := o.fitting(ctx, tx, t.divided(a), *a.Split)
		if err != nil {
			return "", err
		}
		t.rows = slices.DeleteFunc(t.rows, func(row uuid.UUID) bool { return slices.Contains(rest, row) })
		others, a.Split = rest, &said
	}
	if t.live != nil {
		filed, err := o.remembering(ctx, tx, t.live.ID, "t.filing_state = 'filed'")
		if err != nil {
			return "", err
		}
		for _, r := range filed {
			if a.CategoryID != split.Category || r.of(*a.Split) {
				t.rows = append(t.rows, r.ID)
			}
		}
	}
	wasOpen := t.question != nil && t.question.Status == IssueOpen
	said, exceptions, left := t.split(a)
	var unseen []uuid.UUID
	if wasOpen && named == nil {
		if unseen, err = o.unseen(ctx, tx, t, a, exceptions); err != nil {
			return "", err
		}
	}
	t.rows = notAmong(inOrder(unseen), inOrder(said))
	if err := o.leaveOtherQuestions(ctx, tx, now, t); err != nil {
		return "", err
	}
	if _, err := o.lockRows(ctx, tx, t.rows); err != nil {
		return "", err
	}
	before, err := o.netProfitOf(ctx, tx, t.rows)
	if err != nil {
		return "", err
	}
	if err := o.record(ctx, tx, now, id, t, a, AnswerAccepted); err != nil {
		return "", err
	}
	if err := o.coverRows(ctx, tx, id, t.rows, exceptions); err != nil {
		return "", err
	}
	if t.question != nil {
		if err := o.endQuestion(ctx, tx, now, t.question.ID, a); err != nil {
			return "", err
		}
		if wasOpen {
			if _, err := o.leaveOpen(ctx, tx, now, t.question.ID, left, !a.Partial, ""); err != nil {
				return "", err
			}
			if err := o.leaveUnseen(ctx, tx, now, t.question.ID, unseen, a); err != nil {
				return "", err
			}
		}
	}
	if named != nil {
		if err := o.willMerge(ctx, tx, id, *t.question, *named); err != nil {
			return "", err
		}
		if err := o.isWith(ctx, tx, now, locked, *t.question, *named); err != nil {
			return "", err
		}
	}
	force := t.level == levelTransaction || t.question != nil && t.question.Kind == questions.KindChanged
	if err := o.applyAnswer(ctx, tx, now, id, t, a, force); err != nil {
		return "", err
	}
	if t.live != nil {
		if err := o.withdrawAnswer(ctx, tx, now, locked, t, id); err != nil {
			return "", err
		}
	}
	if err := o.answered(ctx, tx); err != nil {
		return "", err
	}
	if t.key != nil && t.incoming != nil {
		if err := o.remember(ctx, tx, now, id, t, a, named); err != nil {
			return "", err
		}
	}
	if t.ofBusiness() {
		if err := o.suggestAnew(ctx, tx, now, locked); err != nil {
			return "", err
		}
	}
	if err := o.dissolveAnswered(ctx, tx, now, locked, id, a); err != nil {
		return "", err
	}
	if named != nil && named.Divided { // the memory of the other divides them
		others = t.rows
	}
	if err := o.askedElsewhere(ctx, tx, now, locked, others); err != nil {
		return "", err
	}
	if err := o.refundsFollow(ctx, tx, now, locked, id); err != nil {
		return "", err
	}
	if err := o.refundsLeft(ctx, tx, now, locked, t.rows); err != nil {
		return "", err
	}
	after, err := o.netProfitOf(ctx, tx, t.rows)
	if err != nil {
		return "", err
	}
	err = tx.GetContext(ctx, &status, `
		UPDATE answers
		SET net_profit_effect = $3,
		    row_count = (
		      SELECT count(*)
		      FROM answer_rows r
		      JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		      WHERE r.organization_id = (SELECT $1::uuid)
		        AND r.answer_id = $2
		        AND t.answer_id = $2),
		    status = CASE WHEN $4 OR EXISTS (
		      SELECT
		      FROM transactions
		      WHERE organization_id = $1
		        AND id = ANY ($5::uuid[])
		        AND category_id IS NULL
		        AND deleted_at IS NULL) OR EXISTS (
		      SELECT
		      FROM answer_rows
		      WHERE organization_id = $1
		        AND answer_id = $2
		        AND filed) THEN 'partly' ELSE 'accepted' END
		WHERE organization_id = $1
		  AND id = $2
		RETURNING status`,
		o.ID, id, after.Minus(before), len(left)+len(unseen) > 0, uuids(others))
	return status, err
}

// askedElsewhere has rows of a question decided anew that its answer said nothing of: another question is about them.
func (o *Organization) askedElsewhere(ctx context.Context, tx *sqlx.Tx, now time.Time, locked, rows []uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	var open []decide.Row
	err := tx.SelectContext(ctx, &open, `
		SELECT id, revision, account_id
		FROM transactions
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])
		  AND category_id IS NULL
		  AND filing_state <> 'filed'
		ORDER BY id`,
		o.ID, uuids(rows))
	if err != nil {
		return err
	}
	if err := mustHave(locked, accountsOf(open)); err != nil {
		return err
	}
	if err := o.decideAnew(ctx, tx, now, open, uuid.Nil); err != nil {
		return err
	}
	return o.settleAttention(ctx, tx, now, rows)
}

// leaveOtherQuestions takes the rows of an answer out of the open questions about them and others. Its own, where that
// is open, ends with its rows.
func (o *Organization) leaveOtherQuestions(ctx context.Context, tx *sqlx.Tx, now time.Time, t target) error {
	open := t.question != nil && t.question.Status == IssueOpen
	switch {
	case t.Transaction != uuid.Nil && open:
		return nil
	case t.Transaction != uuid.Nil:
		return o.closeQuestions(ctx, tx, now, t.rows, anyKind)
	case !open:
		return o.closeQuestions(ctx, tx, now, t.rows, aboutCategory)
	}
	own, err := o.rowsAsked(ctx, tx, t.question.ID)
	if err != nil {
		return err
	}
	return o.closeQuestions(ctx, tx, now, notAmong(inOrder(own), slices.Clone(t.rows)), aboutCategory)
}

// notAmong are rows that are not among others, which are in order.
func notAmong(others, rows []uuid.UUID) []uuid.UUID {
	return slices.DeleteFunc(rows, func(row uuid.UUID) bool {
		_, among := slices.BinarySearchFunc(others, row, CompareUUIDs)
		return among
	})
}

// endQuestion marks a question as answered.
func (o *Organization) endQuestion(ctx context.Context, tx *sqlx.Tx, now time.Time, id uuid.UUID, a Answer) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues
		SET status = 'answered',
		    answer = $3,
		    selected_option = $4,
		    answered_by = $5,
		    ended_at = $6,
		    skipped = false,
		    follow_up = NULL
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, id, a.Text, a.Option, a.Person, now)
	return err
}
