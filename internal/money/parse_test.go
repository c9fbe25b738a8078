package money_test

import (
	"errors"
	"fmt"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"bizfin/internal/money"
)

func TestParse(t *testing.T) {
	t.Parallel()
	million := strings.Repeat("0", 1_000_000)
	for _, tc := range []struct {
		literal string
		want    money.Amount
		err     error
	}{
		{"0", 0, nil},
		{"-0", 0, nil},
		{"-0.000", 0, nil},
		{"0e999999999999999999999", 0, nil},
		{"0.0e-999999999999999999999", 0, nil},
		{"1", 100, nil},
		{"1.1", 110, nil},
		{"1.10", 110, nil},
		{"1.100", 110, nil},
		{"11e-1", 110, nil},
		{"0.11E+1", 110, nil},
		{"-12.3", -1230, nil},
		{"0.01", 1, nil},
		{"1e-2", 1, nil},
		{"100e-4", 1, nil},
		{"1e12", 100_000_000_000_000, nil},
		{"9999999999999.99", money.Max, nil},
		{"-9999999999999.99", money.Min, nil},
		{"999999999999999e-2", money.Max, nil},
		{"9.99999999999999e12", money.Max, nil},
		{"1e" + million + "1", 1000, nil},
		{"1" + million + "e-1000000", 100, nil},
		{"0." + million + "1e1000000", 10, nil},
		{"1." + million, 100, nil},

		{"0.001", 0, money.ErrPrecision},
		{"1e-3", 0, money.ErrPrecision},
		{"1.005", 0, money.ErrPrecision},
		{"9999999999999.991", 0, money.ErrPrecision},
		{"99999999999999999999.991", 0, money.ErrPrecision},
		{"1e-400", 0, money.ErrPrecision},
		{"1e-5000000", 0, money.ErrPrecision},
		{"1e-99999999999999999999", 0, money.ErrPrecision},
		{"0." + million + "1", 0, money.ErrPrecision},

		{"10000000000000", 0, money.ErrRange},
		{"-10000000000000.00", 0, money.ErrRange},
		{"1e13", 0, money.ErrRange},
		{"92233720368547758.08", 0, money.ErrRange},
		{"184467440737095516.17", 0, money.ErrRange},
		{"1e400", 0, money.ErrRange},
		{"-1e400", 0, money.ErrRange},
		{"1e5000000", 0, money.ErrRange},
		{"1e99999999999999999999", 0, money.ErrRange},
		{"1e9223372036854775807", 0, money.ErrRange},
		{"1" + million, 0, money.ErrRange},

		{"", 0, money.ErrSyntax},
		{"-", 0, money.ErrSyntax},
		{"+1", 0, money.ErrSyntax},
		{"--1", 0, money.ErrSyntax},
		{"01", 0, money.ErrSyntax},
		{"-01", 0, money.ErrSyntax},
		{"00", 0, money.ErrSyntax},
		{".5", 0, money.ErrSyntax},
		{"5.", 0, money.ErrSyntax},
		{"5.e1", 0, money.ErrSyntax},
		{"1e", 0, money.ErrSyntax},
		{"1e+", 0, money.ErrSyntax},
		{"1e1.5", 0, money.ErrSyntax},
		{"1.2.3", 0, money.ErrSyntax},
		{"1e1e1", 0, money.ErrSyntax},
		{"1ex", 0, money.ErrSyntax},
		{"1,000.00", 0, money.ErrSyntax},
		{"1_000", 0, money.ErrSyntax},
		{"0x10", 0, money.ErrSyntax},
		{" 1", 0, money.ErrSyntax},
		{"1 ", 0, money.ErrSyntax},
		{"1\x00", 0, money.ErrSyntax},
		{"\u0661", 0, money.ErrSyntax},
		{"\u22121", 0, money.ErrSyntax},
		{"NaN", 0, money.ErrSyntax},
		{"Infinity", 0, money.ErrSyntax},
		{"-Infinity", 0, money.ErrSyntax},
		{"null", 0, money.ErrSyntax},
		{`"1.10"`, 0, money.ErrSyntax},
		{million, 0, money.ErrSyntax},
	} {
		got, err := money.Parse(tc.literal)
		if got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("Parse(%s) = %d, %v, want %d, %v", abbreviate(tc.literal), int64(got), err, int64(tc.want), tc.err)
		}
	}
}

func TestParseRoundedRoundsHalfToEven(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		literal string
		want    money.Amount
		err     error
	}{
		{"1.10", 110, nil},
		{"0.004", 0, nil},
		{"-0.004", 0, nil},
		{"0.005", 0, nil},
		{"0.0050000001", 1, nil},
		{"0.006", 1, nil},
		{"0.015", 2, nil},
		{"0.025", 2, nil},
		{"-0.015", -2, nil},
		{"-0.025", -2, nil},
		{"0.0251", 3, nil},
		{"1.005", 100, nil},
		{"1.115", 112, nil},
		{"100.10000000000001", 10010, nil},
		{"0.30000000000000004", 30, nil},
		{"5e-3", 0, nil},
		{"15e-3", 2, nil},
		{"9e-3", 1, nil},
		{"9e-4", 0, nil},
		{"1e-400", 0, nil},
		{"1e-99999999999999999999", 0, nil},
		{"9999999999999.994", money.Max, nil},
		{"-9999999999999.994", money.Min, nil},
		{"9999999999999.995", 0, money.ErrRange},
		{"-9999999999999.995", 0, money.ErrRange},
		{"9999999999999.999", 0, money.ErrRange},
		{"1e400", 0, money.ErrRange},
		{"1e5000000", 0, money.ErrRange},
		{"1.", 0, money.ErrSyntax},
		{"NaN", 0, money.ErrSyntax},
	} {
		got, err := money.ParseRounded(tc.literal)
		if got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("ParseRounded(%s) = %d, %v, want %d, %v", tc.literal, int64(got), err, int64(tc.want), tc.err)
		}
	}
}

