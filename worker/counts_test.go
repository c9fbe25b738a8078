package worker_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/answers"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// tried does what may be tried again until nobody holds for too long what it needs.
func tried(do func() error) error {
	for {
		if err := do(); !errors.Is(err, store.ErrBusy) {
			return err
		}
	}
}

// Everybody who changes rows does so at once, with a month that is too small and a tier that rises, and somebody looks
// all the time.
func TestCountsAgreeWithTheRowsAtEveryMomentWhileEverybodyWrites(t *testing.T) {
	b := openBank(t, "free")
	limited := config(t, frozen)
	limited.FreeMonthly = 150
	w := worker.New(limited)
	ctx, db := t.Context(), storetest.DB(t)
	all := ontology.ScheduleC().All()
	lines := []string{"QUORVANE HOLDINGS 4471", toSavings, fromChecking, "ADOBE *CREATIVE CLOUD 408-536-6000 CA",
		"CHECK 1044"}
	done := make(chan struct{})
	var writers, lookers sync.WaitGroup
	until := func(group *sync.WaitGroup, one func(random *rand.Rand)) {
		seed := rand.Uint64()
		group.Go(func() {
			random := rand.New(rand.NewPCG(seed, 1))
			for {
				select {
				case <-done:
					return
				default:
					one(random)
				}
			}
		})
	}
	var looks, added int
	until(&lookers, func(*rand.Rand) {
		if err := storetest.CountsAreExact(ctx, db.SQL()); err != nil {
			t.Error(err)
		}
		looks++
	})
	until(&lookers, func(*rand.Rand) {
		more, err := db.AddUpCounts(ctx, time.Now().Add(time.Hour))
		if err != nil {
			t.Error(err)
		}
		if more {
			added++
		}
	})
	until(&lookers, func(*rand.Rand) {
		err := tried(func() error { return w.Process(ctx, b.ID) })
		if err != nil && !errors.Is(err, store.ErrTurnTaken) {
			t.Error(err)
		}
	})
	until(&lookers, func(random *rand.Rand) {
		page, err := b.Issues(ctx, store.IssueFilter{}, store.Page{Limit: 5})
		if err != nil {
			t.Error(err)
			return
		}
		for _, issue := range page.Rows {
			err := tried(func() error {
				return storetest.Answer(b.Organization, ctx, noon, issue.ID,
					store.Answer{Person: b.person, Text: "supplies", Meaning: answers.Meaning{CategoryID: supplies}})
			})
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				t.Error(err)
			}
		}
	})
	for name, account := range b.accounts {
		var known []uuid.UUID
		writers.Go(func() {
			random := rand.New(rand.NewPCG(7, uint64(len(name))))
			for round := range 25 {
				var batch []store.TransactionUpload
				for i := range 20 {
					batch = append(batch, store.TransactionUpload{
						ExternalID:  fmt.Sprintf("%s-%d", name, random.IntN(200)*20+i),
						Amount:      money.Amount(random.IntN(7)-3) * 1000,
						Date:        fmt.Sprintf("2026-05-%02d", 1+random.IntN(28)),
						Description: lines[random.IntN(len(lines))],
						Pending:     random.IntN(4) == 0,
					})
				}
				var uploaded store.Uploaded
				err := tried(func() (err error) {
					uploaded, err = b.UploadTransactions(ctx, noon, account, batch)
					return err
				})
				if err != nil {
					t.Error(err)
					return
				}
				for _, r := range uploaded.Records {
					known = append(known, r.ID)
				}
				chosen := store.CategoryChoice{CategoryID: all[random.IntN(len(all))].ID, Source: "user", Confidence: 1}
				id, deleted := known[random.IntN(len(known))], known[random.IntN(len(known))]
				err = tried(func() error { return b.SetCategory(ctx, noon, id, chosen) })
				if err == nil {
					err = tried(func() error { return b.DeleteTransaction(ctx, noon, deleted) })
				}
				if err == nil && round%8 == 7 {
					err = tried(func() error { return b.DeleteAccount(ctx, noon, account) })
				}
				if err == nil && round%8 == 7 {
					err = tried(func() error {
						_, err := b.UploadAccounts(ctx, noon, b.source, []store.AccountUpload{{ExternalID: name,
							Name: name, Type: "depository", Currency: "USD"}})
						return err
					})
				}
				if err != nil && !errors.Is(err, store.ErrNotFound) {
					t.Error(err)
				}
			}
		})
	}
	writers.Wait()
	eventually(t, "rows are limited", func() bool { return b.inState("limited") > 0 })
	close(done)
	lookers.Wait()
	execute(t, `UPDATE organizations SET tier = 'paid' WHERE id = $1`, b.ID)
	eventually(t, "what was limited is processed", func() bool {
		_, err := db.ReleaseLimited(ctx, noon, 0)
		must(t, err)
		must(t, w.Process(ctx, b.ID))
		must(t, storetest.CountsAreExact(ctx, db.SQL()))
		left := b.count(`SELECT count(*) FROM transactions WHERE organization_id = $1 AND deleted_at IS NULL AND processing <> 'processed'`)
		return left == 0 && b.events() == 0
	})
	if looks == 0 || added == 0 {
		t.Errorf("somebody looked %d times, and counts were added up %d times", looks, added)
	}
	for range 2 { // as they are, and added up
		must(t, storetest.CountsAreExact(ctx, db.SQL()))
		for more := true; more; {
			var err error
			more, err = db.AddUpCounts(ctx, time.Now().Add(time.Hour))
			must(t, err)
		}
	}
	coverage, err := b.Coverage(ctx, noon)
	must(t, err)
	if n := b.count(`SELECT count(*) FROM transactions WHERE organization_id = $1 AND deleted_at IS NULL`); int64(
		n) != coverage.Transactions || n == 0 {
		t.Errorf("the coverage counts %d transactions of %d", coverage.Transactions, n)
	}
}
