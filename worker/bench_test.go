package worker_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// BenchmarkDrain processes a backlog that uploads left, one account at a time and without the queue. It compares with
// the rate of the uploads themselves, in the batches that the contract allows and without HTTP, and with that of bare
// updates of as many equal rows: PostgreSQL writing what a decided row has in its columns and indexes, and nothing
// else.
func BenchmarkDrain(b *testing.B) {
	const perAccount, perUpload = 5_000, 500
	s, w := open(b, "paid"), worker.New(config(b, frozen))
	rows := 0
	var uploading, processing, updating time.Duration
	backlog := func(name string) (work store.Event, took time.Duration) {
		s.account = s.addAccount(fmt.Sprint(name, rows))
		batch := statement(perAccount)
		for i := range batch {
			batch[i].ExternalID = fmt.Sprintf("%s-%d-%d", name, rows, i)
		}
		began := time.Now()
		for part := range slices.Chunk(batch, perUpload) {
			work = s.upload(part...)
		}
		return work, time.Since(began)
	}
	var counterparty uuid.UUID
	for b.Loop() {
		work, took := backlog("processed")
		uploading += took
		began := time.Now()
		must(b, w.ProcessEvent(b.Context(), work))
		processing += time.Since(began)

		_, took = backlog("updated")
		uploading += took
		must(b, storetest.DB(b).SQL().QueryRow(`SELECT id FROM counterparties WHERE organization_id = $1 LIMIT 1`,
			s.ID).Scan(&counterparty))
		began = time.Now()
		for range perAccount / 1000 {
			_, err := storetest.DB(b).SQL().Exec(bareUpdate, s.ID, s.account, counterparty)
			must(b, err)
		}
		updating += time.Since(began)
		rows += perAccount
	}
	// What is kept beside the rows of the bare updates is made anew.
	execute(b, `UPDATE transactions SET updated_at = updated_at WHERE organization_id = $1 AND account_id = $2`, s.ID,
		s.account)
	b.ReportMetric(float64(rows)/processing.Seconds(), "rows/s")
	b.ReportMetric(float64(uploading)/2/float64(processing), "of-upload-rate")
	b.ReportMetric(float64(updating)/float64(processing), "of-bare-update")
}

// bareUpdate writes constants where the worker writes decisions, in a thousand rows.
const bareUpdate = `
	UPDATE transactions
	SET category_id = 31801,
	    category_source = 'merchant',
	    category_confidence = 9500,
	    category_reason = 'bank line to Adobe, outgoing: the dictionary knows what it sells',
	    alternatives = '[]',
	    merchant = 'Adobe',
	    counterparty_id = $3,
	    processing = 'processed',
	    revision = revision + 1,
	    updated_at = now()
	WHERE ctid = ANY (ARRAY (
	  SELECT ctid
	  FROM transactions
	  WHERE organization_id = $1
	    AND account_id = $2
	    AND deleted_at IS NULL
	    AND processing <> 'processed'
	  ORDER BY primary_date DESC, id DESC
	  LIMIT 1000)) /*spread: AND organization_id = $1 */`

// BenchmarkDrainByQueue lets a running worker take a backlog of many accounts from the queue. The accounts of one
// business are processed one after the other, those of several at once.
func BenchmarkDrainByQueue(b *testing.B) {
	b.Run("1-business", func(b *testing.B) { benchmarkQueue(b, 1) })
	b.Run("4-businesses", func(b *testing.B) { benchmarkQueue(b, 4) })
}

func benchmarkQueue(b *testing.B, businesses int) {
	const accounts, perAccount = 20, 1_000
	rows := 0
	var took time.Duration
	for b.Loop() {
		c := config(b, frozen)
		hints := signal(b, c.Redis)
		var shops []shop
		for range businesses {
			shops = append(shops, open(b, "paid"))
		}
		for i := range accounts {
			s := shops[i%businesses]
			s.account = s.addAccount(fmt.Sprint("account-", i))
			batch := statement(perAccount)
			for j := range batch {
				batch[j].ExternalID = fmt.Sprintf("%d-%d", i, j)
			}
			hints.Accepted(b.Context(), s.upload(batch...))
		}
		began := time.Now()
		run(b, c)
		eventually(b, "the backlog is processed", func() bool {
			return !slices.ContainsFunc(shops, func(s shop) bool { return s.events() > 0 })
		})
		took += time.Since(began)
		rows += accounts * perAccount
	}
	b.ReportMetric(float64(rows)/took.Seconds(), "rows/s")
}

// BenchmarkIndexWords indexes the texts of rows after they were processed.
func BenchmarkIndexWords(b *testing.B) {
	const perRound, perUpload = 20_000, 500
	s, w := open(b, "paid"), worker.New(config(b, frozen))
	rows := 0
	var took time.Duration
	for b.Loop() {
		batch := statement(perRound)
		for i := range batch {
			batch[i].ExternalID = fmt.Sprintf("%d-%d", rows, i)
		}
		var work store.Event
		for part := range slices.Chunk(batch, perUpload) {
			work = s.upload(part...)
		}
		must(b, w.ProcessEvent(b.Context(), work))
		began := time.Now()
		for more := true; more; {
			var err error
			more, err = storetest.DB(b).IndexWords(b.Context(), time.Now().Add(time.Hour))
			must(b, err)
		}
		took += time.Since(began)
		rows += perRound
	}
	b.ReportMetric(float64(rows)/took.Seconds(), "rows/s")
}

