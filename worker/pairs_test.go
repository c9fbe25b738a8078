package worker_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/answers"
	"bizfin/internal/money"
	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

const (
	toSavings    = "ONLINE TRANSFER TO SAVINGS"
	fromChecking = "TRANSFER FROM CHECKING"
)

// bank is a business with several accounts and a worker.
type bank struct {
	shop
	worker   *worker.Worker
	accounts map[string]uuid.UUID
	ids      map[string]uuid.UUID // of transactions, by external id
}

func openBank(t testing.TB, tier string) bank {
	s := open(t, tier)
	b := bank{shop: s, worker: worker.New(config(t, frozen)), accounts: map[string]uuid.UUID{"checking": s.account},
		ids: map[string]uuid.UUID{}}
	for name, kind := range map[string]string{"savings": "depository", "reserve": "depository", "card": "credit"} {
		records, err := s.UploadAccounts(t.Context(), noon, s.source, []store.AccountUpload{{ExternalID: name,
			Name: name, Type: kind, Currency: "USD"}})
		must(t, err)
		b.accounts[name] = records[0].ID
	}
	return b
}

// line is a row on a day of May.
func line(externalID string, cents money.Amount, day int, description string) store.TransactionUpload {
	return store.TransactionUpload{ExternalID: externalID, Amount: cents, Date: fmt.Sprintf("2026-05-%02d", day),
		Description: description}
}

func (b bank) send(account string, rows ...store.TransactionUpload) {
	b.t.Helper()
	uploaded, err := b.UploadTransactions(b.t.Context(), noon, b.accounts[account], rows)
	must(b.t, err)
	for _, r := range uploaded.Records {
		b.ids[r.ExternalID] = r.ID
	}
}

// process processes what is due of some accounts, or of all.
func (b bank) process(accounts ...string) {
	b.t.Helper()
	for range 10 {
		work, err := b.Events(b.t.Context())
		must(b.t, err)
		done := 0
		for _, w := range work {
			for name, id := range b.accounts {
				if id == w.AccountID && (len(accounts) == 0 || strings.Contains(strings.Join(accounts, " "), name)) {
					must(b.t, b.worker.ProcessEvent(b.t.Context(), w))
					done++
				}
			}
		}
		if done == 0 {
			return
		}
	}
	b.t.Fatal("work does not end")
}

func (b bank) row(externalID string) store.Transaction {
	b.t.Helper()
	row, err := b.Transaction(b.t.Context(), b.ids[externalID])
	must(b.t, err)
	return row
}

// pairs are the joined rows, as "out-in".
func (b bank) pairs() []string {
	b.t.Helper()
	found, err := storetest.DB(b.t).SQL().Query(`
		SELECT o.external_id || '-' || i.external_id
		FROM transactions o
		JOIN transactions i ON i.organization_id = o.organization_id AND i.id = o.transfer_id AND i.transfer_id = o.id
		WHERE o.organization_id = $1
		  AND o.amount < 0
		ORDER BY 1`, b.ID)
	must(b.t, err)
	defer found.Close()
	list := []string{}
	for found.Next() {
		var pair string
		must(b.t, found.Scan(&pair))
		list = append(list, pair)
	}
	must(b.t, found.Err())
	if n := b.count(`SELECT count(*) FROM transactions WHERE organization_id = $1 AND transfer_id IS NOT NULL`); n != 2*len(list) {
		b.t.Errorf("%d rows have another leg, want those of %v", n, list)
	}
	return list
}

func (b bank) wantPairs(want ...string) {
	b.t.Helper()
	if diff := cmp.Diff(append([]string{}, want...), b.pairs()); diff != "" {
		b.t.Errorf("pairs: %s", diff)
	}
}

func (b bank) wantCategory(externalID string, category int, source string) {
	b.t.Helper()
	got := b.row(externalID)
	if got.CategoryID == nil || *got.CategoryID != category || *got.CategorySource != source {
		b.t.Errorf("%s has the category %v by %v, want %d by %s", externalID, deref(got.CategoryID),
			deref(got.CategorySource), category, source)
	}
}

