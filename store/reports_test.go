package store_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/report"
	"bizfin/store"
)

func transferCategories() []int {
	transfer, _ := ontology.ScheduleC().ByPath(report.Transfer)
	return transfer.Descendants()
}

// TestReportsAgreeWithTheRowsOfTheirMomentWhileRowsChange writes from several hands: uploads of new rows, uploads that
// move rows to another day or amount, deletions, and choices of categories and counterparties.
func TestReportsAgreeWithTheRowsOfTheirMomentWhileRowsChange(t *testing.T) {
	t.Parallel()
	const writers, known, reports = 3, 40, 60
	business := connect(t)
	parties := []uuid.UUID{uuid.New(), uuid.New(), uuid.New()}
	for i, id := range parties {
		must(t, business.SaveCounterparty(t.Context(), noon, store.Counterparty{ID: id, Name: fmt.Sprint("Party ", i),
			Type: "company", Relationship: "client", LastDate: noon}))
	}
	first, last := date(2025, 12, 15), date(2026, 3, 20)
	upload := func(random *rand.Rand, writer int) []store.TransactionUpload {
		var batch []store.TransactionUpload
		for _, i := range random.Perm(known)[:10] {
			batch = append(batch, store.TransactionUpload{
				ExternalID: fmt.Sprintf("w%d-%d", writer, i), Amount: money.Amount(random.IntN(20_001) - 10_000),
				Description: "ROW",
				Date:        first.AddDate(0, 0, random.IntN(110)-5).Format(time.DateOnly),
				Pending:     random.IntN(10) == 0, Currency: []string{"USD", "USD", "USD", "EUR"}[random.IntN(4)],
			})
		}
		return batch
	}
	var done atomic.Bool
	var writes atomic.Int64
	var hands sync.WaitGroup
	for writer := range writers {
		account := business.uploadAccount(t, fmt.Sprint("a", writer))
		hands.Go(func() {
			random := rand.New(rand.NewPCG(uint64(writer), 1))
			ids := map[string]uuid.UUID{}
			for !done.Load() {
				uploaded, err := business.UploadTransactions(t.Context(), noon, account, upload(random, writer))
				if err != nil {
					t.Error(err)
					return
				}
				for _, record := range uploaded.Records {
					ids[record.ExternalID] = record.ID
				}
				for _, id := range ids {
					switch random.IntN(40) {
					case 0:
						err = business.DeleteTransaction(t.Context(), noon, id)
					case 1, 2, 3:
						all := ontology.ScheduleC().All()
						err = business.SetCategory(t.Context(), noon, id,
							store.CategoryChoice{CategoryID: all[random.IntN(len(all))].ID, Source: "user",
								Confidence: 1})
					case 4, 5:
						err = business.SetCounterparty(t.Context(), noon, id, parties[random.IntN(len(parties))])
					}
					if err != nil && err != store.ErrNotFound {
						t.Error(err)
						return
					}
				}
				writes.Add(1)
			}
		})
	}
	defer hands.Wait()
	defer done.Store(true)
	seen := map[int64]bool{}
	for i := range reports {
		before := writes.Load()
		f := filterOf(t, first, last, []report.Grouping{report.Month, report.Week, report.Day, report.Quarter}[i%4],
			[]int64{2, 400}[i/4%2])
		sums, rows, err := store.CashflowSumsWithRows(t.Context(), business.Organization, f, transferCategories(), 50,
			[]int{0, 10, store.FewRows}[i%3])
		must(t, err)
		if len(sums.Reach.Sources) != 1 || sums.Reach.Sources[0].ID != business.source {
			t.Fatalf("report %d reaches %+v", i, sums.Reach)
		}
		if diff := difference(sumsOf(rows, f), inOrder(sums)); diff != "" {
			t.Fatalf("report %d differs from its rows (-rows +report): %s", i, diff)
		}
		seen[before] = true
	}
	t.Logf("%d writes between %d reports", writes.Load(), reports)
	if len(seen) < 5 {
		t.Errorf("the rows changed %d times during %d reports: nothing was proved", len(seen), reports)
	}
}

var exactly = gocmp.Comparer(func(a, b money.Total) bool { return a == b })

