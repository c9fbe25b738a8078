package store

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

const (
	retentionEvery = time.Minute // between two looks for what is to be removed, of all workers together
	removedAtOnce  = 1000        // rows of one statement
	listsAtOnce    = 200         // lists of texts that one statement looks through, with 16 rows each at most
)

// TextPlace is how far the texts of rows were looked through.
type TextPlace struct {
	OrganizationID uuid.UUID `db:"organization_id"`
	List           int64     `db:"list"`
}

// ClaimRetention takes the right to remove what has ended, for a minute by the database's clock. It returns where to go
// on with texts. ErrNotFound where somebody else had it within the minute.
func (d *DB) ClaimRetention(ctx context.Context) (TextPlace, error) {
	var place TextPlace
	err := d.db.GetContext(ctx, &place, `
		UPDATE retention
		SET next_at = now() + $1 * interval '1 second'
		WHERE next_at <= now()
		RETURNING text_owner AS organization_id, text_list AS list`,
		retentionEvery.Seconds())
	return place, translate(ctx, err)
}

// RemoveSnapshots removes snapshots that were applied or skipped before a time, some at a time, and returns how many.
// What they held went when they ended. Those that were given up stay: they are an operator's. So do the later ones of
// their persons, which say that their lists are not in effect any more.
func (d *DB) RemoveSnapshots(ctx context.Context, before time.Time) (int64, error) {
	return d.remove(ctx, `
		DELETE FROM account_snapshots
		WHERE ctid = ANY (ARRAY (
		  SELECT ctid
		  FROM account_snapshots s
		  WHERE state IN ('applied', 'skipped')
		    AND ended_at < $1
		    AND NOT EXISTS (
		      SELECT
		      FROM account_snapshots dead
		      WHERE dead.partner_id = s.partner_id
		        AND dead.subject = s.subject
		        AND dead.id < s.id
		        AND dead.state = 'dead')
		  ORDER BY ended_at
		  LIMIT $2
		  FOR UPDATE SKIP LOCKED))`, before)
}

// RemoveOAuthTokens removes tokens that expired or were revoked before a time, some at a time, and returns how many.
func (d *DB) RemoveOAuthTokens(ctx context.Context, before time.Time) (int64, error) {
	return d.remove(ctx, `
		DELETE FROM oauth_tokens
		WHERE ctid = ANY (ARRAY (
		  SELECT ctid
		  FROM oauth_tokens
		  WHERE least(expires_at, revoked_at) < $1
		  ORDER BY least(expires_at, revoked_at)
		  LIMIT $2
		  FOR UPDATE SKIP LOCKED))`, before)
}

// owned is something of a business.
type owned struct {
	OrganizationID uuid.UUID `db:"organization_id"`
	ID             uuid.UUID `db:"id"`
}

// byOwner calls do for each business with what of it was found on a node, in a transaction for each node, and returns
// how much was done: on nodes that are there, also where others are not.
func (d *DB) byOwner(ctx context.Context, found [][]owned, do func(tx *sqlx.Tx, owner uuid.UUID,
	ids []uuid.UUID) (int64, error)) (done int64, err error) {
	var failures []error
	for _, some := range found {
		if len(some) == 0 {
			continue
		}
		of := map[uuid.UUID][]uuid.UUID{}
		for _, row := range some {
			of[row.OrganizationID] = append(of[row.OrganizationID], row.ID)
		}
		var n int64
		err := d.inTx(ctx, func(tx *sqlx.Tx) error {
			n = 0
			for _, owner := range inOrder(slices.Collect(maps.Keys(of))) {
				did, err := do(tx, owner, of[owner])
				if err != nil {
					return err
				}
				n += did
			}
			return nil
		})
		if failures = append(failures, err); err == nil {
			done += n
		}
	}
	return done, errors.Join(failures...)
}

