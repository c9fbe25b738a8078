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

// LoanNotSplit is what a loan was paid of which nobody said how much is interest: a third of it at most.
func LoanNotSplit(amount money.Total) Open {
	return Open{Amount: amount, Outcomes: []odds.Outcome{{Percent: 0, Weight: 2500}, {Percent: 15, Weight: 4500},
		{Percent: 35, Weight: 3000}}}
}

// Swing is by how much the answer is expected to change the profit, which counts nothing of the money now.
func (o Open) Swing() money.Total {
	var sum money.Total
	for _, k := range o.Outcomes {
		sum = sum.Plus(o.Amount.Abs().Percent(k.Percent * int(k.Weight)))
	}
	return sum.DividedBy(10_000)
}

// Spread is what was said of a whole year and is spread over its payments, by what counts in the profit and what does
// not, in a report and in the whole year. Of the year it is exact. Of a part of it, it is a guess: interest is more in
// January than in December.
type Spread struct{ Counts, Rest, YearCounts, YearRest money.Total }

// offBy is by how much of the smaller of its two sides a part of a year may be off, in percent. Of labelled books whose
// questions were all answered nearly nine months in ten are within it, and less than two are exact. More would make the
// range wider while there are questions than it needs to be.
const offBy = 50

// Off is by how much the profit may be off: less, the more of the year is inside, and nothing of a whole one.
func (s Spread) Off() money.Total {
	year := s.YearCounts.Abs().Plus(s.YearRest.Abs())
	inside := s.Counts.Abs().Plus(s.Rest.Abs())
	outside, _ := year.Minus(inside).Over(year)
	return earlier(s.Counts.Abs(), s.Rest.Abs()).Percent(offBy * int(max(outside, 0))).DividedBy(whole)
}

// ProfitRange is where the profit lies with nine chances in ten.
type ProfitRange struct{ Low, High money.Total }

// Around is the range with a profit in it that stands beside it: of a few rows, what all suggestions come to together
// may be less likely than the tails that are left out.
func (r ProfitRange) Around(profit money.Total) ProfitRange {
	return ProfitRange{earlier(r.Low, profit), later(r.High, profit)}
}

// The range leaves out as much of the chances at either end, of mass in all: whole numbers, so that every machine
// comes to the same. Held against the books that the odds did not come of, nine months in ten are inside.
const (
	mass = 1 << 48
	tail = mass / 1000 * 55
)

// doubted is how much of what is established may be wrong, in thousandths of it: while there are questions the answers
// to them, and what stands without any, are not beyond doubt. Of books that nobody had read it was more in one of
// six.
const doubted = 8

// steps are how many sums of the open money are told apart at most; below so many dollars each dollar is. More
// would move an end by less than a hundredth of that money (TestFewerStepsMoveTheRangeByLittle), and take longer.
const steps = 1 << 11

// mostParts are so many parts that are taken by themselves, the largest; all others count as one of each direction.
const mostParts = 64

// Established is what is known of a profit, from how much money on the form, and by how much it may be off in a part of
// a year.
type Established struct{ Profit, Turnover, Off money.Total }

// RangeOf is where the profit lies, given what is established of it, and what is open.
// What happens to the parts of one question depends on each other entirely, and on other questions not at all, but for
// those that turn out alike; many small parts count as one. The range is in whole dollars beside the established cents,
// rounded outwards, and never wider than the worst case.
func RangeOf(known Established, open []Open) ProfitRange { return rangeOf(known, open, steps) }