func TestParseReadsBackWhatStringWrites(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := money.Amount(rapid.Int64Range(int64(money.Min), int64(money.Max)).Draw(t, "cents"))
		if got, err := money.Parse(want.String()); got != want || err != nil {
			t.Fatalf("Parse(%q) = %d, %v, want %d", want, int64(got), err, int64(want))
		}
	})
}

func TestParseAgreesWithRationals(t *testing.T) {
	t.Parallel()
	literals := rapid.StringMatching(`-?(0|[1-9][0-9]{0,16})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,2})?`)
	rapid.Check(t, func(t *rapid.T) {
		agreeWithRationals(t, literals.Draw(t, "literal"))
	})
}

func FuzzParse(f *testing.F) {
	for _, literal := range []string{
		"0", "-0", "1.10", "1.100", "11e-1", "0.005", "0.015", "0.025", "1e13", "1e-3", "9999999999999.99",
		"9999999999999.991", "9999999999999.995", "999999999999999e-2", "01", "1.", ".1", "1e", "1e+", "-", "1e400",
		"1e-400", "null",
	} {
		f.Add(literal)
	}
	f.Fuzz(func(t *testing.T, literal string) {
		if len(literal) > 200 {
			t.Skip()
		}
		agreeWithRationals(t, literal)
	})
}

// agreeWithRationals judges a literal by math/big and compares. Literals with an
// exponent that math/big would need long for are only checked not to be accepted
// by accident: their cents cannot be both whole and in range.
func agreeWithRationals(t interface {
	Helper()
	Fatalf(string, ...any)
}, literal string) {
	t.Helper()
	got, gotErr := money.Parse(literal)
	rounded, roundedErr := money.ParseRounded(literal)

	want, wantErr := money.Amount(0), error(nil)
	nearest, nearestErr := money.Amount(0), error(nil)
	mantissa, exponent, _ := strings.Cut(strings.ToLower(literal), "e")
	size, sizeErr := strconv.Atoi(exponent)
	switch {
	case !jsonNumber(literal):
		wantErr, nearestErr = money.ErrSyntax, money.ErrSyntax
	case strings.Trim(mantissa, "-0.") == "":
	case exponent != "" && (sizeErr != nil || size > 1000 || size < -1000):
		if strings.HasPrefix(exponent, "-") {
			wantErr = money.ErrPrecision
		} else {
			wantErr, nearestErr = money.ErrRange, money.ErrRange
		}
	default:
		cents, ok := new(big.Rat).SetString(literal)
		if !ok {
			t.Fatalf("math/big refuses %q", literal)
		}
		cents.Mul(cents, big.NewRat(100, 1))
		want, wantErr = inRange(cents.Num())
		if !cents.IsInt() {
			want, wantErr = 0, money.ErrPrecision
		}
		nearest, nearestErr = inRange(halfEven(cents))
	}
	if got != want || !errors.Is(gotErr, wantErr) {
		t.Fatalf("Parse(%q) = %d, %v, want %d, %v", literal, int64(got), gotErr, int64(want), wantErr)
	}
	if rounded != nearest || !errors.Is(roundedErr, nearestErr) {
		t.Fatalf("ParseRounded(%q) = %d, %v, want %d, %v", literal, int64(rounded), roundedErr, int64(nearest),
			nearestErr)
	}
}

func inRange(cents *big.Int) (money.Amount, error) {
	if new(big.Int).Abs(cents).Cmp(big.NewInt(int64(money.Max))) > 0 {
		return 0, money.ErrRange
	}
	return money.Amount(cents.Int64()), nil
}

// halfEven rounds to the nearest integer, an exact half to the even one.
func halfEven(r *big.Rat) *big.Int {
	floor, rest := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	switch rest.Lsh(rest, 1).Cmp(r.Denom()) {
	case 1:
		floor.Add(floor, big.NewInt(1))
	case 0:
		floor.Add(floor, big.NewInt(int64(floor.Bit(0))))
	}
	return floor
}

var numberPattern = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

func jsonNumber(literal string) bool {
	return numberPattern.MatchString(literal)
}

func abbreviate(literal string) string {
	if len(literal) > 60 {
		return fmt.Sprintf("%.20s... (%d bytes)", literal, len(literal))
	}
	return literal
}

func TestParseAllocatesNothing(t *testing.T) {
	for _, literal := range []string{"-1234567.89", "1e400", "0.001", "x"} {
		if n := testing.AllocsPerRun(100, func() { money.Parse(literal) }); n != 0 {
			t.Errorf("Parse(%s) allocates %v times", literal, n)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := money.Parse("-1234567.89"); err != nil {
			b.Fatal(err)
		}
	}
}
