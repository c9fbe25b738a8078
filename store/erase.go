package store

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// erasedTables hold what belongs to a business, in the order in which references let go of it. A test holds them
// against the schema.
var erasedTables = []string{
	"legacy_mappings", "memberships", "aggregation_tokens", "aggregation_feeds",
	"answer_rows", "answers", "issue_transactions", "outstanding_issues", "business_answers", "transaction_comments",
	"transaction_parts",
	"transactions", "transaction_words", "words_added", "counterparties", "counterparty_counts",
	"counterparty_counts_added", "transaction_counts", "transaction_counts_added", "limited_accounts", "pending_work",
	"accounts", "sources", "report_months", "report_month_categories", "report_month_counterparties",
	"report_month_suggestions", "report_dirty", "processing_months", "standing_due", "turns",
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

// EraseDisconnected is EraseOrganization of one that nobody was in since a time; where somebody came meanwhile it does
// nothing.
func (d *DB) EraseDisconnected(ctx context.Context, now time.Time, id uuid.UUID, since time.Time) (Erased, error) {
	return d.eraseUnless(ctx, now, id, since)
}

// Unfinished finds the business or person whose erasure began longest ago and is not over, some minutes after it began.
// ErrNotFound where there is none.
func (d *DB) Unfinished(ctx context.Context) (kind string, id uuid.UUID, err error) {
	err = d.db.QueryRowxContext(ctx, `
		SELECT kind, id
		FROM erasures
		WHERE ended_at IS NULL
		  AND began_at < now() - interval '5 minutes'
		ORDER BY began_at
		LIMIT 1`).Scan(&kind, &id)
	return kind, id, translate(ctx, err)
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

// isHeld: somebody is about to write what is to go, or a row that refers to it came meanwhile.
func isHeld(err error) bool { return errors.Is(err, ErrBusy) || holdsReference(err) }

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
		if err != nil {
			return err
		}
		result, err = tx.ExecContext(ctx, `
			DELETE FROM account_snapshots s
			USING legacy_mappings m
			WHERE m.organization_id = $1
			  AND m.partner_id = s.partner_id
			  AND m.subject = s.subject`,
			id)
		if err != nil {
			return err
		}
		if rows, err := result.RowsAffected(); err != nil {
			return err
		} else if rows > 0 {
			done["account_snapshots"] = rows
		}
		for _, table := range []string{"legacy_mappings", "memberships"} {
			result, err := tx.ExecContext(ctx, `DELETE FROM `+table+` WHERE organization_id = $1`, id)
			if err != nil {
				return err
			}
			if rows, err := result.RowsAffected(); err != nil {
				return err
			} else if rows > 0 {
				done[table] = rows
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

// eraseRows removes some rows of a table. Those that somebody holds are waited for.
func (d *DB) eraseRows(ctx context.Context, table string, id uuid.UUID) (removed int64, err error) {
	err = d.inTx(ctx, func(tx *sqlx.Tx) error {
		result, err := tx.ExecContext(ctx, `
			DELETE FROM `+table+`
			WHERE organization_id = $1
			  AND ctid = ANY (ARRAY (
			    SELECT ctid
			    FROM `+table+`
			    WHERE organization_id = $1
			    LIMIT $2))`,
			id, erasedAtOnce)
		if err != nil {
			return err
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
			return err
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

// PersonErasure is what goes with a person beside what is theirs alone.
type PersonErasure struct {
	Organizations []uuid.UUID // native ones that nobody else is in: they go whole
	Elsewhere     []uuid.UUID // of others, where their e-mail is taken out of all texts
}

// personalTables hold what is a person's in no business, with the column that names them. A test holds them against the
// schema.
var personalTables = []struct{ table, column string }{
	{"oauth_tokens", "person_id"}, {"oauth_identities", "person_id"}, {"stripe_customers", "person_id"},
	{"subscriptions", "person_id"}, {"memberships", "person_id"},
}

// PlanPerson finds out what erasing a person means. ErrNotFound for an unknown one, and for one who is erased.
func (d *DB) PlanPerson(ctx context.Context, id uuid.UUID) (PersonErasure, Erased, error) {
	var plan PersonErasure
	counted := Erased{"persons": 1}
	if _, err := d.Person(ctx, id); err != nil {
		return plan, nil, err
	}
	var rows []struct {
		ID  uuid.UUID `db:"id"`
		Own bool      `db:"own"`
	}
	err := d.db.SelectContext(ctx, &rows, `
		SELECT o.id, o.partner_id IS NULL AND NOT EXISTS (
		         SELECT
		         FROM memberships others
		         WHERE others.organization_id = o.id
		           AND others.person_id <> $1) AS own
		FROM organizations o
		WHERE o.id IN (
		  SELECT organization_id
		  FROM memberships
		  WHERE person_id = $1)
		ORDER BY o.id`,
		id)
	if err != nil {
		return plan, nil, translate(ctx, err)
	}
	for _, r := range rows {
		if r.Own {
			plan.Organizations = append(plan.Organizations, r.ID)
		} else {
			plan.Elsewhere = append(plan.Elsewhere, r.ID)
		}
	}
	for _, t := range append(slices.Clone(personalTables), struct{ table, column string }{"identities", "person_id"}) {
		var n int64
		err := d.db.GetContext(ctx, &n, `SELECT count(*) FROM `+t.table+` WHERE `+t.column+` = $1`, id)
		if err != nil {
			return plan, nil, translate(ctx, err)
		}
		if n > 0 {
			counted[t.table] = n
		}
	}
	return plan, counted, nil
}

// ErasePerson removes a person: who they are, to whom, their tokens, memberships and subscription, their own native
// businesses, and their e-mail from the texts of the businesses they were in. Those businesses stay, and answers that
// the person gave stay theirs, by nobody. Called again it goes on where it was. ErrNotFound.
func (d *DB) ErasePerson(ctx context.Context, now time.Time, id uuid.UUID) (Erased, error) {
	done := Erased{}
	person, err := d.Person(ctx, id)
	if errors.Is(err, ErrNotFound) {
		return done, d.inTx(ctx, func(tx *sqlx.Tx) error {
			if err := alreadyErased(ctx, tx, "person", id); !errors.Is(err, errErased) {
				return err
			}
			return nil
		})
	}
	if err != nil {
		return done, err
	}
	_, err = d.db.ExecContext(ctx, `
		INSERT INTO erasures (kind, id, began_at)
		VALUES ('person', $1, $2)
		ON CONFLICT DO NOTHING`,
		id, now)
	if err != nil {
		return done, translate(ctx, err)
	}
	plan, _, err := d.PlanPerson(ctx, id)
	if err != nil {
		return done, err
	}
	for _, organization := range plan.Organizations {
		went, err := d.EraseOrganization(ctx, now, organization)
		done.Add(went)
		if err != nil {
			return done, err
		}
	}
	if person.Email != nil {
		for _, organization := range plan.Elsewhere {
			if err := d.takeOutOfTexts(ctx, organization, id, *person.Email, done); err != nil {
				return done, err
			}
		}
	}
	return done, d.inTx(ctx, func(tx *sqlx.Tx) error { return d.endPerson(ctx, tx, now, id, done) })
}

// endPerson removes what is left of a person: it is little.
func (d *DB) endPerson(ctx context.Context, tx *sqlx.Tx, now time.Time, id uuid.UUID, done Erased) error {
	remove := func(table, statement string) error {
		result, err := tx.ExecContext(ctx, statement, id)
		if err != nil {
			return err
		}
		if rows, err := result.RowsAffected(); err != nil {
			return err
		} else if rows > 0 {
			done[table] = rows
		}
		return nil
	}
	steps := []struct{ table, statement string }{
		{"account_snapshots", `
			DELETE FROM account_snapshots s
			USING identities i
			WHERE i.person_id = $1
			  AND i.partner_id = s.partner_id
			  AND i.subject = s.subject`},
		{"legacy_mappings", `
			DELETE FROM legacy_mappings m
			USING identities i
			WHERE i.person_id = $1
			  AND i.partner_id = m.partner_id
			  AND i.subject = m.subject`},
	}
	for _, t := range personalTables {
		steps = append(steps, struct{ table, statement string }{t.table,
			`DELETE FROM ` + t.table + ` WHERE ` + t.column + ` = $1`})
	}
	for _, a := range answeredBy {
		steps = append(steps, struct{ table, statement string }{a.table + " by nobody",
			`UPDATE ` + a.table + ` SET ` + a.column + ` = NULL WHERE ` + a.column + ` = $1`})
	}
	steps = append(steps,
		struct{ table, statement string }{"identities", `DELETE FROM identities WHERE person_id = $1`},
		struct{ table, statement string }{"persons", `DELETE FROM persons WHERE id = $1`})
	for _, s := range steps {
		if err := remove(s.table, s.statement); err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, `UPDATE erasures SET ended_at = $2 WHERE kind = 'person' AND id = $1`, id, now)
	if err != nil {
		return err
	}
	return d.record(ctx, tx, now, act{action: ActErase, objectType: "person", objectID: id.String(), person: id,
		counts: done.total()})
}

// answeredBy are the columns of businesses that name a person who did something there.
var answeredBy = []struct{ table, column string }{{"answers", "answered_by"}, {"outstanding_issues", "answered_by"}}

// takeOutOfTexts replaces an address in all texts of a business, some rows at a time.
// The names that partners and providers know rows by stay: without them the next upload would count a row twice.
func (d *DB) takeOutOfTexts(ctx context.Context, organization, person uuid.UUID, email string, done Erased) error {
	var columns []struct {
		Table  string `db:"table_name"`
		Column string `db:"column_name"`
		Type   string `db:"type"`
	}
	err := d.db.SelectContext(ctx, &columns, `
		SELECT c.table_name, c.column_name, c.udt_name AS type
		FROM information_schema.columns c
		WHERE c.table_schema = current_schema()
		  AND c.table_name = ANY ($1)
		  AND c.udt_name IN ('text', '_text', 'jsonb')
		  AND c.is_generated = 'NEVER'
		  AND c.column_name NOT IN (
		    'partner_id', 'business_id', 'external_id', 'feed_account', 'seen_accounts', 'cursor')
		ORDER BY c.table_name <> 'transactions', c.table_name, c.column_name`,
		textTables())
	if err != nil {
		return translate(ctx, err)
	}
	pattern, instead := wholeAddress(email), "erased-"+person.String()[24:] // two people in one key stay apart
	for _, c := range columns {
		key := "organization_id"
		if c.Table == "organizations" {
			key = "id"
		}
		statement := fmt.Sprintf(`
			UPDATE %[1]s
			SET %[2]s = regexp_replace(%[2]s::text, $2, $4, 'gi')::%[3]s
			WHERE %[4]s = $1
			  AND ctid = ANY (ARRAY (
			    SELECT ctid
			    FROM %[1]s
			    WHERE %[4]s = $1
			      AND %[2]s::text ~* $2
			    LIMIT $3))`, c.Table, c.Column, strings.Replace(c.Type, "_text", "text[]", 1), key)
		for more := true; more; {
			var rows int64
			err := d.inTx(ctx, func(tx *sqlx.Tx) error {
				result, err := tx.ExecContext(ctx, statement, organization, pattern, erasedAtOnce, instead)
				if err != nil {
					return err
				}
				rows, err = result.RowsAffected()
				return err
			})
			if err != nil {
				return err
			}
			if rows > 0 {
				done[c.Table+"."+c.Column] += rows
			}
			more = rows == erasedAtOnce
		}
	}
	return nil
}

func textTables() pq.StringArray { return append(slices.Clone(erasedTables), "organizations") }

// wholeAddress is a pattern of an address that is not a part of a longer one.
func wholeAddress(email string) string {
	var p strings.Builder
	for _, r := range email {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, r) {
			p.WriteByte('\\')
		}
		p.WriteRune(r)
	}
	return `(?<![[:alnum:]._%+-])` + p.String() + `(?![[:alnum:]-]|\.[[:alnum:]])`
}

// PartnerErasure is what goes with a partner.
type PartnerErasure struct {
	Organizations []uuid.UUID
	People        []uuid.UUID // whom nobody else vouches for
}

// PlanPartner finds out what erasing a partner means. ErrNotFound.
func (d *DB) PlanPartner(ctx context.Context, id string) (PartnerErasure, error) {
	var plan PartnerErasure
	if _, err := d.LimitsOfPartner(ctx, id); err != nil {
		return plan, err
	}
	err := d.db.SelectContext(ctx, &plan.Organizations, `
		SELECT id
		FROM organizations
		WHERE partner_id = $1
		UNION
		SELECT organization_id
		FROM legacy_mappings
		WHERE partner_id = $1
		ORDER BY 1`,
		id)
	if err != nil {
		return plan, translate(ctx, err)
	}
	err = d.db.SelectContext(ctx, &plan.People, `
		SELECT DISTINCT person_id
		FROM identities i
		WHERE partner_id = $1
		  AND NOT EXISTS (
		    SELECT
		    FROM identities other
		    WHERE other.person_id = i.person_id
		      AND other.partner_id <> $1)
		ORDER BY person_id`,
		id)
	return plan, translate(ctx, err)
}

// EndPartner removes what is left of a partner whose businesses and people were erased, and whom nobody may connect any
// more. Its id stays with its record, disabled, so that nobody else takes it. ErrNotFound.
func (d *DB) EndPartner(ctx context.Context, now time.Time, id string) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := lockPartner(ctx, tx, id); err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM account_snapshots WHERE partner_id = $1`,
			`DELETE FROM partner_secrets WHERE partner_id = $1`,
			`DELETE FROM memberships WHERE partner_id = $1`,
			`DELETE FROM identities WHERE partner_id = $1`,
			`UPDATE partners SET name = '' WHERE id = $1`,
		} {
			if _, err := tx.ExecContext(ctx, statement, id); err != nil {
				return err
			}
		}
		return d.record(ctx, tx, now, act{action: ActErase, objectType: "partner", objectID: id, partner: id})
	})
}
