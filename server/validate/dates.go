package validate

import (
	"errors"
	"time"
)

// ErrDate reports a text that is neither a date nor a datetime. Its text says
// what is expected.
var ErrDate = errors.New("must be a date such as 2026-01-31, or an ISO 8601 datetime such as 2026-01-31T09:30:00Z " +
	"(in a query, write + as %2B), in the years 0001 to 9999")

// DateOrDateTime reads a calendar date (YYYY-MM-DD) or an ISO 8601 datetime, as
// the format date-or-datetime of the document promises.
//
// A datetime has hours and minutes, may have seconds and up to nine digits of
// fraction, and an offset (Z, +hh:mm, +hhmm or +hh); without offset it is UTC.
// The result is in UTC; a date is its midnight, and dateOnly tells the two
// apart. It fails with [ErrDate], also where the date does not exist or the
// instant lies outside the years 0001 to 9999 of UTC.
func DateOrDateTime(s string) (t time.Time, dateOnly bool, err error) {
	if len(s) < len(time.DateOnly) {
		return time.Time{}, false, ErrDate
	}
	year, month, day, ok := calendarDate(s[:len(time.DateOnly)])
	if !ok {
		return time.Time{}, false, ErrDate
	}
	midnight := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	rest := s[len(time.DateOnly):]
	if rest == "" {
		return midnight, true, nil
	}
	if rest[0] != 'T' && rest[0] != 't' {
		return time.Time{}, false, ErrDate
	}
	clock, rest, ok := clockTime(rest[1:])
	if !ok {
		return time.Time{}, false, ErrDate
	}
	offset, ok := utcOffset(rest)
	if !ok {
		return time.Time{}, false, ErrDate
	}
	t = midnight.Add(clock - offset)
	if t.Year() < 1 || t.Year() > 9999 {
		return time.Time{}, false, ErrDate
	}
	return t, false, nil
}

// clockTime reads hh:mm, hh:mm:ss or hh:mm:ss.fraction at the start of s.
func clockTime(s string) (sinceMidnight time.Duration, rest string, ok bool) {
	if len(s) < 5 || s[2] != ':' {
		return 0, "", false
	}
	hours, ok1 := number(s, 0, 2)
	minutes, ok2 := number(s, 3, 5)
	if !ok1 || !ok2 || hours > 23 || minutes > 59 {
		return 0, "", false
	}
	sinceMidnight = time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute
	s = s[5:]
	if s == "" || s[0] != ':' {
		return sinceMidnight, s, true
	}
	if len(s) < 3 {
		return 0, "", false
	}
	seconds, ok := number(s, 1, 3)
	if !ok || seconds > 59 {
		return 0, "", false
	}
	sinceMidnight += time.Duration(seconds) * time.Second
	s = s[3:]
	if s == "" || s[0] != '.' {
		return sinceMidnight, s, true
	}
	end := 1
	unit := time.Second
	for ; end < len(s) && end <= 9 && '0' <= s[end] && s[end] <= '9'; end++ {
		unit /= 10
		sinceMidnight += time.Duration(s[end]-'0') * unit
	}
	// A tenth digit remains in the rest, where no offset starts with a digit.
	return sinceMidnight, s[end:], end > 1
}

// utcOffset reads all of s as an offset from UTC; empty is UTC.
func utcOffset(s string) (time.Duration, bool) {
	if s == "" || s == "Z" || s == "z" {
		return 0, true
	}
	sign := time.Duration(1)
	switch s[0] {
	case '-':
		sign = -1
	case '+':
	default:
		return 0, false
	}
	minutesAt := 3
	switch {
	case len(s) == 6 && s[3] == ':':
		minutesAt = 4
	case len(s) == 3, len(s) == 5:
	default:
		return 0, false
	}
	hours, ok := number(s, 1, 3)
	if !ok || hours > 23 {
		return 0, false
	}
	minutes, ok := number(s, minutesAt, len(s))
	if !ok || minutes > 59 {
		return 0, false
	}
	return sign * (time.Duration(hours)*time.Hour + time.Duration(minutes)*time.Minute), true
}

// calendarDate reads YYYY-MM-DD and checks that the day exists.
func calendarDate[T string | []byte](s T) (year, month, day int, ok bool) {
	if len(s) != len(time.DateOnly) || s[4] != '-' || s[7] != '-' {
		return 0, 0, 0, false
	}
	year, ok1 := number(s, 0, 4)
	month, ok2 := number(s, 5, 7)
	day, ok3 := number(s, 8, 10)
	ok = ok1 && ok2 && ok3 && year >= 1 && 1 <= month && month <= 12 && 1 <= day && day <= daysIn(year, month)
	return year, month, day, ok
}

func daysIn(year, month int) int {
	switch month {
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	case 4, 6, 9, 11:
		return 30
	}
	return 31
}

// number reads s[from:to] as digits; an empty range is 0.
func number[T string | []byte](s T, from, to int) (n int, ok bool) {
	for i := from; i < to; i++ {
		if s[i] < '0' || '9' < s[i] {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

func isDate(text []byte) bool {
	_, _, _, ok := calendarDate(text)
	return ok
}

func isDateOrDateTime(text []byte) bool {
	_, _, err := DateOrDateTime(string(text))
	return err == nil
}
