package store

import (
	"context"
	"database/sql"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/bankfeed"
)

// FeedUpdate is what a feed gave after its cursor, up to the next.
type FeedUpdate = bankfeed.Update

// FeedRow is the provider's record of a transaction, by the rules of this service.
type FeedRow = bankfeed.Row

// feedBatch is how many rows of a feed one statement writes: the first update of a feed may hold years.
const feedBatch = 1000

// feedStored is a stored row that matters to an update.
type feedStored struct {
	ID        uuid.UUID `db:"id"`
	AccountID uuid.UUID `db:"account_id"`
	bankfeed.Stored
}

// idsAt are the ids of rows by their places.
func idsAt(stored []feedStored, places []int) []uuid.UUID {
	var ids []uuid.UUID
	for _, i := range places {
		ids = append(ids, stored[i].ID)
	}
	return ids
}

// selectFeedRows reads a feedStored; bank is what bankfeed makes of a row of the provider's too, byte for byte.
const selectFeedRows = `
	SELECT t.id, t.account_id, t.external_id, coalesce(t.feed_account, '') AS feed_account, t.amount, t.currency,
	  t.processed_date, t.description,
	       ` + bankText + ` AS bank,
	       t.pending, t.deleted_at IS NOT NULL AS deleted, t.withdrawn_at IS NOT NULL AS withdrawn,
	       t.transfer_id IS NOT NULL AS paired`

