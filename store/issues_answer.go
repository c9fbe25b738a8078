package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/categorize"
	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
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
	question *askedIssue // open, or what the hook is the id of; nil where there is none
	key      *string     // what the answer speaks for beyond its rows
	incoming *bool
	level    int
	rows     []uuid.UUID // undeleted ones
	last     *pastAnswer // the newest of the hook, of whatever outcome
	live     *pastAnswer // the one that holds
}

// pastAnswer is an answer that was given before.
type pastAnswer struct {
	ID       uuid.UUID  `db:"id"`
	IssueID  *uuid.UUID `db:"issue_id"`
	Status   string     `db:"status"`
	Answer   string     `db:"answer"`
	Option   *string    `db:"selected_option"`
	Replaced bool       `db:"replaced"`
}

// AnswerHook stores an answer and what follows from it, and returns its outcome. What was understood decides the rows
// that no narrower or newer answer decided, and is remembered for the next ones; refunds of them follow. An answer
// before it to the same hook is replaced: what only that one decided is as if it had never been given. Words that are
// the name of another counterparty say who it is. Filed rows stay what they are. The same answer again changes nothing,
// and neither does an unclear one. ErrNotFound.
func (o *Organization) AnswerHook(ctx context.Context, now time.Time, hook Hook, a Answer) (status string, err error) {
	err = o.inTxAlone(ctx, func(tx *sqlx.Tx, locked []uuid.UUID) error {
		a := a
		t, err := o.targetOf(ctx, tx, hook)
		if err != nil {
			return err
		}
		var named *namedCounterparty
		if a.Unclear && t.Issue != uuid.Nil && t.question.Status == IssueOpen {
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
		case t.live != nil && t.live.same(a):
			status = t.live.Status
			return nil
		}
		if named != nil {
			a.Unclear, a.CategoryID = false, named.CategoryID
		}
		status, err = o.decideBy(ctx, tx, now, locked, t, a, named)
		return err
	})
	return status, err
}

// same compares the options, and the words only where no option was chosen: with one they are a remark.
func (p pastAnswer) same(a Answer) bool {
	if p.Option != nil || a.Option != nil {
		return p.Option != nil && a.Option != nil && *p.Option == *a.Option
	}
	return p.Answer == a.Text
}

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
		SELECT id, issue_id, status, answer, selected_option, replaced_at IS NOT NULL AS replaced
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

// targetRow is one row, and the open question about it alone.
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

// targetCounterparty is all rows of a counterparty in a direction, and the open question about them.
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
	return err
}

// targetIssue is the rows of a question, and those that another answer to it decides; of one that closed by itself,
// those that it would be about.
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
		    AND a.replaced_at IS NULL) asked
		JOIN transactions t ON t.organization_id = (SELECT $1::uuid) AND t.id = asked.transaction_id
		WHERE t.deleted_at IS NULL`,
		o.ID, t.Issue)
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
	case q.ObjectType == "counterparty" && q.Incoming != nil:
		t.rows, err = o.rowsWith(ctx, tx, about, *q.Incoming)
	}
	return err
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
		SELECT `+issueColumns+`, group_key
		FROM outstanding_issues
		WHERE organization_id = $1
		  AND `+which+`
		ORDER BY id
		LIMIT 1
		FOR NO KEY UPDATE`,
		append([]any{o.ID}, args...)...)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return &q, err
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
		  selected_option, category_id, mixed, note, answered_by, via, answered_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, nullif($11, 0), $12, nullif($13, ''), $14, $15, $16)`,
		o.ID, id, t.String(), question, t.key, t.incoming, t.level, status, a.Text, a.Option, a.CategoryID, a.Mixed,
		a.Note, a.Person, a.Via, now)
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
	if t.live != nil {
		filed, err := o.remembering(ctx, tx, t.live.ID, "t.filing_state = 'filed'")
		if err != nil {
			return "", err
		}
		for _, r := range filed {
			t.rows = append(t.rows, r.ID)
		}
	}
	t.rows = inOrder(t.rows)
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
	if err := o.coverRows(ctx, tx, id, t.rows); err != nil {
		return "", err
	}
	if t.question != nil {
		if err := o.endQuestion(ctx, tx, now, t.question.ID, a); err != nil {
			return "", err
		}
	}
	if named != nil {
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
	if err := o.dissolveAnswered(ctx, tx, now, locked, id, a); err != nil {
		return "", err
	}
	if err := o.refundsFollow(ctx, tx, now, locked, id); err != nil {
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
		    status = CASE WHEN EXISTS (
		      SELECT
		      FROM answer_rows
		      WHERE organization_id = $1
		        AND answer_id = $2
		        AND filed) THEN 'partly' ELSE 'accepted' END
		WHERE organization_id = $1
		  AND id = $2
		RETURNING status`,
		o.ID, id, after.Minus(before))
	return status, err
}

