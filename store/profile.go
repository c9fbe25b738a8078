package store

import (
	"context"
	"time"

	"github.com/google/uuid"
)

// OrganizationDetails describes a business.
type OrganizationDetails struct {
	Name       string  `db:"name"`
	Tier       *string `db:"tier"`
	BusinessID *string `db:"business_id"` // nil for a native one
}

// Details describes the business. ErrNotFound.
func (o *Organization) Details(ctx context.Context) (OrganizationDetails, error) {
	var d OrganizationDetails
	err := o.db.getPrepared(ctx, &d, `
		SELECT name, tier, business_id
		FROM organizations
		WHERE id = $1`,
		o.ID)
	return d, translate(ctx, err)
}

// Coverage counts what is stored for a business.
type Coverage struct {
	Accounts       int64      `db:"accounts"`
	ActiveAccounts int64      `db:"active_accounts"`
	LastUploadAt   *time.Time `db:"last_upload_at"`
	Counterparties int64      `db:"counterparties"`
	OpenIssues     int64      `db:"open_issues"`
	PendingWork    int64      `db:"pending_work"`
	UsedThisMonth  int64      `db:"used_this_month"` // transactions processed against the limit of the tier
	TransactionCoverage
	Sources []SourceCoverage
}

// SourceCoverage describes one source.
type SourceCoverage struct {
	ID           uuid.UUID  `db:"id"`
	Kind         string     `db:"kind"`
	State        string     `db:"state"`
	Accounts     int64      `db:"accounts"`
	LastUploadAt *time.Time `db:"last_upload_at"`
}

// Coverage counts what is stored. Months are calendar months in UTC.
func (o *Organization) Coverage(ctx context.Context, now time.Time) (Coverage, error) {
	var c Coverage
	err := o.prepared().GetContext(ctx, &c, `
		SELECT
		  (SELECT count(*) FROM accounts WHERE organization_id = $1) AS accounts,
		  (SELECT count(*) FROM accounts WHERE organization_id = $1 AND status = 'active') AS active_accounts,
		  (
		    SELECT greatest(max(last_upload_at), max(sent_at))
		    FROM accounts
		    WHERE organization_id = $1) AS last_upload_at,
		  (SELECT count(*) FROM counterparties WHERE organization_id = $1) AS counterparties,
		  (SELECT count(*) FROM outstanding_issues WHERE organization_id = $1 AND status = 'open') AS open_issues,
		  (SELECT count(*) FROM pending_work WHERE organization_id = $1) AS pending_work,
		  coalesce((
		    SELECT processed
		    FROM processing_months
		    WHERE organization_id = $1
		      AND month = $2), 0) AS used_this_month`,
		o.ID, monthOf(now))
	if err != nil {
		return c, translate(ctx, err)
	}
	if c.TransactionCoverage, err = o.transactionCoverage(ctx); err != nil {
		return c, translate(ctx, err)
	}
	err = o.prepared().SelectContext(ctx, &c.Sources, `
		SELECT s.id, s.kind, s.state, count(a.id) AS accounts,
		  greatest(max(a.last_upload_at), max(a.sent_at)) AS last_upload_at
		FROM sources s
		LEFT JOIN accounts a ON a.organization_id = s.organization_id AND a.source_id = s.id
		WHERE s.organization_id = $1
		GROUP BY s.organization_id, s.id
		ORDER BY s.created_at, s.id`,
		o.ID)
	return c, translate(ctx, err)
}
