package apitest

import (
	"net/url"
	"reflect"
	"testing"
)

// accountCalled uploads an account of a name.
func (o *office) accountCalled(name string) string {
	o.t.Helper()
	a := account(name)
	a["name"] = name
	return o.post(o.path+"/accounts", M{"source_id": o.source, "accounts": []M{a}}).want(200).text("accounts", 0, "id")
}

// What customers paid is counted where the service keeps it: what arrives at the bank from there is a move, by both
// legs, and none of it stands as sales.
func TestAPayoutFromAnOwnAccountAtAServiceIsAMove(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	balance, checking := o.accountCalled("Square Checking"), o.accountCalled("Business Checking 4471")
	o.upload(balance, transaction("out", "-2575.00", "2026-03-18", "Transfer to Regions Bank (...4471)"),
		transaction("back", "300.00", "2026-03-20", "Transfer from Regions Bank (...4471)"))
	ids := o.upload(checking,
		transaction("forth", "-300.00", "2026-03-20", "ONLINE TRANSFER TO EXTERNAL ACCOUNT"),
		transaction("in", "2575.00", "2026-03-19", "Square Inc Sq Transfr TSHH5GURK2O8D Marcus Tate"),
		transaction("alone", "481.13", "2026-03-25", "Square Inc Sq Transfr TBI6RKSCF0NB4 Marcus Tate"))
	o.process(1000)
	in := o.get(o.path + "/transactions/" + ids["in"]).want(200)
	in.wantAt("transfer.processor_balance", "transaction", "category", "categoryPath")
	in.wantAt(true, "transaction", "isTransfer")
	o.get(o.path+"/transactions/"+ids["forth"]).want(200).wantAt(true, "transaction", "isTransfer")
	alone := o.get(o.path + "/transactions/" + ids["alone"]).want(200)
	alone.wantAt(nil, "transaction", "category")
	alone.wantAt("transfer.processor_balance", "transaction", "suggestion", "categoryPath")
}

// In the account that a payment service keeps, its own words are read: what it sets aside moves nowhere, what it sends
// to the bank is no refund, what comes from the bank or a card is no sale, and whom it paid stands behind them.
func TestAnAccountAtAPaymentServiceIsReadInTheServicesWords(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	paypal := o.accountCalled("PayPal")
	ids := o.upload(paypal,
		transaction("sale", "85.00", "2026-03-02", "Mobile Payment Received Karen Tolliver"),
		transaction("hold", "-54.00", "2026-03-03", "Account Hold for Open Authorization"),
		transaction("free", "54.00", "2026-03-05", "Reversal of General Account Hold"),
		transaction("card", "500.00", "2026-03-06", "General Credit Card Deposit"),
		transaction("bank", "200.00", "2026-03-07", "General funding from bank account"),
		transaction("out", "-1184.22", "2026-03-09", "General Withdrawal - Bank Account"),
		transaction("bill", "-12.99", "2026-03-10", "PreApproved Payment Bill User Payment Dropbox Inc"))
	in := o.upload(o.accountCalled("Business Checking 4471"),
		transaction("in", "1184.22", "2026-03-10", "PAYPAL TRANSFER 1033451 JUNIPER BIKES"))["in"]
	o.process(1000)
	const moved = "transfer.processor_balance"
	for _, id := range []string{"hold", "free"} {
		o.get(o.path+"/transactions/"+ids[id]).want(200).wantAt(moved, "transaction", "category", "categoryPath")
	}
	for id, suggested := range map[string]string{"card": moved, "bank": moved, "sale": "revenue.sales"} {
		got := o.get(o.path + "/transactions/" + ids[id]).want(200)
		got.wantAt(nil, "transaction", "category")
		got.wantAt(suggested, "transaction", "suggestion", "categoryPath")
	}
	o.get(o.path+"/transactions/"+ids["out"]).want(200).wantAt(in, "transaction", "transferTransactionId")
	bill := o.get(o.path + "/transactions/" + ids["bill"]).want(200)
	bill.wantAt("Dropbox", "transaction", "counterparty", "name")
	if q := o.questionAbout("bank account behind PayPal"); q.transactions != "2" {
		t.Errorf("asked are %s moves, want the two without their other leg", q.transactions)
	}
}

