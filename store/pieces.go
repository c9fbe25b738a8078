package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// piece is what a statement on all businesses together takes at a time. On one machine that is the whole database, and
// the statement is one. Where it fails, and where a database is spread over several nodes, it is one business after the
// other, so that neither a business that fails nor a node that is away holds up the others.
type piece struct {
	only  uuid.UUID   // one business; zero for all
	but   []uuid.UUID // of all: those that failed and are tried by themselves
	again bool        // the business has failed before, and nobody came across it: it is asked for
}

func (p piece) whole() bool { return p.only == uuid.Nil }

// of is the further condition by which a statement keeps to the piece: nothing for the whole database. The column holds
// businesses.
func (p piece) of(column string) string {
	switch {
	case !p.whole():
		return fmt.Sprintf("\n  AND %s = '%s'", column, p.only)
	case len(p.but) > 0:
		return fmt.Sprintf("\n  AND %s <> ALL ('%s'::uuid[])", column, uuids(p.but))
	}
	return ""
}

// piecesAtOnce are businesses of a node, where each is taken by itself.
const piecesAtOnce = 100

// finder lists businesses of which something waits, those of a node together, without some. What is away is an error
// beside what was found.
type finder func(but []uuid.UUID) ([][]uuid.UUID, error)

// longest finds those that have waited longest. The query, a SELECT, has one row for each that waits: organization_id,
// and since.
func (d *DB) longest(ctx context.Context, query string, args ...any) finder {
	return func(but []uuid.UUID) ([][]uuid.UUID, error) {
		return ask[uuid.UUID](ctx, d, fmt.Sprintf(`
		SELECT organization_id
		FROM (%s) w
		WHERE organization_id <> ALL ($%d::uuid[])
		ORDER BY since
		LIMIT %d`, query, len(args)+1, piecesAtOnce),
			append(slices.Clip(args), uuids(but))...)
	}
}

// living is a finder where it is no failure that a node is away, as long as one is there.
func (f finder) living() finder {
	return func(but []uuid.UUID) ([][]uuid.UUID, error) {
		found, err := f(but)
		if len(found) > 0 {
			err = nil
		}
		return found, err
	}
}

// inPieces does something piece by piece; find is asked where each business is one. A business that fails is from then
// on tried by itself, after a while, until it does not fail. What fails is an error at each attempt, beside
// what was done. Where the database or the way to it fails, nothing else is tried.
func (d *DB) inPieces(ctx context.Context, what string, find finder,
	do func(ctx context.Context, p piece) error) error {
	nodes, err := d.allNodes(ctx)
	if err != nil {
		return err
	}
	var failures []error
	one := func(p piece) error {
		visiting, leave, err := d.Organization(p.only).Visit(ctx)
		if err == nil {
			err = do(visiting, p)
			err = translate(visiting, err)
			leave()
		}
		if err == nil {
			d.resting.end(what, p.only)
			return nil
		}
		if ctx.Err() == nil && (errors.Is(err, ErrAway) || !isOutage(err)) {
			d.resting.begin(what, p.only)
		}
		failures = append(failures, fmt.Errorf("%s of %s: %w", what, p.only, err))
		return err
	}
	for _, business := range d.resting.over(what) {
		_ = one(piece{only: business, again: true})
	}
	var whole error
	if nodes[0].parts == nil {
		whole = translate(ctx, do(ctx, piece{but: d.resting.all(what)}))
		if whole == nil || ctx.Err() != nil || isOutage(whole) {
			return joined(append(failures, whole))
		}
	}
	before := len(failures)
	found, err := find(d.resting.all(what))
	if err != nil {
		failures = append(failures, err)
	}
	for _, businesses := range found {
		for _, business := range businesses {
			if err := one(piece{only: business}); err != nil && (ctx.Err() != nil || isOutage(err)) {
				break // its node, or everything: the others of it would fail alike
			}
		}
	}
	if len(failures) == before && whole != nil { // nobody is to blame
		failures = append(failures, whole)
	}
	return joined(failures)
}

