package report

import (
	"testing"

	"pgregory.net/rapid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// lines are the filled-in lines by number.
func lines(b *Books) map[string]LineAmount {
	list := map[string]LineAmount{}
	for _, line := range b.ScheduleC() {
		list[line.Number] = line
	}
	return list
}

func TestFormHasEveryLineInItsOrder(t *testing.T) {
	t.Parallel()
	for i, line := range NewBooks(1).ScheduleC() {
		if line.Line != ontology.Lines[i] || line.Amount.Sign() != 0 || line.Deductible.Sign() != 0 {
			t.Errorf("line %d is %+v, want an empty %s", i, line, ontology.Lines[i].Number)
		}
	}
}

func TestFormAgreesWithTheBooks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		books, _ := randomBooks(t)
		form := lines(books)
		profit, _ := books.Profit()
		for line, want := range map[string]money.Total{
			"1": profit.GrossReceipts, "2": profit.Returns, "3": profit.NetReceipts(), "4": profit.CostOfGoodsSold,
			"5": profit.GrossProfit(), "6": profit.OtherIncome, "7": profit.GrossIncome(), "31": profit.NetProfit(),
		} {
			if got := form[line].Amount; got != want {
				t.Fatalf("line %s is %s, the books %s", line, got, want)
			}
		}
		if got := form["28"].Amount.Plus(form["30"].Amount); got != profit.OperatingExpenses {
			t.Fatalf("lines 28 and 30 are %s, operating expenses %s", got, profit.OperatingExpenses)
		}
		var expenses money.Total
		within := false
		for _, line := range ontology.Lines {
			within = (within || line.Number == "8") && line.Number != "28"
			if within {
				expenses = expenses.Plus(form[line.Number].Deductible)
			}
		}
		if expenses != form["28"].Deductible {
			t.Fatalf("deductible lines 8 to 27b are %s, line 28 is %s", expenses, form["28"].Deductible)
		}
		want := form["7"].Deductible.Minus(form["28"].Deductible).Minus(form["30"].Deductible)
		if form["31"].Deductible != want {
			t.Fatalf("deductible line 31 is %s, want %s", form["31"].Deductible, want)
		}
	})
}

func TestHalfOfMealsIsDeductibleRoundedHalfToEven(t *testing.T) {
	t.Parallel()
	meals, _ := ontology.ScheduleC().ByPath("expense.meals")
	for spent, want := range map[money.Amount]string{1: "0.00", 3: "0.02", 5: "0.02", 7: "0.04", 1000: "5.00",
		-1: "0.00", -3: "-0.02"} {
		books := NewBooks(1)
		books.Add(meals, 0, row{amount: -spent}.flow())
		form := lines(books)
		if got := form["24b"].Deductible.String(); got != want {
			t.Errorf("half of %s is %s, want %s", spent, got, want)
		}
		if form["24b"].Amount != money.TotalOf(spent) || form["31"].Amount != money.TotalOf(-spent) ||
			form["31"].Deductible != form["24b"].Deductible.Neg() {
			t.Errorf("meals of %s: lines %+v, %+v", spent, form["24b"], form["31"])
		}
	}
}

func TestMarginsBeyondWhatARatioHoldsAreNull(t *testing.T) {
	t.Parallel()
	m := Profit{GrossReceipts: money.TotalOf(1), OperatingExpenses: money.TotalOf(money.Max)}.Margins()
	if m.Gross == nil || *m.Gross != 10_000 || m.Operating != nil || m.Net != nil {
		t.Errorf("margins of a cent of receipts and the largest expense are %v", m)
	}
}

func TestMarginsAreNullWithoutADivisor(t *testing.T) {
	t.Parallel()
	m := Profit{OperatingExpenses: money.TotalOf(100)}.Margins()
	if m.Gross != nil || m.Operating != nil || m.Net != nil {
		t.Errorf("margins without receipts are %v", m)
	}
	m = Profit{GrossReceipts: money.TotalOf(1100), Returns: money.TotalOf(100), CostOfGoodsSold: money.TotalOf(400),
		OtherIncome: money.TotalOf(200), OperatingExpenses: money.TotalOf(300)}.Margins()
	for name, pair := range map[string][2]string{
		"gross":     {m.Gross.String(), "0.6000"},
		"operating": {m.Operating.String(), "0.3000"},
		"net":       {m.Net.String(), "0.4167"}, // (600 + 200 - 300) / 1200
	} {
		if pair[0] != pair[1] {
			t.Errorf("%s margin is %s, want %s", name, pair[0], pair[1])
		}
	}
}
