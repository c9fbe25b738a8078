package apitest

import (
	"encoding/json"
	"testing"
)

// pair is a business with a transfer that both of its sides show.
func pair(t *testing.T) (o *office, checking, savings string, ids map[string]string) {
	t.Helper()
	o, checking = openPaid(t)
	savings = o.uploadAccount("savings")
	ids = o.upload(checking, transaction("out", "-500.00", "2026-04-11", "ONLINE TRANSFER TO SAV ...1234"))
	ids["in"] = o.upload(savings, transaction("in", "500.00", "2026-04-13", "ONLINE TRANSFER FROM CHK ...9999"))["in"]
	o.process(0)
	o.wantPair(ids)
	return o, checking, savings, ids
}

// wantPair is both legs as two sides of one transfer, of which nothing is asked.
func (o *office) wantPair(ids map[string]string) {
	o.t.Helper()
	for leg, other := range map[string]string{"in": "out", "out": "in"} {
		row := o.get(o.path + "/transactions/" + ids[leg]).want(200)
		row.wantAt("transfer.internal", "transaction", "category", "categoryPath")
		row.wantAt("rule", "transaction", "category", "source")
		row.wantAt(ids[other], "transaction", "transferTransactionId")
		row.wantAt(false, "transaction", "needsAttention")
	}
	if asked := o.questions(); len(asked) != 0 {
		o.t.Errorf("it is asked about: %v", asked)
	}
	o.get(o.path+"/reports/cashflow?startDate=2026-01-01&endDate=2026-12-31").want(200).
		wantAt(json.Number("0.00"), "totals", "net")
}

func TestAPairIsAPairAgainWhenWhatWasSaidOfALegIsTakenBack(t *testing.T) {
	t.Parallel()
	for _, said := range [][]string{{"transfer.internal"}, {"Owner contribution"}} {
		o, _, _, ids := pair(t)
		for _, words := range append(said, "undo") {
			o.answerIssue("t:"+ids["in"], words, nil).want(200)
			o.process(0)
		}
		o.wantPair(ids)
	}
	o, _, _, ids := pair(t)
	for _, step := range [][2]string{{"in", "Owner contribution"}, {"out", "transfer.internal"}, {"in", "undo"},
		{"out", "undo"}} {
		o.answerIssue("t:"+ids[step[0]], step[1], nil).want(200)
		o.process(0)
	}
	o.wantPair(ids)
}

// A row that is a leg by an answer alone is none when that is taken back, and what was said before holds again.
func TestALegIsNoneWhenWhatMadeItOneIsTakenBack(t *testing.T) {
	t.Parallel()
	o, checking := openPaid(t)
	savings := o.uploadAccount("savings")
	ids := o.upload(savings, transaction("in", "500.00", "2026-04-13", "ONLINE TRANSFER FROM CHK ...9999"))
	o.process(0)
	row := func() answer { return o.get(o.path + "/transactions/" + ids["in"]).want(200) }
	o.answerIssue(row().text("transaction", "issueIds", 0), "Owner contribution", nil).want(200)
	o.answerIssue("t:"+ids["in"], "transfer.internal", nil).want(200)
	ids["out"] = o.upload(checking, transaction("out", "-500.00", "2026-04-11",
		"ONLINE TRANSFER TO SAV ...1234"))["out"]
	o.process(0)
	row().wantAt(ids["out"], "transaction", "transferTransactionId")
	o.answerIssue("t:"+ids["in"], "undo", nil).want(200)
	o.process(0)
	row().wantAt("equity.owner_contribution", "transaction", "category", "categoryPath")
	row().wantAt(nil, "transaction", "transferTransactionId")
	o.get(o.path+"/transactions/"+ids["out"]).want(200).wantAt(nil, "transaction", "category")
}

// "Is it still software?" is over where the other side shows a transfer, and does not come back with it.
func TestAChangedLineThatBothSidesShowToBeATransferIsNotAskedAbout(t *testing.T) {
	t.Parallel()
	o, checking := openPaid(t)
	savings := o.uploadAccount("savings")
	ids := o.upload(checking, transaction("out", "-77.00", "2026-06-10", "ADOBE *CREATIVE CLOUD"))
	o.process(0)
	o.upload(checking, transaction("out", "-77.00", "2026-06-10", "ONLINE TRANSFER TO SAV ...1111"))
	o.process(0)
	row := func() answer { return o.get(o.path + "/transactions/" + ids["out"]).want(200) }
	row().wantAt("merchant", "transaction", "category", "source")
	row().wantAt(json.Number("1"), "transaction", "issueCount")
	ids["in"] = o.upload(savings, transaction("in", "77.00", "2026-06-11", "ONLINE TRANSFER FROM CHK ...1111"))["in"]
	o.process(0)
	o.wantPair(ids)
	o.upload(savings, transaction("in", "70.00", "2026-06-11", "ONLINE TRANSFER FROM CHK ...1111"))
	o.process(0)
	row().wantAt(json.Number("1"), "transaction", "issueCount")
}

// Likewise of a line that turned out to be money back: it is asked about once, as such.
func TestAChangedLineThatIsARefundOfALaterUploadIsAskedAboutOnce(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, transaction("back", "50.00", "2026-06-11", "CASHBACK REWARD"))
	o.process(0)
	o.upload(account, transaction("back", "50.00", "2026-06-11", "THE HOME DEPOT #1001 REFUND"))
	o.process(0)
	row := func() answer { return o.get(o.path + "/transactions/" + ids["back"]).want(200) }
	row().wantAt("revenue.other.rewards", "transaction", "category", "categoryPath")
	row().wantAt(json.Number("1"), "transaction", "issueCount")
	o.upload(account, transaction("bought", "-50.00", "2026-06-01", "THE HOME DEPOT #1001"))
	o.process(0)
	row().wantAt(nil, "transaction", "category")
	row().wantAt(json.Number("1"), "transaction", "issueCount")
}

