package worker_test

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/hibiken/asynq"

	"bizfin/internal/money"
	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// A relay takes the due events of all businesses and a Redis has one set of queues, so the tests of this package run
// one after the other.

// noon is the time of all uploads.
var noon = time.Date(2026, 6, 15, 12, 0, 0, 0, time.UTC)

// clock is a time that moves only when a test says so.
type clock struct{ after atomic.Int64 }

func (c *clock) Now() time.Time      { return noon.Add(time.Duration(c.after.Load())) }
func (c *clock) Add(d time.Duration) { c.after.Add(int64(d)) }

// shop is a business with an account.
type shop struct {
	*store.Organization
	t       testing.TB
	partner string
	person  uuid.UUID
	source  uuid.UUID
	account uuid.UUID
}

// open makes a business of a tier. It forgets the events that earlier tests left.
func open(t testing.TB, tier string) shop {
	t.Helper()
	execute(t, `TRUNCATE pending_work`)
	return connectTier(t, tier)
}

// connected makes a business beside others.
func connected(t testing.TB) shop {
	t.Helper()
	return connectTier(t, "paid")
}

func connectTier(t testing.TB, tier string) shop {
	t.Helper()
	db := storetest.DB(t)
	partner := "partner-" + uuid.NewString()
	must(t, db.CreatePartner(t.Context(), noon, partner, "Partner", nil))
	connected, err := db.Connect(t.Context(), noon, store.Connection{
		PartnerID: partner, Subject: "ana", Tier: tier, Businesses: []store.Business{{ID: "b", Name: "B",
			Role: store.RoleOwner}},
	})
	must(t, err)
	of := connected.Organizations[0]
	s := shop{Organization: db.Organization(of.OrganizationID), t: t, partner: partner, person: connected.PersonID,
		source: of.SourceID}
	s.account = s.addAccount("checking")
	return s
}

func (s shop) addAccount(externalID string) uuid.UUID {
	s.t.Helper()
	records, err := s.UploadAccounts(s.t.Context(), noon, s.source, []store.AccountUpload{{ExternalID: externalID,
		Name: externalID, Type: "depository", Currency: "USD"}})
	must(s.t, err)
	return records[0].ID
}

// upload stores rows and returns their event.
func (s shop) upload(rows ...store.TransactionUpload) store.Event {
	s.t.Helper()
	uploaded, err := s.UploadTransactions(s.t.Context(), noon, s.account, rows)
	must(s.t, err)
	return uploaded.Event
}

// row is a transaction on a day of May.
func row(id int, cents money.Amount, description string) store.TransactionUpload {
	return store.TransactionUpload{ExternalID: fmt.Sprintf("t%05d", id), Amount: cents,
		Date: fmt.Sprintf("2026-05-%02d", 1+id%28), Description: description}
}

// books are rows of many kinds: known at once, to be asked about, and saying nothing.
func books(n int) []store.TransactionUpload {
	lines := []struct {
		cents       money.Amount
		description string
	}{
		{-612044, "GUSTO DES:NET ID:6SEMJR00KPQ INDN:JUNIPER BIKES CO ID:9138864001 CCD"},
		{-1299, "ADOBE *CREATIVE CLOUD 408-536-6000 CA"},
		{-4512, "SHELL OIL 57444212300 AUSTIN TX"},
		{-230000, "ZELLE PAYMENT TO DANA MERCER JPM99abcd"},
		{184000, "STRIPE TRANSFER ST-K4J2H1 JUNIPER BIKES"},
		{-78000, "QUORVANE HOLDINGS 4471"},
		{-120000, "CHECK 1044"},
		{-2500, "MONTHLY SERVICE FEE"},
	}
	rows := make([]store.TransactionUpload, n)
	for i := range rows {
		line := lines[i%len(lines)]
		rows[i] = row(i, line.cents-money.Amount(i%5), line.description)
	}
	return rows
}

// config is a worker on the package's servers.
func config(t testing.TB, now func() time.Time) worker.Config {
	t.Helper()
	return worker.Config{
		Store: storetest.DB(t), Redis: redisOf(t, storetest.RedisURL(t)), Concurrency: 2, FreeMonthly: 1000,
		Now: now, Log: slog.New(slog.DiscardHandler),
	}
}

func redisOf(t testing.TB, address string) asynq.RedisConnOpt {
	t.Helper()
	opt, err := worker.ParseRedis(address)
	must(t, err)
	return opt
}

// nowhere is an address where no Redis is.
const nowhere = "redis://127.0.0.1:1/0"

// late makes all events due, as if nobody had signaled them for a while.
func late(t testing.TB) {
	execute(t, `UPDATE pending_work SET next_at = now(), came_at = (came_at AT TIME ZONE 'UTC' - interval '6 seconds') AT TIME ZONE 'UTC'`)
}

// run runs a worker until the test ends.
func run(t testing.TB, c worker.Config) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan error, 1)
	go func() { stopped <- worker.New(c).Run(ctx) }()
	t.Cleanup(func() {
		stop()
		must(t, <-stopped)
	})
}

// signal runs a signal until the test ends.
func signal(t testing.TB, redis asynq.RedisConnOpt) *worker.Signal {
	t.Helper()
	s := worker.NewSignal(redis, slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	go func() {
		s.Run(ctx)
		close(stopped)
	}()
	t.Cleanup(func() {
		stop()
		<-stopped
	})
	return s
}

// eventually fails the test where something does not become true in time.
func eventually(t testing.TB, what string, isTrue func() bool) {
	t.Helper()
	deadline := time.After(2 * time.Minute)
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for !isTrue() {
		select {
		case <-deadline:
			t.Fatalf("not within 2 min: %s", what)
		case <-tick.C:
		}
	}
}

// events are how many events of the shop are left.
func (s shop) events() int {
	s.t.Helper()
	work, err := s.Events(s.t.Context())
	must(s.t, err)
	return len(work)
}

// count reads a number of the shop's, given as $1.
func (s shop) count(query string, args ...any) int {
	s.t.Helper()
	var n int
	must(s.t, storetest.DB(s.t).SQL().QueryRow(query, append([]any{s.ID}, args...)...).Scan(&n))
	return n
}

// inState is how many rows are in a state of processing.
func (s shop) inState(processing string) int {
	s.t.Helper()
	return s.count(`SELECT count(*) FROM transactions WHERE organization_id = $1 AND processing = $2`, processing)
}

// dump is every row that processing writes, without when.
func (s shop) dump() map[string][]string {
	s.t.Helper()
	rows := map[string][]string{}
	for _, table := range []string{"transactions", "counterparties", "outstanding_issues", "issue_transactions",
		"business_answers", "processing_months", "pending_work"} {
		found, err := storetest.DB(s.t).SQL().Query(fmt.Sprintf(
			`SELECT (to_jsonb(r) - 'updated_at')::text FROM %s r WHERE organization_id = $1 ORDER BY 1`, table), s.ID)
		must(s.t, err)
		for found.Next() {
			var text string
			must(s.t, found.Scan(&text))
			rows[table] = append(rows[table], text)
		}
		must(s.t, found.Err())
		must(s.t, found.Close())
	}
	return rows
}

func execute(t testing.TB, statement string, args ...any) {
	t.Helper()
	must(t, storetest.Exec(context.WithoutCancel(t.Context()), storetest.DB(t).SQL(), statement, args...))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// batch processes one batch of an event, and returns whether something of it is left.
func (s shop) batch(e store.Event, how storetest.Processing) (more bool) {
	s.t.Helper()
	return storetest.Batch(s.t, s.Organization, noon, e, how).More
}
