package report

import (
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Profit is a profit and loss. Every amount is positive on its normal side: income coming in, returns and costs going
// out. Refunds lower them.
type Profit struct {
	GrossReceipts     money.Total
	Returns           money.Total
	CostOfGoodsSold   money.Total
	OtherIncome       money.Total
	OperatingExpenses money.Total // the whole expense branch, business use of the home included
}

// Plus is p and q together.
func (p Profit) Plus(q Profit) Profit {
	return Profit{
		GrossReceipts:     p.GrossReceipts.Plus(q.GrossReceipts),
		Returns:           p.Returns.Plus(q.Returns),
		CostOfGoodsSold:   p.CostOfGoodsSold.Plus(q.CostOfGoodsSold),
		OtherIncome:       p.OtherIncome.Plus(q.OtherIncome),
		OperatingExpenses: p.OperatingExpenses.Plus(q.OperatingExpenses),
	}
}

// NetReceipts are gross receipts less returns.
func (p Profit) NetReceipts() money.Total { return p.GrossReceipts.Minus(p.Returns) }

// GrossProfit is net receipts less the cost of goods sold.
func (p Profit) GrossProfit() money.Total { return p.NetReceipts().Minus(p.CostOfGoodsSold) }

// GrossIncome is gross profit and other income.
func (p Profit) GrossIncome() money.Total { return p.GrossProfit().Plus(p.OtherIncome) }

// NetProfit is gross income less operating expenses: the net of all rows of the revenue, cogs and expense branches.
func (p Profit) NetProfit() money.Total { return p.GrossIncome().Minus(p.OperatingExpenses) }

// Margins are ratios of a profit and loss, nil where their divisor is 0.
type Margins struct {
	Gross     *money.Ratio // gross profit / net receipts
	Operating *money.Ratio // (gross profit - operating expenses) / net receipts
	Net       *money.Ratio // net profit / (net receipts + other income)
}

// Margins are the ratios of p.
func (p Profit) Margins() Margins {
	return Margins{
		Gross:     ratio(p.GrossProfit(), p.NetReceipts()),
		Operating: ratio(p.GrossProfit().Minus(p.OperatingExpenses), p.NetReceipts()),
		Net:       ratio(p.NetProfit(), p.NetReceipts().Plus(p.OtherIncome)),
	}
}

// Profit is the profit and loss of all rows and of each period.
func (b *Books) Profit() (total Profit, byPeriod []Profit) {
	byPeriod = make([]Profit, b.periods)
	for c, own := range b.own {
		total.book(c.Kind, own.Total)
		for i, f := range own.ByPeriod {
			if f != (Flow{}) {
				byPeriod[i].book(c.Kind, f)
			}
		}
	}
	return total, byPeriod
}

// Earned is the total of [Books.Profit].
func (b *Books) Earned() (total Profit) {
	for c, own := range b.own {
		total.book(c.Kind, own.Total)
	}
	return total
}

func (p *Profit) book(kind ontology.Kind, f Flow) {
	net := f.Net()
	switch kind {
	case ontology.KindRevenue:
		p.GrossReceipts = p.GrossReceipts.Plus(net)
	case ontology.KindReturns:
		p.Returns = p.Returns.Minus(net)
	case ontology.KindOtherIncome:
		p.OtherIncome = p.OtherIncome.Plus(net)
	case ontology.KindCOGS:
		p.CostOfGoodsSold = p.CostOfGoodsSold.Minus(net)
	case ontology.KindExpense:
		p.OperatingExpenses = p.OperatingExpenses.Minus(net)
	}
}

// Amount is a flow's net on the normal side of a branch of the form: in for revenue, out for cogs and expense. The side
// is the branch's for all under it, so that children add up: returns lower revenue.
func Amount(c *ontology.Category, f Flow) money.Total {
	if c.Root().Side == ontology.SideIn {
		return f.Net()
	}
	return f.Net().Neg()
}

// OnForm includes the branches whose rows make the profit: revenue, cogs and expense.
func OnForm(c *ontology.Category) bool { return c.Kind.OnForm() }

// NotOnForm includes the other branches without [Transfer] and [Uncategorized].
func NotOnForm(c *ontology.Category) bool {
	return !OnForm(c) && !c.Is(Transfer) && !c.Is(Uncategorized)
}
