package answers

import "testing"

// Rows on one side of a month are those before it or behind it: those of the month are meant only where it is said.
func TestRowsLieOnOneSideOfAMonth(t *testing.T) {
	const rent, insurance = "expense.rent.property", "expense.insurance"
	for words, want := range map[string]string{
		"until May they were shop rent, since then insurance": "1,5,6: " + insurance + "; 2,3,7,8: " + rent,
		"before May shop rent, after that insurance":          "1,4,5,6: " + insurance + "; 2,3,7,8: " + rent,
		"through May shop rent, after that insurance":         "1,5,6: " + insurance + "; 2,3,4,7,8: " + rent,
		"Until June shop rent, from June on insurance.":       "1,5,6: " + insurance + "; 2,3,4,7,8: " + rent,
		"January through March shop rent, the rest insurance": "2,3,7,8: " + rent + "; " + insurance,
		"Jan to May are shop rent":                            "2,3,4,7,8: " + rent,
		"Insurance since June, shop rent before":              "1,5,6: " + insurance + "; 2,3,4,7,8: " + rent,
		"Since June insurance, before that shop rent.":        "1,5,6: " + insurance + "; 2,3,4,7,8: " + rent,
	} {
		if got := meant(ledger, words); got != want {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
}

// What brackets behind one of a list say is said of that one, what stands before a colon of those behind it, and a
// number that the bank wrote is no sum of money.
func TestEachOfAListIsWhatStandsWithIt(t *testing.T) {
	const rent, lawyer, cpa = "expense.rent.property", "expense.legal_professional.legal",
		"expense.legal_professional.accounting"
	for words, want := range map[string]string{
		"1001, 1002 (lawyer), 1003 are shop rent":                     "2,3: " + rent + "; 7: " + lawyer,
		"1001 (shop rent), 1003 (lawyer) and 1004 (accountant)":       "2: " + lawyer + "; 3: " + rent + "; 8: " + cpa,
		"1001 (shop rent), 1005 (same), 1003 lawyer":                  "2: " + lawyer + "; 3,4: " + rent,
		"1001 (the january one), 1005 are shop rent":                  "3,4: " + rent,
		"Lawyer: 1003, accountant: 1004":                              "2: " + lawyer + "; 8: " + cpa,
		"Lawyer: 1003; accountant: 1004":                              "2: " + lawyer + "; 8: " + cpa,
		"Lawyer: 1003, 1004; the rest: shop rent":                     "2,8: " + lawyer + "; " + rent,
		"Shop rent 1001, 1005, lawyer 1003":                           "2: " + lawyer + "; 3,4: " + rent,
		"lawyer (1003), the accountant (1004), the rest is shop rent": "2: " + lawyer + "; 8: " + cpa + "; " + rent,
		"I gave 1003 to the accountant":                               "2: " + cpa,
		"I gave 1003 to the church":                                   "2: personal.charity",
		"Office supplies: 1002, 1004, 1006 lunch":                     "unclear",
		"Shop rent - 1001, 1005. Lawyer - 1003.":                      "unclear",
		"they bounced and I paid bank fees":                           "unclear",
		"1003 bounced and I paid a bank fee":                          "unclear",
		"except for a third, 1003 was shop rent":                      "unclear",
		"All but a third of 1003 was shop rent":                       "unclear",
	} {
		if got := meant(ledger, words); got != want {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
}

// What is spelled like a month may be the name of a thing.
func TestInitialsAreNoMonth(t *testing.T) {
	loan := onDays(asksOf(false, "812.45 DLL|DLL", "812.45 DLL|DLL", "812.45 DLL|DLL"), "09-18", "10-20", "11-18")
	for words, want := range map[string]string{
		"loan for the OCT":                     "liability.loan_payment_unsplit",
		"the OCT ones are a loan payment":      "2: liability.loan_payment_unsplit",
		"October was shop rent":                "2: expense.rent.property",
		"the Oct one was shop rent":            "2: expense.rent.property",
		"THE OCT PAYMENT WAS SHOP RENT":        "2: expense.rent.property",
		"Shop rent, but Oct was a loan":        "2: liability.loan_payment_unsplit; expense.rent.property",
		"OCT was shop rent, the rest is meals": "2: expense.rent.property; expense.meals",
	} {
		if got := meant(loan, words); got != want {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
}

// A span of days has all rows between them, also where there are none on either; a half of the year has six months.
func TestSpansOfDaysHaveAllBetween(t *testing.T) {
	t.Parallel()
	const rent, insurance = "expense.rent.property", "expense.insurance"
	const mayAndJune = "4,6: " + insurance + "; " + rent
	for words, want := range map[string]string{
		"from May 1 to June 30 insurance, the others shop rent": mayAndJune,
		"5/1 - 6/30 insurance; the others shop rent":            mayAndJune,
		"between May 1 and June 30 insurance, rest shop rent":   mayAndJune,
		"May 6 and June 17 were insurance, rest shop rent":      mayAndJune,
		"the first half of the year was shop rent, the second half of the year insurance": "1,5: " + insurance +
			"; 2,3,4,6,7,8: " + rent,
	} {
		if got := meant(ledger, words); got != want {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
}

// Who is called as a month is is somebody, unless words say when.
func TestSomebodyMayBeCalledAsAMonthIs(t *testing.T) {
	t.Parallel()
	people := onDays(asksOf(false, "90.00 June Park|ZELLE TO JUNE PARK", "90.00 June Park|ZELLE TO JUNE PARK",
		"650.00 Walt Moss|ZELLE TO WALT MOSS"), "05-24", "07-24", "06-02")
	const labor, rent = "expense.contract_labor", "expense.rent.property"
	for words, want := range map[string]string{
		"June is a subcontractor. Everyone else is shop rent": "1,2: " + labor + "; " + rent,
		"All shop rent but June":                              "1,2: open; " + rent,
		"the payment in June was shop rent":                   "3: " + rent,
	} {
		if got := meant(people, words); got != want {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
}
