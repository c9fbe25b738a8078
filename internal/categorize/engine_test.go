package categorize_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

func decide(t *testing.T, description string, amount money.Amount, m categorize.Memory) categorize.Decision {
	t.Helper()
	return categorize.New().Decide(categorize.Line{Description: description, Amount: amount}, m)
}

func pathOf(t *testing.T, id int) string {
	t.Helper()
	c, ok := ontology.ScheduleC().ByID(id)
	if !ok {
		return ""
	}
	return c.Path
}

func idOf(t *testing.T, path string) int {
	t.Helper()
	c, ok := ontology.ScheduleC().ByPath(path)
	if !ok {
		t.Fatalf("no category %s", path)
	}
	return c.ID
}

// What a processor takes back from a payout is what customers got back.
func TestSameStringIsAPayoutComingInAndAReturnGoingOut(t *testing.T) {
	t.Parallel()
	in := decide(t, "STRIPE DES:TRANSFER ID:ST-K8J2", 128814, categorize.NewMemory())
	out := decide(t, "STRIPE DES:TRANSFER ID:ST-K8J2", -128814, categorize.NewMemory())
	if got := pathOf(t, in.CategoryID); got != "revenue.sales.processor_payouts" {
		t.Errorf("incoming: got %s", got)
	}
	if got := pathOf(t, out.CategoryID); got != "revenue.returns.refunds" || !out.Ask {
		t.Errorf("outgoing: got %s, asked %v", got, out.Ask)
	}
}

func TestReasonNamesTheEvidence(t *testing.T) {
	t.Parallel()
	d := decide(t, "GUSTO DES:NET ID:6SEMJR INDN:OAKLINE DESIGN", -500000, categorize.NewMemory())
	want := "ACH descriptor NET, ACH entry to Gusto, outgoing: net pay sent by the payroll provider"
	if d.Reason != want || d.Source != categorize.SourceRule {
		t.Errorf("got %q from %q, want %q", d.Reason, d.Source, want)
	}
}

func TestWhomAPaymentServicePaysIsTheCounterparty(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ line, name, service string }{
		{"WISE TRANSFER TO MARIA GOMEZ", "Maria Gomez", "Wise"},
		{"WISE US INC TRANSFER TO NORDVIK STUDIO", "Nordvik Studio", "Wise"},
		{"WISE PAYMENT TO NORDVIK STUDIO LTD REF: 4471", "Nordvik Studio LTD", "Wise"},
		{"WISE TO: KLARA NOVAK", "Klara Novak", "Wise"},
		{"TRANSFERWISE SENT MONEY TO KLARA NOVAK", "Klara Novak", "Wise"},
		{"REMITLY *KLARA NOVAK", "Klara Novak", "Remitly"},
		{"WESTERN UNION SENT TO KLARA NOVAK", "Klara Novak", "Western Union"},
		{"PAYPAL INST XFER NORDVIK STUDIO", "Nordvik Studio", "PayPal"},
		{"PAYPAL DES:INST XFER ID:NORDVIK INDN:JUNIPER BIKES CO ID:PAYPALSI77 WEB", "Nordvik", "PayPal"},
		{"PAYPAL SENT TO KLARA NOVAK", "Klara Novak", "PayPal"},
		{"VENMO PAYMENT TO KIM TRAN", "Kim Tran", "Venmo"},
		{"ZELLE TO KLARA NOVAK", "Klara Novak", "Zelle"},
		{"CASH APP*KLARA NOVAK", "Klara Novak", "Cash App"},
		{"MELIO*GROVE PLAZA LP", "Grove Plaza LP", "Melio"},
		{"MELIO*HARVEST LINEN CO", "Harvest Linen", "Melio"},
		{"MELIO*LA CASITA", "La Casita", "Melio"},
		{"MELIO PAYMENTS NORDVIK STUDIO", "Nordvik Studio", "Melio"},
		{"BILL.COM PAYABLES NORDVIK STUDIO", "Nordvik Studio", "Bill.com"},
		{"BILLCOM PAYMENT TO NORDVIK STUDIO", "Nordvik Studio", "Bill.com"},
	} {
		d := decide(t, c.line, -48000, categorize.NewMemory())
		if d.Counterparty.Name != c.name || !strings.Contains(d.Reason, " through "+c.service) {
			t.Errorf("%s: with %q, %q", c.line, d.Counterparty.Name, d.Reason)
		}
	}
}

