package store

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"regexp"
	"strings"
	"sync/atomic"
	"time"
)

// One text of each statement serves plain PostgreSQL and a database that Citus spreads over several machines, save for
// two things. Where rows are looked up one by one, plain PostgreSQL is to plan for an average business, hence
// (SELECT $1::uuid), and Citus finds the machine of a business by a comparison with $1 itself. And where a row is known
// by where it lies (ctid), Citus is to be told whose it is, in a comment that begins with "spread:": plain PostgreSQL
// would look for the row by that.
const averageBusiness = "(SELECT $1::uuid)"

var spreadAlone = regexp.MustCompile(`/\*spread:(.*?)\*/`)

// connector makes the connections of a pool, and asks the first ones what database they are to. Nobody waits for what
// another's connection is told: a line that hangs costs that one its time.
type connector struct {
	driver.Connector
	lockTimeout time.Duration
	spread      atomic.Pointer[bool] // nil until it is known
	visited     bool                 // they are to a node of several
}

// Connect makes a connection.
func (c *connector) Connect(ctx context.Context) (driver.Conn, error) {
	by := connecting{ctx: ctx}
	made, err := c.Connector.Connect(context.WithValue(ctx, connectingKey{}, &by))
	if err != nil {
		return nil, err
	}
	full, ok := made.(driverConn)
	if !ok {
		return made, nil
	}
	spread := c.spread.Load()
	if spread == nil {
		found, err := hasCitus(ctx, full)
		if err != nil {
			_ = made.Close()
			return nil, err
		}
		spread = &found
		c.spread.Store(spread)
	}
	if !*spread && !c.visited {
		by.line = nil
	}
	return conn{full, *spread, c.lockTimeout, by.line}, nil
}

// isSpread reports whether the database is one that may be spread. Who has a connection knows it.
func (c *connector) isSpread() bool {
	spread := c.spread.Load()
	return spread != nil && *spread
}

func hasCitus(ctx context.Context, conn driver.QueryerContext) (bool, error) {
	rows, err := conn.QueryContext(ctx, `SELECT FROM pg_extension WHERE extname = 'citus'`, nil)
	if err != nil {
		return false, err
	}
	defer rows.Close()
	err = rows.Next(make([]driver.Value, len(rows.Columns())))
	if errors.Is(err, io.EOF) {
		return false, nil
	}
	return err == nil, err
}

// driverConn is what the driver's connections can.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.NamedValueChecker
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// conn is a connection of the driver's, on which a statement is as its database wants it.
type conn struct {
	driverConn
	spread      bool
	lockTimeout time.Duration
	line        net.Conn // that it is made of; nil on one machine
}

// held is hungUp for what is asked on the connection.
func (c conn) held(ctx context.Context) (release func() bool) {
	if c.line == nil {
		return func() bool { return true }
	}
	return hungUp(ctx, c.line)
}

// BeginTx begins a transaction. Where the database is spread, what is set in it counts on the machine of the business,
// too, and so does how long it waits for a lock.
func (c conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	if c.line == nil {
		return c.driverConn.BeginTx(ctx, options)
	}
	release := c.held(ctx)
	tx, err := c.driverConn.BeginTx(ctx, options)
	if err != nil {
		release()
		return nil, err
	}
	tx = heldTx{tx, release}
	if !c.spread {
		return tx, nil
	}
	_, err = c.driverConn.ExecContext(ctx, fmt.Sprintf(`
		SET LOCAL citus.propagate_set_commands = 'local';
		SET LOCAL lock_timeout = %d`, c.lockTimeout.Milliseconds()), nil)
	if err != nil {
		return nil, errors.Join(err, tx.Rollback())
	}
	return tx, nil
}

// heldTx is a transaction on a connection that is held.
type heldTx struct {
	driver.Tx
	release func() bool
}

func (t heldTx) Commit() error {
	defer t.release()
	return t.Tx.Commit()
}

func (t heldTx) Rollback() error {
	defer t.release()
	return t.Tx.Rollback()
}

// heldRows are rows on a connection that is held.
type heldRows struct {
	driver.Rows
	release func() bool
}

func (r heldRows) Close() error {
	defer r.release()
	return r.Rows.Close()
}

func (c conn) text(query string) string {
	if c.spread {
		return spreadAlone.ReplaceAllString(strings.ReplaceAll(query, averageBusiness, "$1::uuid"), "$1")
	}
	return query
}

// reads reports whether a statement stores nothing, whatever becomes of it. One that locks rows counts as one that may.
func reads(query string) bool { return !writing.MatchString(query) }

var writing = regexp.MustCompile(`(?i)\b(INSERT|UPDATE|DELETE|COPY|CALL|DO|nextval)\b`)

// PrepareContext prepares a statement; a COPY takes rows as lines, too.
func (c conn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	defer c.held(ctx)()
	statement, err := c.driverConn.PrepareContext(ctx, c.text(query))
	if err != nil {
		return nil, nothingStored(ctx, err)
	}
	if into, ok := statement.(copyIn); ok {
		return copyStatement{into}, nil
	}
	if asked, ok := statement.(driverStmt); ok && c.line != nil && reads(query) {
		return readStatement{asked, c}, nil
	}
	return statement, nil
}

// ExecContext runs a statement without rows.
func (c conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	defer c.held(ctx)()
	return c.driverConn.ExecContext(ctx, c.text(query), args)
}

// QueryContext runs a statement with rows.
func (c conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	if c.line == nil {
		return c.driverConn.QueryContext(ctx, query, args)
	}
	release := c.held(ctx)
	rows, err := c.driverConn.QueryContext(ctx, c.text(query), args)
	if err != nil {
		release()
		if reads(query) {
			err = nothingStored(ctx, err)
		}
		return nil, err
	}
	return heldRows{rows, release}, nil
}

type driverStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// readStatement is a prepared one that stores nothing.
type readStatement struct {
	driverStmt
	conn conn
}

// QueryContext runs it.
func (s readStatement) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	release := s.conn.held(ctx)
	rows, err := s.driverStmt.QueryContext(ctx, args)
	if err != nil {
		release()
		return nil, nothingStored(ctx, err)
	}
	return heldRows{rows, release}, nil
}

type copyIn interface {
	driver.Stmt
	CopyData(ctx context.Context, line string) (driver.Result, error)
}

// copyStatement takes one value as lines of any number of rows, without the last end of line: to hand over 500 rows
// value by value is a tenth of what their upload takes.
type copyStatement struct{ copyIn }

// Exec is the driver's, but for one value.
func (c copyStatement) Exec(values []driver.Value) (driver.Result, error) {
	if len(values) == 1 {
		if lines, ok := values[0].(string); ok {
			return c.CopyData(context.Background(), lines)
		}
	}
	return c.copyIn.Exec(values) //nolint:staticcheck // the driver has nothing newer
}
