package store

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/money"
	"bizfin/internal/seal"
)

// SnapshotAccount is one account of a snapshot. What it leaves empty is empty from then on, save balance and status.
type SnapshotAccount struct {
	ExternalID string        `json:"external_id"`
	Name       string        `json:"name"`
	Type       string        `json:"type"`              // empty for other
	Mask       string        `json:"mask"`              // last digits of the number, or empty
	Currency   string        `json:"currency"`          // three characters, as given
	Balance    *money.Amount `json:"balance,omitempty"` // in Currency; nil keeps the stored one, zero for a new account
	Status     string        `json:"status"`            // AccountActive, AccountDisabled, or empty: a disabled account stays so, any other is active
	Token      string        `json:"token"`             // of the bank-aggregation provider; empty forgets an earlier one
}

// replaceLegacyAccounts makes the accounts of a legacy source agree with the list. Of rows that agree already
// nothing is written but when they were sent.
func (o *Organization) replaceLegacyAccounts(ctx context.Context, tx *sqlx.Tx, now time.Time, keys seal.Keyring,
	source uuid.UUID, accounts []SnapshotAccount) error {
	// The source first, as in a deletion of an account, then its accounts in the order in which everybody locks them.
	if err := o.lockSource(ctx, tx, source); err != nil {
		return err
	}
	var known []legacyAccount
	err := tx.SelectContext(ctx, &known, `
		SELECT ctid::text AS place, id, external_id, name, type, coalesce(mask, '') AS mask, currency,
		  current_balance, status
		FROM accounts
		WHERE organization_id = $1
		  AND source_id = $2
		ORDER BY id
		FOR NO KEY UPDATE`,
		o.ID, source)
	if err != nil {
		return err
	}
	fresh, changed := byList(known, accounts)
	if err := o.updateLegacyAccounts(ctx, tx, now, changed); err != nil {
		return err
	}
	if err := o.insertLegacyAccounts(ctx, tx, now, source, fresh); err != nil {
		return err
	}
	ids := make(map[string]uuid.UUID, len(known)+len(fresh))
	for _, a := range append(known, fresh...) {
		ids[a.ExternalID] = a.ID
	}
	if err := o.noteSent(ctx, tx, now, ids, accounts); err != nil {
		return err
	}
	return o.replaceAggregationTokens(ctx, tx, now, keys, ids, accounts)
}

