package store

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// ExportPart is one kind of rows of an export. Amounts are in currency units.
type ExportPart struct {
	Name   string
	Table  string // what it is from, for the list of what is left out
	Select string // of the business or person, whose id stands for %s
}

// OrganizationParts are all that is held of a business and says something by itself. A test holds them and LeftOut
// against the schema.
var OrganizationParts = []ExportPart{
	{"organization", "organizations", `
		SELECT id AS organization_id, partner_id, business_id, name, tier, created_at
		FROM organizations
		WHERE id = %s`},
	{"members", "memberships", `
		SELECT person_id AS user_id, partner_id, role, created_at, revoked_at
		FROM memberships
		WHERE organization_id = %s
		ORDER BY person_id`},
	{"sources", "sources", `
		SELECT id AS source_id, kind, partner_id, state, created_at, revoked_at
		FROM sources
		WHERE organization_id = %s
		ORDER BY id`},
	{"legacy_logins", "legacy_mappings", `
		SELECT partner_id, subject, source_id, created_at
		FROM legacy_mappings
		WHERE organization_id = %s`},
	{"bank_feeds", "aggregation_feeds", `
		SELECT state, error_code, synced_at, created_at
		FROM aggregation_feeds
		WHERE organization_id = %s`},
	{"accounts", "accounts", `
		SELECT id AS account_id, source_id, external_id, name, type, mask, currency,
		       round(current_balance / 100.0, 2) AS current_balance, status, created_at, updated_at, last_upload_at
		FROM accounts
		WHERE organization_id = %s
		ORDER BY id`},
	{"transactions", "transactions", `
		SELECT id AS transaction_id, account_id, external_id, round(amount / 100.0, 2) AS amount, currency,
		       authorized_date, processed_date, description, pending, merchant, context, counterparty_id,
		       nullif(category_id, -1) AS category_id,
		       transfer_id, is_refund, needs_attention, processing, filing_state, created_at, updated_at, deleted_at
		FROM transactions
		WHERE organization_id = %s
		ORDER BY id`},
	{"decisions", "transactions", `
		SELECT id AS transaction_id, nullif(category_id, -1) AS category_id, category_source,
		       category_confidence, category_reason, alternatives,
		       suggested_id, suggested_confidence, suggested_reason, destination
		FROM transactions
		WHERE organization_id = %s
		  AND processing = 'processed'
		ORDER BY id`},
	{"transaction_parts", "transaction_parts", `
		SELECT transaction_id, ordinal, category_id, round(amount / 100.0, 2) AS amount, answer_id
		FROM transaction_parts
		WHERE organization_id = %s
		ORDER BY transaction_id, ordinal`},
	{"comments", "transaction_comments", `
		SELECT transaction_id, id AS comment_id, author, text, created_at
		FROM transaction_comments
		WHERE organization_id = %s
		ORDER BY transaction_id, id`},
	{"counterparties", "counterparties", `
		SELECT id AS counterparty_id, name, to_json(aliases) AS aliases, type, relationship, website, confidence,
		       last_date, created_at, updated_at
		FROM counterparties
		WHERE organization_id = %s
		ORDER BY id`},
	{"questions", "outstanding_issues", `
		SELECT id AS question_id, object_type, object_id, kind, question, why,
		       round(impact_amount / 100.0, 2) AS impact_amount, impact_currency, transaction_count, options, status,
		       answer, selected_option, answered_by, created_at, ended_at
		FROM outstanding_issues
		WHERE organization_id = %s
		ORDER BY id`},
	{"question_transactions", "issue_transactions", `
		SELECT issue_id AS question_id, transaction_id
		FROM issue_transactions
		WHERE organization_id = %s
		ORDER BY issue_id, transaction_id`},
	{"answers", "answers", `
		SELECT id AS answer_id, hook, issue_id AS question_id, status, answer, selected_option,
		       nullif(category_id, -1) AS category_id, split, further_splits, mixed, note, answered_by, via,
		       answered_at, replaced_at, row_count,
		       round(net_profit_effect / 100.0, 2) AS net_profit_effect
		FROM answers
		WHERE organization_id = %s
		ORDER BY id`},
	{"answer_transactions", "answer_rows", `
		SELECT answer_id, transaction_id, filed, before_category, before_source, before_confidence, before_reason
		FROM answer_rows
		WHERE organization_id = %s
		ORDER BY answer_id, transaction_id`},
	{"answers_remembered", "business_answers", `
		SELECT id, counterparty_key, incoming, amount, nullif(category_id, -1) AS category_id, relationship, created_at,
		       note, same_as, mixed, largest, answer_id, whole, smallest, row_count, account_types, least_days,
		       most_days, newest, several, reads, split -> 'parts' AS parts,
		       coalesce((split ->> 'yearly')::boolean, false) AS parts_of_a_year
		FROM business_answers
		WHERE organization_id = %s
		ORDER BY created_at, id`},
	{"months_processed", "processing_months", `
		SELECT month, processed
		FROM processing_months
		WHERE organization_id = %s
		ORDER BY month`},
	{"audit", "audit", `
		SELECT at, action, actor, partner_id, person_id AS user_id, token_id, object_type, object_id, request_id, counts
		FROM audit
		WHERE organization_id = %s
		ORDER BY at, id`},
}