// leaveOtherQuestions takes a row that was answered by its own hook out of the questions about it and others.
func (o *Organization) leaveOtherQuestions(ctx context.Context, tx *sqlx.Tx, now time.Time, t target) error {
	if t.level != levelTransaction || t.question != nil {
		return nil
	}
	return o.closeQuestions(ctx, tx, now, t.rows, anyKind)
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

// coverRows notes the rows that an answer is about, with what they were before anybody answered.
func (o *Organization) coverRows(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID, rows []uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO answer_rows (organization_id, transaction_id, answer_id, filed, before_category, before_source,
		  before_confidence, before_reason)
		SELECT $1, t.id, $2, t.filing_state = 'filed',
		       CASE WHEN p.answer_id IS NULL THEN t.category_id ELSE p.before_category END,
		       CASE WHEN p.answer_id IS NULL THEN t.category_source ELSE p.before_source END,
		       CASE WHEN p.answer_id IS NULL THEN t.category_confidence ELSE p.before_confidence END,
		       CASE WHEN p.answer_id IS NULL THEN t.category_reason ELSE p.before_reason END
		FROM unnest($3::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		    AND deleted_at IS NULL
		  LIMIT 1) t
		LEFT JOIN answer_rows p ON p.organization_id = $1 AND p.transaction_id = t.id AND p.answer_id = t.answer_id`,
		o.ID, answer, uuids(rows))
	return err
}

// applyAnswer gives the rows of an answer what was understood. What a person chose for one row, or said of it alone,
// stays, unless it is what was asked about. Rows that another open question is about keep asking.
func (o *Organization) applyAnswer(ctx context.Context, tx *sqlx.Tx, now time.Time, id uuid.UUID, t target, a Answer,
	force bool) error {
	if a.CategoryID != 0 || a.Mixed || a.Note != "" {
		_, err := tx.ExecContext(ctx, `
			UPDATE transactions t
			SET category_id = CASE WHEN $4 <> 0 THEN $4 WHEN $7 THEN NULL ELSE t.category_id END,
			    category_source = CASE WHEN $4 <> 0 THEN 'user' WHEN $7 THEN NULL ELSE t.category_source END,
			    category_confidence = CASE WHEN $4 <> 0 THEN 10000 WHEN $7 THEN NULL ELSE t.category_confidence END,
			    category_reason = CASE WHEN $4 <> 0 THEN $5::text WHEN $7 THEN NULL ELSE t.category_reason END,
			    suggested_id = CASE WHEN $4 = 0 AND $7 THEN NULL ELSE t.suggested_id END,
			    context = nullif(concat_ws(E'\n', `+withoutNote("u.note")+`, nullif($6, '')), ''),
			    answer_id = $2,
			    processing = CASE WHEN t.alternatives IS NULL AND $4 = 0 THEN t.processing ELSE 'processed' END,
			    revision = t.revision + 1,
			    updated_at = $3
			FROM (
			  SELECT asked.id, held.note
			  FROM answer_rows r
			  JOIN transactions asked ON asked.organization_id = r.organization_id AND asked.id = r.transaction_id
			  LEFT JOIN answers held ON held.organization_id = r.organization_id AND held.id = asked.answer_id
			  WHERE r.organization_id = (SELECT $1::uuid)
			    AND r.answer_id = $2
			    AND NOT r.filed
			    AND ($9 OR held.level <= $8 OR held.id IS NULL AND asked.category_source IS DISTINCT FROM 'user')
			  ORDER BY asked.id) u
			WHERE t.organization_id = (SELECT $1::uuid)
			  AND t.id = u.id`,
			o.ID, id, now, a.CategoryID, a.Reason(a.Text), a.Note, a.Mixed, t.level, force)
		if err != nil {
			return err
		}
	}
	if err := o.settleAttention(ctx, tx, now, t.rows); err != nil {
		return err
	}
	if a.Relationship == "" || t.question == nil || t.question.ObjectType != "counterparty" {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE counterparties
		SET relationship = $3,
		    updated_at = $4
		WHERE organization_id = $1
		  AND id::text = $2`,
		o.ID, t.question.ObjectID, a.Relationship, now)
	return err
}

// withoutNote is the context of a row t without what an answer added to it.
func withoutNote(note string) string {
	return `nullif(array_to_string(array_remove(string_to_array(t.context, E'\n'), ` + note + `), E'\n'), '')`
}

