package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/money"
	"bizfin/internal/questions"
)

// aboutCategory is the kind of the questions that the category of a row answers; anyKind is all questions.
const (
	aboutCategory = questions.KindCategory
	anyKind       = ""
)

// closeQuestions takes rows out of the open questions of a kind. A question whose last row goes closes by itself.
func (o *Organization) closeQuestions(ctx context.Context, tx *sqlx.Tx, now time.Time, transactions []uuid.UUID,
	kind string) error {
	left, err := o.withdraw(ctx, tx, now, transactions, kind)
	if err != nil {
		return err
	}
	return o.discount(ctx, tx, now, left)
}

// tried is whether somebody has put a question off, said of it what was not understood, or taken an answer back: it
// keeps its rows.
const tried = `(skipped OR follow_up IS NOT NULL OR EXISTS (
		         SELECT
		         FROM answers
		         WHERE answers.organization_id = (SELECT $1::uuid)
		           AND answers.issue_id = outstanding_issues.id))`

// lockedQuestion is an open question that nobody else answers or closes any more.
type lockedQuestion struct {
	ID       uuid.UUID `db:"id"`
	Key      *string   `db:"group_key"`
	Incoming *bool     `db:"incoming"`
	Currency string    `db:"impact_currency"`
	Guess    string    `db:"guess"` // the value of its first option
	Apart    bool      `db:"apart"`
	Tried    bool      `db:"tried"`
}

// lockQuestions locks the open questions of a kind about rows, and those of groups, in the order of their ids.
// Questions are locked after accounts and before rows.
func (o *Organization) lockQuestions(ctx context.Context, tx *sqlx.Tx, transactions []uuid.UUID,
	groupKeys []string, kind string) ([]lockedQuestion, error) {
	if len(transactions) == 0 && len(groupKeys) == 0 {
		return nil, nil
	}
	var locked []lockedQuestion
	err := tx.SelectContext(ctx, &locked, `
		SELECT id, group_key, incoming, impact_currency, coalesce(options #>> '{0,value}', '') AS guess, apart,
		       `+tried+` AS tried
		FROM outstanding_issues
		WHERE organization_id = $1
		  AND id = ANY (ARRAY (
		    SELECT it.issue_id
		    FROM unnest($2::uuid[]) AS u (id)
		    CROSS JOIN LATERAL (
		      SELECT issue_id
		      FROM issue_transactions
		      WHERE organization_id = (SELECT $1::uuid)
		        AND transaction_id = u.id
		      OFFSET 0) it
		    UNION
		    SELECT i.id
		    FROM unnest($3::text[]) AS u (group_key)
		    CROSS JOIN LATERAL (
		      SELECT id
		      FROM outstanding_issues
		      WHERE organization_id = (SELECT $1::uuid)
		        AND group_key = u.group_key
		        AND status = 'open'
		      OFFSET 0) i))
		  AND status = 'open'
		  AND ($4 IN ('', kind) OR group_key = ANY ($3::text[]))
		ORDER BY id
		FOR NO KEY UPDATE`,
		o.ID, uuids(transactions), pq.StringArray(groupKeys), kind)
	return locked, err
}

// byTopic are the questions that rows can join, of each topic the first.
func byTopic(locked []lockedQuestion) map[questions.Topic]questions.Open {
	open := map[questions.Topic]questions.Open{}
	for _, q := range locked {
		if q.Key == nil || q.Incoming == nil {
			continue
		}
		topic := questions.Topic{Key: *q.Key, Incoming: *q.Incoming}
		if _, is := open[topic]; !is {
			open[topic] = questions.Open{ID: q.ID, Currency: q.Currency, Guess: q.Guess, Apart: q.Apart, Tried: q.Tried}
		}
	}
	return open
}

// leaving is how many rows left a question, and their part of its impact.
type leaving struct {
	Issue        uuid.UUID   `db:"issue_id"`
	Transactions int64       `db:"transactions"`
	Amount       money.Total `db:"amount"`
	Back         bool        `db:"-"` // they have joined it again, so that its rows did not change

	// What has joined it meanwhile, with those that joined it again.
	Again, AgainWorth money.Total `db:"-"`
	Asked             int64       `db:"-"` // rows
	AskedWorth        money.Total `db:"-"`
}

// withdraw takes rows out of the open questions of a kind, and returns what leaves which: it is to be discounted. The
// rows need attention where another question about them is open.
func (o *Organization) withdraw(ctx context.Context, tx *sqlx.Tx, now time.Time, transactions []uuid.UUID,
	kind string) ([]leaving, error) {
	left, err := o.unask(ctx, tx, transactions, kind)
	if err != nil || len(left) == 0 {
		return nil, err
	}
	return left, o.settleAttention(ctx, tx, now, transactions)
}

