package worker_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"bizfin/internal/answers"
	"bizfin/internal/money"
	"bizfin/internal/split"
	"bizfin/internal/wording"
	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// The settings of TestNoTwoWritersWaitForEachOther: how long it goes on (a Go duration), all pairs once at least, and
// the seed of a run before. Without the first it comes to some pairs, each time to others.
const (
	writersFor  = "BIZFIN_TEST_WRITERS"
	writersSeed = "BIZFIN_TEST_WRITERS_SEED"
)

// All who write a business at once, in pairs: none ever waits for another in a circle. PostgreSQL counts the circles
// that it breaks; the store tries again what was broken, and so nobody else sees them.
func TestNoTwoWritersWaitForEachOther(t *testing.T) {
	if storetest.OnCitus() {
		t.Skip("the nodes count, each its own")
	}
	seed := uint64(time.Now().UnixNano())
	if given, err := strconv.ParseUint(os.Getenv(writersSeed), 10, 64); err == nil {
		seed = given
	}
	until, all := time.Now().Add(writersShort), false
	if long, err := time.ParseDuration(os.Getenv(writersFor)); err == nil {
		until, all = time.Now().Add(long), true
	}
	t.Logf("%s=%d", writersSeed, seed)
	w := writing(t, seed)
	writers := w.all()
	names := slices.Sorted(maps.Keys(writers))
	var pairs [][2]string
	for i, one := range names {
		for _, other := range names[i:] {
			pairs = append(pairs, [2]string{one, other})
		}
	}
	met, rounds, written := map[string]int{}, 0, 0
	for again := true; again; again = time.Now().Before(until) {
		rounds++
		w.random.Shuffle(len(pairs), func(i, j int) { pairs[i], pairs[j] = pairs[j], pairs[i] })
		for _, pair := range pairs {
			if time.Now().After(until) && (!all || rounds > 1) {
				break
			}
			written++
			name := pair[0] + " beside " + pair[1]
			t.Run(name, func(t *testing.T) {
				w.t = t
				if n := w.beside(writers[pair[0]], writers[pair[1]]); n > 0 {
					met[name] += n
					t.Errorf("%d times they waited for each other in a circle", n)
				}
			})
		}
	}
	w.t = t
	w.here()
	w.work()
	if n := w.count(`SELECT count(*) FROM pending_work WHERE organization_id = $1`); n != 0 {
		t.Errorf("%d events are left", n)
	}
	t.Logf("%d of %d pairs wrote, circles: %v", written, len(pairs), met)
}

// A business that is erased while somebody writes it: neither waits for the other in a circle, and nothing of it is
// left, whoever came last.
func TestNoWriterWaitsInACircleForAnErasure(t *testing.T) {
	if storetest.OnCitus() {
		t.Skip("the nodes count, each its own")
	}
	until := time.Now().Add(writersShort)
	_, all := os.LookupEnv(writersFor)
	seed := uint64(time.Now().UnixNano())
	names := slices.Sorted(maps.Keys((&writers{}).all()))
	rand.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names {
		if !all && time.Now().After(until) {
			break
		}
		t.Run(name, func(t *testing.T) {
			w := writing(t, seed)
			if n := w.erasedBeside(w.all()[name]); n > 0 {
				t.Errorf("%d times they waited for each other in a circle", n)
			}
		})
	}
}

// erasedBeside erases the business while somebody writes it, once a first writing has ended, and returns how often they
// waited in a circle.
func (w *writers) erasedBeside(x writer) int {
	if x.before != nil {
		x.before()
	}
	w.there()
	met := w.circles()
	var both sync.WaitGroup
	begun := make(chan struct{}, 6)
	for range cap(begun) {
		n := w.random.IntN(100_000)
		both.Go(func() {
			x.do(n)
			begun <- struct{}{}
		})
	}
	both.Go(func() {
		<-begun
		if _, err := w.db.EraseOrganization(w.t.Context(), noon, w.ID); err != nil {
			w.t.Error(err)
		}
	})
	both.Wait()
	met = w.circles() - met
	w.wantNothing()
	return met
}

// wantNothing holds that no table has anything of the business but the record of who did what.
func (w *writers) wantNothing() {
	w.t.Helper()
	var tables []string
	must(w.t, w.db.SQL().QueryRow(`
		SELECT array_agg(table_name::text)
		FROM information_schema.columns
		WHERE table_schema = 'public'
		  AND column_name = 'organization_id'
		  AND table_name <> 'audit'`).Scan(pq.Array(&tables)))
	if len(tables) < 10 {
		w.t.Fatalf("only %v have businesses", tables)
	}
	for _, table := range tables {
		if n := w.count(`SELECT count(*) FROM ` + table + ` WHERE organization_id = $1`); n > 0 {
			w.t.Errorf("%d rows of %s are left", n, table)
		}
	}
}

