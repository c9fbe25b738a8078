package decide_test

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

var day = time.Date(2026, 5, 4, 0, 0, 0, 0, time.UTC)

func categoryAt(t *testing.T, path string) int {
	t.Helper()
	c, ok := ontology.ScheduleC().ByPath(path)
	if !ok {
		t.Fatalf("no category %s", path)
	}
	return c.ID
}

func row(cents money.Amount, description string) decide.Row {
	return decide.Row{
		Line: questions.Line{ID: uuid.New(), Amount: cents, Currency: "USD", Description: description,
			PrimaryDate: day},
		AccountID:   uuid.New(),
		AccountName: "Checking",
		AccountType: "depository",
	}
}

func TestARowIsAskedAboutWhereItsLineDoesNotSettleIt(t *testing.T) {
	for _, c := range []struct {
		row      decide.Row
		asked    string // the key of the question; empty for none
		category bool
	}{
		{row(-12_99, "ADOBE *CREATIVE CLOUD 408-536-6000 CA"), "", true},
		{row(-780_00, "QUORVANE HOLDINGS 4471"), "quorvane holdings", true},
		{row(1_200_00, "ATM CASH DEPOSIT 05/04 AUSTIN TX"), "lines:deposits", true},
		{row(-5_00, "CHECK 1044"), "", false},
	} {
		d := decide.New().Decide([]decide.Row{c.row}, questions.Remember(nil))[0]
		got := ""
		if d.Question != nil {
			got = d.Question.Key.String()
		}
		if got != c.asked || (d.CategoryID != 0) != c.category {
			t.Errorf("%q: asked about as %q with category %d, want %q and a category: %v", c.row.Description, got,
				d.CategoryID, c.asked, c.category)
		}
	}
}

func TestAnAnswerDecidesTheNextRows(t *testing.T) {
	supplies := categoryAt(t, "expense.supplies")
	memory := questions.Remember([]questions.Answered{{CounterpartyKey: "quorvane holdings", Amount: -780_00,
		CategoryID: &supplies}})
	d := decide.New().Decide([]decide.Row{row(-781_00, "QUORVANE HOLDINGS 4471")}, memory)[0]
	if d.CategoryID != supplies || d.Source != categorize.SourceMemory || d.Question != nil {
		t.Errorf("decided %d by %q, asked %v", d.CategoryID, d.Source, d.Question)
	}
}

// A row that had a category is asked about only where its new line says something else, and keeps it until then.
func TestAChangedLineIsAskedAboutWhereItMeansSomethingElse(t *testing.T) {
	software := decide.New().Decide([]decide.Row{row(-12_99, "ADOBE *CREATIVE CLOUD")},
		questions.Remember(nil))[0].CategoryID
	for description, asked := range map[string]bool{
		"ADOBE *CREATIVE CLOUD 408-536-6001 CA": false,
		"SHELL OIL 57444212300 AUSTIN TX":       true,
		"CHECK 1044":                            false,
	} {
		r := row(-12_99, description)
		r.CategoryID = &software
		if d := decide.New().Decide([]decide.Row{r}, questions.Remember(nil))[0]; (d.Question != nil) != asked {
			t.Errorf("%q: asked %v, want %v", description, d.Question, asked)
		}
	}
}

func TestBothLegsOfATransferAreDecidedAndNotAskedAbout(t *testing.T) {
	engine, none := decide.New(), questions.Remember(nil)
	out, in := row(-500_00, "ONLINE TRANSFER TO SAVINGS"), row(500_00, "ONLINE TRANSFER FROM CHECKING")
	in.AccountName = "Savings"
	now, before := engine.Decide([]decide.Row{out}, none), engine.Decide([]decide.Row{in}, none)
	transfers := decide.Transfers(decide.MayBeLegs(now), before)
	if len(transfers) != 2 || !transfers[0].Decided || transfers[1].Decided || transfers[0].Leg.ID != out.ID ||
		transfers[1].Leg.ID != in.ID {
		t.Fatalf("transfers are %+v", transfers)
	}
	decide.AreTransfers(now, transfers)
	if d := now[0]; d.CategoryID != categoryAt(t, "transfer.internal") || d.Question != nil ||
		d.Reason != "Equal and opposite to a row of Savings on 2026-05-04" {
		t.Errorf("the leg is decided %d, asked %v, because %q", d.CategoryID, d.Question, d.Reason)
	}
	if again := decide.Transfers(nil, append(now, before...)); len(again) != 0 {
		t.Errorf("rows of other batches are paired: %+v", again)
	}
}

func TestMoneyBackIsCountedLikeItsPurchase(t *testing.T) {
	engine, none := decide.New(), questions.Remember(nil)
	supplies := categoryAt(t, "expense.supplies")
	back := row(78_00, "QUORVANE HOLDINGS 4471")
	bought := categorize.Purchase{ID: uuid.New(), Amount: -78_00, Day: day.AddDate(0, 0, -9),
		CategoryID: supplies, Confidence: 10_000}

	decided := engine.Decide([]decide.Row{back}, none)
	decide.AreRefunds(decided, map[uuid.UUID][]categorize.Purchase{back.ID: {bought}})
	if d := decided[0]; d.CategoryID != supplies || !d.Refund || d.Question != nil {
		t.Errorf("decided %d, refund %v, asked %v", d.CategoryID, d.Refund, d.Question)
	}

	// It came before its purchase was known, and is explained by it now.
	shop := decide.Shop{Key: "quorvane holdings", Currency: "USD"}
	earlier := decide.Refund{Row: back, Shop: shop}
	earlier.NeedsAttention = true
	explained := decide.Explain([]decide.Refund{earlier}, decide.Purchases{shop: {bought}})
	if len(explained) != 1 || explained[0].ID != back.ID || explained[0].Purchase != uuid.UUID(bought.ID) {
		t.Errorf("explained are %+v", explained)
	}
	shop.Currency = "EUR"
	if other := decide.Explain([]decide.Refund{earlier}, decide.Purchases{shop: {bought}}); len(other) != 0 {
		t.Errorf("a purchase in another currency explains it: %+v", other)
	}
}
