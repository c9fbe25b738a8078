package store

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/seal"
)

// replaceLegacyAccounts makes the accounts of a legacy source agree with the list. Rows that agree already are not
// written.
func (o *Organization) replaceLegacyAccounts(ctx context.Context, tx *sqlx.Tx, now time.Time, keys seal.Keyring, source uuid.UUID, accounts []SnapshotAccount) error {
	// The source first, as in a deletion of an account, then its accounts in the order in which the worker locks them.
	if err := o.lockSource(ctx, tx, source); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `
		SELECT
		FROM accounts
		WHERE organization_id = $1
		  AND source_id = $2
		ORDER BY id
		FOR NO KEY UPDATE`,
		o.ID, source)
	if err != nil {
		return err
	}
	sorted := slices.Clone(accounts)
	slices.SortFunc(sorted, func(a, b SnapshotAccount) int { return strings.Compare(a.ExternalID, b.ExternalID) })
	columns := legacyColumnsOf(sorted)
	if err := o.updateLegacyAccounts(ctx, tx, now, source, columns); err != nil {
		return err
	}
	if err := o.insertLegacyAccounts(ctx, tx, now, source, columns); err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE accounts a
		SET status = 'inactive',
		    updated_at = $3
		WHERE a.organization_id = $1
		  AND a.source_id = $2
		  AND a.status <> 'inactive'
		  AND NOT EXISTS (
		    SELECT
		    FROM unnest($4::text[]) AS u (external_id)
		    WHERE u.external_id = a.external_id)`,
		o.ID, source, now, columns.externalIDs)
	if err != nil {
		return err
	}
	return o.replaceAggregationTokens(ctx, tx, now, keys, source, sorted)
}

// legacyColumns is a snapshot turned on its side, as unnest takes it; an empty text stands for what was left out.
type legacyColumns struct {
	externalIDs, names, types, masks, currencies, balances, statuses pq.StringArray
}

func legacyColumnsOf(accounts []SnapshotAccount) legacyColumns {
	var c legacyColumns
	for _, a := range accounts {
		kind, balance := a.Type, ""
		if kind == "" {
			kind = "other"
		}
		if a.Balance != nil {
			balance = strconv.FormatInt(int64(*a.Balance), 10)
		}
		c.externalIDs = append(c.externalIDs, a.ExternalID)
		c.names = append(c.names, a.Name)
		c.types = append(c.types, kind)
		c.masks = append(c.masks, a.Mask)
		c.currencies = append(c.currencies, a.Currency)
		c.balances = append(c.balances, balance)
		c.statuses = append(c.statuses, a.Status)
	}
	return c
}

func (o *Organization) updateLegacyAccounts(ctx context.Context, tx *sqlx.Tx, now time.Time, source uuid.UUID, c legacyColumns) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE accounts a
		SET name = n.name,
		    type = n.type,
		    mask = n.mask,
		    currency = n.currency,
		    current_balance = n.current_balance,
		    status = n.status,
		    updated_at = $3
		FROM (
		  SELECT known.id, u.name, u.type, nullif(u.mask, '') AS mask, u.currency,
		         coalesce(nullif(u.balance, '')::bigint, known.current_balance) AS current_balance,
		         CASE
		           WHEN u.status <> '' THEN u.status
		           WHEN known.status = 'disabled' THEN 'disabled'
		           ELSE 'active'
		         END AS status
		  FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[])
		    AS u (external_id, name, type, mask, currency, balance, status)
		  JOIN accounts known ON known.organization_id = $1 AND known.source_id = $2 AND known.external_id = u.external_id) n
		WHERE a.organization_id = $1
		  AND a.id = n.id
		  AND (a.name, a.type, a.mask, a.currency, a.current_balance, a.status)
		    IS DISTINCT FROM (n.name, n.type, n.mask, n.currency, n.current_balance, n.status)`,
		o.ID, source, now, c.externalIDs, c.names, c.types, c.masks, c.currencies, c.balances, c.statuses)
	return err
}

