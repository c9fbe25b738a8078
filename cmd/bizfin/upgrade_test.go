package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pressly/goose/v3"

	"bizfin/internal/money"
	"bizfin/internal/seal"
	"bizfin/migrations"
	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
)

// allUpgrades asks for every step, and for what steps do to a million rows; "make upgrades" sets it. Without it the
// newest step alone is taken.
const allUpgrades = "BIZFIN_TEST_UPGRADES"

// The first step that there is a program before: the ones up to it came within a day, and together.
const firstUpgrade = 11

// Whoever upgrades migrates first, and runs the program of before meanwhile. So that program, built as it was, serves
// and works while a step is taken, and after it: no request of a client that sends again what is to be sent again
// fails, and what it stored the newest program reads.
func TestTheProgramOfTheStepBeforeWorksOnTheSchemaAfter(t *testing.T) {
	steps := migrationSteps(t)
	programs := programsOf(t, steps)
	first := steps[len(steps)-1]
	if os.Getenv(allUpgrades) != "" {
		first = firstUpgrade
	}
	for i, step := range steps {
		if step < first {
			continue
		}
		t.Run(fmt.Sprintf("%06d", step), func(t *testing.T) {
			before := i - 1
			for ; before > 0 && len(programs[before]) == 0; before-- {
			} // steps that came together are taken together
			if len(programs[before]) == 0 {
				t.Skipf("the history here has no program that knows the steps up to %d and no other; "+
					"git fetch --unshallow brings it", steps[i-1])
			}
			upgrade(t, built(t, programs[before]), steps[before], step)
		})
	}
}

// upgrade has customers use an old program while the schema goes up to a step.
func upgrade(t *testing.T, old string, before, step int64) {
	began := time.Now()
	databaseURL := newDatabase(t, "ENCODING 'UTF8'")
	db, err := store.Open(databaseURL, store.Options{MaxConnections: 4, LockTimeout: migrationLockTimeout})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	up := func(to int64) time.Duration {
		t.Helper()
		began := time.Now()
		if _, err := migrations.UpTo(t.Context(), db.SQL(), to); err != nil {
			t.Fatal(err)
		}
		return time.Since(began)
	}
	up(before)
	f, env := serviceOf(t, old, databaseURL)
	api, work := startBinary(t, old, "serve", env...), startBinary(t, old, "work", env...)
	f.awaitReady()
	cs := customersOf(f, db, old, env)
	cs.more(3)
	took := up(step)
	cs.more(10)
	cs.stopAll()
	cs.settled()

	api.kill()
	work.kill()
	newest := migrationSteps(t)
	up(newest[len(newest)-1])
	startProgram(t, "serve", env...)
	startProgram(t, "work", env...)
	f.awaitReady()
	answered := 0
	for _, c := range cs.all {
		c.round(int(c.rounds.Load()))
		answered += c.answered
	}
	cs.settled()
	for _, c := range cs.all {
		profile, err := c.GetProfileWithResponse(t.Context(), c.id, nil)
		if !c.must("profile", err, profile.StatusCode(), profile.Body) {
			continue
		}
		if got := profile.JSON200.Coverage.Transactions.Total; got != int64(c.rows) {
			t.Errorf("the newest program counts %d rows of %s, want %d", got, c.name, c.rows)
		}
		if got, want := c.report(t.Context()).String(), money.Amount(-c.cents).String(); got != want {
			t.Errorf("the newest program reports %s going out of %s, want %s", got, c.name, want)
		}
	}
	t.Logf("from step %d to %d in %v, with %d rounds of requests and %d answers; %v in all", before, step,
		took.Round(time.Millisecond), len(cs.all)*int(cs.all[0].rounds.Load()), answered,
		time.Since(began).Round(time.Second))
}