// What an own account at a service sent to somebody, as it writes, came to the bank from there, as that writes: to the
// owner. What it sent to others did not.
func TestWhatAServiceSentToTheOwnersBankIsAMove(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	wise := o.upload(o.accountCalled("Wise Business USD balance"),
		transaction("self", "-1500.00", "2026-01-31", "Sent money to Odette Marchand"),
		transaction("other", "-1500.00", "2026-03-02", "Sent money to Maria Teresa Villanueva"),
		transaction("third", "-880.00", "2026-03-20", "Sent money to Maria Teresa Villanueva"),
		transaction("firm", "-900.00", "2026-05-02", "Sent money to Holm Translations"))
	bank := o.upload(o.accountCalled("Business Checking 4410"),
		transaction("in", "1500.00", "2026-02-03",
			"ORIG CO NAME:WISE INC CO ENTRY DESCR:WISE SEC:CCD IND NAME:ODETTE MARCHAND"),
		transaction("client", "880.00", "2026-03-21", "ORIG CO NAME:HARBOUR PINE CO ENTRY DESCR:PAYMENT SEC:CCD"))
	paypal := o.upload(o.accountCalled("PayPal"),
		transaction("kim", "-500.00", "2026-04-02", "General Payment to Kim Lo"),
		transaction("out", "-500.00", "2026-04-03", "General Withdrawal - Bank Account"))
	for id, row := range o.upload(o.accountCalled("Business Savings 7712"),
		transaction("moved", "500.00", "2026-04-04", "PAYPAL TRANSFER PPD"),
		transaction("holm", "900.00", "2026-05-04", "WISE US INC DES:HOLM TRANSLATIONS ID:INV 8 INDN:MARCHAND CCD"),
		transaction("paid", "1500.00", "2026-03-04", "WISE US INC DES:KESSLER GM ID:INV 88 INDN:MARCHAND CCD")) {
		bank[id] = row
	}
	o.process(1000)
	o.get(o.path+"/transactions/"+bank["in"]).want(200).wantAt(wise["self"], "transaction", "transferTransactionId")
	o.get(o.path+"/transactions/"+bank["moved"]).want(200).
		wantAt(paypal["out"], "transaction", "transferTransactionId")
	for _, id := range []string{wise["other"], wise["third"], bank["client"], bank["paid"], paypal["kim"],
		wise["firm"], bank["holm"]} {
		o.get(o.path+"/transactions/"+id).want(200).wantAt(false, "transaction", "isTransfer")
	}
}

// What arrives at the bank through an app comes from the business's account there, whatever firm's name its bank puts
// in front and whoever it names: what customers paid is in that account.
func TestWhatComesThroughAnOwnAppIsAMove(t *testing.T) {
	t.Parallel()
	with, without := start(t).open(), start(t).open()
	with.accountCalled("Cash App")
	for o, suggested := range map[*office]string{with: "transfer.processor_balance", without: "revenue.sales"} {
		id := o.upload(o.accountCalled("LifeGreen Checking 6031"), transaction("in", "155.00", "2026-01-13",
			"Block, Inc. Cash App Andre Pettway T2CIE6EYITRKPZO"))["in"]
		o.process(1000)
		got := o.get(o.path + "/transactions/" + id).want(200)
		got.wantAt(nil, "transaction", "category")
		got.wantAt(suggested, "transaction", "suggestion", "categoryPath")
	}
}

// What was said of money that comes from an account at a service is not said of what goes there: nobody earns it.
func TestWhatComesFromAServiceSaysNothingOfWhatGoesThere(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	o.accountCalled("PayPal")
	account := o.accountCalled("Business Checking 4471")
	o.upload(account, transaction("in", "345.10", "2026-02-02", "PAYPAL TRANSFER PPD ID: PAYPALSD11"),
		transaction("more", "351.40", "2026-02-09", "PAYPAL TRANSFER PPD ID: PAYPALSD11"))
	o.process(1000)
	o.answerIssue(o.questionAbout("PayPal").id, "revenue.sales", nil).want(200).wantAt("accepted", "status")
	out := o.upload(account, transaction("out", "-45.10", "2026-02-12", "PAYPAL INST XFER FIGMA"))["out"]
	o.process(1000)
	o.get(o.path+"/transactions/"+out).want(200).wantAt(nil, "transaction", "category")
}

