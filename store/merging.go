package store

import (
	"context"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// namedCounterparty is one that an answer names.
type namedCounterparty struct {
	ID         uuid.UUID `db:"id"`
	Key        string    `db:"key"`
	CategoryID int       `db:"category_id"` // of all its newest rows in the direction of the question; 0 where they differ
}

// counterpartyNamed finds the one counterparty that the words of an answer are the name of; nil where there is none.
func (o *Organization) counterpartyNamed(ctx context.Context, tx *sqlx.Tx, issue askedIssue, a Answer) (*namedCounterparty, error) {
	if a.Option != nil || a.CategoryID != 0 || a.Relationship != "" || issue.Kind != KindCategory || issue.GroupKey == nil || aboutCompany(*issue.GroupKey) {
		return nil, nil
	}
	var found []namedCounterparty
	err := tx.SelectContext(ctx, &found, `
		SELECT c.id, c.key, coalesce(r.category_id, 0) AS category_id
		FROM counterparties c
		CROSS JOIN LATERAL (
		  SELECT CASE WHEN count(DISTINCT category_id) = 1 THEN min(category_id) END AS category_id
		  FROM (
		    SELECT category_id
		    FROM transactions
		    WHERE organization_id = $1
		      AND counterparty_id = c.id
		      AND deleted_at IS NULL
		      AND (amount > 0) = $3
		      AND category_id IS NOT NULL
		      AND NOT needs_attention
		    ORDER BY primary_date DESC, id DESC
		    LIMIT 50) newest) r
		WHERE c.organization_id = $1
		  AND c.key IS NOT NULL
		  AND (lower(c.name) = $2 OR c.key = $2 OR EXISTS (SELECT FROM unnest(c.aliases) AS alias WHERE lower(alias) = $2))
		LIMIT 2`,
		o.ID, strings.ToLower(strings.Join(strings.Fields(a.Text), " ")), *issue.Incoming)
	if err != nil || len(found) != 1 || found[0].ID.String() == issue.ObjectID {
		return nil, err
	}
	return &found[0], nil
}

// isWith makes the rows of a question those of a counterparty: the one row it is about, or all rows of a counterparty that
// is the same.
func (o *Organization) isWith(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, issue askedIssue, other namedCounterparty) error {
	if !aboutOneRow(*issue.GroupKey) {
		return o.becomes(ctx, tx, now, locked, issue, other)
	}
	_, err := tx.ExecContext(ctx, `
		WITH later AS (
		  UPDATE counterparties
		  SET last_date = greatest(last_date, (
		        SELECT max(t.primary_date)
		        FROM issue_transactions it
		        JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		        WHERE it.organization_id = $1
		          AND it.issue_id = $2)),
		      updated_at = $4
		  WHERE organization_id = $1
		    AND id = $3)
		UPDATE transactions t
		SET counterparty_id = $3,
		    revision = t.revision + 1,
		    updated_at = $4
		FROM issue_transactions it
		WHERE it.organization_id = $1
		  AND it.issue_id = $2
		  AND t.organization_id = $1
		  AND t.id = it.transaction_id`,
		o.ID, issue.ID, other.ID, now)
	return err
}

// becomes makes the counterparty of a question another one: its rows and questions go there, its names become aliases.
// Workers that are adding to either are waited for.
func (o *Organization) becomes(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, issue askedIssue, other namedCounterparty) error {
	var accounts []uuid.UUID
	err := tx.SelectContext(ctx, &accounts, `
		SELECT DISTINCT account_id
		FROM transactions
		WHERE organization_id = $1
		  AND counterparty_id = $2::uuid`,
		o.ID, issue.ObjectID)
	if err != nil {
		return err
	}
	if err := mustHave(locked, accounts); err != nil {
		return err
	}
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{lockTwoCounterparties, []any{o.ID, issue.ObjectID, other.ID}},
		{moveRows, []any{o.ID, issue.ObjectID, other.ID, now}},
		{moveQuestions, []any{o.ID, issue.ObjectID, other.ID.String()}},
		{moveNames, []any{o.ID, issue.ObjectID, other.ID, now}},
	} {
		if _, err := tx.ExecContext(ctx, step.statement, step.args...); err != nil {
			return err
		}
	}
	return nil
}

// What makes two counterparties one. They are locked in the order in which workers write them.
const (
	lockTwoCounterparties = `
		SELECT id
		FROM counterparties
		WHERE organization_id = $1
		  AND id IN ($2, $3)
		ORDER BY key
		FOR UPDATE`
	moveRows = `
		UPDATE transactions
		SET counterparty_id = $3,
		    revision = revision + 1,
		    updated_at = $4
		WHERE organization_id = $1
		  AND counterparty_id = $2`
	moveQuestions = `
		UPDATE outstanding_issues
		SET object_id = $3
		WHERE organization_id = $1
		  AND object_type = 'counterparty'
		  AND object_id = $2`
	moveNames = `
		WITH gone AS (
		  DELETE FROM counterparties
		  WHERE organization_id = $1
		    AND id = $2
		  RETURNING name, aliases, last_date)
		UPDATE counterparties c
		SET aliases = ARRAY (
		      SELECT DISTINCT alias
		      FROM unnest(c.aliases || gone.name || gone.aliases) AS alias
		      WHERE alias <> c.name),
		    last_date = greatest(c.last_date, gone.last_date),
		    updated_at = $4
		FROM gone
		WHERE c.organization_id = $1
		  AND c.id = $3`
)
