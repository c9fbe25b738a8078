package apitest

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// payouts are rows of many counterparties, of which some have fees taken off: their parts go both ways.
func payouts(t *testing.T) *office {
	o, account := openPaid(t)
	const parties = 60
	var rows []M
	for i := range parties {
		rows = append(rows, transaction(fmt.Sprint("p-", i), fmt.Sprint(100+i, ".00"),
			fmt.Sprintf("2026-%02d-05", 1+i%3), "ROW"))
	}
	ids := o.upload(account, rows...)
	o.process(0)
	for i := range parties {
		id := ids[fmt.Sprint("p-", i)]
		o.counterparty(fmt.Sprint("Party ", i), id)
		if i%4 == 0 {
			o.answerIssue("t:"+id, "1,000.01 revenue.sales, less 300.50 expense.commissions_fees, less rest "+
				"personal.living", nil).want(200)
		} else {
			o.categorize(id, "revenue.sales")
		}
	}
	o.process(0)
	return o
}

// flowAt is what a member of an answer says went in and out, in cents.
func flowAt(of any) bookFlow {
	m := of.(M)
	n, _ := m["transactionCount"].(json.Number).Int64()
	cents := func(name string) int64 {
		var units, cents int64
		text := m[name].(json.Number).String()
		fmt.Sscanf(strings.TrimPrefix(text, "-"), "%d.%02d", &units, &cents)
		return units*100 + cents
	}
	return bookFlow{cents("inflow"), cents("outflow"), n}
}

func (f bookFlow) plus(g bookFlow) bookFlow { return bookFlow{f.in + g.in, f.out + g.out, f.n + g.n} }

func TestTheCounterpartiesOfACashFlowAddUpToItWhereRowsHaveParts(t *testing.T) {
	t.Parallel()
	o := payouts(t)
	for _, grouping := range []string{"quarter", "month", "week", "day"} {
		params := asked("startDate", "2026-01-01", "endDate", "2026-03-31", "periodGrouping", grouping, "periodLimit",
			"100")
		for name, days := range map[string][2]string{"all": {"2026-01-01", "2026-03-31"},
			"some": {"2026-02-01", "2026-03-31"}} {
			params.Set("startDate", days[0])
			params.Set("endDate", days[1])
			got := o.report("cashflow", params).want(200).decoded()
			parties := got["counterparties"].([]any)
			var total bookFlow
			byPeriod := make([]bookFlow, len(got["periods"].([]any)))
			for _, p := range parties {
				total = total.plus(flowAt(p))
				for i, of := range p.(M)["byPeriod"].([]any) {
					byPeriod[i] = byPeriod[i].plus(flowAt(of))
				}
			}
			if want := flowAt(got["totals"]); total != want {
				t.Errorf("%s by %s: the counterparties are %+v, want %+v", name, grouping, total, want)
			}
			for i, of := range got["series"].([]any) {
				if byPeriod[i] != flowAt(of) {
					t.Errorf("%s by %s: those of period %d are %+v, want %v", name, grouping, i, byPeriod[i], of)
				}
			}
			// Ten of sixty are not listed: those with the smallest nets, 116.00 of the row before personal.living.
			if last := parties[len(parties)-1].(M); name == "all" && (len(parties) != 51 || last["other"] != true) {
				t.Errorf("%d counterparties, the last is %v", len(parties), last["name"])
			}
		}
	}
}

func TestTheSumsOfASearchByCategoryAreThoseOfItsNodeInAReport(t *testing.T) {
	t.Parallel()
	o := payouts(t)
	days := []string{"2026-01-01", "2026-02-28"}
	cash := o.report("cashflow", asked("startDate", days[0], "endDate", days[1])).want(200).decoded()
	search := func(params ...string) bookFlow {
		t.Helper()
		got := o.search(append(params, "dateFrom", days[0], "dateTo", days[1], "dateField", "processed", "detail",
			"summary")...).want(200)
		if got.size("summary", "sums") != 1 {
			t.Fatalf("%q: %s", params, got.body)
		}
		return flowAt(got.get("summary", "sums", 0))
	}
	compared := 0
	var walk func(nodes any)
	walk = func(nodes any) {
		for _, node := range nodes.([]any) {
			path, want := node.(M)["categoryPath"].(string), flowAt(node)
			for _, limit := range []string{"1", "50"} {
				if got := search("categoryPath", path, "limit", limit); got != want {
					t.Errorf("%s, %s to a page: the search adds up to %+v, the report to %+v", path, limit, got, want)
				}
			}
			compared++
			walk(node.(M)["children"])
		}
	}
	walk(cash["categories"])
	if compared < 5 {
		t.Errorf("%d nodes", compared)
	}
	// A word of a category's name counts what is of it, one that the rows themselves have counts all of them.
	if got, want := search("query", "commissions"), search("categoryPath", "expense.commissions_fees"); got != want ||
		got.out == 0 {
		t.Errorf("by a word of its name %+v, by its path %+v", got, want)
	}
	if got, want := search("query", "row"), flowAt(cash["totals"]); got != want {
		t.Errorf("by a word of the rows %+v, want %+v", got, want)
	}
}