// LeftOut says why rows of a business are in no export.
var LeftOut = map[string]string{
	"aggregation_tokens":          "a credential",
	"agent_grant_organizations":   "what a member granted is in their own export",
	"transaction_words":           "the texts of transactions again, for searches",
	"words_added":                 "work to do",
	"issue_numbers":               "how questions name rows that they are about no more",
	"counterparty_counts":         "sums of transactions",
	"counterparty_counts_added":   "sums of transactions",
	"transaction_counts":          "sums of transactions",
	"transaction_counts_added":    "sums of transactions",
	"limited_accounts":            "work to do",
	"pending_work":                "work to do",
	"report_months":               "sums of transactions",
	"report_month_categories":     "sums of transactions",
	"report_month_counterparties": "sums of transactions",
	"report_month_suggestions":    "sums of transactions",
	"report_year_categories":      "sums of transactions",
	"report_year_counterparties":  "sums of transactions",
	"report_dirty":                "work to do",
	"standing_due":                "work to do",
	"turns":                       "work to do",
}

// PersonParts are all that is held of a person and says something by itself.
var PersonParts = []ExportPart{
	{"user", "persons", `
		SELECT id AS user_id, email, name, demo, created_at
		FROM persons
		WHERE id = %s`},
	{"identities", "identities", `
		SELECT partner_id, subject, created_at
		FROM identities
		WHERE person_id = %s`},
	{"oauth_identities", "oauth_identities", `
		SELECT issuer, subject, created_at
		FROM oauth_identities
		WHERE person_id = %s`},
	{"memberships", "memberships", `
		SELECT m.organization_id, o.name AS organization, m.partner_id, m.role, m.created_at, m.revoked_at
		FROM memberships m
		JOIN organizations o ON o.id = m.organization_id
		WHERE m.person_id = %s
		ORDER BY m.organization_id`},
	{"tokens", "oauth_tokens", `
		SELECT encode(substring(hash FOR 12), 'hex') AS token_id, to_json(scopes) AS scopes, created_at, expires_at,
		       revoked_at
		FROM oauth_tokens
		WHERE person_id = %s
		ORDER BY created_at`},
	{"grants", "agent_grants", `
		SELECT g.id AS grant_id, g.kind, g.partner_id, g.client_name, g.redirect_uri, to_json(g.scopes) AS scopes,
		       (
		         SELECT json_agg(organization_id ORDER BY organization_id)
		         FROM agent_grant_organizations
		         WHERE grant_id = g.id) AS organizations,
		       g.created_at, g.used_at, g.expires_at, g.revoked_at
		FROM agent_grants g
		WHERE g.person_id = %s
		ORDER BY g.id`},
	{"subscription", "subscriptions", `
		SELECT *
		FROM subscriptions
		WHERE person_id = %s`},
	{"customer", "stripe_customers", `
		SELECT *
		FROM stripe_customers
		WHERE person_id = %s`},
	{"answers", "answers", `
		SELECT organization_id, id AS answer_id, hook, status, answer, selected_option, via, answered_at, replaced_at
		FROM answers
		WHERE answered_by = %s
		ORDER BY answered_at`},
	{"snapshots", "account_snapshots", `
		SELECT s.partner_id, s.state, s.received_at, s.ended_at
		FROM account_snapshots s
		JOIN identities i ON i.partner_id = s.partner_id AND i.subject = s.subject
		WHERE i.person_id = %s
		ORDER BY s.id`},
	{"audit", "audit", `
		SELECT at, action, actor, partner_id, organization_id, token_id, object_type, object_id, request_id, counts
		FROM audit
		WHERE person_id = %s
		ORDER BY at, id`},
}

