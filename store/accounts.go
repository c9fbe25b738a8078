package store

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
)

// The states of an account.
const (
	AccountActive       = "active"
	AccountDisconnected = "disconnected" // deleted by an owner; comes back with its next upload
	AccountInactive     = "inactive"     // left out of a legacy snapshot
	AccountDisabled     = "disabled"     // disabled by a legacy snapshot
)

// AccountUpload is the complete current record of an account as a partner sends it.
type AccountUpload struct {
	ExternalID string
	Name       string
	Type       string
	Currency   string
	Balance    money.Amount // in Currency
}

// UploadedRecord names the row behind an uploaded record.
type UploadedRecord struct {
	ID         uuid.UUID `db:"id"`
	ExternalID string    `db:"external_id"`
}

// UploadAccounts creates or updates accounts in an API source, all or none; each external id may occur once. An
// account that was disconnected is active again. ErrSourceUnavailable.
func (o *Organization) UploadAccounts(ctx context.Context, now time.Time, source uuid.UUID,
	accounts []AccountUpload) ([]UploadedRecord, error) {
	sorted := slices.Clone(accounts)
	slices.SortFunc(sorted, func(a, b AccountUpload) int { return strings.Compare(a.ExternalID, b.ExternalID) })
	var records []UploadedRecord
	err := o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := o.shareConnectedSource(ctx, tx, source); err != nil {
			return err
		}
		var err error
		if records, err = o.upsertAccounts(ctx, tx, now, source, sorted); err != nil {
			return err
		}
		return o.db.record(ctx, tx, now, act{action: ActUpload, organization: o.ID, objectType: "source",
			objectID: source.String(), counts: quantities{"accounts": int64(len(records))}})
	})
	return records, err
}

