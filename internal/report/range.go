package report

import (
	"cmp"
	"slices"

	"bizfin/internal/money"
	"bizfin/internal/odds"
	"bizfin/internal/ontology"
)

// Open is money that is not established, all of one direction and of one question: what it turns out to be, it turns
// out to be all of it.
type Open struct {
	Amount   money.Total    // signed, as the rows are: positive came in
	Outcomes []odds.Outcome // what it may be; their weights add up to 10,000
	Alike    bool           // it turns out as other such money of its direction does
}

// Guessed is money of one question that is not established and seems to be of a category.
func Guessed(amount money.Total, suggested *ontology.Category) Open {
	o := odds.Of(suggested, amount.Sign() > 0)
	return Open{Amount: amount, Outcomes: o.Measured, Alike: o.Alike}
}

// PaidToUnseenCard is money that a card may have spent which is not connected: its payments are the only trace of its
// costs.
func PaidToUnseenCard(amount money.Total) Open {
	return Open{Amount: amount, Outcomes: []odds.Outcome{{Percent: 0, Weight: 3400}, {Percent: 50, Weight: 3300},
		{Percent: 100, Weight: 3300}}}
}

// Swing is by how much the answer is expected to change the profit, which counts nothing of the money now.
func (o Open) Swing() money.Total {
	var sum money.Total
	for _, k := range o.Outcomes {
		sum = sum.Plus(o.Amount.Abs().Percent(k.Percent * int(k.Weight)))
	}
	return sum.DividedBy(10_000)
}

// ProfitRange is where the profit lies with nine chances in ten.
type ProfitRange struct{ Low, High money.Total }

// The range leaves out as much of the chances at either end, of mass in all: whole numbers, so that every machine
// comes to the same. Each end is 7 in 100 and not 5, as odds that come of few books are cautious: held against the
// books that they did not come of, nine months in ten are inside.
const (
	mass = 1 << 48
	tail = mass / 100 * 7
)

// doubted is how much of what is established may be wrong, in thousandths of it: while there are questions the answers
// to them, and what stands without any, are not beyond doubt.
const doubted = 3

// steps are how many sums of the open money are told apart at most; below so many dollars each dollar is.
const steps = 1 << 14

// mostParts are so many parts that are taken by themselves, the largest; all others count as one of each direction.
const mostParts = 64

// RangeOf is where the profit lies, given what is established of it, from how much money on the form, and what is open.
// What happens to the parts of one question depends on each other entirely, and on other questions not at all, but for
// those that turn out alike; many small parts count as one. The range is in whole dollars beside the established cents,
// rounded outwards, and never wider than the worst case.
func RangeOf(established, turnover money.Total, open []Open) ProfitRange {
	open = together(open)
	slices.SortStableFunc(open, func(a, b Open) int {
		return cmp.Or(b.Amount.Abs().Compare(a.Amount.Abs()), a.Amount.Compare(b.Amount))
	})
	var worst, best, size money.Total
	for _, o := range open {
		size = size.Plus(o.Amount.Abs())
		if o.Amount.Sign() < 0 {
			worst = worst.Plus(o.Amount)
		} else {
			best = best.Plus(o.Amount)
		}
	}
	r := ProfitRange{established.Plus(worst), established.Plus(best)}
	if len(open) == 0 {
		return r
	}
	step := stepOf(size)
	chances := newChances(worst, best, step)
	var small [2]Open
	for i, o := range open {
		if i < mostParts && o.Amount.Abs().Compare(step) >= 0 {
			chances.add(o, step)
			continue
		}
		way := 0
		if o.Amount.Sign() > 0 {
			way = 1
		}
		small[way].join(o)
	}
	for _, o := range small {
		if o.Amount.Sign() != 0 {
			chances.add(o, step)
		}
	}
	low, high := chances.middle()
	wrong := turnover.Percent(doubted).DividedBy(10)
	r.Low = later(r.Low, established.Plus(times(step, low-1)).Minus(wrong))
	r.High = earlier(r.High, established.Plus(times(step, high+1)).Plus(wrong))
	return r
}

// together are the open parts with those of each direction that turn out alike as one, which is what most of it is.
func together(open []Open) []Open {
	var list []Open
	at := map[bool]int{}
	for _, o := range open {
		in := o.Amount.Sign() > 0
		i, seen := at[in]
		switch {
		case o.Amount.Sign() == 0:
		case !o.Alike:
			list = append(list, o)
		case seen:
			list[i].join(o)
		default:
			at[in] = len(list)
			list = append(list, o)
		}
	}
	return list
}

// join makes one of two parts, as likely to be anything as the larger of them.
func (o *Open) join(p Open) {
	if o.Amount.Abs().Compare(p.Amount.Abs()) < 0 {
		o.Outcomes = p.Outcomes
	}
	o.Amount = o.Amount.Plus(p.Amount)
}

// stepOf is a whole number of dollars.
func stepOf(size money.Total) money.Total {
	dollar := money.TotalOf(1_00)
	step := dollar
	for times(step, steps).Compare(size) < 0 {
		step = step.Plus(step)
	}
	return step
}

// chances are how likely each sum is, in steps from the lowest.
type chances struct {
	lowest int
	of     []uint64
}

func newChances(worst, best, step money.Total) *chances {
	c := &chances{lowest: inSteps(worst, step) - 1}
	c.of = make([]uint64, inSteps(best, step)+1-c.lowest+1)
	c.of[-c.lowest] = mass
	return c
}

// add convolves the chances with those of a part. No mass is lost: what does not divide is the last outcome's.
func (c *chances) add(o Open, step money.Total) {
	next := make([]uint64, len(c.of))
	moves := make([]int, len(o.Outcomes))
	for i, k := range o.Outcomes {
		moves[i] = inSteps(o.Amount.Percent(k.Percent), step)
	}
	for at, m := range c.of {
		if m == 0 {
			continue
		}
		left := m
		for i, k := range o.Outcomes {
			part := m / 10_000 * uint64(k.Weight)
			if i == len(o.Outcomes)-1 {
				part = left
			}
			left -= part
			next[min(max(at+moves[i], 0), len(next)-1)] += part
		}
	}
	c.of = next
}

// middle is what is left without the tails, in steps.
func (c *chances) middle() (low, high int) {
	var below uint64
	low = -1
	for at, m := range c.of {
		below += m
		if low < 0 && below > tail {
			low = at
		}
		if below >= mass-tail {
			return low + c.lowest, at + c.lowest
		}
	}
	return low + c.lowest, len(c.of) - 1 + c.lowest
}

// inSteps is how many steps an amount is, to the nearest.
func inSteps(t, step money.Total) int {
	const whole = 10_000
	r, _ := t.Over(step)
	if r < 0 {
		return -int((-r + whole/2) / whole)
	}
	return int((r + whole/2) / whole)
}

func times(t money.Total, n int) money.Total { return t.Percent(100 * n) }

func later(a, b money.Total) money.Total {
	if a.Compare(b) > 0 {
		return a
	}
	return b
}

func earlier(a, b money.Total) money.Total {
	if a.Compare(b) < 0 {
		return a
	}
	return b
}