// unask is withdraw of rows whose need of attention is settled later.
func (o *Organization) unask(ctx context.Context, tx *sqlx.Tx, transactions []uuid.UUID,
	kind string) ([]leaving, error) {
	locked, err := o.lockQuestions(ctx, tx, transactions, nil, kind)
	if err != nil || len(locked) == 0 {
		return nil, err
	}
	issues := make([]uuid.UUID, len(locked))
	for i, q := range locked {
		issues[i] = q.ID
	}
	return o.leave(ctx, tx, `transaction_id = ANY ($2::uuid[])
		    AND issue_id = ANY ($3::uuid[])`, uuids(transactions), uuids(issues))
}

// leave takes rows out of questions that are locked.
func (o *Organization) leave(ctx context.Context, tx *sqlx.Tx, which string, args ...any) (left []leaving, err error) {
	err = tx.SelectContext(ctx, &left, `
		WITH gone AS (
		  DELETE FROM issue_transactions
		  WHERE organization_id = $1
		    AND `+which+`
		  RETURNING issue_id, transaction_id, amount, n),
		kept AS (`+keepNumbers+`)
		SELECT issue_id, count(*) AS transactions, sum(amount) AS amount
		FROM gone
		GROUP BY issue_id`,
		append([]any{o.ID}, args...)...)
	return left, err
}

// freshen has a question that opened again say what its rows are now: some were deleted meanwhile, have another amount,
// are what somebody said of them alone, or are asked about elsewhere.
func (o *Organization) freshen(ctx context.Context, tx *sqlx.Tx, now time.Time, question uuid.UUID) error {
	left, err := o.leave(ctx, tx, `issue_id = $2
		    AND transaction_id = ANY (ARRAY ( -- once, and not for each of them
		      SELECT t.id
		      FROM issue_transactions it
		      JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		      JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		      WHERE it.organization_id = (SELECT $1::uuid)
		        AND it.issue_id = $2
		        AND (t.deleted_at IS NOT NULL
		          OR t.filing_state = 'filed' AND t.category_id IS NOT NULL
		          OR i.kind = $3 AND (t.category_source = 'user' OR EXISTS (
		            SELECT
		            FROM issue_transactions other
		            JOIN outstanding_issues o ON o.organization_id = other.organization_id AND o.id = other.issue_id
		            WHERE other.organization_id = (SELECT $1::uuid)
		              AND other.transaction_id = t.id
		              AND o.id <> i.id
		              AND o.kind = $3
		              AND o.status = 'open')))))`, question, aboutCategory)
	if err != nil {
		return err
	}
	if err := o.discount(ctx, tx, now, left); err != nil {
		return err
	}
	return o.recount(ctx, tx, now, []uuid.UUID{question})
}

// discount takes what left off the questions, and closes the ones without a row. What one is worth shrinks as its
// impact does, is what its rows are worth where all of them were just weighed, and stays where those that left have
// joined it again: an answer that is taken back leaves no trace in the order of the list. What it costs does not
// depend on how many rows stay, unless the last in its currency left.
func (o *Organization) discount(ctx context.Context, tx *sqlx.Tx, now time.Time, left []leaving) error {
	if len(left) == 0 {
		return nil
	}
	var issues []uuid.UUID
	var counts, asked pq.Int64Array
	var amounts, again, againWorth, askedWorth []money.Total
	var back pq.BoolArray
	for _, l := range left {
		issues, counts, back = append(issues, l.Issue), append(counts, l.Transactions), append(back, l.Back)
		amounts, asked = append(amounts, l.Amount), append(asked, l.Asked)
		again, againWorth = append(again, l.Again), append(againWorth, l.AgainWorth)
		askedWorth = append(askedWorth, l.AskedWorth)
	}
	var others []uuid.UUID // that have rows in other currencies alone
	err := tx.SelectContext(ctx, &others, `
		UPDATE outstanding_issues i
		SET transaction_count = greatest(i.transaction_count - u.transactions, 0),
		    impact_amount = greatest(i.impact_amount - u.amount, 0),
		    worth = CASE WHEN i.transaction_count - u.transactions = u.asked THEN u.asked_worth -- of all its rows
		      WHEN i.impact_amount > u.again THEN round((i.worth - u.again_worth)
		        * greatest(i.impact_amount - u.amount, 0) / (i.impact_amount - u.again))
		      ELSE `+worthOf("greatest(i.impact_amount - u.amount, 0)")+` END,
		    skipped = i.apart OR i.skipped AND u.back,
		    object_id = `+aboutRow("u.id")+`,
		    status = CASE WHEN stays.any THEN i.status ELSE 'closed' END,
		    ended_at = CASE WHEN NOT stays.any THEN $5::timestamptz END
		FROM unnest($2::uuid[], $3::bigint[], $4::numeric[], $6::boolean[], $7::numeric[], $8::numeric[],
		  $9::bigint[], $10::numeric[]) AS u (id, transactions, amount, back, again, again_worth, asked, asked_worth)
		CROSS JOIN LATERAL (
		  SELECT EXISTS (
		    SELECT
		    FROM issue_transactions
		    WHERE organization_id = (SELECT $1::uuid)
		      AND issue_id = u.id) AS any
		  OFFSET 0) stays
		WHERE i.organization_id = $1
		  AND i.id = u.id
		  AND i.status = 'open'
		RETURNING CASE WHEN i.status = 'open' AND i.impact_amount = 0 AND u.amount > 0 THEN i.id END AS id`,
		o.ID, uuids(issues), counts, pq.Array(amounts), now, back, pq.Array(again), pq.Array(againWorth), asked,
		pq.Array(askedWorth))
	if err != nil {
		return err
	}
	others = slices.DeleteFunc(others, func(id uuid.UUID) bool { return id == uuid.Nil })
	return o.recount(ctx, tx, now, others)
}

