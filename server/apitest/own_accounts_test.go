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
	o.upload(balance, transaction("out", "-2575.00", "2026-03-18", "Transfer to Regions Bank (...4471)"))
	ids := o.upload(checking,
		transaction("in", "2575.00", "2026-03-19", "Square Inc Sq Transfr TSHH5GURK2O8D Marcus Tate"),
		transaction("alone", "481.13", "2026-03-25", "Square Inc Sq Transfr TBI6RKSCF0NB4 Marcus Tate"))
	o.process(1000)
	in := o.get(o.path + "/transactions/" + ids["in"]).want(200)
	in.wantAt("transfer.processor_balance", "transaction", "category", "categoryPath")
	in.wantAt(true, "transaction", "isTransfer")
	alone := o.get(o.path + "/transactions/" + ids["alone"]).want(200)
	alone.wantAt(nil, "transaction", "category")
	alone.wantAt("transfer.processor_balance", "transaction", "suggestion", "categoryPath")
}

func TestAPayoutOfAServiceWithoutAnOwnAccountIsSales(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	ids := o.upload(o.accountCalled("Squarely Checking"),
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
