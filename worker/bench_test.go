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
		batch := books(perAccount)
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

// BenchmarkDrainByQueue lets a running worker take a backlog of many accounts from the queue.
func BenchmarkDrainByQueue(b *testing.B) {
	const accounts, perAccount = 20, 1_000
	rows := 0
	var took time.Duration
	for b.Loop() {
		s, c := open(b, "paid"), config(b, frozen)
		hints := signal(b, c.Redis)
		for i := range accounts {
			s.account = s.addAccount(fmt.Sprint("account-", i))
			batch := books(perAccount)
			for j := range batch {
				batch[j].ExternalID = fmt.Sprintf("%d-%d", i, j)
			}
			hints.Accepted(b.Context(), s.upload(batch...))
		}
		began := time.Now()
		run(b, c)
		eventually(b, "the backlog is processed", func() bool { return s.events() == 0 })
		took += time.Since(began)
		rows += accounts * perAccount
	}
	b.ReportMetric(float64(rows)/took.Seconds(), "rows/s")
}