// aboutRow is the row that a question i is about, by its id: the first that came of its rows. One about whom it is
// with, or about the business, stays so; one without rows is about its last.
func aboutRow(id string) string {
	return `CASE WHEN i.object_type = 'transaction' THEN coalesce((
		      SELECT transaction_id::text
		      FROM issue_transactions
		      WHERE organization_id = (SELECT $1::uuid)
		        AND issue_id = ` + id + `
		      ORDER BY transaction_id
		      LIMIT 1), i.object_id) ELSE i.object_id END`
}

// worthOf is what a question i is worth when its impact is another.
func worthOf(impact string) string {
	return `CASE WHEN i.impact_amount > 0 THEN round(i.worth * (` + impact + `) / i.impact_amount)
		      ELSE round((` + impact + `) / 2) END`
}

// recount makes open questions say what their rows add up to, and closes the ones without a row: it reads all of
// them, for questions that a person's answer made one, or opened again, or that lost all in their currency. One about
// the business has none.
func (o *Organization) recount(ctx context.Context, tx *sqlx.Tx, now time.Time, issues []uuid.UUID) error {
	if len(issues) == 0 {
		return nil
	}
	if err := o.chooseCurrencies(ctx, tx, issues); err != nil {
		return err
	}
	if err := o.weigh(ctx, tx, issues); err != nil {
		return err
	}
	if err := o.numberRows(ctx, tx, issues); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues i
		SET transaction_count = r.transactions,
		    impact_amount = r.impact,
		    worth = `+worthOf("r.impact")+`,
		    object_id = `+aboutRow("u.id")+`,
		    status = CASE WHEN r.transactions = 0 THEN 'closed' ELSE i.status END,
		    ended_at = CASE WHEN r.transactions = 0 THEN $3::timestamptz END
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT count(*) AS transactions, coalesce(sum(amount), 0) AS impact
		  FROM issue_transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND issue_id = u.id) r
		WHERE i.organization_id = $1
		  AND i.id = u.id
		  AND i.status = 'open'
		  AND (i.object_type <> 'company' OR i.transaction_count > 0)`,
		o.ID, uuids(issues), now)
	return err
}

// chooseCurrencies has questions be about the currency that most of their rows are in, where none is in theirs.
func (o *Organization) chooseCurrencies(ctx context.Context, tx *sqlx.Tx, issues []uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues i
		SET impact_currency = most.currency
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT t.currency
		  FROM issue_transactions it
		  JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		  JOIN outstanding_issues q ON q.organization_id = it.organization_id AND q.id = it.issue_id
		  WHERE it.organization_id = (SELECT $1::uuid)
		    AND it.issue_id = u.id
		  GROUP BY t.currency
		  ORDER BY bool_or(t.currency = q.impact_currency) DESC, count(*) DESC, min(it.n), t.currency
		  LIMIT 1) most
		WHERE i.organization_id = $1
		  AND i.id = u.id
		  AND i.impact_currency <> most.currency`,
		o.ID, uuids(issues))
	return err
}

// weigh has all rows of questions say anew what they add to the impact.
func (o *Organization) weigh(ctx context.Context, tx *sqlx.Tx, issues []uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE issue_transactions it
		SET amount = CASE WHEN t.currency = i.impact_currency THEN abs(t.amount) ELSE 0 END
		FROM outstanding_issues i, transactions t
		WHERE it.organization_id = $1
		  AND it.issue_id = ANY ($2::uuid[])
		  AND i.organization_id = $1
		  AND i.id = it.issue_id
		  AND t.organization_id = $1
		  AND t.id = it.transaction_id`,
		o.ID, uuids(issues))
	return err
}
