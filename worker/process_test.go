package worker_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/answers"
	"bizfin/internal/categorize"
	"bizfin/internal/decide"
	"bizfin/internal/questions"
	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

func frozen() time.Time { return noon }

func TestALateEventIsOneRelaysAlone(t *testing.T) {
	db := storetest.DB(t)
	open(t, "paid") // forgets the events of other tests
	const businesses = 40
	for range businesses {
		uploaded := connected(t)
		uploaded.upload(row(1, -100, "COFFEE"))
	}
	claimAll := func() (claimed []store.Waiting) {
		var mu sync.Mutex
		var relays sync.WaitGroup
		for range 6 {
			relays.Go(func() {
				for {
					late, err := db.LateEvents(t.Context(), 3)
					if err != nil || len(late) == 0 {
						must(t, err)
						return
					}
					mu.Lock()
					claimed = append(claimed, late...)
					mu.Unlock()
				}
			})
		}
		relays.Wait()
		return claimed
	}
	if claimed := claimAll(); len(claimed) != 0 {
		t.Errorf("%d events were taken before they were late", len(claimed))
	}
	late(t)
	for attempt, pause := range []int{5, 10, 20, 40, 60, 60} {
		claimed := claimAll()
		seen := map[uuid.UUID]bool{}
		for _, w := range claimed {
			seen[w.OrganizationID] = true
			if w.Attempts != attempt+1 {
				t.Errorf("attempt %d is called %d", attempt+1, w.Attempts)
			}
		}
		if len(claimed) != businesses || len(seen) != businesses {
			t.Fatalf("attempt %d: %d events of %d businesses were taken, want %d", attempt+1, len(claimed), len(seen),
				businesses)
		}
		ago := func(seconds int) {
			execute(t, `UPDATE pending_work SET next_at = (next_at AT TIME ZONE 'UTC' - $1 * interval '1 second') AT TIME ZONE 'UTC'`, seconds)
		}
		ago(pause - 2)
		if early := claimAll(); len(early) != 0 {
			t.Fatalf("attempt %d: %d events were taken again before %d s had passed", attempt+1, len(early), pause)
		}
		ago(2)
	}
}

func TestProcessingAgainChangesNothing(t *testing.T) {
	s, w := open(t, "free"), worker.New(config(t, frozen))
	work := s.upload(books(700)...) // more than a batch
	var first sync.WaitGroup
	for range 6 {
		first.Go(func() { must(t, w.ProcessEvent(t.Context(), work)) })
	}
	first.Wait()
	if n := s.inState("processed"); n != 700 {
		t.Fatalf("%d of 700 rows are processed", n)
	}
	if n := s.count(`SELECT processed FROM processing_months WHERE organization_id = $1`); n != 700 {
		t.Errorf("%d rows were counted, want 700", n)
	}
	before := s.dump()
	if len(before["counterparties"]) == 0 || len(before["outstanding_issues"]) == 0 {
		t.Fatal("the rows have no counterparties or questions to repeat")
	}
	unequal := s.count(`
		SELECT count(*)
		FROM outstanding_issues i
		WHERE organization_id = $1
		  AND transaction_count <> (SELECT count(*) FROM issue_transactions it WHERE it.organization_id = $1 AND it.issue_id = i.id)`)
	if unequal != 0 {
		t.Errorf("%d questions count other rows than they have", unequal)
	}
	again := s.upload(books(700)...) // unchanged, so it is only an event
	var second sync.WaitGroup
	for range 6 {
		second.Go(func() { must(t, w.ProcessEvent(t.Context(), again)) })
	}
	second.Wait()
	if diff := cmp.Diff(before, s.dump()); diff != "" {
		t.Errorf("processing again changed:\n%s", diff)
	}
}

func TestAnEventThatRoseMeanwhileIsKept(t *testing.T) {
	s, w := open(t, "paid"), worker.New(config(t, frozen))
	first := s.upload(books(3)...)
	second := s.upload(books(5)...)
	must(t, w.ProcessEvent(t.Context(), first))
	left, err := s.Events(t.Context())
	must(t, err)
	if len(left) != 1 || left[0].Generation != second.Generation {
		t.Fatalf("left %+v, want generation %d", left, second.Generation)
	}
	must(t, w.ProcessEvent(t.Context(), second))
	if n := s.events(); n != 0 {
		t.Errorf("%d events are left", n)
	}
}

