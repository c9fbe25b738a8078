package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	client "bizfin.example/client"
	"bizfin/internal/partnertoken"
)

// TestCitus runs two API and two worker processes on a Citus of a coordinator and two worker nodes and on a Redis
// Cluster. While everybody writes and reads it kills one node or the other at random, or stops all of its processes,
// which then give no answer, leaves it so for a while, brings it back, and compares what is stored with what was
// acknowledged.
func TestCitus(t *testing.T) {
	askedForCluster(t)
	database := startCitus(t)
	database.spread()
	queue := startRedisCluster(t)
	p := startParted(t, database, queue.url())
	p.during("nothing", nil, func() {})
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv(faultsSeed); text != "" {
		_, err := fmt.Sscan(text, &seed)
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range rounds {
		for _, how := range []string{nodeKilled, nodeHangs} {
			lost := database.workers[random.IntN(len(database.workers))]
			// In the middle of something else each time.
			<-time.After(time.Duration(random.Int64N(int64(betweenUploads))))
			if how == nodeKilled {
				p.during(how, lost, func() { database.lose(lost) })
				database.bringBack(lost)
			} else {
				goOn := func() {}
				p.during(how, lost, func() { goOn = database.hang(lost) })
				goOn()
			}
			p.during(nodeBack, nil, func() {})
		}
	}
	p.end()
}

const (
	rounds      = 2
	nodeKilled  = "a node killed"
	nodeHangs   = "a node hangs"
	nodeBack    = "it is back"
	phaseLasts  = 20 * time.Second
	onEachNode  = 3 // businesses
	rowsAtATime = 20
	// so that a worker keeps up on a small machine: what came last is decided first
	betweenUploads = 500 * time.Millisecond
)

// parted is the service on a spread database, and businesses on each of its nodes.
type parted struct {
	*faults
	database   *spreadDatabase
	businesses []*partedBusiness
	mu         sync.Mutex
	phase      string
	lost       *backend // nil while none is
	phases     []string
	answers    map[string]*answersOf // by phase, what was asked, and where
	stop       func()
	running    sync.WaitGroup
}

// partedBusiness is one with a model of its rows.
type partedBusiness struct {
	*client.ClientWithResponses
	id, account  uuid.UUID
	node         *backend
	sent         int             // rows, those that were not acknowledged included
	acknowledged map[string]bool // external ids
	last         string          // the id of the row that was acknowledged last
}

// answersOf are those to one kind of request in a phase.
type answersOf struct {
	took   timings // of those that were well
	all    timings
	status map[int]int
}

func startParted(t *testing.T, database *spreadDatabase, redisURL string) *parted {
	t.Helper()
	p := &parted{faults: &faults{t: t, month: 1_000_000}, database: database, answers: map[string]*answersOf{}}
	addresses := []string{freeAddress(t), freeAddress(t)}
	front := newProxy(t, addresses...)
	databaseURL := database.coordinator.stack.DatabaseURL
	env := append(p.prepare(databaseURL, front.listener.Addr().String()), "BIZFIN_REDIS_URL="+redisURL,
		"BIZFIN_DATABASE_URL="+databaseURL)
	for _, address := range addresses {
		startProgram(t, "serve", append(slices.Clone(env), "BIZFIN_ADDR="+address)...)
	}
	for range 2 {
		p.workers = append(p.workers, startProgram(t, "work", env...))
	}
	on := map[*backend]int{}
	for i := 0; on[database.workers[0]] < onEachNode || on[database.workers[1]] < onEachNode; i++ {
		if b := p.begin(fmt.Sprint("business-", i)); on[b.node] < onEachNode {
			p.businesses = append(p.businesses, b)
			on[b.node]++
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	p.stop = stop
	t.Cleanup(func() {
		stop()
		p.running.Wait()
	})
	for _, b := range p.businesses {
		p.running.Go(func() { p.write(ctx, b) })
	}
	p.running.Go(func() { p.connectNew(ctx) })
	return p
}

// begin connects a business that pays, with an account.
func (p *parted) begin(name string) *partedBusiness {
	p.t.Helper()
	b := &partedBusiness{ClientWithResponses: p.as(name, "paid"), acknowledged: map[string]bool{}}
	p.wait("the API answers", time.Minute, func() bool {
		answer, err := b.ConnectPartnerWithResponse(p.t.Context(),
			&client.ConnectPartnerParams{XServicePartner: p.flow.partner.PartnerID})
		return err == nil && answer.JSON200 != nil
	})
	connected := p.flow.connect(b.ClientWithResponses)
	b.id, b.node = *connected.OrganizationId, p.database.nodeOf(*connected.OrganizationId)
	uploaded, err := b.UploadAccountsWithResponse(p.t.Context(), b.id, nil, client.AccountUpload{
		SourceId: *connected.SourceId, Accounts: []client.UploadedAccount{{ExternalId: "a", Name: "A",
			Type: client.AccountTypeDepository, Currency: "USD", CurrentBalance: "0"}}})
	if err != nil || uploaded.JSON200 == nil {
		p.t.Fatalf("accounts: %v %s", err, uploaded.Body)
	}
	b.account = uploaded.JSON200.Accounts[0].Id
	return b
}

// amount is that of a row by its number, in currency units.
func (b *partedBusiness) amount(number int) json.Number {
	return json.Number(fmt.Sprintf("-%d.%02d", 1+number/100, number%100))
}

// write uploads new rows and some of before, and reads a list and the cash flow, one after the other.
func (p *parted) write(ctx context.Context, b *partedBusiness) {
	for ctx.Err() == nil {
		var body client.TransactionUpload
		for i := range rowsAtATime {
			number := b.sent + i
			if i < rowsAtATime/4 && b.sent > 0 {
				number = (b.sent/2 + i) % b.sent
			}
			body.Transactions = append(body.Transactions, client.UploadedTransaction{
				ExternalId: fmt.Sprint("t-", number), Amount: b.amount(number),
				Date:        fmt.Sprintf("2026-03-%02d", 1+number%28),
				Description: faultLines[number%len(faultLines)]})
		}
		b.sent += rowsAtATime
		p.ask("upload", b, func() (int, http.Header, error) {
			answer, err := b.UploadTransactionsWithResponse(context.Background(), b.id, b.account, nil, body)
			if err != nil {
				return 0, nil, err
			}
			if answer.JSON200 != nil {
				p.mu.Lock()
				for _, row := range answer.JSON200.Transactions {
					b.acknowledged[row.ExternalId], b.last = true, row.Id.String()
				}
				p.mu.Unlock()
			}
			return answer.StatusCode(), answer.HTTPResponse.Header, nil
		})
		p.ask("list", b, func() (int, http.Header, error) {
			answer, err := b.SearchTransactionsWithResponse(context.Background(), b.id,
				&client.SearchTransactionsParams{})
			if err != nil {
				return 0, nil, err
			}
			return answer.StatusCode(), answer.HTTPResponse.Header, nil
		})
		<-time.After(betweenUploads)
	}
}

// connectNew connects one new business after the other.
func (p *parted) connectNew(ctx context.Context) {
	for i := 0; ctx.Err() == nil; i++ {
		name := fmt.Sprint("new-", i)
		c := p.flow.withTier("paid", name, partnertoken.Business{ID: name, Name: name, Role: "owner"})
		p.ask("connect", nil, func() (int, http.Header, error) {
			answer, err := c.ConnectPartnerWithResponse(context.Background(),
				&client.ConnectPartnerParams{XServicePartner: p.flow.partner.PartnerID})
			if err != nil {
				return 0, nil, err
			}
			return answer.StatusCode(), answer.HTTPResponse.Header, nil
		})
		<-time.After(200 * time.Millisecond)
	}
}

// ask notes how a request is answered, and that 503 says when to come again.
func (p *parted) ask(what string, b *partedBusiness, request func() (int, http.Header, error)) {
	p.mu.Lock()
	phase, where := p.phase, "anywhere"
	switch {
	case b != nil && b.node == p.lost:
		where = "there"
	case b != nil:
		where = "elsewhere"
	}
	p.mu.Unlock()
	began := time.Now()
	status, header, err := request()
	took := time.Since(began)
	if status == http.StatusServiceUnavailable && header.Get("Retry-After") == "" {
		p.t.Errorf("%s %s while %s: 503 without Retry-After", what, where, phase)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	key := phase + "\t" + what + "\t" + where
	of := p.answers[key]
	if of == nil {
		of = &answersOf{status: map[int]int{}}
		p.answers[key] = of
	}
	of.all.each = append(of.all.each, took)
	if of.status[status]++; err == nil && status == http.StatusOK {
		of.took.each = append(of.took.each, took)
	}
}

// during does something, and has everybody go on for a while after it, with a node away or with all.
func (p *parted) during(name string, lost *backend, do func()) {
	p.t.Helper()
	p.mu.Lock()
	p.phase, p.lost = name, lost
	if !slices.Contains(p.phases, name) {
		p.phases = append(p.phases, name)
	}
	p.mu.Unlock()
	do()
	<-time.After(phaseLasts)
	began := time.Now()
	for _, b := range p.businesses {
		if b.node == lost {
			continue
		}
		p.mu.Lock()
		last := b.last
		p.mu.Unlock()
		until(p.t, "while "+name+" rows are processed", func() bool {
			var processing string
			err := p.db.SQL().QueryRow(`
				SELECT processing
				FROM transactions
				WHERE organization_id = $1
				  AND id = $2`, b.id, last).Scan(&processing)
			return err == nil && processing == "processed"
		})
	}
	p.t.Logf("while %s, what was acknowledged last elsewhere was processed %v later", name,
		time.Since(began).Round(time.Millisecond))
}

// end compares, and prints how each kind of request was answered in each phase.
func (p *parted) end() {
	p.t.Helper()
	p.stop()
	p.running.Wait()
	p.t.Logf("processed %v after the last write", p.drain().Round(time.Millisecond))
	for _, node := range p.database.workers {
		p.database.finished(node)
	}
	for _, b := range p.businesses {
		p.compareRows(b)
	}
	p.t.Log(p.table())
	for _, how := range []string{nodeKilled, nodeHangs} {
		for _, what := range []string{"upload", "list"} {
			p.judge(how, what)
		}
		connected := p.answers[how+"\tconnect\tanywhere"]
		if connected.status[http.StatusOK] == 0 {
			p.t.Errorf("no new business connected while %s", how)
		}
		for status, n := range connected.status {
			if status != http.StatusOK && status != http.StatusServiceUnavailable {
				p.t.Errorf("%d connections while %s were answered %d", n, how, status)
			}
		}
	}
}

// judge holds what was answered while a node was away against what was before.
func (p *parted) judge(how, what string) {
	p.t.Helper()
	away := p.answers[how+"\t"+what+"\telsewhere"]
	for status, n := range away.status {
		if status != http.StatusOK {
			p.t.Errorf("%s elsewhere while %s: %d answers of %d", what, how, n, status)
		}
	}
	all := timings{each: slices.Concat(p.answers["nothing\t"+what+"\telsewhere"].took.each,
		p.answers[nodeBack+"\t"+what+"\telsewhere"].took.each)}
	if was, is := all.at(99), away.took.at(99); is > 2*was {
		p.t.Errorf("%s elsewhere while %s: p99 %v, with all nodes %v", what, how, is, was)
	}
	there := p.answers[how+"\t"+what+"\tthere"]
	if there.status[http.StatusServiceUnavailable] == 0 {
		p.t.Errorf("%s there while %s: no 503", what, how)
	}
	if n := there.status[0]; n > 0 {
		p.t.Errorf("%s there while %s: %d without an answer", what, how, n)
	}
	const limit = 30 * time.Second // a request's, unless the settings say otherwise
	if longest := there.all.at(100); longest > limit {
		p.t.Errorf("%s there while %s: answered after %v", what, how, longest)
	}
}

// compareRows finds each acknowledged row once and as it was sent, and none that was never sent.
func (p *parted) compareRows(b *partedBusiness) {
	p.t.Helper()
	rows, err := p.db.SQL().Query(`
		SELECT external_id, count(*), min(amount), max(amount), min(processing), max(processing)
		FROM transactions
		WHERE organization_id = $1
		  AND deleted_at IS NULL
		GROUP BY external_id`, b.id)
	if err != nil {
		p.t.Fatal(err)
	}
	defer rows.Close()
	stored := map[string]bool{}
	for rows.Next() {
		var id, least, most string
		var n, number int
		var smallest, largest int64
		if err := rows.Scan(&id, &n, &smallest, &largest, &least, &most); err != nil {
			p.t.Fatal(err)
		}
		if _, err := fmt.Sscanf(id, "t-%d", &number); err != nil || number >= b.sent {
			p.t.Errorf("%s is stored and was never sent", id)
		}
		cents := -(int64(1+number/100)*100 + int64(number%100))
		if n != 1 || smallest != cents || least != "processed" || most != "processed" {
			p.t.Errorf("%s is stored %d times as %d to %d cents, %s; want once, %d", id, n, smallest, largest, least,
				cents)
		}
		stored[id] = true
	}
	if err := rows.Err(); err != nil {
		p.t.Fatal(err)
	}
	for id := range b.acknowledged {
		if !stored[id] {
			p.t.Errorf("%s was acknowledged and is not stored", id)
		}
	}
	p.t.Logf("a business on %s: %d rows acknowledged, %d stored", passwordless(p.t, b.node.stack.DatabaseURL),
		len(b.acknowledged), len(stored))
}

// table is one line for each kind of request in each phase.
func (p *parted) table() string {
	var text strings.Builder
	fmt.Fprintf(&text, "\n%-16s %-8s %-10s %-52s %s\n", "while", "what", "business", "answered 200",
		"longest, by status; 0: none")
	for _, phase := range p.phases {
		for _, what := range []string{"upload\telsewhere", "upload\tthere", "list\telsewhere", "list\tthere",
			"connect\tanywhere"} {
			of := p.answers[phase+"\t"+what]
			if of == nil {
				continue
			}
			kind, where, _ := strings.Cut(what, "\t")
			fmt.Fprintf(&text, "%-16s %-8s %-10s %-52v %v %v\n", phase, kind, where, &of.took,
				of.all.at(100).Round(time.Millisecond), of.status)
		}
	}
	return text.String()
}