func deref[T any](p *T) any {
	if p == nil {
		return nil
	}
	return *p
}

const internal, cardPayment, supplies, meals = 9001, 9002, 3220, 3250

func TestATransferIsPairedInWhateverOrderItsAccountsAreProcessed(t *testing.T) {
	for _, order := range [][]string{{"checking", "savings"}, {"savings", "checking"}} {
		t.Run(order[0], func(t *testing.T) {
			b := openBank(t, "paid")
			b.send("checking", line("out", -50000, 4, toSavings))
			b.send("savings", line("in", 50000, 6, "DEPOSIT"))
			b.process(order[0])
			b.wantPairs()
			b.process(order[1])
			b.wantPairs("out-in")
			b.wantCategory("out", internal, "rule")
			b.wantCategory("in", internal, "rule")
			if got, want := *b.row("in").CategoryReason,
				"Equal and opposite to a row of checking on 2026-05-04"; got != want {
				t.Errorf("the reason is %q, want %q", got, want)
			}
			for _, id := range []string{"out", "in"} {
				if r := b.row(id); r.NeedsAttention || len(r.IssueIDs) > 0 {
					t.Errorf("%s still needs attention: %v", id, r.IssueIDs)
				}
			}
			if n := b.events(); n != 0 {
				t.Errorf("%d events are left", n)
			}
		})
	}
}

func TestRowsOfOneUploadArePairedWhenTheOtherAccountCame(t *testing.T) {
	b := openBank(t, "free")
	b.send("checking", line("o1", -50000, 4, toSavings), line("o2", -70000, 4, toSavings),
		line("o3", -30000, 4, "CHASE CREDIT CRD AUTOPAY PPD ID: 4760039224"))
	b.send("savings", line("i1", 50000, 8, fromChecking), line("i2", 70000, 9, fromChecking),
		line("i4", 30000, 4, "STRIPE TRANSFER ST-K4J2H1"))
	b.send("card", line("i3", 30000, 5, "PAYMENT THANK YOU - WEB"))
	b.process()
	b.wantPairs("o1-i1", "o3-i3") // o2 and i2 are five days apart
	b.wantCategory("o3", cardPayment, "rule")
	b.wantCategory("i3", cardPayment, "rule")
}

func TestRowsOfTwoCurrenciesAreNeverPaired(t *testing.T) {
	b := openBank(t, "paid")
	euros := line("in", 50000, 4, fromChecking)
	euros.Currency = "EUR"
	b.send("checking", line("out", -50000, 4, toSavings))
	b.send("savings", euros)
	b.process()
	b.wantPairs()
}

// Nobody knows which of them moved: all are asked about.
func TestOfSeveralCandidatesNoneIsPaired(t *testing.T) {
	b := openBank(t, "paid")
	b.send("savings", line("far", 50000, 7, fromChecking))
	b.send("reserve", line("near", 50000, 5, fromChecking), line("later", 50000, 6, fromChecking))
	b.send("checking", line("out", -50000, 4, toSavings))
	b.process("savings", "reserve")
	b.process("checking")
	b.wantPairs()
	for _, id := range []string{"out", "near", "later", "far"} {
		if r := b.row(id); r.CategoryID != nil || deref(r.SuggestedID) != internal || !r.NeedsAttention {
			t.Errorf("%s has the category %v, the suggestion %v, and needs attention: %t", id, deref(r.CategoryID),
				deref(r.SuggestedID), r.NeedsAttention)
		}
	}
}

func TestProcessingAgainKeepsPairs(t *testing.T) {
	b := openBank(t, "paid")
	rows := func() {
		b.send("checking", line("out", -50000, 4, toSavings))
		b.send("savings", line("in", 50000, 6, "DEPOSIT"))
		b.process()
	}
	rows()
	before := b.dump()
	rows()
	if diff := cmp.Diff(before, b.dump()); diff != "" {
		t.Errorf("processing again changed: %s", diff)
	}
	posted := line("in", 50000, 6, "DEPOSIT")
	posted.Pending = true
	b.send("savings", posted)
	b.process()
	b.wantPairs("out-in")
}