func TestAUsersCategorySurvivesProcessing(t *testing.T) {
	s, w := open(t, "paid"), worker.New(config(t, frozen))
	uploaded, err := s.UploadTransactions(t.Context(), noon, s.account, books(8))
	must(t, err)
	const chosen = 3250
	for _, r := range uploaded.Records {
		must(t, s.SetCategory(t.Context(), noon, r.ID, store.CategoryChoice{CategoryID: chosen, Source: "user",
			Confidence: 10_000}))
	}
	must(t, w.ProcessEvent(t.Context(), uploaded.Event))
	kept := s.count(`SELECT count(*) FROM transactions WHERE organization_id = $1 AND processing = 'processed' AND category_id = $2 AND category_source = 'user'`, chosen)
	if kept != 8 {
		t.Errorf("%d of 8 choices survived", kept)
	}
}

// An answer does not wait for the worker, so a row can change between the reading and the writing of its decision.
func TestARowThatIsAnsweredMeanwhileKeepsTheAnswer(t *testing.T) {
	s := open(t, "paid")
	uploaded, err := s.UploadTransactions(t.Context(), noon, s.account, books(8))
	must(t, err)
	issue := store.Issue{ID: uuid.New(), ObjectType: "transaction", ObjectID: "x", Kind: "category", Question: "?",
		Why: "!", ImpactCurrency: "USD",
		Options: store.IssueOptions{}, AllowsFreeText: true, CreatedAt: noon}
	answered := uploaded.Records[0].ID
	must(t, s.OpenIssue(t.Context(), issue, []uuid.UUID{answered}))
	const byRule, byUser = 3250, 3260
	calls := 0
	how := storetest.Processing{BatchSize: 100, Decide: func(rows []decide.Row,
		_ []questions.Answered) []decide.Decision {
		if calls++; calls == 1 {
			must(t, storetest.Answer(s, t.Context(), noon, issue.ID, store.Answer{Person: s.person, Text: "utilities",
				Meaning: answers.Meaning{CategoryID: byUser}}))
		}
		var decided []decide.Decision
		for _, r := range rows {
			decided = append(decided, decide.Decision{Row: r, Decision: categorize.Decision{CategoryID: byRule,
				Source: "rule", Confidence: 9500, Reason: "read at once"}})
		}
		return decided
	}}
	for more := true; more; {
		more = s.batch(uploaded.Event, how)
		if n := s.inState("limited"); n != 0 {
			t.Errorf("%d rows of a paid business are limited", n)
		}
		if s.inState("processed") < 8 && s.events() == 0 {
			t.Fatal("the event is gone and a row is not decided")
		}
	}
	if n := s.inState("processed"); n != 8 {
		t.Errorf("%d of 8 rows are processed", n)
	}
	if n := s.count(`SELECT count(*) FROM transactions WHERE organization_id = $1 AND id = $2 AND category_id = $3 AND category_source = 'user'`, answered, byUser); n != 1 {
		t.Errorf("the answer was overwritten: %v", s.dump()["transactions"])
	}
}

func TestAnAnswerThatComesMeanwhileCoversTheNewRowsToo(t *testing.T) {
	s := open(t, "paid")
	ask := func(rows []decide.Row, memory []questions.Answered) []decide.Decision {
		var decided []decide.Decision
		for _, r := range rows {
			d := decide.Decision{Row: r}
			d.Counterparty = categorize.Counterparty{Key: "a firm", Name: "A Firm", Type: "company",
				Relationship: "unknown"}
			if len(memory) == 0 {
				d.Question = &questions.Question{Key: questions.AboutCounterparty("a firm"),
					Text: "What do you pay a firm for?", Kind: "category", Options: []questions.Option{}}
			} else {
				d.CategoryID, d.Source, d.Confidence, d.Established = *memory[0].CategoryID, "memory", 9500, true
			}
			decided = append(decided, d)
		}
		return decided
	}
	s.batch(s.upload(row(1, -5000_00, "A FIRM")), storetest.Processing{BatchSize: 100, Decide: ask})
	issues, err := s.Issues(t.Context(), store.IssueFilter{}, store.Page{Limit: 50})
	must(t, err)
	answered := make(chan error, 1)
	how := storetest.Processing{BatchSize: 100, Decide: func(rows []decide.Row,
		memory []questions.Answered) []decide.Decision {
		go func() {
			answered <- storetest.Answer(s, t.Context(), noon, issues.Rows[0].ID,
				store.Answer{Person: s.person, Text: "utilities", Meaning: answers.Meaning{CategoryID: 3260}})
		}()
		eventually(t, "the answer is stored, or waits for this batch", func() bool {
			return len(answered) == 1 || s.count(`
				SELECT count(*)
				FROM `+storetest.Activity()+`
				WHERE $1::uuid IS NOT NULL AND wait_event_type = 'Lock' AND query LIKE '%turns%'`) > 0
		})
		return ask(rows, memory)
	}}
	work := s.upload(row(2, -5000_00, "A FIRM"))
	more := s.batch(work, how)
	must(t, <-answered)
	for more {
		more = s.batch(work, storetest.Processing{BatchSize: 100, Decide: ask})
	}
	if n := s.count(`SELECT count(*) FROM outstanding_issues WHERE organization_id = $1 AND status = 'open'`); n != 0 {
		t.Errorf("%d questions are open about what was answered", n)
	}
	if n := s.count(`SELECT count(*) FROM transactions WHERE organization_id = $1 AND category_id = 3260`); n != 2 {
		t.Errorf("the answer decided %d of 2 rows", n)
	}
}