// upsertAccounts writes every row: when an account was sent is news, too.
func (o *Organization) upsertAccounts(ctx context.Context, tx *sqlx.Tx, now time.Time, source uuid.UUID,
	sorted []AccountUpload) ([]UploadedRecord, error) {
	var ids, externalIDs, names, types, currencies pq.StringArray
	var balances pq.Int64Array
	for _, a := range sorted {
		ids = append(ids, newID().String())
		externalIDs = append(externalIDs, a.ExternalID)
		names = append(names, a.Name)
		types = append(types, a.Type)
		currencies = append(currencies, a.Currency)
		balances = append(balances, int64(a.Balance))
	}
	before, err := o.lockAccountsBy(ctx, tx, source, externalIDs)
	if err != nil {
		return nil, err
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO accounts AS a (organization_id, source_id, id, external_id, name, type, currency,
		  current_balance, status, created_at, updated_at, sent_at, balance_at)
		SELECT $1, $2, u.id, u.external_id, u.name, u.type, u.currency, u.balance, 'active', $3, $3, $3, $3
		FROM unnest($4::uuid[], $5::text[], $6::text[], $7::text[], $8::text[], $9::bigint[])
		  WITH ORDINALITY AS u (id, external_id, name, type, currency, balance, place)
		ORDER BY u.place
		ON CONFLICT ON CONSTRAINT accounts_external_id_key DO UPDATE
		SET name = excluded.name,
		    type = excluded.type,
		    currency = excluded.currency,
		    current_balance = excluded.current_balance,
		    status = 'active',
		    updated_at = CASE
		      WHEN (a.name, a.type, a.currency, a.current_balance, a.status)
		        IS DISTINCT FROM (excluded.name, excluded.type, excluded.currency, excluded.current_balance, 'active')
		      THEN excluded.updated_at ELSE a.updated_at END,
		    sent_at = excluded.sent_at,
		    balance_at = excluded.balance_at`,
		o.ID, source, now, ids, externalIDs, names, types, currencies, balances)
	if err != nil {
		return nil, err
	}
	if err := o.renamed(ctx, tx, now, before, sorted); err != nil {
		return nil, err
	}
	records := make([]UploadedRecord, 0, len(sorted))
	err = tx.SelectContext(ctx, &records, `
		SELECT a.id, a.external_id
		FROM unnest($3::text[]) AS u (external_id)
		CROSS JOIN LATERAL (
		  SELECT id, external_id
		  FROM accounts
		  WHERE organization_id = $1
		    AND source_id = $2
		    AND external_id = u.external_id
		  LIMIT 1) a`,
		o.ID, source, externalIDs)
	return records, err
}

// lockAccountsBy locks accounts of a source by its own ids of them, in the order of ours, as everywhere: they are
// written in that of theirs. It returns what they are called.
func (o *Organization) lockAccountsBy(ctx context.Context, tx *sqlx.Tx, source uuid.UUID,
	externalIDs pq.StringArray) (names map[string]string, err error) {
	var locked []struct {
		ExternalID string `db:"external_id"`
		Name       string `db:"name"`
	}
	err = tx.SelectContext(ctx, &locked, `
		SELECT external_id, name
		FROM accounts
		WHERE organization_id = $1
		  AND source_id = $2
		  AND external_id = ANY ($3::text[])
		ORDER BY id
		FOR NO KEY UPDATE`,
		o.ID, source, externalIDs)
	names = make(map[string]string, len(locked))
	for _, a := range locked {
		names[a.ExternalID] = a.Name
	}
	return names, err
}

// renamed has the rows of the business decided anew where an account, new or not, says by its name now, and did not
// before, that it holds what belongs to others, or that a payment service keeps it, or the reverse: whose money other
// accounts get, and what comes from there, is in no line of theirs. A business without rows has none.
func (o *Organization) renamed(ctx context.Context, tx *sqlx.Tx, now time.Time, before map[string]string,
	accounts []AccountUpload) error {
	if !slices.ContainsFunc(accounts, func(a AccountUpload) bool {
		was := before[a.ExternalID]
		return categorize.HeldForOthers(was) != categorize.HeldForOthers(a.Name) ||
			categorize.ServiceOf(was) != categorize.ServiceOf(a.Name)
	}) {
		return nil
	}
	var some bool
	err := tx.GetContext(ctx, &some, `
		SELECT EXISTS (
		  SELECT
		  FROM transactions
		  WHERE organization_id = $1)`,
		o.ID)
	if err != nil || !some {
		return err
	}
	return o.queueAll(ctx, tx, now)
}

// DeleteAccount disconnects an account of whatever source and keeps its transactions. Repeating it succeeds. When the
// last active account of an API source goes, the source is revoked. ErrNotFound.
func (o *Organization) DeleteAccount(ctx context.Context, now time.Time, account uuid.UUID) error {
	return o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		var source uuid.UUID
		err := tx.GetContext(ctx, &source, `
			SELECT source_id
			FROM accounts
			WHERE organization_id = $1
			  AND id = $2`,
			o.ID, account)
		if err != nil {
			return err
		}
		// The source first, as in an upload of accounts, so that none can add an active account meanwhile.
		if err := o.lockSource(ctx, tx, source); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `
			UPDATE accounts
			SET status = 'disconnected',
			    updated_at = $3
			WHERE organization_id = $1
			  AND id = $2
			  AND status <> 'disconnected'`,
			o.ID, account, now)
		if err != nil {
			return err
		}
		// A late retry must not revoke a source that was connected again meanwhile.
		if changed, err := result.RowsAffected(); err != nil || changed == 0 {
			return err
		}
		if err := o.revokeUnused(ctx, tx, now, source); err != nil {
			return err
		}
		return o.db.record(ctx, tx, now, act{action: ActDelete, organization: o.ID, objectType: "account",
			objectID: account.String(), counts: quantities{"accounts": 1}})
	})
}

// Account is a bank account with what is known of its transactions.
type Account struct {
	ID               uuid.UUID    `db:"id"`
	ExternalID       string       `db:"external_id"`
	SourceID         uuid.UUID    `db:"source_id"`
	SourceKind       string       `db:"source_kind"`
	Name             string       `db:"name"`
	Type             string       `db:"type"`
	Mask             *string      `db:"mask"`
	Currency         string       `db:"currency"`
	CurrentBalance   money.Amount `db:"current_balance"`
	Status           string       `db:"status"`
	LastUploadAt     *time.Time   `db:"last_upload_at"` // of its transactions
	SentAt           *time.Time   `db:"sent_at"`        // the account itself
	BalanceAt        *time.Time   `db:"balance_at"`     // nil where that is not known
	HasLimited       bool         `db:"has_limited"`    // rows that wait for a new month or a higher tier
	LastProcessedAt  *time.Time   `db:"last_processed_at"`
	HasPendingWork   bool         `db:"has_pending_work"`
	TransactionCount int64        `db:"transaction_count"`
	FirstDate        *time.Time   `db:"first_date"`
	LastDate         *time.Time   `db:"last_date"`
}

// accountCounts are those of an account a, as its rows are at this moment.
const accountCounts = `
		  SELECT coalesce(sum(transactions), 0) AS transaction_count,
		         coalesce(sum(limited), 0) AS limited,
		         coalesce(sum(queued), 0) AS queued
		  FROM (
		    SELECT transactions, limited, queued
		    FROM transaction_counts
		    WHERE organization_id = (SELECT $1::uuid)
		      AND account_id = a.id
		    UNION ALL
		    SELECT transactions, limited, queued
		    FROM transaction_counts_added
		    WHERE organization_id = (SELECT $1::uuid)
		      AND account_id = a.id) n`

// accountDates are the first and the last day of its rows, of those in each state that has some by accountCounts c:
// each state is indexed apart, and its index is slow to say that it holds nothing any more.
var accountDates = func() string {
	var ends []string
	for _, state := range []struct{ name, some string }{
		{"processed", "c.transaction_count > c.limited + c.queued"},
		{"limited", "c.limited > 0"},
		{"queued", "c.queued > 0"},
	} {
		for _, order := range []string{"primary_date", "primary_date DESC"} {
			ends = append(ends, fmt.Sprintf(`(
		    SELECT primary_date
		    FROM transactions
		    WHERE organization_id = (SELECT $1::uuid)
		      AND account_id = a.id
		      AND deleted_at IS NULL
		      AND processing = '%s'
		      AND %s
		    ORDER BY %s
		    LIMIT 1)`, state.name, state.some, order))
		}
	}
	return `
		  SELECT min(primary_date) AS first_date, max(primary_date) AS last_date
		  FROM (` + strings.Join(ends, `
		    UNION ALL `) + `) ends`
}()

// Accounts lists accounts by name and then id: the active ones, or inactive ones too. ErrCursor.
func (o *Organization) Accounts(ctx context.Context, includeInactive bool, p Page) (List[Account], error) {
	filters := o.list(map[string]bool{"accounts": includeInactive})
	after, err := p.after(filters)
	if err != nil {
		return List[Account]{}, err
	}
	var last *uuid.UUID
	if after != nil {
		last = &after.id
	}
	var accounts []Account
	err = o.prepared().SelectContext(ctx, &accounts, `
		SELECT a.*, c.transaction_count, d.first_date, d.last_date
		FROM (
		  SELECT a.id, a.external_id, a.source_id, s.kind AS source_kind, a.name, a.type, a.mask, a.currency,
		         a.current_balance, a.status, a.last_upload_at, a.sent_at, a.balance_at, a.last_processed_at,
		         w.account_id IS NOT NULL AS has_pending_work,
		         EXISTS (
		           SELECT
		           FROM limited_accounts l
		           WHERE l.organization_id = $1
		             AND l.account_id = a.id) AS has_limited
		  FROM accounts a
		  JOIN sources s ON s.organization_id = a.organization_id AND s.id = a.source_id
		  LEFT JOIN pending_work w ON w.organization_id = a.organization_id AND w.account_id = a.id
		  WHERE a.organization_id = $1
		    AND (a.status = 'active' OR $2)
		    AND ($3::uuid IS NULL OR (a.name, a.id) > (
		      SELECT name, id
		      FROM accounts
		      WHERE organization_id = $1
		        AND id = $3::uuid))
		  ORDER BY a.name, a.id
		  LIMIT $4) a
		CROSS JOIN LATERAL (`+accountCounts+`) c
		CROSS JOIN LATERAL (`+accountDates+`) d
		ORDER BY a.name, a.id`,
		o.ID, includeInactive, last, p.Limit+1)
	if err != nil {
		return List[Account]{}, translate(ctx, err)
	}
	return listOf(accounts, p, filters, func(a Account) cursor { return cursor{id: a.ID, at: time.Unix(0, 0)} }), nil
}

// mostNames is how many names of accounts are read: the accounts of who has more tell nothing beyond them.
const mostNames = 1000

// AccountNames are the names of the accounts, deleted ones too, the first mostNames in their order.
func (o *Organization) AccountNames(ctx context.Context) ([]string, error) {
	var names []string
	err := o.prepared().SelectContext(ctx, &names, `
		SELECT name
		FROM accounts
		WHERE organization_id = $1
		ORDER BY name
		LIMIT $2`,
		o.ID, mostNames)
	return names, translate(ctx, err)
}
