package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/seal"
)

// sealedRow is a row with something sealed, and what that is bound to.
type sealedRow struct {
	ID     string `db:"id"`
	Owner  string `db:"owner"`
	About  string `db:"about"`
	Sealed []byte `db:"sealed"`
}

// sealedTable is a place of sealed things: how up to $2 that do not begin with $1 are read, and how they are written
// back.
type sealedTable struct {
	read, write string
	bound       func(r sealedRow) string
}

// Reseal encrypts everything that is sealed in the database anew with the first key, so that the others can be given
// up. secretContext is what a partner's secret is bound to. It returns how many it sealed, in transactions of a few
// hundred; after an error it can be run again. It fails with seal.ErrUnknownKey where keys lacks one that is still
// needed.
func (d *DB) Reseal(ctx context.Context, now time.Time, keys seal.Keyring, secretContext func(partnerID,
	purpose string) string) (resealed int, err error) {
	const batch = 200
	for _, table := range sealedTables(secretContext) {
		for done := batch; done == batch; {
			err := d.inTx(ctx, func(tx *sqlx.Tx) error {
				done, err = table.reseal(ctx, tx, keys, batch)
				return err
			})
			if err != nil {
				return resealed, fmt.Errorf("store: sealing anew: %w", err)
			}
			resealed += done
		}
	}
	if resealed == 0 {
		return 0, nil
	}
	return resealed, d.inTx(ctx, func(tx *sqlx.Tx) error {
		return d.record(ctx, tx, now, act{action: ActReseal, objectType: "secrets",
			counts: quantities{"resealed": int64(resealed)}})
	})
}

func (t sealedTable) reseal(ctx context.Context, tx *sqlx.Tx, keys seal.Keyring, batch int) (int, error) {
	var rows []sealedRow
	if err := tx.SelectContext(ctx, &rows, t.read, keys.Head(), batch); err != nil {
		return 0, err
	}
	var ids, owners pq.StringArray
	var sealed pq.ByteaArray
	for _, r := range rows {
		opened, err := keys.Open(r.Sealed, t.bound(r))
		if err != nil {
			return 0, err
		}
		ids, owners, sealed = append(ids, r.ID), append(owners, r.Owner), append(sealed, keys.Seal(opened, t.bound(r)))
	}
	_, err := tx.ExecContext(ctx, t.write, ids, owners, sealed)
	return len(rows), err
}

func sealedTables(secretContext func(partnerID, purpose string) string) []sealedTable {
	return []sealedTable{{
		read: `
			SELECT id::text AS id, partner_id AS owner, purpose AS about, sealed
			FROM partner_secrets
			WHERE substring(sealed FROM 1 FOR length($1::bytea)) <> $1
			LIMIT $2
			FOR UPDATE`,
		write: `
			UPDATE partner_secrets t
			SET sealed = u.sealed
			FROM unnest($1::uuid[], $2::text[], $3::bytea[]) AS u (id, owner, sealed)
			WHERE t.partner_id = u.owner
			  AND t.id = u.id`,
		bound: func(r sealedRow) string { return secretContext(r.Owner, r.About) },
	}, {
		read: `
			SELECT account_id::text AS id, organization_id::text AS owner, '' AS about, sealed
			FROM aggregation_tokens
			WHERE substring(sealed FROM 1 FOR length($1::bytea)) <> $1
			LIMIT $2
			FOR UPDATE`,
		write: `
			UPDATE aggregation_tokens t
			SET sealed = u.sealed
			FROM unnest($1::uuid[], $2::uuid[], $3::bytea[]) AS u (id, owner, sealed)
			WHERE t.organization_id = u.owner
			  AND t.account_id = u.id`,
		bound: func(r sealedRow) string { return aggregationContext(uuid.MustParse(r.Owner), uuid.MustParse(r.ID)) },
	}, {
		read: `
			SELECT id::text AS id, partner_id AS owner, subject AS about, payload AS sealed
			FROM account_snapshots
			WHERE state = 'pending'
			  AND substring(payload FROM 1 FOR length($1::bytea)) <> $1
			LIMIT $2
			FOR UPDATE`,
		write: `
			UPDATE account_snapshots t
			SET payload = u.sealed
			FROM unnest($1::bigint[], $2::text[], $3::bytea[]) AS u (id, owner, sealed)
			WHERE t.id = u.id
			  AND t.partner_id = u.owner`,
		bound: func(r sealedRow) string { return snapshotContext(r.Owner, r.About) },
	}}
}
