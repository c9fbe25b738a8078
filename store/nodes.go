package store

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	nodePatience    = 5 * time.Second // with an answer of one of several nodes
	nodesKnown      = time.Minute     // for so long a list of nodes is good
	nodesKnownAway  = 5 * time.Second // where one of them was away: another may have its place
	nodeConnections = 2
)

// on is a statement in which the names of tables stand for what the node has of them. It begins with SELECT.
func (n *node) on(query string) string {
	var parts []string
	for _, table := range slices.Sorted(maps.Keys(n.parts)) {
		if strings.Contains(query, table) {
			parts = append(parts, fmt.Sprintf("%s AS NOT MATERIALIZED (%s)", table, n.parts[table]))
		}
	}
	if len(parts) == 0 {
		return query
	}
	return "WITH " + strings.Join(parts, ",\n") + query
}

// ask has each node say what a SELECT finds there of all businesses together, at the same time, and returns a list for
// each node that answers, and why others do not. On one machine it is the statement and nothing else.
func ask[T any](ctx context.Context, d *DB, query string, args ...any) (found [][]T, err error) {
	all, err := d.allNodes(ctx)
	if err != nil {
		return nil, err
	}
	lists, failures := make([][]T, len(all)), make([]error, len(all))
	if len(all) == 1 && all[0].parts == nil {
		failures[0] = all[0].db.SelectContext(ctx, &lists[0], query, args...)
	} else {
		var asking sync.WaitGroup
		for i, n := range all {
			asking.Go(func() {
				failures[i] = d.nodes.asking(n, func() error {
					limited, cancel := context.WithTimeout(ctx, nodePatience)
					defer cancel()
					return n.db.SelectContext(limited, &lists[i], n.on(query), args...)
				})
			})
		}
		asking.Wait()
	}
	for i, failure := range failures {
		if failure == nil {
			found = append(found, lists[i])
		} else if failures[i] = translate(ctx, failure); all[i].parts != nil && ctx.Err() == nil {
			failures[i] = fmt.Errorf("%w: node %s: %w", ErrAway, all[i].name, failures[i])
		}
	}
	return found, errors.Join(failures...)
}

// askLiving is ask where it is no failure that a node is away, as long as one is there.
func askLiving[T any](ctx context.Context, d *DB, query string, args ...any) (found [][]T, err error) {
	found, err = ask[T](ctx, d, query, args...)
	if len(found) > 0 {
		err = nil
	}
	return found, err
}

// Nodes are the addresses of the servers that the rows of businesses are spread over, and those that do not answer.
// There are none on one machine.
func (d *DB) Nodes(ctx context.Context) (all, away []string, err error) {
	nodes, err := d.allNodes(ctx)
	if err != nil || nodes[0].parts == nil {
		return nil, nil, err
	}
	for _, n := range nodes {
		all = append(all, n.name)
		limited, cancel := context.WithTimeout(ctx, nodePatience)
		if n.db.PingContext(limited) != nil {
			away = append(away, n.name)
		}
		cancel()
	}
	return all, away, nil
}

// asking asks a node, unless it is silent.
func (n *nodes) asking(one *node, ask func() error) error {
	if one.pulse.is() == nodeSilent {
		return &untouchedError{errSilent}
	}
	err := ask()
	if err == nil {
		return nil
	}
	one.pulse.wonder()
	n.mu.Lock()
	defer n.mu.Unlock()
	if soon := time.Now().Add(nodesKnownAway); n.until.After(soon) {
		n.until = soon
	}
	return err
}

// allNodes are the nodes of the database, as the coordinator knew them a moment ago. One asks it at a time; the others
// go on meanwhile with what they know.
func (d *DB) allNodes(ctx context.Context) ([]*node, error) {
	list, good := d.nodes.known()
	if good {
		return list, nil
	}
	if list == nil {
		d.nodes.reading.Lock()
	} else if !d.nodes.reading.TryLock() {
		return list, nil
	}
	defer d.nodes.reading.Unlock()
	if list, good = d.nodes.known(); good {
		return list, nil
	}
	pieces, err := d.readPieces(ctx)
	if err != nil {
		return nil, err
	}
	before, now := map[string]*node{}, map[string]*node{}
	for _, n := range list {
		before[n.name] = n
	}
	for _, p := range pieces {
		if now[p.node()] != nil {
			continue
		}
		n, err := d.openNode(p.node(), before[p.node()])
		if err != nil {
			return nil, err
		}
		now[p.node()] = n
	}
	if len(pieces) == 0 {
		now[""] = &node{db: d.db}
	}
	list = d.nodes.hold(pieces, now)
	for name, n := range before {
		if now[name] == nil {
			_ = n.close()
		}
	}
	return list, nil
}

