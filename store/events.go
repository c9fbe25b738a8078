package store

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// Event says that an account has something to be processed: everything it was given up to a generation. It stands in
// the database from the transaction that gave it until that generation is processed. Generations are never given
// twice, so whoever ends the one it saw ends nothing that came later.
type Event struct {
	OrganizationID uuid.UUID `db:"organization_id"`
	AccountID      uuid.UUID `db:"account_id"`
	Generation     int64     `db:"generation"`
	CameAt         time.Time `db:"came_at"` // the oldest upload or change in it, by the database's clock
	First          bool      `db:"first"`   // the account had no event before: nobody is in line for it yet
}

// Who accepted an event hands it to the queue; a relay takes what is still there after this time, and again after
// growing ones. All of these are told by the database's clock.
const (
	relayAfter = 5 * time.Second
	relayMost  = time.Minute
)

// An upload is accepted by one statement, with its event and the record, and how many rows came: uploads are many, and
// one more would be the fourth of theirs. A Citus plans that one for longer than its parts, each of which is of one
// table and one business.
var (
	acceptKnown = `
	WITH act AS (` + insertAct(4) + `)` + insertEvent
	acceptNew = `
	WITH act AS (` + insertAct(4) + `),
	counted AS (` + addCountsOf + `
	VALUES ($1, $2, $15::bigint, $16::bigint, 0, 0, 0, $15::bigint))` + insertEvent
	insertOneAct = insertAct(1)
)

const (
	insertEvent = `
	INSERT INTO pending_work AS w (organization_id, account_id, next_at)
	VALUES ($1, $2, now() + $3 * interval '1 second')
	ON CONFLICT ON CONSTRAINT pending_work_pkey DO UPDATE
	SET generation = excluded.generation,
	    attempts = 0,
	    next_at = least(w.next_at, excluded.next_at)
	RETURNING organization_id, account_id, generation, came_at, xmax = 0 AS first`
	countUploaded = addCountsOf + `
	VALUES ($1, $2, $3, $4, 0, 0, 0, $3)`
)

// acceptUpload stores the event of an upload, and the record of it: whoever sees this generation has everything of it
// to process. Where nobody signals it, a relay takes it when it is due.
func (o *Organization) acceptUpload(ctx context.Context, tx *sqlx.Tx, now time.Time, at *home, account uuid.UUID,
	counts quantities, pending int) (event Event, err error) {
	recorded, err := act{action: ActUpload, organization: o.ID, objectType: "account", objectID: account.String(),
		counts: counts}.arguments(ctx, now)
	if err != nil {
		return Event{}, err
	}
	if l := o.openLedger(tx); len(l.events) > 0 { // of other accounts, too: all are locked in order
		l.events[account] = true
		if err := o.storeEvents(ctx, tx, l); err != nil {
			return Event{}, err
		}
	}
	waiting := []any{o.ID, account, relayAfter.Seconds()}
	switch came := counts["new"]; {
	case at != nil:
		if came > 0 {
			if err := o.db.execIn(ctx, tx, countUploaded, o.ID, account, came, pending); err != nil {
				return Event{}, err
			}
		}
		if err := o.db.execIn(ctx, tx, insertOneAct, recorded...); err != nil {
			return Event{}, err
		}
		err = o.db.getIn(ctx, tx, &event, insertEvent, waiting...)
	case came > 0:
		err = o.db.getIn(ctx, tx, &event, acceptNew, slices.Concat(waiting, recorded, []any{came, pending})...)
	default:
		err = o.db.getIn(ctx, tx, &event, acceptKnown, slices.Concat(waiting, recorded)...)
	}
	return event, err
}

// acceptFeed has the event stored of rows that a feed brought.
func (o *Organization) acceptFeed(ctx context.Context, tx *sqlx.Tx, now time.Time, account uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE accounts
		SET last_upload_at = $3
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, account, now)
	if err != nil {
		return err
	}
	return o.queueEvents(ctx, tx, account)
}

// queueEvents has events of accounts stored without an upload, before the transaction commits: something they hold
// changed.
func (o *Organization) queueEvents(ctx context.Context, tx *sqlx.Tx, accounts ...uuid.UUID) error {
	if len(accounts) == 0 {
		return nil
	}
	l, err := o.ledgerOf(ctx, tx)
	if err != nil {
		return err
	}
	for _, a := range accounts {
		l.events[a] = true
	}
	return nil
}

