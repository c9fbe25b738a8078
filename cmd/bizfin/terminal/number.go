package terminal

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/dustin/go-humanize"

	"bizfin/internal/money"
)

// Money writes a sum with its thousands set apart: -12,345.60.
func Money(t money.Total) string {
	units, cents, _ := strings.Cut(t.Abs().String(), ".")
	n, _ := new(big.Int).SetString(units, 10) // are digits
	sign := ""
	if t.Sign() < 0 {
		sign = "-"
	}
	return sign + humanize.BigComma(n) + "." + cents
}

// Count writes a whole number with its thousands set apart.
func Count[T int | int64](n T) string { return humanize.Comma(int64(n)) }

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
