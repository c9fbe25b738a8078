package store

import (
	"maps"
	"slices"
	"sync"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// What is kept beside rows follows from what they were and are: how many of which state an account has
// (transaction_counts), what was with whom (counterparty_counts), the months to sum anew (report_dirty), and the texts
// that words are looked for in (transaction_words). A transaction notes what rows were when it takes them, and what is
// kept is written once, before it commits, from what they are then:
//
//   - lockRows, or writeRows for whoever has not locked them, notes what rows were.
//   - Every UPDATE of transactions goes through writeRows, which notes what was made of them, or through writeLines or
//     after noteRows, where the rows are read again in the end.
//   - queueEvents notes accounts that are to be processed: their events are the last locks of a transaction.
//   - came notes rows that are inserted, which begin queued and with nobody.
//   - keep writes what follows, for each transaction of DB.inTx.
//
// A row that was changed and changed back leaves nothing, however many statements that took.
type ledger struct {
	organization uuid.UUID
	before       map[uuid.UUID]row // as they were when the transaction first took them
	after        map[uuid.UUID]row // as the last statement left them that wrote them; of others nothing follows
	unread       []uuid.UUID       // that are written by statements that do not say what they became
	divided      map[uuid.UUID]bool
	added        map[uuid.UUID]*accountNumbers
	events       map[uuid.UUID]bool // accounts that something they hold changed of
	asked        map[uuid.UUID]bool // rows that were to be locked and waited for, whether they are there or not
	alone        bool               // with the business
}

// ledgers are those of the transactions that are under way.
type ledgers struct {
	mu sync.Mutex
	of map[*sqlx.Tx][]*ledger
}

func (l *ledgers) find(tx *sqlx.Tx, organization uuid.UUID) *ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, one := range l.of[tx] {
		if one.organization == organization {
			return one
		}
	}
	return nil
}

func (l *ledgers) add(tx *sqlx.Tx, one *ledger) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.of == nil {
		l.of = map[*sqlx.Tx][]*ledger{}
	}
	l.of[tx] = append(l.of[tx], one)
}

func (l *ledgers) close(tx *sqlx.Tx) []*ledger {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.of[tx]
	delete(l.of, tx)
	return all
}

func (l *ledger) of(account uuid.UUID) *accountNumbers {
	if l.added[account] == nil {
		l.added[account] = &accountNumbers{}
	}
	return l.added[account]
}

// lacks is an *unlockedError where rows were not waited for that the transaction does not have.
func (l *ledger) lacks(ids []uuid.UUID, later bool) error {
	for _, id := range ids {
		if _, ok := l.before[id]; !ok && later && !l.asked[id] {
			return &unlockedError{rows: slices.AppendSeq(slices.Clone(ids), maps.Keys(l.asked))}
		}
	}
	for _, id := range ids {
		l.asked[id] = true
	}
	return nil
}

// accountNumbers are those of a row of transaction_counts.
type accountNumbers struct{ Transactions, Pending, Categorized, NeedsAttention, Limited, Queued int64 }

func (c *accountNumbers) add(r row, n int64) {
	if r.Deleted {
		return
	}
	count := func(to *int64, is bool) {
		if is {
			*to += n
		}
	}
	count(&c.Transactions, true)
	count(&c.Pending, r.Pending)
	count(&c.Categorized, r.Category != 0 && !isUncategorized(r.Category))
	count(&c.NeedsAttention, r.NeedsAttention)
	count(&c.Limited, r.Processing == "limited")
	count(&c.Queued, r.Processing == "queued")
}

// isUncategorized says which categories count as none: those of the branch.
var isUncategorized = sync.OnceValue(func() func(id int) bool {
	branch, _ := ontology.ScheduleC().ByPath(ontology.Uncategorized)
	ids := branch.Descendants()
	return func(id int) bool { return slices.Contains(ids, id) }
})()

