package report

import (
	"cmp"
	"slices"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Open is money that is not established, all of one direction and of one question: what it turns out to be, it turns
// out to be all of it.
type Open struct {
	Amount   money.Total // signed, as the rows are: positive came in
	Outcomes []Outcome   // what it may be; their weights add up to 10,000
}

// Outcome is that a share of open money counts in the profit, and how likely that is.
type Outcome struct {
	Percent int         // 100 on the form, 0 off it, and between for payments of several parts
	Weight  money.Ratio // ten-thousandths
}

// Guess is what is known of open money.
type Guess struct {
	Category   *ontology.Category   // that is suggested; one of uncategorized where nothing is
	Confidence money.Ratio          // of the suggestion
	Others     []*ontology.Category // what else it may be, by the options of its question
	Part       bool                 // a part of it may be private
}

// least is the smallest weight of counting and of not counting: a question is never as good as answered, and each of
// the owner's private money and of own accounts has a share of two in a hundred.
const (
	leastOn  = 200
	leastOff = 400
)

// findings are how often money that a line does not explain turns out to count in the profit, in percent, by judgement:
// no labelled books show it yet.
var findings = []struct {
	path string
	on   int
}{
	{"uncategorized.cash_deposit", 75},
	{"uncategorized.payment_app", 55},
	{"uncategorized.tax_payment", 30},
	{"uncategorized.in", 65},
	{"uncategorized", 60},
}

// several are payments of several parts: what share of each may be a cost. The rest is principal, or was spent by a
// card that is not connected, whose payments are the only trace of its costs.
var several = []struct {
	path     string
	percents []int
}{
	{"liability.loan_payment_unsplit", []int{0, 15, 35}},
	{"liability.installment_plan", []int{0, 15, 35}},
	{"liability.credit_line", []int{0, 15, 35}},
	{"transfer.credit_card_payment", []int{0, 50, 100}},
}

// Outcomes are what open money may turn out to be: what is suggested as likely as that is, and the others alike.
func (g Guess) Outcomes() []Outcome {
	const whole = 10_000
	weights := map[int]int64{}
	share := func(c *ontology.Category, weight int64) {
		for _, s := range several {
			if c.Is(s.path) {
				for _, p := range s.percents {
					weights[p] += weight / int64(len(s.percents))
				}
				return
			}
		}
		if OnForm(c) {
			weights[100] += weight
		} else {
			weights[0] += weight
		}
	}
	if g.Category.Is(Uncategorized) {
		for _, f := range findings {
			if g.Category.Is(f.path) {
				weights[100], weights[0] = int64(f.on)*100, int64(100-f.on)*100
				break
			}
		}
	} else {
		sure := min(max(int64(g.Confidence), 0), whole)
		share(g.Category, sure)
		others := slices.DeleteFunc(slices.Clone(g.Others), func(c *ontology.Category) bool { return c == g.Category })
		for _, c := range others {
			share(c, (whole-sure)/int64(len(others)))
		}
		if len(others) == 0 {
			weights[0] += (whole - sure) / 2
			weights[100] += (whole - sure) / 2
		}
	}
	if g.Part {
		weights[50] += whole / 10
	}
	return balanced(weights)
}

// balanced has weights add up, and both ends weigh the least they may.
func balanced(weights map[int]int64) []Outcome {
	const whole = 10_000
	weights[0], weights[100] = max(weights[0], leastOff), max(weights[100], leastOn)
	var sum int64
	for _, w := range weights {
		sum += w
	}
	var list []Outcome
	left := int64(whole)
	for p, w := range weights {
		if w = w * whole / sum; w > 0 {
			list = append(list, Outcome{p, money.Ratio(w)})
			left -= w
		}
	}
	slices.SortFunc(list, func(a, b Outcome) int { return cmp.Compare(a.Percent, b.Percent) })
	largest := slices.MaxFunc(list, func(a, b Outcome) int {
		return cmp.Or(cmp.Compare(a.Weight, b.Weight), cmp.Compare(b.Percent, a.Percent))
	})
	list[slices.Index(list, largest)].Weight += money.Ratio(left) // what rounding down left
	return list
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
// comes to the same.
const (
	mass = 1 << 48
	tail = mass / 20
)

// steps are how many sums of the open money are told apart at most; below so many dollars each dollar is.
const steps = 1 << 14

// mostParts are so many parts that are taken by themselves, the largest; all others count as one of each direction.
const mostParts = 64

// RangeOf is where the profit lies, given what is established of it and what is open. What happens to the parts of one
// question depends on each other entirely, and on other questions not at all; many small parts count as one.
// The range is in whole dollars beside the established cents, rounded outwards, and never wider than the worst case.
func RangeOf(established money.Total, open []Open) ProfitRange {
	open = slices.DeleteFunc(slices.Clone(open), func(o Open) bool { return o.Amount.Sign() == 0 })
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
	r.Low = later(r.Low, established.Plus(times(step, low-1)))
	r.High = earlier(r.High, established.Plus(times(step, high+1)))
	return r
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
