package worker_test

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"testing"
	"time"

	"github.com/lib/pq"

	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// A task of an upload that was processed can come late: it must not end the event of the next one.
func TestALateTaskEndsNoNewerEvent(t *testing.T) {
	s, w := open(t, "paid"), worker.New(config(t, frozen))
	first := s.upload(books(3)...)
	must(t, w.ProcessEvent(t.Context(), first))
	second := s.upload(books(8)...)
	if second.Generation <= first.Generation {
		t.Errorf("the second event has generation %d after %d", second.Generation, first.Generation)
	}
	if _, ended, err := s.EndEvent(t.Context(), noon, first); ended || err != nil {
		t.Errorf("the late task ended an event: %v, %v", ended, err)
	}
	if n := s.events(); n != 1 {
		t.Fatalf("%d events are left, want the second", n)
	}
	must(t, w.Process(t.Context(), s.ID))
	if n := s.inState("processed"); n != 8 {
		t.Errorf("%d of 8 rows are processed", n)
	}
}

func TestABusinessInWorkIsLeftAndOthersGoOn(t *testing.T) {
	wipe(t)
	held, other := open(t, "paid"), connected(t)
	c := config(t, frozen)
	c.Concurrency = 1
	turn, err := held.TakeTurn(t.Context(), store.AnyTurn)
	must(t, err)
	hints := signal(t, c.Redis)
	hints.Accepted(t.Context(), held.upload(books(5)...))
	hints.Accepted(t.Context(), other.upload(books(5)...))
	run(t, c)
	eventually(t, "the other business is processed", func() bool { return other.events() == 0 })
	if n := held.inState("processed"); n != 0 {
		t.Errorf("%d rows were processed while somebody else had the turn", n)
	}
	line, err := held.EndTurn(t.Context(), turn)
	must(t, err)
	if !line.Left {
		t.Error("who has the turn does not see what came meanwhile")
	}
	late(t)
	eventually(t, "the business is processed", func() bool { return held.events() == 0 })
}

// An API that stands still in the middle of uploads holds their rows for a minute.
func TestRowsThatAreHeldKeepNoOtherBusinessWaiting(t *testing.T) {
	wipe(t)
	c := config(t, frozen)
	hints := signal(t, c.Redis)
	held := []shop{open(t, "paid"), connected(t)} // as many as there are slots
	holder, err := storetest.DB(t).SQL().BeginTx(t.Context(), nil)
	must(t, err)
	defer holder.Rollback()
	for _, s := range held {
		event := s.upload(books(5)...)
		_, err := holder.Exec(`SELECT FROM transactions WHERE organization_id = $1 FOR NO KEY UPDATE`, s.ID)
		must(t, err)
		hints.Accepted(t.Context(), event)
	}
	run(t, c)
	eventually(t, "both slots have a turn", func() bool {
		return held[0].count(leasedTurn) == 1 && held[1].count(leasedTurn) == 1
	})
	other := connected(t)
	hints.Accepted(t.Context(), other.upload(books(5)...))
	eventually(t, "the other business is processed", func() bool { return other.events() == 0 })
	for _, s := range held {
		if n := s.inState("processed"); n != 0 {
			t.Errorf("%d rows that somebody holds were processed", n)
		}
	}
	must(t, holder.Rollback())
	eventually(t, "all are processed", func() bool { return held[0].events()+held[1].events() == 0 })
}

const leasedTurn = `SELECT count(*) FROM turns WHERE organization_id = $1 AND leased_until > now()`

