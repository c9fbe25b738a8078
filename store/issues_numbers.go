package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/money"
	"bizfin/internal/questions"
)

// A row has its number in a question for good: people and programs name it by that. One that leaves comes back by it,
// and no other row has it meanwhile.

// keepNumbers keeps the numbers of rows that are "gone" from questions.
const keepNumbers = `
		  INSERT INTO issue_numbers (organization_id, issue_id, transaction_id, n)
		  SELECT $1, issue_id, transaction_id, n
		  FROM gone
		  WHERE n IS NOT NULL
		  ON CONFLICT DO NOTHING`

// numberIn is the number that a row had in a question which it left; NULL where it had none. A row is looked up by
// itself: rows that have just left have no statistics, by which a join would read all of them for each.
func numberIn(question, transaction string) string {
	return `(
		         SELECT n
		         FROM issue_numbers
		         WHERE organization_id = (SELECT $1::uuid)
		           AND issue_id = ` + question + `
		           AND transaction_id = ` + transaction + `)`
}

// askedOf is a row as one of a question.
type askedOf struct {
	Issue       uuid.UUID `db:"issue_id"`
	Transaction uuid.UUID `db:"transaction_id"`
}

// askedRow is a row of a question, and what it adds to the question's impact and worth: nothing in another currency.
type askedRow struct {
	issue, transaction uuid.UUID
	amount             money.Amount
	worth              money.Total
	n                  int // its number in the question
}

// numberedQuestion is a question with the last number that it gave to a row.
type numberedQuestion struct {
	ID       uuid.UUID `db:"id"`
	Currency string    `db:"impact_currency"`
	Numbered int       `db:"numbered"`
	Last     bool      `db:"last"` // as nobody knows the answer, and it did not come apart
}

// questionsOf are the questions that rows are in.
func (o *Organization) questionsOf(ctx context.Context, tx *sqlx.Tx, transactions []uuid.UUID) (map[askedOf]bool,
	error) {
	if len(transactions) == 0 {
		return nil, nil
	}
	var rows []askedOf
	err := tx.SelectContext(ctx, &rows, `
		SELECT issue_id, transaction_id
		FROM issue_transactions
		WHERE organization_id = $1
		  AND transaction_id = ANY ($2::uuid[])`,
		o.ID, uuids(transactions))
	in := make(map[askedOf]bool, len(rows))
	for _, r := range rows {
		in[r] = true
	}
	return in, err
}

// numbersGiven are the numbers that rows of groups had in the questions that they join.
func (o *Organization) numbersGiven(ctx context.Context, tx *sqlx.Tx, groups []questions.Group,
	issues map[questions.Topic]numberedQuestion) (map[askedOf]int, error) {
	var joined, transactions []uuid.UUID
	for _, g := range groups {
		q := issues[g.Topic]
		if q.Numbered == len(g.Rows) {
			continue // it is new
		}
		for _, row := range g.Rows {
			joined, transactions = append(joined, q.ID), append(transactions, row.Transaction)
		}
	}
	if len(joined) == 0 {
		return nil, nil
	}
	var rows []struct {
		askedOf
		N int `db:"n"`
	}
	err := tx.SelectContext(ctx, &rows, `
		SELECT u.issue_id, u.transaction_id, given.n
		FROM unnest($2::uuid[], $3::uuid[]) AS u (issue_id, transaction_id)
		CROSS JOIN LATERAL (
		  SELECT n
		  FROM issue_numbers
		  WHERE organization_id = (SELECT $1::uuid)
		    AND issue_id = u.issue_id
		    AND transaction_id = u.transaction_id
		  UNION
		  SELECT n
		  FROM issue_transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND issue_id = u.issue_id
		    AND transaction_id = u.transaction_id
		    AND n IS NOT NULL) given`,
		o.ID, uuids(joined), uuids(transactions))
	numbers := make(map[askedOf]int, len(rows))
	for _, r := range rows {
		numbers[r.askedOf] = r.N
	}
	return numbers, err
}

