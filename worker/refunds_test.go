package worker_test

import (
	"strings"
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/answers"
	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

const unknownFirm = "QUORVANE TRADING LLC"

// asked finds the open question whose text has some words.
func (s shop) asked(words string) store.Issue {
	s.t.Helper()
	for _, i := range s.questions() {
		if strings.Contains(i.Question, words) {
			return i
		}
	}
	s.t.Fatalf("no question has %q among %+v", words, s.questions())
	return store.Issue{}
}

func (b bank) answer(words string, category int) {
	b.t.Helper()
	must(b.t, storetest.Answer(b, b.t.Context(), noon, b.asked(words).ID,
		store.Answer{Person: b.person, Text: "it is", Meaning: answers.Meaning{CategoryID: category}}))
}

func TestARefundThatCameFirstFollowsItsPurchase(t *testing.T) {
	for _, account := range []string{"card", "checking"} {
		t.Run("on "+account, func(t *testing.T) { refundFollows(t, account) })
	}
}

func refundFollows(t *testing.T, account string) {
	b := openBank(t, "free")
	b.send(account, line("first", -50000, 1, unknownFirm)) // an answer is about accounts of its type
	b.process()
	b.answer("pay Quorvane", supplies)
	b.send("checking", line("back", 78000, 20, unknownFirm), line("customer", 30000, 20, unknownFirm))
	b.process()
	if !b.row("back").NeedsAttention {
		t.Fatal("nobody is asked about the refund to begin with")
	}
	b.send(account, line("bought", -78000, 4, unknownFirm))
	b.process()
	b.wantCategory("back", supplies, "rule")
	if r := b.row("back"); !r.IsRefund || r.NeedsAttention {
		t.Errorf("refund %v, needs attention %v", r.IsRefund, r.NeedsAttention)
	}
	if r := b.row("customer"); r.IsRefund || !r.NeedsAttention {
		t.Errorf("the customer's payment: refund %v, needs attention %v", r.IsRefund, r.NeedsAttention)
	}
	if i := b.asked("Quorvane"); i.TransactionCount != 1 || i.ImpactAmount.String() != "300.00" {
		t.Errorf("the question is about %d rows of %s, want the customer's alone", i.TransactionCount, i.ImpactAmount)
	}
	if n := b.count(`SELECT processed FROM processing_months WHERE organization_id = $1`); n != 4 {
		t.Errorf("%d rows count against the month, want each once", n)
	}
	if n := b.inState("queued"); n != 0 {
		t.Errorf("%d rows are still queued", n)
	}
	if n := b.events(); n != 0 {
		t.Errorf("%d events are left", n)
	}
}

func TestARefundFollowsTheAnswerAboutItsPurchase(t *testing.T) {
	b := openBank(t, "paid")
	b.send("card", line("bought", -78000, 4, unknownFirm))
	b.send("checking", line("back", 78000, 20, unknownFirm), line("long after", 78000, 20, unknownFirm))
	execute(t, `UPDATE transactions SET processed_date = '2026-12-01', authorized_date = '2026-12-01' WHERE organization_id = $1 AND external_id = 'long after'`, b.ID)
	b.process()
	b.answer("pay Quorvane", supplies)
	if r := b.row("back"); r.Processing != "queued" {
		t.Errorf("the refund is %s", r.Processing)
	}
	b.process()
	b.wantCategory("back", supplies, "rule")
	if r := b.row("back"); !r.IsRefund || r.NeedsAttention {
		t.Errorf("refund %v, needs attention %v", r.IsRefund, r.NeedsAttention)
	}
	if r := b.row("long after"); r.IsRefund || !r.NeedsAttention {
		t.Errorf("months later: refund %v, needs attention %v", r.IsRefund, r.NeedsAttention)
	}
}

// A refund that is too small to be asked about is not taken for other money of the shop that comes later.
func TestASmallRefundStaysOneBesideOtherMoneyOfTheShop(t *testing.T) {
	b := openBank(t, "paid")
	b.send("card", line("bought", -780, 4, unknownFirm), line("back", 780, 12, unknownFirm))
	b.process()
	if r := b.row("back"); !r.IsRefund || r.NeedsAttention || r.CategoryID != nil {
		t.Fatalf("refund %v, needs attention %v, category %v", r.IsRefund, r.NeedsAttention, r.CategoryID)
	}
	b.send("card", line("more", 99000, 13, unknownFirm))
	b.process()
	if r := b.row("more"); !r.NeedsAttention {
		t.Error("money of no purchase is not asked about")
	}
	if r := b.row("back"); !r.IsRefund || r.NeedsAttention {
		t.Errorf("refund %v, needs attention %v", r.IsRefund, r.NeedsAttention)
	}
}

func TestRefundsTheUserDecidedStay(t *testing.T) {
	b := openBank(t, "paid")
	b.send("checking", line("chosen", 78000, 20, unknownFirm), line("open", 78000, 21, unknownFirm))
	b.process()
	must(t, b.SetCategory(t.Context(), noon, b.ids["chosen"], store.CategoryChoice{CategoryID: 1010, Source: "user",
		Confidence: 10_000}))
	b.send("card", line("bought", -78000, 4, unknownFirm))
	b.process()
	b.answer("pay Quorvane", supplies)
	b.process()
	b.wantCategory("chosen", 1010, "user")
	b.wantCategory("open", supplies, "rule")
	// A later purchase changes nothing that is settled, and nothing is decided for ever.
	before := b.row("open")
	b.send("card", line("more", -78000, 5, unknownFirm))
	b.process()
	if after := b.row("open"); after.UpdatedAt != before.UpdatedAt || *after.CategoryReason != *before.CategoryReason {
		t.Errorf("a settled refund was decided again: %+v", after)
	}
	must(t, b.SetCategory(t.Context(), noon, b.ids["open"], store.CategoryChoice{CategoryID: meals, Source: "user",
		Confidence: 10_000}))
	b.send("card", line("again", -78000, 6, unknownFirm))
	b.process()
	b.wantCategory("open", meals, "user")
}

// The rows of a month that is used up explain nothing yet; processing ends all the same.
func TestAPurchaseThatIsNotProcessedExplainsNothing(t *testing.T) {
	b := openBank(t, "free")
	b.send("checking", line("first", -50000, 1, unknownFirm))
	b.process()
	b.answer("pay Quorvane", supplies)
	b.send("checking", line("back", 78000, 20, unknownFirm))
	b.process()
	b.send("checking", line("bought", -78000, 4, unknownFirm))
	c := config(t, frozen)
	c.FreeMonthly = 2
	b.worker = worker.New(c)
	b.process()
	if bought, back := b.row("bought"), b.row("back"); bought.Processing != "limited" || back.IsRefund ||
		!back.NeedsAttention || back.Processing != "processed" {
		t.Errorf("the purchase is %s; the refund %v, needs attention %v", bought.Processing, back.IsRefund,
			back.NeedsAttention)
	}
	if n := b.events(); n != 0 {
		t.Errorf("%d events are left", n)
	}
}

func TestTheUsersChoiceAnswersWhatIsAskedAboutTheRow(t *testing.T) {
	b := openBank(t, "paid")
	b.send("checking", line("a", -50000, 1, unknownFirm), line("b", -60000, 2, unknownFirm))
	b.process()
	choose := func(id string) {
		must(t, b.SetCategory(t.Context(), noon, b.ids[id], store.CategoryChoice{CategoryID: supplies, Source: "user",
			Confidence: 10_000}))
	}
	choose("a")
	if i := b.asked("Quorvane"); i.TransactionCount != 1 || b.row("a").NeedsAttention || !b.row("b").NeedsAttention {
		t.Errorf("the question is about %d rows; attention: a %v, b %v", i.TransactionCount, b.row("a").NeedsAttention,
			b.row("b").NeedsAttention)
	}
	choose("b")
	if left := b.questions(); len(left) != 0 {
		t.Errorf("still asked: %+v", left)
	}
}

// Answers and uploads of all kinds at once end, and agree.
func TestAnsweringRefundsAndNamesWhileAccountsAreProcessed(t *testing.T) {
	b := openBank(t, "paid")
	for round := range 6 {
		letter := string(rune('A' + round))
		firm, other := "QUORVANE"+letter+" TRADING LLC", "MERRIDEW"+letter+" TRADING LLC"
		id := func(s string) string { return s + letter }
		b.send("reserve", line(id("bought"), -78000, 4, firm), line(id("variant"), -12000, 4, other))
		b.send("checking", line(id("back"), 78000, 20, firm))
		b.process()
		question, variant := b.row(id("bought")).IssueIDs[0], b.row(id("variant")).IssueIDs[0]
		done := make(chan error, 4)
		go func() {
			done <- storetest.Answer(b, b.t.Context(), noon, uuid.MustParse(question),
				store.Answer{Person: b.person, Text: "supplies", Meaning: answers.Meaning{CategoryID: supplies}})
		}()
		go func() {
			done <- storetest.Answer(b, b.t.Context(), noon, uuid.MustParse(variant),
				store.Answer{Person: b.person, Text: "Quorvane" + letter + " Trading LLC"})
		}()
		for _, account := range []string{"checking", "savings"} {
			go func() {
				uploaded, err := b.UploadTransactions(b.t.Context(), noon, b.accounts[account],
					[]store.TransactionUpload{
						line(id("more-"+account), -9000, 6, other), line(id("same-"+account), -78000, 6, firm),
						line(id("back"+account), 9000, 8, firm),
					})
				if err == nil {
					err = b.worker.ProcessEvent(b.t.Context(), uploaded.Event)
				}
				done <- err
			}()
		}
		for range 4 {
			must(t, <-done)
		}
		b.process()
		if n := b.events(); n != 0 {
			t.Fatalf("%d events are left", n)
		}
		for what, query := range map[string]string{
			"rows of a counterparty that is gone": `
				SELECT count(*) FROM transactions t WHERE organization_id = $1 AND counterparty_id IS NOT NULL
				AND NOT EXISTS (SELECT FROM counterparties c WHERE c.organization_id = $1 AND c.id = t.counterparty_id)`,
			"rows that are not processed": `SELECT count(*) FROM transactions WHERE organization_id = $1 AND processing <> 'processed'`,
			"questions that count other rows than they have": `
				SELECT count(*) FROM outstanding_issues i WHERE organization_id = $1 AND status = 'open'
				AND transaction_count <> (SELECT count(*) FROM issue_transactions it WHERE it.organization_id = $1 AND it.issue_id = i.id)`,
			"rows that need attention without a question, or the reverse": `
				SELECT count(*) FROM transactions t WHERE organization_id = $1 AND needs_attention <> EXISTS (
				  SELECT FROM issue_transactions it JOIN outstanding_issues i ON i.organization_id = it.organization_id
				  AND i.id = it.issue_id
				  WHERE it.organization_id = $1 AND it.transaction_id = t.id AND i.status = 'open')`,
		} {
			if n := b.count(query); n != 0 {
				t.Errorf("round %d: %d %s", round, n, what)
			}
		}
		b.wantCategory(id("back"), supplies, "rule")
	}
}
