package apitest

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"bizfin/internal/ontology"
)

// largeBooks is a year of a business whose summaries are as long as they get: rows in every category that there is,
// counterparties whose names are cut, amounts of seven digits, other currencies, pending rows, accounts that are not
// connected, and questions about payees with long names.
func (a *api) largeBooks() *office {
	a.t.Helper()
	o := a.openTier("paid")
	account := o.uploadAccount("large")
	var rows []M
	for i, c := range ontology.ScheduleC().All() {
		if !c.Assignable {
			continue
		}
		sign := "-"
		if c.Is("revenue") {
			sign = ""
		}
		rows = append(rows, transaction(c.Path, fmt.Sprintf("%s%d.%02d", sign, 9_876_543-i*1000, i%100),
			fmt.Sprintf("2025-%02d-15", i%12+1), "ROW OF "+c.Path))
	}
	for i, currency := range []string{"EUR", "GBP", "CAD"} {
		for _, pending := range []bool{false, true} {
			rows = append(rows, M{"external_id": fmt.Sprint(currency, pending), "amount": -1_234_567 - i,
				"date":        "2025-06-01",
				"description": currency, "currency": currency, "pending": pending})
		}
	}
	for i := range 6 {
		rows = append(rows,
			transaction(fmt.Sprint("payee", i), fmt.Sprintf("-%d.89", 1_234_567+i), fmt.Sprintf("2025-%02d-03", i+2),
				fmt.Sprintf("ACH DEBIT CONSOLIDATED NORTHWESTERN AND SONS HOLDING COMPANY %c%c", 'A'+i, 'Q'+i)),
			transaction(fmt.Sprint("card", i), fmt.Sprintf("-%d.12", 1_034_567+i), fmt.Sprintf("2025-%02d-05", i+2),
				fmt.Sprintf("CHASE CREDIT CRD AUTOPAY ENDING IN 432%d", i)),
			transaction(fmt.Sprint("moved", i), fmt.Sprintf("-%d.12", 1_134_567+i), fmt.Sprintf("2025-%02d-07", i+2),
				fmt.Sprintf("ONLINE TRANSFER TO SAV ...876%d TRANSACTION#: 22334455%d", i, i)))
	}
	ids := o.upload(account, rows...)
	o.process(0)
	for i, c := range ontology.ScheduleC().All() {
		if c.Assignable {
			o.categorize(ids[c.Path], c.Path)
			o.counterparty(fmt.Sprintf("Consolidated \"Northwestern\" & Sons Holding Company of the Valley %d", i),
				ids[c.Path])
		}
	}
	return o
}

// What an agent is told in summary is short whatever the books are like.
func TestSummariesOfLargeBooksAreShort(t *testing.T) {
	t.Parallel()
	o := shared(t).largeBooks()
	const year = "?startDate=2025-01-01&endDate=2025-12-31&detail=summary"
	for _, c := range []struct {
		path string
		most int // characters
	}{
		{"/reports/cashflow" + year, 6000},
		{"/reports/cashflow" + year + "&periodGrouping=quarter", 6000},
		{"/reports/cashflow" + year + "&periodGrouping=month", 6000},
		{"/reports/cashflow" + year + "&periodGrouping=week", 6000}, // the 12 newest
		{"/reports/pnl" + year, 4000},
		{"/reports/pnl" + year + "&periodGrouping=month", 4000 + 4000},
		{"/categories?detail=summary", 8000},
		{"/transactions?detail=summary", 6000},
		{"/transactions?detail=summary&limit=50", 13_500},
		{"/counterparties?detail=summary", 6000},
		{"/outstanding-issues?detail=summary", 9000},
	} {
		got := o.get(o.path + c.path).want(200)
		n := utf8.RuneCount(got.body)
		if t.Logf("%6d of %6d %s", n, c.most, c.path); n > c.most {
			t.Errorf("%s has %d characters, at most %d", c.path, n, c.most)
		}
		if strings.Contains(c.path, "cashflow") {
			wantWhole(t, c.path, got)
		}
	}
}

// wantWhole holds the lines of a cash flow to its total, however few they are.
func wantWhole(t *testing.T, path string, got answer) {
	t.Helper()
	sum := func(list string) (cents int64) {
		for i := range got.size("summary", list) {
			cents += centsOf(t, got.get("summary", list, i, "net"))
		}
		return cents
	}
	net := centsOf(t, got.get("totals", "net"))
	byCategory := sum("categories") + sum("otherCategories")
	byCounterparty := sum("counterparties") + centsOf(t, got.get("summary", "otherCounterparties", "net"))
	if byCategory != net || byCounterparty != net || got.size("summary", "categories") < 4 ||
		got.size("summary", "counterparties") < 2 {
		t.Errorf("%s: %d cents net, %d by category and %d by counterparty", path, net, byCategory, byCounterparty)
	}
	t.Logf("       %d categories, %d counterparties", got.size("summary", "categories"),
		got.size("summary", "counterparties"))
}
