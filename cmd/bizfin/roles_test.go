package main

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/uuid"

	client "bizfin.example/client"
	"bizfin/internal/partnertoken"
	"bizfin/store"
	"bizfin/store/storetest"
)

var rolePassword = regexp.MustCompile(`:'(owner|program)_password'`)

// withRoles makes a database with the roles of deploy/roles.sql, under names of their own, and returns its addresses as
// each of them. PostgreSQL has roles for all databases together.
func withRoles(t *testing.T) (owner, program *url.URL) {
	t.Helper()
	suffix := "_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	t.Cleanup(func() { // after the database is gone
		for _, role := range []string{"owner", "program"} {
			_, _ = storetest.DB(t).SQL().Exec("DROP ROLE " + role + suffix)
		}
	})
	databaseURL := newDatabase(t, "ENCODING 'UTF8'")
	u, err := url.Parse(databaseURL)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	db, err := store.Open(databaseURL, store.Options{MaxConnections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var script strings.Builder
	for line := range strings.Lines(deployed(t, "deploy", "roles.sql")) {
		if !strings.HasPrefix(line, `\`) && !strings.HasPrefix(line, "--") { // psql's own
			script.WriteString(line)
		}
	}
	text := rolePassword.ReplaceAllString(script.String(), "'$1'")
	for _, role := range []string{"bizfin_owner", "bizfin_program"} {
		text = strings.ReplaceAll(text, role, role[len("bizfin_"):]+suffix)
	}
	if _, err := db.SQL().Exec(strings.ReplaceAll(text, "DATABASE bizfin", "DATABASE "+name)); err != nil {
		t.Fatal(err)
	}
	as := func(role string) *url.URL {
		other := *u
		other.User = url.UserPassword(role+suffix, role)
		return &other
	}
	return as("owner"), as("program")
}

// The owner migrates. The program's role is enough for everything else: requests of every kind, processing, answers,
// snapshots, roll-ups, the index of words and what is removed. And it cannot change the schema.
func TestTheProgramsRoleReadsAndWritesRowsAndNothingElse(t *testing.T) {
	owner, user := withRoles(t)
	useTestStack(t)
	t.Setenv("BIZFIN_DATABASE_URL", owner.String())
	if _, err := bizfin(t.Context(), "migrate", "up", "--grant", "no_such_role"); err == nil ||
		!strings.Contains(err.Error(), "CREATE ROLE") {
		t.Errorf("a role that is not there is answered %v", err)
	}
	if _, err := bizfin(t.Context(), "migrate", "up", "--grant", user.User.Username()); err != nil {
		t.Fatal(err)
	}
	// What a later step brings is granted by itself, as after an upgrade.
	as, err := store.Open(owner.String(), store.Options{MaxConnections: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer as.Close()
	if _, err := as.SQL().Exec(`REVOKE EXECUTE ON FUNCTION remove_audit(timestamptz, integer) FROM ` +
		user.User.Username()); err != nil {
		t.Fatal(err)
	}
	if _, err := bizfin(t.Context(), "migrate", "up"); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(user.String(), store.Options{MaxConnections: 4})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	f, env := serviceOf(t, os.Args[0], user.String())
	api, work := startProgram(t, "serve", env...), startProgram(t, "work", env...)
	f.awaitReady()
	f.beginLarge()
	cs := customersOf(f, db, os.Args[0], env)
	cs.more(6)
	cs.stopAll()
	cs.settled()
	answered := 0
	for _, c := range cs.all {
		answered += c.answered
	}
	if answered == 0 {
		t.Error("nobody answered anything")
	}
	until(t, "months are summed, words are indexed, and what has ended was looked for", func() bool {
		var done bool
		err := db.SQL().QueryRow(`
			SELECT NOT EXISTS (SELECT FROM report_dirty WHERE at < now() - interval '11 seconds')
			   AND EXISTS (SELECT FROM report_months)
			   AND EXISTS (SELECT FROM transaction_words WHERE indexed)
			   AND EXISTS (SELECT FROM retention WHERE next_at > now())`).Scan(&done)
		return err == nil && done
	})
	for _, p := range []*program{api, work} {
		if log, err := os.ReadFile(p.log.Name()); err != nil || strings.Contains(string(log), "permission denied") {
			t.Errorf("%s: %v %s", p.command, err, log)
		}
	}
	t.Setenv("BIZFIN_DATABASE_URL", user.String())
	if checks, _ := examined(t); checks["migrations"].State != stateOK || checks["role"].State != stateOK {
		t.Errorf("as the program's role the doctor says %+v", checks)
	}
	for _, statement := range []string{
		`CREATE TABLE mine (id integer)`, `DROP TABLE transactions`, `ALTER TABLE transactions ADD COLUMN mine integer`,
		`TRUNCATE transactions`, `DELETE FROM goose_db_version`, `ALTER TABLE transactions DISABLE TRIGGER ALL`,
		`CREATE ROLE mine`, `DELETE FROM audit`, `UPDATE audit SET action = ''`, `TRUNCATE audit`,
	} {
		if _, err := db.SQL().Exec(statement); err == nil {
			t.Errorf("the program's role may %s", statement)
		}
	}
	var removed, acts int
	if err := db.SQL().QueryRow(`SELECT remove_audit(now(), 1000), (SELECT count(*) FROM audit)`).Scan(&removed,
		&acts); err != nil || removed != 0 || acts == 0 {
		t.Errorf("of %d acts of today the program's role removes %d: %v", acts, removed, err)
	}
	if _, err := bizfin(t.Context(), "migrate", "down"); err == nil {
		t.Error("the program's role may migrate")
	}
}

// beginLarge connects a business with so many rows that their months are summed and their words are indexed.
func (f *flow) beginLarge() {
	f.t.Helper()
	mill := partnertoken.Business{ID: "mill", Name: "Mill", Role: "owner"}
	connected, account := f.begin("miller", mill)
	for batch := range 4 {
		rows := make([]client.UploadedTransaction, 500)
		for i := range rows {
			rows[i] = oneRow(fmt.Sprintf("%d-%d", batch, i))
		}
		answer, err := f.as("miller", mill).UploadTransactionsWithResponse(f.t.Context(), *connected.OrganizationId,
			account, nil, client.TransactionUpload{Transactions: rows})
		if err != nil || answer.JSON200 == nil {
			f.t.Fatalf("rows: %v %s", err, answer.Body)
		}
	}
}
