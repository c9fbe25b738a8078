package money

import (
	"fmt"
)

const ratioScale = 10_000

// Ratio is a number without a unit in ten-thousandths: a confidence, a share or a margin. 2541 is 0.2541.
type Ratio int64

// String is r with four decimals.
func (r Ratio) String() string {
	sign, size := "", uint64(r)
	if r < 0 {
		sign, size = "-", -size // exact for the smallest int64 too, which has no positive twin
	}
	return fmt.Sprintf("%s%d.%04d", sign, size/ratioScale, size%ratioScale)
}

// MarshalJSON writes a JSON number with four decimals.
func (r Ratio) MarshalJSON() ([]byte, error) { return []byte(r.String()), nil }