func TestADeletedLegLeavesTheOtherToBeDecidedAnew(t *testing.T) {
	b := openBank(t, "paid")
	b.send("checking", line("out", -50000, 4, toSavings))
	b.send("savings", line("in", 50000, 6, "DEPOSIT"))
	b.process()
	must(t, b.DeleteTransaction(t.Context(), noon, b.ids["out"]))
	if r := b.row("in"); r.TransferID != nil || r.Processing != "queued" {
		t.Errorf("the other leg has %v and is %s", r.TransferID, r.Processing)
	}
	if n := b.count(`SELECT count(*) FROM pending_work WHERE organization_id = $1 AND account_id = $2`,
		b.accounts["savings"]); n != 1 {
		t.Errorf("%d events of the other account, want 1", n)
	}
	b.process()
	if r := b.row("in"); r.Processing != "processed" || !r.NeedsAttention || r.CategoryID != nil &&
		*r.CategoryID == internal {
		t.Errorf("the other leg is %s, needs attention: %v, category %v", r.Processing, r.NeedsAttention,
			deref(r.CategoryID))
	}
	b.send("checking", line("again", -50000, 5, toSavings))
	b.process()
	b.wantPairs("again-in")
	if r := b.row("in"); r.NeedsAttention {
		t.Error("the paired row still needs attention")
	}
	if n := b.count(`SELECT count(*) FROM outstanding_issues WHERE organization_id = $1 AND status = 'open'`); n != 0 {
		t.Errorf("%d questions are still open", n)
	}
}

func TestAChangedLegDissolvesItsPair(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*store.TransactionUpload)
		paired []string
	}{
		"amount":            {func(r *store.TransactionUpload) { r.Amount++ }, nil},
		"date":              {func(r *store.TransactionUpload) { r.Date = "2026-05-20" }, nil},
		"date, still near":  {func(r *store.TransactionUpload) { r.Date = "2026-05-05" }, []string{"out-in"}},
		"currency":          {func(r *store.TransactionUpload) { r.Currency = "EUR" }, nil},
		"description":       {func(r *store.TransactionUpload) { r.Description = "STRIPE TRANSFER ST-K4J2H1" }, nil},
		"another same text": {func(r *store.TransactionUpload) { r.Description = fromChecking }, []string{"out-in"}},
	} {
		t.Run(name, func(t *testing.T) {
			b := openBank(t, "paid")
			b.send("checking", line("out", -50000, 4, toSavings))
			in := line("in", 50000, 6, "DEPOSIT")
			b.send("savings", in, line("other", -1200, 6, "ADOBE *CREATIVE CLOUD 408-536-6000 CA"))
			b.process()
			b.wantPairs("out-in")
			c.change(&in)
			b.send("savings", in)
			b.wantPairs()
			if n := b.inState("queued"); n != 2 {
				t.Errorf("%d rows are queued, want both legs", n)
			}
			b.process()
			b.wantPairs(c.paired...)
			if n := b.inState("queued"); n != 0 {
				t.Errorf("%d rows are still queued", n)
			}
		})
	}
}

func TestTheUsersCategoryIsNeverPairedAway(t *testing.T) {
	b := openBank(t, "paid")
	choose := func(id string, category int) {
		must(t, b.SetCategory(t.Context(), noon, b.ids[id], store.CategoryChoice{CategoryID: category, Source: "user",
			Confidence: 10_000}))
	}
	b.send("checking", line("o1", -50000, 4, toSavings), line("o2", -60000, 4, "QUORVANE HOLDINGS 4471"),
		line("o3", -70000, 4, toSavings))
	choose("o1", supplies)
	choose("o2", internal)
	b.send("savings", line("i1", 50000, 5, fromChecking), line("i2", 60000, 5, fromChecking),
		line("i3", 70000, 5, "QUORVANE HOLDINGS 4471"))
	execute(t, `UPDATE transactions SET category_id = $2, category_source = 'user', category_confidence = 10000 WHERE id = $1`, b.ids["i3"], internal)
	b.process("checking")
	b.process("savings")
	b.wantPairs("o2-i2", "o3-i3")
	b.wantCategory("o1", supplies, "user")
	b.wantCategory("o2", internal, "user")
	must(t, b.DeleteTransaction(t.Context(), noon, b.ids["i2"]))
	b.process()
	b.wantPairs("o3-i3")
	b.wantCategory("o2", internal, "user")
}

