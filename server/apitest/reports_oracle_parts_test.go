package apitest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"bizfin/internal/ontology"
)

// cashflow adds the parts of a cash bookFlow.
func (o *reportOracle) cashflow(want M, all []bookRow) {
	inReport := func(r bookRow) bool { return !underPath(r.path, "transfer") }
	total, byPeriod := o.flows(inReport, flowOf)
	toNet := func(f bookFlow) any { return f.net() }
	want["totals"] = total.net()
	want["series"] = jsonList(byPeriod, toNet)
	var roots []*ontology.Category
	for _, root := range ontology.ScheduleC().Roots {
		if root.Path != "transfer" {
			roots = append(roots, root)
		}
	}
	want["categories"] = o.tree(roots, func(n M, _ *ontology.Category, total bookFlow, byPeriod []bookFlow) {
		for name, value := range total.net() {
			n[name] = value
		}
		n["byPeriod"] = jsonList(byPeriod, toNet)
	})

	names := map[string]string{}
	for _, r := range o.rows {
		if inReport(r) {
			names[r.counterparty] = cmp.Or(r.name, "No counterparty")
		}
	}
	var sizes int64
	parties := []M{}
	for id, name := range names {
		total, byPeriod := o.flows(func(r bookRow) bool { return inReport(r) && r.counterparty == id }, flowOf)
		party := total.net()
		party["id"], party["name"], party["other"], party["byPeriod"] = any(id), name, false, jsonList(byPeriod, toNet)
		if id == "" {
			party["id"] = nil
		}
		party["share"] = max(total.in-total.out, total.out-total.in)
		sizes += party["share"].(int64)
		parties = append(parties, party)
	}
	for _, party := range parties {
		party["share"] = ratioOf(party["share"].(int64), sizes)
	}
	slices.SortFunc(parties, func(a, b M) int { return strings.Compare(fmt.Sprint(a["id"]), fmt.Sprint(b["id"])) })
	want["counterparties"] = jsonList(parties, func(p M) any { return p })

	transfers := flowOf(o.rows, func(r bookRow) bool { return !inReport(r) }).net()
	transfers["unmatched"] = flowOf(o.rows, func(r bookRow) bool {
		return !inReport(r) && !slices.ContainsFunc(all, func(leg bookRow) bool { return leg.id == r.leg })
	}).count()
	want["internalTransfers"] = transfers
}

// ratioOf is a / b with four decimals, rounded half to even; nil where b is 0.
func ratioOf(a, b int64) any {
	if b == 0 {
		return nil
	}
	n := halfEven(a, 10_000, b)
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	return json.Number(fmt.Sprintf("%s%d.%04d", sign, n/10_000, n%10_000))
}

// halfEven is a * b / c, rounded half to even.
func halfEven(a, b, c int64) int64 {
	exact := new(big.Rat).SetFrac(new(big.Int).Mul(big.NewInt(a), big.NewInt(b)), big.NewInt(c))
	floor := new(big.Int).Div(exact.Num(), exact.Denom()).Int64() // Denom is positive, so Div rounds down
	rest := new(big.Rat).Sub(exact, new(big.Rat).SetInt64(floor))
	switch up := rest.Cmp(big.NewRat(1, 2)); {
	case up > 0, up == 0 && floor%2 != 0:
		return floor + 1
	default:
		return floor
	}
}

// pnl adds the parts of a profit and loss.
func (o *reportOracle) pnl(want M) {
	branch := func(paths ...string) func(bookRow) bool {
		return func(r bookRow) bool {
			return slices.ContainsFunc(paths, func(p string) bool { return underPath(r.path, p) })
		}
	}
	receipts := func(r bookRow) bool {
		return underPath(r.path, "revenue") && !underPath(r.path, "revenue.returns") &&
			!underPath(r.path, "revenue.other")
	}
	held := make([]bookRow, len(o.rows)) // if suggestions hold
	for i, r := range o.rows {
		if held[i] = r; r.suggested != "" {
			held[i].path = r.suggested
		}
	}
	totals := func(net func(func(bookRow) bool) int64) (M, [4]int64) {
		gross, returns, other := net(receipts), -net(branch("revenue.returns")), net(branch("revenue.other"))
		cogs, expenses := -net(branch("cogs")), -net(branch("expense"))
		profit := net(branch("revenue", "cogs", "expense"))
		return M{
			"grossReceipts": jsonMoney(gross), "returns": jsonMoney(returns), "netReceipts": jsonMoney(gross - returns),
			"costOfGoodsSold": jsonMoney(cogs), "grossProfit": jsonMoney(gross - returns - cogs),
			"otherIncome": jsonMoney(other),
			"grossIncome": jsonMoney(gross - returns - cogs + other), "operatingExpenses": jsonMoney(expenses),
			"netProfit": jsonMoney(profit),
		}, [4]int64{gross - returns, gross - returns - cogs, other, expenses}
	}
	figures := func(rows []bookRow) M {
		all, parts := totals(func(included func(bookRow) bool) int64 {
			f := flowOf(rows, included)
			return f.in - f.out
		})
		netReceipts, grossProfit, other, expenses := parts[0], parts[1], parts[2], parts[3]
		return M{"totals": all, "margins": M{
			"gross":     ratioOf(grossProfit, netReceipts),
			"operating": ratioOf(grossProfit-expenses, netReceipts),
			"net":       ratioOf(grossProfit+other-expenses, netReceipts+other),
		}}
	}
	established := figures(o.rows)
	want["adjustments"], want["adjustmentCount"] = []any{}, jsonCount(0) // nothing is filed
	want["totals"], want["margins"], want["ifSuggestionsHold"] = established["totals"], established["margins"],
		figures(held)
	want["series"] = jsonList(o.keys, func(key string) any {
		period, _ := totals(func(included func(bookRow) bool) int64 {
			f := flowOf(o.rows, func(r bookRow) bool { return included(r) && o.keyOf[o.date(r)] == key })
			return f.in - f.out
		})
		return period
	})
	var onForm, beside []*ontology.Category
	for _, root := range ontology.ScheduleC().Roots {
		switch root.Path {
		case "revenue", "cogs", "expense":
			onForm = append(onForm, root)
		case "transfer", "uncategorized":
		default:
			beside = append(beside, root)
		}
	}
	want["categories"] = o.tree(onForm, func(n M, c *ontology.Category, total bookFlow, byPeriod []bookFlow) {
		amount := func(f bookFlow) any {
			if n["kind"] == "revenue" {
				return jsonMoney(f.in - f.out)
			}
			return jsonMoney(f.out - f.in)
		}
		n["amount"], n["byPeriod"], n["scheduleCLine"] = amount(total), jsonList(byPeriod, amount), any(c.ScheduleCLine)
		if c.ScheduleCLine == "" {
			n["scheduleCLine"] = nil
		}
	})
	notOnForm := []any{}
	for _, root := range beside {
		if f := flowOfParts(o.rows, branch(root.Path)); f.n > 0 {
			node := f.net()
			node["categoryPath"], node["name"] = root.Path, root.Name
			notOnForm = append(notOnForm, node)
		}
	}
	want["notOnForm"] = notOnForm
	want["scheduleC"] = o.form()
}

