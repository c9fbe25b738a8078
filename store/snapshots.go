package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jmoiron/sqlx"

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
		_, err = tx.ExecContext(ctx, `
			INSERT INTO account_snapshots (partner_id, subject, payload, next_at, received_at)
			VALUES ($1, $2, $3, now(), $4)`,
			s.PartnerID, s.Subject, sealed, now)
		return err
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
	Attempts  int    `db:"attempts"` // with this one
}

// ClaimDueSnapshots takes up to limit snapshots, at most one of a person and that the oldest, and puts each off, longer
// with every attempt, so that it is taken again if nobody finishes it. The database's clock tells what is due. Claims
// in any number of processes never take the same one at once.
func (d *DB) ClaimDueSnapshots(ctx context.Context, limit int) ([]ClaimedSnapshot, error) {
	var claimed []ClaimedSnapshot
	err := d.db.SelectContext(ctx, &claimed, `
		UPDATE account_snapshots s
		SET attempts = s.attempts + 1,
		    next_at = now() + least($2 * power(2, least(s.attempts, 10)), $3) * interval '1 second'
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
		RETURNING s.id, s.partner_id, s.subject, s.attempts`,
		limit, relayAfter.Seconds(), relayMost.Seconds())
	return claimed, translate(ctx, err)
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
		// The lock on a person's oldest pending row is the lock on all of theirs.
		err := tx.GetContext(ctx, &next, `
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
