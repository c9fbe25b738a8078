package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// personErasure is what goes with a person beside what is theirs alone.
type personErasure struct {
	organizations []uuid.UUID // native ones that nobody else is in: they go whole
	elsewhere     []uuid.UUID // others that they are or were in
}

// personalTables hold what is a person's in no business, with the column that names them. A test holds them against the
// schema.
var personalTables = []struct{ table, column string }{
	{"oauth_tokens", "person_id"}, {"oauth_identities", "person_id"}, {"stripe_customers", "person_id"},
	{"subscriptions", "person_id"}, {"agent_requests", "person_id"}, {"agent_grants", "person_id"},
	{"memberships", "person_id"},
}

// planPerson finds out what erasing a person means. ErrNotFound for an unknown one, and for one who is erased.
func (d *DB) planPerson(ctx context.Context, id uuid.UUID) (personErasure, Erased, error) {
	var plan personErasure
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
			plan.organizations = append(plan.organizations, r.ID)
		} else {
			plan.elsewhere = append(plan.elsewhere, r.ID)
		}
	}
	for _, t := range append(slices.Clone(personalTables), struct{ table, column string }{"identities", "person_id"}) {
		var n int64
		query, args := `SELECT count(*) FROM `+t.table+` WHERE `+t.column+` = $1`, []any{id}
		if t.table == "memberships" { // others go with the person's own businesses, and are counted there
			query, args = query+` AND organization_id = ANY ($2::uuid[])`, append(args, uuids(plan.elsewhere))
		}
		err := d.db.GetContext(ctx, &n, query, args...)
		if err != nil {
			return plan, nil, translate(ctx, err)
		}
		if n > 0 {
			counted[t.table] = n
		}
	}
	return plan, counted, nil
}

// CountPerson counts what ErasePerson would remove, and the businesses that stay and hold the person's e-mail.
// ErrNotFound.
func (d *DB) CountPerson(ctx context.Context, id uuid.UUID) (Erased, error) {
	plan, counted, err := d.planPerson(ctx, id)
	if err != nil {
		return nil, err
	}
	addresses, err := d.addressesOf(ctx, []uuid.UUID{id})
	if err != nil {
		return nil, err
	}
	mentioned, err := d.mentioned(ctx, addresses)
	if err != nil {
		return nil, err
	}
	for _, organization := range mentioned.of(addresses...) {
		if !slices.Contains(plan.organizations, organization) {
			counted["organizations whose texts have their e-mail"]++
		}
	}
	return counted, d.countAll(ctx, plan.organizations, counted)
}

// countAll adds what businesses hold.
func (d *DB) countAll(ctx context.Context, organizations []uuid.UUID, to Erased) error {
	for _, id := range organizations {
		rows, err := d.CountOrganization(ctx, id)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return err
		}
		to.Add(rows)
	}
	return nil
}

// ErasePerson removes a person: who they are, to whom, their tokens, memberships and subscription, their own native
// businesses, their e-mail from the texts of all businesses, and their name as that of who commented in those they were
// in. Those businesses stay, and answers that the person gave stay theirs, by nobody. Called again it goes on where it
// was. ErrNotFound.
func (d *DB) ErasePerson(ctx context.Context, now time.Time, id uuid.UUID) (Erased, error) {
	addresses, err := d.addressesOf(ctx, []uuid.UUID{id})
	if err != nil {
		return Erased{}, err
	}
	mentioned, err := d.mentioned(ctx, addresses)
	if err != nil {
		return Erased{}, err
	}
	return d.erasePerson(ctx, now, id, mentioned)
}

func (d *DB) erasePerson(ctx context.Context, now time.Time, id uuid.UUID, m mentions) (Erased, error) {
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
	plan, _, err := d.planPerson(ctx, id)
	if err != nil {
		return done, err
	}
	for _, organization := range plan.organizations {
		went, err := d.EraseOrganization(ctx, now, organization)
		done.Add(went)
		if err != nil {
			return done, err
		}
	}
	if err := d.takeOutPerson(ctx, person, plan, m, done); err != nil {
		return done, err
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

// takeOutPerson writes something else for a person's e-mail wherever it is, and for their name as that of who commented
// in the businesses they were in. A name in other texts stays: nobody can tell whose it is.
func (d *DB) takeOutPerson(ctx context.Context, p Person, plan personErasure, m mentions, done Erased) error {
	instead := "erased-" + p.ID.String()[24:] // two people in one key stay apart
	if p.Email != nil && *p.Email != "" {
		for _, organization := range m.of(*p.Email) {
			if err := d.takeOutOfTexts(ctx, organization, *p.Email, instead, done); err != nil {
				return err
			}
		}
	}
	if p.Name == nil || *p.Name == "" {
		return nil
	}
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		result, err := tx.ExecContext(ctx, `
			UPDATE transaction_comments
			SET author = $3
			WHERE organization_id = ANY ($1::uuid[])
			  AND author = $2`,
			uuids(plan.elsewhere), *p.Name, instead)
		if err != nil {
			return err
		}
		if rows, err := result.RowsAffected(); err != nil {
			return err
		} else if rows > 0 {
			done["transaction_comments.author"] += rows
		}
		return nil
	})
}
