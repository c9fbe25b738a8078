package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/bankfeed"
)

// FeedAccount is an account as the provider shows it.
type FeedAccount = bankfeed.Account

// FeedEffects is what became of an update.
type FeedEffects struct {
	Added, Changed, Removed int      // rows
	Elsewhere               int      // rows that another account of the source has; they stay there
	Unmatched               int      // rows of accounts that are none of the business's
	UnmatchedAccounts       []string // the provider's ids of these
}

// ApplyFeed stores an update of a feed that was taken: its rows, its cursor and the events of the accounts it
// changed, all or nothing. Rows go to the active accounts that carry the token now. What people decided about a row
// stays, a deletion too; a row that the provider took back is deleted until the provider has it again. ErrNotFound
// where the feed is no longer what was taken: its token changed, an account joined, or somebody else stored an
// update.
func (o *Organization) ApplyFeed(ctx context.Context, now time.Time, f Feed, u FeedUpdate) (FeedEffects, error) {
	var effects FeedEffects
	err := o.inTxAlone(ctx, func(tx *sqlx.Tx, locked []uuid.UUID) (err error) {
		effects, err = o.applyFeed(ctx, tx, now, locked, f, u)
		return err
	})
	return effects, err
}

func (o *Organization) applyFeed(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, f Feed,
	u FeedUpdate) (FeedEffects, error) {
	var effects FeedEffects
	members, err := o.feedMembers(ctx, tx, f)
	if err != nil {
		return effects, err
	}
	var accounts []uuid.UUID
	for _, m := range members {
		accounts = append(accounts, m.AccountID)
	}
	if slices.ContainsFunc(accounts, func(a uuid.UUID) bool { return !slices.Contains(locked, a) }) {
		return effects, &unlockedError{accounts: accounts}
	}
	seen, err := o.lockFeed(ctx, tx, f)
	if err != nil {
		return effects, err
	}
	fresh, seen := u.Unseen(seen)
	match(members, fresh, len(seen))
	if err := o.saveMembers(ctx, tx, members); err != nil {
		return effects, err
	}
	byAccount := map[string][]FeedRow{}
	for _, r := range u.Rows {
		byAccount[r.FeedAccount] = append(byAccount[r.FeedAccount], r)
	}
	for _, m := range members {
		if m.FeedAccount == "" {
			continue
		}
		if m.Active {
			if err := o.applyToMember(ctx, tx, now, locked, m, byAccount[m.FeedAccount], u, &effects); err != nil {
				return effects, err
			}
		}
		delete(byAccount, m.FeedAccount)
	}
	for account, rows := range byAccount {
		effects.Unmatched += len(rows)
		effects.UnmatchedAccounts = append(effects.UnmatchedAccounts, account)
	}
	slices.Sort(effects.UnmatchedAccounts)
	return effects, o.advanceFeed(ctx, tx, now, f, u, seen)
}

// lockFeed locks the feed, if it still is what was taken, and returns the provider's accounts that it has shown.
func (o *Organization) lockFeed(ctx context.Context, tx *sqlx.Tx, f Feed) ([]string, error) {
	var seen pq.StringArray
	err := tx.GetContext(ctx, &seen, `
		SELECT seen_accounts
		FROM aggregation_feeds
		WHERE organization_id = $1
		  AND fingerprint = $2
		  AND version = $3
		FOR UPDATE`,
		o.ID, f.Fingerprint, f.Version)
	return seen, err
}

func (o *Organization) advanceFeed(ctx context.Context, tx *sqlx.Tx, now time.Time, f Feed, u FeedUpdate,
	seen []string) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE aggregation_feeds
		SET cursor = $3,
		    version = version + 1,
		    attempts = CASE WHEN $4 THEN 0 ELSE attempts END,
		    error_code = NULL,
		    seen_accounts = $5,
		    next_at = $6,
		    synced_at = $7
		WHERE organization_id = $1
		  AND fingerprint = $2`,
		o.ID, f.Fingerprint, u.Cursor, u.Complete, pq.StringArray(seen), u.Next, now)
	return err
}

// applyToMember stores the rows of one account, and its event where anything changed.
func (o *Organization) applyToMember(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	m feedMember, rows []FeedRow, u FeedUpdate, effects *FeedEffects) error {
	for i := range rows {
		if rows[i].Currency == "" {
			rows[i].Currency = m.Currency
		}
	}
	stored, err := o.feedRows(ctx, tx, m, rows, u)
	if err != nil {
		return err
	}
	elsewhere := map[string]bool{}
	for _, s := range stored {
		if s.AccountID != m.AccountID {
			elsewhere[s.ExternalID] = true
		}
	}
	here := slices.DeleteFunc(stored, func(s feedStored) bool { return s.AccountID != m.AccountID })
	listed := len(rows)
	rows = slices.DeleteFunc(slices.Clone(rows), func(r FeedRow) bool { return elsewhere[r.ExternalID] })
	effects.Elsewhere += listed - len(rows)
	known := make([]bankfeed.Stored, len(here))
	for i, s := range here {
		known[i] = s.Stored
	}
	plan := bankfeed.PlanFor(m.FeedAccount, rows, u, known)
	if plan.Empty() {
		return nil
	}
	if err := o.saveFeedPlan(ctx, tx, now, locked, m, here, plan); err != nil {
		return err
	}
	effects.Added += len(plan.Insert)
	effects.Changed += len(plan.Change)
	effects.Removed += len(plan.Retract)
	return o.acceptFeed(ctx, tx, now, m.AccountID)
}

func (o *Organization) saveFeedPlan(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	m feedMember, stored []feedStored, p bankfeed.Plan) error {
	gone := idsAt(stored, p.Retract)
	if _, err := o.lockQuestions(ctx, tx, gone, nil, anyKind); err != nil {
		return err
	}
	if err := o.dissolve(ctx, tx, now, locked, m.AccountID, idsAt(stored, p.Legs)); err != nil {
		return err
	}
	if err := o.retractFeedRows(ctx, tx, now, gone); err != nil {
		return err
	}
	for batch := range slices.Chunk(p.Change, feedBatch) {
		if err := o.changeFeedRows(ctx, tx, now, stored, batch); err != nil {
			return err
		}
	}
	left := gone
	for _, c := range p.Change {
		left = append(left, stored[c.Stored].ID)
	}
	if err := o.refundsLeft(ctx, tx, now, locked, left); err != nil {
		return err
	}
	for batch := range slices.Chunk(p.Insert, feedBatch) {
		if err := o.insertFeedRows(ctx, tx, now, m, batch); err != nil {
			return err
		}
	}
	return nil
}