// The service's own fees, its seat, an own account and firms that begin with its name are nobody whom it pays.
func TestAPaymentServiceThatNamesNobody(t *testing.T) {
	t.Parallel()
	for line, name := range map[string]string{
		"WISE US INC WISE 231231": "Wise", "REMITLY* F123 SEATTLE WA": "Remitly", "REMITLY *SEATTLE WA": "Remitly",
		"MELIO SAN FRANCISCO CA": "Melio",
		"BILL.COM MONTHLY FEE":   "Bill.com", "MELIO FEE": "Melio", "PAYPAL INST XFER": "PayPal",
		"WISE FOODS":       "Wise Foods",
		"WISE AUTO REPAIR": "Wise Auto Repair", "WISE TRANSFER TO CHECKING": "", "PAYPAL TRANSFER TO BANK": "",
		"VENMO CASHOUT": "", "VENMO PAYMENT 250616 1055590571368 MARCUS DELANEY": "", // whose account it is
		"ACH CORP DEBIT VENMO PAYMENT 1055590571368 IRIS PETTWAY": "",
	} {
		if d := decide(t, line, -48000, categorize.NewMemory()); d.Counterparty.Name != name {
			t.Errorf("%s: with %q, want %q", line, d.Counterparty.Name, name)
		}
	}
}

func TestMoneyBackFromAMerchantIsARefundInThePurchasesCategory(t *testing.T) {
	t.Parallel()
	d := decide(t, "PURCHASE RETURN AUTHORIZED ON 03/15 STAPLES 00115543 EUGENE OR CARD 4471", 2205,
		categorize.NewMemory())
	if got := pathOf(t, d.CategoryID); !d.Refund || got != "expense.office.supplies" {
		t.Errorf("got %s, refund %v", got, d.Refund)
	}
}

func TestTheBusinesssOwnNameIsNoEvidence(t *testing.T) {
	t.Parallel()
	d := decide(t, "GUSTO DES:NET ID:1 INDN:HARBOR LOAN STUDIO CO ID:9138864001 CCD", -500000, categorize.NewMemory())
	if got := pathOf(t, d.CategoryID); got != "expense.wages.net_pay" {
		t.Errorf("got %s", got)
	}
}

func TestOneWordInstitutionsAreNotPartsOfLongerNames(t *testing.T) {
	t.Parallel()
	d := decide(t, "SQUARE ONEIDA TILES DES:VENDOR PMT ID:1", 50000, categorize.NewMemory())
	if d.Counterparty.Name == "Square" || pathOf(t, d.CategoryID) == "revenue.sales.processor_payouts" {
		t.Errorf("got %s of %s", pathOf(t, d.CategoryID), d.Counterparty.Name)
	}
}

// A firm whose name is a common word is not meant by that word behind an article, and hardly one whose name is any one
// word.
func TestAnArticleMakesANameAWord(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct {
		name   string
		silent bool
	}{
		"SPECTRUM": {"Spectrum", true}, "THE SPECTRUM": {"The Spectrum", false},
		"THE SPECTRUM AUSTIN TX": {"The Spectrum", false},
		"SHELL":                  {"Shell", true}, "THE SHELL": {"The Shell", false},
		"THE WALGREENS 4471":             {"Walgreens", false},
		"THE HOME DEPOT #6512 AUSTIN TX": {"Home Depot", true}, "THE UPS STORE 1234": {"The UPS Store", true},
		"THE HARTFORD": {"The Hartford", true},
	} {
		d := decide(t, line, -12000, categorize.NewMemory())
		if d.Counterparty.Name != want.name || d.Silent() != want.silent {
			t.Errorf("%s: with %q, applied without asking %v; want %q, %v", line, d.Counterparty.Name, d.Silent(),
				want.name, want.silent)
		}
	}
	if got := pathOf(t, decide(t, "THE SPECTRUM", -12000, categorize.NewMemory()).CategoryID); strings.HasPrefix(got,
		"expense.utilities") {
		t.Errorf("THE SPECTRUM is %s", got)
	}
}

