package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"bizfin/cmd/bizfin/demo"
	"bizfin/cmd/bizfin/terminal"
	"bizfin/gen/client"
	"bizfin/internal/money"
	"bizfin/server"
)

// total reads a sum of a report, which has two decimals and may be larger than any single amount.
func total(n json.Number) money.Total {
	var t money.Total
	if t.Scan(strings.Replace(n.String(), ".", "", 1)) != nil {
		return money.Total{} // the contract does not allow it
	}
	return t
}

func moneyCell(t money.Total) terminal.Cell { return terminal.Text("%s", terminal.Money(t)) }

// signed is green or red where the sign matters.
func signed(t money.Total) terminal.Cell {
	style := terminal.Good
	if t.Sign() < 0 {
		style = terminal.Bad
	}
	return moneyCell(t).In(style)
}

func showAccounts(screen *terminal.Screen, shown *shownDemo) {
	screen.Heading("Accounts", "")
	t := terminal.NewTable("", "", ">rows", ">balance", "")
	for _, a := range shown.accounts {
		t.Row(terminal.Text("%s", a.Name), terminal.Text("%s", a.Type).In(terminal.Faint), terminal.Text("%s", terminal.Count(len(a.Rows))),
			moneyCell(money.TotalOf(a.Balance)), terminal.Text("%s", a.Currency).In(terminal.Faint))
	}
	screen.Table(t)
}

// showQuestions lists what the service could not settle by itself.
func showQuestions(screen *terminal.Screen, shown *shownDemo) {
	counts := shown.Profile.Coverage.Transactions
	understood := counts.Total - counts.NeedsAttention
	screen.Heading("Questions", fmt.Sprintf("%s of %s transactions need none", terminal.Count(understood), terminal.Count(counts.Total)))
	const most = 8
	t := terminal.NewTable(">rows", ">amount", "", "question")
	for _, q := range shown.Questions[:min(most, len(shown.Questions))] {
		t.Row(terminal.Text("%s", terminal.Count(q.Impact.TransactionCount)), moneyCell(total(q.Impact.Amount)), terminal.Text("%s", q.Impact.Currency).In(terminal.Faint),
			terminal.Text("%s", terminal.Cut(q.Question, 52)))
	}
	screen.Table(t)
	if more := len(shown.Questions) - most; more > 0 {
		screen.Line("%s", screen.Paint(terminal.Faint, fmt.Sprintf("  and %d more", more)))
	}
}

func showAnswer(screen *terminal.Screen, shown *shownDemo) {
	a := shown.Answered
	screen.Heading("One answer", "")
	if a.Earlier {
		screen.Paragraph(terminal.Plain, 2, fmt.Sprintf("%s was asked about, and answered in an earlier run: %d transactions are %q.", a.Question, a.Followed, a.Answer))
		return
	}
	screen.Line("  %s %s", screen.Paint(terminal.Accent, "?"), screen.Paint(terminal.Strong, a.Question))
	screen.Line("  %s %s", screen.Paint(terminal.Accent, ">"), a.Answer)
	screen.Line("")
	screen.Paragraph(terminal.Good, 2, fmt.Sprintf("%d transactions follow the answer, and so will the next ones. The cost of goods sold was %s before it and is %s now.",
		a.Followed, terminal.Money(total(a.GoodsBefore)), terminal.Money(total(a.GoodsAfter))))
}

func showPnL(screen *terminal.Screen, r *client.PnlReport) {
	screen.Heading("Profit and loss", reportRemark(r.Basis))
	receipts := total(r.Totals.NetReceipts)
	t := terminal.NewTable("", ">USD", ">of receipts")
	line := func(name string, n json.Number, style terminal.Style) {
		t.Row(terminal.Text("%s", name).In(style), moneyCell(total(n)).In(style), terminal.Text("%s", terminal.Percent(total(n), receipts)).In(terminal.Faint))
	}
	line("Gross receipts", r.Totals.GrossReceipts, terminal.Plain)
	line("Returns", r.Totals.Returns, terminal.Plain)
	line("Net receipts", r.Totals.NetReceipts, terminal.Strong)
	line("Cost of goods sold", r.Totals.CostOfGoodsSold, terminal.Plain)
	line("Gross profit", r.Totals.GrossProfit, terminal.Strong)
	line("Other income", r.Totals.OtherIncome, terminal.Plain)
	line("Operating expenses", r.Totals.OperatingExpenses, terminal.Plain)
	t.Rule()
	line("Net profit", r.Totals.NetProfit, terminal.Good)
	screen.Table(t)
	showExpenses(screen, r)
	showProfits(screen, r)
}