func rangeOf(known Established, open []Open, steps int) ProfitRange {
	if open = together(open); len(open) == 0 {
		return ProfitRange{known.Profit.Minus(known.Off), known.Profit.Plus(known.Off)}
	}
	known.Profit, open = known.Profit.Minus(known.Off), append(open, eitherWay(known.Off))
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
	r := ProfitRange{known.Profit.Plus(worst), known.Profit.Plus(best)}
	step := stepOf(size, steps)
	parts := mostlyAlone(open, step)
	chances := newChances(worst, best, step, len(parts))
	for _, o := range slices.Backward(parts) { // the smallest first: as long as sums are close, there are few
		chances.add(o, step)
	}
	low, high := chances.middle()
	wrong := known.Turnover.Percent(doubted).DividedBy(10)
	r.Low = later(r.Low, known.Profit.Plus(times(step, low-1)).Minus(wrong))
	r.High = earlier(r.High, known.Profit.Plus(times(step, high+1)).Plus(wrong))
	return r
}

// eitherWay is what may be off in either direction, as a part that is open, from nothing of it to twice as much: most
// likely it is once, as if nothing were off.
func eitherWay(off money.Total) Open {
	return Open{Amount: off.Plus(off), Outcomes: []odds.Outcome{{Percent: 0, Weight: 2500},
		{Percent: 50, Weight: 5000}, {Percent: 100, Weight: 2500}}}
}

// mostlyAlone are the largest parts, and all others of each direction as one. The largest come first.
func mostlyAlone(open []Open, step money.Total) []Open {
	alone := 0
	for alone < min(len(open), mostParts) && open[alone].Amount.Abs().Compare(step) >= 0 {
		alone++
	}
	var in, out Open
	for _, o := range open[alone:] {
		if o.Amount.Sign() > 0 {
			in.join(o)
		} else {
			out.join(o)
		}
	}
	parts := slices.Clone(open[:alone])
	for _, o := range [...]Open{in, out} {
		if o.Amount.Sign() != 0 {
			parts = append(parts, o)
		}
	}
	return parts
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
func stepOf(size money.Total, steps int) money.Total {
	dollar := money.TotalOf(1_00)
	step := dollar
	for times(step, steps).Compare(size) < 0 {
		step = step.Plus(step)
	}
	return step
}

// chances are how likely each sum is, in steps from the lowest.
type chances struct {
	lowest      int
	of, next    []uint64
	first, last int // between these are all that are likely at all
}

// newChances has room for so many parts, each of which rounds by half a step at most.
func newChances(worst, best, step money.Total, parts int) *chances {
	c := &chances{lowest: inSteps(worst, step) - parts - 1}
	length := inSteps(best, step) + parts + 2 - c.lowest
	c.of, c.next = make([]uint64, length), make([]uint64, length)
	c.first, c.last = -c.lowest, -c.lowest
	c.of[c.first] = mass
	return c
}

// add convolves the chances with those of a part. No mass is lost: what does not divide is the last outcome's.
func (c *chances) add(o Open, step money.Total) {
	clear(c.next)
	least, most, others := 0, 0, 0 // others: the weight of all outcomes but the last
	for i, k := range o.Outcomes {
		move := inSteps(o.Amount.Percent(k.Percent), step)
		if i == 0 {
			least, most = move, move
		}
		least, most = min(least, move), max(most, move)
		next := c.next[c.first+move : c.last+move+1]
		if i < len(o.Outcomes)-1 {
			others += int(k.Weight)
			for at, m := range c.of[c.first : c.last+1] {
				next[at] += m / 10_000 * uint64(k.Weight)
			}
		} else {
			for at, m := range c.of[c.first : c.last+1] {
				next[at] += m - m/10_000*uint64(others)
			}
		}
	}
	c.of, c.next = c.next, c.of
	c.first, c.last = c.first+least, c.last+most
}

// middle is what is left without the tails, in steps.
func (c *chances) middle() (low, high int) {
	var below uint64
	low = -1
	for at := c.first; ; at++ {
		below += c.of[at]
		if low < 0 && below > tail {
			low = at
		}
		if below >= mass-tail {
			return low + c.lowest, at + c.lowest
		}
	}
}

// whole is a ratio of one.
const whole = 10_000

// inSteps is how many steps an amount is, to the nearest.
func inSteps(t, step money.Total) int {
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
