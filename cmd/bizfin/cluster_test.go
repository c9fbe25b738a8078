package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	client "bizfin.example/client"
	"bizfin/internal/partnertoken"
)

// clusterAsked has the tests run that start a dozen servers and kill some of them, for minutes: `make cluster`.
const clusterAsked = "BIZFIN_TEST_CLUSTER"

// TestCluster runs two API and two worker processes behind a proxy, on a Redis Cluster of six and a PostgreSQL with a
// synchronous standby, kills one of each kind while everybody writes, and compares what is stored with a model of what
// was acknowledged.
func TestCluster(t *testing.T) {
	askedForCluster(t)
	queue, database := startRedisCluster(t), startPair(t)
	m := startMany(t, database, queue.url())
	m.during("nothing", func() {})
	m.during("an API killed", m.apis[0].kill)
	m.during("it is back", m.apis[0].start)
	m.during("a worker killed", m.workers[0].kill)
	m.during("it is back", m.workers[0].start)
	for range 3 {
		var killed *backend
		m.during("a Redis primary killed, its replica took over", func() { killed = queue.killPrimary() })
		m.during("it is back, as a replica", func() {
			killed.start()
			until(t, "all are in step", func() bool { _, replicas := queue.roles(); return len(replicas) == 3 })
		})
	}
	m.during("the standby stopped, then it went on", func() {
		database.standby.hang()
		<-time.After(3 * time.Second)
		database.standby.resume()
	})
	m.during("PostgreSQL killed, the standby promoted", func() {
		database.lose()
		database.promote()
		m.databases.aim(hostIn(t, database.primary.stack.DatabaseURL))
	})
	m.during("a new standby", func() { database.follow("second") })
	m.during("PostgreSQL killed again", func() {
		database.lose()
		database.promote()
		m.databases.aim(hostIn(t, database.primary.stack.DatabaseURL))
	})
	m.end()
}

// TestSentinel does it with a Redis that Sentinels watch.
func TestSentinel(t *testing.T) {
	askedForCluster(t)
	queue, database := startSentinels(t), startPair(t)
	m := startMany(t, database, queue.url())
	m.during("nothing", func() {})
	for range 2 {
		var killed *backend
		m.during("the Redis primary killed, the replica took over", func() { killed = queue.killPrimary() })
		m.during("it is back, as a replica", func() {
			killed.start()
			until(t, "a replica is known", func() bool { return queue.ask(queue.addrs[0])["num-slaves"] == "1" })
		})
	}
	m.end()
}

func askedForCluster(t *testing.T) {
	t.Helper()
	if os.Getenv(clusterAsked) == "" {
		t.Skip("make cluster runs it")
	}
}

// many is the service in several processes on several servers, who writes to it, and how long one of them waits.
type many struct {
	*faults
	apis        []*program
	databases   *proxy // of the workers; the API knows both addresses
	databaseURL string // both
	probe       *prober
	phases      []phase
	stop        func()
	stopped     chan struct{}
}

// phase is what happened from a moment on.
type phase struct {
	name  string
	began time.Time
}

func startMany(t *testing.T, database *pair, redisURL string) *many {
	t.Helper()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	m := &many{faults: &faults{t: t, month: 2000}, databaseURL: database.both(), stopped: make(chan struct{})}
	addresses := []string{freeAddress(t), freeAddress(t)}
	front := newProxy(t, addresses...)
	env := append(m.prepare(m.databaseURL, front.listener.Addr().String()), "BIZFIN_REDIS_URL="+redisURL)
	for _, address := range addresses {
		m.apis = append(m.apis, startProgram(t, "serve", append(slices.Clone(env),
			"BIZFIN_DATABASE_URL="+m.databaseURL, "BIZFIN_ADDR="+address)...))
	}
	var throughProxy string
	m.databases, throughProxy = startProxy(t, database.primary.stack.DatabaseURL)
	for range 2 {
		m.workers = append(m.workers, startProgram(t, "work", append(slices.Clone(env),
			"BIZFIN_DATABASE_URL="+throughProxy)...))
	}
	m.examine(env, addresses[0])
	m.populate(seed)
	b := partnertoken.Business{ID: "probe", Name: "Probe", Role: "owner"}
	connected, account := m.flow.begin("probe", b)
	m.probe = &prober{honest: honest{t, m.flow.as("probe", b), *connected.OrganizationId, account}}

	ctx, stop := context.WithCancel(t.Context())
	m.stop = stop
	t.Cleanup(func() {
		stop()
		<-m.stopped
	})
	go func() {
		defer close(m.stopped)
		go m.probe.run(ctx)
		m.write(ctx, seed)
	}()
	return m
}

