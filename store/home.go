package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"reflect"
	"regexp"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"
)

var errMoved = errors.New("store: the rows of the business are on another node")

// tableAfter finds the names of tables in a statement that reads.
var tableAfter = regexp.MustCompile(`\b(FROM|JOIN)(\s+)([a-z_]+)\b`)

// on is a statement that asks the pieces.
func (h *home) on(query string) string {
	return tableAfter.ReplaceAllStringFunc(query, func(found string) string {
		words := tableAfter.FindStringSubmatch(found)
		if piece, ok := h.pieces[words[3]]; ok {
			return words[1] + words[2] + piece
		}
		return found
	})
}

// holds is an error where the node does not have the pieces any more.
func (h *home) holds(ctx context.Context) error {
	statement, err := h.node.rows.prepared(ctx, `
		SELECT EXISTS (SELECT FROM pg_dist_placement WHERE shardid = $1 AND groupid = $2)`)
	if err != nil {
		return err
	}
	var here bool
	if err := statement.GetContext(ctx, &here, h.shard, h.group); err != nil {
		return err
	}
	if !here {
		return errMoved
	}
	return nil
}

// homeOf finds where a business is; nil on one machine.
func (d *DB) homeOf(ctx context.Context, business uuid.UUID) (*home, error) {
	if !d.connections.isSpread() {
		return nil, nil
	}
	if _, err := d.allNodes(ctx); err != nil {
		return nil, err
	}
	found, known := d.nodes.homeOf(business)
	if known {
		return found, nil
	}
	begins, err := d.hashesBegin(ctx, business)
	if err != nil {
		return nil, err
	}
	return d.nodes.keep(business, begins[0]), nil
}

// hashesBegin is for each business where the hashes begin that its home has.
func (d *DB) hashesBegin(ctx context.Context, businesses ...uuid.UUID) (begins []string, err error) {
	err = d.db.SelectContext(ctx, &begins, `
		SELECT coalesce(s.shardminvalue, '')
		FROM unnest($1::uuid[]) WITH ORDINALITY AS b (id, place)
		LEFT JOIN pg_dist_shard s ON s.shardid = get_shard_id_for_distribution_column('sources', b.id)
		ORDER BY b.place`,
		uuids(businesses))
	return begins, translate(ctx, err)
}

// newIDs are ids for new businesses: where the database is spread, of nodes that answer.
func (d *DB) newIDs(ctx context.Context, businesses int) (ids []uuid.UUID, spread bool, err error) {
	const tries = 16
	for range businesses {
		ids = append(ids, newID())
	}
	if !d.connections.isSpread() {
		return ids, false, nil
	}
	nodes, err := d.allNodes(ctx)
	if err != nil || nodes[0].parts == nil {
		return ids, false, err
	}
	for range tries {
		begins, err := d.hashesBegin(ctx, ids...)
		if err != nil {
			return nil, true, err
		}
		again := false
		for i, id := range ids {
			if at := d.nodes.keep(id, begins[i]); at != nil && at.node.pulse.is() != nodeAnswers {
				ids[i], again = newID(), true
			}
		}
		if !again {
			break
		}
	}
	return ids, true, nil
}

// Visit begins something for the business, such as a request; it ends with leave. What is done by the context that it
// returns ends by itself where the node of the business stops to answer. ErrAway where it has stopped. On one machine,
// and with an error, the context is ctx.
func (o *Organization) Visit(ctx context.Context) (visiting context.Context, leave func(), err error) {
	at, err := o.db.homeOf(ctx, o.ID)
	if err != nil || at == nil {
		return ctx, func() {}, err
	}
	return at.node.pulse.visit(ctx)
}

// visitAll is Visit to several businesses.
func (d *DB) visitAll(ctx context.Context, businesses []uuid.UUID) (visiting context.Context, leave func(),
	err error) {
	visiting, leave = ctx, func() {}
	pulses := map[string]*pulse{}
	for _, business := range businesses {
		at, err := d.homeOf(ctx, business)
		if err != nil {
			return ctx, func() {}, err
		}
		if at != nil {
			pulses[at.node.name] = at.node.pulse
		}
	}
	for _, p := range pulses {
		leaveOthers, leaveThis := leave, func() {}
		if visiting, leaveThis, err = p.visit(visiting); err != nil {
			leaveOthers()
			return ctx, func() {}, err
		}
		leave = func() { leaveThis(); leaveOthers() }
	}
	return visiting, leave, nil
}

