package apitest

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/uuid"

	"bizfin/store/storetest"
)

// How many requests are made, and from which number. "make test" makes 8,000, and "make abuse" 200,000.
const (
	abuseRequests = "BIZFIN_TEST_ABUSE"
	abuseSeed     = "BIZFIN_TEST_ABUSE_SEED"
)

// setting is a number from the environment.
func setting(t testing.TB, name string, fallback uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// TestAbuse sends requests made from the document, most of them broken: over HTTP and as tools of agents. No answer is
// a failure, every answer is one that the document describes, none shows anything of another business, and a refusal
// has written nothing.
func TestAbuse(t *testing.T) {
	t.Parallel()
	const (
		side          = 2    // so many callers at once
		ofOneBusiness = 2000 // requests: what it has grows, and all of it is looked at after each write
	)
	requests, seed := setting(t, abuseRequests, 2_000), setting(t, abuseSeed, rand.Uint64())
	t.Logf("%s=%d makes the same requests again", abuseSeed, seed)
	a := start(t)
	victim := a.open()
	mark := "mark-" + uuid.NewString()
	others := victim.furnishMarked(mark)
	untouched := victim.stored()

	var statuses tally
	t.Run("callers", func(t *testing.T) {
		for stream := range uint64(side) {
			t.Run(fmt.Sprint(stream), func(t *testing.T) {
				t.Parallel()
				abuser := newAbuser(seed, stream, others, victim.organization)
				for left := requests / side; left > 0 && !t.Failed(); {
					some := min(left, ofOneBusiness)
					left -= some
					o := a.in(t).open()
					abuser.own, abuser.organization = o.furnish(), o.organization
					attack{o, abuser, o.oauth(o.person), mark, &statuses}.run(t, some)
				}
			})
		}
	})
	if got := victim.stored(); got != untouched {
		t.Errorf("another business has changed:\n%s\nwas\n%s", got, untouched)
	}
	t.Logf("answers by status: %s", &statuses)
	for _, status := range []int{200, 400, 403, 404, 422} {
		if statuses.of(status) < int(requests)/1000 {
			t.Errorf("%d answers of %d: the requests try little", statuses.of(status), status)
		}
	}
}

// attack is one caller's.
type attack struct {
	*office
	*abuser
	opaque   string // the same person's token for agents
	mark     string
	statuses *tally
}

func (a attack) run(t *testing.T, requests uint64) {
	before := a.stored()
	for i := uint64(0); i < requests && !t.Failed(); i++ {
		if a.IntN(10) == 0 {
			tool, arguments := a.arguments()
			a.judge(t, a.tool(tool, arguments), fmt.Sprintf("tool %q %s", tool, literal(arguments)))
			if tool == "answerOutstandingIssue" { // the one tool that writes
				before = a.stored()
			}
			continue
		}
		r := a.next()
		got := (&caller{api: a.api, header: a.header}).abuse(r)
		a.judge(t, got, r.String())
		if got.status == 200 && r.bodyIsBroken {
			t.Errorf("took what is no JSON: %s", r)
		}
		if !r.writes {
			continue
		}
		after := a.stored()
		if got.status != 200 && after != before {
			t.Errorf("%d has written:\n%s\nwas\n%s\n%s", got.status, after, before, r)
		}
		before = after
		if r.operation == "deleteAccount" && got.status == 200 {
			a.post("/auth/partner", nil).want(200) // the source went with its last account
			a.own.account = a.uploadAccount(fmt.Sprint("again-", i))
			before = a.stored()
		}
	}
}

// judge fails the test where an answer is a failure, or shows what it must not.
func (a attack) judge(t *testing.T, got answer, asked string) {
	t.Helper()
	a.statuses.add(got.status)
	if got.status >= 500 {
		t.Errorf("%d: %s\n%s", got.status, got.body, asked)
	}
	if bytes.Contains(got.body, []byte(a.mark)) {
		t.Errorf("an answer shows another business: %s\n%s", got.body, asked)
	}
	if t.Failed() {
		t.Logf("after %s", asked)
	}
}

// tool calls a tool with arguments of any form.
func (a attack) tool(name string, arguments any) answer {
	params := json.RawMessage(fmt.Sprintf(`{"name":%s,"arguments":%s}`, literal(strings.ToValidUTF8(name, "?")),
		literal(arguments)))
	if !json.Valid(params) {
		params = json.RawMessage(`{"name":"getProfile"}`)
	}
	return a.rpc(bearing(a.opaque), "tools/call", params)
}

// furnishMarked is furnish, with a mark in every text that a business has.
func (o *office) furnishMarked(mark string) ids {
	o.t.Helper()
	in := o.furnish()
	for _, statement := range []string{
		`UPDATE organizations SET name = $2 WHERE id = $1`,
		`UPDATE accounts SET name = $2 WHERE organization_id = $1`,
		`UPDATE transactions SET description = $2, merchant = $2, context = $2 WHERE organization_id = $1`,
		`UPDATE counterparties SET name = $2, aliases = ARRAY[$2] WHERE organization_id = $1`,
		`UPDATE outstanding_issues SET question = $2, why = $2 WHERE organization_id = $1`,
	} {
		if _, err := o.db.SQL().Exec(statement, o.organization, mark); err != nil {
			o.t.Fatal(err)
		}
	}
	return in
}

// everyRow reads all that is stored of a business, a line for each table but those of counts, which are added up at any
// time and follow from the rows. It is planned once for a connection: that takes longer than reading.
var everyRow = sync.OnceValues(func() (*sql.Stmt, error) {
	var tables string
	err := storetest.DB(nil).SQL().QueryRow(`
		SELECT string_agg(table_name, ' ')
		FROM information_schema.columns
		WHERE table_schema = 'public'
		  AND column_name = 'organization_id'
		  AND table_name NOT IN ('transaction_counts', 'transaction_counts_added', 'counterparty_counts',
		    'counterparty_counts_added')`).Scan(&tables)
	var parts []string
	for _, table := range strings.Fields(tables) {
		parts = append(parts, fmt.Sprintf(`
			SELECT '%[1]s' AS name, count(*) AS rows, md5(coalesce(string_agg(t::text, ',' ORDER BY t::text),
			  '')) AS sum
			FROM %[1]s t
			WHERE organization_id = $1`, table))
	}
	if err != nil {
		return nil, err
	}
	return storetest.DB(nil).SQL().Prepare(
		"SELECT string_agg(name || ' ' || rows || ' ' || sum, E'\\n' ORDER BY name) FROM (" +
			strings.Join(parts, " UNION ALL ") + ") t")
})

// stored is what the database holds of the business: another text where anything is another.
func (o *office) stored() string {
	o.t.Helper()
	statement, err := everyRow()
	o.must(err)
	var sums string
	o.must(statement.QueryRow(o.organization).Scan(&sums))
	return sums
}

// tally counts answers by status.
type tally struct{ counts [600]atomic.Int64 }

func (s *tally) add(status int)    { s.counts[status].Add(1) }
func (s *tally) of(status int) int { return int(s.counts[status].Load()) }

func (s *tally) String() string {
	seen := map[int]int{}
	for status := range s.counts {
		if n := s.of(status); n > 0 {
			seen[status] = n
		}
	}
	var parts []string
	for _, status := range slices.Sorted(maps.Keys(seen)) {
		parts = append(parts, fmt.Sprintf("%d: %d", status, seen[status]))
	}
	return strings.Join(parts, ", ")
}
