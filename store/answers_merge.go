package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/categorize"
	"bizfin/internal/decide"
	"bizfin/internal/questions"
)

// namedCounterparty is one that an answer names.
type namedCounterparty struct {
	ID         uuid.UUID `db:"id"`
	Key        string    `db:"key"`
	Name       string    `db:"name"`
	CategoryID int       `db:"category_id"` // of all its newest known rows in the direction of the question; 0 where they differ
	Divided    bool      `db:"divided"`     // these rows are several things, as its memory says
}

// counterpartyNamed finds the one counterparty that the words of an answer are the name of; nil where there is none. A
// family of so many rows is with nobody alone.
func (o *Organization) counterpartyNamed(ctx context.Context, tx *sqlx.Tx, issue askedIssue, rows int,
	a Answer) (*namedCounterparty, error) {
	said := a.Option != nil || a.CategoryID != 0 && !a.Learned || a.Relationship != ""
	if said || issue.Kind != questions.KindCategory || issue.GroupKey == nil {
		return nil, nil
	}
	if of := questions.ParseKey(*issue.GroupKey); of.Narrow() || of.OfFamily() && rows > 1 {
		return nil, nil
	}
	var found []namedCounterparty
	err := tx.SelectContext(ctx, &found, `
		SELECT c.id, c.key, c.name, greatest(coalesce(r.category_id, 0), 0) AS category_id,
		       coalesce(r.category_id < 0, false) AS divided
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
		      AND category_confidence >= $4
		      AND NOT needs_attention
		    ORDER BY primary_date DESC, id DESC
		    LIMIT 50) newest) r
		WHERE c.organization_id = $1
		  AND c.key IS NOT NULL
		  AND (lower(c.name) = $2
		    OR c.key = $2
		    OR EXISTS (SELECT FROM unnest(c.aliases) AS alias WHERE lower(alias) = $2))
		LIMIT 2`,
		o.ID, strings.ToLower(strings.Join(strings.Fields(a.Text), " ")), *issue.Incoming,
		int64(categorize.SilentThreshold))
	if err != nil || len(found) != 1 || found[0].ID.String() == issue.ObjectID {
		return nil, err
	}
	return &found[0], nil
}

// isWith makes the rows of a question those of a counterparty: rows that name nobody, or all rows of a counterparty
// that is the same. Where the rows of that one do not say what these are, they are asked about with it.
func (o *Organization) isWith(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	issue askedIssue, other namedCounterparty) error {
	var err error
	if issue.ObjectType == "counterparty" {
		err = o.becomes(ctx, tx, now, locked, issue, other)
	} else {
		err = o.rowsAreWith(ctx, tx, now, issue, other)
	}
	if err != nil || other.CategoryID != 0 {
		return err
	}
	if err := o.askWith(ctx, tx, now, issue, other); err != nil {
		return err
	}
	return o.decideUnasked(ctx, tx, now, locked, issue, other)
}

// decideUnasked has rows of a question that ended, which nothing decided and no question is about, decided anew, where
// nothing was answered of whom they are with now.
func (o *Organization) decideUnasked(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	issue askedIssue, other namedCounterparty) error {
	var rows []decide.Row
	err := tx.SelectContext(ctx, &rows, `
		SELECT t.id, t.revision, t.account_id
		FROM issue_transactions it
		JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		WHERE it.organization_id = (SELECT $1::uuid)
		  AND it.issue_id = $2
		  AND t.category_id IS NULL
		  AND t.deleted_at IS NULL
		  AND NOT EXISTS (
		    SELECT
		    FROM business_answers b
		    WHERE b.organization_id = $1
		      AND b.counterparty_key = $3
		      AND b.incoming = $4
		      AND b.same_as IS NULL)
		  AND NOT EXISTS (
		    SELECT
		    FROM issue_transactions other
		    JOIN outstanding_issues i ON i.organization_id = other.organization_id AND i.id = other.issue_id
		    WHERE other.organization_id = $1
		      AND other.transaction_id = t.id
		      AND i.status = 'open')
		ORDER BY t.id`,
		o.ID, issue.ID, other.Key, *issue.Incoming)
	if err != nil {
		return err
	}
	if err := mustHave(locked, accountsOf(rows)); err != nil {
		return err
	}
	return o.decideAnew(ctx, tx, now, rows, uuid.Nil)
}