// writer is somebody who writes: what must be there first, and what it does, which others do at the same time.
type writer struct {
	before func()
	do     func(n int)
}

// writers are all who write one business, whose rows have to do with each other: purchases and their refunds, both legs
// of transfers, questions of many rows and splits, over several accounts.
type writers struct {
	holder
	worker   *worker.Worker
	near     *worker.Worker
	far      *worker.Worker
	db       *store.DB
	random   *rand.Rand
	accounts map[string]uuid.UUID
	firms    []string
	numbered int // who is new has a number

	pairs int // that wrote so far
}

const (
	writersRows   = 12 // of a firm in an account, half of them refunds
	writersPool   = 12 // connections
	writersSettle = 4  // pairs write what those before have left

	writersShort = 6 * time.Second
	writersSlow  = 4 * time.Millisecond // is what a statement may take on its way
)

func writing(t testing.TB, seed uint64) *writers {
	w := &writers{holder: hold(t), random: rand.New(rand.NewPCG(seed, 1)), accounts: map[string]uuid.UUID{},
		firms: []string{"QUORVANE TRADING LLC", "MERRIDEW SUPPLY CO", "HALVERSHAM TOOLS INC"}}
	// Whoever waits only for a second, as a batch does, is to be told that it waits in a circle before.
	var err error
	w.db, err = store.Open(far(t, storetest.DatabaseURL(t))+"&application_name=writers&deadlock_timeout=100ms",
		store.Options{MaxConnections: writersPool, LockTimeout: 20 * time.Second})
	must(t, err)
	t.Cleanup(func() { must(t, w.db.Close()) })
	c := config(t, frozen)
	w.near = worker.New(c)
	c.Store = w.db
	w.far = worker.New(c)
	w.here()
	// A partner's source, beside the legacy one that snapshots and feeds write.
	w.source = uuid.New()
	execute(t, `INSERT INTO sources (organization_id, id, kind, partner_id, state, created_at) VALUES ($1, $2, 'api', $3, 'connected', now())`, w.ID, w.source, w.partner)
	execute(t, `UPDATE organizations SET tier = 'paid' WHERE id = $1`, w.ID)
	for _, name := range []string{"savings", "checking", "card", "spare"} { // not in the order of their names
		w.accounts[name] = w.addAccount(name)
	}
	w.account = w.accounts["checking"]
	w.snapshot(w.token, "bank/0001", "other/0002")
	_, err = w.db.EnrolFeeds(t.Context(), noon, w.keys)
	must(t, err)
	w.feed(0)
	// The order of their ids is not that of their external ids, and crosses the accounts.
	for part := range 4 {
		for _, account := range []string{"savings", "checking", "card"} {
			rows := w.rows(account, 0)
			n := len(rows) / 4
			w.upload(account, rows[(3-part)*n:(4-part)*n])
		}
	}
	w.settle()
	return w
}

// settle has the rows be what they were at first, and either asked about, some of them with others than they are with,
// or answered, so that refunds follow their purchases.
func (w *writers) settle() {
	for account := range w.accounts {
		if account != "spare" {
			w.upload(account, w.rows(account, 0))
		}
	}
	if w.pairs/writersSettle%3 == 0 { // they stay with whom they were
		w.reword(w.random.IntN(1000))
	}
	w.work()
	for n := range w.firms {
		a := store.Answer{Text: fmt.Sprint("supplies ", w.random.Int()),
			Meaning: answers.Meaning{CategoryID: supplies}}
		if w.pairs/writersSettle%3 < 2 {
			a = store.Answer{Text: "undo", Meaning: answers.Meaning{Reserved: wording.Undo}}
			w.answer(store.Hook{Counterparty: w.firm(n), Incoming: true}, a)
		}
		w.answer(store.Hook{Counterparty: w.firm(n)}, a)
	}
	w.work()
}

// reword has some rows read like those of another firm.
func (w *writers) reword(n int) {
	for _, account := range []string{"checking", "savings"} {
		rows := some(w.rows(account, 0), n)
		for i := range rows {
			rows[i].Description = w.firms[(n+i)%len(w.firms)]
		}
		w.upload(account, rows[:len(rows)/2])
	}
}

