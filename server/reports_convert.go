package server

import (
	"cmp"
	"slices"

	"bizfin/gen/api"
	"bizfin/internal/money"
	"bizfin/internal/report"
	"bizfin/store"
)

func toAPIAdjustment(a store.Adjustment) api.Adjustment {
	path := func(category *int) *string {
		if category == nil {
			return nil
		}
		return &categoryOf(*category).Path
	}
	return api.Adjustment{
		TransactionId: a.TransactionID,
		PrimaryDate:   day(a.PrimaryDate),
		Amount:        a.Amount,
		Currency:      a.Currency,
		Filed:         path(a.Filed),
		FiledParts:    convert(a.FiledParts, toAPISplitPart),
		NowBelieved:   path(a.Believed),

		NowBelievedParts: convert(a.BelievedParts, toAPISplitPart),
		NetProfitEffect:  a.NetProfitEffect,
		Answer:           a.Answer,
		AnsweredAt:       a.AnsweredAt.UTC(),
	}
}

func toAPISplitPart(p store.Part) api.SplitPart {
	category := categoryOf(p.CategoryID)
	return api.SplitPart{CategoryPath: category.Path, Name: category.Name, Amount: p.Amount}
}

// mostCurrencies are the most other currencies of a report.
const mostCurrencies = 50

// mostRows are those with the most rows, by currency.
func mostRows(sums []store.CurrencySum, shown int) []store.CurrencySum {
	if len(sums) <= shown {
		return sums
	}
	most := slices.Clone(sums)
	slices.SortStableFunc(most, func(a, b store.CurrencySum) int {
		return cmp.Compare(b.TransactionCount, a.TransactionCount)
	})
	most = most[:shown]
	slices.SortFunc(most, func(a, b store.CurrencySum) int { return cmp.Compare(a.Currency, b.Currency) })
	return most
}

func toAPIPeriod(p report.Period) api.ReportPeriod {
	return api.ReportPeriod{Key: p.Key, StartDate: day(p.Start), EndDate: day(p.End), Partial: p.Partial}
}

func toAPICashFlow(f report.Flow) api.CashFlow {
	return api.CashFlow{TransactionCount: f.TransactionCount, Inflow: f.Inflow, Outflow: f.Outflow, Net: f.Net()}
}

func toAPIFlowCount(f report.Flow) api.FlowCount {
	return api.FlowCount{TransactionCount: f.TransactionCount, Inflow: f.Inflow, Outflow: f.Outflow}
}

func toAPICurrencyFlow(s store.CurrencySum) api.CurrencyFlow {
	return api.CurrencyFlow{Currency: s.Currency, TransactionCount: s.TransactionCount, Inflow: s.Inflow,
		Outflow: s.Outflow}
}

func toAPICashflowCategory(n report.Node) api.CashflowCategory {
	return api.CashflowCategory{
		CategoryPath:     n.Category.Path,
		Name:             n.Category.Name,
		Kind:             n.Category.Root().Path,
		Inflow:           n.Total.Inflow,
		Outflow:          n.Total.Outflow,
		Net:              n.Total.Net(),
		TransactionCount: n.Total.TransactionCount,
		ByPeriod:         convert(n.ByPeriod, toAPICashFlow),
		Children:         convert(n.Children, toAPICashflowCategory),
	}
}

func toAPIPnlTotals(p report.Profit) api.PnlTotals {
	return api.PnlTotals{
		GrossReceipts:     p.GrossReceipts,
		Returns:           p.Returns,
		NetReceipts:       p.NetReceipts(),
		CostOfGoodsSold:   p.CostOfGoodsSold,
		GrossProfit:       p.GrossProfit(),
		OtherIncome:       p.OtherIncome,
		GrossIncome:       p.GrossIncome(),
		OperatingExpenses: p.OperatingExpenses,
		NetProfit:         p.NetProfit(),
	}
}

func toAPIPnlCategory(n report.Node) api.PnlCategory {
	return api.PnlCategory{
		CategoryPath:     n.Category.Path,
		Name:             n.Category.Name,
		Kind:             n.Category.Root().Path,
		ScheduleCLine:    optional(n.Category.ScheduleCLine),
		Amount:           report.Amount(n.Category, n.Total),
		TransactionCount: n.Total.TransactionCount,
		ByPeriod:         convert(n.ByPeriod, func(f report.Flow) money.Total { return report.Amount(n.Category, f) }),
		Children:         convert(n.Children, toAPIPnlCategory),
	}
}

func toAPIScheduleCLine(l report.LineAmount) api.ScheduleCLine {
	return api.ScheduleCLine{Line: l.Number, Label: l.Label, Amount: l.Amount, DeductibleAmount: l.Deductible}
}

func toAPINotOnForm(n report.Node) api.NotOnForm {
	return api.NotOnForm{
		CategoryPath:     n.Category.Path,
		Name:             n.Category.Name,
		TransactionCount: n.Total.TransactionCount,
		Inflow:           n.Total.Inflow,
		Outflow:          n.Total.Outflow,
		Net:              n.Total.Net(),
	}
}