// RemoveQuestions removes questions that closed by themselves before a time, that nobody ever answered and that no row
// is left of, some at a time, and returns how many, also where others fail.
func (d *DB) RemoveQuestions(ctx context.Context, before time.Time) (int64, error) {
	const unwanted = `i.status = 'closed'
		  AND i.ended_at < $1
		  AND i.answer IS NULL
		  AND i.answered_by IS NULL
		  AND NOT EXISTS (
		    SELECT
		    FROM issue_transactions it
		    WHERE it.organization_id = i.organization_id
		      AND it.issue_id = i.id)`
	found, err := ask[owned](ctx, d, `
		SELECT organization_id, id
		FROM outstanding_issues i
		WHERE `+unwanted+`
		ORDER BY ended_at
		LIMIT $2`,
		before, removedAtOnce)
	removed, failure := d.byOwner(ctx, found, func(tx *sqlx.Tx, owner uuid.UUID, ids []uuid.UUID) (int64, error) {
		result, err := tx.ExecContext(ctx, `
			DELETE FROM outstanding_issues
			WHERE organization_id = $2
			  AND ctid = ANY (ARRAY (
			    SELECT ctid
			    FROM outstanding_issues i
			    WHERE organization_id = $2
			      AND id = ANY ($3::uuid[])
			      AND `+unwanted+`
			    FOR UPDATE SKIP LOCKED))`,
			before, owner, uuids(ids))
		if err != nil {
			return 0, err
		}
		return result.RowsAffected()
	})
	return removed, errors.Join(err, failure)
}

// RemoveAnswered removes questions that were answered before a time, some at a time, and returns how many, also where
// others fail. What was answered stays with the rows it decided; it can be corrected by them and no more by the
// question.
func (d *DB) RemoveAnswered(ctx context.Context, before time.Time) (int64, error) {
	found, err := ask[owned](ctx, d, `
		SELECT organization_id, id
		FROM outstanding_issues
		WHERE status = 'answered'
		  AND ended_at < $1
		ORDER BY ended_at
		LIMIT $2`,
		before, removedAtOnce)
	removed, failure := d.byOwner(ctx, found, func(tx *sqlx.Tx, owner uuid.UUID, ids []uuid.UUID) (int64, error) {
		return removeAnswered(ctx, tx, before, owner, ids)
	})
	return removed, errors.Join(err, failure)
}

func removeAnswered(ctx context.Context, tx *sqlx.Tx, before time.Time, owner uuid.UUID,
	ids []uuid.UUID) (int64, error) {
	var questions []uuid.UUID
	err := tx.SelectContext(ctx, &questions, `
		SELECT id
		FROM outstanding_issues
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])
		  AND status = 'answered'
		  AND ended_at < $3
		FOR UPDATE SKIP LOCKED`,
		owner, uuids(ids), before)
	if err != nil || len(questions) == 0 {
		return 0, err
	}
	for _, statement := range []string{
		`
		UPDATE answers
		SET issue_id = NULL
		WHERE organization_id = $1
		  AND issue_id = ANY ($2::uuid[])`, `
		DELETE FROM issue_transactions
		WHERE organization_id = $1
		  AND issue_id = ANY ($2::uuid[])`, `
		DELETE FROM outstanding_issues
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])`,
	} {
		if _, err := tx.ExecContext(ctx, statement, owner, uuids(questions)); err != nil {
			return 0, err
		}
	}
	return int64(len(questions)), nil
}

func (d *DB) remove(ctx context.Context, statement string, before time.Time) (int64, error) {
	removed, err := d.db.ExecContext(ctx, statement, before, removedAtOnce)
	if err != nil {
		return 0, translate(ctx, err)
	}
	return removed.RowsAffected()
}