func TestALegThatIsSomethingElseToTheUserLeavesTheOther(t *testing.T) {
	b := openBank(t, "paid")
	choose := func(id string, category int) {
		must(t, b.SetCategory(t.Context(), noon, b.ids[id], store.CategoryChoice{CategoryID: category, Source: "user",
			Confidence: 10_000}))
	}
	b.send("checking", line("o1", -50000, 4, toSavings), line("o2", -60000, 4, toSavings))
	b.send("savings", line("i1", 50000, 5, fromChecking), line("i2", 60000, 5, fromChecking))
	b.process()
	b.wantPairs("o1-i1", "o2-i2")
	choose("o2", 9003) // another transfer
	b.wantPairs("o1-i1", "o2-i2")
	if n := b.events(); n != 0 {
		t.Errorf("%d events of a pair that stays", n)
	}
	choose("i1", supplies)
	b.wantPairs("o2-i2")
	if r := b.row("o1"); r.Processing != "queued" || r.CategoryID != nil {
		t.Errorf("the other leg is %s with the category %v", r.Processing, deref(r.CategoryID))
	}
	if n := b.count(`SELECT count(*) FROM pending_work WHERE organization_id = $1 AND account_id = $2`,
		b.accounts["checking"]); n != 1 {
		t.Errorf("%d events of the other account, want 1", n)
	}
	b.process()
	b.wantPairs("o2-i2")
	b.wantCategory("i1", supplies, "user")
	// the line says so, and no other leg is seen
	if r := b.row("o1"); r.CategoryID != nil || deref(r.SuggestedID) != internal {
		t.Errorf("o1 has the category %v and the suggestion %v", deref(r.CategoryID), deref(r.SuggestedID))
	}
}

// Choosing, pairing and uploading take their locks in one order, so that they end.
func TestChoosingForBothLegsAtOnceEnds(t *testing.T) {
	b := openBank(t, "paid")
	for round := range 10 {
		out, in := fmt.Sprint("o", round), fmt.Sprint("i", round)
		b.send("checking", line(out, -50000, 4, toSavings))
		b.send("savings", line(in, 50000, 6, fromChecking))
		b.process()
		b.wantPairs(out + "-" + in)
		var all sync.WaitGroup
		for _, id := range []string{out, in} {
			all.Go(func() {
				must(t, b.SetCategory(t.Context(), noon, b.ids[id], store.CategoryChoice{CategoryID: supplies,
					Source: "user", Confidence: 10_000}))
			})
		}
		all.Go(func() { b.process() })
		all.Go(func() {
			_, err := b.UploadTransactions(t.Context(), noon, b.accounts["savings"],
				[]store.TransactionUpload{line(in, 50000, 7, fromChecking)})
			must(t, err)
		})
		all.Wait()
		b.process()
		b.wantPairs()
		b.wantCategory(out, supplies, "user")
		b.wantCategory(in, supplies, "user")
	}
}