// rows are those of an account: purchases of each firm, refunds of some of them that are as much, and legs of
// transfers. Another round gives all of them other amounts.
func (w *writers) rows(account string, round int) []store.TransactionUpload {
	var rows []store.TransactionUpload
	add := func(cents money.Amount, day int, description string) {
		rows = append(rows, line(fmt.Sprintf("%s-%03d", account, len(rows)), cents, day, description))
	}
	for i := range writersRows / 2 {
		for f, firm := range w.firms {
			cents := money.Amount(10_000*(f+1) + 100*i)
			add(-cents+money.Amount(round), 1+i%20, firm) // a refund of more than was paid is none
			add(cents, 8+i%20, firm)
		}
	}
	sign, words := money.Amount(-1), toSavings
	if account == "savings" {
		sign, words = 1, fromChecking
	}
	for i := range 4 {
		add(sign*money.Amount(500_000+1000*i+round), 4, words)
	}
	return rows
}

func (w *writers) upload(account string, rows []store.TransactionUpload) {
	_, err := w.UploadTransactions(w.t.Context(), noon, w.accounts[account], rows)
	w.may(err)
}

// some are some of the rows, in any order.
func some(rows []store.TransactionUpload, n int) []store.TransactionUpload {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
	return rows[:len(rows)/2]
}

func (w *writers) work() { w.may(w.worker.Process(w.t.Context(), w.ID)) }

// may fails the test but for what the one beside it may have brought about.
func (w *writers) may(err error) {
	if err != nil && !errors.Is(err, store.ErrNotFound) && !errors.Is(err, store.ErrSourceUnavailable) &&
		!errors.Is(err, context.Canceled) {
		w.t.Errorf("%v", err)
	}
}

func (w *writers) id(query string, args ...any) (id uuid.UUID) {
	_ = w.db.SQL().QueryRow(query, append([]any{w.ID}, args...)...).Scan(&id) // there may be none
	return id
}

// firm is a counterparty of many rows, by a number.
func (w *writers) firm(n int) uuid.UUID {
	return w.id(`SELECT id FROM counterparties WHERE organization_id = $1 AND name ILIKE $2 ORDER BY id LIMIT 1`,
		strings.Fields(w.firms[n%len(w.firms)])[0]+"%")
}

// any is a row of the partner's.
func (w *writers) any() uuid.UUID {
	return w.id(`SELECT id FROM transactions WHERE organization_id = $1 AND deleted_at IS NULL ORDER BY random() LIMIT 1`)
}

func (w *writers) answer(hook store.Hook, a store.Answer) {
	a.Person, a.Via = w.person, store.ViaPerson
	_, err := w.AnswerHook(w.t.Context(), noon, hook, a)
	w.may(err)
}

