package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
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
	return d.removeOf(ctx, `account_snapshots`, `state IN ('applied', 'skipped')
		    AND ended_at < $1
		    AND NOT EXISTS (
		      SELECT
		      FROM account_snapshots dead
		      WHERE dead.partner_id = t.partner_id
		        AND dead.subject = t.subject
		        AND dead.id < t.id
		        AND dead.state = 'dead')
		  ORDER BY ended_at`, before)
}

// RemoveOAuthTokens removes tokens that expired or were revoked before a time, some at a time, and returns how many.
func (d *DB) RemoveOAuthTokens(ctx context.Context, before time.Time) (int64, error) {
	return d.removeOf(ctx, `oauth_tokens`,
		`least(expires_at, revoked_at) < $1 ORDER BY least(expires_at, revoked_at)`, before)
}

// removeOf removes rows t of a table, some at a time: those that a condition on $1 is true of, in its order.
func (d *DB) removeOf(ctx context.Context, table, which string, before time.Time) (int64, error) {
	return d.remove(ctx, `
		DELETE FROM `+table+`
		WHERE ctid = ANY (ARRAY (
		  SELECT ctid
		  FROM `+table+` t
		  WHERE `+which+`
		  LIMIT $2
		  FOR UPDATE SKIP LOCKED))`, before)
}

// remove runs a statement that removes what is from before $1, $2 rows at most, and returns how many.
func (d *DB) remove(ctx context.Context, statement string, before time.Time) (int64, error) {
	removed, err := d.db.ExecContext(ctx, statement, before, removedAtOnce)
	if err != nil {
		return 0, translate(ctx, err)
	}
	return removed.RowsAffected()
}

// RemoveTexts looks through some lists after a place for texts that their rows do not have any more, removes these, and
// returns how many and where to go on, also where some fail; done at the end, after which comes the beginning. A row
// that gets the text of before again is listed again by whoever gives it that text.
func (d *DB) RemoveTexts(ctx context.Context, after TextPlace) (removed int64, next TextPlace, done bool, err error) {
	texts := tour[int64]{what: "texts of before", limit: listsAtOnce, compare: cmp.Compare[int64], list: `
		SELECT organization_id, id
		FROM transaction_words
		WHERE (organization_id, id) > ($1, $2)
		ORDER BY organization_id, id
		LIMIT $3`}
	texts.step = func(ctx context.Context, p piece, after place[int64]) (last place[int64], looked int, err error) {
		last, looked, n, err := d.removeTexts(ctx, p, after)
		removed += n
		return last, looked, err
	}
	last, done, err := texts.walk(ctx, d, place[int64]{after.OrganizationID, after.List})
	return removed, TextPlace{last.OrganizationID, last.ID}, done, err
}

func (d *DB) removeTexts(ctx context.Context, p piece, after place[int64]) (last place[int64], looked int,
	removed int64, err error) {
	var found struct {
		Looked  int     `db:"looked"`
		Removed int64   `db:"removed"`
		Kept    *string `db:"kept"`
		place[int64]
	}
	err = d.inTx(ctx, func(tx *sqlx.Tx) error {
		err := tx.GetContext(ctx, &found, removeListed(p), after.OrganizationID, after.ID, listsAtOnce)
		if err != nil || found.Kept == nil {
			return err
		}
		_, err = tx.ExecContext(ctx, listAgain, *found.Kept)
		return err
	})
	if errors.Is(err, ErrNotFound) {
		return after, 0, 0, nil
	}
	return found.place, found.Looked, found.Removed, err
}

// listAgain lists what removeListed took out of lists and is to stay. In one statement with it, a Citus would send the
// texts to all of its nodes.
const listAgain = `
	INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
	SELECT organization_id, indexed, transactions, texts
	FROM jsonb_to_recordset($1::jsonb)
	  AS kept (organization_id uuid, indexed boolean, transactions uuid[], texts text[])`

