package report

import (
	"errors"
	"fmt"
	"time"
)

// MaxPeriods is how many periods a report may be broken down into.
const MaxPeriods = 4000

// ErrTooManyPeriods: the report is to be broken down into more than [MaxPeriods] periods.
var ErrTooManyPeriods = errors.New("report: too many periods")

// Grouping is the length of a period (contract: periodGrouping).
type Grouping string

// The groupings, in UTC. A week is an ISO 8601 week, Monday to Sunday.
const (
	Quarter Grouping = "quarter"
	Month   Grouping = "month"
	Week    Grouping = "week"
	Day     Grouping = "day"
)

// groupings from fine to coarse.
var groupings = []Grouping{Day, Week, Month, Quarter}

// Range is what a report covers: two instants in UTC, both inclusive.
type Range struct{ Start, End time.Time }

// Days are the first and the last day of the range that can hold rows, which stand at midnight of their day: a range
// that starts at noon begins with the next day. The last day is before the first one where no midnight is in the range.
func (r Range) Days() (first, last time.Time) {
	first = dayOf(r.Start)
	if first.Before(r.Start) {
		first = first.AddDate(0, 0, 1)
	}
	return first, dayOf(r.End)
}

// Period is one calendar period.
type Period struct {
	Key        string    // 2026-Q1, 2026-03, 2026-W13 (of the ISO year) or 2026-03-31
	Start, End time.Time // its first and last day in the calendar; no day is after 9999-12-31
	Partial    bool      // the range leaves out some of its days, or a part of one
}

// Periods are the newest of the calendar periods that hold an instant of the range, up to limit, oldest first; count is
// how many there are in all, at least one. It fails with [ErrTooManyPeriods].
func Periods(r Range, g Grouping, limit int64) (newest []Period, count int, err error) {
	last := g.start(dayOf(r.End))
	count = g.between(g.start(dayOf(r.Start)), last) + 1
	answered := int(min(limit, int64(count)))
	if answered > MaxPeriods {
		return nil, count, ErrTooManyPeriods
	}
	newest = make([]Period, 0, answered)
	for start := g.add(last, 1-answered); !start.After(last); start = g.add(start, 1) {
		end := g.add(start, 1).AddDate(0, 0, -1)
		if end.After(endOfCalendar) {
			end = endOfCalendar
		}
		newest = append(newest, Period{
			Key:   g.key(start),
			Start: start,
			End:   end,
			// A second is as near to the end of a day as callers write it.
			Partial: r.Start.After(start) || r.End.Before(end.AddDate(0, 0, 1).Add(-time.Second)),
		})
	}
	return newest, count, nil
}

// Fitting is the finest grouping by which so many periods of the range, up to limit, can be broken down; ok is false
// where none is.
func Fitting(r Range, limit int64) (g Grouping, ok bool) {
	for _, g := range groupings {
		if _, _, err := Periods(r, g, limit); err == nil {
			return g, true
		}
	}
	return "", false
}

// endOfCalendar is the last day that YYYY-MM-DD can write; a week reaches beyond it.
var endOfCalendar = time.Date(9999, time.December, 31, 0, 0, 0, 0, time.UTC)

func dayOf(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

// start is the first day of the period that holds a day.
func (g Grouping) start(day time.Time) time.Time {
	year, month, _ := day.Date()
	switch g {
	case Quarter:
		return time.Date(year, (month-1)/3*3+1, 1, 0, 0, 0, 0, time.UTC)
	case Month:
		return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
	case Week:
		sinceMonday := (int(day.Weekday()) + 6) % 7
		return day.AddDate(0, 0, -sinceMonday)
	default:
		return day
	}
}

// add is the first day of the period that begins n periods after the one that starts here.
func (g Grouping) add(start time.Time, n int) time.Time {
	switch g {
	case Quarter:
		return start.AddDate(0, 3*n, 0)
	case Month:
		return start.AddDate(0, n, 0)
	case Week:
		return start.AddDate(0, 0, 7*n)
	default:
		return start.AddDate(0, 0, n)
	}
}

// between is how many periods after another one a period begins; both days are first days.
func (g Grouping) between(first, last time.Time) int {
	months := (last.Year()-first.Year())*12 + int(last.Month()) - int(first.Month())
	const day = 24 * 60 * 60 // seconds; a Duration holds no more than 292 years
	days := int((last.Unix() - first.Unix()) / day)
	switch g {
	case Quarter:
		return months / 3
	case Month:
		return months
	case Week:
		return days / 7
	default:
		return days
	}
}

func (g Grouping) key(start time.Time) string {
	switch g {
	case Quarter:
		return fmt.Sprintf("%04d-Q%d", start.Year(), (start.Month()+2)/3)
	case Month:
		return start.Format("2006-01")
	case Week:
		year, week := start.ISOWeek()
		return fmt.Sprintf("%04d-W%02d", year, week)
	default:
		return start.Format(time.DateOnly)
	}
}
