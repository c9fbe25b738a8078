package report

import (
	"errors"
	"fmt"
	"time"
)

// MaxPeriods is how many periods the range of a report may have.
const MaxPeriods = 4000

// ErrTooManyPeriods: the range has more than [MaxPeriods] periods of the grouping.
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
	Partial    bool      // the range leaves out some of its days
}

// Periods are the calendar periods that hold an instant of the range, oldest first, so there is always one. It fails
// with [ErrTooManyPeriods].
func Periods(r Range, g Grouping) ([]Period, error) {
	firstDay, lastDay := r.Days()
	var periods []Period
	for start := g.start(dayOf(r.Start)); !start.After(r.End); start = g.next(start) {
		if len(periods) == MaxPeriods {
			return nil, ErrTooManyPeriods
		}
		end := g.next(start).AddDate(0, 0, -1)
		if end.After(endOfCalendar) {
			end = endOfCalendar
		}
		periods = append(periods, Period{
			Key:     g.key(start),
			Start:   start,
			End:     end,
			Partial: firstDay.After(start) || lastDay.Before(end),
		})
	}
	return periods, nil
}

// Newest returns the last limit periods.
func Newest(periods []Period, limit int64) []Period {
	if int64(len(periods)) <= limit {
		return periods
	}
	return periods[int64(len(periods))-limit:]
}

// Fitting is the finest grouping by which the range has at most [MaxPeriods] periods; ok is false where none is.
func Fitting(r Range) (g Grouping, ok bool) {
	for _, g := range groupings {
		if _, err := Periods(r, g); err == nil {
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

// next is the first day of the period after the one that starts here.
func (g Grouping) next(start time.Time) time.Time {
	switch g {
	case Quarter:
		return start.AddDate(0, 3, 0)
	case Month:
		return start.AddDate(0, 1, 0)
	case Week:
		return start.AddDate(0, 0, 7)
	default:
		return start.AddDate(0, 0, 1)
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