func TestWorkersOnTwoAccountsAtOncePairEachTransferOnce(t *testing.T) {
	b := openBank(t, "paid")
	const transfers = 40
	for round := range 6 {
		var outs, ins []store.TransactionUpload
		var want []string
		for i := range transfers {
			id := fmt.Sprintf("%d%02d", round, i)
			amount := money.Amount(10_000 + 100*i + 10_000*round)
			outs = append(outs, line("o"+id, -amount, 4, toSavings))
			ins = append(ins, line("i"+id, amount, 6, fromChecking))
			want = append(want, "o"+id+"-i"+id)
		}
		b.send("checking", outs...)
		b.send("savings", ins...)
		work, err := b.Events(t.Context())
		must(t, err)
		var workers sync.WaitGroup
		for _, w := range append(work, work...) {
			workers.Go(func() { must(t, b.worker.ProcessEvent(t.Context(), w)) })
		}
		// People change other things meanwhile.
		workers.Go(func() {
			for i := range 10 {
				must(t, b.SetContext(t.Context(), noon, b.ids[fmt.Sprintf("i%d%02d", round, i)], "seen"))
			}
		})
		workers.Go(func() {
			_, err := b.UploadTransactions(t.Context(), noon, b.accounts["savings"],
				[]store.TransactionUpload{line(fmt.Sprint("s", round), -100, 4, "COFFEE")})
			must(t, err)
		})
		workers.Wait()
		b.process()
		if got := b.pairs(); len(got) != (round+1)*transfers {
			t.Fatalf("round %d: %d pairs, want %d", round, len(got), (round+1)*transfers)
		} else if diff := cmp.Diff(want, got[round*transfers:]); diff != "" {
			t.Fatal(diff)
		}
	}
}

func TestDeletingBothLegsAtOnceEnds(t *testing.T) {
	b := openBank(t, "paid")
	for round := range 10 {
		out, in := fmt.Sprint("o", round), fmt.Sprint("i", round)
		b.send("checking", line(out, -50000, 4, toSavings))
		b.send("savings", line(in, 50000, 6, fromChecking))
		b.process()
		b.wantPairs(out + "-" + in)
		var all sync.WaitGroup
		for _, id := range []string{out, in} {
			all.Go(func() { must(t, b.DeleteTransaction(t.Context(), noon, b.ids[id])) })
		}
		all.Go(func() { b.process() })
		all.Wait()
		b.process()
		b.wantPairs()
	}
}

func TestAQuestionClosesWhenItsLastRowIsDeleted(t *testing.T) {
	b := openBank(t, "paid")
	b.send("checking", line("a", -78000, 4, "QUORVANE HOLDINGS 4471"), line("b", -12000, 5, "QUORVANE HOLDINGS 4471"))
	b.process()
	issues, err := b.Issues(t.Context(), store.IssueFilter{}, store.Page{Limit: 50})
	must(t, err)
	if issues.Total != 1 || issues.Rows[0].TransactionCount != 2 {
		t.Fatalf("questions %+v, want one about two rows", issues)
	}
	must(t, b.DeleteTransaction(t.Context(), noon, b.ids["a"]))
	issue, err := b.Hooked(t.Context(), store.Hook{Issue: issues.Rows[0].ID})
	must(t, err)
	if issue.Status != store.IssueOpen || issue.TransactionCount != 1 || issue.ImpactAmount.String() != "120.00" {
		t.Errorf("after one: %+v", issue)
	}
	must(t, b.DeleteTransaction(t.Context(), noon, b.ids["b"]))
	issue, err = b.Hooked(t.Context(), store.Hook{Issue: issues.Rows[0].ID})
	must(t, err)
	if issue.Status != store.IssueClosed || issue.TransactionCount != 0 {
		t.Errorf("after both: %+v", issue)
	}
}