func TestNewWorkComesBeforeABacklog(t *testing.T) {
	wipe(t)
	c := config(t, frozen)
	c.Concurrency = 1
	hints := signal(t, c.Redis)
	var backlog []shop
	for i := range 4 {
		if i == 0 {
			backlog = append(backlog, open(t, "paid"))
		} else {
			backlog = append(backlog, connected(t))
		}
		rows := statement(8_000)
		for j := range rows {
			rows[j].ExternalID = fmt.Sprint(j)
		}
		hints.Accepted(t.Context(), backlog[i].upload(rows...))
	}
	run(t, c)
	eventually(t, "the backlog is being worked on", func() bool { return backlog[0].inState("processed") > 0 })
	small := connected(t)
	hints.Accepted(t.Context(), small.upload(books(5)...))
	eventually(t, "the small upload is processed", func() bool { return small.events() == 0 })
	waiting := slices.DeleteFunc(slices.Clone(backlog), func(s shop) bool { return s.events() == 0 })
	if len(waiting) == 0 {
		t.Error("the small upload was processed after the whole backlog")
	}
	eventually(t, "the backlog is processed", func() bool {
		return !slices.ContainsFunc(backlog, func(s shop) bool { return s.events() > 0 })
	})
}

// A row that comes while its business has a turn is new work, and does not wait with the backlogs of others.
func TestWhatComesDuringALightTurnIsNewWork(t *testing.T) {
	for held, lock := range map[string]string{
		"the event of another account": `SELECT FROM pending_work WHERE organization_id = $1 AND account_id = $2 FOR NO KEY UPDATE`,
		"another account":              `SELECT FROM accounts WHERE organization_id = $1 AND id = $2 FOR NO KEY UPDATE`,
	} {
		t.Run(held, func(t *testing.T) {
			s, w := open(t, "paid"), worker.New(config(t, frozen))
			s.upload(books(1)...)
			s.account = s.addAccount("second")
			s.upload(row(2, -100, "COFFEE"))
			other := connected(t)
			other.upload(books(1)...)
			holder, err := storetest.DB(t).SQL().BeginTx(t.Context(), nil)
			must(t, err)
			defer holder.Rollback()
			_, err = holder.Exec(lock, s.ID, s.account)
			must(t, err)
			next, err := w.TakeTurns(t.Context(), store.Waiting{OrganizationID: s.ID, Turn: store.AnyTurn})
			must(t, err)
			if next == nil || next.Behind || s.inState("processed") == 0 {
				t.Fatalf("after a turn of one row, while another came, the business waits for %+v, want it in line "+
					"as new", next)
			}
			turns := 0
			for ; !next.Behind; turns++ {
				if next, err = w.TakeTurns(t.Context(), *next); err != nil || next == nil || turns > 100 {
					t.Fatalf("after %d turns the business waits for %+v, %v", turns, next, err)
				}
			}
			if turns < 2 {
				t.Errorf("an upload that is under way is waited for %d turns among new work", turns)
			}
		})
	}
}

func TestAFullTurnGoesBehind(t *testing.T) {
	s, w := open(t, "paid"), worker.New(config(t, frozen))
	s.upload(books(3000)...)
	other := connected(t)
	other.upload(books(1)...)
	next, err := w.TakeTurns(t.Context(), store.Waiting{OrganizationID: s.ID, Turn: store.AnyTurn})
	must(t, err)
	if next == nil || !next.Behind {
		t.Errorf("after a full turn the business waits for %+v, want it behind new work", next)
	}
}

func TestAWipedQueueIsSentAgainAtOnce(t *testing.T) {
	wipe(t)
	s := open(t, "paid")
	run(t, config(t, frozen)) // leaves its mark
	eventually(t, "the queue is marked", func() bool { return marked(t) })
	s.upload(books(5)...) // nobody signals it
	execute(t, `UPDATE pending_work SET next_at = now() + interval '1 hour'`)
	wipe(t)
	eventually(t, "the event is processed", func() bool { return s.events() == 0 })
}

