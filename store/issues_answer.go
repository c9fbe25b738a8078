package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/decide"
	"bizfin/internal/questions"
)

// AnswerIssue stores the first answer to an open question and what follows from it: the rows of the question take the
// category as the user's, and refunds of them follow; the business remembers it for the next ones. Words that are the
// name of another counterparty of the business say who it is, and so what its rows are where that is one thing; words
// that name nothing become context. The same answer again succeeds. ErrNotFound, ErrAnswered.
func (o *Organization) AnswerIssue(ctx context.Context, now time.Time, id uuid.UUID, a Answer) error {
	return o.inTxAlone(ctx, func(tx *sqlx.Tx, locked []uuid.UUID) error {
		a := a
		var issue askedIssue
		err := tx.GetContext(ctx, &issue, `
			SELECT `+issueColumns+`, group_key
			FROM outstanding_issues
			WHERE organization_id = $1
			  AND id = $2
			FOR NO KEY UPDATE`,
			o.ID, id)
		if err != nil {
			return err
		}
		if issue.Status != IssueOpen {
			if issue.Status == IssueAnswered && issue.sameAnswer(a) {
				return nil
			}
			return ErrAnswered
		}
		if err := o.lockRowsOf(ctx, tx, id); err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE outstanding_issues
			SET status = 'answered',
			    answer = $3,
			    selected_option = $4,
			    answered_by = $5,
			    ended_at = $6
			WHERE organization_id = $1
			  AND id = $2`,
			o.ID, id, a.Text, a.Option, a.Person, now)
		if err != nil {
			return err
		}
		named, err := o.counterpartyNamed(ctx, tx, issue, a)
		if err != nil {
			return err
		}
		if named != nil {
			if err := o.isWith(ctx, tx, now, locked, issue, *named); err != nil {
				return err
			}
			a.CategoryID = named.CategoryID
		}
		if err := o.applyAnswer(ctx, tx, now, issue, a); err != nil {
			return err
		}
		if err := o.answered(ctx, tx); err != nil {
			return err
		}
		if issue.GroupKey != nil && !questions.ParseKey(*issue.GroupKey).OfOneRow() {
			if err := o.remember(ctx, tx, now, issue, a, named); err != nil {
				return err
			}
		}
		return o.refundsFollow(ctx, tx, now, locked, id)
	})
}

// lockRowsOf locks the rows of a question before any of them is written.
func (o *Organization) lockRowsOf(ctx context.Context, tx *sqlx.Tx, issue uuid.UUID) error {
	var ids []uuid.UUID
	err := tx.SelectContext(ctx, &ids, `
		SELECT transaction_id
		FROM issue_transactions
		WHERE organization_id = $1
		  AND issue_id = $2`,
		o.ID, issue)
	if err != nil {
		return err
	}
	_, err = o.lockRows(ctx, tx, ids)
	return err
}

// applyAnswer gives the rows of a question what was understood. What a person said of one row alone stays, unless it is
// what was asked about. Rows that another open question is about keep asking.
func (o *Organization) applyAnswer(ctx context.Context, tx *sqlx.Tx, now time.Time, issue askedIssue, a Answer) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE transactions t
		SET category_id = CASE WHEN NOT u.open THEN t.category_id WHEN $4 <> 0 THEN $4 WHEN $7
		  THEN NULL ELSE t.category_id END,
		    category_source = CASE WHEN NOT u.open THEN t.category_source WHEN $4 <> 0 THEN 'user' WHEN $7
		      THEN NULL ELSE t.category_source END,
		    category_confidence = CASE WHEN NOT u.open THEN t.category_confidence WHEN $4 <> 0 THEN 10000
		      WHEN $7 THEN NULL ELSE t.category_confidence END,
		    category_reason = CASE WHEN NOT u.open THEN t.category_reason WHEN $4 <> 0 THEN $5::text WHEN $7
		      THEN NULL ELSE t.category_reason END,
		    context = CASE WHEN $6 <> '' THEN concat_ws(E'\n', t.context, $6::text) ELSE t.context END,
		    needs_attention = EXISTS (
		      SELECT
		      FROM issue_transactions other
		      JOIN outstanding_issues i ON i.organization_id = other.organization_id AND i.id = other.issue_id
		      WHERE other.organization_id = (SELECT $1::uuid)
		        AND other.transaction_id = t.id
		        AND i.status = 'open'),
		    revision = t.revision + 1,
		    updated_at = $3
		FROM (
		  SELECT asked.id, asked.category_source IS DISTINCT FROM 'user' OR $8 AS open
		  FROM issue_transactions it
		  JOIN transactions asked ON asked.organization_id = it.organization_id AND asked.id = it.transaction_id
		  WHERE it.organization_id = (SELECT $1::uuid)
		    AND it.issue_id = $2
		  ORDER BY asked.id
		  FOR NO KEY UPDATE OF asked) u
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = u.id`,
		o.ID, issue.ID, now, a.CategoryID, a.Reason(a.Text), a.Context(a.Text), a.Mixed,
		issue.Kind == questions.KindChanged)
	if err != nil || a.Relationship == "" || issue.ObjectType != "counterparty" {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE counterparties
		SET relationship = $3,
		    updated_at = $4
		WHERE organization_id = $1
		  AND id::text = $2`,
		o.ID, issue.ObjectID, a.Relationship, now)
	return err
}

// remember makes an answer decide the next rows of its group, or be their context; one about others decides the next
// rows of each of them. The amount is that of the newest row.
func (o *Organization) remember(ctx context.Context, tx *sqlx.Tx, now time.Time, issue askedIssue, a Answer,
	named *namedCounterparty) error {
	var sameAs *string
	note := a.Context(a.Text)
	if named != nil { // the next rows are what the other counterparty's are
		sameAs, note = &named.Key, ""
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO business_answers (organization_id, id, counterparty_key, incoming, amount, category_id,
		  relationship, note, same_as, created_at, mixed)
		SELECT $1, gen_random_uuid(), g.key, $3, g.amount, nullif($4, 0), nullif($5, ''), nullif($6, ''), $7, $8, $11
		FROM (
		  SELECT CASE WHEN $9 THEN c.key ELSE $10 END AS key,
		         (array_agg(t.amount ORDER BY t.primary_date DESC, t.id DESC))[1] AS amount
		  FROM issue_transactions it
		  JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		  LEFT JOIN counterparties c ON c.organization_id = t.organization_id AND c.id = t.counterparty_id
		  WHERE it.organization_id = (SELECT $1::uuid)
		    AND it.issue_id = $2
		  GROUP BY 1) g
		WHERE g.key IS NOT NULL`,
		o.ID, issue.ID, *issue.Incoming, a.CategoryID, a.Relationship, note, sameAs, now, a.AboutOthers,
		*issue.GroupKey, a.Mixed)
	return err
}

// refundsFollow has refunds decided anew that the answered rows of a question explain.
func (o *Organization) refundsFollow(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	issue uuid.UUID) error {
	var rows []struct {
		Key      string `db:"key"`
		Currency string `db:"currency"`
		purchaseRow
	}
	err := tx.SelectContext(ctx, &rows, `
		SELECT c.key, t.currency, t.id, t.amount, t.primary_date, t.category_id, t.category_confidence AS confidence
		FROM issue_transactions it
		JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		JOIN counterparties c ON c.organization_id = t.organization_id AND c.id = t.counterparty_id
		WHERE it.organization_id = (SELECT $1::uuid)
		  AND it.issue_id = $2
		  AND t.amount < 0
		  AND t.category_source = 'user'
		  AND t.deleted_at IS NULL
		  AND c.key IS NOT NULL`,
		o.ID, issue)
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

// sameAnswer compares the options, and the words only where no option was chosen: with one they are a remark.
func (i Issue) sameAnswer(a Answer) bool {
	if i.SelectedOption != nil || a.Option != nil {
		return i.SelectedOption != nil && a.Option != nil && *i.SelectedOption == *a.Option
	}
	return i.Answer != nil && *i.Answer == a.Text
}