// showExpenses draws the largest lines of expense.
func showExpenses(screen *terminal.Screen, r *client.PnlReport) {
	const most, columns = 10, 30
	var lines []client.PnlCategory
	for _, branch := range r.Categories {
		if branch.Kind == "expense" || branch.Kind == "cogs" {
			lines = append(lines, branch.Children...)
		}
	}
	slices.SortStableFunc(lines, func(a, b client.PnlCategory) int { return total(b.Amount).Compare(total(a.Amount)) })
	lines = lines[:min(most, len(lines))]
	if len(lines) == 0 {
		return
	}
	t := terminal.NewTable("where it went", ">USD", "")
	for _, c := range lines {
		t.Row(terminal.Text("%s", terminal.Cut(c.Name, 30)), moneyCell(total(c.Amount)),
			terminal.Text("%s", terminal.Bar(total(c.Amount), total(lines[0].Amount), columns)).In(terminal.Accent))
	}
	screen.Line("")
	screen.Table(t)
}

// showProfits lists the months, with a bar for the profit or loss of each.
func showProfits(screen *terminal.Screen, r *client.PnlReport) {
	const columns = 18
	var profits []money.Total
	for _, month := range r.Series {
		profits = append(profits, total(month.NetProfit))
	}
	least, most := slices.MinFunc(profits, money.Total.Compare), slices.MaxFunc(profits, money.Total.Compare)
	t := terminal.NewTable("month", ">net receipts", ">goods sold", ">expenses", ">net profit", "")
	for i, month := range r.Series {
		style := terminal.Good
		if profits[i].Sign() < 0 {
			style = terminal.Bad
		}
		t.Row(terminal.Text("%s", monthName(r.Periods[i])), moneyCell(total(month.NetReceipts)), moneyCell(total(month.CostOfGoodsSold)),
			moneyCell(total(month.OperatingExpenses)), moneyCell(profits[i]).In(style), terminal.Text("%s", terminal.Balance(profits[i], least, most, columns)).In(style))
	}
	t.Rule()
	t.Row(terminal.Text("year").In(terminal.Strong), moneyCell(total(r.Totals.NetReceipts)).In(terminal.Strong), moneyCell(total(r.Totals.CostOfGoodsSold)).In(terminal.Strong),
		moneyCell(total(r.Totals.OperatingExpenses)).In(terminal.Strong), moneyCell(total(r.Totals.NetProfit)).In(terminal.Strong))
	screen.Line("")
	screen.Table(t)
}

func showCashFlow(screen *terminal.Screen, r *client.CashflowReport) {
	screen.Heading("Cash flow", reportRemark(r.Basis))
	var groups [][]terminal.Column
	var labels []string
	for i, month := range r.Series {
		groups = append(groups, []terminal.Column{{Value: total(month.Inflow), Style: terminal.Good}, {Value: total(month.Outflow), Style: terminal.Bad}})
		labels = append(labels, monthName(r.Periods[i]))
	}
	screen.Line("  %s in, left   %s out, right", screen.Paint(terminal.Good, "█"), screen.Paint(terminal.Bad, "█"))
	screen.Columns(groups, labels, 8, 2)
	screen.Line("")
	const columns = 26
	var nets []money.Total
	for _, month := range r.Series {
		nets = append(nets, total(month.Net))
	}
	least, most := slices.MinFunc(nets, money.Total.Compare), slices.MaxFunc(nets, money.Total.Compare)
	t := terminal.NewTable("month", ">in", ">out", ">net", "")
	for i, month := range r.Series {
		style := signed(nets[i]).Style
		t.Row(terminal.Text("%s", monthName(r.Periods[i])), moneyCell(total(month.Inflow)), moneyCell(total(month.Outflow)),
			signed(nets[i]), terminal.Text("%s", terminal.Balance(nets[i], least, most, columns)).In(style))
	}
	t.Rule()
	t.Row(terminal.Text("year").In(terminal.Strong), moneyCell(total(r.Totals.Inflow)).In(terminal.Strong), moneyCell(total(r.Totals.Outflow)).In(terminal.Strong), moneyCell(total(r.Totals.Net)).In(terminal.Strong))
	screen.Table(t)
}

