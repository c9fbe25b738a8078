package store

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// erasedTables hold what belongs to a business, in the order in which references let go of it. A test holds them
// against the schema.
var erasedTables = []string{
	"legacy_mappings", "agent_grant_organizations", "memberships", "aggregation_tokens", "aggregation_feeds",
	"answer_rows", "answers", "issue_transactions", "issue_numbers", "outstanding_issues", "business_answers",
	"transaction_comments", "transaction_parts",
	"transactions", "transaction_words", "words_added", "counterparties", "counterparty_counts",
	"counterparty_counts_added", "transaction_counts", "transaction_counts_added", "limited_accounts", "pending_work",
	"accounts", "sources", "report_months", "report_month_categories", "report_month_counterparties",
	"report_month_suggestions", "report_year_categories", "report_year_counterparties", "report_dirty",
	"processing_months", "standing_due", "turns",
}

// erasedInOrder are the tables of which somebody else may lock several rows at once, and in which order they do.
var erasedInOrder = map[string]string{
	"accounts":           "id",
	"outstanding_issues": "id",
	"transactions":       "id",
	"counterparties":     "key, id",
	"answers":            "id",
	"pending_work":       "account_id",
}

// erasedAtOnce rows go in one transaction.
const erasedAtOnce = 1000

// Erased says how many rows of each table are there or went; tables without any are left out.
type Erased map[string]int64

// Add adds up.
func (e Erased) Add(other Erased) {
	for table, rows := range other {
		e[table] += rows
	}
}

// total is for the record: table names are ours.
func (e Erased) total() quantities {
	all := quantities{}
	for _, rows := range e {
		all["rows"] += rows
	}
	all["transactions"] = e["transactions"]
	all["accounts"] = e["accounts"]
	return all
}

// CountOrganization counts what EraseOrganization would remove. ErrNotFound.
func (d *DB) CountOrganization(ctx context.Context, id uuid.UUID) (Erased, error) {
	counted := Erased{}
	var rows int64
	err := d.db.GetContext(ctx, &rows, `SELECT 1 FROM organizations WHERE id = $1`, id)
	if err != nil {
		return nil, translate(ctx, err)
	}
	counted["organizations"] = rows
	for _, table := range erasedTables {
		err := d.db.GetContext(ctx, &rows, `SELECT count(*) FROM `+table+` WHERE organization_id = $1`, id)
		if err != nil {
			return nil, translate(ctx, err)
		}
		if rows > 0 {
			counted[table] = rows
		}
	}
	err = d.db.GetContext(ctx, &rows, `
		SELECT count(*)
		FROM account_snapshots s
		JOIN legacy_mappings m ON m.partner_id = s.partner_id AND m.subject = s.subject
		WHERE m.organization_id = $1`,
		id)
	if rows > 0 {
		counted["account_snapshots"] = rows
	}
	return counted, translate(ctx, err)
}

// EraseOrganization removes a business and all it holds, in transactions of a bounded number of rows. From the first
// one on nobody reaches it, and a connection of its partner makes a new one. After a kill, or ErrBusy, it goes on where
// it was when it is called again; erasing what is erased changes nothing and returns nothing. ErrNotFound.
//
// Requests that were let in before may still write: rows are looked for until a whole round finds none, and then the
// business itself goes, which references of such a row would refuse.
func (d *DB) EraseOrganization(ctx context.Context, now time.Time, id uuid.UUID) (Erased, error) {
	return d.eraseUnless(ctx, now, id, time.Time{})
}

// Unfinished finds businesses and persons whose erasure began some minutes ago and is not over, the oldest first.
func (d *DB) Unfinished(ctx context.Context, limit int) (list []UnfinishedErasure, err error) {
	err = d.db.SelectContext(ctx, &list, `
		SELECT kind, id::text AS id, began_at
		FROM erasures
		WHERE ended_at IS NULL
		  AND began_at < now() - interval '5 minutes'
		ORDER BY began_at
		LIMIT $1`,
		limit)
	return list, translate(ctx, err)
}

// UnfinishedErasure is one that began and is not over.
type UnfinishedErasure struct {
	Kind    string    `db:"kind"` // organization, person or partner
	ID      string    `db:"id"`
	BeganAt time.Time `db:"began_at"`
}

// UnfinishedErasures are those that are not over, the oldest first.
func (d *DB) UnfinishedErasures(ctx context.Context, limit int) ([]UnfinishedErasure, error) {
	var list []UnfinishedErasure
	err := d.db.SelectContext(ctx, &list, `
		SELECT kind, id::text AS id, began_at
		FROM erasures
		WHERE ended_at IS NULL
		UNION ALL
		SELECT 'partner', id, erasing_at
		FROM partners
		WHERE erasing_at IS NOT NULL
		ORDER BY began_at, id
		LIMIT $1`,
		limit)
	return list, translate(ctx, err)
}

