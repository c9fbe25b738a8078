package store

import (
	"context"
	"database/sql"
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

	"github.com/jmoiron/sqlx"
)

// node is where rows of businesses are: the whole database, or one of the servers that a Citus spreads them over.
//
// What waits in all businesses together is looked for on each node of several by itself, straight from its server:
// through the coordinator a statement on all businesses fails as a whole where one node is away. What is found is then
// taken one business after the other, through the coordinator, which knows where a business is (see piece).
type node struct {
	name   string
	db     *sqlx.DB
	parts  map[string]string // what the node has of each table, as the query of a WITH; nil where it has all
	rested time.Time         // until then it is not asked: it gave no answer in time
}

const (
	nodePatience    = 5 * time.Second  // with an answer of one of several nodes
	nodeRest        = 15 * time.Second // of one that gave none
	nodesKnown      = time.Minute      // for so long a list of nodes is good
	nodesKnownAway  = 5 * time.Second  // where one of them was away: another may have its place
	nodeConnections = 2
)

var errRests = errors.New("store: it gave no answer in time a moment ago")

// nodes are those of a database.
type nodes struct {
	mu    sync.Mutex
	list  []*node
	until time.Time // the list is read again then; zero where it is the whole database, which it stays
}

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

// asking asks a node that does not rest, and has one rest that gave no answer in time.
func (n *nodes) asking(one *node, ask func() error) error {
	n.mu.Lock()
	rests := time.Now().Before(one.rested)
	n.mu.Unlock()
	if rests {
		return errRests
	}
	began := time.Now()
	err := ask()
	if err == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if soon := time.Now().Add(nodesKnownAway); n.until.After(soon) {
		n.until = soon
	}
	if time.Since(began) > nodePatience*9/10 {
		one.rested = time.Now().Add(nodeRest)
	}
	return err
}

// allNodes are the nodes of the database, as the coordinator knew them a moment ago.
func (d *DB) allNodes(ctx context.Context) ([]*node, error) {
	d.nodes.mu.Lock()
	defer d.nodes.mu.Unlock()
	if d.nodes.list != nil && (d.nodes.until.IsZero() || time.Now().Before(d.nodes.until)) {
		return d.nodes.list, nil
	}
	parts, err := d.readParts(ctx)
	if err != nil {
		return nil, err
	}
	if len(parts) == 0 {
		d.nodes.list = []*node{{db: d.db}}
		return d.nodes.list, nil
	}
	known := map[string]*node{}
	for _, n := range d.nodes.list {
		known[n.name] = n
	}
	d.nodes.list, d.nodes.until = nil, time.Now().Add(nodesKnown)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		n := &node{name: name}
		if before := known[name]; before != nil {
			n.db, n.rested = before.db, before.rested
		} else if n.db, err = d.openNode(name); err != nil {
			return nil, err
		}
		delete(known, name)
		n.parts = parts[name]
		d.nodes.list = append(d.nodes.list, n)
	}
	for _, gone := range known {
		_ = gone.db.Close()
	}
	return d.nodes.list, nil
}

// readParts reads what each node has of each table that is spread; nothing on one machine.
func (d *DB) readParts(ctx context.Context) (map[string]map[string]string, error) {
	var spread bool
	err := d.db.GetContext(ctx, &spread, `SELECT to_regclass('pg_catalog.pg_dist_placement') IS NOT NULL`)
	if err != nil || !spread {
		return nil, translate(ctx, err)
	}
	var rows []struct {
		Host  string `db:"nodename"`
		Port  int    `db:"nodeport"`
		Table string `db:"relname"`
		Part  string `db:"part"`
	}
	err = d.db.SelectContext(ctx, &rows, `
		SELECT n.nodename, n.nodeport, c.relname,
		       string_agg('SELECT * FROM ' || shard_name(s.logicalrelid, s.shardid), ' UNION ALL '
		         ORDER BY s.shardid) AS part
		FROM pg_dist_partition t
		JOIN pg_class c ON c.oid = t.logicalrelid
		JOIN pg_dist_shard s ON s.logicalrelid = t.logicalrelid
		JOIN pg_dist_placement p ON p.shardid = s.shardid
		JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
		WHERE t.partmethod = 'h'
		  AND c.relnamespace = current_schema()::regnamespace
		GROUP BY 1, 2, 3`)
	parts := map[string]map[string]string{}
	for _, row := range rows {
		name := net.JoinHostPort(row.Host, strconv.Itoa(row.Port))
		if parts[name] == nil {
			parts[name] = map[string]string{}
		}
		parts[name][row.Table] = row.Part
	}
	return parts, translate(ctx, err)
}

// openNode makes a small pool for a server, which takes the database's name, user and password.
func (d *DB) openNode(address string) (*sqlx.DB, error) {
	u, err := url.Parse(d.dsn)
	if err != nil {
		return nil, err
	}
	query := u.Query()
	for _, key := range []string{"host", "port", "target_session_attrs"} {
		query.Del(key)
	}
	query.Set("statement_timeout", fmt.Sprint(nodePatience.Milliseconds()))
	u.Host, u.RawQuery = address, query.Encode()
	node := &DB{dsn: u.String()}
	db := sqlx.NewDb(sql.OpenDB(node.connector(dialer{patience: nodePatience, open: &sync.Map{}})), "postgres")
	db.MapperFunc(columnOf)
	db.SetMaxOpenConns(nodeConnections)
	db.SetMaxIdleConns(nodeConnections)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return db, nil
}

// close closes the pools of nodes.
func (n *nodes) close() (err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, one := range n.list {
		if one.parts != nil {
			err = errors.Join(err, one.db.Close())
		}
	}
	return err
}