func TestBusinessWordOutweighsAnInstitutionOfOneWord(t *testing.T) {
	t.Parallel()
	d := decide(t, "CHASE PLUMBING LLC", -12000, categorize.NewMemory())
	if got := pathOf(t, d.CategoryID); got != "expense.repairs.building" ||
		d.Counterparty.Name != "Chase Plumbing LLC" {
		t.Errorf("got %s of %q", got, d.Counterparty.Name)
	}
}

// The category of such a line is the likeliest for all unknown merchants and no more than a suggestion.
func TestUnknownMerchantIsAskedAboutWithItsName(t *testing.T) {
	t.Parallel()
	d := decide(t, "KALTMAN EUGENE OR", -23000, categorize.NewMemory())
	if d.Confidence >= 5000 || !d.Ask || d.Silent() || d.Counterparty.Key != "kaltman" {
		t.Errorf("got %+v", d)
	}
}

func TestAnswersOutrankInferenceAndCorrectOnlyTheirDirection(t *testing.T) {
	t.Parallel()
	m := categorize.NewMemory()
	before := decide(t, "SAFEWAY #4410 EUGENE OR", -8120, m)
	m.Learn(categorize.Answer{CounterpartyKey: before.Counterparty.Key, Amount: -8120,
		CategoryID: idOf(t, "cogs.purchases"), Relationship: "supplier"})
	d := decide(t, "SAFEWAY #1108 SALEM OR", -2000, m)
	if got := pathOf(t, d.CategoryID); got != "cogs.purchases" || d.Source != categorize.SourceMemory || !d.Silent() ||
		d.Counterparty.Relationship != "supplier" {
		t.Errorf("got %s from %s, ask %v, %+v", got, d.Source, d.Ask, d.Counterparty)
	}
	if back := decide(t, "SAFEWAY #1108 SALEM OR", 2000, m); back.Source == categorize.SourceMemory {
		t.Errorf("an answer about outgoing money decided incoming money: %+v", back)
	}
}

func TestAnAnswerDoesNotChangeWhatTheLineItselfSays(t *testing.T) {
	t.Parallel()
	m := categorize.NewMemory()
	m.Learn(categorize.Answer{CounterpartyKey: "gusto", Amount: -100,
		CategoryID: idOf(t, "expense.wages.provider_funding")})
	d := decide(t, "GUSTO DES:TAX ID:1", -100, m)
	if got := pathOf(t, d.CategoryID); got != "expense.taxes_licenses.payroll" {
		t.Errorf("got %s", got)
	}
	if d := decide(t, "GUSTO 6SEMJR2210", -100, m); d.Source != categorize.SourceMemory || d.Ask {
		t.Errorf("got %+v, want the answer", d)
	}
}

func TestConflictingAnswersNarrowToAmountsOrStopDeciding(t *testing.T) {
	t.Parallel()
	m := categorize.NewMemory()
	const line = "ZELLE PAYMENT TO MARISOL QUENTIN BACX8821A"
	learn := func(amount money.Amount, path string) {
		m.Learn(categorize.Answer{CounterpartyKey: "marisol quentin", Amount: amount, CategoryID: idOf(t, path)})
	}
	learn(-90000, "expense.rent.property")
	learn(-4500, "expense.meals")
	if d := decide(t, line, -92000, m); pathOf(t, d.CategoryID) != "expense.rent.property" || d.Ask {
		t.Errorf("near the rent: got %s, ask %v", pathOf(t, d.CategoryID), d.Ask)
	}
	d := decide(t, line, -30000, m)
	if d.Source == categorize.SourceMemory || !d.Ask || len(d.Alternatives) != 2 {
		t.Errorf("between: got %+v", d)
	}
	learn(-90000, "equity.owner_draw")
	if d := decide(t, line, -90000, m); d.Source == categorize.SourceMemory || !d.Ask {
		t.Errorf("after a conflict on the same amount: got %+v", d)
	}
}