// RemoveTexts looks through some lists after a place for texts that their rows do not have any more, removes these, and
// returns how many and where to go on; done at the end, after which comes the beginning. A row that gets the text of
// before again is listed again by whoever gives it that text. What is on a node that is away is looked through the
// next time.
func (d *DB) RemoveTexts(ctx context.Context, after TextPlace) (removed int64, next TextPlace, done bool, err error) {
	found, err := ask[TextPlace](ctx, d, `
		SELECT organization_id, id AS list
		FROM transaction_words
		WHERE (organization_id, id) > ($1, $2)
		ORDER BY organization_id, id
		LIMIT $3`,
		after.OrganizationID, after.List, listsAtOnce)
	if len(found) == 0 {
		return 0, after, true, err
	}
	lists := slices.Concat(found...)
	slices.SortFunc(lists, func(a, b TextPlace) int {
		return cmp.Or(CompareUUIDs(a.OrganizationID, b.OrganizationID), cmp.Compare(a.List, b.List))
	})
	lists = lists[:min(len(lists), listsAtOnce)]
	failures := []error{err}
	for len(lists) > 0 {
		next = lists[0]
		var ids pq.Int64Array
		for ; len(lists) > 0 && lists[0].OrganizationID == next.OrganizationID; lists = lists[1:] {
			ids, next = append(ids, lists[0].List), lists[0]
		}
		n, err := d.Organization(next.OrganizationID).removeTexts(ctx, ids)
		removed, failures = removed+n, append(failures, err)
	}
	return removed, next, len(failures) == 1, errors.Join(failures...)
}

// removeTexts removes from lists of the business what their rows do not have any more.
func (o *Organization) removeTexts(ctx context.Context, lists pq.Int64Array) (removed int64, err error) {
	err = o.db.db.GetContext(ctx, &removed, `
		WITH entries AS MATERIALIZED (
		  SELECT l.id AS list, l.indexed, u.id, u.text, u.place,
		         EXISTS (
		           SELECT
		           FROM transactions t
		           WHERE t.organization_id = $1
		             AND t.id = u.id
		             AND t.deleted_at IS NULL
		             AND u.text = lower(
		               coalesce(t.merchant, '') || E'\n' || t.description || E'\n' || coalesce(t.context, ''))
		         ) AS own
		  FROM transaction_words l
		  CROSS JOIN unnest(l.transactions, l.texts) WITH ORDINALITY AS u (id, text, place)
		  WHERE l.organization_id = $1
		    AND l.id = ANY ($2::bigint[])),
		gone AS (
		  DELETE FROM transaction_words
		  WHERE organization_id = $1
		    AND id IN (
		      SELECT list
		      FROM entries
		      WHERE NOT own)
		  RETURNING id AS list),
		kept AS (
		  INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
		  SELECT $1, indexed, array_agg(id ORDER BY place), array_agg(text ORDER BY place)
		  FROM entries
		  JOIN gone USING (list)
		  WHERE own
		  GROUP BY list, indexed)
		SELECT count(*)
		FROM entries
		JOIN gone USING (list)
		WHERE NOT own`,
		o.ID, lists)
	return removed, translate(ctx, err)
}

// SaveTextPlace keeps where to go on with texts.
func (d *DB) SaveTextPlace(ctx context.Context, place TextPlace) error {
	_, err := d.db.ExecContext(ctx, `
		UPDATE retention
		SET text_owner = $1,
		    text_list = $2`,
		place.OrganizationID, place.List)
	return translate(ctx, err)
}