// serviceOf has a build of the program make a partner in a database, and returns the environment of programs that serve
// it.
func serviceOf(t *testing.T, path, databaseURL string) (*flow, []string) {
	t.Helper()
	address := freeAddress(t)
	redisURL := strings.TrimSuffix(storetest.RedisURL(t), "/0") + "/9" // apart from that of other tests
	env := []string{
		"BIZFIN_DATABASE_URL=" + databaseURL, "BIZFIN_REDIS_URL=" + redisURL, "BIZFIN_ADDR=" + address,
		"BIZFIN_PUBLIC_URL=http://" + address, "BIZFIN_AUDIENCE=flow", "BIZFIN_SECRET_KEY=" + seal.NewKey(),
		"BIZFIN_LOG_LEVEL=WARN", "BIZFIN_DATABASE_CONNECTIONS=8"}
	f := &flow{t: t, url: "http://" + address + server.BasePath, patient: true}
	said := commanded(t, path, env, "partner", "create", "customers", "--json")
	if err := json.Unmarshal(said, &f.partner); err != nil {
		t.Fatal(err)
	}
	return f, env
}

// commanded is what a command of a build of the program prints.
func commanded(t *testing.T, path string, env []string, args ...string) []byte {
	t.Helper()
	command := exec.Command(path, args...)
	command.Env = append(append(os.Environ(), env...), runAsProgram+"=1")
	said, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %v %s", args, err, said)
	}
	return said
}

// migrationSteps are the numbers of all steps, in order.
func migrationSteps(t *testing.T) (numbers []int64) {
	t.Helper()
	for _, s := range migrationSources(t) {
		numbers = append(numbers, s.Version)
	}
	return numbers
}

func migrationSources(t *testing.T) []*goose.Source {
	t.Helper()
	db, err := store.Open("postgres://nowhere", store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	provider, err := migrations.Provider(db.SQL())
	if err != nil {
		t.Fatal(err)
	}
	return provider.ListSources()
}

// programsOf finds in git's history, for each step, the newest commit that knows this step and those before it, as they
// are today, and no other, and the ones before it. It skips the test where there is no history.
func programsOf(t *testing.T, steps []int64) [][]string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git, so no program of the past")
	}
	commits, err := git(t, nil, "rev-list", "HEAD")
	if err != nil {
		t.Skip("this is no git checkout, so there is no program of the past")
	}
	// Trees of the same content have the same name, so each is looked at once.
	list := strings.Fields(string(commits))
	asked := strings.Join(list, ":migrations\n") + ":migrations\n"
	trees, err := git(t, []byte(asked), "cat-file", "--batch-check=%(objectname) %(objecttype)")
	if err != nil {
		t.Fatal(err)
	}
	byFiles, known := map[string][]string{}, map[string]string{}
	for i, line := range strings.Split(strings.TrimSpace(string(trees)), "\n") {
		tree, kind, _ := strings.Cut(line, " ")
		if kind != "tree" {
			continue
		}
		if known[tree] == "" {
			files, err := git(t, nil, "ls-tree", "--full-tree", tree)
			if err != nil {
				t.Fatal(err)
			}
			known[tree] = stepsOf(string(files))
		}
		byFiles[known[tree]] = append(byFiles[known[tree]], list[i])
	}
	var today strings.Builder
	programs := make([][]string, len(steps))
	for i, s := range migrationSources(t) {
		file := filepath.Join("..", "..", "migrations", path.Base(s.Path))
		name, err := git(t, nil, "hash-object", file)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&today, path.Base(s.Path), strings.TrimSpace(string(name)))
		programs[i] = byFiles[today.String()]
	}
	return programs
}

// stepsOf are the steps in a listing of the folder, with what names their content.
func stepsOf(listing string) string {
	var lines []string
	for line := range strings.Lines(listing) {
		if f := strings.Fields(line); strings.HasSuffix(f[3], ".sql") {
			lines = append(lines, f[3]+" "+f[2]+"\n")
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "")
}

func git(t *testing.T, input []byte, args ...string) ([]byte, error) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Stdin = bytes.NewReader(input)
	return cmd.Output()
}

// built is the program of the first of some commits that can be built: one in the middle of something may not.
func built(t *testing.T, commits []string) string {
	t.Helper()
	var problem string
	for _, commit := range commits[:min(len(commits), 5)] {
		dir := t.TempDir()
		problem = ""
		files := filepath.Join(dir, "files.tar")
		build := append([]string{"go", "build", "-C", dir, "-buildvcs=false", "-ldflags=-s -w", "-o", "bizfin-before"},
			storetest.BuiltWith()...)
		for _, args := range [][]string{{"git", "-C", "../..", "archive", "-o", files, commit},
			{"tar", "-xf", files, "-C", dir}, append(build, "./cmd/bizfin")} {
			if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
				problem = fmt.Sprintf("%v: %v\n%s", args, err, out)
				break
			}
		}
		if problem == "" {
			return filepath.Join(dir, "bizfin-before")
		}
	}
	t.Fatal(problem)
	return ""
}