func TestAnswersWithoutCounterpartyTeachNothing(t *testing.T) {
	t.Parallel()
	var m categorize.Memory
	m.Learn(categorize.Answer{Amount: -100, CategoryID: idOf(t, "expense.meals")})
	if d := decide(t, "CHECK 1187", -100, m); d.Source == categorize.SourceMemory {
		t.Errorf("got %+v", d)
	}
}

func TestAlternativesAreFewFallingAndNeverUnknown(t *testing.T) {
	t.Parallel()
	for _, l := range readLabelled(t, "testdata/lines.csv") {
		d := categorize.New().Decide(l.line, categorize.NewMemory())
		if len(d.Alternatives) > 4 {
			t.Errorf("%q: %d alternatives", l.line.Description, len(d.Alternatives))
		}
		for i, a := range d.Alternatives {
			if strings.HasPrefix(pathOf(t, a.CategoryID), "uncategorized") || a.CategoryID == d.CategoryID ||
				i > 0 && a.Confidence > d.Alternatives[i-1].Confidence {
				t.Errorf("%q: alternatives %v of %d", l.line.Description, d.Alternatives, d.CategoryID)
			}
		}
		if d.Ask == d.Silent() {
			t.Errorf("%q: neither asked about nor applied, or both: %+v", l.line.Description, d)
		}
		if d.Reason == "" {
			t.Errorf("%q: no reason", l.line.Description)
		}
	}
}

func TestDecisionsAreTheSameFromManyGoroutines(t *testing.T) {
	t.Parallel()
	e, m, set := categorize.New(), categorize.NewMemory(), readLabelled(t, "testdata/lines.csv")
	want := make([]categorize.Decision, len(set))
	for i, l := range set {
		want[i] = e.Decide(l.line, m)
	}
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			for i, l := range set {
				if diff := cmp.Diff(want[i], e.Decide(l.line, m)); diff != "" {
					t.Errorf("%q: %s", l.line.Description, diff)
				}
			}
		})
	}
	group.Wait()
}

func TestLongDescriptionsAreReadFromTheirBeginning(t *testing.T) {
	t.Parallel()
	short := "CHECKCARD 0312 STARBUCKS STORE 00471 EUGENE OR"
	want := decide(t, short, -645, categorize.NewMemory())
	for _, filler := range []string{" ", " 0", "*", " é", "\x00"} {
		long := short + strings.Repeat(filler, (4096-len(short))/len(filler))
		if got := decide(t, long, -645, categorize.NewMemory()); got.CategoryID != want.CategoryID {
			t.Errorf("filled with %q: got %s, want %s", filler, pathOf(t, got.CategoryID), pathOf(t, want.CategoryID))
		}
	}
}

