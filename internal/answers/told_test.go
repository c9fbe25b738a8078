package answers

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// asksOf is a question whose lines are written as "amount name | description".
func asksOf(incoming bool, lines ...string) Asked {
	q := Asked{Context: wording.Context{Incoming: &incoming, Question: "What are these for?"}}
	for i, line := range lines {
		amount, rest, _ := strings.Cut(line, " ")
		name, description, _ := strings.Cut(rest, "|")
		a, err := money.Parse(amount)
		if err != nil {
			panic(err)
		}
		if !incoming {
			a = -a
		}
		q.Lines = append(q.Lines, AskedLine{N: i + 1, Transaction: uuid.New(), Counterparty: strings.TrimSpace(name),
			Amount: a, Currency: "USD", Description: strings.TrimSpace(description)})
	}
	return q
}

// meant is what was understood, as the owner would write it in the grammar: 1,3: path; rest: path.
func meant(q Asked, words string) string {
	m := Understand(q, words, nil)
	switch {
	case m.Problem != "" || m.Broken != nil:
		return "refused"
	case m.Unclear:
		return "unclear"
	}
	path := func(id int) string {
		c, ok := ontology.ScheduleC().ByID(id)
		switch {
		case id == 0:
			return "open"
		case !ok:
			return "parts"
		}
		return c.Path
	}
	of := map[string][]int{}
	for _, e := range m.Exceptions {
		for _, l := range q.Lines {
			if slices.Contains(e.Transactions, l.Transaction) {
				of[path(e.CategoryID)] = append(of[path(e.CategoryID)], l.N)
			}
		}
	}
	var all []string
	for what, lines := range of {
		slices.Sort(lines)
		all = append(all, strings.Trim(strings.ReplaceAll(fmt.Sprint(lines), " ", ","), "[]")+": "+what)
	}
	slices.Sort(all)
	switch {
	case m.Mixed:
		all = append(all, "mixed")
	case !m.Partial:
		all = append(all, path(m.CategoryID))
	}
	return strings.Join(all, "; ")
}

var (
	checks = asksOf(false, "1325.00 |CHECK 1041", "1325.00 |CHECK 1044", "180.00 |CHECK 2146", "640.00 |CHECK 2151",
		"95.50 |CHECK 2152", "410.00 |CHECK 2144")
	people = asksOf(false, "300.00 Dana Beck|ZELLE TO DANA BECK", "45.00 Huong Tran|ZELLE TO HUONG TRAN",
		"80.00 Son Le|ZELLE TO SON LE", "84.60 Minh Dang|ZELLE TO MINH DANG", "200.00 Minh Dang|ZELLE TO MINH DANG")
	trips = asksOf(false, "900.00 Marriott|MARRIOTT DENVER", "1400.00 Eva Air|EVA AIR TAIPEI", "310.00 Amtrak|AMTRAK",
		"22.00 Smartpark|SMARTPARK CIVIC CTR", "18.00 Ha VL|HA VL PORTLAND")
	payers = asksOf(true, "500.00 Derek Olson|ZELLE FROM DEREK OLSON", "120.00 Tyler Boone|ZELLE FROM TYLER BOONE",
		"260.00 Amy Kern|ZELLE FROM AMY KERN", "310.00 Joe Pratt|ZELLE FROM JOE PRATT")
	taxes = asksOf(false, "400.00 Revenue|WI DEPT REVENUE TAXPAYMNT 1", "410.00 Revenue|WI DEPT REVENUE TAXPAYMNT 2",
		"900.00 Revenue|WI DEPT REVENUE 1040ES", "75.00 City Of Milw|CITY OF MILW LICENSE")
	namesakes = asksOf(false, "90.00 Rafael Quintanar|ZELLE RAFAEL QUINTANAR",
		"80.00 Quintanar Rafael|ZELLE QUINTANAR RAFAEL",
		"70.00 Danny Phan|ZELLE DANNY PHAN", "60.00 Danny Ross|ZELLE DANNY ROSS", "50.00 US Cellular|USCELLULAR")
	home = asksOf(false, "120.00 Verizon|VERIZON WRLS", "80.00 Spectrum|SPECTRUM", "640.00 Blue Cross Blue Shield|BCBS")
)

