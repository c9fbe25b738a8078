package store

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/seal"
)

// Feed is what one aggregation token of a business gives, taken by somebody who syncs it. Several accounts of a person
// may carry the same token: they share one feed.
type Feed struct {
	OrganizationID uuid.UUID `db:"organization_id"`
	Fingerprint    []byte    `db:"fingerprint"` // of the token
	Cursor         string    `db:"cursor"`      // the provider's, after the last update that was stored; empty at the start
	Version        int64     `db:"version"`     // what is stored of the feed is stored over this version alone
	Attempts       int       `db:"attempts"`    // since the last success, this one included
	Snapshots      int64     `db:"snapshots"`   // of its person that were applied so far
}

// fingerprintOf names a token without telling it. Tokens are random, so nothing is to be guessed.
func fingerprintOf(organization uuid.UUID, token []byte) []byte {
	sum := sha256.Sum256(append([]byte("aggregation feed\n"+organization.String()+"\n"), token...))
	return sum[:]
}

// EnrolFeeds has accounts with a token take part in its feed: new ones, changed ones, and those that are active
// again. A feed starts anew with each account that joins, because what it gave before was not kept for that account.
// It returns the accounts whose token no key opens, also where others fail.
func (d *DB) EnrolFeeds(ctx context.Context, now time.Time, keys seal.Keyring) (unopened []uuid.UUID, err error) {
	// Those that no key opens wait for ever, so the order is none.
	waiting := d.longest(ctx, `
		SELECT t.organization_id, random() AS since
		FROM aggregation_tokens t
		JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
		WHERE NOT t.joined
		  AND (t.fingerprint IS NULL OR a.status = 'active')
		GROUP BY t.organization_id`)
	err = d.inPieces(ctx, "tokens", waiting, func(ctx context.Context, p piece) error {
		var tokens []struct {
			OrganizationID uuid.UUID `db:"organization_id"`
			AccountID      uuid.UUID `db:"account_id"`
		}
		err := d.db.SelectContext(ctx, &tokens, `
			SELECT t.organization_id, t.account_id
			FROM aggregation_tokens t
			JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
			WHERE NOT t.joined`+p.of("t.organization_id")+p.of("a.organization_id")+`
			  AND (t.fingerprint IS NULL OR a.status = 'active')
			ORDER BY t.organization_id, t.account_id`)
		if err != nil {
			return err
		}
		for _, t := range tokens {
			opened, err := d.Organization(t.OrganizationID).enrol(ctx, now, keys, t.AccountID)
			if err != nil {
				return err
			}
			if !opened {
				unopened = append(unopened, t.AccountID)
			}
		}
		return nil
	})
	return unopened, err
}

// enrol looks at the token of one account. Every account with the token counts when rows are matched to accounts;
// only an active one joins.
func (o *Organization) enrol(ctx context.Context, now time.Time, keys seal.Keyring,
	account uuid.UUID) (opened bool, err error) {
	err = o.db.inTx(ctx, func(tx *sqlx.Tx) error {
		opened = true
		var token struct {
			Sealed      []byte `db:"sealed"`
			Fingerprint []byte `db:"fingerprint"`
			Joins       bool   `db:"joins"`
		}
		// A snapshot locks the account before it changes the token, too.
		if err := o.lockAccounts(ctx, tx, []uuid.UUID{account}); err != nil {
			return err
		}
		err := tx.GetContext(ctx, &token, `
			SELECT t.sealed, t.fingerprint, a.status = 'active' AND NOT t.joined AS joins
			FROM aggregation_tokens t
			JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
			WHERE t.organization_id = $1
			  AND t.account_id = $2`,
			o.ID, account)
		if translate(ctx, err) == ErrNotFound {
			return nil // cleared meanwhile
		}
		if err != nil {
			return err
		}
		if token.Fingerprint == nil {
			plain, err := keys.Open(token.Sealed, aggregationContext(o.ID, account))
			if err != nil {
				opened = false
				return nil
			}
			token.Fingerprint = fingerprintOf(o.ID, plain)
		}
		return o.joinFeed(ctx, tx, now, account, token.Fingerprint, token.Joins)
	})
	return opened, err
}

// joinFeed names the feed of an account's token, and has the account join it.
func (o *Organization) joinFeed(ctx context.Context, tx *sqlx.Tx, now time.Time, account uuid.UUID,
	fingerprint []byte, joins bool) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO aggregation_feeds AS f (organization_id, fingerprint, next_at, created_at)
		VALUES ($1, $2, $3, $3)
		ON CONFLICT ON CONSTRAINT aggregation_feeds_pkey DO UPDATE
		SET cursor = '',
		    version = f.version + 1,
		    state = 'active',
		    error_code = NULL,
		    attempts = 0,
		    seen_accounts = '{}',
		    next_at = excluded.next_at
		WHERE $4`,
		o.ID, fingerprint, now, joins)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE aggregation_tokens
		SET fingerprint = $3,
		    joined = joined OR $4
		WHERE organization_id = $1
		  AND account_id = $2`,
		o.ID, account, fingerprint, joins)
	return err
}

