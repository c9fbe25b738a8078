package store

import (
	"context"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// AgentClient is a program that registered itself (RFC 7591). It has no secret.
type AgentClient struct {
	ID           string
	Name         string // its own word
	RedirectURIs []string
}

// MostUnusedClients are kept that nobody gave access to yet: anybody may register one.
const MostUnusedClients = 10_000

// SaveAgentClient keeps a program that registered itself. ErrBusy while there are MostUnusedClients.
func (d *DB) SaveAgentClient(ctx context.Context, now time.Time, c AgentClient) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		result, err := tx.ExecContext(ctx, `
			INSERT INTO agent_clients (id, name, redirect_uris, created_at)
			SELECT $1, $2, $3, $4
			WHERE (
			  SELECT count(*)
			  FROM agent_clients
			  WHERE used_at IS NULL) < $5`,
			c.ID, c.Name, pq.Array(c.RedirectURIs), now, MostUnusedClients)
		if err != nil {
			return err
		}
		if saved, err := result.RowsAffected(); err != nil || saved == 1 {
			return err
		}
		return ErrBusy
	})
}

// AgentClient finds a program that registered itself. ErrNotFound.
func (d *DB) AgentClient(ctx context.Context, id string) (AgentClient, error) {
	c := AgentClient{ID: id}
	var uris pq.StringArray
	err := d.db.QueryRowxContext(ctx, `
		SELECT name, redirect_uris
		FROM agent_clients
		WHERE id = $1`,
		id).Scan(&c.Name, &uris)
	c.RedirectURIs = uris
	return c, translate(ctx, err)
}