func (w *writers) all() map[string]writer {
	correct := func(account string) func(n int) {
		return func(n int) { w.upload(account, some(w.rows(account, n%1000), n)) }
	}
	categories := []int{supplies, meals}
	return map[string]writer{
		"upload": {do: func(n int) {
			var rows []store.TransactionUpload
			for i := range 30 {
				rows = append(rows, line(fmt.Sprintf("new-%d-%02d", n, i), -money.Amount(1000+n+i), 1+i%28,
					w.firms[i%len(w.firms)]))
			}
			w.upload("card", rows)
		}},
		"correct checking": {do: correct("checking")},
		"correct savings":  {do: correct("savings")},
		"reword":           {do: w.reword},
		"accounts": {do: func(n int) {
			var accounts []store.AccountUpload
			for _, name := range slices.Sorted(maps.Keys(w.accounts)) {
				accounts = append(accounts, store.AccountUpload{ExternalID: name, Name: name, Type: "depository",
					Currency: "USD", Balance: money.Amount(n)})
			}
			_, err := w.UploadAccounts(w.t.Context(), noon, w.source, accounts)
			w.may(err)
			w.may(w.DeleteAccount(w.t.Context(), noon, w.accounts["spare"]))
		}},
		"delete": {do: func(int) { w.may(w.DeleteTransaction(w.t.Context(), noon, w.any())) }},
		"choose": {do: func(n int) {
			row := w.any()
			w.may(w.SetCategory(w.t.Context(), noon, row, store.CategoryChoice{CategoryID: categories[n%2],
				Source: "user", Confidence: 10_000}))
			w.may(w.SetContext(w.t.Context(), noon, row, fmt.Sprint("said ", n)))
		}},
		"answer": {do: func(n int) {
			issue := w.id(`SELECT id FROM outstanding_issues WHERE organization_id = $1 AND status = 'open' ORDER BY random() LIMIT 1`)
			for _, hook := range []store.Hook{{Counterparty: w.firm(n), Incoming: n%4 > 1}, {Issue: issue},
				{Transaction: w.any()}} {
				w.answer(hook, store.Answer{Text: fmt.Sprint("it is ", n),
					Meaning: answers.Meaning{CategoryID: categories[n%2], Note: fmt.Sprint("note ", n)}})
			}
		}},
		"take back": {
			before: func() {
				for n := range w.firms {
					w.answer(store.Hook{Counterparty: w.firm(n)}, store.Answer{Text: "meals",
						Meaning: answers.Meaning{CategoryID: meals}})
				}
			},
			do: func(n int) {
				w.answer(store.Hook{Counterparty: w.firm(n)}, store.Answer{Text: "undo",
					Meaning: answers.Meaning{Reserved: wording.Undo}})
			},
		},
		"split": {do: func(n int) {
			year := split.Spec{Yearly: true, Parts: []split.Share{{Category: meals, Cents: int64(50_00 + n)},
				{Category: supplies, Rest: true}}}
			half := split.Spec{Parts: []split.Share{{Category: meals, Points: int64(1000 + n%1000)},
				{Category: supplies, Rest: true}}}
			w.answer(store.Hook{Counterparty: w.firm(n)}, store.Answer{Text: fmt.Sprint("split ", n),
				Meaning: answers.Meaning{CategoryID: split.Category, Split: []*split.Spec{&year, &half}[n%2]}})
		}},
		"merge": {
			before: func() {
				w.numbered++
				var rows []store.TransactionUpload
				for i := range 6 {
					name := strings.Repeat(string(rune('A'+w.numbered%26)), 2) +
						strings.Repeat(string(rune('A'+w.numbered/26%26)), 3) + "OLTH HOLDINGS LLC"
					rows = append(rows, line(fmt.Sprintf("merge-%d-%d", w.numbered, i), -money.Amount(7000+i), 1+i,
						name))
				}
				w.upload("card", rows)
				w.work()
			},
			do: func(n int) {
				hook := store.Hook{Issue: w.id(
					`SELECT id FROM outstanding_issues WHERE organization_id = $1 AND question ILIKE '%OLTH HOLDINGS%' ORDER BY status = 'open' DESC, id DESC LIMIT 1`)}
				w.answer(hook, store.Answer{Text: "Merridew Supply Co", Meaning: answers.Meaning{Unclear: true}})
				if n%2 == 0 {
					w.answer(hook, store.Answer{Text: "undo", Meaning: answers.Meaning{Reserved: wording.Undo}})
				}
			},
		},
		"snapshot": {do: func(n int) {
			w.send(w.token, "bank/0001", "other/0002", fmt.Sprintf("more%d/0003", n%3))
			due, err := w.db.ClaimDueSnapshots(w.t.Context(), 10)
			w.may(err)
			for _, s := range due {
				_, err := w.db.ApplySnapshot(w.t.Context(), noon, w.keys, s.ID)
				w.may(err)
			}
			_, err = w.db.EnrolFeeds(w.t.Context(), noon, w.keys)
			w.may(err)
		}},
		"feed": {do: w.feed},
		"work": {before: func() {
			w.upload("checking", some(w.rows("checking", w.random.IntN(1000)), 1))
			w.upload("savings", some(w.rows("savings", w.random.IntN(1000)), 2))
		}, do: func(int) { w.work() }},
		"sum":   {do: func(int) { w.sum() }},
		"clean": {before: w.due, do: func(int) { w.clean() }},
	}
}

// feed stores what a provider has: it changes some rows, adds some and takes some back.
func (w *writers) feed(n int) {
	f := store.Feed{OrganizationID: w.ID}
	err := w.db.SQL().QueryRow(`SELECT fingerprint, version, cursor FROM aggregation_feeds WHERE organization_id = $1 LIMIT 1`, w.ID).Scan(&f.Fingerprint, &f.Version, &f.Cursor)
	if err != nil {
		return // a snapshot is about to bring it back
	}
	u := store.FeedUpdate{Cursor: fmt.Sprint("c", n), Complete: true, Next: noon.Add(time.Hour),
		Accounts: []store.FeedAccount{{ID: "f1", Mask: "0001"}, {ID: "f2", Mask: "0002"}}}
	for i := range 40 {
		cents := money.Amount(10_000*(i%3+1) + 100*i + n%50)
		if i%2 == 0 {
			cents = -cents
		}
		u.Rows = append(u.Rows, store.FeedRow{ExternalID: fmt.Sprint("feed-", i),
			FeedAccount: []string{"f1", "f2"}[i%2], Amount: cents,
			ProcessedDate: fmt.Sprintf("2026-05-%02d", 1+i%28), Description: w.firms[i%3]})
	}
	if n%3 == 1 {
		u.Rows, u.Removed = u.Rows[:30], []string{"feed-30", "feed-31"}
	}
	_, err = w.ApplyFeed(w.t.Context(), noon, f, u)
	w.may(err)
}

