package worker_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"bizfin/store"
	"bizfin/worker"
)

// BenchmarkDrain processes a backlog that uploads left, one account at a time and without the queue. It compares with
// the rate of the uploads themselves, in the batches that the contract allows and without HTTP.
func BenchmarkDrain(b *testing.B) {
	const perAccount, perUpload = 5_000, 500
	s, w := open(b, "paid"), worker.New(config(b, frozen))
	rows := 0
	var uploading, processing time.Duration
	for b.Loop() {
		s.account = s.addAccount(fmt.Sprint("account-", rows))
		batch := statement(perAccount)
		for i := range batch {
			batch[i].ExternalID = fmt.Sprintf("%d-%d", rows, i)
		}
		var work store.Work
		began := time.Now()
		for part := range slices.Chunk(batch, perUpload) {
			work = s.upload(part...)
		}
		uploaded := time.Now()
		must(b, w.Process(b.Context(), work))
		uploading += uploaded.Sub(began)
		processing += time.Since(uploaded)
		rows += perAccount
	}
	b.ReportMetric(float64(rows)/processing.Seconds(), "rows/s")
	b.ReportMetric(float64(uploading)/float64(processing), "of-upload-rate")
}

// BenchmarkDrainByQueue lets a running worker take a backlog of many accounts from the queue. The accounts of one business
// are processed one after the other, those of several at once.
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

// BenchmarkLag uploads to four businesses while a worker runs, for twenty seconds at half of the rate at which the worker
// drained a backlog a moment before. It reports the longest time that a business had rows left to process: no row waits
// longer than that.
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

// statement are books whose lines carry numbers of their own, as those of banks do: what a line costs in the index of words
// is what it has that no other line has.
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
