package store

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// Subscription is the payment processor's subscription of a person, as last synced.
type Subscription struct {
	Status            string     `db:"status"` // trialing, active, past_due or canceled
	Plan              *string    `db:"plan"`
	Interval          *string    `db:"interval"`
	CurrentPeriodEnd  *time.Time `db:"current_period_end"`
	CancelAtPeriodEnd bool       `db:"cancel_at_period_end"`
	Provider          string     `db:"provider"`
	SyncedAt          time.Time  `db:"synced_at"`
}

// Subscription finds a person's own subscription. ErrNotFound where there is none.
func (d *DB) Subscription(ctx context.Context, person uuid.UUID) (Subscription, error) {
	var s Subscription
	err := d.db.GetContext(ctx, &s, `
		SELECT status, plan, "interval", current_period_end, cancel_at_period_end, provider, synced_at
		FROM subscriptions
		WHERE person_id = $1`,
		person)
	return s, translate(ctx, err)
}

// CustomerState is what the payment processor says of one of its customers.
type CustomerState struct {
	ID           string
	PersonID     *uuid.UUID            // whom the customer is said to be; may be nobody we know
	Subscription *CustomerSubscription // nil where there is none
}

// CustomerSubscription is the subscription of a customer that counts, of those there are.
type CustomerSubscription struct {
	Status            string     `db:"status"` // as in Subscription
	Plan              *string    `db:"plan"`
	Interval          *string    `db:"interval"`
	CurrentPeriodEnd  *time.Time `db:"current_period_end"`
	CancelAtPeriodEnd bool       `db:"cancel_at_period_end"`
}

// Equal reports whether both say the same.
func (s *CustomerSubscription) Equal(other *CustomerSubscription) bool {
	if s == nil || other == nil {
		return s == other
	}
	return s.Status == other.Status && equal(s.Plan, other.Plan) && equal(s.Interval, other.Interval) &&
		s.CancelAtPeriodEnd == other.CancelAtPeriodEnd &&
		(s.CurrentPeriodEnd == nil) == (other.CurrentPeriodEnd == nil) &&
		(s.CurrentPeriodEnd == nil || s.CurrentPeriodEnd.Equal(*other.CurrentPeriodEnd))
}

func equal[T comparable](a, b *T) bool { return a == b || a != nil && b != nil && *a == *b }

// NoticeCustomer stores that there is something new of a customer, so that the payment processor is asked; person,
// which may be nil, is whom the customer is said to be. It returns whose customer it is from now on, nil while
// nobody's: the first link to a person there is stays.
func (d *DB) NoticeCustomer(ctx context.Context, now time.Time, id string, person *uuid.UUID) (*uuid.UUID, error) {
	var linked *uuid.UUID
	err := d.inTx(ctx, func(tx *sqlx.Tx) error {
		before, err := personOfCustomer(ctx, tx, id)
		if err != nil {
			return err
		}
		err = tx.GetContext(ctx, &linked, `
			INSERT INTO stripe_customers AS c (id, person_id, next_at, created_at)
			VALUES ($1, (SELECT id FROM persons WHERE id = $2), $3, $3)
			ON CONFLICT ON CONSTRAINT stripe_customers_pkey DO UPDATE
			SET person_id = coalesce(c.person_id, excluded.person_id),
			    version = c.version + 1,
			    next_at = excluded.next_at,
			    attempts = 0
			RETURNING person_id`,
			id, person, now)
		if err != nil {
			return err
		}
		return d.recordLinked(ctx, tx, now, before, linked)
	})
	return linked, err
}

// personOfCustomer is whose a customer is, who is held; nil for nobody's and for one that is not there.
func personOfCustomer(ctx context.Context, tx *sqlx.Tx, id string) (*uuid.UUID, error) {
	var person *uuid.UUID
	err := tx.GetContext(ctx, &person, `SELECT person_id FROM stripe_customers WHERE id = $1 FOR UPDATE`, id)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	return person, err
}

// recordLinked records that a customer has become a person's.
func (d *DB) recordLinked(ctx context.Context, tx *sqlx.Tx, now time.Time, before, linked *uuid.UUID) error {
	if before != nil || linked == nil {
		return nil
	}
	return d.record(ctx, tx, now, act{action: ActLinkCustomer, objectType: "person", objectID: linked.String(),
		person: *linked})
}