// removeListed removes the lists behind a place that have texts of before, and says how far it came, and what is to be
// listed again.
func removeListed(p piece) string {
	return `
		WITH lists AS MATERIALIZED (
		  SELECT organization_id, id, indexed, transactions, texts
		  FROM transaction_words
		  WHERE (organization_id, id) > ($1, $2)` + p.of("organization_id") + `
		  ORDER BY organization_id, id
		  LIMIT $3),
		entries AS MATERIALIZED (
		  SELECT l.organization_id, l.id AS list, l.indexed, u.id, u.text, u.place,
		         EXISTS (
		           SELECT
		           FROM transactions t
		           WHERE t.organization_id = l.organization_id` + p.of("t.organization_id") + `
		             AND t.id = u.id
		             AND t.deleted_at IS NULL
		             AND u.text = lower(
		               coalesce(t.merchant, '') || E'\n' || t.description || E'\n' || coalesce(t.context, ''))
		         ) AS own
		  FROM lists l
		  CROSS JOIN unnest(l.transactions, l.texts) WITH ORDINALITY AS u (id, text, place)),
		gone AS (
		  DELETE FROM transaction_words
		  WHERE (organization_id, id) IN (
		    SELECT organization_id, list
		    FROM entries
		    WHERE NOT own)` + p.of("organization_id") + `
		  RETURNING organization_id, id AS list),
		kept AS (
		  SELECT organization_id, indexed, array_agg(id ORDER BY place) AS transactions,
		         array_agg(text ORDER BY place) AS texts
		  FROM entries
		  JOIN gone USING (organization_id, list)
		  WHERE own
		  GROUP BY organization_id, list, indexed)
		SELECT last.organization_id, last.id, (
		  SELECT count(*)
		  FROM lists) AS looked, (
		  SELECT count(*)
		  FROM entries
		  JOIN gone USING (organization_id, list)
		  WHERE NOT own) AS removed, (
		  SELECT jsonb_agg(to_jsonb(kept))
		  FROM kept) AS kept
		FROM lists last
		ORDER BY last.organization_id DESC, last.id DESC
		LIMIT 1`
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
// and returns how many, also where some fail; done at the end, after which comes the beginning. What stays is what the
// contract needs: its id, and that it is deleted, so that an upload of it does not bring it back. Those that a bank
// took back are the bank's to bring again.
func (d *DB) EmptyDeleted(ctx context.Context, before time.Time) (emptied int64, done bool, err error) {
	var after place[uuid.UUID]
	err = d.db.GetContext(ctx, &after, `
		SELECT deleted_owner AS organization_id, deleted_row AS id
		FROM retention`)
	if err != nil {
		return 0, false, translate(ctx, err)
	}
	deleted := tour[uuid.UUID]{what: "deleted rows", limit: removedAtOnce, compare: CompareUUIDs, list: `
		SELECT organization_id, id
		FROM transactions
		WHERE deleted_at IS NOT NULL
		  AND (organization_id, id) > ($1, $2)
		ORDER BY organization_id, id
		LIMIT $3`}
	deleted.step = func(ctx context.Context, p piece, after place[uuid.UUID]) (last place[uuid.UUID], looked int,
		err error) {
		last, looked, n, err := d.emptyDeleted(ctx, p, after, before)
		emptied += n
		return last, looked, err
	}
	next, done, err := deleted.walk(ctx, d, after)
	_, unkept := d.db.ExecContext(ctx, `
		UPDATE retention
		SET deleted_owner = $1,
		    deleted_row = $2`,
		next.OrganizationID, next.ID)
	return emptied, done, errors.Join(err, translate(ctx, unkept))
}

func (d *DB) emptyDeleted(ctx context.Context, p piece, after place[uuid.UUID],
	before time.Time) (last place[uuid.UUID], looked int, emptied int64, err error) {
	err = d.inTx(ctx, func(tx *sqlx.Tx) error {
		var deleted []struct {
			place[uuid.UUID]
			Due bool `db:"due"`
		}
		err := tx.SelectContext(ctx, &deleted, `
			SELECT t.organization_id, t.id,
			       t.deleted_at < $1 AND t.withdrawn_at IS NULL AND t.description <> '' AS due
			FROM transactions t
			WHERE t.deleted_at IS NOT NULL
			  AND (t.organization_id, t.id) > ($3, $4)`+p.of("t.organization_id")+`
			ORDER BY t.organization_id, t.id
			LIMIT $2`,
			before, removedAtOnce, after.OrganizationID, after.ID)
		if last, looked = after, len(deleted); err != nil || looked == 0 {
			return err
		}
		last = deleted[looked-1].place
		var owners, rows []uuid.UUID
		for _, l := range deleted {
			if l.Due {
				owners, rows = append(owners, l.OrganizationID), append(rows, l.ID)
			}
		}
		if owners, rows, err = lockDeleted(ctx, tx, p, owners, rows); err != nil {
			return err
		}
		emptied = int64(len(rows))
		return empty(ctx, tx, p, owners, rows)
	})
	if err != nil {
		return after, 0, 0, err
	}
	return last, looked, emptied, nil
}

// lockDeleted locks those of some rows that nobody holds; the others come with the next walk.
func lockDeleted(ctx context.Context, tx *sqlx.Tx, p piece, owners, rows []uuid.UUID) (lockedOwners,
	lockedRows []uuid.UUID, err error) {
	var locked []place[uuid.UUID]
	err = tx.SelectContext(ctx, &locked, `
		SELECT t.organization_id, t.id
		FROM unnest($1::uuid[], $2::uuid[]) AS u (organization_id, id)
		JOIN transactions t ON t.organization_id = u.organization_id AND t.id = u.id
		WHERE t.deleted_at IS NOT NULL`+p.of("t.organization_id")+`
		FOR NO KEY UPDATE OF t SKIP LOCKED`,
		uuids(owners), uuids(rows))
	for _, l := range locked {
		lockedOwners, lockedRows = append(lockedOwners, l.OrganizationID), append(lockedRows, l.ID)
	}
	return lockedOwners, lockedRows, err
}

func empty(ctx context.Context, tx *sqlx.Tx, p piece, owners, rows []uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		DELETE FROM transaction_comments c
		USING unnest($1::uuid[], $2::uuid[]) AS u (organization_id, id)
		WHERE c.organization_id = u.organization_id`+p.of("c.organization_id")+`
		  AND c.transaction_id = u.id`,
		uuids(owners), uuids(rows))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		DELETE FROM transaction_parts p
		USING unnest($1::uuid[], $2::uuid[]) AS u (organization_id, id)
		WHERE p.organization_id = u.organization_id`+p.of("p.organization_id")+`
		  AND p.transaction_id = u.id`,
		uuids(owners), uuids(rows))
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
		FROM unnest($1::uuid[], $2::uuid[]) AS u (organization_id, id)
		WHERE t.organization_id = u.organization_id`+p.of("t.organization_id")+`
		  AND t.id = u.id
		  AND t.deleted_at IS NOT NULL`,
		uuids(owners), uuids(rows))
	return err
}

// EraseDisconnected erases a business of a partner that nobody is in since before a time, and returns how many there
// were: none where nobody is left to be erased, and several where one failed.
func (d *DB) EraseDisconnected(ctx context.Context, now, before time.Time) (erased int64, err error) {
	const some = 10
	each := func(but []uuid.UUID) (alone [][]uuid.UUID, err error) {
		ids, err := d.disconnected(ctx, piece{but: but}, before, some)
		for id := range slices.Chunk(ids, 1) {
			alone = append(alone, id)
		}
		return alone, err
	}
	err = d.inPieces(ctx, "businesses that nobody is in", each, func(ctx context.Context, p piece) error {
		ids, err := d.disconnected(ctx, p, before, 1)
		if err != nil || len(ids) == 0 {
			return err
		}
		if _, err = d.eraseUnless(ctx, now, ids[0], before); err != nil {
			return fmt.Errorf("%s: %w", ids[0], err)
		}
		erased++
		return nil
	})
	return erased, err
}

// disconnected finds up to limit businesses of partners that nobody is in since before a time.
func (d *DB) disconnected(ctx context.Context, p piece, before time.Time, limit int) (ids []uuid.UUID, err error) {
	err = d.db.SelectContext(ctx, &ids, `
		SELECT o.id
		FROM organizations o
		JOIN LATERAL (
		  SELECT max(m.revoked_at) AS last, bool_or(m.revoked_at IS NULL) AS anybody
		  FROM memberships m
		  WHERE m.organization_id = o.id) m ON m.last < $1 AND NOT m.anybody
		WHERE o.partner_id IS NOT NULL`+p.of("o.id")+`
		LIMIT $2`,
		before, limit)
	return ids, translate(ctx, err)
}

// RemoveAgentClients removes programs that registered themselves before a time and that nobody gave access to since,
// some at a time, and returns how many. Those that somebody did stay for two lifetimes of a grant: a program that comes
// back by a name which is not known any more cannot be told so.
func (d *DB) RemoveAgentClients(ctx context.Context, before time.Time) (int64, error) {
	return d.removeOf(ctx, `agent_clients`,
		`used_at IS NULL AND created_at < $1 OR used_at < $1::timestamptz - interval '360 days'`, before)
}

// RemoveAgentRequests removes sign-ins whose time was over before a time, some at a time, and returns how many.
func (d *DB) RemoveAgentRequests(ctx context.Context, before time.Time) (int64, error) {
	return d.removeOf(ctx, `agent_requests`,
		`expires_at < $1 ORDER BY expires_at`, before)
}

// RemoveAgentTokens removes access tokens that expired before a time, some at a time, and returns how many.
func (d *DB) RemoveAgentTokens(ctx context.Context, before time.Time) (int64, error) {
	return d.removeOf(ctx, `agent_tokens`,
		`expires_at < $1 ORDER BY expires_at`, before)
}

// RemoveGrants removes grants that ended before a time, with their tokens, some at a time, and returns how many.
func (d *DB) RemoveGrants(ctx context.Context, before time.Time) (int64, error) {
	return d.removeOf(ctx, `agent_grants`,
		`least(expires_at, revoked_at) < $1 ORDER BY least(expires_at, revoked_at)`, before)
}

// RemoveAudit removes entries from before a time, some at a time, and returns how many. The database keeps those of the
// last 30 days whatever the time is.
func (d *DB) RemoveAudit(ctx context.Context, before time.Time) (removed int64, err error) {
	err = d.db.GetContext(ctx, &removed, `SELECT remove_audit($1, $2)`, before, removedAtOnce)
	return removed, translate(ctx, err)
}