func (n *nodes) homeOf(business uuid.UUID) (*home, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.homes) == 0 { // nothing is spread
		return nil, true
	}
	from, known := n.businesses[business]
	return n.homes[from], known
}

func (n *nodes) keep(business uuid.UUID, from string) *home {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.businesses[business] = from
	return n.homes[from]
}

// forget has the list of nodes be read again.
func (n *nodes) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.until = time.Now()
}

// replacing is for how long a read is asked again, at first soon and then more seldom, while its pieces are replaced.
const replacing = 2 * time.Second

// read asks for rows of the business, where they are; on writes a statement as it is put there. What a first answer
// held counts no more where ask is called again.
func (o *Organization) read(ctx context.Context, ask func(db *DB, on func(query string) string) error) error {
	for pause := 20 * time.Millisecond; ; pause *= 2 {
		err := o.readOnce(ctx, ask)
		if !isReplaced(err) || pause > replacing/2 {
			return err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return err
		}
	}
}

func (o *Organization) readOnce(ctx context.Context, ask func(db *DB, on func(query string) string) error) error {
	at, err := o.db.homeOf(ctx, o.ID)
	if err != nil {
		return err
	}
	if at != nil {
		err, ok := o.db.nodes.askHome(ctx, at, ask)
		if ok {
			return err
		}
	}
	return ask(o.db, func(query string) string { return query })
}

// askHome asks a node for rows of a business. ok is false where the coordinator is to be asked in its place.
func (n *nodes) askHome(ctx context.Context, at *home, ask func(db *DB, on func(string) string) error) (err error,
	ok bool) {
	var answer error
	failed := n.asking(at.node, func() error {
		if answer = ask(at.node.rows, at.on); isElsewhere(ctx, answer) {
			return answer
		}
		return at.holds(ctx)
	})
	if !isElsewhere(ctx, failed) {
		return nothingStored(ctx, cmp.Or(answer, failed)), true
	}
	if errors.Is(failed, errMoved) || hasState(failed, undefinedTable) {
		n.forget()
	}
	return nil, false
}

// isElsewhere reports whether an error is none of the statement: another server may have an answer.
func isElsewhere(ctx context.Context, err error) bool {
	if err == nil || ctx.Err() != nil || errors.Is(err, sql.ErrNoRows) || errors.Is(err, errSilent) {
		return false
	}
	var failed *pq.Error
	return !errors.As(err, &failed) || isOutage(err) || failed.Code == undefinedTable
}

// reader reads rows of the business where they are.
type reader struct {
	o        *Organization
	prepared bool
}

func (o *Organization) reader() reader { return reader{o: o} }

// prepared is a reader of statements whose texts have a handful of forms: a connection plans each a few times and not
// at each request, which for most takes longer than to run it.
func (o *Organization) prepared() reader { return reader{o: o, prepared: true} }

// SelectContext reads all rows of a statement.
func (r reader) SelectContext(ctx context.Context, rows any, query string, args ...any) error {
	return r.o.read(ctx, func(db *DB, on func(string) string) error {
		reflect.ValueOf(rows).Elem().SetZero()
		if r.prepared {
			return db.selectPrepared(ctx, rows, on(query), args...)
		}
		return db.db.SelectContext(ctx, rows, on(query), args...)
	})
}

// GetContext reads the first row of a statement.
func (r reader) GetContext(ctx context.Context, row any, query string, args ...any) error {
	return r.o.read(ctx, func(db *DB, on func(string) string) error {
		if r.prepared {
			return db.getPrepared(ctx, row, on(query), args...)
		}
		return db.db.GetContext(ctx, row, on(query), args...)
	})
}

// selector reads rows: a reader, or a transaction.
type selector interface {
	SelectContext(ctx context.Context, rows any, query string, args ...any) error
}
