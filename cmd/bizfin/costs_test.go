package main

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	client "bizfin.example/client"
	"bizfin/internal/devstack"
	"bizfin/internal/partnertoken"
)

// costsAsked says for how many rows the costs of docs/scaling.md are measured: `make costs`.
const costsAsked = "BIZFIN_TEST_COSTS"

// TestCosts prints what a row and a read cost each process: CPU, which a busy machine does not make longer, and what
// PostgreSQL writes. It judges nothing.
func TestCosts(t *testing.T) {
	rows, _ := strconv.Atoi(os.Getenv(costsAsked))
	if rows == 0 || runtime.GOOS != "linux" {
		t.Skip("make costs runs it, on Linux")
	}
	c := startCosts(t)
	const businesses, batch = 20, 500
	clients := make([]*client.ClientWithResponses, businesses)
	organizations, accounts := make([]uuid.UUID, businesses), make([]uuid.UUID, businesses)
	for i := range businesses {
		b := partnertoken.Business{ID: fmt.Sprint(i), Name: "B", Role: "owner"}
		clients[i] = c.flow.as(fmt.Sprint("owner-", i), b)
		connected, account := c.flow.begin(fmt.Sprint("owner-", i), b)
		organizations[i], accounts[i] = *connected.OrganizationId, account
	}
	batches := max(1, rows/businesses/batch)
	upload := func() {
		var running sync.WaitGroup
		for client := range 4 {
			running.Go(func() {
				for i := client; i < businesses; i += 4 {
					for n := range batches {
						body := yearOf(n*batch, batch)
						got, err := clients[i].UploadTransactionsWithResponse(t.Context(), organizations[i],
							accounts[i], nil, body)
						if err != nil || got.JSON200 == nil {
							t.Errorf("upload: %v", err)
							return
						}
					}
				}
			})
		}
		running.Wait()
	}
	all := businesses * batches * batch
	c.measure("a row uploaded", all, upload)
	c.measure("a row uploaded again, unchanged", all, upload)
	c.worker = startProgram(t, "work", c.env...)
	c.measure("a row processed", all, c.settle)
	const reads = 400
	read := func(name string, do func(i int) bool) {
		c.measure(name, reads, func() {
			for n := range reads {
				if !do(n % businesses) {
					t.Fatalf("%s was not answered", name)
				}
			}
		})
	}
	limit, word := 50, "gusto"
	read("a list of 50 rows", func(i int) bool {
		got, err := clients[i].SearchTransactionsWithResponse(t.Context(), organizations[i],
			&client.SearchTransactionsParams{Limit: &limit})
		return err == nil && got.JSON200 != nil
	})
	read("a search for a common word", func(i int) bool {
		got, err := clients[i].SearchTransactionsWithResponse(t.Context(), organizations[i],
			&client.SearchTransactionsParams{Limit: &limit, Query: &word})
		return err == nil && got.JSON200 != nil
	})
	t.Logf("%d rows of %d businesses; CPU in microseconds, the rest in bytes\n%s", all, businesses, c.table.String())
}

// costs is a service whose processes are looked at.
type costs struct {
	*faults
	env    []string
	worker *program
	table  strings.Builder
}

func startCosts(t *testing.T) *costs {
	c := &costs{faults: &faults{t: t, month: 1 << 40}}
	c.postgres = startBackend(t, newFolder(t), devstack.Config{RedisURL: "redis://elsewhere"})
	c.redis = startBackend(t, newFolder(t), devstack.Config{DatabaseURL: "postgres://elsewhere"})
	if t.Failed() {
		t.FailNow()
	}
	address := freeAddress(t)
	c.env = append(c.prepare(c.postgres.stack.DatabaseURL, address), "BIZFIN_ADDR="+address,
		"BIZFIN_DATABASE_URL="+c.postgres.stack.DatabaseURL, "BIZFIN_REDIS_URL="+c.redis.stack.RedisURL)
	c.flow.timeout = 0
	c.api = startProgram(t, "serve", c.env...)
	until(t, "the API answers", func() bool {
		answer, err := c.flow.as("first").ConnectPartnerWithResponse(t.Context(),
			&client.ConnectPartnerParams{XServicePartner: c.flow.partner.PartnerID})
		return err == nil && answer.HTTPResponse != nil
	})
	fmt.Fprintf(&c.table, "%-34s %8s %8s %10s %8s %8s %8s\n", "", "API", "worker", "PostgreSQL", "WAL", "written",
		"kept")
	return c
}

