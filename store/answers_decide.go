package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/decide"
	"bizfin/internal/questions"
	"bizfin/internal/split"
)

// deciding is an answer on its way to all that it changes, in one transaction.
type deciding struct {
	*Organization
	tx     *sqlx.Tx
	now    time.Time
	locked []uuid.UUID // accounts

	id     uuid.UUID // of the answer
	answer Answer
	target target             // its rows are those that the answer decides, once reach was there
	named  *namedCounterparty // whom the answer names; nil where it names nobody

	exceptions map[uuid.UUID]int // what it says of single rows
	left       []uuid.UUID       // rows of the question that it leaves open
	unseen     []uuid.UUID       // and those that it does not speak for, as they were not shown
	others     []uuid.UUID       // rows that its amounts are not about
	back       []leaving         // what gather took out of the question about what the answer before it left
}

// decideBy has an answer decide what it is about, and returns its outcome.
func (o *Organization) decideBy(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, t target, a Answer,
	named *namedCounterparty) (status string, err error) {
	d := &deciding{Organization: o, tx: tx, now: now, locked: locked, id: newID(), answer: a, target: t, named: named}
	if err := d.reach(ctx); err != nil {
		return "", err
	}
	effect, err := o.effectOn(ctx, tx, d.target.rows, t.live)
	if err != nil {
		return "", err
	}
	for _, step := range []func(context.Context) error{
		d.store,
		d.endQuestion,
		d.merge,
		d.apply,
		d.replace,
		d.remember,
		d.askAnew,
		d.followRefunds,
	} {
		if err := step(ctx); err != nil {
			return "", err
		}
	}
	if err := effect.note(ctx, d.id); err != nil {
		return "", err
	}
	return d.outcome(ctx)
}

// reach finds the rows that the answer decides, takes them out of other questions, and locks them.
func (d *deciding) reach(ctx context.Context) error {
	a, t := &d.answer, &d.target
	if err := d.gather(ctx); err != nil {
		return err
	}
	for i, spec := range a.Splits {
		rest, said, err := d.fitting(ctx, d.tx, t.divided(*a, i+1), spec)
		if err != nil {
			return err
		}
		t.rows = slices.DeleteFunc(t.rows, func(row uuid.UUID) bool { return slices.Contains(rest, row) })
		d.others, a.Splits[i] = append(d.others, rest...), said
	}
	if t.live != nil {
		filed, err := d.remembering(ctx, d.tx, t.live.ID, "t.filing_state = 'filed'")
		if err != nil {
			return err
		}
		for _, r := range filed {
			if a.CategoryID != split.Category || r.of(a.Splits[0]) {
				t.rows = append(t.rows, r.ID)
			}
		}
	}
	var said []uuid.UUID
	said, d.exceptions, d.left = t.split(*a)
	if d.named == nil {
		var err error
		if d.unseen, err = d.Organization.unseen(ctx, d.tx, *t, *a, d.exceptions); err != nil {
			return err
		}
	}
	t.rows = notAmong(inOrder(d.unseen), inOrder(said))
	d.left, d.unseen = notAmong(t.elsewhere, d.left), notAmong(t.elsewhere, d.unseen) // stay with their questions
	if err := d.leaveOtherQuestions(ctx, d.tx, d.now, *t); err != nil {
		return err
	}
	_, err := d.lockRows(ctx, d.tx, t.rows)
	return err
}

// gather has the question be about all of its rows again where the answer before left some: those that still wait come
// back. The question about these goes on with what this answer leaves, and ends where that is nothing.
func (d *deciding) gather(ctx context.Context) error {
	question := d.target.question
	if d.target.Issue == uuid.Nil || d.target.live == nil || d.target.isOpen() {
		return nil
	}
	rest, err := d.restOf(ctx, d.tx, question.ID)
	if err != nil || rest == nil {
		return err
	}
	_, err = d.tx.ExecContext(ctx, `
		INSERT INTO issue_transactions (organization_id, transaction_id, issue_id, amount, n)
		SELECT DISTINCT $1::uuid, it.transaction_id, $2::uuid, it.amount, it.n
		FROM `+leftWaiting,
		d.ID, question.ID)
	if err != nil {
		return err
	}
	d.back, err = d.leave(ctx, d.tx, `issue_id = $2
		    AND transaction_id = ANY (ARRAY (
		      SELECT transaction_id
		      FROM issue_transactions
		      WHERE organization_id = (SELECT $1::uuid)
		        AND issue_id = $3))`, rest.ID, question.ID)
	return err
}

// goOn has the question from which gather took rows say what is left of it.
func (d *deciding) goOn(ctx context.Context) error {
	if len(d.back) == 0 {
		return nil
	}
	if err := d.discount(ctx, d.tx, d.now, d.back); err != nil {
		return err
	}
	return d.recount(ctx, d.tx, d.now, []uuid.UUID{d.back[0].Issue})
}