// noteSent keeps when accounts were listed, and of which the list had a balance.
func (o *Organization) noteSent(ctx context.Context, tx *sqlx.Tx, now time.Time, ids map[string]uuid.UUID,
	accounts []SnapshotAccount) error {
	var listed, balanced []uuid.UUID
	for _, a := range accounts {
		listed = append(listed, ids[a.ExternalID])
		if a.Balance != nil {
			balanced = append(balanced, ids[a.ExternalID])
		}
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE accounts
		SET sent_at = $2,
		    balance_at = CASE WHEN id = ANY ($4::uuid[]) THEN $2 ELSE balance_at END
		WHERE organization_id = $1
		  AND id = ANY ($3::uuid[])
		  AND sent_at IS DISTINCT FROM $2`,
		o.ID, now, uuids(listed), uuids(balanced))
	return err
}

// legacyAccount is an account of a legacy source as it is stored.
type legacyAccount struct {
	Place          string       `db:"place"` // where it stands in the table, while it is locked
	ID             uuid.UUID    `db:"id"`
	ExternalID     string       `db:"external_id"`
	Name           string       `db:"name"`
	Type           string       `db:"type"`
	Mask           string       `db:"mask"` // empty for none
	Currency       string       `db:"currency"`
	CurrentBalance money.Amount `db:"current_balance"` // of Currency
	Status         string       `db:"status"`
}

// byList is what a list makes of the accounts of a source: new ones, by their external ids, and those that are
// something else now, the ones that it leaves out among them.
func byList(known []legacyAccount, list []SnapshotAccount) (fresh, changed []legacyAccount) {
	byExternalID := make(map[string]legacyAccount, len(known))
	for _, a := range known {
		byExternalID[a.ExternalID] = a
	}
	listed := make(map[string]bool, len(list))
	for _, s := range list {
		listed[s.ExternalID] = true
		was, ok := byExternalID[s.ExternalID]
		switch is := s.over(was); {
		case !ok:
			is.ID = newID()
			fresh = append(fresh, is)
		case is != was:
			changed = append(changed, is)
		}
	}
	for _, a := range known {
		if !listed[a.ExternalID] && a.Status != AccountInactive {
			a.Status = AccountInactive
			changed = append(changed, a)
		}
	}
	slices.SortFunc(fresh, func(a, b legacyAccount) int { return strings.Compare(a.ExternalID, b.ExternalID) })
	return fresh, changed
}

// over is an account as a list has it, over what is stored of it; nothing is of a new one.
func (s SnapshotAccount) over(was legacyAccount) legacyAccount {
	is := legacyAccount{
		Place: was.Place, ID: was.ID, ExternalID: s.ExternalID, Name: s.Name, Type: s.Type, Mask: s.Mask,
		Currency:       s.Currency,
		CurrentBalance: was.CurrentBalance, Status: s.Status,
	}
	if is.Type == "" {
		is.Type = "other"
	}
	if s.Balance != nil {
		is.CurrentBalance = *s.Balance
	}
	if is.Status == "" {
		is.Status = AccountActive
		if was.Status == AccountDisabled {
			is.Status = AccountDisabled
		}
	}
	return is
}

// legacyColumns are accounts turned on their side, as unnest takes them.
type legacyColumns struct {
	places, ids, externalIDs, names, types, masks, currencies, statuses pq.StringArray
	balances                                                            pq.Int64Array
}

func legacyColumnsOf(accounts []legacyAccount) legacyColumns {
	var c legacyColumns
	for _, a := range accounts {
		c.places, c.ids, c.externalIDs = append(c.places, a.Place), append(c.ids, a.ID.String()),
			append(c.externalIDs, a.ExternalID)
		c.names, c.types, c.masks = append(c.names, a.Name), append(c.types, a.Type), append(c.masks, a.Mask)
		c.currencies, c.balances = append(c.currencies, a.Currency), append(c.balances, int64(a.CurrentBalance))
		c.statuses = append(c.statuses, a.Status)
	}
	return c
}

// updateLegacyAccounts writes locked rows where they stand. Looked up by key, one business of very many accounts among
// businesses of few would have the planner read all of it for each.
func (o *Organization) updateLegacyAccounts(ctx context.Context, tx *sqlx.Tx, now time.Time,
	accounts []legacyAccount) error {
	if len(accounts) == 0 {
		return nil
	}
	c := legacyColumnsOf(accounts)
	_, err := tx.ExecContext(ctx, `
		UPDATE accounts a
		SET name = u.name,
		    type = u.type,
		    mask = nullif(u.mask, ''),
		    currency = u.currency,
		    current_balance = u.balance,
		    status = u.status,
		    updated_at = $2
		FROM unnest($3::tid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::text[])
		  AS u (place, name, type, mask, currency, balance, status)
		WHERE a.ctid = u.place
		  AND a.organization_id = $1`,
		o.ID, now, c.places, c.names, c.types, c.masks, c.currencies, c.balances, c.statuses)
	return err
}

func (o *Organization) insertLegacyAccounts(ctx context.Context, tx *sqlx.Tx, now time.Time, source uuid.UUID,
	accounts []legacyAccount) error {
	c := legacyColumnsOf(accounts)
	_, err := tx.ExecContext(ctx, `
		INSERT INTO accounts (organization_id, source_id, id, external_id, name, type, mask, currency,
		  current_balance, status, created_at, updated_at)
		SELECT $1, $2, u.id, u.external_id, u.name, u.type, nullif(u.mask, ''), u.currency, u.balance, u.status, $3, $3
		FROM unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::text[])
		  WITH ORDINALITY AS u (id, external_id, name, type, mask, currency, balance, status, place)
		ORDER BY u.place`,
		o.ID, source, now, c.ids, c.externalIDs, c.names, c.types, c.masks, c.currencies, c.balances, c.statuses)
	return err
}

// replaceAggregationTokens keeps the tokens of the list and forgets all others of the source, whose accounts are
// given by their external ids. A sealed text differs each time, so a token is compared after it is opened; one that
// no key opens is replaced.
func (o *Organization) replaceAggregationTokens(ctx context.Context, tx *sqlx.Tx, now time.Time,
	keys seal.Keyring, ids map[string]uuid.UUID, accounts []SnapshotAccount) error {
	given := map[uuid.UUID]string{}
	for _, a := range accounts {
		if a.Token != "" {
			given[ids[a.ExternalID]] = a.Token
		}
	}
	gone, err := o.tokensGone(ctx, tx, keys, ids, given)
	if err != nil {
		return err
	}
	changed := inOrder(slices.Collect(maps.Keys(given)))
	sealed := make(pq.ByteaArray, len(changed))
	for i, account := range changed {
		sealed[i] = keys.Seal([]byte(given[account]), aggregationContext(o.ID, account))
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

// tokensGone are the accounts of a source that have a token and are given none. What is given and there already is
// taken out of what is given.
func (o *Organization) tokensGone(ctx context.Context, tx *sqlx.Tx, keys seal.Keyring, ids map[string]uuid.UUID,
	given map[uuid.UUID]string) (gone []uuid.UUID, err error) {
	var known []struct {
		AccountID uuid.UUID `db:"account_id"`
		Sealed    []byte    `db:"sealed"`
	}
	err = tx.SelectContext(ctx, &known, `
		SELECT account_id, sealed
		FROM aggregation_tokens
		WHERE organization_id = $1`,
		o.ID)
	mine := map[uuid.UUID]bool{}
	for _, id := range ids {
		mine[id] = true
	}
	for _, t := range known {
		token, ok := given[t.AccountID]
		opened, err := keys.Open(t.Sealed, aggregationContext(o.ID, t.AccountID))
		switch {
		case !mine[t.AccountID]: // of another source
		case !ok:
			gone = append(gone, t.AccountID)
		case err == nil && string(opened) == token:
			delete(given, t.AccountID)
		}
	}
	return gone, err
}