// sum is what follows the work in the background.
func (w *writers) sum() {
	soon := time.Now().Add(time.Hour)
	for range 3 {
		_, err := w.db.AddUpCounts(w.t.Context(), soon)
		w.may(err)
		_, err = w.db.RollUp(w.t.Context(), soon, []int{internal})
		w.may(err)
		_, err = w.db.IndexWords(w.t.Context(), soon)
		w.may(err)
	}
}

// due makes something of all that the background looks for seldom.
func (w *writers) due() {
	execute(w.t, `INSERT INTO standing_due (organization_id) VALUES ($1) ON CONFLICT DO NOTHING`, w.ID)
	execute(w.t, `INSERT INTO limited_accounts (organization_id, account_id, month) SELECT $1, id, '2026-01-01' FROM accounts WHERE organization_id = $1 ON CONFLICT DO NOTHING`, w.ID)
}

// clean is what is done seldom in the background: what has ended goes, what waited for a month comes.
func (w *writers) clean() {
	soon := time.Now().Add(100 * 24 * time.Hour)
	_, err := w.db.ReleaseMonth(w.t.Context(), noon)
	w.may(err)
	_, err = w.db.RemoveQuestions(w.t.Context(), soon)
	w.may(err)
	_, err = w.db.RemoveAnswered(w.t.Context(), soon)
	w.may(err)
	_, _, err = w.db.EmptyDeleted(w.t.Context(), soon)
	w.may(err)
	_, _, _, err = w.db.RemoveTexts(w.t.Context(), store.TextPlace{})
	w.may(err)
	_, err = w.db.Restand(w.t.Context(), noon)
	w.may(err)
}

// here has what follows go by a short way to the database, there by a long one.
func (w *writers) here()  { w.worker, w.Organization = w.near, storetest.DB(w.t).Organization(w.ID) }
func (w *writers) there() { w.worker, w.Organization = w.far, w.db.Organization(w.ID) }

// beside has two writers write at the same time, each thrice, and returns how often they waited in a circle.
func (w *writers) beside(one, other writer) int {
	w.here()
	if w.pairs++; w.pairs%writersSettle == 0 {
		w.settle()
	}
	for _, x := range []writer{one, other} {
		if x.before != nil {
			x.before()
		}
	}
	w.there()
	met := w.circles()
	var both sync.WaitGroup
	for _, x := range []writer{one, other, one, other, one, other} {
		n := w.random.IntN(100_000)
		both.Go(func() { x.do(n) })
	}
	both.Wait()
	return w.circles() - met
}

// circles are how many there were so far. What a connection met is counted when it says so: all of them are made to.
func (w *writers) circles() (n int) {
	for range writersPool {
		c, err := w.db.SQL().Conn(w.t.Context())
		must(w.t, err)
		defer c.Close()
		_, err = c.ExecContext(w.t.Context(), `SELECT pg_stat_force_next_flush()`)
		must(w.t, err)
	}
	must(w.t, storetest.DB(w.t).SQL().QueryRow(
		`SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()`).Scan(&n))
	return n
}

// far is the address of a database as if it were at the other end of a network that is now quick and now slow: what
// writers do to each other depends on who comes first, at each of their statements.
func far(t testing.TB, databaseURL string) string {
	near, err := url.Parse(databaseURL)
	must(t, err)
	query, network, address := near.Query(), "tcp", near.Host
	if address == "" {
		network, address = "unix", fmt.Sprintf("%s/.s.PGSQL.%s", query.Get("host"), query.Get("port"))
	}
	listening, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	t.Cleanup(func() { _ = listening.Close() })
	go func() {
		for {
			from, err := listening.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial(network, address)
			if err != nil {
				_ = from.Close()
				continue
			}
			go func() {
				_, _ = io.Copy(slow{to}, from)
				_ = to.Close()
			}()
			go func() {
				_, _ = io.Copy(from, to)
				_ = from.Close()
			}()
		}
	}()
	query.Del("host")
	query.Del("port")
	near.Host, near.RawQuery = listening.Addr().String(), query.Encode()
	return near.String()
}

type slow struct{ io.Writer }

func (s slow) Write(p []byte) (int, error) {
	if rand.IntN(3) == 0 {
		time.Sleep(rand.N(writersSlow))
	}
	return s.Writer.Write(p)
}