// DueCustomer is a customer taken by somebody who asks the payment processor about it.
type DueCustomer struct {
	ID       string `db:"id"`
	Version  int64  `db:"version"`  // an answer is stored over this version alone
	Attempts int    `db:"attempts"` // since the last answer, this one included
}

// ClaimDueCustomers takes up to limit customers that are due, the longest due first, and puts each off by the lease, so
// that it is taken again if nobody finishes it.
func (d *DB) ClaimDueCustomers(ctx context.Context, now time.Time, lease time.Duration,
	limit int) ([]DueCustomer, error) {
	var due []DueCustomer
	err := d.db.SelectContext(ctx, &due, `
		UPDATE stripe_customers
		SET version = version + 1,
		    attempts = attempts + 1,
		    next_at = $2
		WHERE id IN (
		  SELECT id
		  FROM stripe_customers
		  WHERE next_at <= $1
		  ORDER BY next_at
		  LIMIT $3
		  FOR UPDATE SKIP LOCKED)
		RETURNING id, version, attempts`,
		now, now.Add(lease), limit)
	return due, translate(ctx, err)
}

// PutOffCustomer has a taken customer asked about again at a time. ErrNotFound where something new came meanwhile,
// which has it asked about at once.
func (d *DB) PutOffCustomer(ctx context.Context, c DueCustomer, at time.Time) error {
	result, err := d.db.ExecContext(ctx, `
		UPDATE stripe_customers
		SET next_at = $3
		WHERE id = $1
		  AND version = $2`,
		c.ID, c.Version, at)
	return changedOne(ctx, result, err)
}

// SaveCustomer stores what the payment processor answered at a time, and what follows from it for the person.
// ErrNotFound where something new came since the customer was taken: then the answer may be older, and the customer
// is due again.
func (d *DB) SaveCustomer(ctx context.Context, at time.Time, c DueCustomer, found CustomerState) error {
	s := found.Subscription
	if s == nil {
		s = &CustomerSubscription{}
	}
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		before, err := personOfCustomer(ctx, tx, c.ID)
		if err != nil {
			return err
		}
		var person *uuid.UUID
		err = tx.GetContext(ctx, &person, `
			UPDATE stripe_customers
			SET person_id = coalesce(person_id, (SELECT id FROM persons WHERE id = $3)),
			    next_at = NULL,
			    attempts = 0,
			    status = nullif($4, ''),
			    plan = $5,
			    "interval" = $6,
			    current_period_end = $7,
			    cancel_at_period_end = $8,
			    synced_at = $9
			WHERE id = $1
			  AND version = $2
			RETURNING person_id`,
			c.ID, c.Version, found.PersonID, s.Status, s.Plan, s.Interval, s.CurrentPeriodEnd, s.CancelAtPeriodEnd, at)
		if err != nil || person == nil {
			return err
		}
		if err := d.recordLinked(ctx, tx, at, before, person); err != nil {
			return err
		}
		return d.refreshSubscription(ctx, tx, *person)
	})
}

// ErrCustomerLinked: the payment processor's customer is linked to another person.
var ErrCustomerLinked = errors.New("store: customer is linked to another person")

// LinkCustomer links a customer of the payment processor to a person, and has it asked about. ErrNotFound for an
// unknown person, ErrCustomerLinked where the customer is another's.
func (d *DB) LinkCustomer(ctx context.Context, now time.Time, id string, person uuid.UUID) error {
	var found uuid.UUID
	if err := d.db.GetContext(ctx, &found, `SELECT id FROM persons WHERE id = $1`, person); err != nil {
		return translate(ctx, err)
	}
	linked, err := d.NoticeCustomer(ctx, now, id, &person)
	switch {
	case err != nil:
		return err
	case *linked != person:
		return ErrCustomerLinked
	default:
		return d.inTx(ctx, func(tx *sqlx.Tx) error { return d.refreshSubscription(ctx, tx, person) })
	}
}