// What is said of some rows in plain words is said of these alone.
func TestPlainWordsOfSomeRowsAreOfThese(t *testing.T) {
	for _, c := range []struct {
		of    Asked
		words string
		want  string
	}{
		{checks, "5 is my tax preparer", "5: expense.legal_professional.accounting"},
		{checks, "the 1325 checks are shop rent", "1,2: expense.rent.property"},
		{checks, "2146 is the tax preparer, rest is private",
			"3: expense.legal_professional.accounting; personal.living"},
		{checks, "1-2 are shop rent", "1,2: expense.rent.property"},
		{checks, "1 to 2 is shop rent and the rest private", "1,2: expense.rent.property; personal.living"},
		{checks, "shop rent, except the 180 and 640 ones", "3,4: open; expense.rent.property"},
		{checks, "1, 2 and 4 are shop rent. 5 was a lawyer",
			"1,2,4: expense.rent.property; 5: expense.legal_professional.legal"},
		{checks, "line 5: lawyer; rest: shop rent", "5: expense.legal_professional.legal; expense.rent.property"},
		{checks, "1 and 2: shop rent", "1,2: expense.rent.property"},
		{checks, "3 tax preparer, 5 lawyer",
			"3: expense.legal_professional.accounting; 5: expense.legal_professional.legal"},
		{checks, "shop rent, but the 95.50 was a lawyer", "5: expense.legal_professional.legal; expense.rent.property"},
		{checks, "shop rent", "expense.rent.property"},
		{checks, "shop rent, except Bob. 5 was a lawyer", "5: expense.legal_professional.legal"},
		{checks, "3 is shop rent, and the lawyer", "3: expense.rent.property"},
		{people, "contract labor, 1 was private", "1: personal.living; expense.contract_labor"},
		{people, "contract labor. Dana Beck is private", "1: personal.living; expense.contract_labor"},
		{people, "contract labor, except Dana Beck is private", "1: personal.living; expense.contract_labor"},
		{people, "contract labor, except line 1, that was private", "1: personal.living; expense.contract_labor"},
		{people, "Huong and Son are contract labor, the rest is private",
			"2,3: expense.contract_labor; personal.living"},
		{people, "Huong and Son are contract labor", "2,3: expense.contract_labor"},
		{people, "contract labor, all but 4 and 5, those were private", "4,5: personal.living; expense.contract_labor"},
		{people, "Minh is private, but the 84.60 was office supplies",
			"4: expense.office.supplies; 5: personal.living"},
		{trips, "Eva Air was our holiday, private", "2: personal.living"},
		{trips, "Marriott and Amtrak are business travel. Smartpark is parking",
			"1,3: expense.travel; 4: expense.car_truck.parking_tolls"},
		{trips, "business travel, the Taipei one was private", "2: personal.living; expense.travel"},
		{payers, "customers, 1 is owner contribution", "1: equity.owner_contribution; revenue.sales"},
		{checks, "All the 1325 ones are shop rent", "1,2: expense.rent.property"},
		{checks, "the 1325s are shop rent", "1,2: expense.rent.property"},
		{checks, "300 deposit, 180 lawyer, 640 shop rent", "3: expense.legal_professional.legal; " +
			"4: expense.rent.property"},
		{taxes, "TAXPAYMNT is liability.sales_tax_collected, 1040ES is state income tax",
			"1,2: liability.sales_tax_collected; 3: tax.state_income"},
		{taxes, "The 1040ES ones are state income tax", "3: tax.state_income"},
		{namesakes, "Rafael Quintanar is private", "1,2: personal.living"},
		{namesakes, "contract labor; Rafael Quintanar: private", "1,2: personal.living; expense.contract_labor"},
		{namesakes, "UScellular: telephone", "5: expense.utilities.phone"},
		{home, "Blue Cross is my own health insurance", "3: personal.health_insurance"},
	} {
		if got := meant(c.of, c.words); got != c.want {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
}

var (
	amazon = onDays(asksOf(false, "233.17 Amazon|AMZN MKTP 1", "142.70 Amazon|AMZN MKTP 2", "88.61 Amazon|AMZN MKTP 3",
		"72.15 Amazon|AMZN MKTP 4", "58.90 Amazon|AMZN MKTP 5", "41.80 Amazon|AMZN MKTP 6"),
		"12-11", "12-10", "10-04", "05-13", "05-07", "01-22")
	repairs = onDays(asksOf(false, "540.00 Rick Staggs|ZELLE RICK STAGGS", "95.00 Rick Staggs|ZELLE RICK STAGGS",
		"95.00 Diana Krick|ZELLE DIANA KRICK", "180.00 Mei Lan|ZELLE MEI LAN FOSTER yoga",
		"180.00 Mei Lan Foster|ZELLE MEI LAN FOSTER", "500.00 Elena Ortega|ZELLE ELENA ORTEGA",
		"500.00 Elena Ortega Loan|ZELLE ELENA ORTEGA LOAN"),
		"12-03", "08-18", "08-20", "05-23", "10-24", "04-16", "05-15")
	deposits = onDays(asksOf(true, "10000.00 |DEPOSIT", "720.00 |MOBILE DEPOSIT", "720.00 |MOBILE DEPOSIT",
		"300.00 |DEPOSIT", "220.00 |DEPOSIT", "160.00 |DEPOSIT"),
		"03-04", "01-03", "02-03", "05-21", "12-09", "08-20")
	franchise = asksOf(false, "18500.00 Molly Maid|WIRE MOLLY MAID", "990.79 Molly Maid|MOLLY MAID ROYALTY",
		"947.93 Molly Maid|MOLLY MAID ROYALTY", "120.00 Molly Maid|MOLLY MAID MAP FUND")
)

// onDays gives lines of a question their days of 2025.
func onDays(q Asked, days ...string) Asked {
	for i, day := range days {
		q.Lines[i].Date, _ = time.Parse(time.DateOnly, "2025-"+day)
	}
	return q
}

// People name rows wherever it suits them: behind what they are, in lists and brackets, by day, size or place.
func TestRowsAreNamedAnywhereInASentence(t *testing.T) {
	for _, c := range []struct {
		of    Asked
		words string
		want  string
	}{
		{amazon, "the camping gear 58.90 and the toys (142.70) are personal. 88.61 was office supplies",
			"2,5: personal.living; 3: expense.office.supplies"},
		{amazon, "October was office supplies, the two from December are personal",
			"1,2: personal.living; 3: expense.office.supplies"},
		{amazon, "Office supplies are 88.61 and 41.80, rest personal", "3,6: expense.office.supplies; personal.living"},
		{amazon, "The big ones (233.17, 142.70) are personal", "1,2: personal.living"},
		{amazon, "Personal: 1, 2 and 5. The others are office supplies",
			"1,2,5: personal.living; expense.office.supplies"},
		{amazon, "everything under 60 is office supplies", "5,6: expense.office.supplies"},
		{amazon, "All personal. Only the one on May 13 for 72.15 was office supplies",
			"4: expense.office.supplies; personal.living"},
		{amazon, "office supplies, except Dec 10 - that one was for us, personal",
			"2: personal.living; expense.office.supplies"},
		{amazon, "first two are personal (presents and a coat), the rest is office supplies",
			"1,2: personal.living; expense.office.supplies"},
		{amazon, "the 41.80 in January is office supplies, and so is the 88.61", "3,6: expense.office.supplies"},
		{amazon, "88.61 office supplies, the other five are personal",
			"3: expense.office.supplies; personal.living"},
		{amazon, "office supplies. The 4th of July party was the 72.15, personal",
			"4: personal.living; expense.office.supplies"},
		{repairs, "Rick is contract labor, but Rick's 95 in August was our own door so thats personal",
			"1: expense.contract_labor; 2: personal.living"},
		{repairs, "Mei Lan is contract labor. Elena is my sister, private",
			"4,5: expense.contract_labor; 6,7: personal.living"},
		{repairs, "The 540 to Rick was contract labor. Diana's 95 is personal",
			"1: expense.contract_labor; 3: personal.living"},
		{deposits, "The 720s are chair rent, the 10,000 is a gift from my mother. The 220 in December I honestly " +
			"don't know, could be clients or us",
			"1: personal.income; 2,3: revenue.sales.rents; 5: open"},
		{franchise, "The ones that say ROYALTY are royalties we pay, the MAP FUND ones are advertising",
			"2,3: expense.commissions_fees; 4: expense.advertising"},
	} {
		if got := meant(c.of, c.words); got != c.want {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
}

var (
	numbered = onDays(asksOf(false, "500.00 |CHECK 5010", "510.00 |CHECK 5011", "520.00 |CHECK 5012",
		"600.00 |CHECK 2047", "75.00 |CHECK 2221"), "01-04", "02-04", "03-04", "04-04", "05-04")
	paychex = asksOf(false, "900.00 Paychex|PAYCHEX TPS", "800.00 Paychex|PAYCHEX TPS", "75.00 Paychex|PAYCHEX EIB")
	states  = onDays(asksOf(false, "900.00 New Jersey|NJ S&U", "3015.72 New Jersey|NJ S&U", "75.00 New Jersey|NJ GIT"),
		"01-20", "10-20", "01-15")
	rides = onDays(asksOf(false, "31.00 Uber|UBER", "32.00 Uber|UBER", "41.00 Lyft|LYFT", "9.00 Bird Rock|BIRD ROCK"),
		"03-13", "06-01", "07-02", "05-08")
	groceries = asksOf(false, "60.00 Costco|COSTCO", "61.00 Aldi|ALDI", "62.00 Amazon|AMAZON", "63.00 Amazon|AMAZON")
)

// What people who played owners said, and what it meant.
func TestWhatOwnersSaidOfSomeRows(t *testing.T) {
	for _, c := range []struct {
		of    Asked
		words string
		want  string
	}{
		{numbered, "Checks 5010 to 5012 are wages. 2047 was the lawyer",
			"1,2,3: expense.wages; 4: expense.legal_professional.legal"},
		{numbered, "5010-5012 are wages, the rest is shop rent", "1,2,3: expense.wages; expense.rent.property"},
		{paychex, "The TPS ones are payroll taxes. Per the report for 2025, $7,854.50 of it was our share and the " +
			"rest was withheld from their paychecks.", "unclear"},
		{states, "The NJ S&U ones are state income tax. October 20 was two months, $71.40 of that was the penalty " +
			"and the rest is state income tax", "1: tax.state_income; 2: parts"},
		{rides, "The Ubers and Lyfts on Mar 13 and May 8 were business travel", "1: expense.travel"},
		{groceries, "All personal, except the Amazon ones. Those are office supplies",
			"3,4: expense.office.supplies; personal.living"},
		{groceries, "All personal, except the Amazon ones. Those are zebras", "3,4: open; personal.living"},
	} {
		if got := meant(c.of, c.words); got != c.want {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
}

// Figures that are all of each payment divide it, however they are said, and other sentences beside them are heard.
func TestALoansPaymentIsDividedInWords(t *testing.T) {
	q := asksOf(false, "832.00 Harborcrest|HARBORCREST", "832.00 Harborcrest|HARBORCREST")
	for words, want := range map[string]bool{
		"They pull $832 every week, 640 of it pays back the advance and 192 is what it costs me": true,
		"640 principal, 192 interest": true, "640 loan repayment, 192 fee": true,
		"It's a loan for the oven. 640.00 principal and 192.00 interest": true,
		"640 principal, 190 interest":                                    false,
	} {
		m := Understand(q, words, nil)
		if is := m.Split != nil && len(m.Split.Parts) == 2 && m.Split.Parts[0].Cents == 640_00; is != want {
			t.Errorf("%q is divided: %v, %+v", words, is, m)
		}
	}
}

// Parts without cents are parts, too: how much each is is not lost.
func TestPartsWithoutCentsAreNotReadForTheWhole(t *testing.T) {
	q := asksOf(false, "100.00 Blantvik|BLANTVIK")
	q.Options = []questions.Option{{Value: "expense.supplies"}, {Value: "personal.living"}}
	m := Understand(q, "90 supplies; 10 meals", nil)
	if got, want := saidOf(t, m, q.Lines[0]), "90.00 expense.supplies 10.00 expense.meals"; got != want {
		t.Errorf("means %q, want %q", got, want)
	}
}

// What cannot be followed leaves what it is about open, whatever its words would mean alone.
func TestAClauseThatCannotBeFollowedLeavesItsRowsOpen(t *testing.T) {
	for _, c := range []struct {
		of    Asked
		words string
		want  string
	}{
		{amazon, "88.61 office supplies. The dorm stuff is personal", "3: expense.office.supplies"},
		{amazon, "the 233.17 was 50 of office supplies and toys", "unclear"},
		{deposits, "sales. In the 720s there is 15 for the bank fee they cost me", "2,3: open; revenue.sales"},
		{deposits, "sales. The 720s are zebra, and some others are my own", "unclear"},
		{repairs, "The 180 is contract labor. Somebody else is private", "4,5: expense.contract_labor"},
	} {
		if got := meant(c.of, c.words); got != c.want {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
}

// A figure within a row and what the rest of it is divide it.
func TestAFigureAndTheRestDivideARow(t *testing.T) {
	kaiser := asksOf(false, "1742.18 Kaiser|KAISER GROUP", "1742.18 Kaiser|KAISER GROUP")
	for _, c := range []struct {
		of    Asked
		words string
		want  string // of the first part of the first row that is divided
	}{
		{kaiser, "Group plan. 611.40 each month is my own, the rest is employee health insurance",
			"611.40 personal.living"},
		{amazon, "personal. On the 72.15, 31.16 was office supplies and the rest ours",
			"31.16 expense.office.supplies"},
		{amazon, "all personal except May 13: 31.16 of it was office supplies", "31.16 expense.office.supplies"},
	} {
		m := Understand(c.of, c.words, nil)
		spec := m.Split
		for _, e := range m.Exceptions {
			if e.Split != nil {
				spec = e.Split
			}
		}
		if spec == nil {
			t.Errorf("%q means %+v, want parts", c.words, m)
			continue
		}
		category, _ := ontology.ScheduleC().ByID(spec.Parts[0].Category)
		if got := fmt.Sprint(money.Amount(spec.Parts[0].Cents), " ", category.Path); got != c.want {
			t.Errorf("%q divides by %q, want %q", c.words, got, c.want)
		}
	}
}

// Shares of what is used at home, too, are said in words.
func TestSharesAreSaidInWords(t *testing.T) {
	q := home
	q.Options = []questions.Option{{Value: questions.AsRead, Label: questions.NoneAtHome, Role: questions.RoleReads}}
	q.Lines = slices.Clone(home.Lines)
	for i, path := range []string{"expense.utilities.phone", "expense.utilities.internet",
		"personal.health_insurance"} {
		q.Lines[i].Reads = ontology.MustPath(path).ID
	}
	for words, want := range map[string][]string{
		"Verizon: half business, half personal":                       {"business 5000"},
		"Verizon is half personal, thats Gary's phone":                {"personal 5000"},
		"T-Mobile and Verizon":                                        nil,
		"Verizon half is my wifes line":                               {"personal 5000"},
		"Verizon is half business half personal. Spectrum is private": {"business 5000"},
		"Verizon: 50% business, rest personal. 2, 3 personal":         {"business 5000"},
		"Verizon is two thirds business":                              {"business 6667"},
		"Verizon is 70% business, the rest is private":                {"business 7000"},
		"the phone is a third private, the internet is 60% work":      {"personal 3333", "business 6000"},
	} {
		m := Understand(q, words, nil)
		var got []string
		for _, e := range m.Exceptions {
			if e.Split == nil {
				continue
			}
			c, _ := ontology.ScheduleC().ByID(e.Split.Parts[0].Category)
			whose := "business"
			if !c.Kind.OnForm() {
				whose = "personal"
			}
			got = append(got, fmt.Sprint(whose, " ", e.Split.Parts[0].Points))
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%q says %v, want %v", words, got, want)
		}
	}
}

// A year's interest is a year's interest however it is said, and nothing else is lost beside it.
func TestAYearsInterestIsSaidInASentence(t *testing.T) {
	q := asksOf(false, "893.27 John Deere|JOHN DEERE FINANCIAL", "893.27 John Deere|JOHN DEERE FINANCIAL")
	q.Options = []questions.Option{{Value: "liability.loan_payment_unsplit"}, {Value: "liability.loan_principal"}}
	for _, words := range []string{"interest 2,266.00 in 2025", "interest was 2,266.00 in 2025",
		"2266 interest in 2025",
		"that's the loader loan, about 2,266 of it was interest for the year", "interest was 2,266 this year"} {
		m := Understand(q, words, nil)
		if m.Split == nil || !m.Split.Yearly || len(m.Split.Parts) != 2 || m.Split.Parts[0].Cents != 2_266_00 {
			t.Errorf("%q means %+v", words, m)
		}
	}
	for _, words := range []string{"interest and escrow together 12,643.12 this year, 36% of that is the office",
		"4,551.52 is my part of interest and escrow in 2025"} {
		if m := Understand(q, words, nil); !m.Unclear {
			t.Errorf("%q means %+v, want unclear", words, m)
		}
	}
}

// Sales tax that is in the receipts is paid out of them, and no money of the state's. Where nobody says whether it is,
// and the lines read so, it is asked about.
func TestSalesTaxWithinTheReceiptsIsPaidOutOfThem(t *testing.T) {
	q := asksOf(false, "541.00 Pa Tax|PA TAX", "520.00 Pa Tax|PA TAX")
	for i := range q.Lines {
		q.Lines[i].Reads = questions.SalesTaxIncluded.ID
	}
	for words, want := range map[string]string{
		"sales tax. we charge it on mowing and it's counted in what we take in": questions.SalesTaxIncluded.Path,
		"sales tax I collected from customers":                                  "unclear",
		"sales tax on the pomade":                                               "unclear",
		"liability.sales_tax_collected":                                         questions.SalesTaxCollected.Path,
	} {
		if got := meant(q, words); got != want {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
}

// That all of it is the business's is said in many ways, and that none is, in others.
func TestAllOfItMayBeTheBusiness(t *testing.T) {
	q := home
	q.Options = []questions.Option{{Value: questions.AsRead, Label: questions.NoneAtHome, Role: questions.RoleReads}}
	q.Lines = slices.Clone(home.Lines)
	for i := range q.Lines {
		q.Lines[i].Reads = ontology.MustPath("expense.utilities.phone").ID
	}
	const all = "1,2,3: expense.utilities.phone"
	for words, want := range map[string]string{
		"all business":                          all,
		"everything is for the business":        all,
		"nothing, all for the shop":             all,
		"it's all work":                         all,
		"Verizon is for the shop, all business": "1: expense.utilities.phone",
		"None of them.":                         all,
		"None of these. It's all for the shop.": all,
		"none of it is business":                "personal.living",
		"not business":                          "personal.living",
		"all private":                           "personal.living",
	} {
		if got := meant(q, words); got != want {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
}

// Where plain words name rows and cannot be followed, or tell several things of rows that are apart, nothing is said.
func TestPlainWordsThatCannotBeFollowedSayNothing(t *testing.T) {
	for _, c := range []struct {
		of    Asked
		words string
	}{
		{checks, "the 1325 ones"},
		{checks, "line 2"},
		{checks, "5 lawyer"},
		{people, "some are contract labor and some are private"},
		{trips, "Eva Air"},
		{namesakes, "Danny is private"},
	} {
		if got := meant(c.of, c.words); got != "unclear" {
			t.Errorf("%q means %q, want unclear", c.words, got)
		}
	}
}

// A remark that it is private counts where no other says that it is for work.
func TestARemarkThatItIsPrivateCounts(t *testing.T) {
	q := asksOf(false, "300.00 Ally|ALLY", "300.00 Ally|ALLY")
	for words, want := range map[string]string{
		"private, my husbands truck": "personal.living", "Kurts truck, private": "personal.living",
		"private, business lunch": "unclear", "private, truck for the shop": "unclear",
	} {
		if got := meant(q, words); got != want {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
}

// What was kept of payouts in a year is taken off of them however it is said; a share, which may be of more, is asked
// about, and so is a sum of a year that is no part of anything.
func TestFiguresOfAYearAreSaidInSentences(t *testing.T) {
	q := asksOf(true, "500.00 Brightwheel|BRIGHTWHEEL", "400.00 Brightwheel|BRIGHTWHEEL")
	q.Options = []questions.Option{{Value: "revenue.sales.processor_payouts"}}
	for words, want := range map[string]int64{
		"services, they kept 466.61 in fees in 2025":  466_61,
		"fees 400.89, the rest services in 2025":      400_89,
		"services, stripe took 1,210.50 for the year": 1_210_50,
		"services, they keep 3%":                      0, "they kept 12.40": 0,
	} {
		m := Understand(q, words, nil)
		var off int64
		if m.Split != nil {
			for _, part := range m.Split.Parts {
				if part.Off {
					off = part.Cents
				}
			}
		}
		if off != want || want == 0 && !m.Unclear {
			t.Errorf("%q takes %d off, %+v", words, off, m)
		}
	}
	pay := asksOf(false, "900.00 Gusto|GUSTO TAX", "4000.00 Gusto|GUSTO NET")
	if m := Understand(pay, "our payroll taxes were 10,560.15 in 2025", nil); !m.Unclear {
		t.Errorf("a sum of a year means %+v", m)
	}
}

// A word behind # is found where the bank glued it to a number, and in its plural.
func TestAWordOfTheBankIsFoundInAGluedLine(t *testing.T) {
	q := asksOf(false, "900.00 Surepayroll|REF=25 9000000014TAXES", "4000.00 Surepayroll|REF=25 9000000014PAYROLL")
	if got, want := meant(q, "#TAX: payroll taxes"), "1: expense.taxes_licenses.payroll"; got != want {
		t.Errorf("means %q, want %q", got, want)
	}
}

// That none is used at home leaves open what is the owner's by its line.
func TestNoneAtHomeSaysNothingOfTheOwnersOwn(t *testing.T) {
	q := home
	q.Options = []questions.Option{{Value: questions.AsRead, Label: questions.NoneAtHome, Role: questions.RoleReads}}
	q.Lines = slices.Clone(home.Lines)
	for i, path := range []string{"expense.utilities.phone", "expense.utilities.internet",
		"personal.health_insurance"} {
		q.Lines[i].Reads = ontology.MustPath(path).ID
	}
	want := "1: expense.utilities.phone; 2: expense.utilities.internet; 3: open"
	if got := meant(q, questions.NoneAtHome); got != want {
		t.Errorf("means %q, want %q", got, want)
	}
}

// Whatever an owner writes of some rows, each of them is said one thing at most, and none that is not asked about.
func TestSentencesSayOneThingOfARowOfTheQuestion(t *testing.T) {
	pieces := strings.Split("the 640s,58.90,Rick,Rick's 95,in August,and,but,except,not,the rest,is,are,was,mine,"+
		"private,rent,3,1-4,#2,(142.70),:,.,;,half of it,20 of it,60%,so are,the same,the big ones,first two,"+
		"last five,all,both,those,which,I don't know,a gift,office supplies,on,Oct 31,from May on,over 100,300 and up,"+
		"Mei Lan,ROYALTY ones,that say ROYALTY,'s,…,é", ",")
	random := rand.New(rand.NewPCG(4, 2))
	for range 400 {
		q := []Asked{amazon, repairs, deposits, franchise, home, payers}[random.IntN(6)]
		var words []string
		for range 2 + random.IntN(14) {
			words = append(words, pieces[random.IntN(len(pieces))])
		}
		answer := strings.Join(words, " ")
		said := map[uuid.UUID]bool{}
		for _, e := range Understand(q, answer, nil).Exceptions {
			for _, row := range e.Transactions {
				if said[row] || !slices.ContainsFunc(q.Lines, func(l AskedLine) bool { return l.Transaction == row }) {
					t.Fatalf("%q says of a row twice what it is, or of one that is not there", answer)
				}
				said[row] = true
			}
		}
	}
}

// The big ones end where the amounts fall most, by exact arithmetic: amounts a cent apart are told apart at any size.
func TestTheBigOnesEndAtTheWidestGap(t *testing.T) {
	const most = money.Amount(math.MaxInt64)
	for _, c := range []struct {
		amounts []money.Amount
		want    int
	}{
		{[]money.Amount{90_00, 80_00, 20_00, 10_00}, 2},
		{[]money.Amount{90_00, 30_00, 10_00}, 1}, // of equal gaps the first
		{[]money.Amount{most, most - 1, most - 3}, 2},
		{[]money.Amount{-most, -most / 2, -most/2 + 1}, 1},
		{[]money.Amount{100_00, 50_00, 0}, 2},
	} {
		var lines []AskedLine
		for _, amount := range c.amounts {
			lines = append(lines, AskedLine{Amount: amount})
		}
		if got := untilGap(lines); got != c.want {
			t.Errorf("of %v the first %d are the big ones, want %d", c.amounts, got, c.want)
		}
	}
	if farApart(3_00, 2_00) || !farApart(3_01, 2_00) || !farApart(most, most/2) || farApart(most, most-1) {
		t.Error("far apart is more than one and a half times, at any size")
	}
}
