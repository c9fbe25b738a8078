package terminal

import (
	"fmt"
	"strings"

	"bizfin/internal/money"
)

// Money writes a sum with its thousands set apart: -12,345.60.
func Money(t money.Total) string {
	text, sign := t.Abs().String(), ""
	if t.Sign() < 0 {
		sign = "-"
	}
	units, cents, _ := strings.Cut(text, ".")
	return sign + group(units) + "." + cents
}

// Count writes a whole number with its thousands set apart.
func Count[T int | int64](n T) string { return group(fmt.Sprint(n)) }

func group(digits string) string {
	var out strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			out.WriteByte(',')
		}
		out.WriteRune(d)
	}
	return out.String()
}

// Short writes a sum without cents for a scale, from ten thousand on in thousands: 40k.
func Short(t money.Total) string {
	units, _, _ := strings.Cut(t.String(), ".")
	if thousands, ok := strings.CutSuffix(units, "000"); ok && len(thousands) > 0 {
		return group(thousands) + "k"
	}
	return group(units)
}

// Percent writes a share with one decimal: 0.2541 is 25.4 %. Halves go up.
func Percent(part, whole money.Total) string {
	share, ok := part.Over(whole)
	if !ok {
		return ""
	}
	sign := ""
	if share < 0 {
		sign, share = "-", -share
	}
	tenths := (int64(share) + 5) / 10
	return fmt.Sprintf("%s%d.%d %%", sign, tenths/10, tenths%10)
}
