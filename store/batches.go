package store

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/questions"
)

// Batch is what is decided at once, and what it is decided by.
type Batch struct {
	Rows    []decide.Row
	Answers []questions.Answered // of the business, oldest first

	event     Event
	size      int   // the most rows
	again     bool  // they were decided before; no month's limit holds them up
	limited   bool  // they count for the month
	more      bool  // there may be rows behind them
	exhausted bool  // the month allows no row behind them
	answers   int64 // how many the batch knows at least
}

// IsNew reports whether its rows were never decided before.
func (b Batch) IsNew() bool { return !b.again }

// Effects are what follows from a batch.
type Effects struct {
	Decisions []decide.Decision
	Strays    []decide.Decision // decided before, which may be asked about with these: alone until now, or by nobody
	Transfers []decide.Transfer
	Business  []decide.Decision  // what all rows are of a new business that was not asked about itself
	Dissolved []decide.Pair      // that are none with the rows of the batch: they are to be decided anew
	Refunds   []decide.Explained // to be decided anew, from those whom decided rows are with
}

// BatchResult is what became of a batch.
type BatchResult struct {
	Rows    []decide.Decision // stored
	Limited int               // rows that the month does not allow, newly marked
	More    bool              // something of the event is left
	Ended   bool              // nothing is, and no newer event came
	Held    bool              // somebody else held what was to be written: nothing is stored
	Waited  time.Duration     // of an event that ended: from its acceptance until all its effects were stored
}

// NextBatch reads the next rows of an event to decide: first those that were decided before and that a change queued
// again, then new ones, newest first, as many as the month allows. Nothing is locked.
func (o *Organization) NextBatch(ctx context.Context, now time.Time, e Event, size int,
	monthlyLimit int64) (Batch, error) {
	b := Batch{event: e, size: size, again: true, more: true}
	var err error
	if b.answers, err = o.answersGiven(ctx); err != nil { // before the answers: one that comes now is told apart
		return b, translate(ctx, err)
	}
	if b.Rows, err = o.openRows(ctx, e.AccountID, size, queuedAgain); err != nil {
		return b, translate(ctx, err)
	}
	b.Rows = ofUsualLength(b.Rows)
	if len(b.Rows) == 0 {
		b.again = false
		if err := o.newRows(ctx, now, monthlyLimit, &b); err != nil {
			return b, translate(ctx, err)
		}
	}
	if len(b.Rows) > 0 {
		b.Answers, err = o.remembered(ctx)
	}
	if err == nil && len(b.Answers) > 0 {
		err = o.readLeftOpen(ctx, b.Rows)
	}
	if err == nil && len(b.Answers) > 0 && b.again {
		if err = o.readSince(ctx, b.Rows); err == nil {
			err = o.readSaidOf(ctx, b.Rows)
		}
	}
	return b, translate(ctx, err)
}

func (o *Organization) newRows(ctx context.Context, now time.Time, monthlyLimit int64, b *Batch) error {
	b.more = false
	left, limited, err := o.allowance(ctx, now, monthlyLimit)
	if err != nil {
		return err
	}
	b.limited = limited
	if limited && left <= 0 {
		b.exhausted = true
		return nil
	}
	// A row that was decided before that an upload has just queued again is left to the next batch: it is spent once.
	b.Rows, err = o.openRows(ctx, b.event.AccountID, b.size, newlyQueued, heldBack)
	if err != nil {
		return err
	}
	read := len(b.Rows)
	b.Rows = ofUsualLength(b.Rows)
	b.more = read == b.size || len(b.Rows) < read
	if limited {
		read = len(b.Rows)
		if b.Rows, err = o.allowed(ctx, b.Rows, left); err != nil {
			return err
		}
		b.exhausted = len(b.Rows) < read
		b.more = b.more && !b.exhausted
	}
	return nil
}

// StoreBatch writes what follows from a batch, in one transaction: decisions, pairs of transfers, questions. What
// changed since the batch was read is left to the next one. An event of which nothing is left ends, unless a newer
// one came. Storing a batch again changes nothing. ErrTurnTaken where the turn was lost: nothing is stored then. What a
// crash of the server loses of it is decided again: the event is there until then.
func (o *Organization) StoreBatch(ctx context.Context, now time.Time, turn Turn, b Batch, e Effects) (BatchResult,
	error) {
	done := BatchResult{More: b.more}
	if len(b.Rows) > 0 {
		err := o.db.inTxRelaxed(ctx, func(tx *sqlx.Tx) error {
			if err := waitBriefly(ctx, tx); err != nil {
				return err
			}
			kept, left, err := o.storeEffects(ctx, tx, now, turn, b, e)
			done.Rows, done.More = kept, b.more || left
			return err
		})
		if errors.Is(err, errStale) {
			return BatchResult{More: true}, nil
		}
		if errors.Is(err, ErrBusy) {
			return BatchResult{More: true, Held: true}, nil
		}
		if err != nil {
			return BatchResult{}, err
		}
	}
	var err error
	if b.exhausted && !done.More {
		done.Limited, err = o.limitRows(ctx, now, turn, b.event.AccountID, b.size)
		if errors.Is(err, ErrBusy) {
			done.More, done.Held = true, true
			return done, nil
		}
		if err != nil {
			return done, err
		}
		done.More = done.Limited == b.size
	}
	if !done.More {
		if err := o.spreadInTurn(ctx, now, turn); err != nil {
			return done, err
		}
		done.Waited, done.Ended, err = o.EndEvent(ctx, now, b.event)
		done.More = !done.Ended
	}
	return done, err
}

