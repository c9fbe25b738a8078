package report

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// row is what a report counts.
type row struct {
	category *ontology.Category
	period   int
	amount   money.Amount
}

func (r row) flow() Flow {
	f := Flow{TransactionCount: 1}
	if r.amount > 0 {
		f.Inflow = money.TotalOf(r.amount)
	} else {
		f.Outflow = money.TotalOf(-r.amount)
	}
	return f
}

// randomBooks books rows of any category, headings included, in amounts up to the largest.
func randomBooks(t *rapid.T) (*Books, []row) {
	periods := rapid.IntRange(1, 4).Draw(t, "periods")
	amount := rapid.OneOf(rapid.Int64Range(-100, 100), rapid.Int64Range(int64(money.Min), int64(money.Max)),
		rapid.Just(int64(money.Max)))
	rows := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) row {
		return row{
			category: rapid.SampledFrom(ontology.ScheduleC().All()).Draw(t, "category"),
			period:   rapid.IntRange(Older, periods-1).Draw(t, "period"),
			amount:   money.Amount(amount.Draw(t, "amount")),
		}
	}), 0, 40).Draw(t, "rows")
	books := NewBooks(periods)
	for _, r := range rows {
		books.Add(r.category, r.period, r.flow())
	}
	return books, rows
}

// net is the sum of the amounts of the rows that are included.
func net(rows []row, included func(row) bool) money.Total {
	var sum money.Total
	for _, r := range rows {
		if included(r) {
			sum = sum.Plus(money.TotalOf(r.amount))
		}
	}
	return sum
}

func TestTreeAddsUpAtEveryLevel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		books, rows := randomBooks(t)
		var check func(n Node)
		check = func(n Node) {
			if n.Total.TransactionCount == 0 {
				t.Fatalf("%s has no rows", n.Category.Path)
			}
			own := func(r row) bool { return r.category == n.Category }
			branch := func(r row) bool { return r.category.Is(n.Category.Path) }
			if len(n.Children) == 0 {
				// A leaf is a category without children in the tree, or the own rows of its parent.
				if got := n.Total.Net(); got != net(rows, own) {
					t.Fatalf("%s is %s, its rows %s", n.Category.Path, got, net(rows, own))
				}
				return
			}
			if got := n.Total.Net(); got != net(rows, branch) {
				t.Fatalf("%s is %s, its branch %s", n.Category.Path, got, net(rows, branch))
			}
			sum := NewSums(len(n.ByPeriod))
			amount := money.Total{}
			for _, child := range n.Children {
				sum.merge(child.Sums)
				amount = amount.Plus(Amount(child.Category, child.Total))
				if child.Category != n.Category && child.Category.Parent != n.Category {
					t.Fatalf("%s under %s", child.Category.Path, n.Category.Path)
				}
				if child.Category == n.Category && len(child.Children) > 0 {
					t.Fatalf("the own rows of %s have children", n.Category.Path)
				}
				check(child)
			}
			if sum.Total != n.Total || amount != Amount(n.Category, n.Total) {
				t.Fatalf("%s is %v, its children %v", n.Category.Path, n.Total, sum.Total)
			}
			for i, f := range n.ByPeriod {
				if f != sum.ByPeriod[i] {
					t.Fatalf("%s in period %d is %v, its children %v", n.Category.Path, i, f, sum.ByPeriod[i])
				}
			}
		}
		var all Flow
		for _, root := range books.Tree(ontology.ScheduleC().Roots) {
			check(root)
			all = all.Plus(root.Total)
		}
		if all.Net() != net(rows, func(row) bool { return true }) || all.TransactionCount != int64(len(rows)) {
			t.Fatalf("the tree is %v, the rows %d", all, len(rows))
		}
	})
}

func TestPeriodsAddUpToTheTotalUnlessRowsAreOlder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		books, rows := randomBooks(t)
		sums := books.Sum(All)
		older := Flow{}
		for _, r := range rows {
			if r.period == Older {
				older = older.Plus(r.flow())
			}
		}
		periods := Flow{}
		for _, f := range sums.ByPeriod {
			periods = periods.Plus(f)
		}
		if periods.Plus(older) != sums.Total {
			t.Fatalf("periods %v, older %v, total %v", periods, older, sums.Total)
		}
	})
}

func TestReportsReconcileToTheCent(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		books, rows := randomBooks(t)
		cashflow := books.Sum(Without(Transfer)).Total.Net()
		transfers := books.Sum(Within(Transfer)).Total.Net()
		if all := net(rows, func(row) bool { return true }); cashflow.Plus(transfers) != all {
			t.Fatalf("cash flow %s, transfers %s, rows %s", cashflow, transfers, all)
		}
		profit, byPeriod := books.Profit()
		notOnForm := books.Sum(NotOnForm).Total.Net()
		uncategorized := books.Sum(Within(Uncategorized)).Total.Net()
		if got := profit.NetProfit().Plus(notOnForm).Plus(uncategorized); got != cashflow {
			t.Fatalf("net profit %s, not on form %s, uncategorized %s: %s, cash flow %s", profit.NetProfit(), notOnForm,
				uncategorized, got, cashflow)
		}
		for i, p := range byPeriod {
			want := net(rows, func(r row) bool { return r.period == i && OnForm(r.category) })
			if p.NetProfit() != want {
				t.Fatalf("net profit of period %d is %s, want %s", i, p.NetProfit(), want)
			}
		}
	})
}

func TestOwnRowsStandBesideTheChildren(t *testing.T) {
	t.Parallel()
	path := func(path string) *ontology.Category {
		c, ok := ontology.ScheduleC().ByPath(path)
		if !ok {
			t.Fatalf("no category %s", path)
		}
		return c
	}
	books := NewBooks(1)
	books.Add(path("expense.advertising"), 0, row{amount: -300}.flow())
	books.Add(path("expense.advertising.digital"), 0, row{amount: -200}.flow())
	books.Add(path("expense.wages"), 0, row{amount: -100}.flow())
	var list []string
	var walk func(depth string, nodes []Node)
	walk = func(depth string, nodes []Node) {
		for _, n := range nodes {
			list = append(list, depth+n.Category.Path+" "+n.Total.Outflow.String())
			walk(depth+"  ", n.Children)
		}
	}
	walk("", books.Tree(ontology.ScheduleC().Roots))
	want := []string{
		"expense 6.00",
		"  expense.advertising 5.00",
		"    expense.advertising 3.00",
		"    expense.advertising.digital 2.00",
		"  expense.wages 1.00",
	}
	if got := list; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSumsGoBeyondInt64(t *testing.T) {
	t.Parallel()
	books := NewBooks(1)
	for range 20_000 {
		books.Add(ontology.ScheduleC().Roots[0], 0, row{amount: money.Max}.flow())
	}
	if got, want := books.Sum(All).Total.Inflow.String(), "199999999999999800.00"; got != want {
		t.Errorf("20,000 of the largest amount are %s, want %s", got, want)
	}
}
