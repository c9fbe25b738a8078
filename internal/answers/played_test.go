package answers

import (
	"testing"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

var (
	wires = onDays(asksOf(true, "20700.00 Brantley|WIRE BRANTLEY", "13800.00 Brantley|WIRE BRANTLEY",
		"700.00 Others|WIRE OTHERS"), "01-10", "03-10", "04-10")
	oneWire  = asksOf(true, "20700.00 Brantley|WIRE BRANTLEY")
	showroom = asksOf(false, "990.00 Highland House|HIGHLAND HOUSE")
	takers   = onDays(asksOf(false, "1200.00 IRS|IRS USATAXPYMT", "450.00 Oktaxpmt Inc|OKTAXPMT INC",
		"300.00 NC Dept Of Revenue|NC DEPT REVENUE"), "01-10", "03-10", "05-05")
	warehouse = asksOf(false, "300.00 Costco|COSTCO", "280.00 Costco|COSTCO", "120.00 Costco|COSTCO")
	gustos    = asksOf(false, "980.11 Gusto|GUSTO NET 1", "312.20 Gusto|GUSTO TAX 1", "55.00 Gusto|GUSTO FEE 3")
	oneCheck  = asksOf(false, "1050.00 |CHECK 1001")
	cable     = asksOf(false, "99.00 Cox|COX COMM", "99.00 Cox|COX COMM")
	depots    = func() Asked {
		q := asksOf(false, "990.00 Restaurant Depot|RESTAURANT DEPOT", "880.00 Restaurant Depot|RESTAURANT DEPOT")
		for i := range q.Lines {
			q.Lines[i].Reads = ontology.MustPath("cogs.purchases").ID
		}
		return q
	}()
)

// Owners who were played by people who did not know the reader wrote these: each was read as something else, or not at
// all. An empty want is that nothing is decided.
func TestWhatPlayedOwnersWroteIsUnderstood(t *testing.T) {
	const back, fee = "asset.reimbursable", "revenue.sales.services"
	for _, c := range []struct {
		of    Asked
		words string
		want  []string // what each row is
	}{
		{wires, "On line 1, 18,000 was paying me back for their furniture and 2,700 my fee. Line 2: 12,000 paying me " +
			"back for furniture and 1,800 my fee.", []string{"18000.00 " + back + " 2700.00 revenue.sales",
			"12000.00 " + back + " 1800.00 revenue.sales", ""}},
		{wires, "1: 18,000 client reimbursement, rest design fee",
			[]string{"18000.00 " + back + " 2700.00 " + fee, "", ""}},
		{oneWire, "2,700 is my fee and the rest is them paying me back",
			[]string{"2700.00 revenue.sales 18000.00 " + back}},
		{oneWire, "$18,000 was for furniture I had bought for them, the other 2,700 is my design fee",
			[]string{"18000.00 " + back + " 2700.00 " + fee}},
		{oneWire, "reimbursement for furniture", []string{back}},
		{oneWire, "they paid me back", []string{""}},
		{showroom, "a bedroom set for the Raos, reimbursed", []string{back}},
		{showroom, "She sews drapes and cushions for my clients, who reimburse me", []string{back}},
		{showroom, "Vintage pieces for clients, paid back", []string{back}},
		{showroom, "she paid me back", []string{""}},
		{showroom, "I reimbursed my client for it", []string{""}},
		{showroom, "client furniture, reimbursed. 395.50 was a return", []string{""}},
		{takers, "IRS and OKTAXPMT INC are my own income tax, federal and state.",
			[]string{"tax.estimated_income", "tax.state_income", ""}},
		{takers, "IRS is my own income tax, NC Dept of Revenue too.",
			[]string{"tax.estimated_income", "", "tax.state_income"}},
		{takers, "North Carolina income tax", []string{"", "tax.state_income", "tax.state_income"}},
		{warehouse, "It's food ingredients we cook and sell. 30% of line 2 was personal.",
			[]string{"cogs.materials", "84.00 personal.living 196.00 cogs.materials", "cogs.materials"}},
		{gustos, "The TAX part was withheld from their paychecks, the rest is pay",
			[]string{"", "liability.payroll_tax_withheld", ""}},
		{oneCheck, "650 of it is January rent for the commissary, 400 is the deposit I get back when I leave",
			[]string{"650.00 expense.rent.property 400.00 asset.security_deposit"}},
		{cable, "a third internet for the business, the rest is private",
			[]string{"33.00 expense.utilities.internet 66.00 personal.living",
				"33.00 expense.utilities.internet 66.00 personal.living"}},
		{depots, "groceries", []string{"cogs.purchases", "cogs.purchases"}},
		{warehouse, "groceries", []string{"personal.living", "personal.living", "personal.living"}},
	} {
		m := Understand(c.of, c.words, nil)
		for i, want := range c.want {
			if got := saidOf(t, m, c.of.Lines[i]); got != want {
				t.Errorf("%q says of line %d %q, want %q", c.words, i+1, got, want)
			}
		}
	}
}

// Honest owners, of whom an outsider wrote down what they would say, were read so that rows became something else: the
// interest of a year was that of each payment, what brackets behind an exception say took it out of the list, the last
// one in time was that of the list, and who is none of the rows was all of them. An empty want is that it stays open.
func TestWhatHonestOwnersWroteIsNotMisread(t *testing.T) {
	const labor, phone = "expense.contract_labor", "expense.utilities.phone"
	loan := onDays(asksOf(false, "391.50 US Bank|US BANK LOAN", "391.50 US Bank|US BANK LOAN"), "01-24", "02-24")
	loan.Options = []questions.Option{{Value: "liability.loan_payment_unsplit"}, {Value: "liability.loan_principal"}}
	for _, words := range []string{"loan, 240 interest in 2025",
		"van loan. 240.00 interest in 2025, rest principal"} {
		m := Understand(loan, words, nil)
		if m.Split == nil || !m.Split.Yearly || m.Split.Parts[0].Cents != 240_00 {
			t.Errorf("%q is %+v, want 240.00 of interest in the year", words, m.Split)
		}
	}
	bills := asksOf(false, "90.00 AT&T|ATT", "90.00 AT&T|ATT")
	bills.Options = []questions.Option{
		{Value: phone},
		{Value: "expense.utilities.internet"},
		{Value: "personal.living"},
	}
	for i := range bills.Lines {
		bills.Lines[i].Reads = ontology.MustPath(phone).ID
	}
	sale := onDays(asksOf(true, "400.00 Jane Ford|ZELLE JANE FORD"), "04-09")
	trip := asksOf(false, "500.00 Unknown Air|UNKN AIR", "200.00 Marriott|MARRIOTT",
		"30.00 Waffle House|WAFFLE HOUSE")
	marco := onDays(asksOf(false, "585.00 Marco Perez|ZELLE MARCO", "555.00 Marco Perez|ZELLE MARCO",
		"200.00 Deb Perez|ZELLE DEB", "130.00 Deb Perez|ZELLE DEB"), "05-07", "03-07", "03-09", "04-09")
	hannah := onDays(asksOf(false, "325.00 Hannah Brooks|ZELLE HANNAH", "75.00 Toby Reyes|VENMO TOBY",
		"65.00 Toby Reyes|VENMO TOBY", "20.00 Gran|ZELLE GRAN"), "03-06", "03-26", "01-26", "04-01")
	stays := onDays(asksOf(false, "340.00 Airbnb|AIRBNB HM9912 DENVER", "512.00 Airbnb|AIRBNB HM2211 SAN FRANCISCO",
		"112.00 Airbnb|AIRBNB HM2211 TULSA"), "03-06", "06-06", "07-07")
	rides := onDays(asksOf(false, "29.50 Uber|UBER TRIP", "19.00 Uber|UBER TRIP", "18.00 Uber|UBER TRIP",
		"90.00 Uchi|UCHI"), "05-16", "01-16", "04-16", "02-02")
	bather := asksOf(false, "180.00 Kim Nguyen|VENMO KIM", "50.00 Tina Fey|VENMO TINA")
	for _, c := range []struct {
		of    Asked
		words string
		want  []string // what each row is
	}{
		{bills, "60% business", []string{"54.00 " + phone + " 36.00 personal.living"}},
		{sale, "4/9: private sale of a couch, personal.", []string{"personal.income"}},
		{takers, "All three: federal estimated income tax.", []string{"tax.estimated_income", "tax.estimated_income"}},
		{trip, "Delta: business travel. Marriott: business travel.", []string{"", "expense.travel", ""}},
		{friends, "Carlos contractor except May (moved my couch), Ann private",
			[]string{labor, "", labor, "personal.living", "personal.living", ""}},
		{marco, "Marco is a contractor except the 555.00, Deb is private except the 130.00 which was bookkeeping",
			[]string{labor, "", "personal.living", "expense.legal_professional.accounting"}},
		{marco, "My contractor Marco, the third one was private. Deb private", []string{"", "", "personal.living"}},
		{hannah, "Hannah is my contractor, the rest private except Toby Jan-Mar which was studio rent",
			[]string{labor, "expense.rent.property", "expense.rent.property", "personal.living"}},
		{stays, "Denver wedding job, SF was vacation", []string{"", "", ""}},
		{rides, "Uber Jan May work travel, others private", []string{"expense.travel", "expense.travel",
			"personal.living", "personal.living"}},
		{bather, "Kim bathes dogs for us", []string{"", ""}},
		{gustos, "NET: wages. TAX: payroll taxes.", []string{"expense.wages", "expense.taxes_licenses.payroll", ""}},
		{ledger, "shop rent, 1003 kids camp", []string{"expense.rent.property", "personal.living"}},
		{tony, "Three are contractors, the other one private", []string{"", "", "", ""}},
		{tony, "contractor, but the last one was for babysitting our kids", []string{"", "", "", ""}},
	} {
		m := Understand(c.of, c.words, nil)
		for i, want := range c.want {
			if got := saidOf(t, m, c.of.Lines[i]); got != want {
				t.Errorf("%q says of line %d %q, want %q", c.words, i+1, got, want)
			}
		}
	}
}

// What is said of the others and is not understood is told, too.
func TestARuleThatIsNotUnderstoodIsTold(t *testing.T) {
	m := Understand(wires, "Client checks for my design work mostly. 3 is an owner contribution", nil)
	if want := ` Not understood of what you wrote: "Client checks for my design work mostly".`; m.Missed() != want {
		t.Errorf("missed %q, want %q", m.Missed(), want)
	}
}

// A yes or no about the business may go on.
func TestYesMayGoOn(t *testing.T) {
	q := Asked{
		Company: true,
		Context: wording.Context{
			Options: []questions.Option{
				{Value: questions.PrivateYes, Label: "Yes, now and then", Role: questions.RoleYes},
				{Value: questions.PrivateNo, Label: "No, they are the business's alone", Role: questions.RoleNo},
			},
		},
	}
	for words, want := range map[string]string{
		"Yes, family groceries, Netflix and so on sometimes go on the card": questions.PrivateYes,
		"no, never": questions.PrivateNo, "now and then": questions.PrivateYes,
		"Sure, now and then, Walmart and the wedding": questions.PrivateYes,
	} {
		if m := Understand(q, words, nil); m.Note != want {
			t.Errorf("%q: %+v, want %q", words, m, want)
		}
	}
}
