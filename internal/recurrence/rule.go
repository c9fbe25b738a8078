package recurrence

import (
	"slices"
	"time"
)

// rule says when payments of a cadence are due: every so many days, or at a day of every so many months.
type rule struct {
	cadence   Cadence
	days      int // between two due days; 0 where months count
	months    int
	tolerance int // days before or after the due day
	patience  int // days after the due day until the rhythm is over
	// What two payments in a row can lie apart at all, in days.
	shortest, longest int
}

// A weekend or holiday moves a payment by up to three days, a weekly one, which is never due on a weekend, by one.
var rules = []rule{
	{cadence: Weekly, days: 7, tolerance: 1, patience: 7, shortest: 5, longest: 9},
	{cadence: Biweekly, days: 14, tolerance: 1, patience: 14, shortest: 12, longest: 16},
	{cadence: Monthly, months: 1, tolerance: 3, patience: 30, shortest: 22, longest: 37},
	{cadence: Quarterly, months: 3, tolerance: 5, patience: 45, shortest: 79, longest: 102},
	{cadence: Yearly, months: 12, tolerance: 7, patience: 45, shortest: 351, longest: 380},
}

// run returns the newest occurrences that follow the rule one after the other, and the day the next one is due.
func (r rule) run(all []occurrence) (run []occurrence, next int) {
	from := len(all) - 1
	for from > 0 {
		apart := all[from].day - all[from-1].day
		if apart < r.shortest || apart > r.longest {
			break
		}
		from--
	}
	for ; len(all)-from >= fewest; from++ {
		fit := r.fitDays
		if r.months > 0 {
			fit = r.fitMonths
		}
		if next, ok := fit(all[from:]); ok {
			return all[from:], next
		}
	}
	return nil, 0
}

// fitDays finds the due days that lie equally far apart, and the next of them.
func (r rule) fitDays(run []occurrence) (next int, ok bool) {
	starts := make([]int, len(run))
	for i, o := range run {
		starts[i] = o.day - r.days*i
	}
	slices.Sort(starts)
	start := starts[(len(starts)-1)/2]
	ok = start-starts[0] <= r.tolerance && starts[len(starts)-1]-start <= r.tolerance
	return start + r.days*len(run), ok
}

// fitMonths finds the day of the month that the payments are nearest to in all. A day late counts less than a day
// early, since weekends move a payment on rather than back.
func (r rule) fitMonths(run []occurrence) (next int, ok bool) {
	const longestMonth = 31
	first := timeOf(run[0].day)
	year, month := first.Year(), first.Month()
	best := -1
	for day := 1; day <= longestMonth; day++ {
		start := nearestMonth(year, month, day, run[0].day)
		off, fits := 0, true
		for i, o := range run {
			late := o.day - due(year, start+time.Month(i*r.months), day)
			off += max(2*late, -3*late)
			fits = fits && max(late, -late) <= r.tolerance
		}
		if fits && (best < 0 || off < best) {
			best, next, ok = off, due(year, start+time.Month(len(run)*r.months), day), true
		}
	}
	return next, ok
}

// nearestMonth is the month around one given whose due day is nearest to a payment.
func nearestMonth(year int, month time.Month, day, paid int) time.Month {
	nearest := month
	for _, m := range []time.Month{month - 1, month + 1} {
		if distance(due(year, m, day), paid) < distance(due(year, nearest, day), paid) {
			nearest = m
		}
	}
	return nearest
}

func distance(a, b int) int { return max(a-b, b-a) }

// due is a day of a month, the last one where the month is too short. Months count on beyond the year.
func due(year int, month time.Month, day int) int {
	last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return dayOf(time.Date(year, month, min(day, last), 0, 0, 0, 0, time.UTC))
}
