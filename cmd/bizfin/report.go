package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	client "bizfin.example/client"
	"bizfin/cmd/bizfin/terminal"
)

func reportCommand() *cobra.Command {
	return group(&cobra.Command{
		Use:     "report",
		Short:   "Print the reports of a business",
		Example: "  bizfin report pnl\n  bizfin report cashflow --from 2026-01-01 --to 2026-03-31 --csv > cashflow.csv",
	}, reportPnLCommand(), reportCashFlowCommand())
}

// reportOptions say which report, and how it is printed.
type reportOptions struct {
	accessOptions
	span
	asCSV, asJSON bool
}

func (o *reportOptions) addFlags(cmd *cobra.Command) {
	year := time.Now().UTC().Year()
	cmd.Flags().StringVar(&o.from, "from", fmt.Sprintf("%d-01-01", year), "the first day")
	cmd.Flags().StringVar(&o.to, "to", fmt.Sprintf("%d-12-31", year), "the last day")
	cmd.Flags().BoolVar(&o.asCSV, "csv", false, "print CSV, a line for each sum and a column for each month")
	o.accessOptions.addFlags(cmd)
	addJSONFlag(cmd, &o.asJSON)
}

func (o reportOptions) check() error {
	for _, day := range []string{o.from, o.to} {
		if _, err := time.Parse(time.DateOnly, day); err != nil {
			return errors.New("--from and --to must be days such as 2026-03-31")
		}
	}
	if o.from > o.to {
		return errors.New("--from must not be after --to")
	}
	if o.asCSV && o.asJSON {
		return errors.New("--csv and --json exclude each other")
	}
	return nil
}

func reportPnLCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "pnl",
		Short: "Print the profit and loss",
		Example: `  bizfin report pnl --from 2026-01-01 --to 2026-03-31
  bizfin report pnl --csv > pnl.csv`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printReport(cmd, o, (*bookAPI).pnl, writePnL, showPnL,
				func(r *client.PnlReport) client.ReportBasis { return r.Basis })
		},
	}
	o.addFlags(cmd)
	return cmd
}

func reportCashFlowCommand() *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "cashflow",
		Short: "Print the cash flow",
		Example: `  bizfin report cashflow --from 2026-01-01 --to 2026-03-31
  bizfin report cashflow --csv > cashflow.csv`,
		Args: arguments(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return printReport(cmd, o, (*bookAPI).cashFlow, writeCashFlow, showCashFlow,
				func(r *client.CashflowReport) client.ReportBasis { return r.Basis })
		},
	}
	o.addFlags(cmd)
	return cmd
}

// printReport reads a report and prints it in the form that was asked for. What it leaves out is said beside CSV, too.
func printReport[R any](cmd *cobra.Command, o reportOptions, read func(*bookAPI, context.Context, span) (*R, error),
	write func(*csv.Writer, *R), show func(*terminal.Screen, *R), basis func(*R) client.ReportBasis) error {
	if err := o.check(); err != nil {
		return err
	}
	api, err := o.dial(cmd.Context())
	if err != nil {
		return err
	}
	report, err := read(api, cmd.Context(), o.span)
	if err != nil {
		return err
	}
	switch {
	case o.asJSON:
		return printJSON(cmd.OutOrStdout(), report)
	case o.asCSV:
		out := csv.NewWriter(cmd.OutOrStdout())
		write(out, report)
		out.Flush()
		showLeftOut(terminal.On(cmd.ErrOrStderr()), basis(report))
		return out.Error()
	default:
		screen := terminal.On(cmd.OutOrStdout())
		show(screen, report)
		showLeftOut(screen, basis(report))
		return nil
	}
}

// heads are the columns of CSV: what, its name, the total and each period.
func heads(periods []client.ReportPeriod, first ...string) []string {
	for _, p := range periods {
		first = append(first, p.Key)
	}
	return first
}

// writePnL writes the sums and then the categories, each with those below it. Amounts are as in the answer.
func writePnL(out *csv.Writer, r *client.PnlReport) {
	_ = out.Write(heads(r.Periods, "item", "name", "total")) // Flush tells what could not be written
	for _, line := range []struct {
		item, name string
		of         func(client.PnlTotals) client.MoneyTotal
	}{
		{"grossReceipts", "Gross receipts", func(t client.PnlTotals) client.MoneyTotal { return t.GrossReceipts }},
		{"returns", "Returns", func(t client.PnlTotals) client.MoneyTotal { return t.Returns }},
		{"netReceipts", "Net receipts", func(t client.PnlTotals) client.MoneyTotal { return t.NetReceipts }},
		{"costOfGoodsSold", "Cost of goods sold",
			func(t client.PnlTotals) client.MoneyTotal { return t.CostOfGoodsSold }},
		{"grossProfit", "Gross profit", func(t client.PnlTotals) client.MoneyTotal { return t.GrossProfit }},
		{"otherIncome", "Other income", func(t client.PnlTotals) client.MoneyTotal { return t.OtherIncome }},
		{"grossIncome", "Gross income", func(t client.PnlTotals) client.MoneyTotal { return t.GrossIncome }},
		{"operatingExpenses", "Operating expenses",
			func(t client.PnlTotals) client.MoneyTotal { return t.OperatingExpenses }},
		{"netProfit", "Net profit", func(t client.PnlTotals) client.MoneyTotal { return t.NetProfit }},
	} {
		record := []string{line.item, line.name, line.of(r.Totals).String()}
		for _, period := range r.Series {
			record = append(record, line.of(period).String())
		}
		_ = out.Write(record)
	}
	var below func([]client.PnlCategory)
	below = func(categories []client.PnlCategory) {
		for _, c := range categories {
			record := []string{c.CategoryPath, plainText(c.Name), c.Amount.String()}
			for _, n := range c.ByPeriod {
				record = append(record, n.String())
			}
			_ = out.Write(record)
			below(c.Children)
		}
	}
	below(r.Categories)
}

// writeCashFlow writes inflow, outflow and net of all and of each category.
func writeCashFlow(out *csv.Writer, r *client.CashflowReport) {
	_ = out.Write(heads(r.Periods, "item", "name", "flow", "total"))
	write := func(item, name string, all client.CashFlow, periods []client.CashFlow) {
		for _, flow := range []struct {
			name string
			of   func(client.CashFlow) client.MoneyTotal
		}{
			{"inflow", func(f client.CashFlow) client.MoneyTotal { return f.Inflow }},
			{"outflow", func(f client.CashFlow) client.MoneyTotal { return f.Outflow }},
			{"net", func(f client.CashFlow) client.MoneyTotal { return f.Net }},
		} {
			record := []string{item, plainText(name), flow.name, flow.of(all).String()}
			for _, period := range periods {
				record = append(record, flow.of(period).String())
			}
			_ = out.Write(record)
		}
	}
	write("total", "All categories", r.Totals, r.Series)
	var below func([]client.CashflowCategory)
	below = func(categories []client.CashflowCategory) {
		for _, c := range categories {
			write(c.CategoryPath, c.Name, client.CashFlow{Inflow: c.Inflow, Outflow: c.Outflow, Net: c.Net}, c.ByPeriod)
			below(c.Children)
		}
	}
	below(r.Categories)
}

// plainText keeps a spreadsheet from taking a name for a formula.
func plainText(name string) string {
	if strings.ContainsAny(name[:min(1, len(name))], "=+-@\t\r") {
		return "'" + name
	}
	return name
}
