package main

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jedib0t/go-pretty/v6/table"

	client "bizfin.example/client"
	"bizfin/cmd/bizfin/demo"
	"bizfin/cmd/bizfin/terminal"
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

// signed is a sum in green or red, where the sign matters.
func signed(screen *terminal.Screen, t money.Total) string {
	return screen.Paint(styleOf(t), terminal.Money(t))
}

func styleOf(t money.Total) terminal.Style {
	if t.Sign() < 0 {
		return terminal.Bad
	}
	return terminal.Good
}

// sum is the last row of a table: sums of the columns of money, after its name.
func sum(screen *terminal.Screen, name string, totals ...client.MoneyTotal) table.Row {
	row := table.Row{screen.Paint(terminal.Strong, name)}
	for _, t := range totals {
		row = append(row, screen.Paint(terminal.Strong, terminal.Money(total(t))))
	}
	return row
}

func showAccounts(screen *terminal.Screen, shown *shownDemo) {
	screen.Heading("Accounts", "")
	t := screen.NewTable("", "", ">rows", ">balance", "")
	for _, a := range shown.accounts {
		t.AppendRow(table.Row{
			a.Name, screen.Paint(terminal.Faint, a.Type), terminal.Count(len(a.Rows)),
			terminal.Money(money.TotalOf(a.Balance)), screen.Paint(terminal.Faint, a.Currency),
		})
	}
	screen.Table(t)
}

// showQuestions lists what the service could not settle by itself.
func showQuestions(screen *terminal.Screen, shown *shownDemo) {
	counts := shown.Profile.Coverage.Transactions
	understood := terminal.Count(counts.Total - counts.NeedsAttention)
	screen.Heading("Questions", fmt.Sprintf("%d open, %d wait behind them; %s of %s transactions need none",
		len(shown.Questions), shown.Waiting, understood, terminal.Count(counts.Total)))
	const most = 8
	t := screen.NewTable(">rows", ">amount", "", "question")
	for _, q := range shown.Questions[:min(most, len(shown.Questions))] {
		t.AppendRow(table.Row{
			terminal.Count(q.Impact.TransactionCount), terminal.Money(total(q.Impact.Amount)),
			screen.Paint(terminal.Faint, q.Impact.Currency), terminal.Cut(q.Question, 52),
		})
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
		screen.Paragraph(terminal.Plain, fmt.Sprintf(
			"%s was asked about, and answered in an earlier run: %d transactions are %q.", a.Question, a.Followed,
			a.Answer))
		return
	}
	screen.Line("  %s %s", screen.Paint(terminal.Accent, "?"), screen.Paint(terminal.Strong, a.Question))
	screen.Line("  %s %s", screen.Paint(terminal.Accent, ">"), a.Answer)
	screen.Line("")
	screen.Paragraph(terminal.Good, fmt.Sprintf("%d transactions follow the answer, and so will the next ones. "+
		"The cost of goods sold was %s before it and is %s now.",
		a.Followed, terminal.Money(total(a.GoodsBefore)), terminal.Money(total(a.GoodsAfter))))
}

func showPnL(screen *terminal.Screen, r *client.PnlReport) {
	screen.Heading("Profit and loss", reportRemark(r.Basis))
	receipts := total(r.Totals.NetReceipts)
	t := screen.NewTable("", ">USD", ">of receipts")
	line := func(name string, n client.MoneyTotal, style terminal.Style) table.Row {
		share := screen.Paint(terminal.Faint, terminal.Percent(total(n), receipts))
		return table.Row{screen.Paint(style, name), screen.Paint(style, terminal.Money(total(n))), share}
	}
	t.AppendRow(line("Gross receipts", r.Totals.GrossReceipts, terminal.Plain))
	t.AppendRow(line("Returns", r.Totals.Returns, terminal.Plain))
	t.AppendRow(line("Net receipts", r.Totals.NetReceipts, terminal.Strong))
	t.AppendRow(line("Cost of goods sold", r.Totals.CostOfGoodsSold, terminal.Plain))
	t.AppendRow(line("Gross profit", r.Totals.GrossProfit, terminal.Strong))
	t.AppendRow(line("Other income", r.Totals.OtherIncome, terminal.Plain))
	t.AppendRow(line("Operating expenses", r.Totals.OperatingExpenses, terminal.Plain))
	t.AppendFooter(line("Net profit", r.Totals.NetProfit, terminal.Good))
	screen.Table(t)
	showStanding(screen, r)
	showExpenses(screen, r)
	showProfits(screen, r)
}

