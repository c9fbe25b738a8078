package money_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"bizfin/internal/money"
)

func TestRatioWritesFourDecimals(t *testing.T) {
	t.Parallel()
	for want, r := range map[string]money.Ratio{
		"0.0000":                0,
		"0.0001":                1,
		"-0.0001":               -1,
		"0.2541":                2541,
		"1.0000":                10_000,
		"-1.5000":               -15_000,
		"922337203685477.5807":  math.MaxInt64,
		"-922337203685477.5808": math.MinInt64,
	} {
		if got := r.String(); got != want {
			t.Errorf("String of %d = %s, want %s", int64(r), got, want)
		}
		if got, err := json.Marshal(r); err != nil || string(got) != want {
			t.Errorf("Marshal of %d = %s, %v, want %s", int64(r), got, err, want)
		}
	}
}

func TestOverIsARatioRoundedHalfToEven(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b string
		want string
		ok   bool
	}{
		{"1", "3", "0.3333", true},
		{"2", "3", "0.6667", true},
		{"-2", "3", "-0.6667", true},
		{"2", "-3", "-0.6667", true},
		{"-2", "-3", "0.6667", true},
		{"1", "20000", "0.0000", true},
		{"3", "20000", "0.0002", true},
		{"0", "5", "0.0000", true},
		{"100", "100", "1.0000", true},
		{"9999999999999990000", "9999999999999990000", "1.0000", true},
		{"1", "0", "0.0000", false},
		{"0", "0", "0.0000", false},
		{"9223372036854775807", "1", "0.0000", false}, // no ratio holds it
	} {
		got, ok := cents(t, tc.a).Over(cents(t, tc.b))
		if ok != tc.ok || got.String() != tc.want {
			t.Errorf("%s / %s = %s, %t, want %s, %t", tc.a, tc.b, got, ok, tc.want, tc.ok)
		}
	}
}

func TestBindReadsWhatParseReads(t *testing.T) {
	t.Parallel()
	for _, literal := range []string{"0", "-12.3", "1e2", "0.001", "1e14", "abc", "", "null", `"1"`} {
		a := money.Amount(7)
		err := a.Bind(literal)
		want, wantErr := money.Parse(literal)
		if wantErr != nil {
			want = 7 // left as it was
		}
		if a != want || !errors.Is(err, wantErr) {
			t.Errorf("Bind(%q) = %d, %v, want %d, %v", literal, int64(a), err, int64(want), wantErr)
		}
	}
}

func TestBindReadsWhatStringWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := money.Amount(rapid.Int64Range(int64(money.Min), int64(money.Max)).Draw(t, "cents"))
		var got money.Amount
		if err := got.Bind(want.String()); err != nil || got != want {
			t.Fatalf("Bind(%s) = %s, %v", want, got, err)
		}
	})
}
