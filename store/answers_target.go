package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/money"
	"bizfin/internal/questions"
)

// The levels of answers: of two about a row the higher holds, of two of one level the newer.
const (
	levelCounterparty = 1 // all rows of a counterparty or a wording, in one direction
	levelTheseRows    = 2 // the one row of a question
	levelTransaction  = 3 // a row's own hook
)

// target is what a hook leads to.
type target struct {
	Hook
	question  *askedIssue // open, or what the hook is the id of; nil where there is none
	key       *string     // what the answer speaks for beyond its rows
	incoming  *bool
	level     int
	rows      []uuid.UUID // undeleted ones
	elsewhere []uuid.UUID // of these, in order, the ones that an answer left and another group's question asks about
	last      *pastAnswer // the newest of the hook, of whatever outcome
	live      *pastAnswer // the one that holds
}

// pastAnswer is an answer that was given before.
type pastAnswer struct {
	ID       uuid.UUID  `db:"id"`
	IssueID  *uuid.UUID `db:"issue_id"`
	Status   string     `db:"status"`
	Answer   string     `db:"answer"`
	Option   *string    `db:"selected_option"`
	Replaced bool       `db:"replaced"`
	Divided  bool       `db:"divided"` // its words were a split
	Lapsed   bool       `db:"lapsed"`  // of a year, whose payments it fits no more
	At       time.Time  `db:"answered_at"`
}

// lapsed is whether what an answer said of a year does not hold any more, as the payments of it are others now.
const lapsed = `(coalesce(split -> 'lapsed', '[]') <> '[]'
		         OR coalesce(jsonb_path_exists(further_splits, '$[*].lapsed[*]'), false))`

// lostRows are rows t that an answer a was about, do not follow it, and would if it were given again: the bank changed
// what it divided, another answer was forced on them, or they were filed. What says of one row what it is answers, too,
// whether it is that still. Answers that name somebody are left out: their rows follow what is known of whom they name.
const lostRows = `
		  SELECT
		  FROM answer_rows r
		  JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		  WHERE r.organization_id = (SELECT $1::uuid)
		    AND r.answer_id = a.id
		    AND a.merged IS NULL
		    AND (coalesce(r.category_id, a.category_id) IS NOT NULL OR a.mixed OR a.note IS NOT NULL)
		    AND t.filing_state <> 'filed'
		    AND t.deleted_at IS NULL
		    AND (t.answer_id IS DISTINCT FROM a.id
		        AND NOT (a.level < 3 AND t.answer_id IS NULL AND t.category_source IS NOT DISTINCT FROM 'user')
		        AND NOT EXISTS (
		          SELECT
		          FROM answer_rows own
		          JOIN answers held ON held.organization_id = own.organization_id AND held.id = own.answer_id
		          WHERE own.organization_id = (SELECT $1::uuid)
		            AND own.transaction_id = t.id
		            AND own.answer_id = t.answer_id
		            AND (held.level, held.answered_at, held.id) > (a.level, a.answered_at, a.id))
		      OR a.level = 3 AND EXISTS (
		        SELECT
		        FROM issue_transactions it
		        JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		        WHERE it.organization_id = (SELECT $1::uuid)
		          AND it.transaction_id = t.id
		          AND i.kind = 'changed'
		          AND i.status = 'open'))`

// saidAgain reports whether an answer is the one that holds: the same, for each of its rows among the target's.
func (o *Organization) saidAgain(ctx context.Context, tx *sqlx.Tx, t target, a Answer) (again bool, err error) {
	if t.live == nil || !t.live.same(a) {
		return false, nil
	}
	err = tx.GetContext(ctx, &again, `
		SELECT NOT EXISTS (`+lostRows+`
		    AND t.id IN (SELECT unnest($3::uuid[])))
		FROM answers a
		WHERE a.organization_id = $1
		  AND a.id = $2`,
		o.ID, t.live.ID, uuids(t.rows))
	return again, err
}