// storeEffects writes what follows from a batch, if it still does. It returns what it wrote, and whether something of
// the batch is left.
func (o *Organization) storeEffects(
	ctx context.Context, tx *sqlx.Tx, now time.Time, turn Turn, b Batch, e Effects,
) (kept []decide.Decision, left bool, err error) {
	answers, err := o.holdTurn(ctx, tx, turn)
	if err != nil {
		return nil, false, err
	}
	if answers != b.answers {
		return nil, false, errStale
	}
	open, rows, err := o.lockForBatch(ctx, tx, b, e)
	if err != nil {
		return nil, false, err
	}
	kept = slices.DeleteFunc(slices.Clone(e.Decisions), func(d decide.Decision) bool {
		r := rows[d.Row.ID]
		return !r.isOpen() || r.Deleted || r.Revision != d.Row.Revision
	})
	left = len(kept) < len(e.Decisions)
	e.keep(kept)
	for _, t := range e.Transfers {
		if r := rows[t.Leg.ID]; r.Revision != t.Leg.Revision || r.Deleted {
			return nil, false, errStale
		}
	}
	if err := o.dissolvePairs(ctx, tx, now, e.Dissolved, rows); err != nil {
		return nil, false, err
	}
	left = left || len(e.Refunds) > 0 || len(e.Dissolved) > 0
	e.keepStrays(rows)
	return e.Decisions, left, o.saveEffects(ctx, tx, now, b, e, open)
}

// keep leaves what follows from some of the decisions.
func (e *Effects) keep(decisions []decide.Decision) {
	gone, shops := make(map[uuid.UUID]bool, len(e.Decisions)), decide.Shops(decisions)
	for _, d := range e.Decisions {
		gone[d.Row.ID] = true
	}
	for _, d := range decisions {
		delete(gone, d.Row.ID)
	}
	e.Decisions = decisions
	e.Transfers = slices.DeleteFunc(slices.Clone(e.Transfers), func(t decide.Transfer) bool {
		return gone[t.Leg.ID] || gone[t.Other.ID]
	})
	if len(decisions) == 0 { // nothing came
		e.Dissolved = nil
	}
	e.Refunds = slices.DeleteFunc(slices.Clone(e.Refunds), func(r decide.Explained) bool {
		return len(shops[r.Shop]) == 0
	})
}

// keepStrays leaves the strays that are as they were when they were read, and that nothing else follows for.
func (e *Effects) keepStrays(rows map[uuid.UUID]row) {
	taken := map[uuid.UUID]bool{}
	for _, t := range e.Transfers {
		taken[t.Leg.ID], taken[t.Other.ID] = true, true
	}
	for _, p := range e.Dissolved {
		taken[p[0].ID], taken[p[1].ID] = true, true
	}
	for _, r := range e.Refunds {
		taken[r.ID] = true
	}
	e.Strays = slices.DeleteFunc(slices.Clone(e.Strays), func(d decide.Decision) bool {
		r := rows[d.Row.ID]
		return taken[d.Row.ID] || r.isOpen() || r.Deleted || r.NeedsAttention != d.Row.NeedsAttention ||
			r.Revision != d.Row.Revision
	})
}

// asked are the strays that groups ask about.
func (e Effects) asked(groups []questions.Group) (strays []decide.Decision) {
	in := map[uuid.UUID]bool{}
	for _, g := range groups {
		for _, row := range g.Rows {
			in[row.Transaction] = true
		}
	}
	for _, d := range e.Strays {
		if in[d.Row.ID] {
			strays = append(strays, d)
		}
	}
	return strays
}

// lockForBatch locks the questions about the rows that a batch may write, and the ones these may join or open again,
// and then all these rows: what an upload changed meanwhile is seen, and none changes any more. It returns the
// questions by their topics.
func (o *Organization) lockForBatch(
	ctx context.Context, tx *sqlx.Tx, b Batch, e Effects,
) (map[questions.Topic]questions.Open, map[uuid.UUID]row, error) {
	var rows, asked []uuid.UUID
	var keys []string
	for _, r := range e.Refunds {
		rows = append(rows, r.ID)
	}
	for _, p := range e.Dissolved {
		rows = append(rows, p[0].ID, p[1].ID)
	}
	for _, t := range e.Transfers {
		rows = append(rows, t.Leg.ID)
		if t.Leg.NeedsAttention {
			asked = append(asked, t.Leg.ID)
		}
	}
	for _, d := range slices.Concat(e.Decisions, e.Strays) {
		rows = append(rows, d.Row.ID)
		if d.Row.NeedsAttention {
			asked = append(asked, d.Row.ID)
		}
		// Nobody but the row itself joins a question about one row.
		if d.Question != nil && (d.Row.NeedsAttention || !d.Question.Key.OfOneRow()) {
			keys = append(keys, d.Question.Key.String())
			if alone := d.Question.Narrow; alone != nil {
				keys = append(keys, alone.Key.String())
			}
		}
	}
	slices.Sort(keys)
	open, err := o.lockQuestions(ctx, tx, asked, slices.Compact(keys), anyKind)
	if err != nil {
		return nil, nil, err
	}
	topics := byTopic(open)
	if b.again {
		if err := o.lockTaken(ctx, tx, e.Decisions, topics); err != nil {
			return nil, nil, err
		}
	}
	locked, err := o.lockRows(ctx, tx, rows)
	return topics, locked, err
}

