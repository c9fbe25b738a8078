package money_test

import (
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"bizfin/internal/money"
)

func TestStringAlwaysHasTwoDecimals(t *testing.T) {
	t.Parallel()
	for want, a := range map[string]money.Amount{
		"0.00":                  0,
		"0.01":                  1,
		"-0.01":                 -1,
		"0.10":                  10,
		"-12.30":                -1230,
		"9999999999999.99":      money.Max,
		"-9999999999999.99":     money.Min,
		"92233720368547758.07":  math.MaxInt64,
		"-92233720368547758.08": math.MinInt64,
	} {
		if got := a.String(); got != want {
			t.Errorf("String of %d cents = %q, want %q", int64(a), got, want)
		}
		if got, err := json.Marshal(a); err != nil || string(got) != want {
			t.Errorf("Marshal of %d cents = %s, %v, want %s", int64(a), got, err, want)
		}
	}
}

func TestUnmarshalReadsNumbersOnly(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		in   string
		want money.Amount
		err  error
	}{
		{`{"a": 1.10}`, 110, nil},
		{`{"a": -0}`, 0, nil},
		{`{"a": null}`, 7, nil},
		{`{}`, 7, nil},
		{`{"a": "1.10"}`, 7, money.ErrSyntax},
		{`{"a": true}`, 7, money.ErrSyntax},
		{`{"a": [1]}`, 7, money.ErrSyntax},
		{`{"a": 1.101}`, 7, money.ErrPrecision},
		{`{"a": 1e14}`, 7, money.ErrRange},
	} {
		got := struct{ A money.Amount }{A: 7}
		err := json.Unmarshal([]byte(tc.in), &got)
		if !errors.Is(err, tc.err) || got.A != tc.want {
			t.Errorf("Unmarshal %s = %d, %v, want %d, %v", tc.in, int64(got.A), err, int64(tc.want), tc.err)
		}
	}
}

func TestAddRefusesOverflow(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		a, b, want money.Amount
		err        error
	}{
		{0, 0, 0, nil},
		{1, -1, 0, nil},
		{-5, 3, -2, nil},
		{math.MaxInt64, 0, math.MaxInt64, nil},
		{math.MinInt64, 0, math.MinInt64, nil},
		{math.MinInt64, math.MaxInt64, -1, nil},
		{math.MaxInt64, 1, 0, money.ErrOverflow},
		{1, math.MaxInt64, 0, money.ErrOverflow},
		{math.MinInt64, -1, 0, money.ErrOverflow},
		{math.MinInt64, math.MinInt64, 0, money.ErrOverflow},
		{math.MaxInt64, math.MaxInt64, 0, money.ErrOverflow},
	} {
		got, err := money.Add(tc.a, tc.b)
		if got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("Add(%d, %d) = %d, %v, want %d, %v", int64(tc.a), int64(tc.b), int64(got), err, int64(tc.want),
				tc.err)
		}
	}
}

func TestAddAgreesWithBigIntegers(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		amount := rapid.Custom(func(t *rapid.T) money.Amount {
			return money.Amount(rapid.OneOf(rapid.Int64(), rapid.SampledFrom([]int64{math.MaxInt64, math.MinInt64, -1,
				1})).Draw(t, "cents"))
		})
		a, b := amount.Draw(t, "a"), amount.Draw(t, "b")
		got, err := money.Add(a, b)
		checkBig(t, got, err, new(big.Int).Add(big.NewInt(int64(a)), big.NewInt(int64(b))))
	})
}

func checkBig(t *rapid.T, got money.Amount, err error, want *big.Int) {
	t.Helper()
	switch {
	case !want.IsInt64() && !errors.Is(err, money.ErrOverflow):
		t.Fatalf("got %d, %v, want ErrOverflow for %s", int64(got), err, want)
	case want.IsInt64() && (err != nil || int64(got) != want.Int64()):
		t.Fatalf("got %d, %v, want %s", int64(got), err, want)
	}
}