// What a wiped queue had is noticed until it is sent again, however often that fails.
func TestAWipedQueueIsSentAgainThoughTheDatabaseFailsMeanwhile(t *testing.T) {
	wipe(t)
	s := open(t, "paid")
	c := config(t, frozen)
	c.Metrics = worker.NewMetrics()
	run(t, c)
	eventually(t, "the queue is marked", func() bool { return marked(t) })
	s.upload(books(5)...) // nobody signals it
	execute(t, `UPDATE pending_work SET next_at = now() + interval '1 hour'`)
	execute(t, `ALTER TABLE pending_work RENAME TO pending_work_away`)
	t.Cleanup(func() { execute(t, `ALTER TABLE IF EXISTS pending_work_away RENAME TO pending_work`) })
	wipe(t)
	eventually(t, "a relay fails", func() bool {
		return numbers(t, c.Metrics)["bizfin_task_failures_total task=relay"] >= 4 // of two things that it looks for
	})
	execute(t, `ALTER TABLE pending_work_away RENAME TO pending_work`)
	eventually(t, "the event is processed", func() bool { return s.events() == 0 })
}

// An outage that ends the turns of a business again and again keeps it from none once it is over.
func TestAnOutageIsNoFailureOfABusiness(t *testing.T) {
	s := open(t, "paid")
	for _, cause := range []error{
		io.ErrUnexpectedEOF, driver.ErrBadConn, &net.OpError{Op: "read", Err: io.EOF},
		&pq.Error{Code: "53100"}, &pq.Error{Code: "57P01"}, &pq.Error{Code: "58030"},
	} {
		turn, err := s.TakeTurn(t.Context(), store.AnyTurn)
		must(t, err)
		must(t, s.FailTurn(t.Context(), turn, fmt.Errorf("turn: %w", cause)))
		if n := s.count(`SELECT count(*) FROM turns WHERE organization_id = $1 AND failures = 0
			AND leased_until BETWEEN now() AND now() + interval '1 second'`); n != 1 {
			t.Errorf("%v counts as a failure of the business", cause)
		}
		execute(t, `UPDATE turns SET leased_until = NULL`)
	}
}

func TestAFailedTurnRestsLongerAndLonger(t *testing.T) {
	s := open(t, "paid")
	s.upload(books(5)...)
	for failure, rest := range []int{1, 2, 4, 8} {
		turn, err := s.TakeTurn(t.Context(), store.AnyTurn)
		must(t, err)
		must(t, s.FailTurn(t.Context(), turn, errors.New("of its rows")))
		if _, err := s.TakeTurn(t.Context(), store.AnyTurn); !errors.Is(err, store.ErrTurnTaken) {
			t.Errorf("failure %d: the business does not rest: %v", failure+1, err)
		}
		execute(t, `UPDATE pending_work SET next_at = now()`)
		if late, err := storetest.DB(t).LateEvents(t.Context(), 10); err != nil || len(late) != 0 {
			t.Errorf("failure %d: a relay takes %v, %v", failure+1, late, err)
		}
		left := s.count(`SELECT round(extract(epoch FROM leased_until - now())) FROM turns WHERE organization_id = $1`)
		if left < rest-1 || left > rest {
			t.Errorf("failure %d: the business rests %d s, want %d", failure+1, left, rest)
		}
		execute(t, `UPDATE turns SET leased_until = now() WHERE organization_id = $1`, s.ID)
	}
}

// Whoever lost the turn, because it was silent for too long, stores nothing over its successor.
func TestALostTurnStoresNothing(t *testing.T) {
	s := open(t, "paid")
	event := s.upload(books(5)...)
	lost, err := s.TakeTurn(t.Context(), store.AnyTurn)
	must(t, err)
	execute(t, `UPDATE turns SET leased_until = now() WHERE organization_id = $1`, s.ID)
	_, err = s.TakeTurn(t.Context(), lost.Number)
	must(t, err)
	batch, err := s.NextBatch(t.Context(), noon, event, 10, 0)
	must(t, err)
	var effects store.Effects
	for _, r := range batch.Rows {
		effects.Decisions = append(effects.Decisions, decide.Decision{Row: r})
	}
	_, err = s.StoreBatch(t.Context(), noon, lost, batch, effects)
	if !errors.Is(err, store.ErrTurnTaken) || s.inState("processed") != 0 {
		t.Errorf("a lost turn stored %d rows: %v", s.inState("processed"), err)
	}
	if _, err := s.TakeTurn(t.Context(), lost.Number); !errors.Is(err, store.ErrTurnTaken) {
		t.Errorf("a turn was given twice: %v", err)
	}
}

