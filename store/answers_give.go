package store

import (
	"context"
	"encoding/json"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/wording"
)

// AnswerHook stores an answer and what follows from it, and returns its outcome. What was understood decides the rows
// that no narrower or newer answer decided, and is remembered for the next ones; refunds of them follow. An answer
// before it to the same hook is replaced: what only that one decided is as if it had never been given. Words that are
// the name of another counterparty say who it is, whatever else they may mean. Filed rows stay what they are. The same
// answer again changes nothing where it still holds for its rows, and neither does an unclear one. ErrNotFound.
func (o *Organization) AnswerHook(ctx context.Context, now time.Time, hook Hook, a Answer) (status string, err error) {
	err = o.inTxAlone(ctx, func(tx *sqlx.Tx, locked []uuid.UUID) error {
		if status, err = o.answerHook(ctx, tx, now, locked, hook, a); err != nil {
			return err
		}
		return o.spreadAnew(ctx, tx, now) // over the payments that still follow other answers
	})
	return status, err
}

// answerHook is AnswerHook in a transaction that is alone with the business.
func (o *Organization) answerHook(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, hook Hook,
	a Answer) (status string, err error) {
	a = a.inWays()
	t, err := o.targetOf(ctx, tx, hook)
	if err != nil {
		return "", err
	}
	if t.last != nil && !now.After(t.last.At) { // it was given first, and waited for another
		now = t.last.At.Add(time.Microsecond)
	}
	var named *namedCounterparty
	if (a.Unclear || a.Learned) && t.Issue != uuid.Nil && t.isOpen() {
		if named, err = o.counterpartyNamed(ctx, tx, *t.question, len(t.rows), a); err != nil {
			return "", err
		}
	}
	again, err := o.saidAgain(ctx, tx, t, a)
	if err != nil {
		return "", err
	}
	if a.Unclear && named == nil {
		return AnswerUnclear, o.keepWords(ctx, tx, now, t, a)
	}
	if a.Reserved == "" && len(t.rows) > 0 && nothingSaid(t, a) { // each of its rows is left open: nobody knows
		a.Reserved = wording.Skip
	}
	if t.question != nil && t.question.Apart && a.Reserved != wording.Skip {
		if err := o.putTogether(ctx, tx, now, t.question.ID); err != nil {
			return "", err
		}
	}
	switch {
	case a.Reserved != "":
		return AnswerAccepted, o.takeBack(ctx, tx, now, locked, t, a)
	case again:
		return t.live.Status, nil
	}
	if named != nil {
		a.Unclear, a.Learned, a.CategoryID = false, false, named.CategoryID
	}
	return o.decideBy(ctx, tx, now, locked, t, a, named)
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
	words, err := json.Marshal(FollowUp{Answer: a.Text, Options: a.Readings, Several: a.Several})
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

// takeBack makes it as if the hook had never been answered. Who does not know the answer is asked last, and where it is
// one for many, about each.
func (o *Organization) takeBack(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, t target,
	a Answer) error {
	status, skip := AnswerUndone, a.Reserved == wording.Skip
	if skip {
		status = AnswerSkipped
	}
	if t.last == nil && !skip || t.last != nil && t.last.Status == status && (!skip || t.isSkipped()) {
		return nil
	}
	effect, err := o.effectOn(ctx, tx, nil, t.live)
	if err != nil {
		return err
	}
	if t.live != nil {
		if err := o.withdrawAnswer(ctx, tx, now, locked, t, uuid.Nil); err != nil {
			return err
		}
	}
	id := newID()
	if err := o.record(ctx, tx, now, id, t, a, status); err != nil {
		return err
	}
	if err := effect.note(ctx, id); err != nil {
		return err
	}
	if t.question == nil {
		return nil
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE outstanding_issues
		SET skipped = $3,
		    apart = $4,
		    follow_up = NULL
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, t.question.ID, skip, skip && t.ofFamily())
	if err != nil || !skip || !t.ofFamily() {
		return err
	}
	return o.takeApart(ctx, tx, now, locked, t.question.ID)
}

// takeApart has the rows of a question about many, of which nobody knows one answer for all, asked about with those
// that each is alone with, too.
func (o *Organization) takeApart(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	question uuid.UUID) error {
	rows, err := o.rowsAsked(ctx, tx, question)
	if err != nil {
		return err
	}
	return o.askedElsewhere(ctx, tx, now, locked, rows)
}

// putTogether has the rows of a question about many asked about by it alone, as before it was taken apart.
func (o *Organization) putTogether(ctx context.Context, tx *sqlx.Tx, now time.Time, question uuid.UUID) error {
	rows, err := o.rowsAsked(ctx, tx, question)
	if err != nil {
		return err
	}
	return o.leaveOthers(ctx, tx, now, question, rows)
}