// saveEffects stores counterparties, decisions, transfers, questions, refunds to be decided anew, and what was used
// of the month.
func (o *Organization) saveEffects(
	ctx context.Context, tx *sqlx.Tx, now time.Time, b Batch, e Effects, open map[questions.Topic]questions.Open,
) error {
	if len(e.Decisions) == 0 {
		return nil
	}
	groups := gather(e.Decisions, e.Strays, open)
	decided := slices.Concat(e.Decisions, e.asked(groups))
	counterparties, err := o.saveCounterparties(ctx, tx, now, decided)
	if err != nil {
		return err
	}
	groups = append(groups, aboutBusiness(e.Business)...)
	if b.again {
		if err := o.leaveMemories(ctx, tx, e.Decisions); err != nil {
			return err
		}
	}
	if err := o.saveDecisions(ctx, tx, now, decided, counterparties, groups); err != nil {
		return err
	}
	if err := o.saveTransfers(ctx, tx, now, e.Transfers); err != nil {
		return err
	}
	if err := o.saveParts(ctx, tx, e.Decisions); err != nil {
		return err
	}
	if err := o.openTaken(ctx, tx, groups, open); err != nil {
		return err
	}
	if err := o.askAnew(ctx, tx, now, decided, groups, counterparties); err != nil {
		return err
	}
	if err := o.decideAnew(ctx, tx, now, rowsOf(e.Refunds), b.event.AccountID); err != nil {
		return err
	}
	// Without a question nobody is known to lend, and payouts that are decided again would stand again.
	if slices.ContainsFunc(groups, func(g questions.Group) bool { return g.OfLoan() && !(g.Joins && b.again) }) {
		if err := o.payoutsSinceLent(ctx, tx, now, decide.Lenders(e.Decisions), b.again); err != nil {
			return err
		}
	}
	if !b.limited || b.again {
		return nil
	}
	return o.spend(ctx, tx, now, len(e.Decisions))
}

// gather groups what is to be asked about decided rows, and about strays with them.
func gather(decided, strays []decide.Decision, open map[questions.Topic]questions.Open) []questions.Group {
	var asks []questions.Ask
	for _, d := range decided {
		if d.Question != nil {
			asks = append(asks, d.Ask())
		}
	}
	for _, d := range strays {
		if d.Question != nil {
			ask := d.Ask()
			ask.Asked = d.Row.NeedsAttention
			asks = append(asks, ask)
		}
	}
	return questions.Gather(asks, open)
}

// aboutBusiness is what to ask a business about itself, given what its rows are by themselves.
func aboutBusiness(decided []decide.Decision) []questions.Group {
	if len(decided) < questions.EnoughRows {
		return nil
	}
	var mixed money.Total
	for _, d := range decided {
		if d.Mixed() && d.Row.Currency == "USD" {
			mixed = mixed.Plus(money.TotalOf(-d.Row.Amount))
		}
	}
	return questions.AboutBusiness(mixed)
}

// mostAnew are so many of the newest open rows that follow what the business said of itself.
const mostAnew = 5000

// suggestAnew has the open rows decided anew that nobody answered: what the business said of itself has changed.
func (o *Organization) suggestAnew(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID) error {
	var rows []decide.Row
	err := tx.SelectContext(ctx, &rows, `
		SELECT id, revision, account_id
		FROM transactions t
		WHERE organization_id = $1
		  AND category_id IS NULL
		  AND `+unanswered+`
		  AND suggested_id IS NOT NULL
		  AND processing = 'processed'
		  AND filing_state = 'unfiled'
		  AND deleted_at IS NULL
		ORDER BY id DESC
		LIMIT $2`,
		o.ID, mostAnew)
	if err != nil {
		return err
	}
	return o.theseAnew(ctx, tx, now, locked, rows)
}

// theseAnew has rows decided anew, which it locks.
func (o *Organization) theseAnew(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID,
	rows []decide.Row) error {
	accounts, ids := make([]uuid.UUID, len(rows)), make([]uuid.UUID, len(rows))
	for i, r := range rows {
		accounts[i], ids[i] = r.AccountID, r.ID
	}
	if err := mustHave(locked, accounts); err != nil {
		return err
	}
	if _, err := o.lockRows(ctx, tx, inOrder(ids)); err != nil {
		return err
	}
	return o.decideAnew(ctx, tx, now, rows, uuid.Nil)
}