// EmptyDeleted goes on through the deleted transactions, some at a time, empties those that were deleted before a time,
// and returns how many; done at the end, after which comes the beginning. What stays is what the contract needs: its
// id, and that it is deleted, so that an upload of it does not bring it back. Those that a bank took back are the
// bank's to bring again. What is on a node that is away is looked at the next time.
func (d *DB) EmptyDeleted(ctx context.Context, before time.Time) (emptied int64, done bool, err error) {
	var after, last owned // last is zero at the end
	err = d.db.GetContext(ctx, &after, `
		SELECT deleted_owner AS organization_id, deleted_row AS id
		FROM retention`)
	if err != nil {
		return 0, false, translate(ctx, err)
	}
	type deleted struct {
		owned
		Due bool `db:"due"`
	}
	found, err := ask[deleted](ctx, d, `
		SELECT t.organization_id, t.id,
		       t.deleted_at < $1 AND t.withdrawn_at IS NULL AND t.description <> '' AS due
		FROM transactions t
		WHERE t.deleted_at IS NOT NULL
		  AND (t.organization_id, t.id) > ($2, $3)
		ORDER BY t.organization_id, t.id
		LIMIT $4`,
		before, after.OrganizationID, after.ID, removedAtOnce)
	if len(found) == 0 {
		return 0, false, err
	}
	inOrder := func(a, b deleted) int {
		return cmp.Or(CompareUUIDs(a.OrganizationID, b.OrganizationID), CompareUUIDs(a.ID, b.ID))
	}
	looked := slices.SortedFunc(slices.Values(slices.Concat(found...)), inOrder)
	if done = len(looked) < removedAtOnce; !done {
		looked = looked[:removedAtOnce]
		last = looked[removedAtOnce-1].owned
	}
	due := make([][]owned, len(found))
	for i, some := range found {
		for _, row := range some {
			if row.Due && inOrder(row, looked[len(looked)-1]) <= 0 {
				due[i] = append(due[i], row.owned)
			}
		}
	}
	emptied, failure := d.byOwner(ctx, due, func(tx *sqlx.Tx, owner uuid.UUID,
		ids []uuid.UUID) (int64, error) {
		return int64(len(ids)), empty(ctx, tx, owner, ids)
	})
	_, unkept := d.db.ExecContext(ctx, `
		UPDATE retention
		SET deleted_owner = $1,
		    deleted_row = $2`,
		last.OrganizationID, last.ID)
	return emptied, done, errors.Join(err, failure, translate(ctx, unkept))
}

func empty(ctx context.Context, tx *sqlx.Tx, owner uuid.UUID, rows []uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		DELETE FROM transaction_comments
		WHERE organization_id = $1
		  AND transaction_id = ANY ($2::uuid[])`,
		owner, uuids(rows))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		DELETE FROM transaction_parts
		WHERE organization_id = $1
		  AND transaction_id = ANY ($2::uuid[])`,
		owner, uuids(rows))
	if err != nil {
		return err
	}
	// Nothing else is kept of deleted rows.
	_, err = tx.ExecContext(ctx, `
		UPDATE transactions t
		SET amount = 0,
		    description = '',
		    merchant = NULL,
		    context = NULL,
		    counterparty_id = NULL,
		    category_id = nullif(t.category_id, -1), -- its parts are gone
		    category_source = CASE WHEN t.category_id <> -1 THEN t.category_source END,
		    category_confidence = CASE WHEN t.category_id <> -1 THEN t.category_confidence END,
		    category_reason = NULL,
		    suggested_reason = NULL,
		    destination = NULL,
		    alternatives = NULL,
		    revision = t.revision + 1
		WHERE t.organization_id = $1
		  AND t.id = ANY ($2::uuid[])
		  AND t.deleted_at IS NOT NULL`,
		owner, uuids(rows))
	return err
}

// Disconnected finds some businesses of partners that nobody is in since before a time.
func (d *DB) Disconnected(ctx context.Context, before time.Time, limit int) ([]uuid.UUID, error) {
	var ids []uuid.UUID
	err := d.db.SelectContext(ctx, &ids, `
		SELECT o.id
		FROM organizations o
		JOIN LATERAL (
		  SELECT max(m.revoked_at) AS last, bool_or(m.revoked_at IS NULL) AS anybody
		  FROM memberships m
		  WHERE m.organization_id = o.id) m ON m.last < $1 AND NOT m.anybody
		WHERE o.partner_id IS NOT NULL
		LIMIT $2`,
		before, limit)
	return ids, translate(ctx, err)
}