// examine has the doctor look at what the programs are set to.
func (m *many) examine(env []string, address string) {
	m.t.Helper()
	for _, variable := range append(slices.Clone(env), "BIZFIN_DATABASE_URL="+m.databaseURL, "BIZFIN_ADDR="+address) {
		name, value, _ := strings.Cut(variable, "=")
		m.t.Setenv(name, value)
	}
	said, err := bizfin(m.t.Context(), "doctor", "--json")
	var d diagnosis
	if err := json.Unmarshal([]byte(said), &d); err != nil {
		m.t.Fatalf("the doctor says %q", said)
	}
	for _, c := range d.Checks {
		asked := []string{"settings", "database", "migrations", "redis", "eviction"}
		if slices.Contains(asked, c.Name) && c.State != stateOK {
			m.t.Errorf("the doctor: %s is a %s: %s (%v)", c.Name, c.State, c.Message, err)
		}
	}
}

// during does something to the servers, and returns when rows that were sent after it are processed.
func (m *many) during(name string, do func()) {
	m.t.Helper()
	const settled = 5
	m.phases = append(m.phases, phase{name, time.Now()})
	do()
	done := time.Now()
	until(m.t, "after "+name+" rows are processed", func() bool { return m.probe.processedSince(done) >= settled })
}

// end compares, and prints what each phase cost.
func (m *many) end() {
	m.t.Helper()
	m.stop()
	<-m.stopped
	m.t.Logf("writes: %v", &m.counted)
	m.t.Logf("processed %v after the last write", m.drain().Round(time.Millisecond))
	m.compare()
	m.probe.compare(m.faults)
	m.t.Log(m.table())
	for _, api := range m.apis {
		m.limitsAreShared(api)
	}
}

// limitsAreShared is whether an API counts its limits with the others, in Redis.
func (m *many) limitsAreShared(api *program) {
	m.t.Helper()
	var address string
	for _, variable := range api.env {
		if value, ok := strings.CutPrefix(variable, "BIZFIN_ADDR="); ok {
			address = value
		}
	}
	until(m.t, "limits are shared", func() bool {
		response, err := http.Get("http://" + address + "/metrics")
		if err != nil {
			return false
		}
		defer response.Body.Close()
		return strings.Contains(textOf(response.Body), "\nbizfin_limits_shared 1\n")
	})
}

// table is one line a phase: how long the rows that were sent in it waited for their acknowledgement, tries included,
// and from there until they were processed.
func (m *many) table() string {
	var text strings.Builder
	fmt.Fprintf(&text, "\n%-48s %6s  %-28s %-28s\n", "while", "rows", "acknowledged: p50, longest",
		"processed: p50, longest")
	for i, p := range m.phases {
		until := time.Now()
		if i+1 < len(m.phases) {
			until = m.phases[i+1].began
		}
		var acknowledged, processed timings
		for _, row := range m.probe.between(p.began, until) {
			acknowledged.each = append(acknowledged.each, row.acknowledged.Sub(row.sent))
			processed.each = append(processed.each, row.processed.Sub(row.acknowledged))
		}
		ms := func(d time.Duration) time.Duration { return d.Round(time.Millisecond) }
		fmt.Fprintf(&text, "%-48s %6d  %-9v %-18v %-9v %-18v\n", p.name, len(acknowledged.each),
			ms(acknowledged.at(50)), ms(acknowledged.at(100)), ms(processed.at(50)), ms(processed.at(100)))
	}
	return text.String()
}

// rowOf is the upload of a single row.
func rowOf(row client.UploadedTransaction) client.TransactionUpload {
	return client.TransactionUpload{Transactions: []client.UploadedTransaction{row}}
}

// amountOf is that of a probe's row.
func amountOf(number int) json.Number { return json.Number(fmt.Sprintf("-%d.25", 1+number)) }
