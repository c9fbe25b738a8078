// Package store keeps everything in PostgreSQL and is the only place with SQL: one file a noun, each statement beside
// its scan.
//
// DB offers what crosses businesses: partners, persons, tokens, the connection. Everything that belongs to one
// business is a method of the handle that DB.Organization returns, and every statement of it is bound to that
// organization, so that another business's row is not forbidden but absent.
//
// Methods take the present as a parameter, open and commit their own transaction, and return the errors of errors.go.
//
// Statements that are put together when they are asked are written by reportsql and searchsql; what an update of a bank
// feed makes of the books is worked out by internal/bankfeed.
//
// # The files
//
// A file has the name of its noun, or of its family and what it does there. A family uses those beside it and below:
//
//   - lookups, condition, watch, reseal, retention, standing: what operators see, and what is done once or in time.
//   - erase: taking out a business, a person or a partner.
//   - adjustments, elsewhere, search, counterparties, reports, profile, recurrence, export: what people read, and
//     choose without being asked.
//   - answers: what follows from an answer, and from taking it back; first of all answers_give and answers_decide.
//   - batches, decisions: what follows from the decisions of a batch.
//   - snapshots, legacy, feeds, upload, transactions: what partners bring.
//   - transfers, refunds, parts, issues, hooks: pairs, money back, splits, and questions with what was answered.
//   - connection, agent, grants, oauth, access, persons, partners, billing, limits, accounts, sources: who may do what.
//   - events, turns, counts, rollup, words: what is to be done in the background.
//   - locks, pieces, tx, kept, audit, cursor: how a business is written, and all of them one after the other.
//   - home, nodes, store, spread, dial, pulse: where businesses are, and the connections to there.
//   - resting, many, ledger, rows, ids, errors: the ground.
//
// An upload goes from upload to events; the worker takes it by turns, reads a batch, has it decided by internal/decide,
// and stores what follows, by batches; issues asks, and answers decides.
//
// # What is kept beside rows
//
// Whoever writes transactions keeps what follows from them, in the same transaction and once, before it commits: the
// counts of accounts and counterparties, the months to sum anew, the texts that are searched, the parts of rows that
// are several things, and that a counterparty or another leg is of the same business. kept.go does it; every UPDATE of
// transactions goes through writeRows there, or comes after noteRows. An upload counts its new rows where it is
// accepted (acceptUpload): it holds their account, so they are of it.
//
// # The order of locks
//
// Whoever writes a business takes its locks in one order, so that nobody waits for another in a circle: the turn of the
// business, the business, a source, accounts by id, questions by id, transactions by id, counterparties by key, answers
// by id, events by account.
//
//   - Who locks transactions several times over is alone with the business: answers, deletions, feeds. It holds the
//     turn, which a worker's batch holds too, and then the business, which uploads that correct rows share.
//   - An upload waits for no worker but where both want a row. One that brings new rows alone takes its account and its
//     event; one that corrects rows also shares the business, and locks all rows it is going to write at once.
//   - Who finds out too late that it needs another lock does not wait for it: it begins again and takes that first
//     (inTxFirst). lockRows sees to it for rows, mustHave for accounts, shareBusinessLate for the business.
//   - Events are noted (queueEvents) and stored last, all at once.
//   - What is done in the background and in no turn leaves what somebody holds (SKIP LOCKED) and comes again.
//
// TestNoTwoWritersWaitForEachOther of the worker has all pairs of writers write one business.
//
// # What the database does by itself
//
// Beside constraints and the generated column transactions.primary_date (the authorized date, else the processed one),
// the database acts by triggers on transactions alone, within the transaction of the statement that fires them. On a
// database that is spread (migrations.Distribute) there are none.
//
// These are for what no statement here inserts, rows that are processed or refer to something:
//
//   - transactions_references refuses a counterparty or another leg of another organization.
//   - transactions_report_inserted marks their months.
//   - transactions_words_inserted lists their texts.
//
// And after DELETE, which only an erasure does:
//
//   - transactions_report_removed, for each processed row: marks its month in report_dirty.
//   - transactions_counts_removed, once a statement: takes the rows away in both counts.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"
)

// node is where rows of businesses are: the whole database, or one of the servers that a Citus spreads them over.
//
// What waits in all businesses together is looked for on each node of several by itself, straight from its server:
// through the coordinator a statement on all businesses fails as a whole where one node is away. What is found is then
// taken one business after the other, through the coordinator, which knows where a business is (see piece).
type node struct {
	name  string
	db    *sqlx.DB
	rows  *DB               // for what reads one business (see home); nil where the node has all
	parts map[string]string // what it has of each table, as the query of a WITH; nil where it has all
	pulse *pulse            // nil where the node has all
}

