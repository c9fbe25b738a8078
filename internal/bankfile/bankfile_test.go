package bankfile_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/bankfile"
)

// shown is what a file was read as, in short.
func shown(f bankfile.File) []string {
	var lines []string
	for _, a := range f.Accounts {
		for _, r := range a.Rows {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %s %s %s", r.Day.Format(time.DateOnly), r.Amount,
				r.Currency, r.Description)))
		}
		for _, s := range a.Skipped {
			lines = append(lines, fmt.Sprintf("skipped line %d: %s", s.Line, s.Why))
		}
	}
	return lines
}

// The files are made up in the forms that these banks and processors write.
func TestFilesOfBanksAreReadAsTheyAreMeant(t *testing.T) {
	for _, c := range []struct {
		name, style, text string
		want              []string
		balance           string
	}{
		{"Chase checking, with one comma more than columns", "Chase",
			`Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #
DEBIT,03/14/2026,"ORIG CO NAME:GUSTO",-1200.00,ACH_DEBIT,5400.10,,
CREDIT,03/13/2026,"STRIPE TRANSFER",980.10,ACH_CREDIT,6600.10,,
CHECK,03/12/2026,"CHECK 101",-20.00,CHECK_PAID,5620.00,101,
`, []string{"2026-03-14 -1200.00  ORIG CO NAME:GUSTO", "2026-03-13 980.10  STRIPE TRANSFER", "2026-03-12 -20.00  CHECK 101"}, "5400.10"},
		{"Chase card", "Chase card", `Transaction Date,Post Date,Description,Category,Type,Amount,Memo
03/14/2026,03/15/2026,ADOBE,Shopping,Sale,-54.99,
03/10/2026,03/11/2026,Payment Thank You,,Payment,500.00,
`, []string{"2026-03-14 -54.99  ADOBE", "2026-03-10 500.00  Payment Thank You"}, ""},
		{"Bank of America, with its summary", "Bank of America", `Description,,Summary Amt.
Beginning balance as of 03/01/2026,,"1,000.00"
Total credits,,"2,500.00"
Total debits,,"-45.50"
Ending balance as of 03/31/2026,,"3,454.50"

Date,Description,Amount,Running Bal.
03/01/2026,Beginning balance as of 03/01/2026,,"1,000.00"
03/14/2026,"DEPOSIT","2,500.00","3,500.00"
03/20/2026,"ZOOM.US","-45.50","3,454.50"
`, []string{"2026-03-14 2500.00  DEPOSIT", "2026-03-20 -45.50  ZOOM.US", "skipped line 8: it has no amount"}, "3454.50"},
		{"Wells Fargo, without a header", "", `"03/31/2026","-45.00","*","","PURCHASE AUTHORIZED ON 03/30 SHELL"
"03/30/2026","1000.00","*","","EDEPOSIT"
"03/29/2026","-12.00","*","1044","CHECK"
`, []string{"2026-03-31 -45.00  PURCHASE AUTHORIZED ON 03/30 SHELL", "2026-03-30 1000.00  EDEPOSIT", "2026-03-29 -12.00  CHECK"}, ""},
		{"American Express, charges positive", "American Express", `Date,Description,Card Member,Account #,Amount
03/14/2026,AWS,ANA,-11001,120.50
03/15/2026,ONLINE PAYMENT - THANK YOU,ANA,-11001,-500.00
`, []string{"2026-03-14 -120.50  AWS", "2026-03-15 500.00  ONLINE PAYMENT - THANK YOU"}, ""},
		{"Capital One card, two columns", "Capital One card",
			`Transaction Date,Posted Date,Card No.,Description,Category,Debit,Credit
2026-03-14,2026-03-15,1234,STAPLES,Merchandise,35.20,
2026-03-16,2026-03-16,1234,CAPITAL ONE PYMT,Payment,,100.00
`, []string{"2026-03-14 -35.20  STAPLES", "2026-03-16 100.00  CAPITAL ONE PYMT"}, ""},
		{"Capital One checking, a word for the sign", "Capital One",
			`Account Number,Transaction Description,Transaction Date,Transaction Type,Transaction Amount,Balance
3344,Deposit from SQUARE,03/14/26,Credit,1200,1900.10
3344,Withdrawal to RENT,03/13/26,Debit,900,700.10
`, []string{"2026-03-14 1200.00  Deposit from SQUARE", "2026-03-13 -900.00  Withdrawal to RENT"}, "1900.10"},
		{"PayPal, with fees and what is not done", "PayPal", "\uFEFF" +
			`"Date","Time","TimeZone","Name","Type","Status","Currency","Gross","Fee","Net","Transaction ID","Balance","Balance Impact"
"03/14/2026","10:00:00","PST","Ben","Checkout","Completed","USD","100.00","-3.20","96.80","TX1","96.80","Credit"
"03/15/2026","10:00:00","PST","Eva","Website Payment","Pending","USD","50.00","0.00","50.00","TX2","96.80","Credit"
"03/16/2026","10:00:00","PST","","General Authorization","Completed","USD","-9.00","0.00","-9.00","TX3","96.80","Memo"
"03/17/2026","10:00:00","PST","Figma","Bill","Completed","EUR","-15.00","0.00","-15.00","TX4","81.80","Debit"
`, []string{"2026-03-14 100.00 USD Ben Checkout", "2026-03-14 -3.20 USD PayPal fee Ben Checkout",
			"2026-03-17 -15.00 EUR Figma Bill",
			"skipped line 3: it is pending; a later file has it when it is done",
			"skipped line 4: it does not move the balance"}, "81.80"},
		{"Stripe balance", "Stripe balance",
			`id,Type,Source,Amount,Fee,Net,Currency,Created (UTC),Available On (UTC),Description
txn_1,charge,ch_1,100.00,3.20,96.80,usd,2026-03-14 10:00,2026-03-16 00:00,Invoice 7
txn_2,payout,po_1,-96.80,0.00,-96.80,usd,2026-03-16 10:00,2026-03-16 00:00,STRIPE PAYOUT
`, []string{"2026-03-14 100.00 USD charge Invoice 7", "2026-03-14 -3.20 USD Stripe balance fee charge Invoice 7", "2026-03-16 -96.80 USD payout STRIPE PAYOUT"}, ""},
		{"Stripe payouts", "Stripe payouts",
			`id,Amount,Created (UTC),Arrival Date (UTC),Currency,Description,Destination,Status,Type
po_1,96.80,2026-03-14 10:00,2026-03-16 00:00,usd,STRIPE PAYOUT,ba_1,paid,bank_account
po_2,11.00,2026-03-15 10:00,2026-03-17 00:00,usd,STRIPE PAYOUT,ba_1,failed,bank_account
`, []string{"2026-03-16 96.80 USD STRIPE PAYOUT", "skipped line 3: it is failed"}, ""},
		{"Mercury", "Mercury",
			`Date (UTC),Description,Amount,Status,Source Account,Bank Description,Reference,Note,Last Four Digits,Name On Card,Category,Original Currency
03-14-2026,Notion,-16.00,Sent,Mercury Checking,NOTION LABS,,,,,Software,EUR
03-15-2026,Client,500.00,Pending,Mercury Checking,ACH IN,,,,,,
`, []string{"2026-03-14 -16.00  NOTION LABS", "skipped line 3: it is pending; a later file has it when it is done"}, ""},
		{"Square", "Square",
			`Date,Time,Time Zone,Gross Sales,Discounts,Net Sales,Tax,Tip,Total Collected,Source,Fees,Net Total,Transaction ID,Description
03/14/26,10:00:00,Eastern,$20.00,$0.00,$20.00,$1.60,$2.00,$23.60,Point of Sale,($0.71),$22.89,abc,Mug
`, []string{"2026-03-14 23.60  Mug Point of Sale", "2026-03-14 -0.71  Square fee Mug Point of Sale"}, ""},
		{"a European bank", "",
			"Datum;Name;Betrag;Saldo\n14.03.2026;Café Müller;-1.234,50;100,00\n15.03.2026;Kunde;900,00;1.000,00\n",
			[]string{"2026-03-14 -1234.50  Café Müller", "2026-03-15 900.00  Kunde"}, "1000.00"},
		{"the code page of Windows", "", "Date,Description,Amount\n2026-03-14,Caf\xe9 \x80 M\xfcller,-4.50\n",
			[]string{"2026-03-14 -4.50  Café € Müller"}, ""},
	} {
		f, err := bankfile.Read([]byte(c.text), bankfile.Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if diff := cmp.Diff(c.want, shown(f)); diff != "" || f.Style != c.style {
			t.Errorf("%s is read as of %q:\n%s", c.name, f.Style, diff)
		}
		balance := ""
		if b := f.Accounts[0].Balance; b != nil {
			balance = b.String()
		}
		if balance != c.balance {
			t.Errorf("%s: the balance is %q, want %q", c.name, balance, c.balance)
		}
	}
}

func TestWhatHasTwoReadingsIsAskedFor(t *testing.T) {
	for _, c := range []struct {
		name, text, asks string
		answer           bankfile.Options
		want             string
	}{
		{"dates", "Date,Description,Amount\n03/04/2026,A,-1.00\n05/06/2026,B,-2.00\n", "--dates",
			bankfile.Options{DateOrder: "dmy"}, "2026-04-03 -1.00  A"},
		{"dates", "Date,Description,Amount\n03/04/2026,A,-1.00\n05/06/2026,B,-2.00\n", "--dates",
			bankfile.Options{DateOrder: "mdy"}, "2026-03-04 -1.00  A"},
		{"dates of both kinds", "Date,Description,Amount\n13/04/2026,A,-1.00\n05/16/2026,B,-2.00\n", "--dates",
			bankfile.Options{}, ""},
		{"charges", "Date,Description,Amount\n2026-03-04,A,1.00\n2026-03-05,B,2.00\n", "--charges",
			bankfile.Options{Charges: "positive"}, "2026-03-04 -1.00  A"},
		{"charges", "Date,Description,Amount\n2026-03-04,A,1.00\n2026-03-05,B,2.00\n", "--charges",
			bankfile.Options{Charges: "negative"}, "2026-03-04 1.00  A"},
		{"decimals", "Date;Description;Amount\n2026-03-04;A;-1.234\n", "--decimal",
			bankfile.Options{Decimal: "comma"}, "2026-03-04 -1234.00  A"},
		{"columns", "When,What,How much\n2026-03-04,A,-1.00\n", "--map", bankfile.Options{HeaderLine: 1,
			Columns: map[string]string{"date": "When", "description": "2", "amount": "how much"}},
			"2026-03-04 -1.00  A"},
	} {
		_, err := bankfile.Read([]byte(c.text), bankfile.Options{HeaderLine: c.answer.HeaderLine})
		var question *bankfile.Question
		if !errors.As(err, &question) || !strings.Contains(question.Option, c.asks) {
			t.Errorf("%s: %v", c.name, err)
		}
		if c.want == "" {
			continue
		}
		f, err := bankfile.Read([]byte(c.text), c.answer)
		if err != nil || shown(f)[0] != c.want {
			t.Errorf("%s answered: %v, %v", c.name, shown(f), err)
		}
	}
}

func TestAnAmountIsExactOrRefused(t *testing.T) {
	for cell, want := range map[string]string{
		"-4.5": "-4.50", "$1,234.50": "1234.50", "(12.00)": "-12.00", "12.00-": "-12.00", "12.00 DR": "-12.00",
		"12.00 CR": "12.00", "−5.25": "-5.25", "+3.00": "3.00", ".75": "0.75", "-.75": "-0.75", "007.10": "7.10",
		"1 234.50": "1234.50", "9,999,999,999,999.99": "9999999999999.99", "1.500": "1.50",
		"1.005": "", "abc": "", "1,23.00": "", "99999999999999.00": "", "1e3": "", "--5.00": "", "12.3.4": "",
	} {
		text := "Date,Description,Amount\n2026-03-04,A,\"" + cell + "\"\n"
		f, err := bankfile.Read([]byte(text), bankfile.Options{Charges: "negative", Decimal: "point"})
		got := ""
		if err == nil {
			got = f.Accounts[0].Rows[0].Amount.String()
		}
		if got != want {
			t.Errorf("%q is %q, want %q (%v)", cell, got, want, err)
		}
	}
}

// ids of the rows of a file.
func ids(t *testing.T, text string) []string {
	t.Helper()
	f, err := bankfile.Read([]byte(text), bankfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, r := range f.Accounts[0].Rows {
		all = append(all, r.ID)
	}
	return all
}

func TestAnOverlappingFileHasTheSameIDs(t *testing.T) {
	const head = "Date,Description,Amount\n"
	const a, b, c = "2026-03-14,COFFEE,-4.50\n", "2026-03-14,  Coffee ,-4.50\n", "2026-03-15,RENT,-900.00\n"
	march := ids(t, head+a+b)
	if march[0] == march[1] {
		t.Error("two rows that are alike have one id")
	}
	later := ids(t, head+c+b+a)
	if diff := cmp.Diff(march, later[1:]); diff != "" || later[0] == march[0] {
		t.Errorf("a later file in another order has other ids: %s", diff)
	}
	more := ids(t, head+a+b+a)
	if diff := cmp.Diff(march, more[:2]); diff != "" || more[2] == more[0] || more[2] == more[1] {
		t.Errorf("a third row that is alike: %s", diff)
	}
}

const ofxOld = `OFXHEADER:100
DATA:OFXSGML
VERSION:102
ENCODING:USASCII
CHARSET:1252

<OFX><SIGNONMSGSRSV1><SONRS><STATUS><CODE>0<SEVERITY>INFO</STATUS><DTSERVER>20260401<LANGUAGE>ENG
<FI><ORG>Wells Fargo<FID>3000</FI></SONRS></SIGNONMSGSRSV1>
<BANKMSGSRSV1><STMTTRNRS><STMTRS><CURDEF>USD<BANKACCTFROM><BANKID>121<ACCTID>0012345678<ACCTTYPE>CHECKING</BANKACCTFROM>
<BANKTRANLIST><DTSTART>20260301<DTEND>20260331
<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260314120000[-8:PST]<TRNAMT>-12.50<FITID>F1<NAME>AT&amp;T<MEMO>BILL PAYMENT</STMTTRN>
<STMTTRN><TRNTYPE>POS_UNKNOWN<DTPOSTED>20260315<TRNAMT>+7<FITID>F2<NAME>REFUND & MORE</STMTTRN>
</BANKTRANLIST><LEDGERBAL><BALAMT>100.10<DTASOF>20260331</LEDGERBAL>
<AVAILBAL><BALAMT>99<DTASOF>20260331</AVAILBAL></STMTRS></STMTTRNRS></BANKMSGSRSV1>
<CREDITCARDMSGSRSV1><CCSTMTTRNRS><CCSTMTRS><CURDEF>USD<CCACCTFROM><ACCTID>4111</CCACCTFROM>
<BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260316<TRNAMT>-3,25<FITID>F1<NAME>CAFE</STMTTRN>
</BANKTRANLIST></CCSTMTRS></CCSTMTTRNRS></CREDITCARDMSGSRSV1></OFX>`

const ofxNew = `<?xml version="1.0"?><?OFX OFXHEADER="200"?><OFX><BANKMSGSRSV1><STMTTRNRS><STMTRS>
<CURDEF>USD</CURDEF><BANKACCTFROM><ACCTID>0012345678</ACCTID></BANKACCTFROM>
<BANKTRANLIST><STMTTRN><TRNTYPE>DEBIT</TRNTYPE><DTPOSTED>20260314</DTPOSTED><TRNAMT>-12.50</TRNAMT>
<FITID>F1</FITID><NAME>ATT</NAME><MEMO></MEMO></STMTTRN>
</BANKTRANLIST></STMTRS></STMTTRNRS></BANKMSGSRSV1></OFX>`

func TestOFXOfBothGenerationsIsReadLoosely(t *testing.T) {
	f, err := bankfile.Read([]byte(ofxOld), bankfile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"2026-03-14 -12.50 USD AT&T BILL PAYMENT", "2026-03-15 7.00 USD REFUND & MORE",
		"2026-03-16 -3.25 USD CAFE"}
	if diff := cmp.Diff(want, shown(f)); diff != "" || len(f.Accounts) != 2 || f.Style != "Wells Fargo" {
		t.Fatalf("%+v\n%s", f, diff)
	}
	checking, card := f.Accounts[0], f.Accounts[1]
	if checking.ID != "0012345678" || checking.Type != "depository" || checking.Balance.String() != "100.10" ||
		card.Type != "credit" || card.Balance != nil {
		t.Errorf("accounts: %+v", f.Accounts)
	}
	// The newer generation is XML; the bank's ids are the same, whatever the rest says.
	again, err := bankfile.Read([]byte(ofxNew), bankfile.Options{})
	if err != nil || again.Accounts[0].Rows[0].ID != checking.Rows[0].ID {
		t.Errorf("%+v, %v", again, err)
	}
}

func TestAFileThatIsNoneSaysSo(t *testing.T) {
	for text, want := range map[string]string{
		"":                        "--map",
		"hello":                   "--map",
		"Date,Description,Amount": "no transactions",
		"Date,Description,Amount\n2026-02-30,A,-1.00\n":   "line 2",
		"Date,Description,Amount\n2026-02-20,A,-1.0051\n": "line 2",
		"<OFX></OFX>": "no transactions",
		"<OFX><STMTRS><STMTTRN><DTPOSTED>20260314<TRNAMT>x</STMTTRN></STMTRS></OFX>": "no amount",
		"Date,Name,Gross,Fee,Net,Transaction ID\n2026-02-20,A,10.00,-1.00,8.00,T1\n": "do not come to the net",
	} {
		if _, err := bankfile.Read([]byte(text), bankfile.Options{}); err == nil || !strings.Contains(err.Error(),
			want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestALineThatIsNotWholeIsNeverRead(t *testing.T) {
	const head = "Date,Description,Amount\n"
	const ofxHead = "OFXHEADER:100\n<OFX><STMTRS><CURDEF>USD<ACCTID>7<BANKTRANLIST>\n"
	const ofxRow = "<STMTTRN><DTPOSTED>20260115<TRNAMT>-4.50<FITID>1<NAME>A</STMTTRN>\n"
	for text, want := range map[string]string{
		head + "01/16/2026,B,-5.00\n01/15/2026,RENT,-1,234.56\n":                        "line 3 has 4 fields",
		head + "01/15/2026,PAID INV 7, 25,-4500.00\n":                                   "line 2 has 4 fields",
		"01/16/2026,B,-5.00\n01/17/2026,C,-6.00\n01/15/2026,R,-1,234.56\n":              "line 3 has 4 fields",
		"Date,Description,Amount,Memo\n01/16/2026,B,-5.00,,\n1/15/2026,R,-1,234.56,,\n": "line 3 has 6 fields",
		head + "01/13/2026,A,-1.00\n01/15/2026,\"OPEN,-4.50\n01/16/2026,B,-5.00\n":      "line 3: a quote",
		head + "01/13/2026,A,-1.00\n01/15/2026,\"6 PIPE,-4.50\n" +
			"01/16/2026,\"PIPE 5\",-3.00\n01/17/2026,C,-3.00\n": "line 3: a quote",
		head + "01/13/2026,A,-1.00\n01/15/2026,\"OPEN,-4.50":                         "line 3: a quote",
		head + "01/15/2026,\"LINE ONE\nLINE TWO\",-4.50\n":                           "line 2: a quote",
		ofxHead + ofxRow + "<STMTTRN><DTPOSTED>20260116<TRNAMT>12":                   "was cut",
		ofxHead + ofxRow + "<STMTTRN><DTPOSTED>20260116<TRNAMT>1200.00<NAME>B</STMT": "was cut",
		ofxHead + ofxRow: "was cut",
		head + "01/15/1899,A,-4.50\n01/16/2026,B,-5.00\n": "line 2: the year",
		head + "01/16/2026,B,-5.00\n01/15/2999,A,-4.50\n": "line 3: the year",
		head + "01/15/70,A,-4.50\n":                       "line 2: the year",
	} {
		today := time.Date(2026, time.February, 1, 0, 0, 0, 0, time.UTC)
		f, err := bankfile.Read([]byte(text), bankfile.Options{DateOrder: "mdy", Today: today})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q is read as %v, %v", text, shown(f), err)
		}
	}
	for text, want := range map[string][]string{
		"Date,Description,Amount\r01/15/2026,A,-4.50\r01/16/2026,B,-5\r": {"2026-01-15 -4.50  A",
			"2026-01-16 -5.00  B"},
		head + "01/15/2026,A,-4.50,\n01/15/2026,C,-1,\n01/16/2026,B\n": {"2026-01-15 -4.50  A",
			"2026-01-15 -1.00  C", "skipped line 4: it has fewer fields than the header, and no amount"},
		ofxHead + "<STMTTRN><DTPOSTED>20260115<TRNAMT>-4.50<NAME>A\n</BANKTRANLIST></STMTRS></OFX>\n": {
			"2026-01-15 -4.50 USD A"},
	} {
		f, err := bankfile.Read([]byte(text), bankfile.Options{})
		if diff := cmp.Diff(want, shown(f)); err != nil || diff != "" {
			t.Errorf("%q: %v\n%s", text, err, diff)
		}
	}
}

func TestASignWithTwoReadingsIsAskedFor(t *testing.T) {
	const debits = "Date,Description,Debit,Credit\n2026-01-15,FEE,4.50,\n2026-01-16,REVERSAL,-4.50,\n" +
		"2026-01-17,DEPOSIT,,10\n"
	const credits = "Date,Description,Debit,Credit\n2026-01-15,SHOP,4.50,\n2026-01-17,PAYMENT,,-10\n"
	const typed = "Date,Description,Amount,Type\n2026-01-15,A,4.50,Debit\n2026-01-16,B,10,Refund\n" +
		"2026-01-17,C,-3,Credit\n"
	const card = "Date,Description,Amount\n2026-01-15,A,4.50\n2026-01-17,B,-14.50\n"
	positive, negative := bankfile.Options{Charges: "positive"}, bankfile.Options{Charges: "negative"}
	byWord := bankfile.Options{Charges: "negative", Columns: map[string]string{"type": "Type"}}
	for _, c := range []struct {
		text, kind string
		answer     bankfile.Options
		want       string
	}{
		{debits, "", positive, "-4.50 4.50 10.00"},
		{debits, "", negative, "4.50 -4.50 10.00"},
		{credits, "", positive, "-4.50 10.00"},
		{credits, "", negative, "-4.50 -10.00"},
		{typed, "", positive, "-4.50 -10.00 3.00"},
		{typed, "", negative, "4.50 10.00 -3.00"},
		{typed, "", byWord, "-4.50 10.00 -3.00"},
		{card, "credit", positive, "-4.50 14.50"},
	} {
		var question *bankfile.Question
		_, err := bankfile.Read([]byte(c.text), bankfile.Options{Type: c.kind})
		if !errors.As(err, &question) || !strings.Contains(question.Option, "--charges positive") {
			t.Errorf("%q is not asked about: %v", c.text, err)
		}
		f, err := bankfile.Read([]byte(c.text), c.answer)
		if got := amounts(f); err != nil || got != c.want {
			t.Errorf("%q with %+v is %s, want %s: %v", c.text, c.answer, got, c.want, err)
		}
	}
	for text, want := range map[string]string{
		"Date,Description,Amount,Type\n2026-01-15,A,4.50,Debit\n2026-01-17,C,-3,Credit\n":      "-4.50 3.00",
		"Date,Description,Amount,Type\n2026-01-15,A,-4.50,Debit\n2026-01-17,C,3,Credit\n":      "-4.50 3.00",
		"Date,Description,Amount,Type\n2026-01-15,A,4.50,Debit\n2026-01-17,C,3,Credit\n":       "-4.50 3.00",
		"Date,Description,Debit,Credit\n2026-01-15,A,-4.50,\n2026-01-17,C,,3\n":                "-4.50 3.00",
		"Date,Description,Debit,Credit\n2026-01-15,A,4.50,\n2026-01-17,C,,3\n2026-01-18,D,,-1": "-4.50 3.00 -1.00",
	} {
		f, err := bankfile.Read([]byte(text), bankfile.Options{})
		if got := amounts(f); err != nil || got != want {
			t.Errorf("%q is %s, want %s: %v", text, got, want, err)
		}
	}
}

func amounts(f bankfile.File) string {
	var all []string
	for _, a := range f.Accounts {
		for _, r := range a.Rows {
			all = append(all, r.Amount.String())
		}
	}
	return strings.Join(all, " ")
}

func FuzzReadNeverFailsOddly(f *testing.F) {
	f.Add([]byte(ofxOld))
	f.Add([]byte(ofxNew))
	f.Add([]byte("Date,Description,Amount\n03/14/2026,A,-1.00\n"))
	f.Fuzz(func(t *testing.T, raw []byte) {
		file, err := bankfile.Read(raw, bankfile.Options{})
		if err != nil {
			return
		}
		for _, a := range file.Accounts {
			seen := map[string]bool{}
			for _, r := range a.Rows {
				if seen[r.ID] || r.ID == "" || r.Description == "" || r.Amount == 0 ||
					len([]rune(r.Description)) > 4096 {
					t.Fatalf("row %+v", r)
				}
				seen[r.ID] = true
			}
		}
	})
}