// ErasedAmong are those of some businesses that were erased, or are being erased.
func (d *DB) ErasedAmong(ctx context.Context, ids []uuid.UUID) (map[uuid.UUID]bool, error) {
	var found []uuid.UUID
	err := d.db.SelectContext(ctx, &found, `
		SELECT id
		FROM erasures
		WHERE kind = 'organization'
		  AND id = ANY ($1::uuid[])`,
		uuids(ids))
	erased := make(map[uuid.UUID]bool, len(found))
	for _, id := range found {
		erased[id] = true
	}
	return erased, translate(ctx, err)
}

// eraseUnless erases a business, unless somebody is in it or was since a time; the zero time asks for nobody.
func (d *DB) eraseUnless(ctx context.Context, now time.Time, id uuid.UUID, since time.Time) (Erased, error) {
	done := Erased{}
	before, err := d.beginErasing(ctx, now, id, since)
	if err != nil {
		return done, err
	}
	done.Add(before)
	if before == nil {
		return done, nil
	}
	for range mostRounds {
		removed, err := d.eraseRound(ctx, id)
		done.Add(removed)
		if err != nil && !isHeld(err) {
			return done, err
		}
		if len(removed) > 0 || err != nil {
			continue
		}
		if gone, err := d.endErasing(ctx, now, id, done); gone || err != nil && !isHeld(err) {
			return done, err
		}
	}
	return done, ErrBusy
}

// mostRounds are those in which requests that were let in before can be in the way: each ends within its time.
const mostRounds = 100

// errReferred: a row that refers to what was to go came meanwhile. Outside of an erasure such a constraint says that
// there is no such thing as is named.
var errReferred = errors.New("store: something refers to what is to be erased")

// referred is errReferred where that is what err says.
func referred(err error) error {
	if hasState(err, foreignKeyViolation) {
		return errReferred
	}
	return err
}

// isHeld: somebody is about to write what is to go, or a row that refers to it came meanwhile.
func isHeld(err error) bool { return errors.Is(err, ErrBusy) || errors.Is(err, errReferred) }

// eraseRound removes what there is in all tables, and says how much that was. What is held is left to the next round.
func (d *DB) eraseRound(ctx context.Context, id uuid.UUID) (Erased, error) {
	removed := Erased{}
	var held error
	for _, table := range erasedTables {
		for more := true; more; {
			rows, err := d.eraseRows(ctx, table, id)
			if isHeld(err) {
				held = err
			} else if err != nil {
				return removed, err
			}
			if rows > 0 {
				removed[table] += rows
			}
			more = rows == erasedAtOnce
		}
	}
	return removed, held
}

