package store

import (
	"context"
	"time"
)

// PartnerLimits are what the requests of a partner are held to, where that differs from what holds for every partner:
// nil is that.
type PartnerLimits struct {
	PartnerID             string `db:"id"`
	PerSecond             *int   `db:"requests_per_second"`              // requests of all its organizations
	InFlight              *int   `db:"in_flight"`                        // of one process
	OrganizationPerSecond *int   `db:"organization_requests_per_second"` // requests of each of its organizations
	OrganizationInFlight  *int   `db:"organization_in_flight"`
}

// LimitPartner replaces a partner's own limits. ErrNotFound for an unknown partner.
func (d *DB) LimitPartner(ctx context.Context, now time.Time, limits PartnerLimits) error {
	return d.changePartner(ctx, now, limits.PartnerID, ActLimit, `
		UPDATE partners
		SET requests_per_second = $2,
		    in_flight = $3,
		    organization_requests_per_second = $4,
		    organization_in_flight = $5
		WHERE id = $1
		  AND (requests_per_second, in_flight, organization_requests_per_second, organization_in_flight)
		    IS DISTINCT FROM ($2::integer, $3::integer, $4::integer, $5::integer)`,
		limits.PartnerID, limits.PerSecond, limits.InFlight, limits.OrganizationPerSecond, limits.OrganizationInFlight)
}

// LimitsOfPartner reads a partner's own limits. ErrNotFound for an unknown partner.
func (d *DB) LimitsOfPartner(ctx context.Context, id string) (PartnerLimits, error) {
	var limits PartnerLimits
	err := d.db.GetContext(ctx, &limits, `
		SELECT id, requests_per_second, in_flight, organization_requests_per_second, organization_in_flight
		FROM partners
		WHERE id = $1`,
		id)
	return limits, translate(ctx, err)
}

// LimitsOfPartners reads those of all partners that have any of their own.
func (d *DB) LimitsOfPartners(ctx context.Context) ([]PartnerLimits, error) {
	var limits []PartnerLimits
	err := d.db.SelectContext(ctx, &limits, `
		SELECT id, requests_per_second, in_flight, organization_requests_per_second, organization_in_flight
		FROM partners
		WHERE coalesce(requests_per_second, in_flight, organization_requests_per_second,
		        organization_in_flight) IS NOT NULL`)
	return limits, translate(ctx, err)
}
