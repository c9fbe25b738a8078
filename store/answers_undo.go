package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// related makes a counterparty what an answer says it is to the business, and notes what it was before anybody answered
// that.
func (o *Organization) related(ctx context.Context, tx *sqlx.Tx, now time.Time, answer uuid.UUID, counterparty string,
	relationship string) error {
	_, err := tx.ExecContext(ctx, `
		WITH said AS (
		  UPDATE answers a
		  SET relationship = $4,
		      related_id = c.id,
		      before_relationship = coalesce((
		        SELECT first.before_relationship
		        FROM answers first
		        WHERE first.organization_id = $1
		          AND first.related_id = c.id
		          AND first.replaced_at IS NULL
		        ORDER BY first.answered_at, first.id
		        LIMIT 1), c.relationship)
		  FROM counterparties c
		  WHERE c.organization_id = $1
		    AND c.id::text = $3
		    AND a.organization_id = $1
		    AND a.id = $2)
		UPDATE counterparties
		SET relationship = $4,
		    updated_at = $5
		WHERE organization_id = $1
		  AND id::text = $3`,
		o.ID, answer, counterparty, relationship, now)
	return err
}

// unrelate makes the counterparty of an answer that is gone what the newest other answer says of it, or what it was
// before any.
func (o *Organization) unrelate(ctx context.Context, tx *sqlx.Tx, now time.Time, old uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE counterparties c
		SET relationship = coalesce((
		      SELECT a.relationship
		      FROM answers a
		      WHERE a.organization_id = $1
		        AND a.related_id = c.id
		        AND a.replaced_at IS NULL
		        AND a.id <> old.id
		      ORDER BY a.answered_at DESC, a.id DESC
		      LIMIT 1), old.before_relationship),
		    updated_at = $3
		FROM answers old
		WHERE old.organization_id = $1
		  AND old.id = $2
		  AND c.organization_id = $1
		  AND c.id = old.related_id`,
		o.ID, old, now)
	return err
}

// willMerge notes what an answer is about to make one: the counterparty that goes, if any, and the rows that move.
func (o *Organization) willMerge(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID, issue askedIssue,
	other namedCounterparty) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE answers a
		SET merged = jsonb_build_object('other', $4::uuid, 'aliases', (
		      SELECT to_jsonb(aliases)
		      FROM counterparties
		      WHERE organization_id = $1
		        AND id = $4), 'gone', (
		      SELECT to_jsonb(c)
		      FROM counterparties c
		      WHERE $5 = 'counterparty'
		        AND c.organization_id = $1
		        AND c.id::text = $6)),
		    merged_rows = ARRAY (
		      SELECT t.id
		      FROM transactions t
		      WHERE t.organization_id = (SELECT $1::uuid)
		        AND CASE WHEN $5 = 'counterparty' THEN t.counterparty_id::text = $6
		            ELSE t.counterparty_id IS NULL AND t.id IN (
		              SELECT transaction_id
		              FROM issue_transactions
		              WHERE organization_id = $1
		                AND issue_id = $3) END)
		WHERE a.organization_id = $1
		  AND a.id = $2`,
		o.ID, answer, issue.ID, other.ID, issue.ObjectType, issue.ObjectID)
	return err
}

// unmerge makes what an answer made one two again: the counterparty that went comes back with its names and its rows,
// which are asked about again where they were; rows that came since are understood anew. It does nothing of an answer
// that made nothing one.
func (o *Organization) unmerge(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	old uuid.UUID) error {
	for _, step := range []string{counterpartyBack, namesBack} {
		if _, err := tx.ExecContext(ctx, step, o.ID, old, now); err != nil {
			return err
		}
	}
	var moved []uuid.UUID
	if err := tx.SelectContext(ctx, &moved, rowsMoved, o.ID, old); err != nil {
		return err
	}
	if _, err := o.writeRows(ctx, tx, moved, rowsBack, o.ID, old, now); err != nil {
		return err
	}
	if _, err := tx.ExecContext(ctx, questionsBack, o.ID, old); err != nil {
		return err
	}
	if err := o.leaveAnswers(ctx, tx, now, locked, old); err != nil {
		return err
	}
	if err := o.understandAnew(ctx, tx, now, locked, old); err != nil {
		return err
	}
	var two []uuid.UUID
	if err := tx.SelectContext(ctx, &two, wereOne, o.ID, old); err != nil || len(two) == 0 {
		return err
	}
	return setNewest(ctx, tx, o.ID, uuids(two))
}