// FuzzDecide never panics, gives the same decision twice, and keeps to the ranges.
func FuzzDecide(f *testing.F) {
	for _, s := range []string{
		"ORIG CO NAME:GUSTO ORIG ID:1 CO ENTRY DESCR:NET SEC:CCD IND NAME:X", "WIRE OUT;BNF X B/O: Y", "SQ *SQ *",
		"CHECK #",
		"ZELLE PAYMENT TO", "*:*:=", "ID:", "\xff\xfe", "É’é", "ADS4410221", "WISE TO", "MELIO*",
		"PAYPAL DES:INST XFER ID:", "BILL.COM TO: TO", strings.Repeat("A1*", 1365), "XXXX XX/XX",
	} {
		f.Add(s, int64(-100), "")
		f.Add(s, int64(100), "credit")
	}
	e, m := categorize.New(), categorize.NewMemory()
	m.Learn(categorize.Answer{CounterpartyKey: "x", Amount: 100, CategoryID: 1010})
	f.Fuzz(func(t *testing.T, description string, amount int64, account string) {
		l := categorize.Line{Description: description, Amount: money.Amount(amount), AccountType: account}
		d := e.Decide(l, m)
		if diff := cmp.Diff(d, e.Decide(l, m)); diff != "" {
			t.Fatalf("two decisions differ: %s", diff)
		}
		if d.Confidence < 0 || d.Confidence >= 10_000 || d.CategoryID == 0 && !d.Ask || d.Reason == "" {
			t.Fatalf("bad decision %+v", d)
		}
		categorize.Normalize(description)
	})
}

func BenchmarkDecide(b *testing.B) {
	e, m := categorize.New(), categorize.NewMemory()
	lines := benchmarkLines(b)
	for _, bench := range []struct {
		name   string
		change func(string) string
	}{
		{"lines", func(s string) string { return s }},
		{"words4096", func(s string) string { return fill(s, " LOREM") }},
		{"one4096", func(s string) string { return fill(s, "Q") }},
		{"spaces4096", func(s string) string { return fill(s, " ") }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			set := make([]categorize.Line, len(lines))
			for i, l := range lines {
				set[i] = categorize.Line{Description: bench.change(l.Description), Amount: l.Amount}
			}
			b.ReportAllocs()
			i := 0
			for b.Loop() {
				e.Decide(set[i%len(set)], m)
				i++
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "tx/s")
		})
	}
}

func fill(s, with string) string {
	return (s + strings.Repeat(with, 4096))[:4096]
}

func benchmarkLines(b *testing.B) []categorize.Line {
	b.Helper()
	var lines []categorize.Line
	for _, l := range readLabelled(b, "testdata/lines.csv") {
		lines = append(lines, l.line)
	}
	return lines
}

func TestAPrivateWordBesideABusinessWordIsAskedAbout(t *testing.T) {
	t.Parallel()
	if d := decide(t, "RIVERSIDE UNIVERSITY DAYCARE", -88000, categorize.NewMemory()); d.Silent() || !d.Ask {
		t.Errorf("applied as %s", pathOf(t, d.CategoryID))
	}
	if d := decide(t, "RIVERSIDE UNIVERSITY", -88000, categorize.NewMemory()); !d.Silent() {
		t.Errorf("asked about, %s", pathOf(t, d.CategoryID))
	}
}

func TestTheNumberOfATicketIsAFlight(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"KALTMAN 0162288112345 HOUSTON TX", "AMERICAN AI0012288112345 FORT WORTH TX"} {
		if d := decide(t, line, -38800, categorize.NewMemory()); pathOf(t, d.CategoryID) != "expense.travel.air" {
			t.Errorf("%s: got %s", line, pathOf(t, d.CategoryID))
		}
	}
	if d := decide(t, "KALTMAN 9992288112345 HOUSTON TX", -38800, categorize.NewMemory()); pathOf(t,
		d.CategoryID) == "expense.travel.air" {
		t.Error("a number that no airline begins is taken for a ticket")
	}
}