// A batch that waits, for a question that somebody reads, keeps no upload to its account waiting.
func TestAnUploadDoesNotWaitForABatch(t *testing.T) {
	s, w := open(t, "paid"), worker.New(config(t, frozen))
	must(t, w.ProcessEvent(t.Context(), s.upload(row(1, -5000_00, "QUORVANE HOLDINGS 4471"))))
	reading, err := storetest.DB(t).SQL().Begin()
	must(t, err)
	defer reading.Rollback()
	_, err = reading.Exec(`SELECT FROM outstanding_issues WHERE organization_id = $1 FOR UPDATE`, s.ID)
	must(t, err)
	event := s.upload(row(2, -5000_00, "QUORVANE HOLDINGS 4471"))
	processed := make(chan error, 1)
	go func() { processed <- w.ProcessEvent(t.Context(), event) }()
	eventually(t, "the batch waits for the question", func() bool {
		return s.count(`SELECT count(*) FROM `+storetest.Activity()+
			` WHERE $1::uuid IS NOT NULL AND wait_event_type = 'Lock' AND query LIKE '%outstanding_issues%'`) > 0
	})
	uploaded := make(chan struct{})
	go func() {
		s.upload(row(3, -5000_00, "QUORVANE HOLDINGS 4471"))
		close(uploaded)
	}()
	select {
	case <-uploaded:
	case <-time.After(10 * time.Second):
		t.Error("an upload waits for a batch")
	}
	must(t, reading.Rollback())
	must(t, <-processed)
	<-uploaded
	must(t, w.Process(t.Context(), s.ID))
	if n := s.count(`SELECT transaction_count FROM outstanding_issues WHERE organization_id = $1`); n != 3 {
		t.Errorf("the question counts %d rows, want 3", n)
	}
}

// What a question says it is about is what its rows add up to, whatever came and went.
func TestAQuestionCountsItsRowsThroughChanges(t *testing.T) {
	s, w := open(t, "paid"), worker.New(config(t, frozen))
	firm := func(id int, cents money.Amount) store.TransactionUpload {
		return row(id, cents, "QUORVANE HOLDINGS 4471")
	}
	uploaded, err := s.UploadTransactions(t.Context(), noon, s.account,
		[]store.TransactionUpload{firm(1, -500_00), firm(2, -600_00), firm(3, -700_00)})
	must(t, err)
	must(t, w.Process(t.Context(), s.ID))
	s.wantImpact("at first", 3, 1800_00)
	s.upload(firm(1, -50_00), row(2, -600_00, "SHELL OIL 57444212300 AUSTIN TX"))
	must(t, w.Process(t.Context(), s.ID))
	s.wantImpact("one amount changed, and one row is another's", 2, 750_00)
	must(t, s.DeleteTransaction(t.Context(), noon, uploaded.Records[2].ID))
	s.wantImpact("one is deleted", 1, 50_00)
	s.upload(firm(4, -1_00))
	must(t, w.Process(t.Context(), s.ID))
	s.wantImpact("one came", 2, 51_00)
}

func (s shop) wantImpact(when string, rows, cents int) {
	s.t.Helper()
	const question = ` FROM outstanding_issues WHERE organization_id = $1 AND status = 'open' AND group_key LIKE 'quorvane%'`
	if n, c := s.count(`SELECT transaction_count`+question), s.count(`SELECT impact_amount`+question); n != rows ||
		c != cents {
		s.t.Errorf("%s: the question is about %d rows and %d cents, want %d and %d", when, n, c, rows, cents)
	}
}