// leaveAnswers takes rows that were made another counterparty's, by an answer that is gone, out of what was answered of
// that one since: they are what other answers say of them, or nobody decided them.
func (o *Organization) leaveAnswers(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	old uuid.UUID) error {
	var covered []struct {
		Answer uuid.UUID `db:"answer_id"`
		Row    uuid.UUID `db:"transaction_id"`
	}
	if err := tx.SelectContext(ctx, &covered, answeredSince, o.ID, old); err != nil || len(covered) == 0 {
		return err
	}
	var all []uuid.UUID
	for len(covered) > 0 {
		answer := covered[0].Answer
		var rows []uuid.UUID
		for len(covered) > 0 && covered[0].Answer == answer {
			rows, covered = append(rows, covered[0].Row), covered[1:]
		}
		all = append(all, rows...)
		if err := o.holdOtherwise(ctx, tx, now, rows, answer); err != nil {
			return err
		}
		_, err := o.writeRows(ctx, tx, rows, `
			UPDATE transactions t
			SET `+notEstablished+`,
			    suggested_id = NULL,
			    context = `+withoutNote("old.note")+`,
			    answer_id = NULL,
			    processing = 'queued',
			    revision = t.revision + 1,
			    updated_at = $4
			FROM answers old
			WHERE t.organization_id = (SELECT $1::uuid)
			  AND t.id = ANY ($2::uuid[])
			  AND t.answer_id = $3
			  AND old.organization_id = $1
			  AND old.id = $3`,
			o.ID, uuids(rows), answer, now)
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, coverNoMore, o.ID, answer, uuids(rows)); err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, rememberRest, o.ID, answer); err != nil {
			return err
		}
	}
	all = inOrder(all)
	if err := o.dissolveAmong(ctx, tx, now, locked, all, anyCategory); err != nil { // they are found again
		return err
	}
	return o.refundsLeft(ctx, tx, now, locked, all)
}

// understandAnew has the rows that were made one by an answer that is gone understood anew, where nobody decided them.
func (o *Organization) understandAnew(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	old uuid.UUID) error {
	var again []rowAt
	if err := tx.SelectContext(ctx, &again, undecided, o.ID, old); err != nil || len(again) == 0 {
		return err
	}
	var ids, accounts []uuid.UUID
	for _, r := range again {
		ids, accounts = append(ids, r.ID), append(accounts, r.Account)
	}
	if err := mustHave(locked, accounts); err != nil {
		return err
	}
	if err := o.closeQuestions(ctx, tx, now, ids, aboutCategory); err != nil {
		return err
	}
	_, err := o.writeRows(ctx, tx, ids, `
		UPDATE transactions t
		SET `+notEstablished+`,
		    suggested_id = NULL,
		    answer_id = NULL,
		    counterparty_id = NULL,
		    processing = 'queued',
		    revision = revision + 1,
		    updated_at = $3
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])`,
		o.ID, uuids(ids), now)
	if err != nil {
		return err
	}
	return o.queueEvents(ctx, tx, accounts...)
}

