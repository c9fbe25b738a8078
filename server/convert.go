package server

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/ontology"
	"bizfin/server/validate"
	"bizfin/store"
)

// convert applies one translation to a list. It never returns nil: an empty list is [] to a client, not null.
func convert[From, To any](list []From, one func(From) To) []To {
	out := make([]To, len(list))
	for i, item := range list {
		out[i] = one(item)
	}
	return out
}

// value is what p points to, or the zero value.
func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

// optional is nil for the zero value.
func optional[T comparable](v T) *T {
	var zero T
	if v == zero {
		return nil
	}
	return &v
}

func day(t time.Time) string { return t.Format(time.DateOnly) }

func optionalDay(t *time.Time) *string {
	if t == nil {
		return nil
	}
	text := day(*t)
	return &text
}

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	at := t.UTC()
	return &at
}

// parseID reads an id that the document types as a string: what is no id of ours is an unknown one.
func parseID(text string) (uuid.UUID, error) {
	const canonical = len("0190f2a4-7c1e-7d3a-9f10-2b6f0c9a1d11")
	if len(text) != canonical {
		return uuid.Nil, store.ErrNotFound
	}
	id, err := uuid.Parse(text)
	if err != nil {
		return uuid.Nil, store.ErrNotFound
	}
	return id, nil
}

// categoryOf finds a stored category. Categories are never removed from the ontology, so one that is missing there
// means that the database is newer than this program.
func categoryOf(id int) *ontology.Category {
	category, ok := ontology.ScheduleC().ByID(id)
	if !ok {
		panic(fmt.Sprintf("server: category %d is not in the ontology", id))
	}
	return category
}

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