// settleAttention has rows need attention where an open question is about them, and only there.
func (o *Organization) settleAttention(ctx context.Context, tx *sqlx.Tx, now time.Time, rows []uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE transactions t
		SET needs_attention = asked.open,
		    revision = t.revision + 1,
		    updated_at = $3
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT EXISTS (
		    SELECT
		    FROM issue_transactions it
		    JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		    WHERE it.organization_id = (SELECT $1::uuid)
		      AND it.transaction_id = u.id
		      AND i.status = 'open') AS open) asked
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = u.id
		  AND t.needs_attention <> asked.open`,
		o.ID, uuids(rows), now)
	return err
}

// remember makes an answer decide the next rows of its group, or be their context; one about others decides the next
// rows of each of them. The amount is that of the newest row, and 0 where no row is left.
func (o *Organization) remember(ctx context.Context, tx *sqlx.Tx, now time.Time, id uuid.UUID, t target, a Answer,
	named *namedCounterparty) error {
	var sameAs *string
	if named != nil { // the next rows are what the other counterparty's are
		sameAs = &named.Key
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO business_answers (organization_id, id, counterparty_key, incoming, amount, category_id,
		  relationship, note, same_as, created_at, mixed, answer_id, whole,
		  largest)
		SELECT $1, gen_random_uuid(), g.key, $3, g.amount, nullif($4, 0), nullif($5, ''), nullif($6, ''), $7, $8, $11,
		       $2, $12, g.largest
		FROM (
		  SELECT CASE WHEN $9 THEN c.key ELSE $10 END AS key,
		         (array_agg(t.amount ORDER BY t.primary_date DESC, t.id DESC))[1] AS amount,
		         max(abs(t.amount)) AS largest
		  FROM answer_rows r
		  JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		  LEFT JOIN counterparties c ON c.organization_id = t.organization_id AND c.id = t.counterparty_id
		  WHERE r.organization_id = (SELECT $1::uuid)
		    AND r.answer_id = $2
		  GROUP BY 1
		  UNION ALL
		  SELECT $10, 0, 999999999999999
		  WHERE NOT $9
		    AND NOT EXISTS (
		      SELECT
		      FROM answer_rows
		      WHERE organization_id = $1
		        AND answer_id = $2)) g
		WHERE g.key IS NOT NULL`,
		o.ID, id, *t.incoming, a.CategoryID, a.Relationship, a.Note, sameAs, now, a.AboutOthers, *t.key, a.Mixed,
		t.Counterparty != uuid.Nil)
	return err
}