// store keeps the answer, and which rows it is about.
func (d *deciding) store(ctx context.Context) error {
	if err := d.record(ctx, d.tx, d.now, d.id, d.target, d.answer, AnswerAccepted); err != nil {
		return err
	}
	if err := d.keepOpen(ctx); err != nil {
		return err
	}
	return d.coverRows(ctx, d.tx, d.id, d.target.rows, d.exceptions)
}

// keepOpen notes the rows that the answer leaves open, with those that the one before it left, so that its memory does
// not decide what it does not; and those of them that it names, so that it does not guess what they are either.
func (d *deciding) keepOpen(ctx context.Context) error {
	var before uuid.NullUUID
	if d.target.live != nil {
		before = uuid.NullUUID{UUID: d.target.live.ID, Valid: true}
	}
	_, err := d.tx.ExecContext(ctx, `
		UPDATE answers
		SET left_open = nullif(ARRAY (
		  SELECT unnest($3::uuid[])
		  UNION
		  SELECT unnest(left_open)
		  FROM answers
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = $4
		  EXCEPT
		  SELECT unnest($5::uuid[])), '{}'),
		    excluded = nullif(ARRAY (
		  SELECT unnest($6::uuid[])
		  UNION
		  SELECT unnest(excluded)
		  FROM answers
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = $4
		  EXCEPT
		  SELECT unnest($5::uuid[])), '{}')
		WHERE organization_id = $1
		  AND id = $2`,
		d.ID, d.id, uuids(slices.Concat(d.left, d.unseen)), before, uuids(d.target.rows), uuids(d.excluded()))
	return err
}

// excluded are rows of the question that the answer names and says nothing of.
func (d *deciding) excluded() (rows []uuid.UUID) {
	for _, row := range d.left {
		if _, named := d.exceptions[row]; named {
			rows = append(rows, row)
		}
	}
	return rows
}

// unsure is whether nobody knows what the rows are that the answer leaves open, as it says of each.
func (d *deciding) unsure() bool {
	known := slices.Clone(d.left)
	for _, e := range d.answer.Exceptions {
		if e.Unsure {
			known = slices.DeleteFunc(known, func(row uuid.UUID) bool { return slices.Contains(e.Transactions, row) })
		}
	}
	return len(known) == 0
}

// endQuestion ends the question that was answered. Rows that the answer says nothing of are asked about by a new one.
func (d *deciding) endQuestion(ctx context.Context) error {
	question := d.target.question
	if question == nil {
		return nil
	}
	if err := d.markAnswered(ctx, d.tx, d.now, question.ID, d.answer); err != nil || !d.target.isOpen() {
		return err
	}
	return d.leaveRest(ctx, question.ID, d.left, d.unseen)
}

// leaveRest has rows of a question asked about again: those left, of which the answer says nothing, and those unseen,
// for which it does not speak.
func (d *deciding) leaveRest(ctx context.Context, question uuid.UUID, left, unseen []uuid.UUID) error {
	switch {
	case len(unseen) == 0:
		_, err := d.leaveOpen(ctx, d.tx, d.now, question, left, d.unsure(), "", d.answer.Missed())
		return err
	case len(left) == 0:
		return d.leaveUnseen(ctx, d.tx, d.now, question, d.id, d.about(), unseen, d.answer)
	}
	_, err := d.leaveOpen(ctx, d.tx, d.now, question, slices.Concat(left, unseen), false, questions.WhyRest,
		d.answer.Missed())
	if err != nil {
		return err
	}
	return d.suggestUnseen(ctx, d.tx, d.now, d.id, d.about(), unseen, d.answer)
}

// about is what the answered question is about.
func (d *deciding) about() questions.Key {
	if key := d.target.question.GroupKey; key != nil {
		return questions.ParseKey(*key)
	}
	return questions.Key{}
}

// merge makes whom the question is about the one that the answer names.
func (d *deciding) merge(ctx context.Context) error {
	if d.named == nil {
		return nil
	}
	if err := d.willMerge(ctx, d.tx, d.id, *d.target.question, *d.named); err != nil {
		return err
	}
	return d.isWith(ctx, d.tx, d.now, d.locked, *d.target.question, *d.named)
}

// apply gives the rows what the answer says.
func (d *deciding) apply(ctx context.Context) error {
	t := d.target
	force := t.level == levelTransaction || t.question != nil && t.question.Kind == questions.KindChanged
	return d.applyAnswer(ctx, d.tx, d.now, d.id, t, d.answer, force)
}