// joined is one error of several, which says how many there are beyond a few.
func joined(failures []error) error {
	const few = 4
	if more := len(failures) - few; more > 0 {
		failures = append(slices.Clip(failures[:few]), fmt.Errorf("and %d more", more))
	}
	return errors.Join(failures...)
}

// takeOne takes one thing of each piece that waits and does it, in one transaction; take finds none by sql.ErrNoRows.
// It returns whether there was one that did not fail.
func takeOne[T any](ctx context.Context, d *DB, what string, find finder, take func(tx *sqlx.Tx, p piece) (T, error),
	do func(tx *sqlx.Tx, taken T) error) (found bool, err error) {
	err = d.inPieces(ctx, what, find, func(ctx context.Context, p piece) error {
		one := false
		err := d.inTx(ctx, func(tx *sqlx.Tx) error {
			taken, err := take(tx, p)
			if one = err == nil; !one {
				if errors.Is(err, sql.ErrNoRows) {
					return nil
				}
				return err
			}
			return do(tx, taken)
		})
		found = found || one && err == nil
		return err
	})
	return found, err
}

// place is where a walk through something of all businesses is: behind it comes what was not looked at.
type place[ID any] struct {
	OrganizationID uuid.UUID `db:"organization_id"`
	ID             ID        `db:"id"`
}

// tour is a walk through something of all businesses, in their order, some at a time. A business that fails is passed
// by, and tried again by itself from its beginning; one whose node is away comes in the next walk.
type tour[ID any] struct {
	what    string
	list    string // a SELECT of the places behind $1 and $2, $3 at most, in their order
	limit   int
	compare func(a, b ID) int
	// step looks at up to limit that are of a piece and behind a place. It returns the last one and how many.
	step func(ctx context.Context, p piece, after place[ID]) (last place[ID], looked int, err error)
}

// walk goes a step. done is at the end, where next is the beginning, and where nothing could be looked at.
func (w tour[ID]) walk(ctx context.Context, d *DB, after place[ID]) (next place[ID], done bool, err error) {
	const nothing = -1
	next, looked := after, nothing
	err = d.inPieces(ctx, w.what, func(but []uuid.UUID) ([][]uuid.UUID, error) {
		found, err := ask[place[ID]](ctx, d, w.list, after.OrganizationID, after.ID, w.limit)
		all := slices.SortedFunc(slices.Values(slices.Concat(found...)), w.order)
		if len(found) > 0 {
			looked = min(len(all), w.limit)
		}
		if looked > 0 {
			next = all[looked-1]
		}
		return w.businesses(found, next, but), err
	}, func(ctx context.Context, p piece) error {
		from := after
		if p.again {
			from = place[ID]{}
		}
		for {
			last, n, err := w.step(ctx, p, from)
			if err != nil {
				return err
			}
			if p.whole() {
				next, looked = last, n
			}
			if from = last; !p.again || n < w.limit {
				return nil
			}
		}
	})
	if done = looked < w.limit; done && looked != nothing {
		next = place[ID]{}
	}
	return next, done, err
}

func (w tour[ID]) order(a, b place[ID]) int {
	return cmp.Or(CompareUUIDs(a.OrganizationID, b.OrganizationID), w.compare(a.ID, b.ID))
}

// businesses are those of the places on each node up to a last one, without some.
func (w tour[ID]) businesses(found [][]place[ID], last place[ID], but []uuid.UUID) [][]uuid.UUID {
	businesses := make([][]uuid.UUID, len(found))
	for i, some := range found {
		for _, one := range some {
			if w.order(one, last) <= 0 && !slices.Contains(but, one.OrganizationID) {
				businesses[i] = append(businesses[i], one.OrganizationID)
			}
		}
		businesses[i] = slices.Compact(businesses[i])
	}
	return businesses
}