// ClaimDueFeeds takes up to limit feeds of active accounts that are due, the longest due first, and puts each off by
// the lease, so that it is taken again if nobody finishes it. Claims in any number of processes never take the same
// one at once. It returns those that it took also where others fail.
func (d *DB) ClaimDueFeeds(ctx context.Context, now time.Time, lease time.Duration, limit int) (feeds []Feed,
	err error) {
	waiting := d.longest(ctx, `
		SELECT d.organization_id, min(d.next_at) AS since
		FROM aggregation_feeds d
		JOIN aggregation_tokens t ON t.organization_id = d.organization_id AND t.fingerprint = d.fingerprint
		JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
		WHERE d.state = 'active'
		  AND d.next_at <= $1
		  AND t.joined
		  AND a.status = 'active'
		GROUP BY d.organization_id`,
		now)
	err = d.inPieces(ctx, "due feeds", waiting, func(ctx context.Context, p piece) error {
		var some []Feed
		if len(feeds) >= limit {
			return nil
		}
		err := d.db.SelectContext(ctx, &some, `
			UPDATE aggregation_feeds f
			SET attempts = f.attempts + 1,
			    next_at = $2
			FROM (
			  SELECT organization_id, fingerprint
			  FROM aggregation_feeds d
			  WHERE state = 'active'
			    AND next_at <= $1`+p.of("d.organization_id")+`
			    AND EXISTS (
			      SELECT
			      FROM aggregation_tokens t
			      JOIN accounts a ON a.organization_id = t.organization_id AND a.id = t.account_id
			      WHERE t.organization_id = d.organization_id`+p.of("t.organization_id")+p.of("a.organization_id")+`
			        AND t.fingerprint = d.fingerprint
			        AND t.joined
			        AND a.status = 'active')
			  ORDER BY next_at
			  LIMIT $3
			  FOR UPDATE OF d SKIP LOCKED) due
			WHERE f.organization_id = due.organization_id`+p.of("f.organization_id")+`
			  AND f.fingerprint = due.fingerprint
			RETURNING f.organization_id, f.fingerprint, f.cursor, f.version, f.attempts, f.snapshots`,
			now, now.Add(lease), limit-len(feeds))
		feeds = append(feeds, some...)
		return err
	})
	return feeds, err
}

// FeedToken opens the token of a feed. ErrNotFound where no account carries it any more.
func (o *Organization) FeedToken(ctx context.Context, keys seal.Keyring, f Feed) (string, error) {
	var carrier struct {
		AccountID uuid.UUID `db:"account_id"`
		Sealed    []byte    `db:"sealed"`
	}
	err := o.reader().GetContext(ctx, &carrier, `
		SELECT account_id, sealed
		FROM aggregation_tokens
		WHERE organization_id = $1
		  AND fingerprint = $2
		ORDER BY account_id
		LIMIT 1`,
		o.ID, f.Fingerprint)
	if err != nil {
		return "", translate(ctx, err)
	}
	token, err := keys.Open(carrier.Sealed, aggregationContext(o.ID, carrier.AccountID))
	if err != nil {
		return "", fmt.Errorf("store: aggregation token: %w", err)
	}
	if !bytes.Equal(fingerprintOf(o.ID, token), f.Fingerprint) {
		return "", ErrNotFound
	}
	return string(token), nil
}

// PutOffFeed has a taken feed synced again at a time, and keeps the provider's error code, if any. ErrNotFound where
// the feed is no longer what was taken.
func (o *Organization) PutOffFeed(ctx context.Context, f Feed, errorCode string, at time.Time) error {
	return o.changeFeed(ctx, f, `next_at = $4, error_code = nullif($5, '')`, at, errorCode)
}

// StopFeed ends the syncs of a taken feed until its token changes, another account joins it, or a snapshot of its
// person is applied; where that happened after the feed was taken, it is due at once. ErrNotFound where the feed is
// no longer what was taken.
func (o *Organization) StopFeed(ctx context.Context, now time.Time, f Feed, errorCode string) error {
	return o.changeFeed(ctx, f, `
		state = CASE WHEN snapshots = $4 THEN 'stopped' ELSE state END,
		next_at = $5,
		error_code = nullif($6, '')`,
		f.Snapshots, now, errorCode)
}

// changeFeed writes columns of the feed that was taken; assignments number their values from $4.
func (o *Organization) changeFeed(ctx context.Context, f Feed, assignments string, values ...any) error {
	result, err := o.db.db.ExecContext(ctx, `
		UPDATE aggregation_feeds
		SET `+assignments+`
		WHERE organization_id = $1
		  AND fingerprint = $2
		  AND version = $3`,
		append([]any{o.ID, f.Fingerprint, f.Version}, values...)...)
	return changedOne(ctx, result, err)
}

// tidyFeeds follows a snapshot that changed the tokens of a business: feeds without a token are forgotten, and a
// stopped one is tried again, since the provider keeps the token when a person repairs their login. The accounts are
// locked, so none joins a feed meanwhile.
func (o *Organization) tidyFeeds(ctx context.Context, tx *sqlx.Tx, now time.Time) error {
	_, err := tx.ExecContext(ctx, `
		DELETE FROM aggregation_feeds f
		WHERE organization_id = $1
		  AND NOT EXISTS (
		    SELECT
		    FROM aggregation_tokens t
		    WHERE t.organization_id = $1
		      AND t.fingerprint = f.fingerprint)`,
		o.ID)
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE aggregation_feeds
		SET snapshots = snapshots + 1,
		    attempts = CASE WHEN state = 'stopped' THEN 0 ELSE attempts END,
		    next_at = CASE WHEN state = 'stopped' THEN $2 ELSE next_at END,
		    state = 'active'
		WHERE organization_id = $1`,
		o.ID, now)
	return err
}

// aggregationContext is what a sealed token is bound to.
func aggregationContext(organization, account uuid.UUID) string {
	return "aggregation/" + organization.String() + "/" + account.String()
}
