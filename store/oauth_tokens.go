package store

import (
	"context"
	"crypto/sha256"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
)

// OAuthToken is an opaque access token of a person. The token itself is never stored, only its hash.
type OAuthToken struct {
	PersonID  uuid.UUID
	Scopes    []string
	ExpiresAt time.Time
}

// SaveOAuthToken stores a token. ErrNotFound for an unknown person.
func (d *DB) SaveOAuthToken(ctx context.Context, now time.Time, token string, t OAuthToken) error {
	_, err := d.db.ExecContext(ctx, `
		INSERT INTO oauth_tokens (hash, person_id, scopes, created_at, expires_at)
		VALUES ($1, $2, $3, $4, $5)`,
		tokenHash(token), t.PersonID, pq.Array(t.Scopes), now, t.ExpiresAt)
	return translate(ctx, err)
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
	return OAuthToken{PersonID: row.PersonID, Scopes: row.Scopes, ExpiresAt: row.ExpiresAt}, nil
}

// RevokeOAuthToken ends a token. Repeating it succeeds. ErrNotFound for an unknown token.
func (d *DB) RevokeOAuthToken(ctx context.Context, now time.Time, token string) error {
	var hash []byte
	err := d.db.GetContext(ctx, &hash, `
		UPDATE oauth_tokens
		SET revoked_at = coalesce(revoked_at, $2)
		WHERE hash = $1
		RETURNING hash`,
		tokenHash(token), now)
	return translate(ctx, err)
}

func tokenHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
