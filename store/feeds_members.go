package store

import (
	"context"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// FeedAccount is an account as the provider shows it.
type FeedAccount struct {
	ID   string // the provider's
	Mask string // the last digits of the account number; may be empty
}

// feedMember is an account of the business that carries the token of a feed.
type feedMember struct {
	AccountID   uuid.UUID `db:"account_id"`
	SourceID    uuid.UUID `db:"source_id"`
	ExternalID  string    `db:"external_id"`
	Mask        string    `db:"mask"`
	Currency    string    `db:"currency"`
	Active      bool      `db:"active"`
	FeedAccount string    `db:"feed_account"` // the provider's account that it is; empty where that is not known
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

// match finds out which of the provider's accounts each member is. A partner's id of an account may be the provider's
// own, and then says it. Else the last digits of the account number do, where no other account on either side shares
// them. Else a token's only account is the only account that the provider has shown, unless their digits differ. What is
// found stays while the token does. fresh are the accounts to be matched: an account that was passed over before has lost
// rows, and is matched only when a feed starts anew.
func match(members []feedMember, fresh []FeedAccount, seen int) {
	taken := map[string]bool{}
	for _, m := range members {
		taken[m.FeedAccount] = true
	}
	fresh = slices.DeleteFunc(slices.Clone(fresh), func(a FeedAccount) bool { return taken[a.ID] })
	free := func(a FeedAccount) bool { return !taken[a.ID] }
	take := func(m *feedMember, a FeedAccount) {
		m.FeedAccount = a.ID
		taken[a.ID] = true
	}
	for i := range members {
		m := &members[i]
		if at := slices.IndexFunc(fresh, func(a FeedAccount) bool { return a.ID == m.ExternalID }); at >= 0 && m.FeedAccount == "" && free(fresh[at]) {
			take(m, fresh[at])
		}
	}
	open := slices.DeleteFunc(slices.Clone(fresh), func(a FeedAccount) bool { return !free(a) })
	var pairs [][2]int
	for i, m := range members {
		for j, a := range open {
			if m.FeedAccount == "" && sameDigits(m.Mask, a.Mask) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	for _, p := range pairs {
		shared := func(q [2]int) bool { return q != p && (q[0] == p[0] || q[1] == p[1]) }
		if !slices.ContainsFunc(pairs, shared) {
			take(&members[p[0]], open[p[1]])
		}
	}
	if len(members) == 1 && seen == 1 && len(open) == 1 && members[0].FeedAccount == "" && !otherDigits(members[0].Mask, open[0].Mask) {
		take(&members[0], open[0])
	}
}

// sameDigits compares the ends of account numbers, of which one side may know fewer digits: at least two.
func sameDigits(a, b string) bool {
	return min(len(a), len(b)) >= 2 && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a))
}

func otherDigits(a, b string) bool { return min(len(a), len(b)) >= 2 && !sameDigits(a, b) }

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
		  AND (t.feed_account, t.joined) IS DISTINCT FROM (nullif(u.feed_account, ''), t.joined AND a.status = 'active')`,
		o.ID, uuids(ids), feedAccounts)
	return err
}