// What a card's line glues behind a number hides no ticket and no bill, and what a bank writes behind CUSTOMER ID is
// nobody's name.
func TestWhatIsGluedTogetherIsRead(t *testing.T) {
	t.Parallel()
	for description, want := range map[string]string{
		"AMERICAN AIR0012387741930FORT WORTH    TX":     "expense.travel.air",
		"GOOGLE *ADS4418209713cc@google.com       CA":   "expense.advertising.digital",
		"ACH CORP DEBIT INS PYMT HISCOX CUSTOMER ID 11": "expense.insurance.liability",
		"SHERWIN-WILLIAMS7229HICKORY            NC":     "expense.supplies.materials",
	} {
		if got := pathOf(t, decide(t, description, -386_12, categorize.NewMemory()).CategoryID); got != want {
			t.Errorf("%q: got %s, want %s", description, got, want)
		}
	}
	d := decide(t, "ACH CORP DEBIT PAYMENT MINERVA BEAUTY CUSTOMER ID MB2201", -5360_00, categorize.NewMemory())
	if d.Counterparty.Name != "Minerva Beauty" {
		t.Errorf("it is with %q", d.Counterparty.Name)
	}
	d = decide(t, "ACH CORP DEBIT INVOICE VEXLIN SUPPLY LYLE BARRINGER CUSTOMER ID 007187959", -2021_44,
		categorize.NewMemory())
	if d.Counterparty.Name != "Vexlin Supply" {
		t.Errorf("it is with %q, want whom the entry names first", d.Counterparty.Name)
	}
}

// Software is paid by the business, and pays out what customers paid through it.
func TestWhatSoftwarePaysOutWasPaidByCustomers(t *testing.T) {
	t.Parallel()
	d := decide(t, "JANE APP PAYMENTS PAYOUT", 1204_10, categorize.NewMemory())
	if got := pathOf(t, d.CategoryID); got != "revenue.sales.processor_payouts" || !d.Ask || d.Refund {
		t.Errorf("got %s, asked %v, refund %v", got, d.Ask, d.Refund)
	}
	d = decide(t, "JANE APP REFUND", 54_00, categorize.NewMemory())
	if got := pathOf(t, d.CategoryID); got != "expense.other.software" || !d.Refund {
		t.Errorf("got %s, refund %v", got, d.Refund)
	}
}

func TestMoneyFromAMarketplaceIsAPayoutOnlyIfTheLineSaysSo(t *testing.T) {
	t.Parallel()
	if d := decide(t, "UBER USA DES:EDI PAYMNT ID:KX8", 61133, categorize.NewMemory()); !d.Silent() ||
		pathOf(t, d.CategoryID) != "revenue.sales.marketplace_payouts" {
		t.Errorf("payout: got %+v", d)
	}
	for _, line := range []string{"AMAZON.COM*2K11 AMZN.COM/BILL WA", "UBER CREDIT"} {
		if d := decide(t, line, 2500, categorize.NewMemory()); d.Silent() &&
			strings.HasPrefix(pathOf(t, d.CategoryID), "revenue.") {
			t.Errorf("%s: applied as %s", line, pathOf(t, d.CategoryID))
		}
	}
}

func TestAFormNumberTellsPayrollTaxFromTheOwnersTax(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"EFTPS 941 DEPOSIT IRS USATAXPYMT": "expense.taxes_licenses.payroll",
		"IRS 1040 USATAXPYMT":              "tax.estimated_income",
		"IRS USATAXPYMT 270451512345678":   "uncategorized.tax_payment",
	} {
		if got := pathOf(t, decide(t, line, -187550, categorize.NewMemory()).CategoryID); got != want {
			t.Errorf("%s: got %s, want %s", line, got, want)
		}
	}
}

func TestABusinessWordInsideALongerWordIsAGuess(t *testing.T) {
	t.Parallel()
	d := decide(t, "NORTHPARKING", -1200, categorize.NewMemory())
	if pathOf(t, d.CategoryID) != "expense.car_truck.parking_tolls" || d.Silent() {
		t.Errorf("got %s, silent %v", pathOf(t, d.CategoryID), d.Silent())
	}
}

func TestABusinessWordInsideALongerOneDoesNotCount(t *testing.T) {
	t.Parallel()
	for description, want := range map[string]string{
		"PEBBLE CREEK GOLF COURSE":     "nondeductible.entertainment",
		"OAK HILLS CONDO ASSOCIATION":  "personal.living",
		"FLORIDA BOARD OF ACCOUNTANCY": "expense.taxes_licenses.licenses_permits",
		"VALLEY DENTAL SUPPLY":         "expense.supplies",
	} {
		d := decide(t, description, -5000, categorize.NewMemory())
		if got := pathOf(t, d.CategoryID); got != want {
			t.Errorf("%s: got %s, want %s", description, got, want)
		}
	}
}

