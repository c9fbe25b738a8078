package apitest

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"
)

// merchants are the 80 counterparties of a small business, as its bank writes them: what a dictionary knows, what only
// a word of the name explains, firms of the neighbourhood, and people.
var merchants = []string{
	// Known.
	"SHELL OIL 57444212300 AUSTIN TX", "CHEVRON 0093377 DALLAS TX", "EXXONMOBIL 47839921 AUSTIN TX",
	"ADOBE *CREATIVE CLOUD 408-536-6000 CA",
	"GOOGLE *GSUITE_juniper cc@google.com CA", "MSFT * E0500XYZ12 MSBILL.INFO WA",
	"AMZN Mktp US*2K4L90QX3 Amzn.com/bill WA", "STAPLES 00110221 AUSTIN TX",
	"OFFICE DEPOT #2290 AUSTIN TX", "THE HOME DEPOT #6512 AUSTIN TX", "LOWES #01874* AUSTIN TX",
	"UBER *TRIP HELP.UBER.COM CA", "LYFT *RIDE SUN 5PM",
	"SOUTHWES 5262331234567 800-435-9792 TX", "DELTA AIR 0062341234567 DELTA.COM CA", "MARRIOTT AUSTIN DOWNTOWN",
	"STARBUCKS STORE 10223 AUSTIN TX",
	"CHIPOTLE 1820 AUSTIN TX", "DOORDASH*PANDA EXPRESS SAN FRANCISCO CA", "COMCAST CABLE COMM 800-266-2278",
	"VERIZON WRLS P2190-01 FOLSOM CA", "ATT*BILL PAYMENT 800-288-2020 TX",
	"STATE FARM INSURANCE 800-956-6310 IL", "GEICO *AUTO 800-841-3000 DC", "HISCOX INC 888-202-3007 NY",
	"FACEBK *ADS 650-5434800 CA", "GOOGLE *ADS7429112 cc@google.com CA",
	"MAILCHIMP *MISC 678-9990141 GA", "SLACK T02ABCDE SAN FRANCISCO CA", "ZOOM.US 888-799-9666 SAN JOSE CA",
	"DROPBOX*ABC123 DROPBOX.COM CA", "GODADDY.COM 480-5058855 AZ",
	"SQUARESPACE INC. NEW YORK NY", "INTUIT *QBooks Online 800-446-8848 CA",
	"GUSTO DES:FEE ID:6SEMJR009 INDN:JUNIPER BIKES CO ID:9138864001 CCD",
	"GUSTO DES:NET ID:6SEMJR00KPQ INDN:JUNIPER BIKES CO ID:9138864001 CCD", "USPS PO 4800070702 AUSTIN TX",
	"FEDEX 271829382 MEMPHIS TN", "UPS*1Z9999W99999999999 800-811-1648 GA",
	"COSTCO WHSE #0681 AUSTIN TX", "SAMSCLUB #8259 AUSTIN TX", "TARGET 00021634 AUSTIN TX", "WAL-MART #1253 AUSTIN TX",
	"LEGALZOOM* 888-310-0151 CA", "WWW GRAINGER COM 877-2022594 IL",
	"U-HAUL MOVING & STORAGE AUSTIN TX", "PUBLIC STORAGE 25791 800-567-0759 TX", "MONTHLY SERVICE FEE",
	// A word of the name explains them.
	"HILL COUNTRY PLUMBING SUPPLY AUSTIN TX", "TRAVIS AUTO REPAIR AUSTIN TX", "LONE STAR PRINTING CO AUSTIN TX",
	"BARTON DENTAL GROUP PLLC", "LAMAR PARKING GARAGE AUSTIN TX",
	"OAK LAW OFFICES PC", "CEDAR CPA TAX ACCOUNTING", "SOUTH CONGRESS CAFE AUSTIN TX",
	// Firms that only the owner knows.
	"BLANTVIK TRADING LLC", "QUORVANE HOLDINGS 4471", "ACH DEBIT MERRIDEW PARTNERS 009123", "TARLOW & SONS AUSTIN TX",
	"NIMBLECROFT INC", "PEBBLEWAY LLC AUSTIN TX", "SQ *KESTREL YARD Austin TX",
	"TST* OLD MILL ROOM Austin TX", "SP BRINDLEWOOD AUSTIN TX", "PAYPAL *HARTLEYVINE 402-935-7733",
	"POS PURCHASE GROVEHAM 2291 AUSTIN TX", "ORIG CO NAME:DUNMORE CAPITAL CO ENTRY DESCR:PAYMENT SEC:CCD",
	// People.
	"ZELLE PAYMENT TO DANA MERCER JPM99abcd", "Zelle payment to Luis Ortega 17712345678",
	"VENMO PAYMENT 1029384756 KIM TRAN", "CASH APP*AMY STONE", "ZELLE TO PATEL RAVI ON 03/12 REF # RP0ABC",
	"VENMO *JOE-BAKER", "Zelle payment to Maria Gomez JPM8812",
	// Money in.
	"STRIPE TRANSFER ST-K4J2H1 JUNIPER BIKES", "SQUARE INC DES:SQ240312 ID:T3XYZ INDN:JUNIPER BIKES",
	"SHOPIFY DES:TRANSFER ID:ST-1 INDN:JUNIPER BIKES",
	"WIRE TYPE:WIRE IN DATE: 240312 ORIG:HOLLOWAY BUILDERS LLC", "MOBILE DEPOSIT REF 8812",
}

// Books with repeating merchants ask at most 30 questions in 1,000 rows.
func TestQuestionsAreFew(t *testing.T) {
	t.Parallel()
	if len(merchants) != 80 {
		t.Fatalf("%d merchants", len(merchants))
	}
	o, account := openPaid(t)
	random := rand.New(rand.NewPCG(1, 2))
	var rows []M
	for i := range 1000 {
		at := i
		if i >= len(merchants) { // each once, then some far more often than others
			at = min(random.IntN(len(merchants)), random.IntN(len(merchants)))
			at = at * 37 % len(merchants)
		}
		at %= len(merchants)
		cents := 500 + random.IntN(45_000)
		sign := "-"
		if at >= len(merchants)-5 {
			sign = ""
		}
		day := time.Date(2026, 1, 1+random.IntN(180), 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
		rows = append(rows, transaction(fmt.Sprint(i), fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100), day,
			merchants[at]))
	}
	o.upload(account, rows[:500]...)
	o.process(0)
	o.upload(account, rows[500:]...)
	o.process(0)
	asked := o.questions()
	transactions := o.get(o.path + "/profile").want(200)
	t.Logf("%d questions; needing attention %s, categorized %s of 1000", len(asked),
		transactions.text("coverage", "transactions", "needsAttention"),
		transactions.text("coverage", "transactions", "categorized"))
	if len(asked) > 30 {
		for text, q := range asked {
			t.Log(text, q.transactions, q.amount)
		}
		t.Errorf("%d questions in 1,000 rows, want at most 30", len(asked))
	}
	if len(asked) == 0 {
		t.Error("nobody is asked about firms that nobody can know")
	}
}