// same compares the options, and the words only where no option was chosen or they are a split: otherwise they are a
// remark. What lapsed is said anew.
func (p pastAnswer) same(a Answer) bool {
	if p.Lapsed {
		return false
	}
	if p.Option != nil || a.Option != nil {
		return p.Option != nil && a.Option != nil && *p.Option == *a.Option && p.Divided == (len(a.Splits) > 0) &&
			(!p.Divided || p.Answer == a.Text)
	}
	return p.Answer == a.Text
}

// isOpen reports whether the target is an open question.
func (t target) isOpen() bool { return t.question != nil && t.question.Status == IssueOpen }

// isSkipped reports whether the target's question comes last, as nobody knows the answer.
func (t target) isSkipped() bool { return t.question == nil || t.question.Skipped }

// ofFamily is whether the target is a question about many, which comes apart where nobody knows one answer.
func (t target) ofFamily() bool {
	return t.question != nil && t.question.GroupKey != nil && questions.ParseKey(*t.question.GroupKey).OfFamily()
}

// ofBusiness is whether an answer says what the business is.
func (t target) ofBusiness() bool { return t.key != nil && questions.ParseKey(*t.key).OfBusiness() }

// targetOf finds what a hook leads to, and locks its question. ErrNotFound.
func (o *Organization) targetOf(ctx context.Context, tx *sqlx.Tx, hook Hook) (target, error) {
	t := target{Hook: hook}
	var err error
	switch {
	case hook.Transaction != uuid.Nil:
		err = o.targetRow(ctx, tx, &t)
	case hook.Counterparty != uuid.Nil:
		err = o.targetCounterparty(ctx, tx, &t)
	default:
		err = o.targetIssue(ctx, tx, &t)
	}
	if err != nil {
		return t, err
	}
	var past []pastAnswer
	err = tx.SelectContext(ctx, &past, `
		SELECT id, issue_id, status, answer, selected_option, replaced_at IS NOT NULL AS replaced,
		       split IS NOT NULL AS divided, `+lapsed+` AS lapsed, answered_at
		FROM answers
		WHERE organization_id = $1
		  AND hook = $2
		ORDER BY answered_at DESC, id DESC`,
		o.ID, hook.String())
	if len(past) > 0 {
		t.last = &past[0]
	}
	for i, p := range past {
		if !p.Replaced && (p.Status == AnswerAccepted || p.Status == AnswerPartly) {
			t.live = &past[i]
			break
		}
	}
	if err == nil && t.question == nil && t.live != nil && t.live.IssueID != nil { // the one that it ended
		t.question, err = o.questionWhere(ctx, tx, `id = $2`, *t.live.IssueID)
	}
	return t, err
}

// targetRow is one row, and the open question about it alone, sooner than one about many of which it is the last.
func (o *Organization) targetRow(ctx context.Context, tx *sqlx.Tx, t *target) error {
	var amount money.Amount
	err := tx.GetContext(ctx, &amount, `
		SELECT amount
		FROM transactions
		WHERE organization_id = $1
		  AND id = $2
		  AND deleted_at IS NULL`,
		o.ID, t.Transaction)
	if err != nil {
		return err
	}
	incoming := amount > 0
	t.incoming, t.level, t.rows = &incoming, levelTransaction, []uuid.UUID{t.Transaction}
	t.question, err = o.questionWhere(ctx, tx, `
		status = 'open'
		AND transaction_count = 1
		AND id IN (
		  SELECT issue_id
		  FROM issue_transactions
		  WHERE organization_id = $1
		    AND transaction_id = $2)`, t.Transaction)
	return err
}

