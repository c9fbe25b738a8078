package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// partnerErasure is what goes with a partner.
type partnerErasure struct {
	organizations []uuid.UUID
	people        []uuid.UUID // whom nobody else vouches for
}

// planPartner finds out what erasing a partner means. ErrNotFound.
func (d *DB) planPartner(ctx context.Context, id string) (partnerErasure, error) {
	var plan partnerErasure
	if _, err := d.LimitsOfPartner(ctx, id); err != nil {
		return plan, err
	}
	err := d.db.SelectContext(ctx, &plan.organizations, `
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
	err = d.db.SelectContext(ctx, &plan.people, `
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

// CountPartner counts what ErasePartner would remove. ErrNotFound.
func (d *DB) CountPartner(ctx context.Context, id string) (Erased, error) {
	plan, err := d.planPartner(ctx, id)
	if err != nil {
		return nil, err
	}
	counted := Erased{"partners": 1}
	own := plan.organizations
	for _, person := range plan.people {
		of, rows, err := d.planPerson(ctx, person)
		if err != nil && !errors.Is(err, ErrNotFound) {
			return nil, err
		}
		counted.Add(rows)
		own = append(own, of.organizations...)
		for _, of := range of.elsewhere { // the partner's have their memberships counted with all they hold
			if slices.Contains(plan.organizations, of) {
				counted["memberships"]--
			}
		}
	}
	return counted, d.countAll(ctx, inOrder(own), counted)
}

// ErasePartner removes a partner with all its businesses, and the people that nobody else vouches for. It is disabled
// first: whoever is being connected meanwhile would come back. Its id stays with its record, so that nobody else takes
// it. After a kill a worker goes on with it, or whoever calls it again. ErrNotFound.
func (d *DB) ErasePartner(ctx context.Context, now time.Time, id string) (Erased, error) {
	done := Erased{"partners": 1}
	if err := d.beginErasingPartner(ctx, now, id); err != nil {
		return done, err
	}
	plan, err := d.planPartner(ctx, id)
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
	addresses, err := d.addressesOf(ctx, plan.people)
	if err != nil {
		return done, err
	}
	mentioned, err := d.mentioned(ctx, addresses)
	if err != nil {
		return done, err
	}
	for _, person := range plan.people {
		went, err := d.erasePerson(ctx, now, person, mentioned)
		done.Add(went)
		if err != nil {
			return done, err
		}
	}
	return done, d.endPartner(ctx, now, id)
}

// UnfinishedPartner finds the partner whose end began longest ago and is not over, some minutes after it began.
// ErrNotFound where there is none.
func (d *DB) UnfinishedPartner(ctx context.Context) (id string, err error) {
	err = d.db.GetContext(ctx, &id, `
		SELECT id
		FROM partners
		WHERE erasing_at < now() - interval '5 minutes'
		ORDER BY erasing_at
		LIMIT 1`)
	return id, translate(ctx, err)
}

func (d *DB) beginErasingPartner(ctx context.Context, now time.Time, id string) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := lockPartner(ctx, tx, id); err != nil {
			return err
		}
		result, err := tx.ExecContext(ctx, `
			UPDATE partners
			SET erasing_at = $2,
			    disabled_at = coalesce(disabled_at, $2)
			WHERE id = $1
			  AND erasing_at IS NULL`,
			id, now)
		if err != nil {
			return err
		}
		if began, err := result.RowsAffected(); err != nil || began == 0 {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActDisable, objectType: "partner", objectID: id, partner: id})
	})
}

// endPartner removes what is left of a partner whose businesses and people are gone, and whom nobody may connect any
// more.
func (d *DB) endPartner(ctx context.Context, now time.Time, id string) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		if err := lockPartner(ctx, tx, id); err != nil {
			return err
		}
		for _, statement := range []string{
			`DELETE FROM account_snapshots WHERE partner_id = $1`,
			`DELETE FROM partner_secrets WHERE partner_id = $1`,
			`DELETE FROM agent_requests WHERE partner_id = $1`,
			`DELETE FROM agent_grants WHERE partner_id = $1`,
			`DELETE FROM memberships WHERE partner_id = $1`,
			`DELETE FROM identities WHERE partner_id = $1`,
			`UPDATE partners SET name = '', sign_in_url = NULL, erasing_at = NULL WHERE id = $1`,
		} {
			if _, err := tx.ExecContext(ctx, statement, id); err != nil {
				return err
			}
		}
		return d.record(ctx, tx, now, act{action: ActErase, objectType: "partner", objectID: id, partner: id})
	})
}