func (o *Organization) rowsAreWith(ctx context.Context, tx *sqlx.Tx, now time.Time, issue askedIssue,
	other namedCounterparty) error {
	if _, err := o.lockQuestions(ctx, tx, nil, []string{other.Key}, aboutCategory); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE counterparties
		SET last_date = greatest(last_date, (
		      SELECT max(t.primary_date)
		      FROM issue_transactions it
		      JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		      WHERE it.organization_id = (SELECT $1::uuid)
		        AND it.issue_id = $2)),
		    updated_at = $4
		WHERE organization_id = $1
		  AND id = $3`,
		o.ID, issue.ID, other.ID, now)
	if err != nil {
		return err
	}
	var rows []uuid.UUID
	err = tx.SelectContext(ctx, &rows, `
		SELECT transaction_id
		FROM issue_transactions
		WHERE organization_id = $1
		  AND issue_id = $2`,
		o.ID, issue.ID)
	if err != nil {
		return err
	}
	_, err = o.writeRows(ctx, tx, rows, rowsGoTo, o.ID, uuids(rows), other.ID, now)
	return err
}

// becomes makes the counterparty of a question another one: its rows and questions go there, its names become
// aliases. Nothing is uploaded or decided meanwhile: all accounts of the business are locked, as a row of either can
// come to any.
func (o *Organization) becomes(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	issue askedIssue, other namedCounterparty) error {
	var accounts []uuid.UUID
	err := tx.SelectContext(ctx, &accounts, `
		SELECT id
		FROM accounts
		WHERE organization_id = $1`,
		o.ID)
	if err != nil {
		return err
	}
	if err := mustHave(locked, accounts); err != nil {
		return err
	}
	shared, err := o.questionsOfBoth(ctx, tx, issue, other)
	if err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, lockTwoCounterparties, o.ID, issue.ObjectID, other.ID); err != nil {
		return err
	}
	var rows []uuid.UUID
	if err := tx.SelectContext(ctx, &rows, rowsOfCounterparty, o.ID, issue.ObjectID); err != nil {
		return err
	}
	if _, err := o.writeRows(ctx, tx, rows, rowsGoTo, o.ID, uuids(rows), other.ID, now); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, moveQuestions, o.ID, issue.ObjectID, other.ID.String()); err != nil {
		return err
	}
	if err := o.joinQuestions(ctx, tx, now, shared, issue, other); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, moveNames, o.ID, issue.ObjectID, other.ID, now)
	return err
}

// sharedQuestion is an open question about one of two counterparties that become one.
type sharedQuestion struct {
	ID       uuid.UUID `db:"id"`
	Key      string    `db:"group_key"`
	Incoming bool      `db:"incoming"`
}

// questionsOfBoth locks the open questions about the counterparty of a question and another one. The other's own come
// first, then older ones.
func (o *Organization) questionsOfBoth(ctx context.Context, tx *sqlx.Tx, issue askedIssue,
	other namedCounterparty) ([]sharedQuestion, error) {
	var shared []sharedQuestion
	err := tx.SelectContext(ctx, &shared, `
		SELECT id, group_key, incoming
		FROM outstanding_issues
		WHERE organization_id = $1
		  AND status = 'open'
		  AND kind = 'category'
		  AND strpos(group_key, $4) = 0 -- about all rows with the counterparty
		  AND object_type = 'counterparty'
		  AND object_id IN ($2, $3)
		ORDER BY id
		FOR NO KEY UPDATE`,
		o.ID, issue.ObjectID, other.ID.String(), questions.Mark)
	slices.SortStableFunc(shared, func(a, b sharedQuestion) int {
		return falseFirst(a.Key != other.Key,
			b.Key != other.Key)
	})
	return shared, err
}

// joinQuestions leaves one question for each direction: it is about the other counterparty, and has the rows of all.
// Where the business answered that one before, its answer decides the rows.
func (o *Organization) joinQuestions(ctx context.Context, tx *sqlx.Tx, now time.Time, shared []sharedQuestion,
	issue askedIssue, other namedCounterparty) error {
	stays := map[bool]uuid.UUID{}
	var all []uuid.UUID
	for _, q := range shared {
		all = append(all, q.ID)
		first, ok := stays[q.Incoming]
		var err error
		switch {
		case ok:
			_, err = tx.ExecContext(ctx, moveAsked, o.ID, q.ID, first)
		case q.Key != other.Key:
			_, err = tx.ExecContext(ctx, renameQuestion, o.ID, q.ID, other.Key, questions.TextAbout(other.Name,
				q.Incoming))
			fallthrough
		default:
			stays[q.Incoming] = q.ID
		}
		if err != nil {
			return err
		}
	}
	if err := o.recount(ctx, tx, now, all); err != nil {
		return err
	}
	var answered []decide.Row
	err := tx.SelectContext(ctx, &answered, `
		SELECT t.id, t.revision, t.account_id
		FROM outstanding_issues i
		JOIN issue_transactions it ON it.organization_id = i.organization_id AND it.issue_id = i.id
		JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		WHERE i.organization_id = (SELECT $1::uuid)
		  AND i.id = ANY ($2::uuid[])
		  AND i.status = 'open'
		  AND t.category_source IS DISTINCT FROM 'user'
		  AND EXISTS (
		    SELECT
		    FROM business_answers b
		    WHERE b.organization_id = $1
		      AND b.counterparty_key = i.group_key
		      AND b.incoming = i.incoming
		      AND b.category_id IS NOT NULL)
		ORDER BY t.id`,
		o.ID, uuids(all))
	if err != nil {
		return err
	}
	return o.decideAnew(ctx, tx, now, answered, uuid.Nil)
}

// askWith adds the rows of a question, save those whose category a person chose, to the open one about a counterparty
// in the same direction, if there is one: what it is answered is about them too.
func (o *Organization) askWith(ctx context.Context, tx *sqlx.Tx, now time.Time, issue askedIssue,
	other namedCounterparty) error {
	var joined []uuid.UUID
	err := tx.SelectContext(ctx, &joined, `
		INSERT INTO issue_transactions (organization_id, transaction_id, issue_id)
		SELECT $1, t.id, i.id
		FROM outstanding_issues i
		JOIN issue_transactions it ON it.organization_id = i.organization_id AND it.issue_id = $2
		JOIN transactions t ON t.organization_id = it.organization_id AND t.id = it.transaction_id
		WHERE i.organization_id = (SELECT $1::uuid)
		  AND i.group_key = $3
		  AND i.incoming = $4
		  AND i.status = 'open'
		  AND t.category_source IS DISTINCT FROM 'user'
		ON CONFLICT DO NOTHING
		RETURNING issue_id`,
		o.ID, issue.ID, other.Key, *issue.Incoming)
	if err != nil {
		return err
	}
	return o.recount(ctx, tx, now, joined)
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
	rowsOfCounterparty = `
		SELECT id
		FROM transactions
		WHERE organization_id = $1
		  AND counterparty_id = $2`
	rowsGoTo = `
		UPDATE transactions t
		SET counterparty_id = $3,
		    revision = t.revision + 1,
		    updated_at = $4
		FROM unnest($2::uuid[]) AS u (id)
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = u.id`
	moveQuestions = `
		UPDATE outstanding_issues
		SET object_id = $3
		WHERE organization_id = $1
		  AND object_type = 'counterparty'
		  AND object_id = $2`
	renameQuestion = `
		UPDATE outstanding_issues
		SET group_key = $3,
		    question = $4
		WHERE organization_id = $1
		  AND id = $2`
	moveAsked = `
		WITH gone AS (
		  DELETE FROM issue_transactions
		  WHERE organization_id = $1
		    AND issue_id = $2
		  RETURNING issue_id, transaction_id, n),
		kept AS (` + keepNumbers + `)
		INSERT INTO issue_transactions (organization_id, transaction_id, issue_id)
		SELECT $1, transaction_id, $3
		FROM gone
		ON CONFLICT DO NOTHING`
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