// known is the list, and whether it need not be read again.
func (n *nodes) known() (list []*node, good bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.list, n.list != nil && (n.until.IsZero() || time.Now().Before(n.until))
}

// hold takes a list that was read.
func (n *nodes) hold(pieces []nodePiece, now map[string]*node) []*node {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.until = time.Now().Add(nodesKnown); len(pieces) == 0 {
		n.until = time.Time{}
	}
	n.homes, n.businesses = map[string]*home{}, map[uuid.UUID]string{}
	for _, p := range pieces {
		one := now[p.node()]
		one.parts[p.Table] = strings.TrimPrefix(one.parts[p.Table]+" UNION ALL SELECT * FROM "+p.Name, " UNION ALL ")
		if n.homes[p.From] == nil {
			n.homes[p.From] = &home{node: one, group: p.Group, shard: p.Shard, pieces: map[string]string{}}
		}
		n.homes[p.From].pieces[p.Table] = p.Name
	}
	n.list = slices.SortedFunc(maps.Values(now), func(a, b *node) int { return strings.Compare(a.name, b.name) })
	return n.list
}

// nodePiece is a piece of a table, and where it is.
type nodePiece struct {
	Host  string `db:"nodename"`
	Port  int    `db:"nodeport"`
	Group int    `db:"groupid"`
	Table string `db:"relname"`
	Name  string `db:"name"` // of the piece itself
	Shard int64  `db:"shardid"`
	From  string `db:"shardminvalue"` // where the hashes of its businesses begin: other tables are cut there, too
}

func (p nodePiece) node() string { return net.JoinHostPort(p.Host, strconv.Itoa(p.Port)) }

// readPieces reads what each node has of the tables that are spread; nothing on one machine.
func (d *DB) readPieces(ctx context.Context) (pieces []nodePiece, err error) {
	var spread bool
	err = d.db.GetContext(ctx, &spread, `SELECT to_regclass('pg_catalog.pg_dist_placement') IS NOT NULL`)
	if err != nil || !spread {
		return nil, translate(ctx, err)
	}
	err = d.db.SelectContext(ctx, &pieces, `
		SELECT n.nodename, n.nodeport, n.groupid, c.relname, shard_name(s.logicalrelid, s.shardid) AS name,
		       s.shardid, s.shardminvalue
		FROM pg_dist_partition t
		JOIN pg_class c ON c.oid = t.logicalrelid
		JOIN pg_dist_shard s ON s.logicalrelid = t.logicalrelid
		JOIN pg_dist_placement p ON p.shardid = s.shardid
		JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
		WHERE t.partmethod = 'h'
		  AND c.relnamespace = current_schema()::regnamespace
		ORDER BY s.shardid`)
	return pieces, translate(ctx, err)
}

// openNode makes pools for a server, which takes the database's name, user and password, or takes those it had. They
// read: what writes begins at the coordinator, or the locks that it holds there (see locks.go) would keep out nobody.
func (d *DB) openNode(address string, known *node) (*node, error) {
	n := &node{name: address, parts: map[string]string{}}
	if known != nil {
		n.db, n.rows, n.pulse = known.db, known.rows, known.pulse
		return n, nil
	}
	u, err := url.Parse(d.dsn)
	if err != nil {
		return nil, err
	}
	query := u.Query()
	for _, key := range []string{"host", "port", "target_session_attrs"} {
		query.Del(key)
	}
	query.Set("default_transaction_read_only", "on")
	u.Host, u.RawQuery = address, query.Encode()
	n.rows = nodePool(u, d.dialer.patience, d.nodes.connections)
	query.Set("statement_timeout", fmt.Sprint(nodePatience.Milliseconds()))
	u.RawQuery = query.Encode()
	n.db = nodePool(u, nodePatience, nodeConnections).db
	n.pulse = newPulse(nodePool(u, signPatience, 1).db, d.nodes.connections)
	return n, nil
}

// nodePool is a pool of connections to a node.
func nodePool(address *url.URL, patience time.Duration, connections int) *DB {
	d := &DB{dsn: address.String()}
	d.open(patience, connections)
	d.connections.spread.Store(new(bool)) // what it asks are tables of the node's own
	d.connections.visited = true
	return d
}

// close closes the pools of a node.
func (n *node) close() error {
	if n.parts == nil {
		return nil // they are the database's
	}
	return errors.Join(n.db.Close(), n.rows.db.Close(), n.pulse.close())
}

// close closes the pools of nodes.
func (n *nodes) close() (err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, one := range n.list {
		err = errors.Join(err, one.close())
	}
	return err
}

// Close closes all connections.
func (d *DB) Close() error { return errors.Join(d.nodes.close(), d.db.Close()) }
