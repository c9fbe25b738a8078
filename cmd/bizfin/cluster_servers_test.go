package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"bizfin/internal/devstack"
	"bizfin/migrations"
	"bizfin/store"
)

// scaling is a block of docs/scaling.md by its name: what the page says is what runs here.
func scaling(t *testing.T, name string, variables map[string]string) string {
	t.Helper()
	for _, s := range snippets(t, "../../docs/scaling.md") {
		if s.info == name {
			if s.language == "conf" {
				return os.Expand(s.text, func(variable string) string { return variables[variable] })
			}
			return s.text
		}
	}
	t.Fatalf("docs/scaling.md has no block %q", name)
	return ""
}

// inShellOf runs a block of bash beside a server.
func inShellOf(t *testing.T, stack *devstack.Stack, script string, variables ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if out, err := stack.Shell(ctx, script, variables...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

// freePort is one where nobody listens.
func freePort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}

// password is that of all servers of a cluster.
const password = "of-all-nodes"

// pair is a PostgreSQL with the schema and a synchronous standby.
type pair struct {
	t                *testing.T
	primary, standby *backend
	lost             string // the address of the one that was lost
}

func startPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{t: t, primary: startBackend(t, newFolder(t), devstack.Config{RedisURL: "redis://elsewhere"})}
	if t.Failed() {
		t.FailNow()
	}
	if err := p.primary.stack.Shell(t.Context(), "pg_basebackup --version").Run(); err != nil {
		t.Skip("no pg_basebackup here")
	}
	db := p.open(p.primary)
	defer db.Close()
	if _, err := migrations.Up(t.Context(), db.SQL()); err != nil {
		t.Fatal(err)
	}
	p.follow("first")
	return p
}

