// Package money holds exact sums of money.
//
// A sum is a whole number of hundredths in an int64. No value passes through a
// float or a big number on its way in or out, so a cent is never gained or lost.
package money

import (
	"math/bits"
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

// UnmarshalJSON reads a JSON number by the rules of [Parse]; a JSON string is
// refused. As encoding/json asks, null leaves the amount as it is: a required
// amount must be checked for presence apart.
func (a *Amount) UnmarshalJSON(data []byte) error {
	if string(data) == "null" {
		return nil
	}
	parsed, err := parse(data, exact)
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}

// Add returns a + b, or [ErrOverflow] where that leaves the int64 range.
func Add(a, b Amount) (Amount, error) {
	sum := a + b
	if (sum > a) != (b > 0) && b != 0 {
		return 0, ErrOverflow
	}
	return sum, nil
}

// Sum returns the sum of all amounts, or [ErrOverflow] where it leaves the int64
// range. It adds in 128 bits, so the order of the amounts does not matter.
func Sum(amounts ...Amount) (Amount, error) {
	var high, low uint64
	for _, a := range amounts {
		var carry uint64
		low, carry = bits.Add64(low, uint64(a), 0)
		high += uint64(a>>63) + carry
	}
	sum := Amount(low)
	if high != uint64(sum>>63) {
		return 0, ErrOverflow
	}
	return sum, nil
}

// Bind reads a query parameter, for the runtime of the generated server; it is Parse.
func (a *Amount) Bind(literal string) error {
	parsed, err := Parse(literal)
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}