// UnlinkCustomer ends the link of a customer to its person. ErrNotFound where there is no such customer, or it is
// nobody's.
func (d *DB) UnlinkCustomer(ctx context.Context, now time.Time, id string) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		var person uuid.UUID
		err := tx.GetContext(ctx, &person, `
			SELECT person_id
			FROM stripe_customers
			WHERE id = $1
			  AND person_id IS NOT NULL
			FOR UPDATE`,
			id)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE stripe_customers
			SET person_id = NULL,
			    version = version + 1
			WHERE id = $1`,
			id)
		if err != nil {
			return err
		}
		if err := d.refreshSubscription(ctx, tx, person); err != nil {
			return err
		}
		return d.record(ctx, tx, now, act{action: ActEndCustomer, objectType: "person", objectID: person.String(),
			person: person})
	})
}

// refreshSubscription makes a person's subscription the best of their customers'. The person is locked, so customers of
// one person are followed one after the other.
func (d *DB) refreshSubscription(ctx context.Context, tx *sqlx.Tx, person uuid.UUID) error {
	for _, statement := range []string{`
		SELECT
		FROM persons
		WHERE id = $1
		FOR NO KEY UPDATE`, `
		DELETE FROM subscriptions
		WHERE person_id = $1
		  AND NOT EXISTS (
		    SELECT
		    FROM stripe_customers
		    WHERE person_id = $1
		      AND status IS NOT NULL)`, `
		INSERT INTO subscriptions (person_id, status, plan, "interval", current_period_end, cancel_at_period_end,
		  provider, synced_at)
		SELECT person_id, status, plan, "interval", current_period_end, cancel_at_period_end, 'stripe', synced_at
		FROM stripe_customers
		WHERE person_id = $1
		  AND status IS NOT NULL
		ORDER BY array_position(ARRAY ['active', 'trialing', 'past_due', 'canceled'], status),
		  current_period_end DESC NULLS LAST, id
		LIMIT 1
		ON CONFLICT ON CONSTRAINT subscriptions_pkey DO UPDATE
		SET status = excluded.status,
		    plan = excluded.plan,
		    "interval" = excluded."interval",
		    current_period_end = excluded.current_period_end,
		    cancel_at_period_end = excluded.cancel_at_period_end,
		    provider = excluded.provider,
		    synced_at = excluded.synced_at`,
	} {
		if _, err := tx.ExecContext(ctx, statement, person); err != nil {
			return err
		}
	}
	return d.refreshNativeTiers(ctx, tx, person)
}

// refreshNativeTiers gives the native businesses that a person owns the tier that they pay for: no partner says one
// of these. A partner's business has the tier of the last connection, whatever its people pay.
func (d *DB) refreshNativeTiers(ctx context.Context, tx *sqlx.Tx, person uuid.UUID) error {
	var changed []struct {
		ID   uuid.UUID `db:"id"`
		Tier *string   `db:"tier"`
	}
	err := tx.SelectContext(ctx, &changed, `
		WITH owned AS (
		  SELECT o.id,
		    CASE WHEN EXISTS (
		      SELECT
		      FROM memberships m
		      JOIN subscriptions s ON s.person_id = m.person_id AND s.status IN ('active', 'trialing')
		      WHERE m.organization_id = o.id
		        AND m.partner_id IS NULL
		        AND m.role = 'owner'
		        AND m.revoked_at IS NULL) THEN 'paid' END AS tier
		  FROM organizations o
		  WHERE o.partner_id IS NULL
		    AND o.id IN (
		      SELECT organization_id
		      FROM memberships
		      WHERE person_id = $1
		        AND partner_id IS NULL
		        AND role = 'owner'
		        AND revoked_at IS NULL))
		UPDATE organizations o
		SET tier = owned.tier
		FROM owned
		WHERE o.id = owned.id
		  AND o.tier IS DISTINCT FROM owned.tier
		RETURNING o.id, o.tier`,
		person)
	var paid []uuid.UUID
	for _, o := range changed {
		if o.Tier != nil {
			paid = append(paid, o.ID)
		}
	}
	if err != nil || len(paid) == 0 {
		return err
	}
	return d.releasePaid(ctx, tx, paid)
}

// Customer is a customer of the payment processor as it is stored.
type Customer struct {
	ID       string     `db:"id"`
	PersonID *uuid.UUID `db:"person_id"`
	Due      bool       `db:"due"` // the processor is still to be asked
	SyncedAt *time.Time `db:"synced_at"`
	// Subscription is nil where the customer has none, or was not asked about.
	Subscription *CustomerSubscription
}

// Customers lists the known customers of the payment processor in the order of their ids, or those that are nobody's.
func (d *DB) Customers(ctx context.Context, unlinkedOnly bool) ([]Customer, error) {
	var rows []struct {
		Customer
		Status            *string    `db:"status"`
		Plan              *string    `db:"plan"`
		Interval          *string    `db:"interval"`
		CurrentPeriodEnd  *time.Time `db:"current_period_end"`
		CancelAtPeriodEnd bool       `db:"cancel_at_period_end"`
	}
	err := d.db.SelectContext(ctx, &rows, `
		SELECT id, person_id, next_at IS NOT NULL AS due, synced_at, status, plan, "interval", current_period_end,
		  cancel_at_period_end
		FROM stripe_customers
		WHERE NOT $1 OR person_id IS NULL
		ORDER BY id`,
		unlinkedOnly)
	customers := make([]Customer, len(rows))
	for i, row := range rows {
		customers[i] = row.Customer
		if row.Status != nil {
			customers[i].Subscription = &CustomerSubscription{Status: *row.Status, Plan: row.Plan,
				Interval: row.Interval, CurrentPeriodEnd: row.CurrentPeriodEnd,
				CancelAtPeriodEnd: row.CancelAtPeriodEnd}
		}
	}
	return customers, translate(ctx, err)
}

// ReconcileCustomers compares the payment processor's list, as it was asked for at a time, with what is stored: where
// they differ the customer is asked about, and where they agree it is synced. It returns how many differ.
func (d *DB) ReconcileCustomers(ctx context.Context, at time.Time, listed []CustomerState) (differ int, err error) {
	stored, err := d.Customers(ctx, false)
	if err != nil {
		return 0, err
	}
	known := make(map[string]Customer, len(stored))
	for _, c := range stored {
		known[c.ID] = c
	}
	var agree pq.StringArray
	for _, c := range listed {
		was, there := known[c.ID]
		delete(known, c.ID)
		if there && was.SyncedAt != nil && was.Subscription.Equal(c.Subscription) &&
			(was.PersonID != nil || c.PersonID == nil) {
			agree = append(agree, c.ID)
			continue
		}
		differ++
		if _, err := d.NoticeCustomer(ctx, at, c.ID, c.PersonID); err != nil {
			return differ, err
		}
	}
	for _, gone := range known {
		if gone.Subscription == nil {
			continue
		}
		differ++
		if _, err := d.NoticeCustomer(ctx, at, gone.ID, nil); err != nil {
			return differ, err
		}
	}
	return differ, d.touchCustomers(ctx, at, agree)
}

// touchCustomers says of customers that they were found unchanged.
func (d *DB) touchCustomers(ctx context.Context, at time.Time, ids pq.StringArray) error {
	return d.inTx(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE stripe_customers
			SET synced_at = greatest(synced_at, $2)
			WHERE id = ANY ($1::text[])`,
			ids, at)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, `
			UPDATE subscriptions s
			SET synced_at = greatest(s.synced_at, $2)
			FROM stripe_customers c
			WHERE c.id = ANY ($1::text[])
			  AND s.person_id = c.person_id
			  AND s.status = c.status
			  AND s.current_period_end IS NOT DISTINCT FROM c.current_period_end`,
			ids, at)
		return err
	})
}

