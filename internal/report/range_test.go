package report_test

import (
	"testing"

	"pgregory.net/rapid"

	"bizfin/internal/money"
	"bizfin/internal/odds"
	"bizfin/internal/report"
)

func dollars(n int64) money.Total { return money.TotalOf(money.Amount(n * 100)) }

// either is that all of it counts, with this weight, or nothing.
func either(on money.Ratio) []odds.Outcome {
	return []odds.Outcome{{Percent: 0, Weight: 10_000 - on}, {Percent: 100, Weight: on}}
}

func evenly(amount int64) report.Open {
	return report.Open{Amount: dollars(amount), Outcomes: either(5000)}
}

func TestTheRangeHoldsNineChancesInTen(t *testing.T) {
	t.Parallel()
	surely := func(amount int64, percent int) report.Open {
		only := []odds.Outcome{{Percent: percent, Weight: 10_000}}
		return report.Open{Amount: dollars(amount), Outcomes: only}
	}
	rarely := report.Open{Amount: dollars(-1000), Outcomes: either(9600)}
	var eight []report.Open
	for range 8 {
		eight = append(eight, evenly(-100))
	}
	for name, c := range map[string]struct {
		open      []report.Open
		low, high int64
	}{
		"nothing is open":                           {nil, 500, 500},
		"one that may be all or nothing":            {[]report.Open{evenly(-1000)}, -500, 500},
		"what is as good as sure is not in it":      {[]report.Open{rarely}, -500, -499},
		"a part of several parts":                   {[]report.Open{surely(-1000, 35)}, 149, 151},
		"two of one size, one of four sums a side":  {[]report.Open{evenly(-1000), evenly(-1000)}, -1500, 500},
		"income and costs":                          {[]report.Open{evenly(-1000), evenly(300)}, -500, 800},
		"eight: all or none is less than one in 20": {eight, -101, 301},
	} {
		r := report.RangeOf(report.Established{Profit: dollars(500)}, c.open)
		if r.Low != dollars(c.low) || r.High != dollars(c.high) {
			t.Errorf("%s: %s to %s, want %d to %d", name, r.Low, r.High, c.low, c.high)
		}
	}
}

func TestTheRangeIsWithinTheWorstCaseAndDoesNotDependOnTheOrder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		amounts := rapid.SliceOfN(rapid.Int64Range(-5_000_000_00, 5_000_000_00), 0, 90).Draw(rt, "amounts")
		established := money.TotalOf(money.Amount(rapid.Int64Range(-1e9, 1e9).Draw(rt, "established")))
		worst, best := established, established
		var open []report.Open
		for _, a := range amounts {
			amount := money.TotalOf(money.Amount(a))
			if a < 0 {
				worst = worst.Plus(amount)
			} else {
				best = best.Plus(amount)
			}
			on := money.Ratio(rapid.Int64Range(1, 9_999).Draw(rt, "on"))
			open = append(open, report.Open{Amount: amount, Outcomes: either(on)})
		}
		r := report.RangeOf(report.Established{Profit: established}, open)
		if r.Low.Compare(r.High) > 0 || r.Low.Compare(worst) < 0 || r.High.Compare(best) > 0 {
			rt.Fatalf("%s to %s is not within %s to %s", r.Low, r.High, worst, best)
		}
		again := report.RangeOf(report.Established{Profit: established}, rapid.Permutation(open).Draw(rt, "order"))
		if distinct(amounts) && again != r {
			rt.Fatalf("%v in another order than %v", again, r)
		}
	})
}

// Steps are coarse because they are what a range costs: thirty-two times as many move its ends by little.
func TestFewerStepsMoveTheRangeByLittle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		var open []report.Open
		var size money.Total
		for range rapid.IntRange(1, 90).Draw(rt, "parts") {
			// of all sizes: most are small
			amount := rapid.Int64Range(1, 9).Draw(rt, "digit")
			for range rapid.IntRange(0, 7).Draw(rt, "zeros") {
				amount = 10*amount + rapid.Int64Range(0, 9).Draw(rt, "digit")
			}
			if rapid.Bool().Draw(rt, "out") {
				amount = -amount
			}
			total := money.TotalOf(money.Amount(amount))
			open = append(open, report.Open{Amount: total,
				Outcomes: either(money.Ratio(rapid.Int64Range(1, 9_999).Draw(rt, "on")))})
			size = size.Plus(total.Abs())
		}
		r := report.RangeOf(report.Established{}, open)
		fine := report.RangeOfSteps(report.Established{}, open, 32*report.Steps)
		near := size.Percent(1).Plus(dollars(2))
		if r.Low.Minus(fine.Low).Abs().Compare(near) > 0 || r.High.Minus(fine.High).Abs().Compare(near) > 0 {
			rt.Fatalf("%s to %s, with small steps %s to %s, of %s", r.Low, r.High, fine.Low, fine.High, size)
		}
	})
}

