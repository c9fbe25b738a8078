package apitest

import (
	"context"
	"database/sql"
	"fmt"
	"regexp"
	"strings"
	"sync"
	"testing"

	"bizfin/store/storetest"
)

// While the rows of businesses move to another node of a spread database, and while one gets shards of its own, all
// that is read is what was read before, and who wrote something finds it at once.
func TestNobodyReadsLessWhileShardsMove(t *testing.T) {
	if !storetest.OnCitus() {
		t.Skip("NOT TRIED: it needs a Citus")
	}
	db := storetest.DB(t).SQL()
	a := shared(t)
	resting, writing := a.open(), a.open()
	for shardOf(t, db, writing.organization) != shardOf(t, db, resting.organization) {
		writing = a.open() // the other with the same shard: both move
	}
	account := resting.uploadAccount("a")
	var rows []M
	for i := range 60 {
		rows = append(rows, transaction(fmt.Sprint("t", i), fmt.Sprintf("-%d.07", i+1),
			fmt.Sprintf("2026-03-%02d", 1+i%28),
			"SHELL OIL 57444212300 AUSTIN TX"))
	}
	resting.upload(account, rows...)
	resting.process(1000)
	reads := []string{"/transactions?limit=50", "/transactions?query=shell&limit=20", "/accounts",
		"/reports/cashflow?startDate=2026-03-01&endDate=2026-03-31",
		"/outstanding-issues", "/counterparties"}
	before := map[string]string{}
	for _, read := range reads {
		before[read] = withoutCount(resting.get(resting.path + read).want(200))
	}

	ctx, stop := context.WithCancel(t.Context())
	var reading sync.WaitGroup
	counted := make([]int, len(reads)+1)
	for i, read := range reads {
		reading.Go(func() {
			for ; ctx.Err() == nil; counted[i]++ {
				got := resting.get(resting.path + read)
				if got.status != 200 || withoutCount(got) != before[read] {
					t.Errorf("%s: %d %s%s, before %s", read, got.status, got.body, got.cause(), before[read])
					return
				}
			}
		})
	}
	written := writing.uploadAccount("w")
	reading.Go(func() {
		for ; ctx.Err() == nil; counted[len(reads)]++ {
			id := fmt.Sprint("w", counted[len(reads)])
			got := writing.sendTransactions(written, transaction(id, "-1.00", "2026-03-01", "COFFEE"))
			if got.status == 503 && got.header.Get("Retry-After") != "" {
				continue // it waited for the move
			}
			row := got.want(200).text("transactions", 0, "id")
			writing.get(writing.path + "/transactions/" + row).want(200)
		}
	})
	for _, how := range []string{"force_logical", "block_writes"} {
		move(t, db, resting.organization, how)
		t.Logf("moved by %s; reads %v", how, counted)
	}
	_, err := db.Exec(`SELECT isolate_tenant_to_new_shard('transactions', $1::uuid, 'CASCADE',
		shard_transfer_mode => 'block_writes')`, resting.organization)
	a.must(err)
	move(t, db, resting.organization, "force_logical")
	stop()
	reading.Wait()
	t.Logf("reads %v", counted)
	for i, n := range counted {
		if n == 0 {
			t.Errorf("nothing was read by %v", append(reads, "the one who writes")[i])
		}
	}
}

// withoutCount is an answer's body without how many there are, which is said inexactly where it takes long to count.
func withoutCount(a answer) string {
	return totalMatched.ReplaceAllString(string(a.body), "")
}

var totalMatched = regexp.MustCompile(`"totalMatched(IsExact)?":\w+,`)

func shardOf(t *testing.T, db *sql.DB, organization string) (shard int64) {
	t.Helper()
	err := db.QueryRow(`SELECT get_shard_id_for_distribution_column('transactions', $1::uuid)`,
		organization).Scan(&shard)
	if err != nil {
		t.Fatal(err)
	}
	return shard
}

// move takes the shards of a business to another node.
func move(t *testing.T, db *sql.DB, organization, how string) {
	t.Helper()
	_, err := db.Exec(`
		SELECT citus_move_shard_placement(p.shardid, n.nodename, n.nodeport, other.nodename, other.nodeport,
		         shard_transfer_mode => $2::citus.shard_transfer_mode)
		FROM pg_dist_placement p
		JOIN pg_dist_node n ON n.groupid = p.groupid
		JOIN pg_dist_node other ON other.groupid NOT IN (0, p.groupid)
		WHERE p.shardid = $1
		LIMIT 1`, shardOf(t, db, organization), how)
	if err != nil {
		t.Fatal(err)
	}
}

// Whose an account is is asked of both ways at once: where all of it came in, an owner's words are read as of such
// money.
func TestWhatCameFromAnAppIsReadAsMoneyThatCameIn(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, numbered("cashout", 3, "412.50", "VENMO DES:CASHOUT ID:10273%d2784")...)
	o.process(0)
	q := o.questionAbout("payment service")
	o.answerIssue(q.id, "small logo animation job, paid on Venmo", nil).want(200).wantAt("accepted", "status")
	if got := o.partsOf(ids["cashout-0"]); got[0] != "user" || !strings.HasPrefix(got[1], "revenue.sales") {
		t.Errorf("a job that was paid is %q", got)
	}
}