// number gives rows that join a question their numbers: those that they had in it, and to the others the next ones. So
// many were set apart for them as there are rows.
func (q numberedQuestion) number(rows []questions.Impact, numbers map[askedOf]int) []askedRow {
	last := q.Numbered - len(rows)
	asked := make([]askedRow, len(rows))
	for i, row := range rows {
		n, given := numbers[askedOf{q.ID, row.Transaction}]
		if !given {
			last++
			n = last
		}
		asked[i] = askedRow{q.ID, row.Transaction, row.Amount, row.Worth, n}
	}
	return asked
}

// takeBackNumbers has the next rows of questions numbered on from the last number that was given: rows that had one
// before took none of those set apart for them.
func (o *Organization) takeBackNumbers(ctx context.Context, tx *sqlx.Tx, numbers map[askedOf]int) error {
	if len(numbers) == 0 {
		return nil
	}
	var issues []uuid.UUID
	for given := range numbers {
		issues = append(issues, given.Issue)
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues i
		SET numbered = i.numbered - u.unused
		FROM (
		  SELECT id, count(*) AS unused
		  FROM unnest($2::uuid[]) AS u (id)
		  GROUP BY id) u
		WHERE i.organization_id = $1
		  AND i.id = u.id`,
		o.ID, uuids(issues))
	return err
}

// numberRows gives the rows of questions that have no number the one that they had, or else the next.
func (o *Organization) numberRows(ctx context.Context, tx *sqlx.Tx, issues []uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		WITH given AS (
		  UPDATE issue_transactions it
		  SET n = next.n
		  FROM (
		    SELECT it.transaction_id, it.issue_id, coalesce(it.had,
		             i.numbered + row_number() OVER (PARTITION BY it.issue_id, it.had IS NULL ORDER BY it.amount DESC,
		               it.transaction_id)) AS n
		    FROM (
		      SELECT transaction_id, issue_id, amount, `+numberIn("asked.issue_id", "asked.transaction_id")+` AS had
		      FROM issue_transactions asked
		      WHERE organization_id = $1
		        AND issue_id = ANY ($2::uuid[])
		        AND n IS NULL) it
		    JOIN outstanding_issues i ON i.organization_id = $1 AND i.id = it.issue_id) next
		  WHERE it.organization_id = $1
		    AND it.transaction_id = next.transaction_id
		    AND it.issue_id = next.issue_id
		  RETURNING it.issue_id, it.n)
		UPDATE outstanding_issues i
		SET numbered = greatest(i.numbered, g.n)
		FROM (SELECT issue_id, max(n) AS n FROM given GROUP BY issue_id) g
		WHERE i.organization_id = $1
		  AND i.id = g.issue_id`,
		o.ID, uuids(issues))
	return err
}

// handOver makes rows of a question those of another one about the same, by their numbers: the one that a row had
// there, or else its own, unless that is another row's there, when it gets one that neither question gave.
func (o *Organization) handOver(ctx context.Context, tx *sqlx.Tx, question, to uuid.UUID, rows []uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		WITH gone AS (
		  SELECT issue_id, transaction_id, n
		  FROM issue_transactions
		  WHERE organization_id = $1
		    AND issue_id = $2
		    AND transaction_id = ANY ($4::uuid[])),
		kept AS (`+keepNumbers+`)
		UPDATE issue_transactions it
		SET issue_id = $3,
		    n = coalesce(`+numberIn("$3", "it.transaction_id")+`,
		      CASE WHEN it.n NOT IN (
		        SELECT n
		        FROM issue_transactions
		        WHERE organization_id = $1
		          AND issue_id = $3
		          AND n IS NOT NULL
		        UNION
		        SELECT n
		        FROM issue_numbers
		        WHERE organization_id = $1
		          AND issue_id = $3) THEN it.n END)
		WHERE it.organization_id = $1
		  AND it.issue_id = $2
		  AND it.transaction_id = ANY ($4::uuid[])`,
		o.ID, question, to, uuids(rows))
	if err != nil {
		return err
	}
	return o.numberFrom(ctx, tx, question, to)
}

// numberFrom has a question give no number that another one gave.
func (o *Organization) numberFrom(ctx context.Context, tx *sqlx.Tx, other, question uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues i
		SET numbered = greatest(i.numbered, other.numbered)
		FROM outstanding_issues other
		WHERE i.organization_id = $1
		  AND i.id = $3
		  AND other.organization_id = $1
		  AND other.id = $2`,
		o.ID, other, question)
	return err
}
