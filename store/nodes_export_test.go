package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"

	"bizfin/migrations"
)

// NobodyThere is the address of a node that is away.
const NobodyThere = "127.0.0.1:1"

// TakeForSpread has a pool take its database for one that may be spread.
func TakeForSpread(d *DB) {
	spread := true
	d.connections.spread.Store(&spread)
}

// Translate is the outcome that an error is.
func Translate(ctx context.Context, err error) error { return translate(ctx, err) }

// RestFor has a pool leave what failed alone for a time, from now on and what rests already; 0 is as usual.
func RestFor(d *DB, rest time.Duration) {
	d.resting.mu.Lock()
	defer d.resting.mu.Unlock()
	d.resting.rest = rest
	for _, businesses := range d.resting.until {
		for business := range businesses {
			businesses[business] = time.Now().Add(rest)
		}
	}
}

// SpreadOver has a pool of one database take it for one that is spread: each node has the rows of some businesses, and
// those of an address where nobody listens are out of reach.
func SpreadOver(d *DB, businesses map[string][]uuid.UUID) error {
	for address, ids := range businesses {
		n := &node{name: address, parts: map[string]string{}}
		if n.db = d.db; address == NobodyThere {
			var err error
			if n, err = d.openNode(address, nil); err != nil {
				return err
			}
		}
		list, err := uuids(ids).Value()
		if err != nil {
			return err
		}
		for _, table := range migrations.Distributed {
			n.parts[table] = fmt.Sprintf("SELECT * FROM %s WHERE organization_id = ANY ('%s')", table, list)
		}
		d.nodes.list = append(d.nodes.list, n)
	}
	return nil
}