// follow makes a standby of the primary, and has every commit wait for it.
func (p *pair) follow(slot string) {
	t := p.t
	t.Helper()
	folder := newFolder(t)
	if err := p.primary.stack.Own(folder); err != nil {
		t.Fatal(err)
	}
	if _, port, err := net.SplitHostPort(p.lost); err == nil { // it takes the place of the lost one
		place := []byte(`{"postgres_port": ` + port + `}`)
		if err := os.WriteFile(filepath.Join(folder, "devstack.json"), place, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	address, err := url.Parse(p.primary.stack.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	secret, _ := address.User.Password()
	inShellOf(t, p.primary.stack, scaling(t, "standby", nil), "PRIMARY="+address.String()+"&application_name=standby",
		"DATA="+filepath.Join(folder, "postgres"), "SLOT="+slot)
	p.standby = startBackend(t, folder, devstack.Config{RedisURL: "redis://elsewhere", Password: secret})
	if t.Failed() {
		t.FailNow()
	}
	if err := p.say(p.primary, "synchronous"); err != nil {
		t.Fatal(err)
	}
	db := p.open(p.primary)
	defer db.Close()
	until(t, "the standby is synchronous", func() bool {
		var state string
		return db.SQL().QueryRow(`SELECT sync_state FROM pg_stat_replication`).Scan(&state) == nil && state == "sync"
	})
}

// promote has the standby be the primary, after the other one was lost.
func (p *pair) promote() {
	p.t.Helper()
	db := p.open(p.standby)
	defer db.Close()
	until(p.t, "the standby is the primary", func() bool {
		var recovering bool
		if err := db.SQL().QueryRow(`SELECT pg_is_in_recovery()`).Scan(&recovering); err != nil || !recovering {
			return err == nil
		}
		_ = p.say(p.standby, "promote") // what it replays may cancel it: then again
		return false
	})
	p.primary, p.standby = p.standby, nil
}

// lose kills all processes of the primary at once, as the loss of its machine would.
func (p *pair) lose() {
	for _, process := range p.primary.postgresProcesses() {
		_ = syscall.Kill(process, syscall.SIGKILL)
	}
	_ = p.primary.stack.Stop()
	p.lost = hostIn(p.t, p.primary.stack.DatabaseURL)
}

func (p *pair) open(b *backend) *store.DB {
	p.t.Helper()
	db, err := store.Open(b.stack.DatabaseURL, store.Options{MaxConnections: 1})
	if err != nil {
		p.t.Fatal(err)
	}
	return db
}

// say has a server run the statements of a block of the page one by one.
func (p *pair) say(b *backend, block string) error {
	p.t.Helper()
	db := p.open(b)
	defer db.Close()
	for statement := range strings.SplitSeq(strings.TrimSpace(scaling(p.t, block, nil)), ";") {
		if _, err := db.SQL().Exec(statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// both is the address of the two: whoever is no standby is taken.
func (p *pair) both() string {
	first, err := url.Parse(p.primary.stack.DatabaseURL)
	if err != nil {
		p.t.Fatal(err)
	}
	second, err := url.Parse(p.standby.stack.DatabaseURL)
	if err != nil {
		p.t.Fatal(err)
	}
	first.Host += "," + second.Host
	return first.String()
}

// redisCluster is a Redis Cluster of three primaries with a replica each.
type redisCluster struct {
	t     *testing.T
	nodes []*backend
}

func startRedisCluster(t *testing.T) *redisCluster {
	t.Helper()
	c := &redisCluster{t: t}
	var addresses []string
	for range 6 {
		bus := freePort(t)
		settings := strings.Split(scaling(t, "node", map[string]string{"PASSWORD": password}), "\n")
		node := startBackend(t, newFolder(t), devstack.Config{DatabaseURL: "postgres://elsewhere", Password: password,
			RedisSettings: append(settings, "cluster-port "+bus)})
		if t.Failed() {
			t.FailNow()
		}
		if strings.HasPrefix(node.stack.RedisKind, "embedded") {
			t.Skip("no redis-server here: the embedded one is no Cluster")
		}
		c.nodes = append(c.nodes, node)
		addresses = append(addresses, hostOf(t, node)+"@"+bus)
	}
	inShellOf(t, c.nodes[0].stack, scaling(t, "create", nil), "PASSWORD="+password,
		"NODES="+strings.Join(addresses, " "))
	until(t, "the Cluster knows all its nodes", func() bool {
		primaries, replicas := c.roles()
		return len(primaries) == 3 && len(replicas) == 3
	})
	return c
}

func hostOf(t *testing.T, b *backend) string {
	t.Helper()
	u, err := url.Parse(b.stack.RedisURL)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

// url names all nodes.
func (c *redisCluster) url() string {
	var hosts []string
	for _, n := range c.nodes {
		hosts = append(hosts, hostOf(c.t, n))
	}
	return fmt.Sprintf("redis-cluster://:%s@%s", password, strings.Join(hosts, ","))
}

// roles are the nodes that say they are primaries with slots, and those that say they are replicas in step.
func (c *redisCluster) roles() (primaries, replicas []*backend) {
	for _, n := range c.nodes {
		client := n.redis()
		state, err := client.ClusterInfo(c.t.Context()).Result()
		role, roleErr := client.InfoMap(c.t.Context(), "replication").Result()
		client.Close()
		if err != nil || roleErr != nil || !strings.Contains(state, "cluster_state:ok") {
			continue
		}
		switch about := role["Replication"]; {
		case about["role"] == "master":
			primaries = append(primaries, n)
		case about["master_link_status"] == "up":
			replicas = append(replicas, n)
		}
	}
	return primaries, replicas
}

// killPrimary kills one, and returns when its replica has taken its place.
func (c *redisCluster) killPrimary() (killed *backend) {
	c.t.Helper()
	primaries, _ := c.roles()
	killed = primaries[0]
	killed.kill(killed.redisProcess())
	until(c.t, "a replica has taken the primary's place", func() bool {
		after, _ := c.roles()
		return len(after) == 3
	})
	return killed
}

// sentinels are a Redis with a replica, which three Sentinels watch.
type sentinels struct {
	t     *testing.T
	nodes []*backend
	addrs []string
}

func startSentinels(t *testing.T) *sentinels {
	t.Helper()
	s := &sentinels{t: t}
	for range 2 {
		settings := []string{"masterauth " + password}
		if len(s.nodes) > 0 {
			host, port, _ := net.SplitHostPort(hostOf(t, s.nodes[0]))
			settings = append(settings, "replicaof "+host+" "+port)
		}
		node := startBackend(t, newFolder(t), devstack.Config{DatabaseURL: "postgres://elsewhere", Password: password,
			RedisSettings: settings})
		if t.Failed() {
			t.FailNow()
		}
		if strings.HasPrefix(node.stack.RedisKind, "embedded") {
			t.Skip("no redis-server here: the embedded one has no replicas")
		}
		s.nodes = append(s.nodes, node)
	}
	host, port, _ := net.SplitHostPort(hostOf(t, s.nodes[0]))
	conf := scaling(t, "sentinel", map[string]string{"PASSWORD": password, "HOST": host, "PORT": port})
	for range 3 {
		s.watch(conf)
	}
	until(t, "each Sentinel knows the two others and the replica", func() bool {
		for _, address := range s.addrs {
			known := s.ask(address)
			if known["num-other-sentinels"] != "2" || known["num-slaves"] != "1" {
				return false
			}
		}
		return true
	})
	return s
}

// watch starts a Sentinel. It ends when this process does, with the pipe that it reads.
func (s *sentinels) watch(conf string) {
	t := s.t
	folder, port := newFolder(t), freePort(t)
	file := filepath.Join(folder, "sentinel.conf")
	if err := os.WriteFile(file, []byte("bind 127.0.0.1\nport "+port+"\n"+conf), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{folder, file} { // it writes into both what it learns
		if err := s.nodes[0].stack.Own(path); err != nil {
			t.Fatal(err)
		}
	}
	cmd := s.nodes[0].stack.Shell(context.Background(),
		`redis-server "$FILE" --sentinel --dir "$(dirname "$FILE")" --logfile "$FILE.log" < /dev/null &
		read -r _ || kill $!
		wait`, "FILE="+file)
	alive, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		alive.Close()
		_ = cmd.Wait()
	})
	s.addrs = append(s.addrs, "127.0.0.1:"+port)
}

func (s *sentinels) ask(address string) map[string]string {
	client := redis.NewSentinelClient(&redis.Options{Addr: address, Password: password})
	defer client.Close()
	known, _ := client.Master(s.t.Context(), "bizfin").Result()
	return known
}

func (s *sentinels) url() string {
	return fmt.Sprintf("redis-sentinel://:%s@%s/0?master=bizfin", password, strings.Join(s.addrs, ","))
}

// killPrimary kills it, and returns when the Sentinels have made the replica the primary.
func (s *sentinels) killPrimary() (killed *backend) {
	s.t.Helper()
	before := s.ask(s.addrs[0])["port"]
	for _, n := range s.nodes {
		if _, port, _ := net.SplitHostPort(hostOf(s.t, n)); port == before {
			killed = n
		}
	}
	killed.kill(killed.redisProcess())
	until(s.t, "the Sentinels have another primary", func() bool {
		for _, address := range s.addrs {
			if known := s.ask(address); known["port"] == before || known["flags"] != "master" {
				return false
			}
		}
		return true
	})
	return killed
}
