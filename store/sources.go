package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// connectSources gives each business its API source of the connection's partner, by the business.
func connectSources(ctx context.Context, tx *sqlx.Tx, now time.Time, partner string,
	organizations map[string]uuid.UUID) (map[uuid.UUID]uuid.UUID, error) {
	var ids []uuid.UUID
	var organizationIDs []uuid.UUID
	for _, organization := range organizations {
		organizationIDs = append(organizationIDs, organization)
		ids = append(ids, newID())
	}
	slices.SortFunc(organizationIDs, CompareUUIDs)
	var rows []struct {
		OrganizationID uuid.UUID `db:"organization_id"`
		ID             uuid.UUID `db:"id"`
	}
	err := tx.SelectContext(ctx, &rows, `
		INSERT INTO sources (organization_id, id, kind, partner_id, state, created_at)
		SELECT s.organization_id, s.id, 'api', $1, 'connected', $4
		FROM unnest($2::uuid[], $3::uuid[]) WITH ORDINALITY AS s (organization_id, id, place)
		ORDER BY s.place
		ON CONFLICT (organization_id, partner_id) WHERE kind = 'api' DO UPDATE
		SET state = 'connected',
		    revoked_at = NULL
		RETURNING organization_id, id`,
		partner, uuids(organizationIDs), uuids(ids), now)
	if err != nil {
		return nil, err
	}
	sources := make(map[uuid.UUID]uuid.UUID, len(rows))
	for _, row := range rows {
		sources[row.OrganizationID] = row.ID
	}
	return sources, nil
}

// shareConnectedSource holds a source connected until the end of the transaction; uploads share it, the revocation of
// the source excludes them.
func (o *Organization) shareConnectedSource(ctx context.Context, tx *sqlx.Tx, source uuid.UUID) error {
	var found bool
	err := tx.GetContext(ctx, &found, `
		SELECT true
		FROM sources
		WHERE organization_id = $1
		  AND id = $2
		  AND kind = 'api'
		  AND state = 'connected'
		FOR SHARE`,
		o.ID, source)
	if translate(ctx, err) == ErrNotFound {
		return ErrSourceUnavailable
	}
	return err
}

// lockSource holds a source as it is until the end of the transaction. It comes before the locks of its accounts.
func (o *Organization) lockSource(ctx context.Context, tx *sqlx.Tx, source uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		SELECT
		FROM sources
		WHERE organization_id = $1
		  AND id = $2
		FOR NO KEY UPDATE`,
		o.ID, source)
	return err
}

// revokeUnused revokes an API source that has no active account left.
func (o *Organization) revokeUnused(ctx context.Context, tx *sqlx.Tx, now time.Time, source uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE sources
		SET state = 'revoked',
		    revoked_at = $3
		WHERE organization_id = $1
		  AND id = $2
		  AND kind = 'api'
		  AND state = 'connected'
		  AND NOT EXISTS (
		    SELECT
		    FROM accounts
		    WHERE organization_id = $1
		      AND source_id = $2
		      AND status = 'active')`,
		o.ID, source, now)
	return err
}