// showStanding says how much of the net profit is known: it is never shown without its range while anything is open.
func showStanding(screen *terminal.Screen, r *client.PnlReport) {
	screen.Line("")
	t := screen.NewTable("net profit", ">USD", "")
	t.AppendRow(table.Row{"Established", terminal.Money(total(r.Totals.NetProfit)),
		screen.Paint(terminal.Faint, "what is known")})
	t.AppendRow(table.Row{"If suggestions hold", terminal.Money(total(r.IfSuggestionsHold.Totals.NetProfit)),
		screen.Paint(terminal.Faint, "with what is only guessed")})
	if r.Range != nil {
		t.AppendRow(table.Row{screen.Paint(terminal.Strong, "Nine chances in ten"),
			screen.Paint(terminal.Strong, terminal.Money(total(r.Range.Low))),
			screen.Paint(terminal.Strong, "to "+terminal.Money(total(r.Range.High)))})
	}
	screen.Table(t)
	if len(r.Basis.OpenQuestions) == 0 {
		return
	}
	screen.Line("")
	t = screen.NewTable(">may change it by", "what would settle most of it")
	for _, q := range r.Basis.OpenQuestions {
		t.AppendRow(table.Row{terminal.Money(total(q.Swing)), terminal.Cut(q.Question, 55)})
	}
	screen.Table(t)
	for _, a := range r.Basis.MissingAccounts {
		screen.Line("%s", screen.Paint(terminal.Faint, fmt.Sprintf("  Not seen: %s (in %s, out %s)", a.Label,
			terminal.Money(total(a.Inflow)), terminal.Money(total(a.Outflow)))))
	}
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
	t := screen.NewTable("where it went", ">USD", "")
	for _, c := range lines {
		bar := terminal.Bar(total(c.Amount), total(lines[0].Amount), columns)
		t.AppendRow(table.Row{terminal.Cut(c.Name, 30), terminal.Money(total(c.Amount)),
			screen.Paint(terminal.Accent, bar)})
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
	t := screen.NewTable("month", ">net receipts", ">goods sold", ">expenses", ">net profit", "")
	for i, month := range r.Series {
		bar := terminal.Balance(profits[i], least, most, columns)
		t.AppendRow(table.Row{
			monthName(r.Periods, i), terminal.Money(total(month.NetReceipts)),
			terminal.Money(total(month.CostOfGoodsSold)),
			terminal.Money(total(month.OperatingExpenses)), signed(screen, profits[i]),
			screen.Paint(styleOf(profits[i]), bar),
		})
	}
	year := r.Totals
	t.AppendFooter(sum(screen, "total", year.NetReceipts, year.CostOfGoodsSold, year.OperatingExpenses, year.NetProfit))
	screen.Line("")
	screen.Table(t)
}

func showCashFlow(screen *terminal.Screen, r *client.CashflowReport) {
	screen.Heading("Cash flow", reportRemark(r.Basis))
	var months []terminal.Group
	var nets []money.Total
	for i, month := range r.Series {
		months = append(months, terminal.Group{
			Label: monthName(r.Periods, i), Left: total(month.Inflow), Right: total(month.Outflow),
		})
		nets = append(nets, total(month.Net))
	}
	if inOneYear(r.Periods) { // more do not fit side by side
		screen.Line("  %s in, left   %s out, right", screen.Paint(terminal.Good, "█"), screen.Paint(terminal.Bad, "█"))
		screen.Columns(months, 8, terminal.Good, terminal.Bad)
		screen.Line("")
	}
	const columns = 26
	least, most := slices.MinFunc(nets, money.Total.Compare), slices.MaxFunc(nets, money.Total.Compare)
	t := screen.NewTable("month", ">in", ">out", ">net", "")
	for i, m := range months {
		bar := screen.Paint(styleOf(nets[i]), terminal.Balance(nets[i], least, most, columns))
		t.AppendRow(table.Row{m.Label, terminal.Money(m.Left), terminal.Money(m.Right), signed(screen, nets[i]), bar})
	}
	t.AppendFooter(sum(screen, "total", r.Totals.Inflow, r.Totals.Outflow, r.Totals.Net))
	screen.Table(t)
}

// showBridge goes from the profit to the cash, to the cent: what lies between is on no line of the form, or not
// understood yet.
func showBridge(screen *terminal.Screen, shown *shownDemo) {
	screen.Heading("From profit to cash", fmt.Sprintf("%d questions are open", shown.CashFlow.Basis.OpenIssues))
	t := screen.NewTable("", ">", "")
	t.AppendRow(table.Row{"Net profit", terminal.Money(total(shown.PnL.Totals.NetProfit))})
	for _, branch := range shown.PnL.NotOnForm {
		t.AppendRow(table.Row{branch.Name, terminal.Money(total(branch.Net)),
			screen.Paint(terminal.Faint, "not on the form")})
	}
	if u := shown.CashFlow.Basis.Uncategorized; u.TransactionCount > 0 {
		rows := screen.Paint(terminal.Faint, terminal.Count(u.TransactionCount)+" rows")
		t.AppendRow(table.Row{"Not understood yet", terminal.Money(total(u.Inflow).Minus(total(u.Outflow))), rows})
	}
	net := total(shown.CashFlow.Totals.Net)
	t.AppendFooter(table.Row{screen.Paint(terminal.Strong, "Net cash flow"), signed(screen, net)})
	screen.Table(t)
}

// showBasis says what the figures leave out, so that nothing is left out unsaid.
func showBasis(screen *terminal.Screen, shown *shownDemo) {
	b := shown.CashFlow.Basis
	var parts []string
	if t := shown.CashFlow.InternalTransfers; t.TransactionCount > 0 {
		net := terminal.Money(total(t.Net))
		parts = append(parts, fmt.Sprintf("%d moves between own accounts (net %s)", t.TransactionCount, net))
	}
	for _, c := range b.OtherCurrencies {
		in, out := terminal.Money(total(c.Inflow)), terminal.Money(total(c.Outflow))
		parts = append(parts, fmt.Sprintf("%d rows in %s (in %s, out %s)", c.TransactionCount, c.Currency, in, out))
	}
	if len(parts) > 0 {
		screen.Line("")
		screen.Paragraph(terminal.Faint, "Not in these figures: "+strings.Join(parts, "; ")+".")
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
	rows := terminal.Count(b.TransactionCount)
	return fmt.Sprintf("%s to %s, %s basis, %s transactions", b.StartDate, b.EndDate, b.Method, rows)
}

// monthName is short where all months are of one year.
func monthName(periods []client.ReportPeriod, i int) string {
	month, err := time.Parse("2006-01", periods[i].Key)
	if err != nil || !inOneYear(periods) {
		return periods[i].Key
	}
	return month.Format("Jan")
}

func inOneYear(periods []client.ReportPeriod) bool {
	return len(periods) == 0 || periods[0].StartDate[:4] == periods[len(periods)-1].StartDate[:4]
}

// shownDemo is what `bizfin demo --json` prints. The reports are as the API answers them.
type shownDemo struct {
	BusinessID     string                    `json:"business_id"`
	OrganizationID uuid.UUID                 `json:"organization_id"`
	Profile        *client.Profile           `json:"profile"`
	Questions      []client.OutstandingIssue `json:"questions"`
	Waiting        int64                     `json:"questions_waiting"`
	Answered       *answeredQuestion         `json:"answered"`
	PnL            *client.PnlReport         `json:"pnl"`
	CashFlow       *client.CashflowReport    `json:"cashflow"`

	year     int
	accounts []demo.Account
}
