package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

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

// NothingStored is the outcome of a statement that stored nothing, or of one in a transaction.
func NothingStored(ctx context.Context, err error) error {
	return translate(ctx, nothingStored(ctx, err))
}

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
		n := &node{name: address, db: d.db, rows: d, parts: map[string]string{}, pulse: newPulse(d.db, 1)}
		if address == NobodyThere {
			var err error
			if n, err = d.openNode(address, nil); err != nil {
				return err
			}
		}
		for _, table := range migrations.Distributed {
			n.parts[table] = fmt.Sprintf("SELECT * FROM %s WHERE organization_id = ANY ('%s')", table, uuids(ids))
		}
		d.nodes.list = append(d.nodes.list, n)
	}
	return nil
}

// WriteOn has each pool of a node at an address write, and returns what comes of it.
func WriteOn(d *DB, address, write string) (failures []error, err error) {
	n, err := d.openNode(address, nil)
	if err != nil {
		return nil, err
	}
	defer n.close()
	for _, pool := range []*sqlx.DB{n.db, n.rows.db, n.pulse.db} {
		_, failed := pool.Exec(write)
		failures = append(failures, failed)
	}
	return failures, nil
}

// InTx is a transaction of a pool's.
func InTx(ctx context.Context, d *DB, do func(tx *sqlx.Tx) error) error { return d.inTx(ctx, do) }

// LiveAt has a pool take a business for one that lives on a node, where tables have other names: its own database, or
// that of NobodyThere or another address.
func LiveAt(d *DB, business uuid.UUID, address string, group int, shard int64, pieces map[string]string) error {
	TakeForSpread(d)
	n, err := d.openNode(address, nil)
	if err != nil {
		return err
	}
	if address == "here" {
		n.rows = &DB{dsn: d.dsn}
		n.rows.open(d.dialer.patience, nodeConnections)
	}
	d.nodes.list, d.nodes.until = []*node{n}, time.Now().Add(time.Hour)
	d.nodes.homes = map[string]*home{"": {node: n, group: group, shard: shard, pieces: pieces}}
	d.nodes.businesses = map[uuid.UUID]string{business: ""}
	return nil
}
