// Package recurrence finds the rhythm of payments: rent at the first of the month, pay every other Friday, a licence
// once a year. It is pure: the same payments and the same present give the same answer.
package recurrence

import (
	"slices"
	"time"

	"bizfin/internal/money"
)

// Payment is one transaction with somebody.
type Payment struct {
	Day    time.Time // midnight in UTC
	Amount money.Amount
}

// Rhythm is what recurs.
type Rhythm struct {
	Cadence Cadence
	Average money.Amount // of what comes on one day, in cents rounded half to even
	Next    time.Time    // midnight in UTC: when the next one is due; a weekend may move it
}

// Of finds the rhythm of payments with one counterparty in one currency. Payments of a day count as one. Of two
// rhythms, money in and money out, the one with more days is it, then the outgoing one.
//
// A payment may come some days before or after it is due, for weekends and holidays; one due at the 31st comes at the
// end of shorter months. A rhythm is over, and none is found, when by the day asOf it is late by more than its own
// length, or by more than 45 days.
func Of(payments []Payment, asOf time.Time) (Rhythm, bool) {
	out, runOut := direction(payments, -1, asOf)
	in, runIn := direction(payments, 1, asOf)
	if runIn > runOut {
		return in, true
	}
	return out, runOut > 0
}

// direction finds the rhythm of one direction and how many days follow it; 0 where there is none.
func direction(payments []Payment, sign money.Amount, asOf time.Time) (Rhythm, int) {
	all, ok := byDay(payments, sign)
	if !ok || len(all) < fewest {
		return Rhythm{}, 0
	}
	rhythm, run := newest(all, asOf)
	if run > 0 {
		return rhythm, run
	}
	// One-off payments to the same counterparty lie between; they bring other amounts.
	usual := slices.Clone(all)
	typical := median(all)
	usual = slices.DeleteFunc(usual, func(o occurrence) bool { return !alike(o.amount, typical) })
	if len(usual) == len(all) || len(usual) < enough {
		return Rhythm{}, 0
	}
	if rhythm, run = newest(usual, asOf); run < enough {
		return Rhythm{}, 0
	}
	return rhythm, run
}

// byDay sums the payments of a sign by day, oldest first; ok is false where a sum leaves the range of an amount.
func byDay(payments []Payment, sign money.Amount) (days []occurrence, ok bool) {
	for _, p := range payments {
		if p.Amount*sign > 0 {
			days = append(days, occurrence{dayOf(p.Day), p.Amount})
		}
	}
	slices.SortFunc(days, func(a, b occurrence) int { return a.day - b.day })
	merged := days[:0]
	for _, d := range days {
		last := len(merged) - 1
		if last < 0 || merged[last].day != d.day {
			merged = append(merged, d)
			continue
		}
		merged[last].amount += d.amount
		if merged[last].amount > money.Max || merged[last].amount < money.Min {
			return nil, false
		}
	}
	return merged, true
}

// newest finds the rhythm that the newest occurrences follow, and how many of them do.
func newest(all []occurrence, asOf time.Time) (Rhythm, int) {
	for _, r := range rules {
		run, next := r.run(all)
		needed := fewest
		if len(run) < len(all) || !allAlike(run) {
			needed = enough
		}
		if len(run) >= needed && dayOf(asOf) <= next+r.patience {
			return Rhythm{Cadence: r.cadence, Average: average(run), Next: timeOf(next)}, len(run)
		}
	}
	return Rhythm{}, 0
}

func median(all []occurrence) money.Amount {
	amounts := make([]money.Amount, len(all))
	for i, o := range all {
		amounts[i] = o.amount
	}
	slices.Sort(amounts)
	return amounts[len(amounts)/2]
}

func allAlike(run []occurrence) bool {
	typical := median(run)
	return !slices.ContainsFunc(run, func(o occurrence) bool { return !alike(o.amount, typical) })
}

// alike amounts of one sign differ by at most a quarter of the larger.
func alike(a, b money.Amount) bool {
	a, b = max(a, -a), max(b, -b)
	return max(a, b)-min(a, b) <= max(a, b)/4
}

// average rounds half to even. The sum of 1,000 of the largest amounts is still an int64.
func average(run []occurrence) money.Amount {
	var sum money.Amount
	for _, o := range run {
		sum += o.amount
	}
	n := money.Amount(len(run))
	quotient, rest := sum/n, sum%n
	away := money.Amount(1)
	if sum < 0 {
		rest, away = -rest, -1
	}
	if 2*rest > n || 2*rest == n && quotient%2 != 0 {
		quotient += away
	}
	return quotient
}
