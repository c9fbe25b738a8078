package answers

import "testing"

var (
	helpers = onDays(asksOf(false, "470.00 Cal Reed|ZELLE TO CAL REED", "450.00 Bob Stone|ZELLE TO BOB STONE",
		"200.00 Ann Lee|ZELLE TO ANN LEE"), "02-10", "01-10", "01-03")
	cheques = onDays(asksOf(false, "1400.00 |CHECK # 1001", "325.50 |CHECK # 1002", "612.00 |CHECK # 1003",
		"1400.00 |CHECK # 1004", "88.00 |CHECK # 1005", "77.00 |CHECK # 1006"),
		"01-01", "01-10", "02-03", "02-01", "03-03", "04-04")
)

// What is left out of a subject is not what the sentence says of the others, wherever the exception stands.
func TestWhatIsLeftOutIsNotWhatIsSaidOfTheOthers(t *testing.T) {
	const butAnn = "3: open; expense.contract_labor"
	for _, words := range []string{
		"Everyone except Ann Lee is a subcontractor", "All but Ann Lee are subcontractors",
		"All of them except Ann Lee are expense.contract_labor", "Other than Ann Lee, all are subcontractors",
		"Apart from Ann Lee all of them are subcontractors", "Besides Ann Lee, everyone is a subcontractor",
		"Without Ann Lee, all are subcontractors", "Everyone, except Ann Lee, is a subcontractor",
		"Everybody but Ann is a subcontractor", "They are all subcontractors but Ann Lee",
		"Everything but line 3 is contract labor", "Lines 1 to 3 except 3 are subcontractors",
		"All subcontractors, but not Ann Lee", "Everyone is a subcontractor except Ann Lee",
	} {
		if got := meant(helpers, words); got != butAnn {
			t.Errorf("%q means %q, want %q", words, got, butAnn)
		}
	}
	for _, c := range []struct{ words, want string }{
		{"Everything is shop rent but 1002", "2: open; expense.rent.property"},
		{"All checks except 1002 are shop rent", "2: open; expense.rent.property"},
		{"Everything over $500 except 1003 is shop rent", "1,4: expense.rent.property; 3: open"},
		{"Checks 1001 to 1005 except 1002 and 1004 are shop rent.", "1,3,5: expense.rent.property; 2,4: open"},
		{"Lines 1-5 without 3 are shop rent", "1,2,4,5: expense.rent.property; 3: open"},
		{"Lines 1 to 5, but not line 3, are shop rent.", "1,2,4,5: expense.rent.property; 3: open"},
		{"The $1,400 ones except line 1 are shop rent", "1: open; 4: expense.rent.property"},
		{"All the checks in January except 1002 were shop rent", "1: expense.rent.property; 2: open"},
		{"1001 to 1005 are shop rent, apart from 1002.", "1,3,4,5: expense.rent.property; 2: open"},
		{"Lines 1 to 5 are shop rent. Not sure about 6.", "1,2,3,4,5: expense.rent.property; 6: open"},
		{"1-5 are shop rent, not sure about the rest", "1,2,3,4,5: expense.rent.property"},
		{"All the 1400s are shop rent, don't know about the others", "1,4: expense.rent.property"},
		{"Everybody except 1002 and 1003 is shop rent, 1003 was the lawyer",
			"2: open; 3: expense.legal_professional.legal; expense.rent.property"},
		{"Besides 1002 they bought zebras", "unclear"},
		{"all shop rent minus 1002", "unclear"},
		{"1001 or 1004 is shop rent", "unclear"},
		{"1001 and maybe 1002 are shop rent", "unclear"},
		{"everything before March is shop rent", "1,2,3,4: expense.rent.property"},
		{"the ones after February are shop rent", "5,6: expense.rent.property"},
		{"1001: shop rent, 1002: lawyer, 1003: contract labor",
			"1: expense.rent.property; 2: expense.legal_professional.legal; 3: expense.contract_labor"},
		{"1002: shop rent; rest: contract labor", "2: expense.rent.property; expense.contract_labor"},
		{"1001-1003: shop rent", "1,2,3: expense.rent.property"},
		{"check 1002: shop rent.; 5: zorbs and quaffles.", "2: expense.rent.property; 5: open"},
		{"checks 1001-1003: shop rent", "1,2,3: expense.rent.property"},
		{"1099: shop rent", "refused"},
		{"2: not sure", "unclear"},
		{"Rent, except 1002; 612.00: not sure", "unclear"},
		{"frobnicate; 612.00: not sure", "unclear"},
	} {
		if got := meant(cheques, c.words); got != c.want {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
}

var (
	authorities = asksOf(false, "900.00 IRS|IRS USATAXPYMT", "500.00 IRS|IRS USATAXPYMT",
		"300.00 Montana Department of Revenue|STATE OF MONTANA DOR", "35.00 City of Bozeman|CITY OF BOZEMAN")
	outings = asksOf(false, "80.00 Hilton|HILTON LAS VEGAS", "20.00 Uber|UBER",
		"94.20 Gallatin County Fair|GALLATIN COUNTY FAIR", "33.00 Caseys|CASEYS #12")
	accountant = asksOf(false, "1180.00 |CHECK 1420", "500.00 |CHECK 1421", "75.00 |CHECK 1422")
)

// What is said of one thing, or of somebody whom none of the rows is with, is not said of all.
func TestWhatIsSaidOfOneThingIsNotSaidOfAll(t *testing.T) {
	for _, c := range []struct {
		of    Asked
		words string
		want  string
	}{
		{outings, "The county fair was with the kids, personal.", "unclear"},
		{outings, "The parking ticket was with the van. The rest is meals.", "unclear"},
		{outings, "Blue Cross is our family health plan", "unclear"},
		{outings, "Blue Cross is our family health plan. Uber is personal", "2: personal.living"},
		{outings, "Casey's and Uber are personal", "2,4: personal.living"},
		{accountant, "The speeding ticket was on the way to a colic. The rest is contract labor.", "unclear"},
		{accountant, "1420 was my CPA: 290 is personal, the rest accounting.", "1: parts"},
		{helpers, "The 200 to Ann was a loan, she's paying it back. Rest contract labor",
			"3: asset.loan_given; expense.contract_labor"},
		{outings, "The groceries, Hilton, Uber and the orthodontist are personal", "1,2: personal.living"},
		{outings, "Hilton was the expo in San Antonio, and Uber was two days of zorbs, so those two are personal",
			"1,2: personal.living"},
		{outings, "Uber was a tank heater for the van, those are supplies. Hilton is personal",
			"1: personal.living; 2: expense.supplies"},
		{authorities, "IRS is my income tax", "1,2: tax.estimated_income"},
		{authorities, "The IRS and State of Montana ones are my own estimated income taxes",
			"1,2: tax.estimated_income; 3: tax.state_income"},
		{authorities, "Montana is my state income tax", "3: tax.state_income"},
	} {
		if got := meant(c.of, c.words); got != c.want {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
}