// targetCounterparty is all rows of a counterparty in a direction, and the open question about them with its rows: a
// line that was corrected is asked about with those it reads like, and stays with whom it was.
func (o *Organization) targetCounterparty(ctx context.Context, tx *sqlx.Tx, t *target) error {
	err := tx.GetContext(ctx, &t.key, `
		SELECT key
		FROM counterparties
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, t.Counterparty)
	if err != nil {
		return err
	}
	t.incoming, t.level = &t.Incoming, levelCounterparty
	if t.rows, err = o.rowsWith(ctx, tx, t.Counterparty, t.Incoming); err != nil || t.key == nil {
		return err
	}
	t.question, err = o.questionWhere(ctx, tx, `
		status = 'open'
		AND group_key = $2
		AND incoming = $3`, *t.key, t.Incoming)
	if err != nil || t.question == nil {
		return err
	}
	asked, err := o.rowsAsked(ctx, tx, t.question.ID)
	t.rows = inOrder(append(t.rows, asked...))
	return err
}

// rowsAsked are the undeleted rows of a question.
func (o *Organization) rowsAsked(ctx context.Context, tx *sqlx.Tx, issue uuid.UUID) (rows []uuid.UUID, err error) {
	err = tx.SelectContext(ctx, &rows, `
		SELECT t.id
		FROM issue_transactions it
		JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		WHERE it.organization_id = $1
		  AND it.issue_id = $2
		  AND t.deleted_at IS NULL`,
		o.ID, issue)
	return rows, err
}

// leftWaiting are rows "it" that the answers to question $2 left, and that the question about these asks about still:
// who answers the first one again speaks of them, too, by the numbers that it gave them.
var leftWaiting = `answers a
		  CROSS JOIN LATERAL unnest(a.left_open) AS l (id)
		  JOIN outstanding_issues q ON q.organization_id = a.organization_id AND q.id = a.issue_id
		  JOIN outstanding_issues i ON i.organization_id = q.organization_id AND i.group_key = q.group_key
		    AND i.incoming = q.incoming
		  CROSS JOIN LATERAL (
		    SELECT asked.transaction_id, asked.amount, coalesce(` + numberIn("q.id", "asked.transaction_id") + `,
		             asked.n) AS n
		    FROM issue_transactions asked
		    WHERE asked.organization_id = (SELECT $1::uuid)
		      AND asked.issue_id = i.id
		      AND asked.transaction_id = l.id
		    OFFSET 0) it
		  WHERE a.organization_id = (SELECT $1::uuid)
		    AND a.issue_id = $2
		    AND a.replaced_at IS NULL
		    AND i.status = 'open'
		    AND l.id NOT IN ( -- once, and not for each of them
		      SELECT transaction_id
		      FROM issue_transactions
		      WHERE organization_id = (SELECT $1::uuid)
		        AND issue_id = $2)`

// wentElsewhere are rows "gone" from question $2, which closed by itself, that it is about nevertheless: they joined
// others like them, and are asked about with these, or follow what was answered since. The others are understood
// otherwise.
const wentElsewhere = `issue_numbers gone
		  JOIN outstanding_issues q ON q.organization_id = gone.organization_id AND q.id = gone.issue_id
		  WHERE gone.organization_id = (SELECT $1::uuid)
		    AND gone.issue_id = $2
		    AND q.status = 'closed'
		    AND (EXISTS (
		        SELECT
		        FROM issue_transactions it
		        JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		        WHERE it.organization_id = (SELECT $1::uuid)
		          AND it.transaction_id = gone.transaction_id
		          AND i.group_key IN (q.family, q.group_key)
		          AND i.incoming = q.incoming
		          AND i.status = 'open')
		      OR EXISTS (
		        SELECT
		        FROM transactions t
		        JOIN answers a ON a.organization_id = t.organization_id AND a.id = t.answer_id
		        WHERE t.organization_id = (SELECT $1::uuid)
		          AND t.id = gone.transaction_id
		          AND a.answered_at >= q.created_at
		          AND a.replaced_at IS NULL))`

// addAskedElsewhere adds the rows that the answers to a question left and that a question of another group asks about
// since: few of a family, of whom each is asked about alone. They have no number in the first one.
func (o *Organization) addAskedElsewhere(ctx context.Context, tx *sqlx.Tx, t *target) error {
	err := tx.SelectContext(ctx, &t.elsewhere, `
		SELECT DISTINCT t.id
		FROM answers a
		CROSS JOIN LATERAL unnest(a.left_open) AS l (id)
		JOIN transactions t ON t.organization_id = a.organization_id AND t.id = l.id
		JOIN issue_transactions it ON it.organization_id = t.organization_id AND it.transaction_id = t.id
		JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		WHERE a.organization_id = (SELECT $1::uuid)
		  AND a.issue_id = $2
		  AND a.replaced_at IS NULL
		  AND t.category_id IS NULL
		  AND t.deleted_at IS NULL
		  AND i.kind = $3
		  AND i.status = 'open'
		  AND NOT t.id = ANY ($4::uuid[])
		ORDER BY t.id`,
		o.ID, t.Issue, aboutCategory, uuids(t.rows))
	t.rows = append(t.rows, t.elsewhere...)
	return err
}

// targetIssue is the rows of a question, those that another answer to it decides, and those that this one left; of one
// that closed by itself, those that joined others like them, or that it would be about: of a use or an amount, whose
// rows went to other questions, none.
func (o *Organization) targetIssue(ctx context.Context, tx *sqlx.Tx, t *target) error {
	var err error
	if t.question, err = o.questionWhere(ctx, tx, `id = $2`, t.Issue); err != nil {
		return err
	}
	if t.question == nil {
		return ErrNotFound
	}
	q := t.question
	t.incoming, t.level = q.Incoming, levelTheseRows
	if q.GroupKey != nil && !questions.ParseKey(*q.GroupKey).OfOneRow() {
		t.key, t.level = q.GroupKey, levelCounterparty
	}
	err = tx.SelectContext(ctx, &t.rows, `
		SELECT t.id
		FROM (
		  SELECT transaction_id
		  FROM issue_transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND issue_id = $2
		  UNION
		  SELECT r.transaction_id
		  FROM answers a
		  JOIN answer_rows r ON r.organization_id = a.organization_id AND r.answer_id = a.id
		  WHERE a.organization_id = (SELECT $1::uuid)
		    AND a.issue_id = $2
		    AND a.replaced_at IS NULL
		  UNION
		  SELECT it.transaction_id
		  FROM `+leftWaiting+`
		  UNION
		  SELECT gone.transaction_id
		  FROM `+wentElsewhere+`) asked
		JOIN transactions t ON t.organization_id = (SELECT $1::uuid) AND t.id = asked.transaction_id
		WHERE t.deleted_at IS NULL
		  AND NOT (t.is_refund AND t.filing_state = 'filed' AND NOT $3::boolean) -- it follows others of them`,
		o.ID, t.Issue, q.Incoming == nil || *q.Incoming)
	if err == nil {
		err = o.addAskedElsewhere(ctx, tx, t)
	}
	if err != nil || q.Status != IssueClosed || len(t.rows) > 0 {
		return err
	}
	about, err := uuid.Parse(q.ObjectID)
	switch {
	case err != nil:
		return nil //nolint:nilerr // what the question was about has no id: no row is left of it
	case q.ObjectType == "transaction":
		t.rows = []uuid.UUID{about}
		return nil
	case q.ObjectType == "counterparty" && q.Incoming != nil &&
		(q.GroupKey == nil || questions.ParseKey(*q.GroupKey).OfCounterparty()):
		t.rows, err = o.rowsOfNoOther(ctx, tx, about, *q.Incoming, q.GroupKey)
	}
	return err
}

// rowsOfNoOther are the rows with a counterparty in a direction that no open question of another group asks about.
func (o *Organization) rowsOfNoOther(ctx context.Context, tx *sqlx.Tx, counterparty uuid.UUID, incoming bool,
	groupKey *string) (rows []uuid.UUID, err error) {
	with, err := o.rowsWith(ctx, tx, counterparty, incoming)
	if err != nil {
		return nil, err
	}
	err = tx.SelectContext(ctx, &rows, `
		SELECT u.id
		FROM unnest($2::uuid[]) AS u (id)
		WHERE NOT EXISTS (
		  SELECT
		  FROM issue_transactions it
		  JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		  WHERE it.organization_id = (SELECT $1::uuid)
		    AND it.transaction_id = u.id
		    AND i.kind = $3
		    AND i.status = 'open'
		    AND i.group_key <> $4)`,
		o.ID, uuids(with), aboutCategory, groupKey)
	return rows, err
}

func (o *Organization) rowsWith(ctx context.Context, tx *sqlx.Tx, counterparty uuid.UUID,
	incoming bool) (rows []uuid.UUID, err error) {
	err = tx.SelectContext(ctx, &rows, `
		SELECT id
		FROM transactions
		WHERE organization_id = $1
		  AND counterparty_id = $2
		  AND (amount > 0) = $3
		  AND deleted_at IS NULL`,
		o.ID, counterparty, incoming)
	return rows, err
}

// questionWhere finds and locks a question; nil where there is none.
func (o *Organization) questionWhere(ctx context.Context, tx *sqlx.Tx, which string, args ...any) (*askedIssue, error) {
	var q askedIssue
	err := tx.GetContext(ctx, &q, `
		SELECT `+issueColumns+`, group_key, apart
		FROM outstanding_issues
		WHERE organization_id = $1
		  AND `+which+`
		ORDER BY apart, id
		LIMIT 1
		FOR NO KEY UPDATE`,
		append([]any{o.ID}, args...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &q, err
}

// Hooked finds what is asked by a hook: its question in whatever state, or what a standing hook would ask. ErrNotFound.
func (o *Organization) Hooked(ctx context.Context, hook Hook) (issue Issue, err error) {
	err = o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		t, err := o.targetOf(ctx, tx, hook)
		if err != nil {
			return err
		}
		if t.question != nil {
			issue = t.question.Issue
			if t.key != nil && questions.ParseKey(*t.key).BothWays() {
				issue.Incoming, err = o.allCameIn(ctx, tx, t.rows)
			}
			return err
		}
		issue = Issue{AllowsFreeText: true, Incoming: t.incoming}
		issue.Question, issue.Options, err = o.wouldAsk(ctx, tx, t)
		return err
	})
	return issue, translate(ctx, err)
}

// allCameIn is whether all rows came in that a question about both ways is about: then words are read as of such money.
func (o *Organization) allCameIn(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID) (incoming *bool, err error) {
	err = tx.GetContext(ctx, &incoming, `
		SELECT coalesce(bool_and(t.amount > 0), false)
		FROM unnest($2::uuid[]) AS u (id)
		JOIN transactions t ON t.organization_id = $1 AND t.id = u.id`,
		o.ID, uuids(rows))
	return incoming, err
}

// wouldAsk is what a standing hook would ask of which nothing is asked: words mean there what they mean where it is.
func (o *Organization) wouldAsk(ctx context.Context, tx *sqlx.Tx, t target) (text string, options []questions.Option,
	err error) {
	var newest struct {
		Name     string `db:"name"`
		Category int    `db:"category"`
	}
	err = tx.GetContext(ctx, &newest, `
		SELECT coalesce(c.name, '') AS name, coalesce(t.category_id, t.suggested_id, 0) AS category
		FROM unnest($2::uuid[]) AS u (id)
		JOIN transactions t ON t.organization_id = $1 AND t.id = u.id
		LEFT JOIN counterparties c ON c.organization_id = $1 AND c.id = t.counterparty_id
		ORDER BY t.primary_date DESC, t.id DESC
		LIMIT 1`,
		o.ID, uuids(t.rows))
	switch {
	case errors.Is(err, sql.ErrNoRows), err == nil && t.incoming == nil:
		return "", nil, nil
	case err != nil:
		return "", nil, err
	}
	text, options = questions.Standing(newest.Name, *t.incoming, newest.Category)
	return text, options, nil
}
