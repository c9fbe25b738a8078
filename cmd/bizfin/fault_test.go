package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	client "bizfin.example/client"
	"bizfin/internal/devstack"
	"bizfin/internal/partnertoken"
	"bizfin/internal/seal"
	"bizfin/migrations"
	"bizfin/server"
	"bizfin/store"
)

// TestFaults writes in every way there is while everything breaks that can, and then compares what is stored with a
// model of what was acknowledged. Two variables say how long, such as 10m, and with which seed, as an earlier run
// printed it: who breaks and writes what is the seed's, when exactly is the machine's.
const (
	faultsFor   = 20 * time.Second
	faultsLast  = "BIZFIN_TEST_FAULTS"
	faultsSeed  = "BIZFIN_TEST_FAULTS_SEED"
	processedIn = 45 * time.Second // after the last fault
)

func TestFaults(t *testing.T) {
	lasting, seed := faultsFor, uint64(time.Now().UnixNano())
	var err error
	if text := os.Getenv(faultsLast); text != "" {
		if lasting, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
	}
	if text := os.Getenv(faultsSeed); text != "" {
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%s=%v %s=%d", faultsLast, lasting, faultsSeed, seed)
	f := startFaults(t, seed, lasting)

	ctx, cancel := context.WithTimeout(t.Context(), lasting)
	defer cancel()
	f.write(ctx, seed, f.breakPrograms, f.breakRedis, f.breakPostgres, f.breakNetwork, f.duplicate)
	t.Logf("faults and writes: %v", &f.counted)
	if t.Failed() {
		return
	}
	took := f.drain()
	t.Logf("processed %v after the last fault", took.Round(time.Millisecond))
	if took > processedIn {
		t.Errorf("that is longer than %v", processedIn)
	}
	f.compare()
}

// faults is the whole service with three businesses and a person of the older flow, and a model of them.
type faults struct {
	t                         *testing.T
	postgres, redis           *backend
	disk                      *disk // of PostgreSQL; nil where there is none to fill
	postgresProxy, redisProxy *proxy
	api                       *program
	workers                   []*program
	db                        *store.DB // past the proxy
	flow                      *flow
	month                     int64     // the rows that a month allows a business that does not pay
	limited, paid, raised     *business // raised ends as one that pays
	writers                   []*writer
	person                    *person
	webhook                   *webhook
	counted                   tally
}

// business is one with its owner's client.
type business struct {
	*client.ClientWithResponses
	id      uuid.UUID
	name    string
	rewords bool // descriptions change, so that rows are understood anew
	deletes bool // and amounts change, so that questions are weighed anew
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

// longest keeps the longest time, in milliseconds.
func (c *tally) longest(what string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = map[string]int{}
	}
	what += " at most (ms)"
	c.counts[what] = max(c.counts[what], int(took.Milliseconds()))
}

func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var parts []string
	for what, n := range c.counts {
		parts = append(parts, fmt.Sprintf("%s: %d", what, n))
	}
	slices.Sort(parts)
	return strings.Join(parts, ", ")
}

func startFaults(t *testing.T, seed uint64, lasting time.Duration) *faults {
	f := &faults{t: t, month: int64(100 * max(lasting.Seconds(), 1))}
	random := rand.New(rand.NewPCG(seed, 0))
	home := newFolder(t)
	f.disk = startDisk(t, home)
	f.postgres = startBackend(t, home, devstack.Config{RedisURL: "redis://elsewhere"})
	f.redis = startBackend(t, newFolder(t), devstack.Config{DatabaseURL: "postgres://elsewhere"})
	if t.Failed() {
		t.FailNow()
	}
	var databaseURL, redisURL string
	f.postgresProxy, databaseURL = startProxy(t, f.postgres.stack.DatabaseURL)
	f.redisProxy, redisURL = startProxy(t, f.redis.stack.RedisURL)
	address := freeAddress(t)
	env := f.prepare(f.postgres.stack.DatabaseURL, address)
	env = append(env, "BIZFIN_DATABASE_URL="+databaseURL, "BIZFIN_REDIS_URL="+redisURL, "BIZFIN_ADDR="+address)
	// All workers are behind the API, or all are ahead of it; PostgreSQL and Redis have the machine's clock.
	apart := []time.Duration{time.Hour, 0, -time.Hour}
	if random.IntN(2) == 0 {
		slices.Reverse(apart)
	}
	t.Logf("clocks: API %+v, workers %+v and %+v", apart[0], apart[1], apart[2])
	at := func(apart time.Duration) []string { return append(slices.Clone(env), clockApart+"="+apart.String()) }
	f.api = startProgram(t, "serve", at(apart[0])...)
	f.workers = []*program{startProgram(t, "work", at(apart[1])...), startProgram(t, "work", at(apart[2])...)}
	f.flow.apart = apart[0]
	f.populate(seed)
	return f
}

