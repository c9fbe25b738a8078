package questions_test

import (
	"testing"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/questions"
)

// Of what comes in a large round sum may be lent or held for somebody, and is asked about by itself. What is owed, and
// what many customers paid less what was kept, is rarely round, and is as the smaller ones.
func TestALargeSumIsAskedAboutWithTheOthersUnlessItIsRound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		path   string
		amount money.Amount
		alone  bool
	}{
		{"revenue.sales.processor_payouts", 5_813_87, false},
		{"revenue.sales.processor_payouts", 20_000_00, true},
		{"revenue.sales.processor_payouts", 4_900_00, false},
		{"revenue.sales.marketplace_payouts", 7_210_40, false},
		{"revenue.sales.services", 5_813_87, false},
		{"revenue.sales.services", 6_000_00, true},
		{"revenue.sales.services", 4_000_00, false},
		{"revenue.sales.services", 55_603_18, true},
		{"revenue.sales.processor_payouts", 55_603_18, false},
	} {
		d := categorize.Decision{CategoryID: categoryAt(t, c.path),
			Counterparty: categorize.Counterparty{Key: "quorvane", Name: "Quorvane"}}
		key := questions.KeyOf(questions.Line{Amount: c.amount, Currency: "USD"}, d)
		if alone := key != questions.AboutCounterparty("quorvane"); alone != c.alone {
			t.Errorf("%v of %s is asked about as %v", c.amount, c.path, key)
		}
	}
}

// One answer names the taxes of a payroll by a word of their lines; of lines without one it cannot be true.
func TestPayrollWhoseLinesDoNotSayWhatIsAskedAboutApart(t *testing.T) {
	t.Parallel()
	family := func(path string) questions.Key {
		d := categorize.Decision{CategoryID: categoryAt(t, path),
			Counterparty: categorize.Counterparty{Key: "gusto", Name: "Gusto"}}
		key, ok := questions.FamilyOf(questions.Line{Amount: -812_40, Currency: "USD"}, d)
		if !ok || !key.OfPayroll() {
			t.Errorf("%s is of %v, which is no payroll's", path, key)
		}
		return key
	}
	named := family("expense.wages.net_pay")
	if taxes := family("expense.taxes_licenses.payroll"); taxes != named {
		t.Errorf("taxes are asked about as %v, net pay as %v", taxes, named)
	}
	if unnamed := family("expense.wages.provider_funding"); unnamed == named {
		t.Errorf("what a line does not name is asked about as %v too", unnamed)
	}
}