func (o *Organization) insertLegacyAccounts(ctx context.Context, tx *sqlx.Tx, now time.Time, source uuid.UUID, c legacyColumns) error {
	ids := make([]uuid.UUID, len(c.externalIDs))
	for i := range ids {
		ids[i] = newID()
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO accounts (organization_id, source_id, id, external_id, name, type, mask, currency, current_balance, status, created_at, updated_at)
		SELECT $1, $2, u.id, u.external_id, u.name, u.type, nullif(u.mask, ''), u.currency,
		       coalesce(nullif(u.balance, '')::bigint, 0), coalesce(nullif(u.status, ''), 'active'), $3, $3
		FROM unnest($4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::uuid[])
		  WITH ORDINALITY AS u (external_id, name, type, mask, currency, balance, status, id, place)
		ORDER BY u.place
		ON CONFLICT ON CONSTRAINT accounts_external_id_key DO NOTHING`,
		o.ID, source, now, c.externalIDs, c.names, c.types, c.masks, c.currencies, c.balances, c.statuses, uuids(ids))
	return err
}

// replaceAggregationTokens keeps the tokens of the list and forgets all others of the source. A sealed text differs each
// time, so a token is compared after it is opened; one that no key opens is replaced.
func (o *Organization) replaceAggregationTokens(ctx context.Context, tx *sqlx.Tx, now time.Time, keys seal.Keyring, source uuid.UUID, accounts []SnapshotAccount) error {
	given := map[string]string{}
	var externalIDs pq.StringArray
	for _, a := range accounts {
		if a.Token != "" {
			given[a.ExternalID] = a.Token
			externalIDs = append(externalIDs, a.ExternalID)
		}
	}
	var known []struct {
		AccountID  uuid.UUID `db:"id"`
		ExternalID string    `db:"external_id"`
		Sealed     []byte    `db:"sealed"`
	}
	err := tx.SelectContext(ctx, &known, `
		SELECT a.id, a.external_id, t.sealed
		FROM accounts a
		LEFT JOIN aggregation_tokens t ON t.organization_id = a.organization_id AND t.account_id = a.id
		WHERE a.organization_id = $1
		  AND a.source_id = $2
		  AND (t.account_id IS NOT NULL OR a.external_id = ANY ($3::text[]))`,
		o.ID, source, externalIDs)
	if err != nil {
		return err
	}
	var changed, gone []uuid.UUID
	var sealed pq.ByteaArray
	for _, row := range known {
		token, ok := given[row.ExternalID]
		if !ok {
			gone = append(gone, row.AccountID)
			continue
		}
		bound := aggregationContext(o.ID, row.AccountID)
		if opened, err := keys.Open(row.Sealed, bound); err == nil && string(opened) == token {
			continue
		}
		changed = append(changed, row.AccountID)
		sealed = append(sealed, keys.Seal([]byte(token), bound))
	}
	_, err = tx.ExecContext(ctx, `
		DELETE FROM aggregation_tokens
		WHERE organization_id = $1
		  AND account_id = ANY ($2::uuid[])`,
		o.ID, uuids(gone))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO aggregation_tokens (organization_id, account_id, sealed, updated_at)
		SELECT $1, u.account_id, u.sealed, $2
		FROM unnest($3::uuid[], $4::bytea[]) AS u (account_id, sealed)
		ON CONFLICT ON CONSTRAINT aggregation_tokens_pkey DO UPDATE
		SET sealed = excluded.sealed,
		    fingerprint = NULL,
		    joined = false,
		    feed_account = NULL,
		    updated_at = excluded.updated_at`,
		o.ID, now, uuids(changed), sealed)
	if err != nil {
		return err
	}
	return o.tidyFeeds(ctx, tx, now)
}

// aggregationContext is what a sealed token is bound to.
func aggregationContext(organization, account uuid.UUID) string {
	return "aggregation/" + organization.String() + "/" + account.String()
}