func TestARowFromMemoryFollowsItsAnswerWhateverTheBankMadeOfItsLine(t *testing.T) {
	t.Parallel()
	const zelle = "ZELLE PAYMENT TO TOBIAS KRAHL CONF# 77"
	for name, line := range map[string][2]string{
		"the other way":    {"600.00", zelle},
		"another shop":     {"-600.00", "THE HOME DEPOT #1001"},
		"a check":          {"-600.00", "CHECK 1001"},
		"what it was then": {"-600.00", zelle + "9"},
	} {
		for _, last := range []string{"undo", "personal.living"} {
			o, account := openPaid(t)
			ids := o.upload(account, bills("k", 4, "-600.00", zelle)...)
			o.process(0)
			hook := o.hookOf(ids["k-0"])
			o.answerIssue(hook, "expense.contract_labor", nil).want(200)
			ids["n"] = o.upload(account, transaction("n", "-600.00", "2026-05-05", zelle))["n"]
			o.process(0)
			o.upload(account, transaction("n", line[0], "2026-05-05", line[1]))
			o.process(0)
			o.answerIssue(hook, last, nil).want(200)
			o.process(0)
			row := o.get(o.path + "/transactions/" + ids["n"]).want(200)
			if row.get("transaction", "category") != nil && row.text("transaction", "category",
				"categoryPath") == "expense.contract_labor" {
				t.Errorf("%s, %s: it is still contract labor", name, last)
			}
			if n := row.text("transaction", "issueCount"); n != "0" && n != "1" {
				t.Errorf("%s, %s: %s questions are about it", name, last, n)
			}
			o.sums("2026-01-01", "2026-12-31")
		}
	}
}

// Such a row stays with whom it was, and is asked about as a new one of whom its line names.
func TestARowFromMemoryUnderACorrectedNameFollowsThatAnswer(t *testing.T) {
	t.Parallel()
	const krahl = "ZELLE PAYMENT TO TOBIAS KRAHL CONF# 77"
	for name, line := range map[string]string{
		"a person": "ZELLE PAYMENT TO BOB STONE CONF# 12",
		"a city":   "CITY OF X PARKING",
		"a shop":   "VERIZON WRLS",
		"longer":   "ZELLE PAYMENT TO TOBIAS KRAHLSON CONF# 12",
		"a word":   "ZELLE PAYMENT TO KRAHL CONF# 12",
	} {
		for _, last := range []string{"undo", "skip", "transfer.internal", "personal.living"} {
			o, account := openPaid(t)
			ids := o.upload(account, append(bills("k", 4, "-600.00", krahl),
				transaction("n", "-600.00", "2026-05-05", line))...)
			o.process(0)
			hook := o.hookOf(ids["k-0"])
			o.answerIssue(hook, "expense.contract_labor", nil).want(200)
			o.upload(account, transaction("n", "-600.00", "2026-05-05", krahl+"9"))
			o.process(0)
			row := func() answer { return o.get(o.path + "/transactions/" + ids["n"]).want(200) }
			if name != "a shop" { // what the shop is was known before: whether it still is that is asked
				row().wantAt("expense.contract_labor", "transaction", "category", "categoryPath")
			}
			o.answerIssue(hook, last, nil).want(200)
			o.process(0)
			if row().get("transaction", "category") != nil &&
				row().text("transaction", "category", "categoryPath") == "expense.contract_labor" {
				t.Errorf("%s, %s: it is still contract labor", name, last)
			}
			if (last == "undo" || last == "skip") && name != "a shop" {
				row().wantAt(json.Number("1"), "transaction", "issueCount")
			}
			o.sums("2026-01-01", "2026-12-31")
		}
	}
}

// The rows of a question in its currency turn out to be legs of transfers in the same batch in which another row joins:
// what it is worth is said in one currency all the same.
func TestAQuestionWhoseCurrencyLeavesAddsUpOneCurrency(t *testing.T) {
	t.Parallel()
	o, checking := openPaid(t)
	savings := o.uploadAccount("savings")
	const from = "ONLINE TRANSFER FROM CHK ...9999"
	euros := transaction("euros", "600.00", "2026-04-13", from)
	euros["currency"] = "EUR"
	o.upload(savings, euros, transaction("first", "500.00", "2026-04-13", from),
		transaction("second", "510.00", "2026-04-14", from))
	o.process(0)
	impact := func(amount, currency, rows string) {
		t.Helper()
		listed := o.get(o.path + "/outstanding-issues").want(200)
		listed.wantAt(json.Number(amount), "issues", 0, "impact", "amount")
		listed.wantAt(currency, "issues", 0, "impact", "currency")
		listed.wantAt(json.Number(rows), "issues", 0, "impact", "transactionCount")
	}
	impact("1010.00", "USD", "3")

	o.upload(checking, transaction("out", "-500.00", "2026-04-13", "ONLINE TRANSFER TO SAV ...1234"),
		transaction("out too", "-510.00", "2026-04-14", "ONLINE TRANSFER TO SAV ...1234"),
		transaction("third", "77.00", "2026-04-20", from))
	o.process(0)
	impact("600.00", "EUR", "2")
}