// replace takes back what the answer before it decided.
func (d *deciding) replace(ctx context.Context) error {
	if d.target.live != nil {
		if err := d.withdrawAnswer(ctx, d.tx, d.now, d.locked, d.target, d.id); err != nil {
			return err
		}
		if q := d.target.question; q != nil && !d.target.isOpen() {
			if err := d.leaveBehind(ctx, q.ID); err != nil {
				return err
			}
			if err := d.goOn(ctx); err != nil {
				return err
			}
		}
	}
	if err := d.endChanged(ctx); err != nil {
		return err
	}
	return d.answered(ctx, d.tx)
}

// endChanged ends the questions whether rows are still what they were, as the answer decided them since the bank
// changed them. One in place of an answer says no more of the change than that did.
func (d *deciding) endChanged(ctx context.Context) error {
	if d.target.live != nil {
		return nil
	}
	decided, err := d.heldBy(ctx, d.tx, d.id)
	if err != nil {
		return err
	}
	return d.closeQuestions(ctx, d.tx, d.now, decided, questions.KindChanged)
}

// leaveBehind is leaveRest of an answer that replaces another one: what it leaves may be decided by a third.
func (d *deciding) leaveBehind(ctx context.Context, question uuid.UUID) error {
	var open []uuid.UUID
	err := d.tx.SelectContext(ctx, &open, `
		SELECT t.id
		FROM transactions t
		WHERE t.organization_id = $1
		  AND t.id = ANY ($2::uuid[])
		  AND t.category_id IS NULL
		  AND `+unanswered,
		d.ID, uuids(slices.Concat(d.left, d.unseen)))
	if err != nil {
		return err
	}
	isOpen := make(map[uuid.UUID]bool, len(open))
	for _, row := range open {
		isOpen[row] = true
	}
	decided := func(row uuid.UUID) bool { return !isOpen[row] }
	left, unseen := slices.DeleteFunc(slices.Clone(d.left), decided), slices.DeleteFunc(slices.Clone(d.unseen), decided)
	if err := d.leaveRest(ctx, question, left, unseen); err != nil {
		return err
	}
	return d.settleAttention(ctx, d.tx, d.now, open)
}

// remember keeps the answer for the next rows.
func (d *deciding) remember(ctx context.Context) error {
	if d.target.key == nil || d.target.incoming == nil {
		return nil
	}
	return d.Organization.remember(ctx, d.tx, d.now, d.id, d.target, d.answer, d.named,
		slices.Concat(d.left, d.unseen))
}

// askAnew has rows that the answer does not decide, and that it bears on, decided and asked about again.
func (d *deciding) askAnew(ctx context.Context) error {
	if d.target.ofBusiness() {
		if err := d.suggestAnew(ctx, d.tx, d.now, d.locked); err != nil {
			return err
		}
	}
	switch holds, err := d.aloneHolds(ctx, d.tx, d.id); {
	case err != nil:
		return err
	case holds:
		if err := d.payoutsAnew(ctx, d.tx, d.now, d.locked, payoutsThatStand); err != nil {
			return err
		}
	}
	owing, err := d.owing(ctx, d.tx, d.id)
	if err != nil {
		return err
	}
	if err := d.payoutsOfAnew(ctx, d.tx, d.now, d.locked, payoutsThatStand, owing); err != nil {
		return err
	}
	if err := d.lentAnew(ctx); err != nil {
		return err
	}
	if d.answer.CategoryID != 0 || len(d.answer.Exceptions) > 0 {
		if err := d.unaskedAnew(ctx, d.tx, d.now, d.locked, d.target); err != nil {
			return err
		}
	}
	if err := d.dissolveAnswered(ctx, d.tx, d.now, d.locked, d.id, d.answer); err != nil {
		return err
	}
	if d.named != nil && d.named.Divided { // the memory of the other divides them
		d.others = d.target.rows
	}
	return d.askedElsewhere(ctx, d.tx, d.now, d.locked, slices.Concat(d.others, d.left))
}

// lentAnew has payouts decided anew of those who lent to the business, as the answer says, and of those who seemed to
// have, before it.
func (d *deciding) lentAnew(ctx context.Context) error {
	lending, err := d.lending(ctx, d.tx, d.id)
	if err != nil {
		return err
	}
	if err := d.payoutsOfBrandsAnew(ctx, d.tx, d.now, d.locked, payoutsThatStand, lending); err != nil {
		return err
	}
	if q := d.target.question; q == nil || !q.seemsLent() || len(lending) > 0 {
		return nil
	}
	brand := questions.BrandOf(questions.CounterpartyOf(*d.target.question.GroupKey))
	return d.payoutsOfBrandsAnew(ctx, d.tx, d.now, d.locked, payoutsAsked, []string{brand})
}

