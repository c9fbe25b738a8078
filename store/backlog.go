package store

import (
	"context"
	"time"
)

// Backlog is what stands in the database to be processed, of all businesses together.
type Backlog struct {
	Events         int64      `db:"events"`          // accounts with an upload or a change that is not processed
	LateEvents     int64      `db:"late_events"`     // those that the relay is to take: their signal reached no worker in time
	OldestEvent    *time.Time `db:"oldest_event"`    // when the account of it was last given something, to within relayAfter; nil without events
	Snapshots      int64      `db:"snapshots"`       // of the webhook
	OldestSnapshot *time.Time `db:"oldest_snapshot"` // when it was received; nil without snapshots
}

// Backlog reads the events alone, at most one an account, and no row of a business.
func (d *DB) Backlog(ctx context.Context, now time.Time) (Backlog, error) {
	var b Backlog
	err := d.db.GetContext(ctx, &b, `
		SELECT e.events, e.late_events, e.oldest_event, s.snapshots, s.oldest_snapshot
		FROM (
		  SELECT count(*) AS events,
		         count(*) FILTER (WHERE next_at <= $1) AS late_events,
		         min(`+cameAt("$2", "$3")+`) AS oldest_event
		  FROM pending_work) e
		CROSS JOIN (
		  SELECT count(*) AS snapshots,
		         min(received_at) AS oldest_snapshot
		  FROM account_snapshots
		  WHERE state = 'pending') s`,
		now, relayAfter.Seconds(), relayMost.Seconds())
	return b, translate(ctx, err)
}