// beginErasing shuts a business: nobody is in it, no source of it takes uploads, no snapshot is for it, and its partner
// knows none by its id. nil where it was erased before.
func (d *DB) beginErasing(ctx context.Context, now time.Time, id uuid.UUID, since time.Time) (Erased, error) {
	done := Erased{}
	err := d.inTx(ctx, func(tx *sqlx.Tx) error {
		clear(done)
		if err := nobodySince(ctx, tx, id, since); err != nil {
			return err
		}
		if err := unname(ctx, tx, now, id); err != nil {
			return err
		}
		if err := done.erase(ctx, tx, "account_snapshots", `
			DELETE FROM account_snapshots s
			USING legacy_mappings m
			WHERE m.organization_id = $1
			  AND m.partner_id = s.partner_id
			  AND m.subject = s.subject`, id); err != nil {
			return err
		}
		err := d.endGrants(ctx, tx, now, `
			id IN (SELECT grant_id FROM agent_grant_organizations WHERE organization_id = $2)
			AND NOT EXISTS (
			  SELECT
			  FROM agent_grant_organizations other
			  WHERE other.grant_id = agent_grants.id
			    AND other.organization_id <> $2)`, id)
		if err != nil {
			return err
		}
		for _, table := range []string{"legacy_mappings", "agent_grant_organizations", "memberships"} {
			err := done.erase(ctx, tx, table, `DELETE FROM `+table+` WHERE organization_id = $1`, id)
			if err != nil {
				return err
			}
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE sources
			SET state = 'revoked',
			    revoked_at = coalesce(revoked_at, $2)
			WHERE organization_id = $1`,
			id, now)
		return err
	})
	if errors.Is(err, errErased) || errors.Is(err, errConnected) {
		return nil, nil
	}
	return done, err
}

// unname takes its partner and its name from a business, and notes that it is being erased. errErased where it was.
func unname(ctx context.Context, tx *sqlx.Tx, now time.Time, id uuid.UUID) error {
	result, err := tx.ExecContext(ctx, `
		UPDATE organizations
		SET partner_id = NULL,
		    business_id = NULL,
		    tier = NULL,
		    name = ''
		WHERE id = $1`,
		id)
	if err != nil {
		return err
	}
	if found, err := result.RowsAffected(); err != nil {
		return err
	} else if found == 0 {
		return alreadyErased(ctx, tx, "organization", id)
	}
	_, err = tx.ExecContext(ctx, `
		INSERT INTO erasures (kind, id, began_at)
		VALUES ('organization', $1, $2)
		ON CONFLICT DO NOTHING`,
		id, now)
	return err
}

// erase removes rows of a table that belong to a business, and counts them.
func (e Erased) erase(ctx context.Context, tx *sqlx.Tx, table, statement string, id uuid.UUID) error {
	result, err := tx.ExecContext(ctx, statement, id)
	if err != nil {
		return err
	}
	rows, err := result.RowsAffected()
	if rows > 0 {
		e[table] = rows
	}
	return err
}

// errConnected: somebody is in the business.
var errConnected = errors.New("store: connected meanwhile")

// nobodySince is errConnected where somebody was in a business since a time. A connection holds the business before its
// memberships, so none comes after this.
func nobodySince(ctx context.Context, tx *sqlx.Tx, id uuid.UUID, since time.Time) error {
	if since.IsZero() {
		return nil
	}
	if _, err := tx.ExecContext(ctx, `SELECT FROM organizations WHERE id = $1 FOR UPDATE`, id); err != nil {
		return err
	}
	var somebody bool
	err := tx.GetContext(ctx, &somebody, `
		SELECT EXISTS (
		  SELECT
		  FROM memberships
		  WHERE organization_id = $1
		    AND (revoked_at IS NULL OR revoked_at >= $2))`,
		id, since)
	if err == nil && somebody {
		return errConnected
	}
	return err
}

// errErased: it was erased before.
var errErased = errors.New("store: erased before")

// alreadyErased is errErased where the record of erasures has it, and otherwise ErrNotFound.
func alreadyErased(ctx context.Context, tx *sqlx.Tx, kind string, id uuid.UUID) error {
	var found bool
	err := tx.GetContext(ctx, &found, `SELECT EXISTS (SELECT FROM erasures WHERE kind = $1 AND id = $2)`, kind, id)
	if err != nil {
		return err
	}
	if found {
		return errErased
	}
	return ErrNotFound
}

// eraseRows removes some rows of a table. Those that somebody holds are waited for: where somebody may hold several,
// they are locked first, in the order in which all others do.
func (d *DB) eraseRows(ctx context.Context, table string, id uuid.UUID) (removed int64, err error) {
	order, several := erasedInOrder[table]
	if several {
		order = "ORDER BY " + order
	}
	err = d.inTx(ctx, func(tx *sqlx.Tx) error {
		if several {
			_, err := tx.ExecContext(ctx, `
				SELECT
				FROM `+table+`
				WHERE organization_id = $1
				`+order+`
				LIMIT $2
				FOR UPDATE`,
				id, erasedAtOnce)
			if err != nil {
				return err
			}
		}
		result, err := tx.ExecContext(ctx, `
			DELETE FROM `+table+`
			WHERE organization_id = $1
			  AND ctid = ANY (ARRAY (
			    SELECT ctid
			    FROM `+table+`
			    WHERE organization_id = $1
			    `+order+`
			    LIMIT $2))`,
			id, erasedAtOnce)
		if err != nil {
			return referred(err)
		}
		removed, err = result.RowsAffected()
		return err
	})
	return removed, err
}

// endErasing removes the business itself, unless a row came meanwhile that is of it.
func (d *DB) endErasing(ctx context.Context, now time.Time, id uuid.UUID, done Erased) (bool, error) {
	err := d.inTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `DELETE FROM organizations WHERE id = $1`, id)
		if err != nil {
			return referred(err)
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE erasures
			SET ended_at = $2
			WHERE kind = 'organization'
			  AND id = $1`,
			id, now)
		if err != nil {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActErase, organization: id, objectType: "organization",
			objectID: id.String(), counts: done.total()})
	})
	if err == nil {
		done["organizations"] = 1
	}
	return err == nil, err
}