// withdrawAnswer takes the answer that held back, in favour of a newer one of the hook or of none: rows that it alone
// decided are what other answers say of them, what a person chose before, or to be decided anew; those that its memory
// decided are to be decided anew. Without a newer one its question opens again.
func (o *Organization) withdrawAnswer(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, t target,
	instead uuid.UUID) error {
	old := t.live.ID
	_, err := tx.ExecContext(ctx, `
		UPDATE answers
		SET replaced_at = $3
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, old, now)
	if err != nil {
		return err
	}
	var rows []uuid.UUID
	err = tx.SelectContext(ctx, &rows, `
		SELECT t.id
		FROM answer_rows r
		JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		WHERE r.organization_id = (SELECT $1::uuid)
		  AND r.answer_id = $2
		  AND t.answer_id = $2
		  AND t.filing_state <> 'filed'`,
		o.ID, old)
	if err != nil {
		return err
	}
	if instead == uuid.Nil {
		if err := o.openAgain(ctx, tx, now, t.live.IssueID); err != nil {
			return err
		}
	}
	if _, err := o.lockRows(ctx, tx, rows); err != nil {
		return err
	}
	for _, step := range []string{heldByAnother, heldBefore} {
		if _, err := tx.ExecContext(ctx, step, o.ID, uuids(rows), old, now); err != nil {
			return err
		}
	}
	if err := o.forget(ctx, tx, now, locked, old, rows); err != nil {
		return err
	}
	if err := o.answered(ctx, tx); err != nil {
		return err
	}
	return o.settleAttention(ctx, tx, now, slices.Concat(rows, t.rows))
}

// openAgain opens the question that an answer ended, unless another answer to it holds, or another question of its
// group is open: its rows join that.
func (o *Organization) openAgain(ctx context.Context, tx *sqlx.Tx, now time.Time, question *uuid.UUID) error {
	if question == nil {
		return nil
	}
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
		o.ID, *question)
	if err != nil {
		return err
	}
	if held, err := result.RowsAffected(); err != nil || held > 0 {
		return err
	}
	_, err = tx.ExecContext(ctx, `
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
		      FROM issue_transactions it
		      JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		      WHERE it.organization_id = $1
		        AND it.issue_id = $2
		        AND t.deleted_at IS NULL) AS open) other
		WHERE i.organization_id = $1
		  AND i.id = $2
		  AND i.status = 'answered'`,
		o.ID, *question, now)
	return err
}

// What rows are that an answer decided which is gone.
var (
	// What the best of the other answers about them says.
	heldByAnother = `
		UPDATE transactions t
		SET category_id = CASE WHEN a.category_id IS NOT NULL THEN a.category_id WHEN a.mixed THEN NULL
		      ELSE t.category_id END,
		    category_source = CASE WHEN a.category_id IS NOT NULL THEN 'user' WHEN a.mixed THEN NULL
		      ELSE t.category_source END,
		    category_confidence = CASE WHEN a.category_id IS NOT NULL THEN 10000 WHEN a.mixed THEN NULL
		      ELSE t.category_confidence END,
		    category_reason = CASE WHEN a.category_id IS NOT NULL THEN 'Answered: ' || a.answer WHEN a.mixed THEN NULL
		      ELSE t.category_reason END,
		    suggested_id = CASE WHEN a.category_id IS NULL AND a.mixed THEN NULL ELSE t.suggested_id END,
		    context = nullif(concat_ws(E'\n', ` + withoutNote("old.note") + `, a.note), ''),
		    answer_id = a.id,
		    revision = t.revision + 1,
		    updated_at = $4
		FROM (
		  SELECT DISTINCT ON (r.transaction_id) r.transaction_id, a.*
		  FROM answer_rows r
		  JOIN answers a ON a.organization_id = r.organization_id AND a.id = r.answer_id
		  WHERE r.organization_id = $1
		    AND r.transaction_id = ANY ($2::uuid[])
		    AND a.id <> $3
		    AND a.replaced_at IS NULL
		    AND a.status IN ('accepted', 'partly')
		    AND (a.category_id IS NOT NULL OR a.mixed)
		  ORDER BY r.transaction_id, a.level DESC, a.answered_at DESC, a.id DESC) a,
		  answers old
		WHERE t.organization_id = $1
		  AND t.id = a.transaction_id
		  AND t.answer_id = $3
		  AND old.organization_id = $1
		  AND old.id = $3`
	// What a person chose before, or what the row was before the bank changed its line.
	heldBefore = `
		UPDATE transactions t
		SET category_id = r.before_category,
		    category_source = r.before_source,
		    category_confidence = r.before_confidence,
		    category_reason = r.before_reason,
		    context = ` + withoutNote("old.note") + `,
		    answer_id = NULL,
		    revision = t.revision + 1,
		    updated_at = $4
		FROM answer_rows r
		JOIN answers old ON old.organization_id = r.organization_id AND old.id = r.answer_id
		LEFT JOIN outstanding_issues i ON i.organization_id = old.organization_id AND i.id = old.issue_id
		WHERE r.organization_id = $1
		  AND r.transaction_id = ANY ($2::uuid[])
		  AND r.answer_id = $3
		  AND (r.before_source = 'user' OR i.kind = 'changed')
		  AND t.organization_id = $1
		  AND t.id = r.transaction_id
		  AND t.answer_id = $3`
)

// rowAt is a row with its account.
type rowAt struct {
	ID      uuid.UUID `db:"id"`
	Account uuid.UUID `db:"account_id"`
}

// remembering are the rows that the memory of an answer decided, or gave its note.
func (o *Organization) remembering(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID, which string) ([]rowAt, error) {
	var rows []rowAt
	err := tx.SelectContext(ctx, &rows, `
		SELECT DISTINCT t.id, t.account_id
		FROM business_answers b
		JOIN transactions t ON t.organization_id = b.organization_id
		LEFT JOIN counterparties c ON c.organization_id = t.organization_id AND c.id = t.counterparty_id
		WHERE b.organization_id = $1
		  AND b.answer_id = $2
		  AND t.deleted_at IS NULL
		  AND t.answer_id IS NULL
		  AND (t.amount > 0) = b.incoming
		  AND (t.category_source = 'memory' OR t.category_id IS NULL AND t.suggested_id IS NOT NULL
		    OR b.note <> '' AND strpos(coalesce(t.context, ''), b.note) > 0)
		  AND (c.key IN (b.counterparty_key, b.same_as)
		    OR b.counterparty_key = $3 AND t.category_reason = $4
		    OR b.counterparty_key = $5 AND t.category_reason = $6
		    OR strpos(b.counterparty_key, ':') > 0 AND t.category_reason = $7)
		  AND `+which+`
		ORDER BY t.id`,
		o.ID, answer, questions.SalesTax.String(), decide.SalesTaxAnswered, questions.Deposits.String(),
		decide.DepositsAnswered, decide.UseAnswered)
	return rows, err
}

// forget drops the memory of an answer, and has the rows decided anew that it, or its memory, decided.
func (o *Organization) forget(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, answer uuid.UUID,
	decided []uuid.UUID) error {
	rows, err := o.remembering(ctx, tx, answer, "t.filing_state <> 'filed'")
	if err != nil {
		return err
	}
	var own []rowAt
	err = tx.SelectContext(ctx, &own, `
		SELECT id, account_id
		FROM transactions
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])
		  AND answer_id = $3`,
		o.ID, uuids(decided), answer)
	if err != nil {
		return err
	}
	var ids, accounts []uuid.UUID
	for _, r := range append(rows, own...) {
		ids, accounts = append(ids, r.ID), append(accounts, r.Account)
	}
	if err := mustHave(locked, accounts); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE transactions t
		SET category_id = NULL,
		    category_source = NULL,
		    category_confidence = NULL,
		    category_reason = NULL,
		    suggested_id = NULL,
		    context = `+withoutNote("old.note")+`,
		    answer_id = NULL,
		    processing = 'queued',
		    revision = t.revision + 1,
		    updated_at = $4
		FROM answers old
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = ANY ($2::uuid[])
		  AND old.organization_id = $1
		  AND old.id = $3`,
		o.ID, uuids(ids), answer, now)
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
	return o.queueEvents(ctx, tx, accounts...)
}

