package server

import (
	"time"

	"bizfin/server/validate"
)

// bound is the instant of a date or datetime that the schema has accepted; the end of the day for a date at the end.
func bound(text *string, end bool) time.Time {
	at, dateOnly, err := validate.DateOrDateTime(*text)
	if err != nil {
		panic("server: a date passed the schema and is none")
	}
	if dateOnly && end {
		return at.AddDate(0, 0, 1).Add(-1)
	}
	return at
}

// firstDay is the first day whose midnight is not before the bound: rows stand at midnight UTC of their day.
func firstDay(text *string) *time.Time {
	if text == nil {
		return nil
	}
	at := bound(text, false)
	day := at.Truncate(24 * time.Hour)
	if day.Before(at) {
		day = day.AddDate(0, 0, 1)
	}
	return &day
}

// lastDay is the last day whose midnight is not after the bound.
func lastDay(text *string) *time.Time {
	if text == nil {
		return nil
	}
	day := bound(text, true).Truncate(24 * time.Hour)
	return &day
}