// Words of holds in what a customer writes are the customer's.
func TestWhatACustomerWritesIsNoHold(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	ids := o.upload(o.accountCalled("Venmo business"),
		transaction("date", "300.00", "2026-05-02", "Payment from Rosa Diaz: temporary hold for June 5 date"),
		transaction("tile", "450.00", "2026-05-03", "Payment from Al Green funds available for tile work"),
		transaction("venue", "-300.00", "2026-05-04", "You paid Bob Jones payment hold deposit for venue"))
	for id, row := range o.upload(o.accountCalled("PayPal"),
		transaction("held", "900.00", "2026-05-05", "Website Payment from Dana Cole (Payment on hold)")) {
		ids[id] = row
	}
	o.process(1000)
	for id, row := range ids {
		if got := o.get(o.path + "/transactions/" + row).want(200); got.get("transaction", "category") != nil {
			t.Errorf("%s stands: %v", id, got.get("transaction", "category"))
		}
	}
}

// What is known of an account that is connected later, or called otherwise later, is known of the rows before.
func TestAnAccountThatComesLaterIsKnownToRowsBefore(t *testing.T) {
	t.Parallel()
	for _, later := range []struct {
		name, line, amount string
		before, after      any
	}{
		{"Client IOLTA 6240", "SQUARE INC SQ260319 T3GMEOYZ JUNIPER BIKES", "640.10",
			"revenue.sales.processor_payouts", nil},
		{"PayPal", "PAYPAL INST XFER FIGMA", "-45.10", "expense.other.software", nil},
	} {
		o := start(t).open()
		account := o.accountCalled("Checking 1182")
		id := o.upload(account, transaction("row", later.amount, "2026-03-19", later.line))["row"]
		is := func() any {
			got := o.get(o.path + "/transactions/" + id).want(200)
			if got.get("transaction", "category") == nil {
				return nil
			}
			return got.get("transaction", "category", "categoryPath")
		}
		o.process(1000)
		if got := is(); got != later.before {
			t.Fatalf("%s: %v, want %v", later.line, got, later.before)
		}
		o.accountCalled(later.name)
		o.get(o.path+"/profile").want(200).wantAt(1, "coverage", "transactions", "queued")
		o.year("pnl").want(200).wantAt(1, "basis", "processing", "queued")
		o.restand()
		o.process(1000)
		o.get(o.path+"/profile").want(200).wantAt(0, "coverage", "transactions", "queued")
		if got := is(); got != later.after {
			t.Errorf("%s with %s: %v, want %v", later.line, later.name, got, later.after)
		}
	}
}

func TestACustomerCalledLikeAServiceIsNotTheServicesAccount(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	o.accountCalled("Square Checking")
	id := o.upload(o.accountCalled("Business Checking 4471"), transaction("in", "900.00", "2026-01-13",
		"ORIG CO NAME:TIMES SQUARE HOTEL LLC CO ENTRY DESCR:AP PAYMENT SEC:CCD"))["in"]
	o.process(1000)
	got := o.get(o.path + "/transactions/" + id).want(200)
	got.wantAt("revenue.sales", "transaction", "suggestion", "categoryPath")
}

func TestAPayoutOfAServiceWithoutAnOwnAccountIsSales(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	o.accountCalled("Squarely Checking")
	ids := o.upload(o.accountCalled("Business Checking 4471"),
		transaction("in", "481.13", "2026-03-19", "Square Inc Sq Transfr TSHH5GURK2O8D Marcus Tate"))
	o.process(1000)
	o.get(o.path+"/transactions/"+ids["in"]).want(200).wantAt("revenue.sales.processor_payouts", "transaction",
		"category", "categoryPath")
}

