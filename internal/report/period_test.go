package report

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func at(t testing.TB, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

// days is a range of whole days.
func days(t testing.TB, first, last string) Range {
	t.Helper()
	return Range{Start: at(t, first+"T00:00:00Z"), End: at(t, last+"T23:59:59.999999999Z")}
}

// shown writes periods as "key first..last", with a ~ where they are partial.
func shown(periods []Period) []string {
	var list []string
	for _, p := range periods {
		text := fmt.Sprintf("%s %s..%s", p.Key, p.Start.Format(time.DateOnly), p.End.Format(time.DateOnly))
		if p.Partial {
			text += " ~"
		}
		list = append(list, text)
	}
	return list
}

func TestPeriodsAreCalendarPeriodsOfTheRange(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		span     Range
		grouping Grouping
		want     []string
	}{
		"whole months": {days(t, "2026-01-01", "2026-02-28"), Month,
			[]string{"2026-01 2026-01-01..2026-01-31", "2026-02 2026-02-01..2026-02-28"}},
		"months cut at both ends": {days(t, "2026-01-02", "2026-03-30"), Month,
			[]string{"2026-01 2026-01-01..2026-01-31 ~", "2026-02 2026-02-01..2026-02-28",
				"2026-03 2026-03-01..2026-03-31 ~"}},
		"a leap year's February": {days(t, "2024-02-01", "2024-02-29"), Month,
			[]string{"2024-02 2024-02-01..2024-02-29"}},
		"a leap year's February without its last day": {days(t, "2024-02-01", "2024-02-28"), Month,
			[]string{"2024-02 2024-02-01..2024-02-29 ~"}},
		"1900 has no leap day": {days(t, "1900-02-28", "1900-03-01"), Day,
			[]string{"1900-02-28 1900-02-28..1900-02-28", "1900-03-01 1900-03-01..1900-03-01"}},
		"quarters around the new year": {days(t, "2025-12-31", "2026-03-31"), Quarter,
			[]string{"2025-Q4 2025-10-01..2025-12-31 ~", "2026-Q1 2026-01-01..2026-03-31"}},
		"the quarters of a year": {days(t, "2026-01-01", "2026-12-31"), Quarter,
			[]string{"2026-Q1 2026-01-01..2026-03-31", "2026-Q2 2026-04-01..2026-06-30",
				"2026-Q3 2026-07-01..2026-09-30", "2026-Q4 2026-10-01..2026-12-31"}},
		"week 53 belongs to the ISO year before": {days(t, "2021-01-01", "2021-01-04"), Week,
			[]string{"2020-W53 2020-12-28..2021-01-03 ~", "2021-W01 2021-01-04..2021-01-10 ~"}},
		"week 1 begins in the year before": {days(t, "2025-12-29", "2026-01-04"), Week,
			[]string{"2026-W01 2025-12-29..2026-01-04"}},
		"a Sunday ends its week": {days(t, "2026-03-29", "2026-03-30"), Week,
			[]string{"2026-W13 2026-03-23..2026-03-29 ~", "2026-W14 2026-03-30..2026-04-05 ~"}},
		"a single day": {days(t, "2024-02-29", "2024-02-29"), Day,
			[]string{"2024-02-29 2024-02-29..2024-02-29"}},
		"the first week of the calendar": {days(t, "0001-01-01", "0001-01-07"), Week,
			[]string{"0001-W01 0001-01-01..0001-01-07"}},
		"the last week of the calendar": {days(t, "9999-12-27", "9999-12-31"), Week,
			[]string{"9999-W52 9999-12-27..9999-12-31"}},
		"a start within a day leaves that day out": {
			Range{at(t, "2026-01-01T00:00:00.000000001Z"), at(t, "2026-01-31T00:00:00Z")}, Month,
			[]string{"2026-01 2026-01-01..2026-01-31 ~"}},
		"an end at the midnight of a day holds that day": {
			Range{at(t, "2026-01-01T00:00:00Z"), at(t, "2026-01-31T00:00:00Z")}, Month,
			[]string{"2026-01 2026-01-01..2026-01-31 ~"}},
		"an end within the last day leaves a part of it out": {
			Range{at(t, "2026-01-01T00:00:00Z"), at(t, "2026-01-31T12:00:00Z")}, Month,
			[]string{"2026-01 2026-01-01..2026-01-31 ~"}},
		"an end in the last second of a day has all of it": {
			Range{at(t, "2026-01-01T00:00:00Z"), at(t, "2026-01-31T23:59:59Z")}, Month,
			[]string{"2026-01 2026-01-01..2026-01-31"}},
		"a range without a midnight has a period without rows": {
			Range{at(t, "2026-01-01T08:00:00Z"), at(t, "2026-01-01T09:00:00Z")}, Day,
			[]string{"2026-01-01 2026-01-01..2026-01-01 ~"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			periods, _, err := Periods(test.span, test.grouping, MaxPeriods)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, shown(periods)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestDaysAreThoseWhoseMidnightIsInTheRange(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ start, end, first, last string }{
		{"2026-01-01T00:00:00Z", "2026-01-31T23:59:59Z", "2026-01-01", "2026-01-31"},
		{"2026-01-01T00:00:01Z", "2026-02-01T00:00:00Z", "2026-01-02", "2026-02-01"},
		{"2026-01-01T08:00:00Z", "2026-01-01T09:00:00Z", "2026-01-02", "2026-01-01"},
		{"2024-02-28T23:00:00Z", "2024-03-01T00:00:00Z", "2024-02-29", "2024-03-01"},
	} {
		first, last := Range{at(t, test.start), at(t, test.end)}.Days()
		if got := first.Format(time.DateOnly) + " " + last.Format(time.DateOnly); got != test.first+" "+test.last {
			t.Errorf("%s to %s has the days %s, want %s %s", test.start, test.end, got, test.first, test.last)
		}
	}
}

func TestPeriodsFollowOneAnotherWithoutGaps(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		first := time.Date(1990, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, rapid.IntRange(0, 20_000).Draw(t, "first"))
		last := first.AddDate(0, 0, rapid.IntRange(0, 3_000).Draw(t, "days"))
		grouping := rapid.SampledFrom(groupings).Draw(t, "grouping")
		limit := rapid.Int64Range(1, MaxPeriods).Draw(t, "limit")
		all, _, err := Periods(Range{first, endOf(last)}, grouping, MaxPeriods)
		if err != nil {
			t.Fatal(err)
		}
		periods, count, err := Periods(Range{first, endOf(last)}, grouping, limit)
		if err != nil {
			t.Fatal(err)
		}
		if count != len(all) || cmp.Diff(all[max(0, len(all)-int(limit)):], periods) != "" {
			t.Fatalf("the newest %d of %d are %v", limit, count, shown(periods))
		}
		periods = all
		if newest := periods[len(periods)-1]; first.Before(periods[0].Start) || first.After(periods[0].End) ||
			last.Before(newest.Start) || last.After(newest.End) {
			t.Fatalf("%v to %v is not within the first and last of %v", first, last, shown(periods))
		}
		keys := map[string]bool{}
		for i, p := range periods {
			if i > 0 && !periods[i-1].End.AddDate(0, 0, 1).Equal(p.Start) {
				t.Fatalf("a gap before %s in %v", p.Key, shown(periods))
			}
			if want := p.Start.Before(first) || p.End.After(last); p.Partial != want {
				t.Fatalf("%s is partial: %v, want %v", p.Key, p.Partial, want)
			}
			if keys[p.Key] {
				t.Fatalf("%s twice", p.Key)
			}
			keys[p.Key] = true
		}
	})
}

// endOf is the last instant of a day.
func endOf(day time.Time) time.Time { return day.AddDate(0, 0, 1).Add(-1) }

func TestTooManyAnsweredPeriodsAreAnError(t *testing.T) {
	t.Parallel()
	first := at(t, "2000-01-01T00:00:00Z")
	if periods, _, err := Periods(Range{first, first.AddDate(0, 0, MaxPeriods-1)}, Day, 1<<62); err != nil ||
		len(periods) != MaxPeriods {
		t.Errorf("%d days: %d periods, %v", MaxPeriods, len(periods), err)
	}
	if _, _, err := Periods(Range{first, first.AddDate(0, 0, MaxPeriods)}, Day, 1<<62); !errors.Is(err,
		ErrTooManyPeriods) {
		t.Errorf("%d days: %v, want ErrTooManyPeriods", MaxPeriods+1, err)
	}
	// What is not answered costs nothing.
	whole := Range{at(t, "0001-01-01T00:00:00Z"), at(t, "9999-12-31T23:59:59Z")}
	for grouping, want := range map[Grouping]int{Day: 3652059, Week: 521723, Month: 119988, Quarter: 39996} {
		periods, count, err := Periods(whole, grouping, 12)
		if err != nil || len(periods) != 12 || count != want {
			t.Errorf("%s: %d of %d, %v; want %d", grouping, len(periods), count, err, want)
		}
	}
}

func TestFittingIsTheFinestGroupingThatWillDo(t *testing.T) {
	t.Parallel()
	for last, want := range map[string]Grouping{"2010-12-13": Day, "2010-12-14": Week, "2076-08-23": Week,
		"2076-08-24": Month, "2333-04-30": Month, "2333-05-01": Quarter, "2999-12-31": Quarter} {
		if got, ok := Fitting(days(t, "2000-01-01", last), 1<<62); !ok || got != want {
			t.Errorf("2000-01-01 to %s: %q, want %q", last, got, want)
		}
	}
	if got, ok := Fitting(days(t, "2000-01-01", "3000-01-01"), 1<<62); ok {
		t.Errorf("a thousand years and a day fit by %s", got)
	}
}

func TestNewestAreTheLastPeriods(t *testing.T) {
	t.Parallel()
	for limit, want := range map[int64]string{1: "2026-03", 2: "2026-02", 3: "2026-01", 4: "2026-01",
		1 << 62: "2026-01"} {
		newest, count, err := Periods(days(t, "2026-01-01", "2026-03-31"), Month, limit)
		if err != nil || count != 3 || newest[0].Key != want {
			t.Errorf("newest %d of %d begin with %v, want %s (%v)", limit, count, newest, want, err)
		}
	}
}