// nodes are those of a database.
type nodes struct {
	connections int // to each that reads of businesses may take, and transactions of one at the coordinator

	reading    sync.Mutex // while the coordinator is asked: nobody who has a connection to it may wait for this
	mu         sync.Mutex // of what follows
	list       []*node
	until      time.Time            // the list is read again then; zero where it is the whole database, which it stays
	homes      map[string]*home     // by where the hashes that they have begin
	businesses map[uuid.UUID]string // the homes of those that were asked for
}

// home is where the rows of a business are in a database that is spread: pieces of tables on one node.
//
// What only reads one business asks that node for those pieces by their own names. The coordinator would plan a
// statement, send it on as text, and have the node plan it again at each execution, which for most takes longer than to
// run it; on the node it is planned as on one machine, and once where it is prepared. After each answer the node is
// asked whether it still has the pieces: where they have moved, and where the node does not answer, the coordinator is
// asked, which knows. What writes goes through the coordinator, whose locks hold a move off.
type home struct {
	node   *node
	group  int               // the node, as nodes know each other
	shard  int64             // the piece of one table: the others move with it
	pieces map[string]string // by the tables' names
}

// DB is a pool of connections in UTC.
type DB struct {
	db          *sqlx.DB
	dsn         string
	lockTimeout time.Duration
	searchTime  time.Duration
	dialer      dialer
	connections *connector
	statements  sync.Map // of *sqlx.Stmt by their text
	ledgers     ledgers
	nodes       nodes
	resting     resting
	manyRows    manyRows
}

// SearchTime is what a search may take with all its statements, from asking for a connection on, unless Options say
// otherwise: one that a caller makes slow holds a connection no longer.
const SearchTime = 2 * time.Second

// Options bound a pool.
type Options struct {
	MaxConnections   int           // default 16
	NodeConnections  int           // those to a node of several, and those that may wait for one; default 8
	StatementTimeout time.Duration // what one statement may take; default 60 s
	LockTimeout      time.Duration // what one may wait for a lock; default 5 s
	SearchTime       time.Duration // what a search may take; default SearchTime
	Name             string        // of the connections, in pg_stat_activity; default "bizfin", or what the URL says
}

// Open makes a pool for a PostgreSQL URL. It does not connect: Ping does. Of several hosts, as host:port,host:port, it
// takes the first that is no standby.
func Open(databaseURL string, o Options) (*DB, error) {
	if o.MaxConnections == 0 {
		o.MaxConnections = 16
	}
	if o.NodeConnections == 0 {
		o.NodeConnections = 8
	}
	if o.StatementTimeout == 0 {
		o.StatementTimeout = time.Minute
	}
	if o.LockTimeout == 0 {
		o.LockTimeout = 5 * time.Second
	}
	if o.SearchTime == 0 {
		o.SearchTime = SearchTime
	}
	dsn, err := withDefaults(databaseURL, o)
	if err != nil {
		return nil, err
	}
	if _, err := pq.NewConnector(dsn); err != nil {
		return nil, errors.New("store: the database URL is not one PostgreSQL understands")
	}
	d := &DB{dsn: dsn, lockTimeout: o.LockTimeout, searchTime: o.SearchTime, manyRows: newManyRows()}
	d.nodes.connections = min(o.NodeConnections, max(o.MaxConnections-1, 1))
	d.open(o.StatementTimeout+min(answerSlack, o.StatementTimeout/10), o.MaxConnections)
	return d, nil
}

// open makes the pool.
func (d *DB) open(patience time.Duration, connections int) {
	d.dialer = dialer{patience: patience, open: &sync.Map{}}
	d.connections = d.connector(d.dialer)
	d.db = sqlx.NewDb(sql.OpenDB(d.connections), "postgres")
	d.db.MapperFunc(columnOf)
	d.db.SetMaxOpenConns(connections)
	d.db.SetMaxIdleConns(connections)
	d.db.SetConnMaxIdleTime(5 * time.Minute)
	d.db.SetConnMaxLifetime(30 * time.Minute)
}

// connector makes connections to the database. Open has tried the address.
func (d *DB) connector(by dialer) *connector {
	c, err := pq.NewConnector(d.dsn)
	if err != nil {
		panic(err)
	}
	c.Dialer(by)
	return &connector{Connector: c, lockTimeout: d.lockTimeout}
}

// withDefaults adds what every connection needs and the URL leaves open. binary_parameters saves a round trip at each
// statement.
func withDefaults(databaseURL string, o Options) (string, error) {
	u, err := url.Parse(databaseURL)
	if err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
		return "", errors.New("store: the database URL must look like postgres://user:password@host:5432/name")
	}
	query := u.Query()
	setDefault := func(key, value string) {
		if query.Get(key) == "" {
			query.Set(key, value)
		}
	}
	if strings.Contains(u.Host, ",") {
		severalHosts(u, query)
		setDefault("target_session_attrs", "read-write")
	}
	setDefault("sslmode", "prefer")
	setDefault("connect_timeout", "5")
	if o.Name != "" {
		query.Set("application_name", o.Name)
	}
	setDefault("application_name", "bizfin")
	setDefault("binary_parameters", "yes")
	query.Set("TimeZone", "UTC")
	query.Set("statement_timeout", fmt.Sprint(o.StatementTimeout.Milliseconds()))
	query.Set("lock_timeout", fmt.Sprint(o.LockTimeout.Milliseconds()))
	// A process that stops in the middle of a transaction keeps what it has locked no longer.
	query.Set("idle_in_transaction_session_timeout", "10000")
	u.RawQuery = query.Encode()
	return u.String(), nil
}