// feedRows finds the stored rows that an update speaks of, in any account of the source, and where the update lists
// everything, all of the account since the first day that it lists, or a little before.
func (o *Organization) feedRows(ctx context.Context, tx *sqlx.Tx, m feedMember, rows []FeedRow,
	u FeedUpdate) ([]feedStored, error) {
	seen := map[string]bool{"": true}
	var ids pq.StringArray
	add := func(id string) {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	for _, r := range rows {
		add(r.ExternalID)
		add(r.PendingID)
	}
	for _, id := range u.Removed {
		add(id)
	}
	var stored []feedStored
	err := tx.SelectContext(ctx, &stored, selectFeedRows+`
		FROM unnest($3::text[]) AS u (external_id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND source_id = $2
		    AND external_id = u.external_id
		  LIMIT 1) t`,
		o.ID, m.SourceID, ids)
	if err != nil || !u.Whole || len(rows) == 0 {
		return stored, err
	}
	var since []feedStored
	err = tx.SelectContext(ctx, &since, selectFeedRows+`
		FROM transactions t
		WHERE t.organization_id = $1
		  AND t.account_id = $2
		  AND t.processed_date >= $3
		ORDER BY t.processed_date, t.external_id`,
		o.ID, m.AccountID, bankfeed.Since(rows))
	for _, s := range since {
		if !seen[s.ExternalID] {
			stored = append(stored, s)
		}
	}
	return stored, err
}

// retractFeedRows deletes rows that the provider took back.
func (o *Organization) retractFeedRows(ctx context.Context, tx *sqlx.Tx, now time.Time, rows []uuid.UUID) error {
	if len(rows) == 0 {
		return nil
	}
	err := o.writeLines(ctx, tx, rows, `
		UPDATE transactions t
		SET deleted_at = $3,
		    withdrawn_at = $3,
		    revision = revision + 1,
		    updated_at = $3
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])`,
		o.ID, uuids(rows), now)
	if err != nil {
		return err
	}
	if err := o.spreadLater(ctx, tx, rows); err != nil {
		return err
	}
	return o.closeQuestions(ctx, tx, now, rows, anyKind)
}

// feedColumns is rows of a feed turned on their side, as unnest takes them.
type feedColumns struct {
	ids, externalIDs, feedAccounts, processed, descriptions, currencies pq.StringArray
	authorized                                                          []sql.NullString // days
	amounts                                                             pq.Int64Array
	pendings                                                            pq.BoolArray
}

func (c *feedColumns) add(id uuid.UUID, r FeedRow) {
	c.ids = append(c.ids, id.String())
	c.externalIDs = append(c.externalIDs, r.ExternalID)
	c.feedAccounts = append(c.feedAccounts, r.FeedAccount)
	c.processed = append(c.processed, r.ProcessedDate)
	c.authorized = append(c.authorized, sql.NullString{String: r.AuthorizedDate, Valid: r.AuthorizedDate != ""})
	c.descriptions = append(c.descriptions, r.Description)
	c.currencies = append(c.currencies, r.Currency)
	c.amounts = append(c.amounts, int64(r.Amount))
	c.pendings = append(c.pendings, r.Pending)
}

// changeFeedRows writes what a bank says of rows, as an upload does, and brings back the ones that the provider had
// taken back: these are decided anew, since their questions closed with them.
func (o *Organization) changeFeedRows(ctx context.Context, tx *sqlx.Tx, now time.Time, stored []feedStored,
	batch []bankfeed.Change) error {
	var c feedColumns
	var ids []uuid.UUID
	for _, change := range batch {
		ids = append(ids, stored[change.Stored].ID)
		c.add(stored[change.Stored].ID, change.Row)
	}
	err := o.writeLines(ctx, tx, ids, `
		UPDATE transactions t
		SET external_id = u.external_id,
		    feed_account = u.feed_account,
		    amount = u.amount,
		    authorized_date = u.authorized,
		    processed_date = u.processed,
		    description = u.description,
		    merchant = CASE WHEN t.description = u.description THEN t.merchant END, -- it was read in the old words
		    pending = u.pending,
		    currency = u.currency,
		    deleted_at = CASE WHEN t.withdrawn_at IS NULL THEN t.deleted_at END,
		    withdrawn_at = NULL,
		    processing = CASE WHEN t.withdrawn_at IS NOT NULL OR `+judgedAnew("coalesce(u.authorized, u.processed)")+`
		      THEN 'queued' ELSE t.processing END,
		    revision = t.revision + 1,
		    updated_at = $2
		FROM unnest($3::uuid[], $4::text[], $5::text[], $6::bigint[], $7::date[], $8::date[], $9::text[],
		  $10::boolean[], $11::text[])
		  AS u (id, external_id, feed_account, amount, authorized, processed, description, pending, currency)
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = u.id`,
		o.ID, now, c.ids, c.externalIDs, c.feedAccounts, c.amounts, pq.Array(c.authorized), c.processed, c.descriptions,
		c.pendings, c.currencies)
	if err != nil {
		return err
	}
	return o.redivide(ctx, tx, ids)
}

func (o *Organization) insertFeedRows(ctx context.Context, tx *sqlx.Tx, now time.Time, m feedMember,
	batch []FeedRow) error {
	var c feedColumns
	for _, r := range batch {
		c.add(newID(), r)
	}
	if _, err := o.ledgerOf(ctx, tx); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO transactions (organization_id, source_id, account_id, created_at, updated_at,
		  id, external_id, feed_account, amount, authorized_date, processed_date, description, pending, currency)
		SELECT $1, $2, $3, $4, $4,
		       u.id, u.external_id, u.feed_account, u.amount, u.authorized, u.processed,
		         u.description, u.pending, u.currency
		FROM unnest($5::uuid[], $6::text[], $7::text[], $8::bigint[], $9::date[], $10::date[], $11::text[],
		  $12::boolean[], $13::text[])
		  WITH ORDINALITY AS u (id, external_id, feed_account, amount, authorized, processed, description, pending,
		    currency, place)
		ORDER BY u.place`,
		o.ID, m.SourceID, m.AccountID, now, c.ids, c.externalIDs, c.feedAccounts, c.amounts, pq.Array(c.authorized),
		c.processed, c.descriptions, c.pendings, c.currencies)
	if err != nil {
		return err
	}
	pending := 0
	for _, r := range batch {
		if r.Pending {
			pending++
		}
	}
	return o.came(ctx, tx, m.AccountID, len(batch), pending)
}