// difference is what two sums differ in, empty where they do not: telling it takes longer than asking the database.
func difference(a, b any) string {
	if reflect.DeepEqual(a, b) {
		return ""
	}
	return gocmp.Diff(a, b, exactly)
}

// sumsOf adds up rows one by one.
func sumsOf(rows []store.ReportRow, f store.ReportFilter) store.CashflowSums {
	var sums store.CashflowSums
	undeleted := map[uuid.UUID]bool{}
	for _, r := range rows {
		undeleted[r.ID] = true
	}
	categories, parties := map[string]*store.CategorySum{}, map[string]*store.CounterpartySum{}
	suggested, open := map[string]*store.SuggestedSum{}, map[string]*store.OpenSum{}
	currencies, pendingCurrencies := map[string]*store.FlowSum{}, map[string]*store.FlowSum{}
	nets := map[uuid.UUID]money.Total{}
	add := func(sum *store.FlowSum, a money.Amount) {
		sum.TransactionCount++
		if a > 0 {
			sum.Inflow = sum.Inflow.Plus(money.TotalOf(a))
		} else {
			sum.Outflow = sum.Outflow.Minus(money.TotalOf(a))
		}
	}
	addWhole := func(sum *store.FlowSum, r store.ReportRow) { // a row once, with what went in and out by its parts
		count := sum.TransactionCount
		if len(r.Parts) == 0 {
			add(sum, r.Amount)
		}
		for _, p := range r.Parts {
			add(sum, p.Amount)
		}
		sum.TransactionCount = count + 1
	}
	for _, r := range rows {
		if r.Processing == "queued" {
			sums.Queued++
		}
		date := r.Processed
		if f.DateField == store.Primary {
			date = r.Primary
		}
		if through := sums.Reach.Through; through == nil || through.Before(date) {
			sums.Reach.Through = &date
		}
		if date.Before(f.From) || date.After(f.To) {
			continue
		}
		if r.Currency != "USD" {
			others := currencies
			if r.Pending {
				others = pendingCurrencies
			}
			if others[r.Currency] == nil {
				others[r.Currency] = &store.FlowSum{}
			}
			addWhole(others[r.Currency], r)
			continue
		}
		if r.Pending {
			addWhole(&sums.Pending, r)
			continue
		}
		period := -1
		for i, start := range f.PeriodStarts {
			if !date.Before(start) {
				period = i
			}
		}
		if len(r.Parts) > 0 {
			seen, party := map[bool]int{}, store.FlowSum{} // by whether they are transfers; what is none
			for _, p := range r.Parts {
				key := fmt.Sprint(false, p.CategoryID, " ", period)
				if categories[key] == nil {
					categories[key] = &store.CategorySum{CategoryID: &p.CategoryID, Period: period}
				}
				add(&categories[key].FlowSum, p.Amount)
				transfer := slices.Contains(transferCategories(), p.CategoryID)
				if seen[transfer]++; transfer {
					add(&sums.Unmatched, p.Amount)
				} else {
					add(&party, p.Amount)
				}
			}
			sums.Unmatched.TransactionCount -= int64(max(seen[true]-1, 0))
			repeat := func(of string, n int) {
				if n <= 0 {
					return
				}
				i := slices.IndexFunc(sums.Again, func(a store.AgainSum) bool {
					return a.Of == of &&
						a.Period == period
				})
				if i < 0 {
					i = len(sums.Again)
					sums.Again = append(sums.Again, store.AgainSum{Of: of, Period: period})
				}
				sums.Again[i].Count += int64(n)
			}
			repeat(store.AgainOnce, seen[false]-1)
			repeat(store.AgainTransfer, seen[true]-1)
			repeat(store.AgainBoth, min(seen[true], seen[false], 1))
			if seen[false] > 0 {
				nets[value(r.CounterpartyID)] = nets[value(r.CounterpartyID)].Plus(party.Inflow).Minus(party.Outflow)
				key := fmt.Sprint(value(r.CounterpartyID), period)
				if parties[key] == nil {
					parties[key] = &store.CounterpartySum{CounterpartyID: r.CounterpartyID, Period: period}
				}
				sum := &parties[key].FlowSum
				*sum = store.FlowSum{TransactionCount: sum.TransactionCount + 1, Inflow: sum.Inflow.Plus(party.Inflow),
					Outflow: sum.Outflow.Plus(party.Outflow)}
			}
			continue
		}
		key := fmt.Sprint(r.CategoryID == nil, value(r.CategoryID), " ", period)
		if categories[key] == nil {
			categories[key] = &store.CategorySum{CategoryID: r.CategoryID, Period: period}
		}
		add(&categories[key].FlowSum, r.Amount)
		if slices.Contains(transferCategories(), value(r.CategoryID)) {
			if r.TransferID == nil || !undeleted[*r.TransferID] {
				add(&sums.Unmatched, r.Amount)
			}
			continue
		}
		if r.CategoryID == nil && r.SuggestedID != nil && r.Processing == "processed" {
			key := fmt.Sprint(*r.SuggestedID)
			if suggested[key] == nil {
				suggested[key] = &store.SuggestedSum{CategoryID: *r.SuggestedID}
			}
			add(&suggested[key].FlowSum, r.Amount)
			key += fmt.Sprint(r.Amount > 0)
			if open[key] == nil {
				open[key] = &store.OpenSum{CategoryID: *r.SuggestedID}
			}
			add(&open[key].FlowSum, r.Amount)
		}
		key = fmt.Sprint(value(r.CounterpartyID), period)
		if parties[key] == nil {
			parties[key] = &store.CounterpartySum{CounterpartyID: r.CounterpartyID, Period: period}
		}
		add(&parties[key].FlowSum, r.Amount)
		nets[value(r.CounterpartyID)] = nets[value(r.CounterpartyID)].Plus(money.TotalOf(r.Amount))
	}
	for _, net := range nets {
		sums.Sizes = sums.Sizes.Plus(net.Abs())
	}
	for currency, sum := range currencies {
		sums.Others = append(sums.Others, store.CurrencySum{Currency: currency, FlowSum: *sum})
	}
	for currency, sum := range pendingCurrencies {
		sums.PendingOthers = append(sums.PendingOthers, store.CurrencySum{Currency: currency, FlowSum: *sum})
	}
	for _, sum := range categories {
		sums.Categories = append(sums.Categories, *sum)
	}
	for _, sum := range suggested {
		sums.Suggested = append(sums.Suggested, *sum)
	}
	for _, sum := range open {
		sums.Open = append(sums.Open, *sum)
	}
	for _, sum := range parties {
		sums.Counterparties = append(sums.Counterparties, *sum)
	}
	return inOrder(sums)
}

