package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/seal"
)

// Snapshot is the full current account list of one person, as their partner's webhook sent it.
type Snapshot struct {
	PartnerID string
	Subject   string            // the partner's stable id of the person
	Accounts  []SnapshotAccount // each ExternalID once
}

// AcceptSnapshot stores a snapshot, encrypted, as the event of its own application. Snapshots of one person are applied
// in the order in which AcceptSnapshot is called.
func (d *DB) AcceptSnapshot(ctx context.Context, now time.Time, keys seal.Keyring, s Snapshot) error {
	accounts, err := json.Marshal(s.Accounts)
	if err != nil {
		return fmt.Errorf("store: snapshot: %w", err)
	}
	sealed := keys.Seal(accounts, snapshotContext(s.PartnerID, s.Subject))
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		// An id is drawn before its row is committed. Under the lock both happen in one order.
		_, err := tx.ExecContext(ctx,
			`SELECT pg_advisory_xact_lock(hashtextextended('snapshot' || E'\n' || $1::text || E'\n' || $2::text, 0))`, s.PartnerID, s.Subject)
		if err != nil {
			return err
		}
		var id int64
		err = tx.GetContext(ctx, &id, `
			INSERT INTO account_snapshots (partner_id, subject, payload, next_at, received_at)
			VALUES ($1, $2, $3, now(), $4)
			RETURNING id`,
			s.PartnerID, s.Subject, sealed, now)
		if err != nil {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActSnapshot, objectType: "snapshot", objectID: fmt.Sprint(id),
			partner: s.PartnerID, counts: quantities{"accounts": int64(len(s.Accounts))}})
	})
}

// snapshotContext is what a sealed snapshot is bound to.
func snapshotContext(partnerID, subject string) string {
	return fmt.Sprintf("snapshot/%q/%q", partnerID, subject)
}

// ClaimedSnapshot names a snapshot that is the next one of its person.
type ClaimedSnapshot struct {
	ID        int64  `db:"id"`
	PartnerID string `db:"partner_id"`
	Subject   string `db:"subject"`
}

// snapshotLease is how long a claimed snapshot is left to who claimed it.
const snapshotLease = 15 * time.Second

// ClaimDueSnapshots takes up to limit snapshots, at most one of a person and that the oldest, for a lease: one that
// nobody finishes is taken again after it. The database's clock tells what is due. Claims in any number of processes
// never take the same one at once.
func (d *DB) ClaimDueSnapshots(ctx context.Context, limit int) ([]ClaimedSnapshot, error) {
	var claimed []ClaimedSnapshot
	err := d.db.SelectContext(ctx, &claimed, `
		UPDATE account_snapshots s
		SET next_at = now() + $2 * interval '1 second'
		FROM (
		  SELECT id
		  FROM account_snapshots p
		  WHERE state = 'pending'
		    AND next_at <= now()
		    AND NOT EXISTS (
		      SELECT
		      FROM account_snapshots earlier
		      WHERE earlier.partner_id = p.partner_id
		        AND earlier.subject = p.subject
		        AND earlier.id < p.id
		        AND earlier.state = 'pending')
		  ORDER BY id
		  LIMIT $1
		  FOR UPDATE SKIP LOCKED) due
		WHERE s.id = due.id
		RETURNING s.id, s.partner_id, s.subject`,
		limit, snapshotLease.Seconds())
	return claimed, translate(ctx, err)
}

// FailSnapshot counts an attempt that failed, and puts the snapshot off, longer with every one. It returns how many
// there were. What is the database's fault is none of the snapshot: it is put off and not counted.
func (d *DB) FailSnapshot(ctx context.Context, id int64, cause error) (attempts int, err error) {
	err = d.db.GetContext(ctx, &attempts, `
		UPDATE account_snapshots
		SET attempts = CASE WHEN $4 THEN attempts ELSE attempts + 1 END,
		    next_at = now() + least($2 * power(2, least(attempts, 10)), $3) * interval '1 second'
		WHERE id = $1
		  AND state = 'pending'
		RETURNING attempts`,
		id, relayAfter.Seconds(), relayMost.Seconds(), isOutage(cause))
	return attempts, translate(ctx, err)
}

// ApplySnapshot makes a person's legacy accounts agree with a snapshot, whole or not at all, and ends it. It returns
// false for a person without a mapping: the snapshot has ended without effect. ErrNotFound for one that has ended or is
// not the next one of its person.
func (d *DB) ApplySnapshot(ctx context.Context, now time.Time, keys seal.Keyring, id int64) (applied bool, err error) {
	err = d.inTx(ctx, func(tx *sqlx.Tx) error {
		var next struct {
			PartnerID string `db:"partner_id"`
			Subject   string `db:"subject"`
			Payload   []byte `db:"payload"`
		}
		// What was given up is tried again under this lock: a list never comes into effect after a later one.
		_, err := tx.ExecContext(ctx, `
			SELECT `+lockPerson+`
			FROM account_snapshots
			WHERE id = $1`,
			id)
		if err != nil {
			return err
		}
		// The lock on a person's oldest pending row is the lock on all of theirs.
		err = tx.GetContext(ctx, &next, `
			SELECT partner_id, subject, payload
			FROM account_snapshots p
			WHERE id = $1
			  AND state = 'pending'
			  AND NOT EXISTS (
			    SELECT
			    FROM account_snapshots earlier
			    WHERE earlier.partner_id = p.partner_id
			      AND earlier.subject = p.subject
			      AND earlier.id < p.id
			      AND earlier.state = 'pending')
			FOR UPDATE`,
			id)
		if err != nil {
			return err
		}
		mapping, err := legacyMapping(ctx, tx, next.PartnerID, next.Subject)
		if errors.Is(err, sql.ErrNoRows) {
			applied = false
			return endSnapshot(ctx, tx, now, id, "skipped")
		}
		if err != nil {
			return err
		}
		opened, err := keys.Open(next.Payload, snapshotContext(next.PartnerID, next.Subject))
		if err != nil {
			return fmt.Errorf("store: snapshot %d: %w", id, err)
		}
		var accounts []SnapshotAccount
		if err := json.Unmarshal(opened, &accounts); err != nil {
			return fmt.Errorf("store: snapshot %d: %w", id, err)
		}
		if err := d.Organization(mapping.OrganizationID).replaceLegacyAccounts(ctx, tx, now, keys,
			mapping.SourceID, accounts); err != nil {
			return err
		}
		applied = true
		return endSnapshot(ctx, tx, now, id, "applied")
	})
	return applied && err == nil, err
}