// The rows of an account keep coming while its backlog is decided; that must not make the backlog wait.
func TestUploadsMeanwhileDoNotHoldUpTheBacklog(t *testing.T) {
	s := open(t, "paid")
	const backlog, batch = 30, 10
	s.upload(books(backlog)...)
	uploads := 0
	how := storetest.Processing{BatchSize: batch, Decide: func(rows []decide.Row,
		_ []questions.Answered) []decide.Decision {
		uploads++
		s.upload(store.TransactionUpload{ExternalID: fmt.Sprint("new-", uploads), Amount: -100, Date: "2026-06-14",
			Description: "COFFEE"})
		var decided []decide.Decision
		for _, r := range rows {
			decided = append(decided, decide.Decision{Row: r, Decision: categorize.Decision{CategoryID: 3250,
				Source: "rule", Confidence: 9500, Reason: "read at once"}})
		}
		return decided
	}}
	for range backlog/batch + 2 {
		work, err := s.Events(t.Context())
		must(t, err)
		s.batch(work[0], how)
	}
	if n := s.inState("processed"); n < backlog {
		t.Errorf("%d rows were processed while one came with each batch, want at least %d", n, backlog)
	}
}

// The planner takes a business that came since the statistics were made to have one row, once it knows all the others.
func TestRowsOfANewBusinessAreFoundWithoutReadingAllOfIt(t *testing.T) {
	if storetest.OnCitus() {
		t.Skip("NOT TRIED: it counts what the tables of one machine read")
	}
	const rows, readsPerRow = 3000, 50
	open(t, "paid").upload(books(100)...)
	execute(t, `ALTER TABLE transactions ALTER COLUMN organization_id SET STATISTICS 10000`)
	t.Cleanup(func() { execute(t, `ALTER TABLE transactions ALTER COLUMN organization_id SET STATISTICS -1`) })
	execute(t, `ANALYZE transactions`)
	s := open(t, "paid")
	savings := s.addAccount("savings")
	uploaded, err := s.UploadTransactions(t.Context(), noon, savings, books(rows))
	must(t, err)

	// One connection, so that it counts all that it reads before the count is taken.
	db, err := store.Open(storetest.DatabaseURL(t), store.Options{MaxConnections: 1})
	must(t, err)
	t.Cleanup(func() { must(t, db.Close()) })
	read := func() (n int) {
		t.Helper()
		_, err := db.SQL().Exec(`SELECT pg_stat_force_next_flush()`)
		must(t, err)
		must(t, db.SQL().QueryRow(`SELECT idx_tup_fetch FROM pg_stat_user_tables WHERE relname = 'transactions'`).Scan(
			&n))
		return n
	}
	c := config(t, frozen)
	c.Store = db
	before := read()
	must(t, worker.New(c).ProcessEvent(t.Context(), uploaded.Event))
	if n := read() - before; n > rows*readsPerRow {
		t.Errorf("%d rows were read to process %d of them", n, rows)
	}
	if n := s.inState("processed"); n != rows {
		t.Errorf("%d of %d rows are processed", n, rows)
	}
}

func TestQuestionsOfABatchHaveTwoToFourOptions(t *testing.T) {
	s, w := open(t, "paid"), worker.New(config(t, frozen))
	must(t, w.ProcessEvent(t.Context(), s.upload(books(80)...)))
	issues, err := s.Issues(t.Context(), store.IssueFilter{}, store.Page{Limit: 50})
	must(t, err)
	if issues.Total == 0 {
		t.Fatal("nothing is asked")
	}
	for _, i := range issues.Rows {
		var values []string
		for _, o := range i.Options {
			values = append(values, o.Value)
		}
		slices.Sort(values)
		if n := len(slices.Compact(values)); n < 2 || n > 4 || n != len(i.Options) {
			t.Errorf("%q has the options %v", i.Question, values)
		}
	}
}