func TestAnAssociationBehindAnAmpersandIsAFirmsPartners(t *testing.T) {
	t.Parallel()
	d := decide(t, "HARTWELL & ASSOC", -5000, categorize.NewMemory())
	if got := pathOf(t, d.CategoryID); got != "expense.legal_professional.consulting" || d.Silent() {
		t.Errorf("got %s, silent %v", got, d.Silent())
	}
}

func TestWhatAPaymentIsForIsNoPartOfAName(t *testing.T) {
	t.Parallel()
	for description, want := range map[string]string{
		"ACH PMT GROVE PLAZA LP RENT JANUARY":   "Grove Plaza LP",
		"ACH PMT GROVE PLAZA LP RENT FEB":       "Grove Plaza LP",
		"BILL PAY GROVE PLAZA JUNE RENT":        "Grove Plaza",
		"SENT MONEY TO COLORIFICIO BELLINI SRL": "Colorificio Bellini SRL",
		"ZELLE PAYMENT TO DANA JUNE":            "Dana June",
		"MAY TRUCKING COMPANY":                  "May Trucking Company",
	} {
		d := categorize.New().Decide(categorize.Line{Description: description, Amount: -120_000},
			categorize.NewMemory())
		if d.Counterparty.Name != want {
			t.Errorf("%s: %q, want %q", description, d.Counterparty.Name, want)
		}
	}
}

// Some charities sell and teach, too: what their shops are paid is no gift.
func TestWhatACharityWithShopsIsPaidIsAskedAbout(t *testing.T) {
	t.Parallel()
	for _, line := range []string{"SALVATION ARMY 11 CICERO IL", "GOODWILL INDUSTRIES 0412",
		"HABITAT FOR HUMANITY RESTORE", "AMERICAN RED CROSS 800-733-2767 DC"} {
		d := decide(t, line, -3818, categorize.NewMemory())
		if d.Silent() || !d.Ask || pathOf(t, d.Alternatives[0].CategoryID) != "expense.other.misc" {
			t.Errorf("%s: applied as %s, or else %v", line, pathOf(t, d.CategoryID), d.Alternatives)
		}
	}
	if d := decide(t, "ST JUDE CHILDRENS MEMPHIS TN", -3818, categorize.NewMemory()); !d.Silent() {
		t.Errorf("a gift is asked about as %s", pathOf(t, d.CategoryID))
	}
	if d := decide(t, "AMERICAN RED CROSS TRNG", -168000, categorize.NewMemory()); pathOf(t, d.CategoryID) !=
		"expense.other.education" {
		t.Errorf("courses are %s", pathOf(t, d.CategoryID))
	}
}

// States are written in many ways, their taxes by codes.
func TestAStateThatTakesTaxesIsKnownByWhatBanksPrint(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]string{
		"OHIO-TAXOITAX OH IND TAX 250115 8236131347":          "Ohio Department of Taxation",
		"ACH WEB-SINGLE PAPAYMENT COMMWLTHOFPA INT 162513059": "Pennsylvania Department of Revenue",
		"ELECTRONIC WITHDRAWAL OREGON DEPT REVEN ORREVREVNU":  "Oregon Department of Revenue",
		"MINNESOTA REVENU PAYMENT 0411":                       "Minnesota Revenue",
		"NV DEPT OF TAXAT TAX PYMT":                           "Nevada Department of Taxation",
	} {
		d := decide(t, line, -31000, categorize.NewMemory())
		if d.Counterparty.Name != want || pathOf(t, d.CategoryID) != "uncategorized.tax_payment" {
			t.Errorf("%s: %s, %s", line, d.Counterparty.Name, pathOf(t, d.CategoryID))
		}
	}
}
