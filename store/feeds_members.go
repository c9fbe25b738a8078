package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/bankfeed"
)

// feedMember is an account of the business that carries the token of a feed.
type feedMember struct {
	AccountID uuid.UUID `db:"account_id"`
	SourceID  uuid.UUID `db:"source_id"`
	Currency  string    `db:"currency"`
	Active    bool      `db:"active"`
	bankfeed.Member
}

func (o *Organization) feedMembers(ctx context.Context, tx *sqlx.Tx, f Feed) ([]feedMember, error) {
	var members []feedMember
	err := tx.SelectContext(ctx, &members, `
		SELECT a.id AS account_id, a.source_id, a.external_id, coalesce(a.mask, '') AS mask, a.currency,
		       a.status = 'active' AS active, coalesce(t.feed_account, '') AS feed_account
		FROM aggregation_tokens t
		JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
		WHERE t.organization_id = $1
		  AND t.fingerprint = $2
		ORDER BY a.id`,
		o.ID, f.Fingerprint)
	return members, err
}

// match finds out which of the provider's accounts each member is.
func match(members []feedMember, fresh []bankfeed.Account, seen int) {
	known := make([]bankfeed.Member, len(members))
	for i, m := range members {
		known[i] = m.Member
	}
	for i, m := range bankfeed.Match(known, fresh, seen) {
		members[i].Member = m
	}
}

// saveMembers stores which of the provider's accounts each member is. A member that is not active has missed an update.
func (o *Organization) saveMembers(ctx context.Context, tx *sqlx.Tx, members []feedMember) error {
	var ids []uuid.UUID
	var feedAccounts pq.StringArray
	for _, m := range members {
		ids, feedAccounts = append(ids, m.AccountID), append(feedAccounts, m.FeedAccount)
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE aggregation_tokens t
		SET feed_account = nullif(u.feed_account, ''),
		    joined = t.joined AND a.status = 'active'
		FROM unnest($2::uuid[], $3::text[]) AS u (account_id, feed_account)
		JOIN accounts a ON a.organization_id = $1 AND a.id = u.account_id
		WHERE t.organization_id = $1
		  AND t.account_id = u.account_id
		  AND (t.feed_account, t.joined)
		    IS DISTINCT FROM (nullif(u.feed_account, ''), t.joined AND a.status = 'active')`,
		o.ID, uuids(ids), feedAccounts)
	return err
}
