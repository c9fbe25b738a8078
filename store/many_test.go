package store

import (
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/store/reportsql"
)

func TestDaysOfManyRowsAreKnownWithThoseAround(t *testing.T) {
	t.Parallel()
	business, other := uuid.New(), uuid.New()
	day := func(month time.Month) time.Time { return time.Date(2026, month, 1, 0, 0, 0, 0, time.UTC) }
	of := func(from, to time.Month) reportsql.Report {
		return reportsql.Report{Filter: reportsql.Filter{From: day(from), To: day(to)}}
	}
	ofSome := of(1, 12)
	ofSome.FilterByCounterparty = true
	m := newManyRows()
	m.note(other, ofSome)
	m.note(business, of(3, 9))
	for _, c := range []struct {
		name     string
		business uuid.UUID
		report   reportsql.Report
		want     bool
	}{
		{"the same days", business, of(3, 9), true},
		{"more days", business, of(1, 12), true},
		{"fewer days", business, of(4, 9), false},
		{"days that begin later", business, of(4, 12), false},
		{"those of some counterparties, which are looked up by themselves", business, ofSome, false},
		{"another business, which asked for those of some counterparties", other, of(1, 12), false},
	} {
		if got := m.knows(c.business, c.report); got != c.want {
			t.Errorf("%s: known %t, want %t", c.name, got, c.want)
		}
	}
	m.note(business, of(5, 6))
	if !m.knows(business, of(5, 8)) {
		t.Error("fewer days that have many rows, too, are not remembered in place of more")
	}
	m.note(business, of(1, 12))
	if !m.knows(business, of(5, 8)) {
		t.Error("more days, which are known by fewer, took their place")
	}
}