// openInOrder brings sums of open rows into one order: a database has none for them.
func openInOrder(sums *store.ReportSums) {
	slices.SortFunc(sums.Open, func(a, b store.OpenSum) int {
		return cmp.Or(cmp.Compare(value(a.Issue).String(), value(b.Issue).String()),
			cmp.Compare(a.CategoryID, b.CategoryID), a.Inflow.Compare(b.Inflow))
	})
}

// inOrder brings sums into one order and leaves names out.
func inOrder(sums store.CashflowSums) store.CashflowSums {
	sums.Reach.Sources = nil // rows do not tell of them
	slices.SortFunc(sums.Suggested, func(a, b store.SuggestedSum) int {
		return cmp.Compare(a.CategoryID,
			b.CategoryID)
	})
	slices.SortFunc(sums.Again, func(a, b store.AgainSum) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Period, b.Period))
	})
	openInOrder(&sums.ReportSums)
	slices.SortFunc(sums.Categories, func(a, b store.CategorySum) int {
		return cmp.Or(cmp.Compare(value(a.CategoryID), value(b.CategoryID)), cmp.Compare(a.Period, b.Period))
	})
	for i := range sums.Counterparties {
		sums.Counterparties[i].Name = nil
	}
	slices.SortFunc(sums.Counterparties, func(a, b store.CounterpartySum) int {
		return cmp.Or(cmp.Compare(fmt.Sprint(value(a.CounterpartyID)), fmt.Sprint(value(b.CounterpartyID))),
			cmp.Compare(a.Period, b.Period))
	})
	return sums
}

// value is what p points to, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