// lockPerson locks the snapshots of a row's person against each other's application.
const lockPerson = `pg_advisory_xact_lock(hashtextextended(
	'apply snapshot' || E'\n' || partner_id || E'\n' || subject, 0))`

// BurySnapshot gives a snapshot up that cannot be applied, and keeps what it holds. The later ones of its person go
// on: each is the full list.
func (d *DB) BurySnapshot(ctx context.Context, now time.Time, id int64) error {
	_, err := d.db.ExecContext(ctx, `
		UPDATE account_snapshots
		SET state = 'dead',
		    ended_at = $2
		WHERE id = $1
		  AND state = 'pending'`,
		id, now)
	return translate(ctx, err)
}

// StoredSnapshot is a snapshot that was not applied yet.
type StoredSnapshot struct {
	ID         int64      `db:"id"`
	PartnerID  string     `db:"partner_id"`
	Subject    string     `db:"subject"`
	State      string     `db:"state"` // pending, or dead: given up
	Attempts   int        `db:"attempts"`
	ReceivedAt time.Time  `db:"received_at"`
	EndedAt    *time.Time `db:"ended_at"`   // when it was given up
	Superseded bool       `db:"superseded"` // a later one of its person was applied
}

// superseded says of a snapshot s that a later one of its person was applied.
const superseded = `EXISTS (
	  SELECT
	  FROM account_snapshots later
	  WHERE later.partner_id = s.partner_id
	    AND later.subject = s.subject
	    AND later.id > s.id
	    AND later.state = 'applied')`

// WaitingSnapshots lists up to limit snapshots that wait or were given up, or the latter alone, oldest first.
func (d *DB) WaitingSnapshots(ctx context.Context, deadOnly bool, limit int) ([]StoredSnapshot, error) {
	var found []StoredSnapshot
	err := d.db.SelectContext(ctx, &found, `
		SELECT id, partner_id, subject, state, attempts, received_at, ended_at, `+superseded+` AS superseded
		FROM account_snapshots s
		WHERE state = 'dead'
		   OR state = 'pending' AND NOT $1
		ORDER BY id
		LIMIT $2`,
		deadOnly, limit)
	return found, translate(ctx, err)
}

// RetrySnapshots has snapshots applied that were given up: these, or all where ids is nil. One that is superseded stays
// as it is: its list is older than the one in effect. It returns how many are tried again, and how many stay.
func (d *DB) RetrySnapshots(ctx context.Context, now time.Time, ids []int64) (retried, stay int64, err error) {
	err = d.inTx(ctx, func(tx *sqlx.Tx) error {
		which := `state = 'dead' AND ($1::bigint[] IS NULL OR id = ANY ($1))`
		_, err := tx.ExecContext(ctx, `
			SELECT `+lockPerson+`
			FROM (
			  SELECT DISTINCT partner_id, subject
			  FROM account_snapshots
			  WHERE `+which+`
			  ORDER BY partner_id, subject) person`,
			pq.Array(ids))
		if err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `
			UPDATE account_snapshots s
			SET state = 'pending',
			    attempts = 0,
			    next_at = now(),
			    ended_at = NULL
			WHERE `+which+`
			  AND NOT `+superseded,
			pq.Array(ids))
		if err != nil {
			return err
		}
		if retried, err = result.RowsAffected(); err != nil {
			return err
		}
		err = tx.GetContext(ctx, &stay, `SELECT count(*) FROM account_snapshots WHERE `+which, pq.Array(ids))
		if err != nil || retried == 0 {
			return err // where nothing changes there is no act
		}
		return d.record(ctx, tx, now, act{action: ActRetrySnapshot, counts: quantities{"snapshots": retried}})
	})
	return retried, stay, err
}

// DropSnapshots removes snapshots that were given up: these, or all where ids is nil. It returns how many.
func (d *DB) DropSnapshots(ctx context.Context, now time.Time, ids []int64) (dropped int64, err error) {
	err = d.inTx(ctx, func(tx *sqlx.Tx) error {
		result, err := tx.ExecContext(ctx, `
			DELETE FROM account_snapshots
			WHERE state = 'dead'
			  AND ($1::bigint[] IS NULL OR id = ANY ($1))`,
			pq.Array(ids))
		if err != nil {
			return err
		}
		if dropped, err = result.RowsAffected(); err != nil || dropped == 0 {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActDropSnapshot, counts: quantities{"snapshots": dropped}})
	})
	return dropped, err
}

func endSnapshot(ctx context.Context, tx *sqlx.Tx, now time.Time, id int64, state string) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE account_snapshots
		SET state = $2,
		    payload = NULL,
		    ended_at = $3
		WHERE id = $1`,
		id, state, now)
	return err
}