// dissolveAnswered dissolves the pairs of rows that an answer made something else than a transfer.
func (o *Organization) dissolveAnswered(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	answer uuid.UUID, a Answer) error {
	if a.CategoryID == 0 && !a.Mixed || a.CategoryID != 0 &&
		categorize.EvidenceOfChoice(a.CategoryID) > categorize.Against {
		return nil
	}
	var legs []rowAt
	err := tx.SelectContext(ctx, &legs, `
		SELECT t.id, t.account_id
		FROM answer_rows r
		JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		WHERE r.organization_id = (SELECT $1::uuid)
		  AND r.answer_id = $2
		  AND t.answer_id = $2
		  AND t.transfer_id IS NOT NULL`,
		o.ID, answer)
	if err != nil {
		return err
	}
	for _, leg := range legs {
		if err := o.dissolve(ctx, tx, now, locked, leg.Account, []uuid.UUID{leg.ID}); err != nil {
			return err
		}
	}
	return nil
}

// onForm are the categories whose amounts make up the net profit.
func onForm() pq.Int64Array {
	var ids pq.Int64Array
	for _, c := range ontology.ScheduleC().All() {
		if c.Kind.OnForm() {
			ids = append(ids, int64(c.ID))
		}
	}
	return ids
}

// refundsFollow has refunds decided anew that the rows of an answer explain.
func (o *Organization) refundsFollow(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	answer uuid.UUID) error {
	var rows []struct {
		Key      string `db:"key"`
		Currency string `db:"currency"`
		purchaseRow
	}
	err := tx.SelectContext(ctx, &rows, `
		SELECT c.key, t.currency, t.id, t.amount, t.primary_date, t.category_id, t.category_confidence AS confidence
		FROM answer_rows r
		JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		JOIN counterparties c ON c.organization_id = t.organization_id AND c.id = t.counterparty_id
		WHERE r.organization_id = (SELECT $1::uuid)
		  AND r.answer_id = $2
		  AND t.answer_id = r.answer_id
		  AND t.amount < 0
		  AND t.category_source = 'user'
		  AND t.deleted_at IS NULL
		  AND c.key IS NOT NULL`,
		o.ID, answer)
	if err != nil {
		return err
	}
	purchases := decide.Purchases{}
	for _, r := range rows {
		shop := decide.Shop{Key: r.Key, Currency: r.Currency}
		purchases[shop] = append(purchases[shop], r.purchase())
	}
	refunds, err := o.refundsOf(ctx, tx, purchases)
	if err != nil {
		return err
	}
	var accounts []uuid.UUID
	for _, r := range refunds {
		accounts = append(accounts, r.AccountID)
	}
	if err := mustHave(locked, accounts); err != nil {
		return err
	}
	return o.decideAnew(ctx, tx, now, rowsOf(refunds), uuid.Nil)
}
