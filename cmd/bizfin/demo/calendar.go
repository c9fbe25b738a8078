package demo

import (
	"iter"
	"time"
)

func (b *books) day(month time.Month, day int) time.Time {
	return time.Date(b.year, month, day, 0, 0, 0, 0, time.UTC)
}

// days goes through the year.
func (b *books) days() iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		for day := b.day(time.January, 1); day.Year() == b.year; day = day.AddDate(0, 0, 1) {
			if !yield(day) {
				return
			}
		}
	}
}

// fridays goes through every second Friday, which is pay day.
func (b *books) fridays() iter.Seq[time.Time] {
	return func(yield func(time.Time) bool) {
		day := b.day(time.January, 1)
		for day.Weekday() != time.Friday {
			day = day.AddDate(0, 0, 1)
		}
		for ; day.Year() == b.year; day = day.AddDate(0, 0, 14) {
			if !yield(banking(day)) {
				return
			}
		}
	}
}

// banking is the day itself or the next one on which banks book.
func banking(day time.Time) time.Time {
	for day.Weekday() == time.Saturday || day.Weekday() == time.Sunday || holiday(day) {
		day = day.AddDate(0, 0, 1)
	}
	return day
}

// holiday reports the days on which neither banks nor the shop are open.
func holiday(day time.Time) bool {
	switch day.Format("0102") {
	case "0101", "0619", "0704", "1111", "1225":
		return true
	}
	monday, thursday := day.Weekday() == time.Monday, day.Weekday() == time.Thursday
	week := (day.Day()-1)/7 + 1
	switch day.Month() {
	case time.January, time.February:
		return monday && week == 3
	case time.May:
		return monday && day.Day() > 24
	case time.September:
		return monday && week == 1
	case time.October:
		return monday && week == 2
	case time.November:
		return thursday && week == 4
	}
	return false
}

// open reports whether the shop sells: Tuesday to Saturday.
func open(day time.Time) bool {
	return day.Weekday() != time.Sunday && day.Weekday() != time.Monday && !holiday(day)
}

// season is how a month sells, in percent of an ordinary one: cards are bought for weddings and before Christmas.
func season(month time.Month) int64 {
	return [...]int64{86, 92, 96, 100, 108, 104, 90, 88, 96, 108, 132, 156}[month-1]
}