// changes are what follows from what a transaction did.
type changes struct {
	with            map[counterpartyKey]*counterpartySums
	months          map[string]bool // the first days
	texts           []row
	counterparties  []uuid.UUID // that no row was with before
	legs            []uuid.UUID // that were no row's other leg before
	knownParty, leg map[uuid.UUID]bool
}

// counterpartyKey is that of a row of counterparty_counts.
type counterpartyKey struct {
	counterparty uuid.UUID
	currency     string
	category     int
}

type counterpartySums struct {
	transactions    int64
	inflow, outflow money.Total
	moved           bool // a row of it came, went, or has another day: it was the newest, or is
}

// changes compares what was written with what it was; the counts of accounts are added to the ledger's.
func (l *ledger) changes() changes {
	c := changes{with: map[counterpartyKey]*counterpartySums{}, months: map[string]bool{},
		knownParty: map[uuid.UUID]bool{uuid.Nil: true}, leg: map[uuid.UUID]bool{uuid.Nil: true}}
	ids := make([]uuid.UUID, 0, len(l.after))
	for id := range l.after {
		ids = append(ids, id)
		b := l.before[id]
		c.knownParty[b.CounterpartyID.UUID], c.leg[b.TransferID.UUID] = true, true
	}
	for _, id := range inOrder(ids) {
		b, a := l.before[id], l.after[id]
		counted := l.of(b.AccountID)
		counted.add(b, -1)
		counted.add(a, 1)
		c.count(b, -1)
		c.count(a, 1)
		// Who gives a row its first counterparty moves that up the list.
		if b.CounterpartyID.Valid && (a.Deleted != b.Deleted || a.CounterpartyID != b.CounterpartyID ||
			a.PrimaryDate != b.PrimaryDate) {
			c.moves(b)
			c.moves(a)
		}
		if b.summed() != a.summed() {
			c.mark(b)
			c.mark(a)
		}
		if a.Text.Valid && a.Text != b.Text {
			c.texts = append(c.texts, a)
		}
		if other := a.CounterpartyID.UUID; !c.knownParty[other] {
			c.knownParty[other] = true
			c.counterparties = append(c.counterparties, other)
		}
		if other := a.TransferID.UUID; !c.leg[other] {
			c.leg[other] = true
			c.legs = append(c.legs, other)
		}
	}
	return c
}

func (c *changes) count(r row, n int64) {
	if r.Deleted || !r.CounterpartyID.Valid {
		return
	}
	key := counterpartyKey{r.CounterpartyID.UUID, r.Currency, r.Category}
	if c.with[key] == nil {
		c.with[key] = &counterpartySums{}
	}
	sums, amount := c.with[key], money.TotalOf(r.Amount)
	if n < 0 {
		amount = amount.Neg()
	}
	sums.transactions += n
	if r.Amount > 0 {
		sums.inflow = sums.inflow.Plus(amount)
	} else {
		sums.outflow = sums.outflow.Minus(amount)
	}
}

// moves notes that the newest row with somebody may be another one.
func (c *changes) moves(r row) {
	if sums := c.with[counterpartyKey{r.CounterpartyID.UUID, r.Currency, r.Category}]; sums != nil {
		sums.moved = true
	}
}

func (c *changes) mark(r row) {
	if s := r.summed(); s != (summed{}) {
		c.months[r.ProcessedDate.date().Format("2006-01")+"-01"] = true
	}
}

// summed is what a roll-up of months has of a row: nothing of most that are pending, of another currency, or of two
// days.
type summed struct {
	day                    day
	amount                 money.Amount
	category, suggested    int
	counterparty, transfer uuid.UUID
}

func (r row) summed() summed {
	if r.Deleted || r.Processing != "processed" || r.Pending || r.Currency != "USD" ||
		r.ProcessedDate != r.PrimaryDate {
		return summed{}
	}
	return summed{r.ProcessedDate, r.Amount, r.Category, r.Suggested, r.CounterpartyID.UUID, r.TransferID.UUID}
}