// queueAll has the rows of the business gone through in turns, from the first on, by Restand.
func (o *Organization) queueAll(ctx context.Context, tx *sqlx.Tx, now time.Time) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO standing_due (organization_id, since)
		VALUES ($1, $2)
		ON CONFLICT ON CONSTRAINT standing_due_pkey DO UPDATE
		SET after = excluded.after,
		    since = excluded.since`,
		o.ID, now)
	return err
}

// Events lists the events of the business that are not processed yet.
func (o *Organization) Events(ctx context.Context) ([]Event, error) {
	var events []Event
	err := o.reader().SelectContext(ctx, &events, `
		SELECT organization_id, account_id, generation, came_at
		FROM pending_work
		WHERE organization_id = $1
		ORDER BY account_id`,
		o.ID)
	return events, translate(ctx, err)
}

// NextEvent takes the event of the business that has waited longest for a turn. ErrNotFound where there is none, or an
// upload is just adding to it.
func (o *Organization) NextEvent(ctx context.Context, turn Turn) (Event, error) {
	var event Event
	err := o.db.inTxRelaxed(ctx, func(tx *sqlx.Tx) error {
		return tx.GetContext(ctx, &event, `
			UPDATE pending_work w
			SET turn = $2
			FROM (
			  SELECT account_id
			  FROM pending_work
			  WHERE organization_id = $1
			  ORDER BY turn, came_at, account_id
			  LIMIT 1
			  FOR NO KEY UPDATE SKIP LOCKED) next
			WHERE w.organization_id = $1
			  AND w.account_id = next.account_id
			RETURNING w.organization_id, w.account_id, w.generation, w.came_at`,
			o.ID, turn.Number)
	})
	return event, err
}

// EndEvent ends an event of which nothing is left to process, unless a newer one came: it returns false then, and
// where an upload to the account is under way. An upload waits for this alone, and it is one short statement. waited
// is how long the oldest part of the event took from its acceptance.
func (o *Organization) EndEvent(ctx context.Context, now time.Time, e Event) (waited time.Duration, ended bool,
	err error) {
	var seconds []float64
	err = o.db.inTxRelaxed(ctx, func(tx *sqlx.Tx) error {
		return tx.SelectContext(ctx, &seconds, `
			WITH account AS (
			  SELECT id
			  FROM accounts
			  WHERE organization_id = $1
			    AND id = $2
			  FOR NO KEY UPDATE SKIP LOCKED),
			ended AS (
			  DELETE FROM pending_work w
			  USING account a
			  WHERE w.organization_id = $1
			    AND w.account_id = a.id
			    AND w.generation = $3
			  RETURNING w.account_id, w.came_at),
			processed AS (
			  UPDATE accounts a
			  SET last_processed_at = $4
			  FROM ended
			  WHERE a.organization_id = $1
			    AND a.id = ended.account_id
			  RETURNING ended.came_at)
			SELECT extract(epoch FROM clock_timestamp() - came_at)
			FROM processed`,
			o.ID, e.AccountID, e.Generation, now)
	})
	if err != nil || len(seconds) == 0 {
		return 0, false, err
	}
	return time.Duration(seconds[0] * float64(time.Second)), true, nil
}

// LateEvents takes up to limit events whose businesses wait and that are due, the longest due first, and puts each
// off, longer with every time, so that they are taken again if nobody works on them. It returns the turns their
// businesses wait for, also where others fail. Relays in any number of processes never take the same event at once.
func (d *DB) LateEvents(ctx context.Context, limit int) ([]Waiting, error) {
	waiting := d.longest(ctx, `
		SELECT p.organization_id, min(p.next_at) AS since
		FROM pending_work p
		LEFT JOIN turns t ON t.organization_id = p.organization_id
		WHERE p.next_at <= now()
		  AND (t.leased_until IS NULL OR t.leased_until <= now())
		GROUP BY p.organization_id`)
	var late []Waiting
	err := d.inPieces(ctx, "late events", waiting, func(ctx context.Context, p piece) error {
		var some []Waiting
		if len(late) >= limit {
			return nil
		}
		// Until when is a column of what is read: Citus updates by no now() to which something of a row is added.
		err := d.db.SelectContext(ctx, &some, `
			UPDATE pending_work w
			SET attempts = w.attempts + 1,
			    next_at = due.until
			FROM (
			  SELECT p.organization_id, p.account_id, coalesce(t.number, 0) AS number,
			         now() + least($2 * power(2, least(p.attempts, 10)), $3) * interval '1 second' AS until
			  FROM pending_work p
			  LEFT JOIN turns t ON t.organization_id = p.organization_id`+p.of("t.organization_id")+`
			  WHERE p.next_at <= now()`+p.of("p.organization_id")+`
			    AND (t.leased_until IS NULL OR t.leased_until <= now())
			  ORDER BY p.next_at
			  LIMIT $1
			  FOR NO KEY UPDATE OF p SKIP LOCKED) due
			WHERE w.organization_id = due.organization_id`+p.of("w.organization_id")+`
			  AND w.account_id = due.account_id
			RETURNING w.organization_id, due.number AS turn, w.turn > 0 AS behind, w.attempts`,
			limit-len(late), relayAfter.Seconds(), relayMost.Seconds())
		late = append(late, some...)
		return err
	})
	return byBusiness(late), err
}

// byBusiness leaves one entry a business: one of its accounts that had no turn yet counts for it.
func byBusiness(late []Waiting) []Waiting {
	at := map[uuid.UUID]int{}
	var list []Waiting
	for _, w := range late {
		if i, ok := at[w.OrganizationID]; ok {
			list[i].Behind = list[i].Behind && w.Behind
			continue
		}
		at[w.OrganizationID] = len(list)
		list = append(list, w)
	}
	slices.SortStableFunc(list, func(a, b Waiting) int { return falseFirst(a.Behind, b.Behind) })
	return list
}

// RelayNow makes the events of the business due: nobody but a relay will take them.
func (o *Organization) RelayNow(ctx context.Context) error {
	_, err := o.db.db.ExecContext(ctx, `
		UPDATE pending_work
		SET next_at = now(),
		    attempts = 0
		WHERE ctid = ANY (ARRAY (
		  SELECT ctid
		  FROM pending_work
		  WHERE organization_id = $1
		  FOR NO KEY UPDATE SKIP LOCKED))
		  /*spread: AND organization_id = $1 */`,
		o.ID)
	return translate(ctx, err)
}

// RelayAll makes events due that nobody works on: what the queue had of them is lost. It makes all of them due, but
// where businesses are taken by themselves only those of the first; others become due by themselves within relayMost.
func (d *DB) RelayAll(ctx context.Context) error {
	waiting := d.longest(ctx, `
		SELECT organization_id, min(next_at) AS since
		FROM pending_work
		WHERE next_at > now()
		GROUP BY organization_id`)
	return d.inPieces(ctx, "events to be relayed", waiting.living(), func(ctx context.Context, p piece) error {
		_, err := d.db.ExecContext(ctx, `
			UPDATE pending_work
			SET next_at = now()
			WHERE ctid = ANY (ARRAY (
			  SELECT ctid
			  FROM pending_work
			  WHERE next_at > now()`+p.of("organization_id")+`
			  FOR NO KEY UPDATE SKIP LOCKED))`+p.of("organization_id"))
		return err
	})
}

// Backlog is what stands in the database to be processed, of all businesses together.
type Backlog struct {
	Events         int64      `db:"events"`          // accounts with an upload or a change that is not processed
	LateEvents     int64      `db:"late_events"`     // those that the relay is to take: their signal reached no worker in time
	OldestEvent    float64    `db:"oldest_event"`    // seconds since its account was given something; 0 without events
	Snapshots      int64      `db:"snapshots"`       // of the webhook
	OldestSnapshot *time.Time `db:"oldest_snapshot"` // when it was received; nil without snapshots
	DeadSnapshots  int64      `db:"dead_snapshots"`  // given up
	Away           int        // nodes that could not be asked: their businesses' events are in none of these
}

// Backlog reads the events alone, at most one an account, and no row of a business.
func (d *DB) Backlog(ctx context.Context) (Backlog, error) {
	var b Backlog
	err := d.db.GetContext(ctx, &b, `
		SELECT count(*) FILTER (WHERE state = 'pending') AS snapshots,
		       min(received_at) FILTER (WHERE state = 'pending') AS oldest_snapshot,
		       count(*) FILTER (WHERE state = 'dead') AS dead_snapshots
		FROM (
		  SELECT state, received_at
		  FROM account_snapshots
		  WHERE state = 'pending'
		  UNION ALL
		  SELECT state, received_at
		  FROM account_snapshots
		  WHERE state = 'dead') waiting`)
	if err != nil {
		return b, translate(ctx, err)
	}
	events, err := askLiving[Backlog](ctx, d, `
		SELECT count(*) AS events,
		       count(*) FILTER (WHERE next_at <= now()) AS late_events,
		       coalesce(extract(epoch FROM now() - min(came_at)), 0) AS oldest_event
		FROM pending_work`)
	if err != nil {
		return b, err
	}
	for _, on := range slices.Concat(events...) {
		b.Events += on.Events
		b.LateEvents += on.LateEvents
		b.OldestEvent = max(b.OldestEvent, on.OldestEvent)
	}
	all, err := d.allNodes(ctx)
	b.Away = len(all) - len(events)
	return b, err
}