func TestAnsweringDeletingAndProcessingAtOnceAgree(t *testing.T) {
	b := openBank(t, "paid")
	person := uuid.New()
	execute(t, `INSERT INTO persons (id, created_at) VALUES ($1, now())`, person)
	for round := range 10 {
		firm := fmt.Sprintf("QUORVANE%c HOLDINGS", 'A'+round)
		id := func(i int) string { return fmt.Sprintf("%d-%d", round, i) }
		b.send("checking", line(id(0), -78000, 4, firm), line(id(1), -12000, 5, firm))
		b.process()
		asked := b.row(id(0)).IssueIDs
		if len(asked) != 1 {
			t.Fatalf("questions %v about the row, want 1", asked)
		}
		b.send("checking", line(id(0), -7800, 4, "MONTHLY SERVICE FEE"), line(id(2), -13000, 5, firm))
		var all sync.WaitGroup
		all.Go(func() {
			err := storetest.Answer(b, t.Context(), noon, uuid.MustParse(asked[0]),
				store.Answer{Person: person, Text: "supplies", Meaning: answers.Meaning{CategoryID: supplies}})
			if err != nil {
				t.Error(err)
			}
		})
		all.Go(func() { must(t, b.DeleteTransaction(t.Context(), noon, b.ids[id(1)])) })
		all.Go(func() { b.process() })
		all.Wait()
		b.process()
		if n := b.count(`
			SELECT count(*)
			FROM outstanding_issues i
			WHERE organization_id = $1
			  AND status = 'open'
			  AND transaction_count <> (SELECT count(*) FROM issue_transactions it WHERE it.organization_id = $1 AND it.issue_id = i.id)`); n != 0 {
			t.Errorf("%d questions count other rows than they have", n)
		}
		if n := b.count(`
			SELECT count(*)
			FROM transactions t
			WHERE organization_id = $1
			  AND deleted_at IS NULL
			  AND needs_attention <> EXISTS (
			    SELECT
			    FROM issue_transactions it
			    JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
			    WHERE it.organization_id = $1
			      AND it.transaction_id = t.id
			      AND i.status = 'open')`); n != 0 {
			t.Errorf("%d rows need attention without a question, or none with one", n)
		}
	}
}

func TestARowThatIsUnderstoodDifferentlyLeavesItsQuestion(t *testing.T) {
	b := openBank(t, "paid")
	b.send("checking", line("a", -78000, 4, "QUORVANE HOLDINGS 4471"), line("b", -12000, 5, "QUORVANE HOLDINGS 4471"))
	b.process()
	b.send("checking", line("a", -7800, 4, "MONTHLY SERVICE FEE"), line("b", -12000, 5, "QUORVANE HOLDINGS 4472"))
	b.process()
	issues, err := b.Issues(t.Context(), store.IssueFilter{}, store.Page{Limit: 50})
	must(t, err)
	if issues.Total != 1 || issues.Rows[0].TransactionCount != 1 || issues.Rows[0].ImpactAmount.String() != "120.00" {
		t.Errorf("questions %+v, want one about b", issues)
	}
	if b.row("a").NeedsAttention || !b.row("b").NeedsAttention {
		t.Errorf("attention: a %v, b %v; want b alone", b.row("a").NeedsAttention, b.row("b").NeedsAttention)
	}
}

func TestARefundTakesTheCategoryOfItsPurchase(t *testing.T) {
	b := openBank(t, "paid")
	const shop, firm = "HOME DEPOT 0455 AUSTIN TX", "QUORVANE HOLDINGS 4471"
	b.send("card", line("bought", -5000, 4, shop), line("more", -9000, 6, shop), line("unknown", -78000, 4, firm))
	b.process()
	must(t, b.SetCategory(t.Context(), noon, b.ids["bought"], store.CategoryChoice{CategoryID: meals, Source: "user",
		Confidence: 10_000}))
	must(t, b.SetCategory(t.Context(), noon, b.ids["unknown"], store.CategoryChoice{CategoryID: supplies,
		Source: "user", Confidence: 10_000}))
	b.send("checking", line("back", 5000, 20, shop), line("returned", 78000, 20, firm),
		line("customer", 77000, 20, firm))
	b.process()
	b.wantCategory("back", meals, "rule")
	b.wantCategory("returned", supplies, "rule")
	for id, want := range map[string]bool{"back": true, "returned": true, "customer": false} {
		if r := b.row(id); r.IsRefund != want || r.NeedsAttention == want {
			t.Errorf("%s: refund %v, needs attention %v", id, r.IsRefund, r.NeedsAttention)
		}
	}
}
