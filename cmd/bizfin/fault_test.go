package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/gen/client"
	"bizfin/internal/devstack"
	"bizfin/internal/money"
	"bizfin/internal/partnertoken"
	"bizfin/internal/seal"
	"bizfin/migrations"
	"bizfin/server"
	"bizfin/store"
)

// faultsFor is how long TestFaults breaks things, unless the variable BIZFIN_TEST_FAULTS says otherwise, such as 10m.
const faultsFor = 7 * time.Second

// TestFaults uploads while API, worker, Redis and PostgreSQL are killed, hung and wiped at random, and then compares
// what is stored with a model of what was acknowledged.
func TestFaults(t *testing.T) {
	lasting := faultsFor
	if text := os.Getenv("BIZFIN_TEST_FAULTS"); text != "" {
		var err error
		if lasting, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	f := startFaults(t, seed)
	f.patience = time.Minute + lasting

	ctx, cancel := context.WithTimeout(t.Context(), lasting)
	defer cancel()
	var running sync.WaitGroup
	for _, w := range f.writers {
		running.Go(func() { w.run(ctx) })
	}
	for i, breaking := range []func(context.Context, *rand.Rand){f.breakPrograms, f.breakRedis, f.breakPostgres} {
		running.Go(func() { breaking(ctx, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	running.Wait()
	if t.Failed() {
		return
	}
	began := time.Now()
	f.drain()
	f.compare()
	t.Logf("processed %v after the last fault; %v", time.Since(began).Round(time.Millisecond), &f.counted)
}

// faults is the whole service with two businesses, and a model of them.
type faults struct {
	t               *testing.T
	patience        time.Duration // with what must become true in the end
	postgres, redis *backend
	api, worker     *program
	db              *store.DB
	flow            *flow
	organizations   []uuid.UUID // the first is limited, though far above what it gets; the second is paid
	writers         []*writer
	counted         tally
}

// tally counts what a run did, to be told.
type tally struct {
	mu     sync.Mutex
	counts map[string]int
}

func (c *tally) add(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	c.counts[what]++
}

func (c *tally) String() string {
	var parts []string
	for what, n := range c.counts {
		parts = append(parts, fmt.Sprintf("%s: %d", what, n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func startFaults(t *testing.T, seed uint64) *faults {
	f := &faults{t: t, patience: time.Minute}
	f.postgres = startBackend(t, devstack.Config{RedisURL: "redis://elsewhere"})
	f.redis = startBackend(t, devstack.Config{DatabaseURL: "postgres://elsewhere"})
	if t.Failed() {
		t.FailNow()
	}
	var err error
	if f.db, err = store.Open(f.postgres.stack.DatabaseURL, store.Options{MaxConnections: 2}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.db.Close() })
	if _, err := migrations.Up(t.Context(), f.db.SQL()); err != nil {
		t.Fatal(err)
	}
	address, secret := freeAddress(t), seal.NewKey()
	keys, err := seal.ParseKeys(secret)
	if err != nil {
		t.Fatal(err)
	}
	partner, err := createPartner(t.Context(), f.db, keys, "faults", "Faults", "http://"+address)
	if err != nil {
		t.Fatal(err)
	}
	env := []string{
		"BIZFIN_DATABASE_URL=" + f.postgres.stack.DatabaseURL, "BIZFIN_REDIS_URL=" + f.redis.stack.RedisURL,
		"BIZFIN_ADDR=" + address,
		"BIZFIN_PUBLIC_URL=http://" + address, "BIZFIN_AUDIENCE=flow", "BIZFIN_SECRET_KEY=" + secret,
		"BIZFIN_FREE_MONTHLY_TRANSACTIONS=10000000", "BIZFIN_LOG_LEVEL=WARN",
	}
	f.api, f.worker = startProgram(t, "serve", env...), startProgram(t, "work", env...)
	f.flow = &flow{t: t, url: "http://" + address + server.BasePath, partner: partner}
	f.connect(seed)
	return f
}

// connect makes two businesses with two accounts each, and two writers for each account.
func (f *faults) connect(seed uint64) {
	ctx := f.t.Context()
	for _, name := range []string{"limited", "paid"} {
		c := f.flow.as(name, partnertoken.Business{ID: name, Name: name, Role: "owner"})
		f.wait("the API answers", func() bool {
			answer, err := c.ConnectPartnerWithResponse(ctx,
				&client.ConnectPartnerParams{XServicePartner: f.flow.partner.PartnerID})
			return err == nil && answer.JSON200 != nil
		})
		connected := f.flow.connect(c)
		organization := *connected.OrganizationId
		f.organizations = append(f.organizations, organization)
		var accounts []client.UploadedAccount
		for i := range 2 {
			accounts = append(accounts, client.UploadedAccount{ExternalId: fmt.Sprint(i), Name: "A",
				Type: client.AccountTypeDepository, Currency: "USD", CurrentBalance: "0"})
		}
		uploaded, err := c.UploadAccountsWithResponse(ctx, organization, nil,
			client.AccountUpload{SourceId: *connected.SourceId, Accounts: accounts})
		if err != nil || uploaded.JSON200 == nil {
			f.t.Fatalf("accounts: %v %s", err, uploaded.Body)
		}
		for i := range 4 {
			f.writers = append(f.writers, &writer{
				faults: f, client: c, organization: organization, account: uploaded.JSON200.Accounts[i%2].Id,
				prefix: fmt.Sprintf("%s-%d", name, i), rewords: name == "paid",
				random: rand.New(rand.NewPCG(seed, uint64(100+len(f.writers)))), rows: map[string]*modelRow{},
			})
		}
	}
	if _, err := f.db.SQL().Exec(`UPDATE organizations SET tier = NULL WHERE id = $1`, f.organizations[0]); err != nil {
		f.t.Fatal(err)
	}
}

// breakPrograms kills the API and the worker.
func (f *faults) breakPrograms(ctx context.Context, random *rand.Rand) {
	for pause(ctx, random, 200, 900) {
		victim := f.worker
		if random.IntN(2) == 0 {
			victim = f.api
		}
		f.counted.add(victim.command + " killed")
		victim.kill()
		pause(ctx, random, 0, 200)
		victim.start()
	}
}

// breakRedis kills, hangs and wipes Redis.
func (f *faults) breakRedis(ctx context.Context, random *rand.Rand) {
	if !strings.HasPrefix(f.redis.stack.RedisKind, "redis-server") {
		f.t.Log("no redis-server on this machine: Redis is left alone")
		return
	}
	for round := random.IntN(3); pause(ctx, random, 200, 900); round++ {
		switch round % 3 {
		case 0:
			f.counted.add("redis killed")
			f.redis.kill(f.redis.redisProcess())
			pause(ctx, random, 0, 1500)
			f.redis.start()
		case 1:
			f.counted.add("redis hung")
			pid := f.redis.redisProcess()
			f.redis.signal(pid, syscall.SIGSTOP)
			pause(ctx, random, 500, 1500)
			f.redis.signal(pid, syscall.SIGCONT)
		default:
			f.counted.add("redis wiped")
			c := f.redis.redis()
			if err := c.FlushAll(context.Background()).Err(); err != nil {
				f.t.Errorf("redis: %v", err)
			}
			c.Close()
		}
	}
}

// breakPostgres kills PostgreSQL.
func (f *faults) breakPostgres(ctx context.Context, random *rand.Rand) {
	for pause(ctx, random, 1500, 3500) {
		f.counted.add("postgres killed")
		f.postgres.kill(f.postgres.postgresProcess())
		f.postgres.start()
	}
}

// pause waits a random time; it returns false when ctx ended first.
func pause(ctx context.Context, random *rand.Rand, from, to int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(from+random.IntN(to-from)) * time.Millisecond):
		return true
	}
}

// content is what a partner says of a transaction.
type content struct {
	cents       money.Amount
	date        string
	description string
}

// modelRow is what may be stored of a transaction: what was acknowledged last, or a later attempt without an answer.
type modelRow struct {
	possible     []content
	acknowledged bool
}

// writer uploads rows that are its own, one batch after the other.
type writer struct {
	*faults
	client                *client.ClientWithResponses
	organization, account uuid.UUID
	prefix                string
	rewords               bool // changes descriptions, so that rows are understood anew
	random                *rand.Rand
	rows                  map[string]*modelRow
}

var faultLines = []string{
	"GUSTO DES:NET ID:6SEMJR00KPQ INDN:JUNIPER BIKES", "ADOBE *CREATIVE CLOUD 408-536-6000 CA",
	"SHELL OIL 57444212300 AUSTIN TX",
	"ZELLE PAYMENT TO DANA MERCER JPM99abcd", "QUORVANE HOLDINGS 4471", "CHECK 1044", "BLANTVIK TRADING LLC",
	"MONTHLY SERVICE FEE",
}

func (w *writer) run(ctx context.Context) {
	for pause(ctx, w.random, 5, 60) {
		w.upload()
	}
}

// upload sends new rows and changed ones. What is not acknowledged may have been stored or not.
func (w *writer) upload() {
	batch := map[string]content{}
	for range 1 + w.random.IntN(40) {
		number := len(w.rows) // a new one
		if number > 0 && w.random.IntN(3) == 0 {
			number = w.random.IntN(number)
		}
		id := fmt.Sprintf("%s-%d", w.prefix, number)
		c := content{
			cents:       money.Amount(-1 - w.random.IntN(500_00)),
			date:        fmt.Sprintf("2026-%02d-%02d", 1+w.random.IntN(12), 1+w.random.IntN(28)),
			description: faultLines[w.random.IntN(len(faultLines))],
		}
		known, ok := w.rows[id]
		if ok && !w.rewords {
			c.description = known.possible[0].description
		}
		if !ok {
			known = &modelRow{}
			w.rows[id] = known
		}
		if _, twice := batch[id]; !twice {
			batch[id] = c
			known.possible = append(known.possible, c)
		}
	}
	var body client.TransactionUpload
	for id, c := range batch {
		body.Transactions = append(body.Transactions, client.UploadedTransaction{
			ExternalId: id, Amount: json.Number(c.cents.String()), Date: c.date, Description: c.description,
		})
	}
	answer, err := w.client.UploadTransactionsWithResponse(context.Background(), w.organization, w.account, nil, body)
	switch {
	case err != nil:
		w.counted.add("uploads without an answer")
	case answer.JSON200 != nil:
		w.counted.add("uploads acknowledged")
		for id, c := range batch {
			w.counted.add("rows acknowledged")
			w.rows[id].possible, w.rows[id].acknowledged = []content{c}, true
		}
	case answer.StatusCode() >= 500:
		w.counted.add("uploads failed")
	default:
		w.t.Errorf("upload: %s %s", answer.Status(), answer.Body)
	}
}
