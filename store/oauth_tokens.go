package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// OAuthToken is an opaque access token of a person. The token itself is never stored, only its hash.
type OAuthToken struct {
	ID        string // of the token; empty for those of issuers
	PersonID  uuid.UUID
	Scopes    []string
	ExpiresAt time.Time
	GrantID   uuid.UUID // what the person agreed to, and its limits; zero for those that have none
}

// SaveOAuthToken stores a token. ErrNotFound for an unknown person.
func (d *DB) SaveOAuthToken(ctx context.Context, now time.Time, token string, t OAuthToken) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `
			INSERT INTO oauth_tokens (hash, person_id, scopes, created_at, expires_at)
			VALUES ($1, $2, $3, $4, $5)`,
			tokenHash(token), t.PersonID, pq.Array(t.Scopes), now, t.ExpiresAt)
		if err != nil {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActMint, objectType: "token", objectID: TokenID(token),
			person: t.PersonID, counts: quantities{"tokens": 1}})
	})
}

// OAuthToken finds a token that is neither expired nor revoked. ErrInvalidCredential.
func (d *DB) OAuthToken(ctx context.Context, now time.Time, token string) (OAuthToken, error) {
	var row struct {
		PersonID  uuid.UUID      `db:"person_id"`
		Scopes    pq.StringArray `db:"scopes"`
		ExpiresAt time.Time      `db:"expires_at"`
	}
	err := d.db.GetContext(ctx, &row, `
		SELECT person_id, scopes, expires_at
		FROM oauth_tokens
		WHERE hash = $1
		  AND expires_at > $2
		  AND revoked_at IS NULL`,
		tokenHash(token), now)
	if err := translate(ctx, err); err == ErrNotFound {
		return OAuthToken{}, ErrInvalidCredential
	} else if err != nil {
		return OAuthToken{}, err
	}
	return OAuthToken{ID: TokenID(token), PersonID: row.PersonID, Scopes: row.Scopes, ExpiresAt: row.ExpiresAt}, nil
}

// RevokeOAuthToken ends a token. Repeating it succeeds. ErrNotFound for an unknown token.
func (d *DB) RevokeOAuthToken(ctx context.Context, now time.Time, token string) error {
	return d.RevokeOAuthTokenByID(ctx, now, TokenID(token))
}

// RevokeOAuthTokenByID ends a token that is known by its id alone. Repeating it succeeds. ErrNotFound for an unknown
// one.
func (d *DB) RevokeOAuthTokenByID(ctx context.Context, now time.Time, id string) error {
	from, to, ok := hashesOf(id)
	if !ok {
		return ErrNotFound
	}
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		var person uuid.UUID
		err := tx.GetContext(ctx, &person, `
			UPDATE oauth_tokens
			SET revoked_at = coalesce(revoked_at, $3)
			WHERE hash BETWEEN $1 AND $2
			RETURNING person_id`,
			from, to, now)
		if err != nil {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActRevokeToken, objectType: "token", objectID: id, person: person,
			counts: quantities{"tokens": 1}})
	})
}

// RevokeOAuthTokensOf ends all tokens of a person and returns how many were valid. ErrNotFound for an unknown person.
func (d *DB) RevokeOAuthTokensOf(ctx context.Context, now time.Time, person uuid.UUID) (revoked int64, err error) {
	if _, err := d.Person(ctx, person); err != nil {
		return 0, err
	}
	err = d.inTx(ctx, func(tx *sqlx.Tx) error {
		result, err := tx.ExecContext(ctx, `
			UPDATE oauth_tokens
			SET revoked_at = $2
			WHERE person_id = $1
			  AND revoked_at IS NULL
			  AND expires_at > $2`,
			person, now)
		if err != nil {
			return err
		}
		if revoked, err = result.RowsAffected(); err != nil || revoked == 0 {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActRevokeToken, objectType: "person", objectID: person.String(),
			person: person, counts: quantities{"tokens": revoked}})
	})
	return revoked, err
}

func tokenHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}

// tokenIDBytes of a token's hash are its id.
const tokenIDBytes = 12

// TokenID is the id of a token.
func TokenID(token string) string { return hex.EncodeToString(tokenHash(token)[:tokenIDBytes]) }

// hashesOf are the least and the greatest hash with an id.
func hashesOf(id string) (from, to []byte, ok bool) {
	raw, err := hex.DecodeString(id)
	if err != nil || len(raw) != tokenIDBytes {
		return nil, nil, false
	}
	rest := len(tokenHash("")) - tokenIDBytes
	from = append(raw[:len(raw):len(raw)], make([]byte, rest)...)
	return from, append(raw[:len(raw):len(raw)], strings.Repeat("\xff", rest)...), true
}
