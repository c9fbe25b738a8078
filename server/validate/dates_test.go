package validate_test

import (
	"errors"
	"testing"
	"time"

	"bizfin/server/validate"
)

func TestDateOrDateTime(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		text     string
		want     string // RFC 3339 with nanoseconds, empty where refused
		dateOnly bool
	}{
		{"2026-01-31", "2026-01-31T00:00:00Z", true},
		{"2024-02-29", "2024-02-29T00:00:00Z", true},
		{"0001-01-01", "0001-01-01T00:00:00Z", true},
		{"9999-12-31", "9999-12-31T00:00:00Z", true},
		{"2026-01-31T09:30:15Z", "2026-01-31T09:30:15Z", false},
		{"2026-01-31t09:30:15z", "2026-01-31T09:30:15Z", false},
		{"2026-01-31T09:30:15", "2026-01-31T09:30:15Z", false},
		{"2026-01-31T09:30", "2026-01-31T09:30:00Z", false},
		{"2026-01-31T09:30+02:00", "2026-01-31T07:30:00Z", false},
		{"2026-01-31T23:30:00-05:00", "2026-02-01T04:30:00Z", false},
		{"2026-01-31T09:30:15+0530", "2026-01-31T04:00:15Z", false},
		{"2026-01-31T09:30:15-03", "2026-01-31T12:30:15Z", false},
		{"2026-01-31T09:30:15.5Z", "2026-01-31T09:30:15.5Z", false},
		{"2026-01-31T09:30:15.123456789-00:00", "2026-01-31T09:30:15.123456789Z", false},
		{"9999-12-31T23:59:59.999999999Z", "9999-12-31T23:59:59.999999999Z", false},

		{text: ""},
		{text: "2026-1-31"},
		{text: "2026-01"},
		{text: "20260131"},
		{text: "2026-02-29"},
		{text: "2026-13-01"},
		{text: "2026-00-10"},
		{text: "2026-01-00"},
		{text: "0000-01-01"},
		{text: "+2026-01-31"},
		{text: "2026-01-31 "},
		{text: "2026-01-31Z"},
		{text: "2026-01-31T"},
		{text: "2026-01-31T09"},
		{text: "2026-01-31 09:30:15Z"},
		{text: "2026-01-31T24:00:00Z"},
		{text: "2026-01-31T09:60:00Z"},
		{text: "2026-01-31T09:30:60Z"},
		{text: "2026-01-31T9:30:15Z"},
		{text: "2026-01-31T09:30:"},
		{text: "2026-01-31T09:30:1"},
		{text: "2026-01-31T09:30:15."},
		{text: "2026-01-31T09:30:15.Z"},
		{text: "2026-01-31T09:30:15,5Z"},
		{text: "2026-01-31T09:30:15.1234567890Z"},
		{text: "2026-01-31T09:30:15ZZ"},
		{text: "2026-01-31T09:30:15 02:00"},
		{text: "2026-01-31T09:30:15+24:00"},
		{text: "2026-01-31T09:30:15+02:60"},
		{text: "2026-01-31T09:30:15+2:00"},
		{text: "2026-01-31T09:30:15+"},
		{text: "2026-01-31T09:30:15+02:"},
		{text: "2026-01-31T09:30:15+02:0"},
		{text: "0001-01-01T00:00:00+00:01"},
		{text: "9999-12-31T23:59:59-00:01"},
		{text: "2026-02-30T00:00:00Z"},
	} {
		got, dateOnly, err := validate.DateOrDateTime(test.text)
		if test.want == "" {
			if !errors.Is(err, validate.ErrDate) {
				t.Errorf("%q: got %v, %v", test.text, got, err)
			}
			continue
		}
		if err != nil || got.Format(time.RFC3339Nano) != test.want || got.Location() != time.UTC ||
			dateOnly != test.dateOnly {
			t.Errorf("%q: got %v, %v, %v", test.text, got, dateOnly, err)
		}
	}
}

func TestDatesAreTheCalendarOfPackageTime(t *testing.T) {
	t.Parallel()
	for year := 1; year <= 9999; year++ {
		for month := 1; month <= 12; month++ {
			for _, day := range []int{0, 1, 28, 29, 30, 31, 32} {
				text := time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC).Format("2006") + "-" + two(month) + "-" + two(day)
				want, parseErr := time.Parse(time.DateOnly, text)
				got, _, err := validate.DateOrDateTime(text)
				if (parseErr == nil) != (err == nil) || err == nil && !got.Equal(want) {
					t.Fatalf("%s: got %v, %v, want %v, %v", text, got, err, want, parseErr)
				}
			}
		}
	}
}

func two(n int) string { return string([]byte{byte('0' + n/10), byte('0' + n%10)}) }

func FuzzDateOrDateTime(f *testing.F) {
	for _, seed := range []string{"2026-01-31", "2026-01-31T09:30:15.5+02:00", "0001-01-01T00:00:00Z",
		"2026-02-29T09:30:15Z"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, _, err := validate.DateOrDateTime(text)
		want, parseErr := time.Parse(time.RFC3339Nano, text)
		if err == nil && parseErr == nil && !got.Equal(want) {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
		if err == nil && (got.Year() < 1 || got.Year() > 9999) {
			t.Errorf("%q: year %d", text, got.Year())
		}
	})
}
