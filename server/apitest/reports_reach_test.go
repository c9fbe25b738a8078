package apitest

import (
	"encoding/json"
	"testing"
	"time"
)

func TestAReportSaysHowFarItsDataGo(t *testing.T) {
	t.Parallel()
	a := start(t)
	o := a.open()
	year := asked("startDate", "2026-01-01", "endDate", "2026-12-31")
	both := func(o *office, want any, path ...any) {
		t.Helper()
		for _, kind := range []string{"cashflow", "pnl"} {
			o.report(kind, year).want(200).wantAt(want, append([]any{"basis"}, path...)...)
		}
	}
	both(o, nil, "dataThrough")
	both(o, M{"id": o.source, "kind": "api", "state": "connected", "lastUploadAt": nil, "stale": true}, "sources", 0)
	uploaded := a.clock.Now()
	checking := o.uploadAccount("checking")
	both(o, uploaded, "sources", 0, "lastUploadAt") // of an account alone
	o.upload(checking, transaction("t1", "-5.00", "2026-02-03", "FLOUR"),
		transaction("t2", "-5.00", "2027-03-04", "SALT"))
	both(o, "2027-03-04", "dataThrough")
	both(o, false, "sources", 0, "stale")
	a.clock.Add(7*24*time.Hour + time.Second)
	o = o.again()
	both(o, true, "sources", 0, "stale")
	o.delete(o.path + "/accounts/" + checking).want(200)
	both(o, "revoked", "sources", 0, "state")
}

func TestPendingRowsAreInNoOtherFigure(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	row := func(id, amount, currency string, pending bool) M {
		r := transaction(id, amount, "2026-02-03", "ROW "+id)
		r["currency"], r["pending"] = currency, pending
		return r
	}
	o.upload(o.uploadAccount("a"), row("1", "-1.00", "USD", false), row("2", "-2.00", "USD", true),
		row("3", "-4.00", "EUR", false),
		row("4", "-8.00", "EUR", true), row("5", "16.00", "EUR", true), row("6", "-32.00", "CHF", true))
	for _, kind := range []string{"cashflow", "pnl"} {
		got := o.report(kind, asked("startDate", "2026-01-01", "endDate", "2026-12-31")).want(200)
		flow := func(currency string, n int, in, out string) M {
			return M{"currency": currency, "transactionCount": n, "inflow": json.Number(in),
				"outflow": json.Number(out)}
		}
		got.wantAt([]M{flow("EUR", 1, "0.00", "4.00")}, "basis", "otherCurrencies")
		got.wantAt(M{"transactionCount": 1, "inflow": json.Number("0.00"), "outflow": json.Number("2.00"),
			"otherCurrencies": []M{flow("CHF", 1, "0.00", "32.00"), flow("EUR", 2, "16.00", "8.00")}}, "basis",
			"pendingExcluded")
	}
}

func TestAnAccountIsLimitedWhileRowsOfItWait(t *testing.T) {
	t.Parallel()
	a := startTiers(t, 25)
	o := a.openTier("free")
	first, second := o.uploadAccount("a"), o.uploadAccount("b")
	o.upload(first, spread(30)...)
	o.upload(second, transaction("other", "-1.00", "2020-01-01", "OLD"))
	o.process(25)
	for _, id := range []string{"a", "b"} {
		if got := o.accounts()[id]["sync"].(M); got["status"] != "processing" || got["limited"] != true {
			t.Errorf("account %s is %v", id, got)
		}
	}
	a.clock.Add(32 * 24 * time.Hour)
	o = o.again()
	o.release(100)
	o.process(100)
	for _, id := range []string{"a", "b"} {
		if got := o.accounts()[id]["sync"].(M)["status"]; got != "upToDate" {
			t.Errorf("account %s is %v in the next month", id, got)
		}
	}
}

func TestABalanceSaysWhenItWasSent(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	o := h.login("ana")
	then := h.clock.Now()
	known := M{"id": "a", "name": "A", "currency": "USD", "current_balance": 12.5}
	unknown := M{"id": "b", "name": "B", "currency": "USD"}
	h.snapshot("ana", known, unknown)
	h.settle()
	at := func(id string, balance, upload any) {
		t.Helper()
		got := o.accounts()[id]
		for what, pair := range map[string][2]any{"balanceAt": {got["balanceAt"], balance},
			"lastUploadAt": {got["sync"].(M)["lastUploadAt"], upload}} {
			if want, ok := pair[1].(time.Time); ok {
				pair[1] = want.Format(time.RFC3339Nano)
			}
			if pair[0] != pair[1] {
				t.Errorf("%s of %s is %v, want %v", what, id, pair[0], pair[1])
			}
		}
	}
	at("a", then, then)
	at("b", nil, then)
	h.clock.Add(time.Minute)
	delete(known, "current_balance")
	h.snapshot("ana", known)
	h.settle()
	at("a", then, h.clock.Now())
	at("b", nil, then) // it was left out
	o.get(o.path+"/profile").want(200).wantAt(h.clock.Now(), "coverage", "sources", 0, "lastUploadAt")
}

func TestAnOldWordIsNotFoundAfterItsDescriptionChanged(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	account := o.uploadAccount("a")
	o.upload(account, transaction("t1", "-12.99", "2026-02-03", "ADOBE *CREATIVE CLOUD 408-536-6000 CA"))
	o.process(1000)
	o.wantFound([]string{"t1"}, "query", "adobe")
	o.upload(account, transaction("t1", "-12.99", "2026-02-03", "CHECK 1044"))
	o.wantFound([]string{}, "query", "adobe") // at once
	o.wantFound([]string{"t1"}, "query", "1044")
	o.process(1000)
	o.wantFound([]string{}, "query", "adobe")
}