// What leaves an account that holds the money of others was earned, or paid for them: both legs tell nothing of it.
func TestAMoveFromATrustAccountDoesNotStandByBothLegs(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	trust, operating := o.accountCalled("Checking (owners' trust)"), o.accountCalled("Checking (operating)")
	ids := o.upload(trust, transaction("out", "-1100.79", "2026-03-24", "ONLINE TRANSFER TO BUSINESS CHECKING"))
	for id, row := range o.upload(operating,
		transaction("in", "1100.79", "2026-03-24", "ONLINE TRANSFER FROM BUSINESS CHECKING")) {
		ids[id] = row
	}
	o.process(1000)
	for id, suggested := range map[string]string{"out": "liability.client_funds", "in": "revenue.sales.services"} {
		got := o.get(o.path + "/transactions/" + ids[id]).want(200)
		got.wantAt(nil, "transaction", "category")
		got.wantAt(suggested, "transaction", "suggestion", "categoryPath")
		got.wantAt(true, "transaction", "needsAttention")
	}
}

// Who says that it is a move has it so, by both legs.
func TestAMoveFromATrustAccountIsOneOnceTheBusinessSaysSo(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	trust, operating := o.accountCalled("Checking (owners' trust)"), o.accountCalled("Checking (operating)")
	move := func(month string) (out, in string) {
		out = o.upload(trust, transaction("out"+month, "-1100.79", month+"-24",
			"ONLINE TRANSFER TO BUSINESS CHECKING XXXXXX1182"))["out"+month]
		in = o.upload(operating, transaction("in"+month, "1100.79", month+"-24",
			"ONLINE TRANSFER FROM BUSINESS CHECKING XXXXXX7730"))["in"+month]
		o.process(1000)
		return out, in
	}
	move("2026-03")
	for _, about := range []string{"goes out of Checking (owners' trust)", "comes from the account ending in 7730"} {
		o.answerIssue(o.questionAbout(about).id, "It is ours", "transfer.internal").want(200)
	}
	out, in := move("2026-04")
	o.get(o.path+"/transactions/"+out).want(200).wantAt(in, "transaction", "transferTransactionId")
}

