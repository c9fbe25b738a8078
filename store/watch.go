package store

import (
	"context"
	"database/sql"
	"sync"
	"time"
)

const (
	pulseEvery    = time.Second
	pulsePatience = 5 * time.Second
)

// forgetIdle drops the connections that nobody uses: they have been hung up on, and would fail whoever is given one.
func (d *DB) forgetIdle() {
	most := d.db.Stats().MaxOpenConnections
	d.db.SetMaxIdleConns(0)
	d.db.SetMaxIdleConns(most)
}

// Watch ends all connections where the database answers nothing for five seconds, until ctx ends: what it hangs in the
// middle of is noticed then, and what takes long in a database that lives is let be. It has a connection of its own.
func (d *DB) Watch(ctx context.Context) {
	own := dialer{patience: pulsePatience, open: &sync.Map{}}
	pulse := sql.OpenDB(d.connector(own))
	pulse.SetMaxOpenConns(1)
	defer pulse.Close()
	tick := time.NewTicker(pulseEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		began := time.Now()
		limited, cancel := context.WithTimeout(ctx, pulsePatience)
		err := pulse.PingContext(limited)
		cancel()
		// A database that refuses has answered.
		if err != nil && ctx.Err() == nil && time.Since(began) > pulsePatience*9/10 {
			d.dialer.hangUp()
			d.forgetIdle()
		}
		select {
		case <-ctx.Done():
		case <-tick.C:
		}
	}
}