// severalHosts moves the hosts of an address from where libpq takes them, host:port,host:port, to where the driver
// does.
func severalHosts(u *url.URL, query url.Values) {
	var hosts, ports []string
	for address := range strings.SplitSeq(u.Host, ",") {
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			host, port = address, "5432"
		}
		hosts, ports = append(hosts, host), append(ports, port)
	}
	query.Set("host", strings.Join(hosts, ","))
	query.Set("port", strings.Join(ports, ","))
	u.Host = ""
}

// columnOf is the column of a field that names none: the types of the leaves know no database.
func columnOf(field string) string {
	var column strings.Builder
	for i, r := range field {
		if unicode.IsUpper(r) && i > 0 && unicode.IsLower(rune(field[i-1])) {
			column.WriteByte('_')
		}
		column.WriteRune(unicode.ToLower(r))
	}
	return column.String()
}

// Ping reports whether the database answers.
func (d *DB) Ping(ctx context.Context) error { return d.db.PingContext(ctx) }

// Now is the database's clock, the one that all processes share: it tells what is due.
func (d *DB) Now(ctx context.Context) (now time.Time, err error) {
	err = d.db.GetContext(ctx, &now, `SELECT clock_timestamp()`)
	return now, translate(ctx, err)
}

// SQL is the pool itself, for migrations.
func (d *DB) SQL() *sql.DB { return d.db.DB }

// prepared returns a statement that each connection plans once, for what every request asks.
func (d *DB) prepared(ctx context.Context, query string) (*sqlx.Stmt, error) {
	if known, ok := d.statements.Load(query); ok {
		return known.(*sqlx.Stmt), nil
	}
	statement, err := d.db.PreparexContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if known, raced := d.statements.LoadOrStore(query, statement); raced {
		_ = statement.Close()
		return known.(*sqlx.Stmt), nil
	}
	return statement, nil
}

// selectPrepared reads all rows of a statement whose text has a handful of forms: a connection plans it once, and not
// at each request.
func (d *DB) selectPrepared(ctx context.Context, rows any, query string, args ...any) error {
	statement, err := d.prepared(ctx, query)
	if err != nil {
		return err
	}
	return statement.SelectContext(ctx, rows, args...)
}

// getPrepared reads the first row of such a statement.
func (d *DB) getPrepared(ctx context.Context, row any, query string, args ...any) error {
	statement, err := d.prepared(ctx, query)
	if err != nil {
		return err
	}
	return statement.GetContext(ctx, row, args...)
}

// prepare does it ahead of a transaction, which must not wait for a second connection while it holds one.
func (d *DB) prepare(ctx context.Context, queries ...string) error {
	for _, query := range queries {
		if _, err := d.prepared(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

// preparedIn returns a statement of prepare for a transaction.
func (d *DB) preparedIn(ctx context.Context, tx *sqlx.Tx, query string) (*sqlx.Stmt, error) {
	statement, err := d.prepared(ctx, query)
	if err != nil {
		return nil, err
	}
	return tx.StmtxContext(ctx, statement), nil
}

// getIn reads the first row of a statement of prepare, in a transaction.
func (d *DB) getIn(ctx context.Context, tx *sqlx.Tx, row any, query string, args ...any) error {
	statement, err := d.preparedIn(ctx, tx, query)
	if err != nil {
		return err
	}
	return statement.GetContext(ctx, row, args...)
}

// execIn runs a statement of prepare, in a transaction.
func (d *DB) execIn(ctx context.Context, tx *sqlx.Tx, query string, args ...any) error {
	statement, err := d.preparedIn(ctx, tx, query)
	if err != nil {
		return err
	}
	_, err = statement.ExecContext(ctx, args...)
	return err
}

// Organization is the handle to one business. It does not check that the business exists or who may act on it.
//
// Where its statements look rows up one by one, they write the business as (SELECT $1::uuid), which the planner takes
// for an average one. A plain $1 of a business that came since the statistics of the table were made it takes to have
// a single row: while there are few businesses, any index that begins with the business then seems as good as the
// right one, and each lookup reads the whole business.
type Organization struct {
	*handle
	ID uuid.UUID
}

// handle hides the pool: the methods of Organization are the only way to business rows.
type handle struct{ db *DB }

// Organization returns the handle to one business.
func (d *DB) Organization(id uuid.UUID) *Organization {
	return &Organization{handle: &handle{db: d}, ID: id}
}
