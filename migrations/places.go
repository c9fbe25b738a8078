package migrations

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
)

// Where the rows of a table are when Citus spreads the database over several machines. Each table of the schema is in
// one of the two lists: a new one that is in none fails a test, and would otherwise be on one machine without a word.
var (
	// Distributed are spread by the column organization_id, in an order in which what a table refers to comes before
	// it: all rows of a business are on one machine.
	Distributed = []string{
		"sources", "accounts", "counterparties", "transactions", "transaction_comments", "transaction_parts",
		"outstanding_issues", "issue_transactions", "issue_numbers", "answers", "answer_rows", "business_answers",
		"pending_work", "turns", "limited_accounts", "processing_months", "standing_due",
		"report_months", "report_month_categories", "report_month_counterparties", "report_month_suggestions",
		"report_year_categories", "report_year_counterparties", "report_dirty", "transaction_words", "words_added",
		"transaction_counts", "transaction_counts_added", "counterparty_counts", "counterparty_counts_added",
		"aggregation_feeds", "aggregation_tokens",
	}
	// Local stay on the coordinator: who may do what, what is asked before a business is known, and what is of no
	// business.
	Local = []string{
		"partners", "partner_secrets", "persons", "identities", "organizations", "memberships",
		"oauth_tokens", "oauth_identities", "agent_clients", "agent_requests", "agent_grants",
		"agent_grant_organizations", "agent_tokens", "agent_refresh_tokens", "legacy_mappings", "account_snapshots",
		"subscriptions", "stripe_customers", "stripe_reconciliation", "audit", "erasures", "retention",
		"goose_db_version",
	}
)

// Place is where a table is. The rows of a distributed one are where those of its business are.
type Place struct {
	Table       string `json:"table"`
	Wanted      string `json:"wanted"`      // distributed or local; empty for a table that no list names
	Distributed bool   `json:"distributed"` // it is
}

// In is whether the table is where it should be, in a database that is spread.
func (p Place) In() bool { return p.Wanted != "" && p.Distributed == (p.Wanted == "distributed") }

// Places are those of all tables, by their names. The error is ErrNoCitus where the database cannot be spread.
func Places(ctx context.Context, db *sql.DB) ([]Place, error) {
	if err := needCitus(ctx, db); err != nil {
		return nil, err
	}
	rows, err := db.QueryContext(ctx, `
		SELECT c.relname, EXISTS (SELECT FROM pg_dist_partition p WHERE p.logicalrelid = c.oid AND p.partmethod = 'h')
		FROM pg_class c
		WHERE c.relnamespace = current_schema()::regnamespace
		  AND c.relkind IN ('r', 'p')
		  AND NOT c.relispartition
		  AND NOT EXISTS (
		    SELECT
		    FROM pg_depend d
		    WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
		ORDER BY 1`)
	if err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	defer rows.Close()
	var places []Place
	for rows.Next() {
		var p Place
		if err := rows.Scan(&p.Table, &p.Distributed); err != nil {
			return nil, fmt.Errorf("migrations: %w", err)
		}
		switch {
		case slices.Contains(Distributed, p.Table):
			p.Wanted = "distributed"
		case slices.Contains(Local, p.Table):
			p.Wanted = "local"
		}
		places = append(places, p)
	}
	if err := rows.Err(); err != nil {
		return nil, fmt.Errorf("migrations: %w", err)
	}
	return places, nil
}

func needCitus(ctx context.Context, db *sql.DB) error {
	var there bool
	err := db.QueryRowContext(ctx, `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus')`).Scan(&there)
	if err != nil {
		return fmt.Errorf("migrations: %w", err)
	}
	if !there {
		return ErrNoCitus
	}
	return nil
}

// ErrNoCitus: the database has no extension of that name.
var ErrNoCitus = errors.New("migrations: the database has no Citus")