// Export reads what is held, all of it as it was at one moment.
type Export struct{ tx *sqlx.Tx }

// Export opens an export, does with it what fn says, and records that it was made.
func (d *DB) Export(ctx context.Context, now time.Time, organization, person uuid.UUID,
	fn func(x *Export) (rows int64, err error)) error {
	tx, err := d.db.BeginTxx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return translate(ctx, err)
	}
	defer tx.Rollback() // it reads alone
	rows, err := fn(&Export{tx})
	if err != nil {
		return translate(ctx, err)
	}
	a := act{action: ActExport, organization: organization, objectType: "organization", objectID: organization.String(),
		person: person, counts: quantities{"rows": rows}}
	if organization == uuid.Nil {
		a.objectType, a.objectID = "person", person.String()
	}
	return d.inTx(ctx, func(tx *sqlx.Tx) error { return d.record(ctx, tx, now, a) })
}

// exportedAtOnce rows are in memory.
const exportedAtOnce = 2000

// Rows reads a part: as objects of JSON, in one column, or as the columns that header is told of.
func (x *Export) Rows(ctx context.Context, p ExportPart, of uuid.UUID, asJSON bool, header func(*sql.Rows) error,
	each func(*sqlx.Rows) error) (count int64, err error) {
	query := fmt.Sprintf(p.Select, "'"+of.String()+"'::uuid")
	if asJSON {
		query = `SELECT row_to_json(r)::text FROM (` + query + `) r`
	}
	if _, err := x.tx.ExecContext(ctx, `DECLARE part NO SCROLL CURSOR FOR `+query); err != nil {
		return 0, err
	}
	for first := true; ; first = false {
		read, err := x.fetch(ctx, first, header, each)
		count += read
		if err != nil {
			return count, err
		}
		if read < exportedAtOnce {
			break
		}
	}
	_, err = x.tx.ExecContext(ctx, `CLOSE part`)
	return count, err
}

func (x *Export) fetch(ctx context.Context, first bool, header func(*sql.Rows) error,
	each func(*sqlx.Rows) error) (count int64, err error) {
	rows, err := x.tx.QueryxContext(ctx, fmt.Sprintf(`FETCH %d FROM part`, exportedAtOnce))
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	if first {
		if err := header(rows.Rows); err != nil {
			return 0, err
		}
	}
	for ; rows.Next(); count++ {
		if err := each(rows); err != nil {
			return count, err
		}
	}
	return count, rows.Err()
}

// Years are those of a business that have transactions.
func (x *Export) Years(ctx context.Context, organization uuid.UUID) ([]int, error) {
	var years []int
	err := x.tx.SelectContext(ctx, &years, `
		WITH RECURSIVE y AS (
		  SELECT extract(year FROM min(processed_date))::integer AS year
		  FROM transactions
		  WHERE organization_id = $1
		    AND deleted_at IS NULL
		    AND processing = 'processed'
		  UNION ALL
		  SELECT (
		    SELECT extract(year FROM min(processed_date))::integer
		    FROM transactions
		    WHERE organization_id = $1
		      AND deleted_at IS NULL
		      AND processing = 'processed'
		      AND processed_date >= make_date(y.year + 1, 1, 1))
		  FROM y
		  WHERE y.year < 9999)
		SELECT year
		FROM y
		WHERE year IS NOT NULL`,
		organization)
	return years, err
}

// Exists reports whether there is anything of a part.
func (x *Export) Exists(ctx context.Context, p ExportPart, of uuid.UUID) error {
	var found bool
	err := x.tx.GetContext(ctx, &found, `SELECT EXISTS (`+fmt.Sprintf(p.Select, "'"+of.String()+"'::uuid")+`)`)
	if err == nil && !found {
		return ErrNotFound
	}
	return err
}

// IsText reports whether a column is of people's words, and no number, date or id.
func IsText(c *sql.ColumnType) bool { return strings.EqualFold(c.DatabaseTypeName(), "TEXT") }