// ClaimReconciliation takes the turn to look at all customers where it is due; the first one is due at once. The turn
// is taken until the time it returns, and anybody's after that. ErrNotFound where none is due.
func (d *DB) ClaimReconciliation(ctx context.Context, now time.Time, lease time.Duration) (taken time.Time, err error) {
	err = d.db.GetContext(ctx, &taken, `
		INSERT INTO stripe_reconciliation AS r (next_at)
		VALUES ($2)
		ON CONFLICT ON CONSTRAINT stripe_reconciliation_pkey DO UPDATE
		SET next_at = excluded.next_at
		WHERE r.next_at <= $1
		RETURNING next_at`,
		now, now.Add(lease))
	return taken, translate(ctx, err)
}

// EndReconciliation says when all customers are looked at next, and whether they were now. Who asked for it meanwhile,
// or took the turn when this one was over, is not overruled: the time stays that is not the one that was taken. The
// zero time is that of whoever took no turn.
func (d *DB) EndReconciliation(ctx context.Context, now, taken, next time.Time, done bool) error {
	_, err := d.db.ExecContext(ctx, `
		UPDATE stripe_reconciliation
		SET next_at = CASE WHEN next_at = $2 THEN $3 ELSE next_at END,
		    finished_at = CASE WHEN $4 THEN $1 ELSE finished_at END`,
		now, taken, next, done)
	return translate(ctx, err)
}

// changedOne is ErrNotFound where a statement changed no row.
func changedOne(ctx context.Context, result sql.Result, err error) error {
	if err != nil {
		return translate(ctx, err)
	}
	changed, err := result.RowsAffected()
	if err == nil && changed == 0 {
		return ErrNotFound
	}
	return err
}