// What makes a counterparty two again. The other one may itself be another by an answer since, which holds: its rows,
// names and questions are there.
const (
	becameSince = `
		WITH RECURSIVE became (id) AS (
		  SELECT merged ->> 'other'
		  FROM answers
		  WHERE organization_id = $1
		    AND id = $2
		    AND merged IS NOT NULL
		  UNION
		  SELECT later.merged ->> 'other'
		  FROM became
		  JOIN answers later ON later.organization_id = $1 AND later.merged #>> '{gone,id}' = became.id
		  WHERE later.replaced_at IS NULL)`
	counterpartyBack = `
		INSERT INTO counterparties (organization_id, id, key, name, aliases, type, relationship, website, confidence,
		  last_date, created_at, updated_at)
		SELECT c.organization_id, c.id, c.key, c.name, ARRAY (
		         SELECT alias
		         FROM unnest(c.aliases) AS alias
		         WHERE NOT EXISTS ( -- a name that came by another answer, which was taken back since
		           SELECT
		           FROM answers came
		           WHERE came.organization_id = $1
		             AND came.replaced_at >= a.answered_at
		             AND came.merged ->> 'other' = c.id::text
		             AND NOT came.merged -> 'aliases' ? alias
		             AND (came.merged #>> '{gone,name}' = alias OR came.merged #> '{gone,aliases}' ? alias))),
		       c.type, c.relationship, c.website, c.confidence,
		       c.last_date, c.created_at, $3
		FROM answers a
		CROSS JOIN LATERAL jsonb_populate_record(NULL::counterparties, a.merged -> 'gone') c
		WHERE a.organization_id = $1
		  AND a.id = $2
		  AND jsonb_typeof(a.merged -> 'gone') = 'object'
		ON CONFLICT DO NOTHING`
	namesBack = becameSince + `
		UPDATE counterparties c
		SET aliases = ARRAY (
		      SELECT alias
		      FROM unnest(c.aliases) AS alias
		      WHERE a.merged -> 'aliases' ? alias
		         OR alias <> a.merged #>> '{gone,name}' AND NOT (a.merged #> '{gone,aliases}') ? alias),
		    updated_at = $3
		FROM answers a
		WHERE a.organization_id = $1
		  AND a.id = $2
		  AND jsonb_typeof(a.merged -> 'gone') = 'object'
		  AND c.organization_id = $1
		  AND c.id = ANY (ARRAY (SELECT id::uuid FROM became))`
	questionsBack = becameSince + `
		UPDATE outstanding_issues i
		SET object_id = a.merged #>> '{gone,id}'
		FROM answers a
		WHERE a.organization_id = $1
		  AND a.id = $2
		  AND i.organization_id = $1
		  AND i.object_type = 'counterparty'
		  AND i.object_id = ANY (ARRAY (SELECT id FROM became))
		  AND i.group_key = a.merged #>> '{gone,key}'`
	rowsMoved = `
		SELECT unnest(merged_rows)
		FROM answers
		WHERE organization_id = $1
		  AND id = $2`
	rowsBack = becameSince + `
		UPDATE transactions t
		SET counterparty_id = (a.merged #>> '{gone,id}')::uuid,
		    revision = t.revision + 1,
		    updated_at = $3
		FROM answers a
		CROSS JOIN LATERAL unnest(a.merged_rows) AS moved (id)
		WHERE a.organization_id = $1
		  AND a.id = $2
		  AND t.organization_id = $1
		  AND t.id = moved.id
		  AND t.counterparty_id = ANY (ARRAY (SELECT id::uuid FROM became))`
	wereOne = becameSince + `
		SELECT id::uuid
		FROM became
		UNION
		SELECT (merged #>> '{gone,id}')::uuid
		FROM answers
		WHERE organization_id = $1
		  AND id = $2
		  AND merged IS NOT NULL`
	// Rows that moved, or came since, and that nobody decided, but for those of the answer itself.
	undecided = becameSince + `
		SELECT t.id, t.account_id
		FROM answers a
		JOIN transactions t ON t.organization_id = a.organization_id
		WHERE a.organization_id = $1
		  AND a.id = $2
		  AND a.merged IS NOT NULL
		  AND ` + unanswered + `
		  AND t.category_source IS DISTINCT FROM 'user'
		  AND t.transfer_id IS NULL
		  AND t.filing_state <> 'filed'
		  AND t.deleted_at IS NULL
		  AND (t.id = ANY (a.merged_rows)
		    OR t.counterparty_id = ANY (ARRAY (SELECT id::uuid FROM became)) AND t.created_at >= a.answered_at)
		ORDER BY t.id`
	// What was answered, since and of the other counterparty, of rows that moved, or that came since and read like the
	// one that went.
	answeredSince = becameSince + `,
		about (key) AS (
		  SELECT key
		  FROM counterparties
		  WHERE organization_id = $1
		    AND id = ANY (ARRAY (SELECT id::uuid FROM became))
		    AND key IS NOT NULL
		  UNION
		  SELECT merged #>> '{gone,key}'
		  FROM answers
		  WHERE organization_id = $1
		    AND merged #>> '{gone,id}' IN (SELECT id FROM became))
		SELECT r.answer_id, r.transaction_id
		FROM answers a
		JOIN answers later ON later.organization_id = a.organization_id AND later.answered_at >= a.answered_at
		JOIN answer_rows r ON r.organization_id = later.organization_id AND r.answer_id = later.id
		JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		WHERE a.organization_id = $1
		  AND a.id = $2
		  AND a.merged IS NOT NULL
		  AND later.id <> a.id
		  AND later.level = 1
		  AND later.replaced_at IS NULL
		  AND later.status IN ('accepted', 'partly')
		  AND EXISTS (
		    SELECT
		    FROM about
		    WHERE later.group_key = key
		       OR right(later.group_key, length(key) + 1) = ':' || key) -- about a use of it
		  AND (t.id = ANY (a.merged_rows)
		    OR t.created_at >= a.answered_at
		      AND (a.merged #>> '{gone,name}' = t.merchant OR a.merged #> '{gone,aliases}' ? t.merchant))
		ORDER BY later.answered_at, r.answer_id, r.transaction_id`
	coverNoMore = `
		DELETE FROM answer_rows
		WHERE organization_id = $1
		  AND answer_id = $2
		  AND transaction_id = ANY ($3::uuid[])`
	// What the rows have in common that an answer is still about, see remember.
	rememberRest = `
		UPDATE business_answers b
		SET amount = g.amount,
		    largest = g.largest,
		    smallest = g.smallest,
		    row_count = g.rows,
		    account_types = g.account_types,
		    least_days = g.least_days,
		    most_days = g.most_days,
		    newest = g.newest,
		    reads = g.reads
		FROM (
		  SELECT category_id, (array_agg(amount ORDER BY primary_date DESC, id DESC))[1] AS amount,
		         max(abs(amount)) AS largest, min(abs(amount)) AS smallest, count(*) AS rows,
		         array_agg(DISTINCT type) AS account_types, min(days) AS least_days, max(days) AS most_days,
		         max(primary_date) AS newest, array_agg(DISTINCT suggested_id) AS reads
		  FROM (
		    SELECT coalesce(r.category_id, a.category_id) AS category_id, t.id, t.amount, t.primary_date, accounts.type,
		           t.suggested_id,
		           t.primary_date - lag(t.primary_date) OVER (
		             PARTITION BY coalesce(r.category_id, a.category_id)
		             ORDER BY t.primary_date) AS days
		    FROM answers a
		    JOIN answer_rows r ON r.organization_id = a.organization_id AND r.answer_id = a.id
		    JOIN transactions t ON t.organization_id = r.organization_id AND t.id = r.transaction_id
		    JOIN accounts ON accounts.organization_id = t.organization_id AND accounts.id = t.account_id
		    WHERE a.organization_id = (SELECT $1::uuid)
		      AND a.id = $2) said
		  GROUP BY category_id) g
		WHERE b.organization_id = $1
		  AND b.answer_id = $2
		  AND b.row_count IS NOT NULL
		  AND b.category_id IS NOT DISTINCT FROM
		    CASE WHEN g.category_id < 0 THEN -1 ELSE g.category_id END
		  AND b.way = greatest(-g.category_id, 1)`
)
