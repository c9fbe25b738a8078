package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"
	"time"

	"bizfin/migrations"
	"bizfin/server"
	"bizfin/server/oauth"
	"bizfin/store"
	"bizfin/worker"
)

var databaseChecks = []string{"connection", "role", "encoding", "extensions", "migrations", "nodes", "clock",
	"snapshots", "erasures", "secrets", "sign-in"}

// database checks the server, then what is in it.
func (d *diagnosis) database(ctx context.Context, s settings, bad map[string]bool) {
	if bad["BIZFIN_DATABASE_URL"] {
		d.skip("needs BIZFIN_DATABASE_URL", append([]string{"database"}, databaseChecks...)...)
		return
	}
	db, err := store.Open(s.DatabaseURL, store.Options{MaxConnections: 1, StatementTimeout: 5 * time.Second})
	if err == nil {
		defer db.Close()
		err = db.Ping(ctx) // so that the time of connecting does not count as a difference of the clocks
	}
	var c store.Condition
	asked := time.Now()
	if err == nil {
		c, err = db.Condition(ctx)
	}
	if err != nil {
		failed := inWords(err)
		d.problem("database", failed.advice, "%s", failed.message)
		d.skip("needs the database", databaseChecks...)
		return
	}
	took := time.Since(asked)
	d.server(s, c, took)
	d.connection(s.DatabaseURL, c)
	d.schema(ctx, db, c)
	d.nodes(ctx, db)
	d.clock(c.Clock, asked, took)
	d.snapshots(ctx, db)
	d.erasures(ctx, db)
	d.secrets(ctx, db, s, bad)
	d.signIn(ctx, db, s)
}

// nodes looks whether a database that is spread has all its tables where they should be, and all its nodes.
func (d *diagnosis) nodes(ctx context.Context, db *store.DB) {
	places, err := migrations.Places(ctx, db.SQL())
	if errors.Is(err, migrations.ErrNoCitus) {
		d.ok("nodes", "one machine has all rows")
		return
	}
	spread, elsewhere := 0, 0
	for _, p := range places {
		if p.Distributed {
			spread++
		}
		if p.Wanted != "" && !p.In() {
			elsewhere++
		}
	}
	var all, away []string
	if err == nil && spread > 0 {
		all, away, err = db.Nodes(ctx)
	}
	switch {
	case err != nil:
		d.problem("nodes", "", "the nodes cannot be read: %s", inWords(err).message)
	case spread == 0:
		d.ok("nodes", "one machine has all rows; the database could be spread over several")
	case elsewhere > 0:
		d.problem("nodes", "bizfin migrate distribute --status", "%s not where it should be",
			counted(elsewhere, "table"))
	case len(away) > 0:
		d.problem("nodes", "start them, or promote their standbys; businesses elsewhere go on meanwhile",
			"%s of %d not reached from here: %s", counted(len(away), "node"), len(all), strings.Join(away, ", "))
	default:
		d.ok("nodes", "%s tables are spread over %s", fmt.Sprint(spread), counted(len(all), "node"))
	}
}

// signIn looks whether people can let agents in, where that is turned on. An address without https is a setting's
// problem.
func (d *diagnosis) signIn(ctx context.Context, db *store.DB, s settings) {
	if !s.SignIn {
		d.ok("sign-in", "off: people let agents in by tokens of yours, or of an issuer")
		return
	}
	u, err := url.Parse(s.PublicURL)
	if err != nil || u.Scheme != "https" && !oauth.Loopback(u.Host) {
		d.problem("sign-in", "serve the API by https and set BIZFIN_PUBLIC_URL, or unset BIZFIN_SIGN_IN",
			"people would sign in at %s, which is not encrypted", s.PublicURL)
		return
	}
	partners, err := db.SignInPartners(ctx)
	switch {
	case err != nil:
		d.problem("sign-in", "", "the partners cannot be read: %s", inWords(err).message)
	case len(partners) == 0:
		d.warn("sign-in", "bizfin partner set ID --sign-in-url https://…", "no partner has an address where it signs "+
			"people in, so nobody can let an agent in")
	case u.Scheme != "https":
		d.warn("sign-in", "hosted programs such as Claude and ChatGPT need a public https address",
			"%s, for programs on this machine alone", s.PublicURL)
	default:
		d.ok("sign-in", "at %s, by %s", s.PublicURL, counted(len(partners), "partner"))
	}
}

// inWords explains what it can, and hides what it cannot: it may hold anything.
func inWords(err error) *failure {
	if f, ok := explained(err); ok {
		return f
	}
	return &failure{"the database cannot be used", "try the address with psql; it says more"}
}