func (d *deciding) followRefunds(ctx context.Context) error {
	if err := d.coverFiledRefunds(ctx, d.tx, d.id); err != nil {
		return err
	}
	return d.refundsLeft(ctx, d.tx, d.now, d.locked, d.target.rows)
}

// outcome writes what became of the answer: it is partly accepted where rows that it is about are still open, or filed.
func (d *deciding) outcome(ctx context.Context) (status string, err error) {
	open := d.others
	if len(d.answer.Splits) > 0 { // a year's amounts may not fit what others leave of its payments
		open = slices.Concat(open, d.target.rows)
	}
	err = d.tx.GetContext(ctx, &status, `
		UPDATE answers
		SET row_count = (
		      SELECT count(*)
		      FROM answer_rows r
		      JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		      WHERE r.organization_id = (SELECT $1::uuid)
		        AND r.answer_id = $2
		        AND t.answer_id = $2),
		    status = CASE WHEN $3 OR EXISTS (
		      SELECT
		      FROM transactions t
		      WHERE t.organization_id = $1
		        AND t.id = ANY ($4::uuid[])
		        AND (t.category_id IS NULL OR `+standsAsked+`)
		        AND t.deleted_at IS NULL) OR EXISTS (
		      SELECT
		      FROM answer_rows
		      WHERE organization_id = $1
		        AND answer_id = $2
		        AND filed) THEN 'partly' ELSE 'accepted' END
		WHERE organization_id = $1
		  AND id = $2
		RETURNING status`,
		d.ID, d.id, len(d.left)+len(d.unseen) > 0, uuids(open))
	return status, err
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
		  selected_option, category_id, mixed, note, answered_by, via, answered_at, split, further_splits)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, nullif($11, 0), $12, nullif($13, ''), $14, $15, $16, $17,
		  $18)`,
		o.ID, id, t.String(), question, t.key, t.incoming, t.level, status, a.Text, a.Option, a.CategoryID, a.Mixed,
		a.Note, a.Person, a.Via, now, a.Splits.first(), a.Splits.further())
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

// leaveOtherQuestions takes the rows of an answer out of the open questions about them and others. Its own, where that
// is open, ends with its rows.
func (o *Organization) leaveOtherQuestions(ctx context.Context, tx *sqlx.Tx, now time.Time, t target) error {
	open := t.isOpen()
	switch {
	case t.Transaction != uuid.Nil && !open:
		return o.closeQuestions(ctx, tx, now, t.rows, anyKind)
	case !open:
		return o.closeQuestions(ctx, tx, now, t.rows, aboutCategory)
	}
	return o.leaveOthers(ctx, tx, now, t.question.ID, t.rows)
}

// leaveOthers takes rows out of the open questions about their category, but for one of them.
func (o *Organization) leaveOthers(ctx context.Context, tx *sqlx.Tx, now time.Time, question uuid.UUID,
	rows []uuid.UUID) error {
	own, err := o.rowsAsked(ctx, tx, question)
	if err != nil {
		return err
	}
	if err := o.closeQuestions(ctx, tx, now, notAmong(inOrder(own), slices.Clone(rows)), aboutCategory); err != nil {
		return err
	}
	left, err := o.leave(ctx, tx, `transaction_id = ANY ($3::uuid[])
		    AND issue_id <> $2
		    AND issue_id = ANY (ARRAY (
		      SELECT id
		      FROM outstanding_issues
		      WHERE organization_id = (SELECT $1::uuid)
		        AND kind = $4
		        AND status = 'open'))`, question, uuids(rows), aboutCategory)
	if err != nil {
		return err
	}
	return o.discount(ctx, tx, now, left)
}

// notAmong are rows that are not among others, which are in order.
func notAmong(others, rows []uuid.UUID) []uuid.UUID {
	return slices.DeleteFunc(rows, func(row uuid.UUID) bool {
		_, among := slices.BinarySearchFunc(others, row, CompareUUIDs)
		return among
	})
}

// markAnswered ends a question by an answer.
func (o *Organization) markAnswered(ctx context.Context, tx *sqlx.Tx, now time.Time, id uuid.UUID, a Answer) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues
		SET status = 'answered',
		    answer = $3,
		    selected_option = $4,
		    answered_by = $5,
		    ended_at = $6,
		    skipped = false,
		    apart = false,
		    follow_up = NULL
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, id, a.Text, a.Option, a.Person, now)
	return err
}

// askedElsewhere has rows of a question that nobody answered decided anew: another question is about them, or payouts
// that stand are asked about again.
func (o *Organization) askedElsewhere(ctx context.Context, tx *sqlx.Tx, now time.Time, locked, rows []uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	var open []decide.Row
	err := tx.SelectContext(ctx, &open, `
		SELECT id, revision, account_id
		FROM transactions t
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])
		  AND (category_id IS NULL OR `+standsAsked+`)
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