// showBridge goes from the profit to the cash, to the cent: what lies between is on no line of the form, or not
// understood yet.
func showBridge(screen *terminal.Screen, shown *shownDemo) {
	screen.Heading("From profit to cash", fmt.Sprintf("%d questions are open", shown.CashFlow.Basis.OpenIssues))
	t := terminal.NewTable("", ">", "")
	t.Row(terminal.Text("Net profit"), moneyCell(total(shown.PnL.Totals.NetProfit)))
	for _, branch := range shown.PnL.NotOnForm {
		t.Row(terminal.Text("%s", branch.Name), moneyCell(total(branch.Net)), terminal.Text("not on the form").In(terminal.Faint))
	}
	if u := shown.CashFlow.Basis.Uncategorized; u.TransactionCount > 0 {
		t.Row(terminal.Text("Not understood yet"), moneyCell(total(u.Inflow).Minus(total(u.Outflow))), terminal.Text("%s rows", terminal.Count(u.TransactionCount)).In(terminal.Faint))
	}
	t.Rule()
	t.Row(terminal.Text("Net cash flow").In(terminal.Strong), signed(total(shown.CashFlow.Totals.Net)))
	screen.Table(t)
}

// showBasis says what the figures leave out, so that nothing is left out unsaid.
func showBasis(screen *terminal.Screen, shown *shownDemo) {
	b := shown.CashFlow.Basis
	var parts []string
	if t := shown.CashFlow.InternalTransfers; t.TransactionCount > 0 {
		parts = append(parts, fmt.Sprintf("%d moves between own accounts (net %s)", t.TransactionCount, terminal.Money(total(t.Net))))
	}
	for _, c := range b.OtherCurrencies {
		parts = append(parts, fmt.Sprintf("%d rows in %s (in %s, out %s)", c.TransactionCount, c.Currency, terminal.Money(total(c.Inflow)), terminal.Money(total(c.Outflow))))
	}
	if len(parts) > 0 {
		screen.Line("")
		screen.Paragraph(terminal.Faint, 2, "Not in these figures: "+strings.Join(parts, "; ")+".")
	}
}

// showNext says how to go on with this business.
func showNext(screen *terminal.Screen, dev devFileContent, shown *shownDemo) {
	screen.Heading("Go on", "paste these")
	screen.Line("  API=%s%s", dev.BaseURL, server.BasePath)
	screen.Line("  ORG=%s", shown.OrganizationID)
	screen.Line("  TOKEN=$(bin/bizfin token partner --sub %s \\", demoSubject(shown.BusinessID))
	screen.Line("    --business '%s=%s')", strings.ReplaceAll(shown.BusinessID, "'", `'\''`), demo.Name)
	screen.Line("  curl -s $API/organizations/$ORG/outstanding-issues \\")
	screen.Line(`    -H "X-Service-Partner: %s" -H "Authorization: Bearer $TOKEN"`, dev.PartnerID)
	screen.Line("\n  All operations: %s%s/docs\n", dev.BaseURL, server.BasePath)
}

func reportRemark(b client.ReportBasis) string {
	return fmt.Sprintf("%s to %s, %s basis, %s transactions", b.StartDate, b.EndDate, b.Method, terminal.Count(b.TransactionCount))
}

var monthNames = [...]string{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"}

// monthName is the short name of a period that is a month, such as 2026-03.
func monthName(p client.ReportPeriod) string {
	var year, month int
	if _, err := fmt.Sscanf(p.Key, "%d-%d", &year, &month); err != nil || month < 1 || month > len(monthNames) {
		return p.Key
	}
	return monthNames[month-1]
}