// prepare makes the schema and the partner of a service that is to be at an address, and returns what its programs are
// set to.
func (f *faults) prepare(databaseURL, address string) (env []string) {
	t, secret := f.t, seal.NewKey()
	var err error
	if f.db, err = store.Open(databaseURL, store.Options{MaxConnections: 2}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.db.Close() })
	if _, err := migrations.Up(t.Context(), f.db.SQL()); err != nil {
		t.Fatal(err)
	}
	keys, err := seal.ParseKeys(secret)
	if err != nil {
		t.Fatal(err)
	}
	partner, err := createPartner(t.Context(), f.db, keys, "faults", "Faults", "http://"+address)
	if err != nil {
		t.Fatal(err)
	}
	f.flow = &flow{t: t, url: "http://" + address + server.BasePath, partner: partner, timeout: 5 * time.Second}
	return []string{
		"BIZFIN_PUBLIC_URL=http://" + address, "BIZFIN_AUDIENCE=flow", "BIZFIN_SECRET_KEY=" + secret,
		"BIZFIN_FREE_MONTHLY_TRANSACTIONS=" + strconv.FormatInt(f.month, 10), "BIZFIN_LOG_LEVEL=WARN",
	}
}

// populate connects the businesses and those who write.
func (f *faults) populate(seed uint64) {
	f.limited = f.connect(seed, business{name: "limited"}, "free")
	f.paid = f.connect(seed, business{name: "paid", rewords: true, deletes: true}, "paid")
	f.raised = f.connect(seed, business{name: "raised", deletes: true}, "free")
	f.person = &person{faults: f, business: f.paid, answered: map[uuid.UUID]answered{}, kept: map[uuid.UUID]answered{}}
	f.webhook = f.startWebhook()
}

// write has everybody write until ctx ends, while others run beside them.
func (f *faults) write(ctx context.Context, seed uint64, beside ...func(context.Context, *rand.Rand)) {
	var running sync.WaitGroup
	for _, w := range f.writers {
		running.Go(func() { w.run(ctx) })
	}
	for i, run := range append([]func(context.Context, *rand.Rand){f.person.run, f.tiers, f.webhook.run}, beside...) {
		running.Go(func() { run(ctx, rand.New(rand.NewPCG(seed, uint64(i)))) })
	}
	running.Wait()
}

// as makes the client of a business's owner.
func (f *faults) as(name, tier string) *client.ClientWithResponses {
	return f.flow.withTier(tier, name, partnertoken.Business{ID: name, Name: name, Role: "owner"})
}

// connect makes a business with two accounts, and two writers for each.
func (f *faults) connect(seed uint64, b business, tier string) *business {
	ctx := f.t.Context()
	b.ClientWithResponses = f.as(b.name, tier)
	f.wait("the API answers", time.Minute, func() bool {
		answer, err := b.ConnectPartnerWithResponse(ctx,
			&client.ConnectPartnerParams{XServicePartner: f.flow.partner.PartnerID})
		return err == nil && answer.JSON200 != nil
	})
	connected := f.flow.connect(b.ClientWithResponses)
	b.id = *connected.OrganizationId
	var accounts []client.UploadedAccount
	for i := range 2 {
		accounts = append(accounts, client.UploadedAccount{ExternalId: fmt.Sprint(i), Name: "A",
			Type: client.AccountTypeDepository, Currency: "USD", CurrentBalance: "0"})
	}
	uploaded, err := b.UploadAccountsWithResponse(ctx, b.id, nil,
		client.AccountUpload{SourceId: *connected.SourceId, Accounts: accounts})
	if err != nil || uploaded.JSON200 == nil {
		f.t.Fatalf("accounts: %v %s", err, uploaded.Body)
	}
	for i := range 4 {
		f.writers = append(f.writers, &writer{
			faults: f, business: &b, account: uploaded.JSON200.Accounts[i%2].Id,
			prefix: fmt.Sprintf("%s-%d", b.name, i),
			random: rand.New(rand.NewPCG(seed, uint64(100+len(f.writers)))), rows: map[string]*modelRow{},
		})
	}
	return &b
}

// pause waits a random time of milliseconds; it returns false when ctx ended first.
func pause(ctx context.Context, random *rand.Rand, from, to int) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(time.Duration(from+random.IntN(to-from)) * time.Millisecond):
		return true
	}
}

// wait fails the test where something does not become true.
func (f *faults) wait(what string, patience time.Duration, isTrue func() bool) {
	f.t.Helper()
	deadline := time.After(patience)
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for !isTrue() {
		select {
		case <-deadline:
			f.t.Fatalf("not within %v: %s", patience, what)
		case <-tick.C:
		}
	}
}