func distinct(list []int64) bool {
	seen := map[int64]bool{}
	for _, n := range list {
		if seen[n] {
			return false
		}
		seen[n] = true
	}
	return true
}

// What would be far apart by itself is one where it turns out alike: the bills of a telephone and of a car.
func TestWhatTurnsOutAlikeIsOnePart(t *testing.T) {
	t.Parallel()
	var apart, alike []report.Open
	for range 8 {
		one := evenly(-100)
		apart = append(apart, one)
		one.Alike = true
		alike = append(alike, one)
	}
	r, together := report.RangeOf(report.Established{}, apart), report.RangeOf(report.Established{}, alike)
	if together.Low != dollars(-800) || together.High != dollars(0) || r.Low.Compare(together.Low) <= 0 {
		t.Errorf("%v apart and %v together", r, together)
	}
}

// While anything is open, eight thousandths of what is established on the form may be wrong; else nothing is doubted.
func TestTheRangeDoubtsALittleOfWhatIsEstablished(t *testing.T) {
	t.Parallel()
	rarely := report.Open{Amount: dollars(-1000), Outcomes: either(9600)} // as good as sure, and it may be nothing
	known := report.Established{Profit: dollars(500), Turnover: dollars(10_000)}
	if r := report.RangeOf(known, []report.Open{rarely}); r.Low != dollars(-500) || r.High != dollars(-419) {
		t.Errorf("%s to %s, want -500, the worst case, to -419", r.Low, r.High)
	}
	if r := report.RangeOf(known, nil); r.Low != dollars(500) || r.High != dollars(500) {
		t.Errorf("%s to %s with nothing open, want 500", r.Low, r.High)
	}
}

// A loan's interest of a year, 1,200 of 12,000: of a month 100 are interest on average, of which half may be other
// months', but for the month's own twelfth of it; of the year it is exact.
func TestAYearsAmountsAreExactOfTheYearAndAGuessOfItsMonths(t *testing.T) {
	t.Parallel()
	year := func(counts, rest int64) report.Spread {
		return report.Spread{Counts: dollars(counts), Rest: dollars(rest), YearCounts: dollars(-1200),
			YearRest: dollars(-10_800)}
	}
	month := money.TotalOf(45_84) // by a share that is rounded to a ten-thousandth
	for name, c := range map[string]struct {
		of   report.Spread
		want money.Total
	}{
		"a month":                             {year(-100, -900), month},
		"half a year":                         {year(-600, -5400), dollars(150)},
		"the year":                            {year(-1200, -10_800), dollars(0)},
		"a month of what all counts":          {year(-100, 0), dollars(0)},
		"a month of nothing":                  {report.Spread{}, dollars(0)},
		"what came back is not of the others": {year(-1300, -11_700), dollars(0)},
	} {
		if got := c.of.Off(); got != c.want {
			t.Errorf("%s may be off by %s, want %s", name, got, c.want)
		}
	}
	known := report.Established{Profit: dollars(500), Off: dollars(40)}
	if r := report.RangeOf(known, nil); r.Low != dollars(460) || r.High != dollars(540) {
		t.Errorf("%s to %s with nothing open, want 460 to 540", r.Low, r.High)
	}
	if r := report.RangeOf(known, []report.Open{evenly(-1000)}); r.Low != dollars(-540) || r.High != dollars(540) {
		t.Errorf("%s to %s with something open, want -540 to 540", r.Low, r.High)
	}
}

func TestTheSwingOfAQuestionIsWhatItsAnswerIsExpectedToChange(t *testing.T) {
	t.Parallel()
	o := report.Open{Amount: dollars(-1000), Outcomes: []odds.Outcome{
		{Percent: 0, Weight: 4000}, {Percent: 50, Weight: 2000}, {Percent: 100, Weight: 4000},
	}}
	if got := o.Swing(); got != dollars(500) {
		t.Errorf("the swing is %s, want 500", got)
	}
}

func BenchmarkRangeOf(b *testing.B) {
	var open []report.Open
	for i := range int64(300) {
		open = append(open, evenly(-50-i*97))
	}
	for b.Loop() {
		report.RangeOf(report.Established{Profit: dollars(1000)}, open)
	}
}
