package apitest

import "testing"

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
	for _, account := range []string{"1182", "7730"} {
		o.answerIssue(o.questionAbout(account).id, "It is ours", "transfer.internal").want(200)
	}
	out, in := move("2026-04")
	o.get(o.path+"/transactions/"+out).want(200).wantAt(in, "transaction", "transferTransactionId")
}