// settle waits until nothing is left to be worked on.
func (c *costs) settle() {
	c.wait("everything is processed and summed", 20*time.Minute, func() bool {
		var left int
		err := c.db.SQL().QueryRow(`
			SELECT (SELECT count(*) FROM pending_work) + (SELECT count(*) FROM report_dirty)
			     + (SELECT count(*) FROM words_added)`).Scan(&left)
		return err == nil && left == 0
	})
}

// spent is what was used until now: CPU time by process, and bytes.
type spent struct {
	api, worker, postgres time.Duration
	log, written, kept    int64
}

// measure adds a line of what one of many things cost.
func (c *costs) measure(name string, of int, do func()) {
	c.t.Helper()
	before := c.spent()
	do()
	after := c.spent()
	each := func(from, to time.Duration) string {
		return fmt.Sprintf("%.1f", float64((to-from).Microseconds())/float64(of))
	}
	bytes := func(from, to int64) int64 { return (to - from) / int64(of) }
	fmt.Fprintf(&c.table, "%-34s %8s %8s %10s %8d %8d %8d\n", name, each(before.api, after.api),
		each(before.worker, after.worker), each(before.postgres, after.postgres), bytes(before.log, after.log),
		bytes(before.written, after.written), bytes(before.kept, after.kept))
}

func (c *costs) spent() (s spent) {
	s.api = processorTime(c.t, c.api.running.Process.Pid, false)
	if c.worker != nil {
		s.worker = processorTime(c.t, c.worker.running.Process.Pid, false)
	}
	for i, process := range c.postgres.postgresProcesses() {
		s.postgres += processorTime(c.t, process, i == 0)
		s.written += writtenBy(process)
	}
	err := c.db.SQL().QueryRow(`
		SELECT pg_current_wal_lsn() - '0/0'::pg_lsn, pg_database_size(current_database())`).Scan(&s.log, &s.kept)
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

// processorTime is what a process has used, with those of its children that have ended where they count.
func processorTime(t *testing.T, pid int, withEnded bool) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0 // it has ended
	}
	_, after, _ := strings.Cut(string(text), ") ") // its name may hold anything
	fields := strings.Fields(after)
	const user, system, endedUser, endedSystem, tick = 11, 12, 13, 14, 10 * time.Millisecond
	count := []int{user, system}
	if withEnded {
		count = append(count, endedUser, endedSystem)
	}
	var ticks int64
	for _, field := range count {
		n, err := strconv.ParseInt(fields[field], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		ticks += n
	}
	return time.Duration(ticks) * tick
}

// writtenBy is how many bytes a process has sent towards the disk, of itself alone.
func writtenBy(pid int) (bytes int64) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/io", pid))
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(text), "\nwrite_bytes: ")
	number, _, _ := strings.Cut(after, "\n")
	bytes, _ = strconv.ParseInt(number, 10, 64)
	return bytes
}

// yearOf is a batch of rows like those of a bank, over a year.
func yearOf(first, rows int) (body client.TransactionUpload) {
	day := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	for i := first; i < first+rows; i++ {
		body.Transactions = append(body.Transactions, client.UploadedTransaction{
			ExternalId: fmt.Sprint("year-", i), Amount: json.Number(fmt.Sprintf("-%d.%02d", 1+i%400, i%100)),
			Date:        day.AddDate(0, 0, i%365).Format(time.DateOnly),
			Description: fmt.Sprint(faultLines[i%len(faultLines)], " ", i),
		})
	}
	return body
}