// BenchmarkLag uploads to four businesses while a worker runs, for twenty seconds at half of the rate at which the
// worker drained a backlog a moment before. It reports the longest time that a business had rows left to process: no
// row waits longer than that.
func BenchmarkLag(b *testing.B) {
	const businesses, perUpload, lasts = 4, 500, 20 * time.Second
	c := config(b, frozen)
	hints := signal(b, c.Redis)
	var shops []shop
	for range businesses {
		shops = append(shops, open(b, "paid"))
	}
	uploads := 0
	next := func() int { return uploads % businesses }
	upload := func() {
		batch := statement(perUpload)
		for i := range batch {
			batch[i].ExternalID = fmt.Sprintf("%d-%d", uploads, i)
		}
		hints.Accepted(b.Context(), shops[next()].upload(batch...))
		uploads++
	}
	for range 40 {
		upload()
	}
	began := time.Now()
	run(b, c)
	eventually(b, "the backlog is processed", func() bool {
		return !slices.ContainsFunc(shops, func(s shop) bool { return s.events() > 0 })
	})
	half := float64(uploads*perUpload) / time.Since(began).Seconds() / 2

	var longest time.Duration
	behind := map[int]time.Time{} // since when a business has rows left
	look := func() bool {
		for i, since := range behind {
			if shops[i].events() == 0 {
				longest = max(longest, time.Since(since))
				delete(behind, i)
			}
		}
		return len(behind) == 0
	}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for b.Loop() {
		began, before := time.Now(), uploads
		for time.Since(began) < lasts {
			for float64((uploads-before)*perUpload) < half*time.Since(began).Seconds() {
				if _, waits := behind[next()]; !waits {
					behind[next()] = time.Now()
				}
				upload()
			}
			<-tick.C
			look()
		}
		eventually(b, "all is processed", look)
	}
	b.ReportMetric(half, "rows/s")
	b.ReportMetric(longest.Seconds(), "longest-lag-s")
	b.ReportMetric(0, "ns/op")
}

// statement are books whose lines carry numbers of their own, as those of banks do: what a line costs in the index of
// words is what it has that no other line has.
func statement(n int) []store.TransactionUpload {
	rows := books(n)
	for i := range rows {
		switch i % 8 {
		case 0, 3:
			rows[i].Description += fmt.Sprintf(" ID:%07dX%05d", (i*7919+13)%9_999_991, i*104_729%99_991)
		case 1, 2, 4, 7:
			rows[i].Description += fmt.Sprintf(" %07d", (i*7919+13)%9_999_991)
		}
	}
	return rows
}

// BenchmarkFairness lets a worker take a backlog of eight businesses, and uploads five rows to a ninth one forty times
// meanwhile: how long these wait, how long a list takes, and how quick the backlog drains.
func BenchmarkFairness(b *testing.B) {
	const businesses, perBusiness, perUpload, uploads = 8, 30_000, 500, 40
	var waits, lists []time.Duration
	rows, took := 0, time.Duration(0)
	for b.Loop() {
		c := config(b, frozen)
		hints := signal(b, c.Redis)
		var shops []shop
		for i := range businesses {
			if i == 0 {
				shops = append(shops, open(b, "paid"))
			} else {
				shops = append(shops, connected(b))
			}
			s := shops[i]
			batch := statement(perBusiness)
			for j := range batch {
				batch[j].ExternalID = fmt.Sprint(j)
			}
			for part := range slices.Chunk(batch, perUpload) {
				hints.Accepted(b.Context(), s.upload(part...))
			}
		}
		rows += businesses * perBusiness
		small := connected(b)
		began := time.Now()
		run(b, c)
		drained := make(chan time.Duration, 1)
		go func() {
			tick := time.NewTicker(20 * time.Millisecond)
			defer tick.Stop()
			for slices.ContainsFunc(shops, func(s shop) bool { return s.events() > 0 }) {
				<-tick.C
			}
			drained <- time.Since(began)
		}()
		look := time.NewTicker(5 * time.Millisecond)
		defer look.Stop()
		for i := range uploads {
			batch := statement(5)
			for j := range batch {
				batch[j].ExternalID = fmt.Sprintf("%d-%d", i, j)
			}
			sent := time.Now()
			hints.Accepted(b.Context(), small.upload(batch...))
			for small.events() > 0 {
				asked := time.Now()
				_, err := small.SearchTransactions(b.Context(), store.TransactionFilter{DateField: store.Primary},
					store.Page{Limit: 20})
				must(b, err)
				lists = append(lists, time.Since(asked))
				<-look.C
			}
			waits = append(waits, time.Since(sent))
		}
		took += <-drained
	}
	slices.Sort(waits)
	slices.Sort(lists)
	b.ReportMetric(float64(rows)/took.Seconds(), "rows/s")
	b.ReportMetric(waits[len(waits)*95/100].Seconds(), "small-p95-s")
	b.ReportMetric(waits[len(waits)-1].Seconds(), "small-longest-s")
	b.ReportMetric(lists[len(lists)*99/100].Seconds()*1000, "list-p99-ms")
	b.ReportMetric(0, "ns/op")
}
