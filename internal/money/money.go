// Package money holds exact sums of money.
//
// A sum is a whole number of hundredths in an int64. No value passes through a
// float or a big number on its way in or out, so a cent is never gained or lost.
package money

import (
	"errors"
	"strconv"
)

// Amount is a sum in hundredths of a currency unit (cents). Positive is
// incoming, negative is outgoing. The currency is kept beside it.
//
// A single uploaded amount lies between [Min] and [Max]; a sum of many may lie
// anywhere in the int64 range. database/sql stores it as a bigint.
type Amount int64

// The range of one uploaded amount or balance, in cents: 9,999,999,999,999.99
// currency units on either side of zero (contract: Account, Transaction).
const (
	Max Amount = 999_999_999_999_999
	Min Amount = -Max
)

// String writes the amount in currency units, always with two decimals: "-12.30".
func (a Amount) String() string {
	var buf [24]byte
	return string(a.append(buf[:0]))
}

func (a Amount) append(dst []byte) []byte {
	cents := uint64(a)
	if a < 0 {
		dst = append(dst, '-')
		cents = -cents // exact for the smallest int64 too, which has no positive twin
	}
	dst = strconv.AppendUint(dst, cents/100, 10)
	return append(dst, '.', byte('0'+cents/10%10), byte('0'+cents%10))
}

// MarshalJSON writes the amount as a JSON number with two decimals.
func (a Amount) MarshalJSON() ([]byte, error) {
	return a.append(make([]byte, 0, 24)), nil
}

// Add returns a + b, or [ErrOverflow] where that leaves the int64 range.
func Add(a, b Amount) (Amount, error) {
	sum := a + b
	if (sum > a) != (b > 0) && b != 0 {
		return 0, ErrOverflow
	}
	return sum, nil
}

// Why a number is not an amount. They never carry the number itself.
var (
	// ErrSyntax: the text is not a JSON number (RFC 8259, section 6).
	ErrSyntax = errors.New("must be a JSON number")
	// ErrPrecision: the number is not a whole number of cents.
	ErrPrecision = errors.New("must have at most two decimals")
	// ErrRange: the number is outside [Min] to [Max].
	ErrRange = errors.New("must be from -9999999999999.99 to 9999999999999.99")
	// ErrOverflow: a sum is outside the int64 range.
	ErrOverflow = errors.New("sum of amounts is out of range")
)
