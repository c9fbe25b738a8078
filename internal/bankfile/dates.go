package bankfile

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"
)

var (
	yearFirst = regexp.MustCompile(`^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ].*)?$`)
	yearLast  = regexp.MustCompile(`^(\d{1,2})([-/.])(\d{1,2})[-/.](\d{4}|\d{2})(?:[, ].*)?$`)
	digits    = regexp.MustCompile(`^(\d{4})(\d{2})(\d{2})$`)
)

// named are the writings with the name of a month: they have one reading.
var named = []string{"2 Jan 2006", "2 January 2006", "Jan 2, 2006", "January 2, 2006", "2-Jan-2006", "2-Jan-06",
	"2 Jan 06",
	"Jan 2 2006", "Mon, Jan 2, 2006", "02Jan2006"}

// looksLikeDate reports whether a cell could be one.
func looksLikeDate(cell string) bool {
	cell = strings.TrimSpace(cell)
	if yearFirst.MatchString(cell) || yearLast.MatchString(cell) {
		return true
	}
	if m := digits.FindStringSubmatch(cell); m != nil {
		_, err := calendarDay(m[1], m[2], m[3])
		return err == nil
	}
	_, ok := namedDay(cell)
	return ok
}

func namedDay(cell string) (time.Time, bool) {
	for _, layout := range named {
		if day, err := time.Parse(layout, cell); err == nil {
			return day, true
		}
	}
	return time.Time{}, false
}

// dateOrder finds out whether the month or the day comes first, from all dates of a file. A file whose dates all have
// both readings says neither, and is never guessed.
func dateOrder(cells []string, asked string) (order string, err error) {
	if asked != "" {
		return asked, nil
	}
	var dayFirst, monthFirst, open string
	for _, cell := range cells {
		m := yearLast.FindStringSubmatch(strings.TrimSpace(cell))
		if m == nil {
			continue
		}
		first, _ := strconv.Atoi(m[1])
		second, _ := strconv.Atoi(m[3])
		switch {
		case m[2] == "." || first > 12:
			dayFirst = cell
		case second > 12:
			monthFirst = cell
		case first != second:
			open = cell
		}
	}
	const both = "--dates mdy (month first) or --dates dmy (day first)"
	switch {
	case dayFirst != "" && monthFirst != "":
		return "", &Question{fmt.Sprintf("%s has the day first and %s the month", strings.TrimSpace(dayFirst),
			strings.TrimSpace(monthFirst)), both}
	case dayFirst != "":
		return "dmy", nil
	case monthFirst != "":
		return "mdy", nil
	case open != "":
		return "", &Question{fmt.Sprintf("a date such as %s can be read in two ways, and so can all others",
			strings.TrimSpace(open)), both}
	default:
		return "mdy", nil // no date depends on it
	}
}

// parseDay reads a date; a time behind it is left out, as the bank's own day counts.
func parseDay(cell, order string) (time.Time, error) {
	cell = strings.TrimSpace(cell)
	if m := yearFirst.FindStringSubmatch(cell); m != nil {
		return calendarDay(m[1], m[2], m[3])
	}
	if m := digits.FindStringSubmatch(cell); m != nil {
		return calendarDay(m[1], m[2], m[3])
	}
	if m := yearLast.FindStringSubmatch(cell); m != nil {
		year, month, day := m[4], m[1], m[3]
		if order == "dmy" {
			month, day = day, month
		}
		if order == "ymd" {
			if len(m[4]) != 2 {
				return time.Time{}, fmt.Errorf("%q is not a date with the year first", cell)
			}
			year, month, day = m[1], m[3], m[4]
		}
		if len(year) == 2 {
			year = "20" + year
		}
		return calendarDay(year, month, day)
	}
	if day, ok := namedDay(cell); ok {
		return day, nil
	}
	return time.Time{}, fmt.Errorf("%q is not a date", cell)
}

func calendarDay(year, month, day string) (time.Time, error) {
	y, _ := strconv.Atoi(year)
	m, _ := strconv.Atoi(month)
	d, _ := strconv.Atoi(day)
	at := time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC)
	if y < 1000 || at.Day() != d || int(at.Month()) != m {
		return at, fmt.Errorf("there is no day %s-%s-%s", year, month, day)
	}
	return at, nil
}