func (d *diagnosis) server(s settings, c store.Condition, took time.Duration) {
	const oldest = 140000
	u, _ := url.Parse(s.DatabaseURL) // store.Open took it
	version, _, _ := strings.Cut(c.VersionName, " ")
	switch {
	case c.Version < oldest:
		d.problem("database", "use PostgreSQL 14 or newer", "PostgreSQL %s is too old", version)
	case c.ReadOnly:
		d.problem("database", "point BIZFIN_DATABASE_URL at the primary",
			"PostgreSQL %s takes no writes: it is a replica, or read-only", version)
	case c.MaxConnections < 2*s.DatabaseConnections:
		d.warn("database", "raise max_connections, or lower BIZFIN_DATABASE_CONNECTIONS",
			"PostgreSQL %s allows %d connections; one process may take %d", version, c.MaxConnections,
			s.DatabaseConnections)
	default:
		d.ok("database", "PostgreSQL %s at %s/%s, in %s", version, u.Host, c.Database, took.Round(100*time.Microsecond))
	}
	if c.Encoding != "UTF8" {
		d.problem("encoding", "make the database anew: createdb -T template0 -E UTF8 NAME",
			"the database is encoded in %s, and names and descriptions are UTF-8", c.Encoding)
	} else {
		d.ok("encoding", "UTF8")
	}
}

// connection looks at the way to the database, and at what the program may do there. On this machine both are of less
// concern.
func (d *diagnosis) connection(databaseURL string, c store.Condition) {
	u, _ := url.Parse(databaseURL) // store.Open took it
	mode, remote := u.Query().Get("sslmode"), !onThisMachine(u)
	switch {
	case !remote:
		d.ok("connection", "does not leave this machine")
	case mode == "verify-full":
		d.ok("connection", "encrypted, and the server's name is verified")
	default:
		d.warn("connection", "add sslmode=verify-full to BIZFIN_DATABASE_URL, and sslrootcert where the authority is "+
			"your own; a network that nobody else is on may do without",
			"whoever is on the way to the database can read it or take its place: sslmode is %s",
			cmp.Or(mode, "prefer"))
	}
	if remote && c.Superuser {
		d.warn("role", "make roles with deploy/roles.sql, migrate as bizfin_owner with --grant bizfin_program, and "+
			"run the rest as bizfin_program", "%s is a superuser, who may do anything on the server", c.Role)
		return
	}
	d.ok("role", "%s", c.Role)
}

// onThisMachine reports whether an address of a database is a socket or loopback.
func onThisMachine(u *url.URL) bool {
	host := cmp.Or(u.Query().Get("host"), u.Hostname())
	ip := net.ParseIP(host)
	return host == "" || host == "localhost" || strings.HasPrefix(host, "/") || strings.HasPrefix(host, "@") ||
		ip != nil && ip.IsLoopback()
}

// schema checks the extensions and the steps.
func (d *diagnosis) schema(ctx context.Context, db *store.DB, c store.Condition) {
	var missing, absent []string
	for _, name := range store.Extensions {
		switch {
		case slices.Contains(c.Installed, name):
		case slices.Contains(c.Available, name):
			missing = append(missing, name)
		default:
			absent = append(absent, name)
		}
	}
	switch {
	case len(absent) > 0:
		d.problem("extensions", "install PostgreSQL's contrib package on its server (Debian has them with "+
			"postgresql itself)", "the server does not have %s", strings.Join(absent, " and "))
	case len(missing) > 0:
		d.ok("extensions", "%s can be installed, and the first migration does it", strings.Join(missing, " and "))
	default:
		d.ok("extensions", "%s are installed", strings.Join(store.Extensions, " and "))
	}
	taken, newest, err := migrations.State(ctx, db.SQL())
	switch {
	case err != nil:
		d.problem("migrations", "", "their state cannot be read: %s", inWords(err).message)
	case taken == 0:
		d.problem("migrations", "bizfin migrate up", "the database has no schema yet")
	case taken < newest:
		d.problem("migrations", "bizfin migrate up", "step %d of %d is the last that was taken", taken, newest)
	case taken > newest:
		d.problem("migrations", "run the newer program, or take the steps back with it: bizfin migrate down",
			"the database is at step %d, and this program knows %d", taken, newest)
	default:
		d.ok("migrations", "all %d steps are taken", newest)
	}
}

// clock compares this machine's clock with the server's, which answered somewhere between asking and the answer.
func (d *diagnosis) clock(server, asked time.Time, took time.Duration) {
	const allowed = time.Second
	skew := server.Sub(asked.Add(took / 2))
	if (skew.Abs() - took/2) > allowed {
		d.warn("clock", "let both keep time by NTP: tokens expire by this machine's clock",
			"this machine and the database differ by %s", skew.Abs().Round(100*time.Millisecond))
		return
	}
	d.ok("clock", "this machine and the database differ by less than %s", allowed)
}