// awaitReady waits until the service takes requests.
func (f *flow) awaitReady() {
	f.t.Helper()
	until(f.t, "the service is ready", func() bool {
		answer, err := http.Get(strings.TrimSuffix(f.url, server.BasePath) + "/readyz")
		if err != nil {
			return false
		}
		defer answer.Body.Close()
		return answer.StatusCode == http.StatusOK
	})
}

// A program of before step 35 leaves counting to triggers, which step 37 drops: it would go on, and count nothing.
func TestNoRunOfStepsLeavesAProgramOfBeforeMiscounting(t *testing.T) {
	databaseURL := newDatabase(t, "ENCODING 'UTF8'")
	program, err := store.Open(databaseURL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrations.UpTo(t.Context(), program.SQL(), 34); err != nil {
		t.Fatal(err)
	}
	t.Setenv("BIZFIN_DATABASE_URL", databaseURL)
	up := func() error {
		_, err := bizfin(t.Context(), "migrate", "up")
		return err
	}
	stepTaken := func() int64 {
		taken, _, err := migrations.State(t.Context(), program.SQL())
		if err != nil {
			t.Fatal(err)
		}
		return taken
	}
	if err := up(); !errors.Is(err, migrations.ErrProgramsBehind) || stepTaken() != 34 {
		t.Errorf("beside a program of step 34: %v and step %d, want ErrProgramsBehind and 34", err, stepTaken())
	}
	if _, err := migrations.UpTo(t.Context(), program.SQL(), 35); err != nil {
		t.Fatal(err)
	}
	if err := up(); err != nil {
		t.Errorf("beside a program of step 35: %v", err)
	}
}

// Once nobody is connected, steps are taken from wherever the schema is.
func TestStepsAreTakenOnceProgramsAreStopped(t *testing.T) {
	databaseURL := newDatabase(t, "ENCODING 'UTF8'")
	program, err := store.Open(databaseURL, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := migrations.UpTo(t.Context(), program.SQL(), 34); err != nil {
		t.Fatal(err)
	}
	program.Close()
	t.Setenv("BIZFIN_DATABASE_URL", databaseURL)
	for deadline := time.Now().Add(time.Minute); ; { // a backend ends a moment after its connection
		_, err := bizfin(t.Context(), "migrate", "up")
		if err == nil {
			break
		}
		if !errors.Is(err, migrations.ErrProgramsBehind) || time.Now().After(deadline) {
			t.Fatal(err)
		}
	}
}

// Until step 35 triggers count rows, and afterwards the program does: a program that is taken before its step would
// count each row twice, for good.
func TestAProgramAheadOfItsSchemaWritesNothing(t *testing.T) {
	db, err := store.Open(newDatabase(t, "ENCODING 'UTF8'"), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, now := t.Context(), time.Now()
	_, err = migrations.UpTo(ctx, db.SQL(), 34)
	must(err)
	must(db.CreatePartner(ctx, now, "ahead", "Ahead", nil))
	connected, err := db.Connect(ctx, now, store.Connection{PartnerID: "ahead", Subject: "ana",
		Businesses: []store.Business{{ID: "b", Name: "B", Role: store.RoleOwner}}})
	must(err)
	o := db.Organization(connected.Organizations[0].OrganizationID)
	accounts, err := o.UploadAccounts(ctx, now, connected.Organizations[0].SourceID,
		[]store.AccountUpload{{ExternalID: "a", Name: "A", Type: "depository", Currency: "USD"}})
	must(err)
	rows := []store.TransactionUpload{{ExternalID: "1", Amount: -100, Description: "COFFEE", Date: "2026-01-01"}}
	if _, err := o.UploadTransactions(ctx, now, accounts[0].ID, rows); err == nil {
		t.Error("an upload was accepted on the schema before")
	}
	_, err = migrations.Up(ctx, db.SQL())
	must(err)
	_, err = o.UploadTransactions(ctx, now, accounts[0].ID, rows)
	must(err)
	must(storetest.CountsAreExact(ctx, db.SQL()))
}