// What lies in a lawyer's or manager's trust account is neither income nor a cost, whatever its lines say and whatever
// was answered of the same party elsewhere: that is asked once for each direction, and decides that account alone.
func TestWhatATrustAccountHoldsIsOthersUntilTheBusinessSaysOtherwise(t *testing.T) {
	t.Parallel()
	o, _ := openPaid(t)
	trust, operating := o.accountCalled("PNC IOLTA ...6240"), o.accountCalled("PNC Checking ...6182")
	client := func(id, day string) M {
		return transaction(id, "1250.00", day, "ZOOK HOLDINGS LLC DES:PAYMENT ID:4471 INDN:DUNLEAVY LAW")
	}
	o.upload(operating, client("earned", "2026-01-12"))
	o.process(0)
	o.answerIssue(o.questionAbout("Zook").id, "what they pay for our work", "revenue.sales.services").want(200)
	o.upload(trust, client("held", "2026-02-12"),
		transaction("deposit", "7500.00", "2026-02-13", "REMOTE DEPOSIT 048827616"),
		transaction("interest", "4.12", "2026-02-27", "INTEREST PAYMENT"),
		transaction("out", "-410.00", "2026-02-20", "ACH DEBIT REGISTER OF WILLS 99120"),
		transaction("check", "-5200.00", "2026-02-21", "CHECK 1044"))
	o.process(0)
	none := map[string]string{"earned": "revenue.sales.services", "held": "", "deposit": "", "interest": "", "out": "",
		"check": ""}
	o.wantCategories(none)
	list := o.get(o.path + "/transactions?query=" + url.QueryEscape("REMOTE DEPOSIT")).want(200)
	list.wantAt("liability.client_funds", "transactions", 0, "suggestion", "categoryPath")
	in, out := o.questionAbout("comes into PNC IOLTA"), o.questionAbout("goes out of PNC IOLTA")
	if len(o.questions()) != 2 || in.transactions != "3" || out.transactions != "2" {
		t.Errorf("open are %v", o.questions())
	}
	o.answerIssue(in.id, "clients' money", "liability.client_funds").want(200).wantAt("accepted", "status")
	o.answerIssue(out.id, "liability.customer_deposit; 2: asset.reimbursable", nil).want(200).
		wantAt("accepted", "status")
	o.upload(trust, client("next", "2026-03-12"),
		transaction("cheque", "1800.00", "2026-03-13", "REMOTE DEPOSIT 048829001"))
	o.upload(operating, client("work", "2026-03-14"),
		transaction("own", "900.00", "2026-03-13", "REMOTE DEPOSIT 048829002"))
	o.process(0)
	const theirs = "liability.client_funds"
	o.wantCategories(map[string]string{"earned": "revenue.sales.services", "held": theirs, "deposit": theirs,
		"interest": theirs, "out": "asset.reimbursable", "check": "liability.customer_deposit", "next": theirs,
		"cheque": theirs, "work": "revenue.sales.services", "own": ""})
	o.answerIssue(in.id, "undo", nil).want(200).wantAt("accepted", "status")
	o.answerIssue(out.id, "undo", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantCategories(none)
	if again := o.questionAbout("comes into PNC IOLTA"); again.id != in.id || again.transactions != "5" {
		t.Errorf("open again is %v, was %v", again, in)
	}
	if again := o.questionAbout("goes out of PNC IOLTA"); !reflect.DeepEqual(again, out) {
		t.Errorf("open again is %v, was %v", again, out)
	}
}

// Where a business puts by what it will owe, its money is its own.
func TestAnAccountForTaxesHoldsTheBusinesssOwn(t *testing.T) {
	t.Parallel()
	o, _ := openPaid(t)
	o.upload(o.accountCalled("Tax escrow savings"), transaction("interest", "4.12", "2026-02-27", "INTEREST PAYMENT"))
	o.process(0)
	o.wantCategories(map[string]string{"interest": "revenue.other.interest"})
}

// An account that turns out to hold the money of others by its new name does so from the beginning: what stood by its
// lines does not any more, and what was asked is asked about this account alone.
func TestAnAccountThatIsCalledATrustAccountLaterIsDecidedAnew(t *testing.T) {
	t.Parallel()
	o, _ := openPaid(t)
	record := account("Checking 5510")
	call := func(name string) string {
		record["name"] = name
		got := o.post(o.path+"/accounts", M{"source_id": o.source, "accounts": []M{record}}).want(200)
		o.restand()
		o.process(0)
		return got.text("accounts", 0, "id")
	}
	o.upload(call("Checking 5510"),
		transaction("adobe", "-12.99", "2026-03-02", "ADOBE *CREATIVE CLOUD 408-536-6000 CA"),
		transaction("deposit", "3000.00", "2026-03-03", "REMOTE DEPOSIT 048827616"),
		transaction("out", "-700.10", "2026-03-05", "ONLINE TRANSFER TO CHECKING XXXXXX7730"))
	o.upload(o.accountCalled("Operating 7730"),
		transaction("in", "700.10", "2026-03-05", "ONLINE TRANSFER FROM CHECKING XXXXXX5510"))
	o.process(0)
	o.wantCategories(map[string]string{"adobe": "expense.other.software", "deposit": "", "out": "transfer.internal",
		"in": "transfer.internal"})
	call("Client Trust 5510")
	o.wantCategories(map[string]string{"adobe": "", "deposit": "", "out": "", "in": ""})
	in, out := o.questionAbout("comes into Client Trust 5510"), o.questionAbout("goes out of Client Trust 5510")
	if in.transactions != "1" || out.transactions != "2" || len(o.questions()) != 3 {
		t.Errorf("open are %v", o.questions())
	}
	o.questionAbout("comes from the account ending in 5510")
	o.answerIssue(in.id, "client money", nil).want(200).wantAt("accepted", "status")
	call("Operating 5510")
	o.wantCategories(map[string]string{"adobe": "expense.other.software", "deposit": "liability.client_funds",
		"out": "transfer.internal", "in": "transfer.internal"})
}

// What is said of the money of others on the one side is not said of what arrives on the other: it makes no transfer of
// that, and no refund.
func TestAnAnswerAboutATrustAccountSaysNothingOfWhatWasEarned(t *testing.T) {
	t.Parallel()
	o, _ := openPaid(t)
	trust, operating := o.accountCalled("Client Trust ...5518"), o.accountCalled("Operating ...2207")
	want := map[string]string{}
	const theirs, earned = "liability.customer_deposit", "revenue.sales.services"
	month := func(month, arrives string) {
		o.upload(trust,
			transaction("fee out"+month, "-6463.10", month+"-10", "Transfer to XXXXXX2207 Mgmt fee 288783"),
			transaction("out"+month, "-1150.20", month+"-24", "Transfer to XXXXXX2207 conf 288791"))
		o.upload(operating,
			transaction("fee in"+month, "6463.10", month+"-10", "Transfer from XXXXXX5518 Mgmt fee 288783"),
			transaction("in"+month, "1150.20", month+"-24", "Transfer from XXXXXX5518 conf 288791"))
		o.process(0)
		want["fee out"+month], want["out"+month] = theirs, theirs
		want["fee in"+month], want["in"+month] = arrives, arrives
	}
	month("2026-03", "")
	o.answerIssue(o.questionAbout("goes out of Client Trust").id, "held for them", theirs).want(200)
	o.process(0)
	month("2026-04", "")
	o.wantCategories(want)
	if len(o.questions()) != 1 {
		t.Errorf("open are %v", o.questions())
	}
	o.answerIssue(o.questionAbout("comes from the account ending in 5518").id, "fees earned", nil).want(200).
		wantAt("accepted", "status")
	month("2026-05", earned)
	for _, before := range []string{"2026-03", "2026-04"} {
		want["fee in"+before], want["in"+before] = earned, earned
	}
	o.wantCategories(want)
}

// What goes to a connected account that holds the money of others is no cost, however its bank calls that.
func TestAMoveToATrustAccountIsNoCost(t *testing.T) {
	t.Parallel()
	o, _ := openPaid(t)
	o.accountCalled("IOLTA ...7704")
	o.upload(o.accountCalled("Operating 1187"), transaction("fees", "-2500.00", "2026-03-10", "TRANSFER TO IOLTA 7704"),
		transaction("deposit", "-700.00", "2026-03-11", "TRANSFER TO TENANT SECURITY DEPOSITS 7704"),
		transaction("court", "-410.00", "2026-03-12", "ONLINE TRANSFER TO CHK 7704"))
	o.process(0)
	o.wantCategories(map[string]string{"fees": "", "deposit": "", "court": ""})
	q := o.questionAbout("goes to the account ending in 7704")
	if q.transactions != "3" || len(o.questions()) != 1 {
		t.Errorf("open are %v", o.questions())
	}
	list := o.get(o.path + "/transactions").want(200)
	for i := range 3 {
		list.wantAt("liability.client_funds", "transactions", i, "suggestion", "categoryPath")
	}
	o.answerIssue(q.id, "liability.client_funds; 3: transfer.internal", nil).want(200).wantAt("accepted", "status")
}

// What a wallet pays from the bank behind it stands in the wallet's own account once more: it counts once.
func TestWhatAConnectedWalletPaysCountsOnce(t *testing.T) {
	t.Parallel()
	o, checking := openPaid(t)
	bank := o.upload(checking, transaction("bank", "-85.42", "2026-03-03", "PAYPAL INST XFER PIRATE SHIP"))
	wallet := o.upload(o.accountCalled("PayPal"),
		transaction("paid", "-85.42", "2026-03-01", "Express Checkout Payment to Pirate Ship"),
		transaction("funded", "85.42", "2026-03-01", "Bank Deposit to PP Account"))
	o.process(0)
	o.upload(checking, transaction("later", "-60.10", "2026-03-09", "PAYPAL INST XFER ULINE"))
	o.process(0)
	o.wantParts(bank["bank"], "rule", "transfer.processor_balance")
	o.wantParts(wallet["funded"], "rule", "transfer.processor_balance")
	o.wantParts(wallet["paid"], "merchant", "expense.other.shipping")
	if q := o.questionAbout("PayPal"); q.transactions != "1" {
		t.Errorf("%s rows are asked about", q.transactions)
	}
	later := o.search("query", "uline").want(200)
	later.wantAt(nil, "transactions", 0, "category")
	later.wantAt("transfer.processor_balance", "transactions", 0, "suggestion", "categoryPath")
	o.sums("2026-01-01", "2026-12-31")
}