// snapshots names account lists of the webhook that were given up.
func (d *diagnosis) snapshots(ctx context.Context, db *store.DB) {
	const most = 1000
	dead, err := db.WaitingSnapshots(ctx, true, most)
	if err != nil {
		d.skip("needs the schema", "snapshots")
		return
	}
	if len(dead) == 0 {
		d.ok("snapshots", "none was given up")
		return
	}
	partners := map[string]bool{}
	for _, s := range dead {
		partners[s.PartnerID] = true
	}
	atLeast := ""
	if len(dead) == most {
		atLeast = "at least "
	}
	d.warn("snapshots", "the worker's log says why; mend that, then: bizfin snapshots list --dead, and snapshots "+
		"retry --all or snapshots drop ID", "the worker gave up %s%s of the webhook, of %s", atLeast,
		counted(len(dead), "account list"), someOf(partners))
}

// erasures names those that somebody began, and nobody ended.
func (d *diagnosis) erasures(ctx context.Context, db *store.DB) {
	const most, shown = 100, 3
	unfinished, err := db.UnfinishedErasures(ctx, most)
	if err != nil {
		d.skip("needs the schema", "erasures")
		return
	}
	if len(unfinished) == 0 {
		d.ok("erasures", "all that began are over")
		return
	}
	var list []string
	for _, e := range unfinished[:min(shown, len(unfinished))] {
		what := map[string]string{"person": "user"}[e.Kind]
		list = append(list, fmt.Sprintf("bizfin %s erase %s --yes", cmp.Or(what, e.Kind), e.ID))
	}
	if len(unfinished) > shown {
		list = append(list, "and so on")
	}
	atLeast := ""
	if len(unfinished) == most {
		atLeast = "at least "
	}
	d.warn("erasures", "a worker goes on with each five minutes after it began, or you do: "+strings.Join(list, "; "),
		"%s%s began and is not over, the oldest at %s UTC", atLeast, counted(len(unfinished), "erasure"),
		unfinished[0].BeganAt.UTC().Format(time.DateTime))
}

// secrets opens what is stored, and shows none of it.
func (d *diagnosis) secrets(ctx context.Context, db *store.DB, s settings, bad map[string]bool) {
	if bad["BIZFIN_SECRET_KEY"] {
		d.skip("needs BIZFIN_SECRET_KEY", "secrets")
		return
	}
	stored, err := db.StoredSecrets(ctx)
	if err != nil {
		d.skip("needs the schema", "secrets")
		return
	}
	shut := map[string]bool{}
	opened := 0
	for _, secret := range stored {
		if _, err := s.keys.Open(secret.Sealed, server.SecretContext(secret.PartnerID, secret.Purpose)); err != nil {
			shut[secret.PartnerID] = true
			continue
		}
		opened++
	}
	switch {
	case len(stored) == 0:
		d.warn("secrets", "bizfin partner create ID", "there is no partner yet")
	case opened < len(stored):
		d.problem("secrets", "add the key that sealed them to BIZFIN_SECRET_KEY, behind a comma; or give these "+
			"partners new ones: bizfin partner rotate ID",
			"%d of %d stored secrets open with BIZFIN_SECRET_KEY; not those of %s", opened, len(stored), someOf(shut))
	default:
		d.ok("secrets", "all %d stored partner secrets open with BIZFIN_SECRET_KEY", len(stored))
	}
}

// someOf names a few of a set.
func someOf(set map[string]bool) string {
	const most = 3
	var names []string
	for name := range set {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) > most {
		names = append(names[:most], "others")
	}
	return strings.Join(names, ", ")
}

// redis checks the queue. Without it nothing is lost, but uploads wait for the worker's next look.
func (d *diagnosis) redis(ctx context.Context, s settings, bad map[string]bool) {
	if bad["BIZFIN_REDIS_URL"] {
		d.skip("needs BIZFIN_REDIS_URL", "redis", "eviction")
		return
	}
	queue, err := worker.ParseRedis(s.RedisURL)
	if err != nil {
		d.problem("redis", "use redis://host:6379/0, rediss://, redis-sentinel:// or redis-cluster://",
			"BIZFIN_REDIS_URL is of no form that is known")
		d.skip("needs Redis", "eviction")
		return
	}
	asked := time.Now()
	c, err := worker.Condition(ctx, queue)
	u, parseErr := url.Parse(s.RedisURL)
	if parseErr != nil { // several hosts with ports are no URL by the letter
		u = &url.URL{Host: "its addresses"}
	}
	if err != nil {
		d.problem("redis", "start it, or correct BIZFIN_REDIS_URL; meanwhile uploads are kept, and processed late",
			"Redis does not answer at %s", u.Host)
		d.skip("needs Redis", "eviction")
		return
	}
	if c.Version == "" {
		d.ok("redis", "an embedded Redis at %s, which forgets when it stops", u.Host)
		d.skip("an embedded Redis never evicts", "eviction")
		return
	}
	d.ok("redis", "Redis %s at %s, in %s", c.Version, u.Host, time.Since(asked).Round(100*time.Microsecond))
	if c.Policy != "noeviction" {
		d.warn("eviction", "redis-cli config set maxmemory-policy noeviction, and in its configuration file",
			"maxmemory-policy is %s: a full Redis would throw tasks away, and they would come late", c.Policy)
		return
	}
	d.ok("eviction", "maxmemory-policy is noeviction")
}