// wantRange holds the range of net profit to the worst case: all that is not established is in it, or out of it.
func (o *reportOracle) wantRange(t *testing.T, got any, params url.Values) {
	t.Helper()
	filtered := len(jsonParam[[]string](t, params.Get("categoryNames")))+
		len(jsonParam[[][]string](t, params.Get("categoryPaths"))) > 0
	if filtered {
		if got != nil {
			t.Errorf("under a filter by category the range is %v", got)
		}
		return
	}
	profit := flowOf(o.rows, func(r bookRow) bool {
		return slices.Contains([]string{"revenue", "cogs", "expense"}, strings.Split(r.path, ".")[0])
	})
	open := flowOf(o.rows, func(r bookRow) bool { // payments to a card that is not connected may all be costs
		unseen := r.path == "transfer.credit_card_payment" && r.cents < 0 && r.leg == ""
		unsplit := r.path == "liability.loan_payment_unsplit" && r.cents < 0 // and some of a loan's payment is interest
		return unseen || unsplit || underPath(r.path, "uncategorized")
	})
	cents := func(name string) int64 {
		n, err := strconv.ParseInt(strings.Replace(got.(M)[name].(json.Number).String(), ".", "", 1), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	low, high, net := cents("low"), cents("high"), profit.in-profit.out
	if low > high || low < net-open.out || high > net+open.in {
		t.Errorf("the range is %d to %d, which is beyond %d to %d", low, high, net-open.out, net+open.in)
	}
}

// form fills in Schedule C as its instructions say.
func (o *reportOracle) form() []any {
	amounts, deductible := map[string]int64{}, map[string]int64{}
	meals := int64(0)
	for _, c := range ontology.ScheduleC().All() {
		f := flowOf(o.rows, func(r bookRow) bool { return r.path == c.Path })
		amount := f.out - f.in
		line := c.ScheduleCLine
		switch {
		case c.Path == "cogs":
			line = "39"
		case c.Path == "expense":
			line = "27b"
		case c.Path == "cogs.inventory_ending", underPath(c.Path, "revenue") && !underPath(c.Path, "revenue.returns"):
			amount = -amount
			line = cmp.Or(line, "1")
		}
		amounts[line] += amount
		if c.Path == "expense.meals" {
			meals = amount
		}
	}
	for line, amount := range amounts {
		deductible[line] = amount
	}
	deductible["24b"] = halfEven(meals, 1, 2)
	expenses := strings.Fields("8 9 10 11 12 13 14 15 16a 16b 17 18 19 20a 20b 21 22 23 24a 24b 25 26 27a 27b")
	lines := []any{}
	for _, column := range []map[string]int64{amounts, deductible} {
		column["40"] = column["35"] + column["36"] + column["37"] + column["38"] + column["39"]
		column["42"] = column["40"] - column["41"]
		column["3"] = column["1"] - column["2"]
		column["4"] = column["42"]
		column["5"] = column["3"] - column["4"]
		column["7"] = column["5"] + column["6"]
		column["28"] = 0
		for _, line := range expenses {
			column["28"] += column[line]
		}
		column["29"] = column["7"] - column["28"]
		column["31"] = column["29"] - column["30"]
	}
	for _, line := range ontology.Lines {
		lines = append(lines, M{"line": line.Number, "label": line.Label, "amount": jsonMoney(amounts[line.Number]),
			"deductibleAmount": jsonMoney(deductible[line.Number])})
	}
	return lines
}
