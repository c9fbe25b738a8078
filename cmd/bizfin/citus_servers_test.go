package main

import (
	"errors"
	"net"
	"net/url"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/devstack"
	"bizfin/store"
)

// spreadDatabase is a Citus of a coordinator and two worker nodes that a database is spread over.
type spreadDatabase struct {
	t           *testing.T
	coordinator *backend
	workers     []*backend
	db          *store.DB // of the coordinator
}

// startCitus starts the three servers and has them know each other, as docs/scaling.md says.
func startCitus(t *testing.T) *spreadDatabase {
	t.Helper()
	var settings []string
	for line := range strings.Lines(scaling(t, "citus", nil)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " = ")
		settings = append(settings, name+"="+strings.Trim(value, "'"))
	}
	start := func() *backend {
		config := devstack.Config{RedisURL: "redis://elsewhere", Password: password, Extensions: []string{"citus"},
			PostgresSettings: settings}
		if err := tryStack(t, config); errors.Is(err, devstack.ErrUnavailable) {
			t.Skipf("NOT TRIED: Citus. docs/scaling.md says how to get it, and where it is looked for: %v", err)
		}
		b := startBackend(t, newFolder(t), config)
		if t.Failed() {
			t.FailNow()
		}
		return b
	}
	s := &spreadDatabase{t: t, coordinator: start(), workers: []*backend{start(), start()}}
	for _, b := range append([]*backend{s.coordinator}, s.workers...) {
		s.say(b, "each", map[string]string{"PASSWORD": password})
	}
	var err error
	if s.db, err = store.Open(s.coordinator.stack.DatabaseURL, store.Options{MaxConnections: 4}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.db.Close() })
	names := map[string]string{}
	for i, b := range append([]*backend{s.coordinator}, s.workers...) {
		prefix := []string{"", "FIRST_", "SECOND_"}[i]
		names[prefix+"HOST"], names[prefix+"PORT"], _ = net.SplitHostPort(hostIn(t, b.stack.DatabaseURL))
	}
	s.say(s.coordinator, "nodes", names)
	return s
}

// tryStack looks whether the servers of a config could be started here.
func tryStack(t *testing.T, config devstack.Config) error {
	config.Dir, config.Ephemeral, config.PostgresSettings = newFolder(t), true, nil
	stack, err := devstack.Start(t.Context(), config)
	if err == nil {
		err = stack.Stop()
	}
	return err
}

// say has a server run the statements of a block of the page one by one.
func (s *spreadDatabase) say(b *backend, block string, variables map[string]string) {
	s.t.Helper()
	db, err := store.Open(b.stack.DatabaseURL, store.Options{MaxConnections: 1})
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	text := os.Expand(scaling(s.t, block, nil), func(variable string) string { return variables[variable] })
	for statement := range strings.SplitSeq(strings.TrimSpace(text), ";") {
		if _, err := db.SQL().Exec(statement); err != nil {
			s.t.Fatalf("%s: %v", statement, err)
		}
	}
}

// nodeOf is the worker node with the rows of a business.
func (s *spreadDatabase) nodeOf(business uuid.UUID) *backend {
	s.t.Helper()
	var port string
	err := s.db.SQL().QueryRow(`
		SELECT n.nodeport::text
		FROM pg_dist_placement p
		JOIN pg_dist_node n ON n.groupid = p.groupid AND n.noderole = 'primary'
		WHERE p.shardid = get_shard_id_for_distribution_column('transactions', $1::uuid)`, business).Scan(&port)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, w := range s.workers {
		if _, own, _ := net.SplitHostPort(hostIn(s.t, w.stack.DatabaseURL)); own == port {
			return w
		}
	}
	s.t.Fatalf("no node has the business %s", business)
	return nil
}

// lose kills all processes of a node at once, as the loss of its machine would.
func (s *spreadDatabase) lose(b *backend) {
	for _, process := range b.postgresProcesses() {
		_ = syscall.Kill(process, syscall.SIGKILL)
	}
	_ = b.stack.Stop()
}

// hang stops all processes of a node, as a machine does that swaps or lost its network, until goOn.
func (s *spreadDatabase) hang(b *backend) (goOn func()) {
	_ = syscall.Kill(b.postgresProcess(), syscall.SIGSTOP) // it starts no other then
	stopped := b.postgresProcesses()
	for _, process := range stopped {
		_ = syscall.Kill(process, syscall.SIGSTOP)
	}
	goOn = sync.OnceFunc(func() {
		for _, process := range stopped {
			_ = syscall.Kill(process, syscall.SIGCONT)
		}
	})
	s.t.Cleanup(goOn) // nothing else ends them
	return goOn
}

// bringBack starts a node that was lost, with what it has on disk.
func (s *spreadDatabase) bringBack(b *backend) {
	s.t.Helper()
	b.start()
	until(s.t, "the node answers", func() bool { return answers(b.stack.DatabaseURL) })
}

// finished waits until no transaction is left that the node prepared: what it wrote nobody else could write.
func (s *spreadDatabase) finished(b *backend) {
	s.t.Helper()
	db, err := store.Open(b.stack.DatabaseURL, store.Options{MaxConnections: 1})
	if err != nil {
		s.t.Fatal(err)
	}
	defer db.Close()
	until(s.t, "no prepared transaction is left", func() bool {
		var left int
		err := db.SQL().QueryRow(`SELECT count(*) FROM pg_prepared_xacts`).Scan(&left)
		return err == nil && left == 0
	})
}

// spread distributes the tables of businesses.
func (s *spreadDatabase) spread() {
	s.t.Helper()
	began := time.Now()
	s.t.Setenv("BIZFIN_DATABASE_URL", s.coordinator.stack.DatabaseURL)
	for _, command := range [][]string{{"migrate", "up"}, {"migrate", "distribute", "--trial"}} {
		if said, err := bizfin(s.t.Context(), command...); err != nil {
			s.t.Fatalf("%v: %v\n%s", command, err, said)
		}
	}
	s.t.Logf("spread in %v", time.Since(began).Round(time.Millisecond))
}

// passwordless is an address without what nobody should read.
func passwordless(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Redacted()
}
