package money

import (
	"database/sql/driver"
	"errors"
	"math/big"
	"math/bits"
	"strconv"
)

// ErrTotal is returned for text that is no whole number of cents of at most 128 bits.
var ErrTotal = errors.New("money: not a whole number of cents")

// Total is an exact sum of Amounts in cents, 128 bits wide: 10,000 of the largest Amounts already overflow an int64.
// The zero value is 0. Totals compare with ==.
type Total struct {
	high int64 // two's complement, together with low
	low  uint64
}

// TotalOf widens an Amount.
func TotalOf(a Amount) Total {
	return Total{high: int64(a) >> 63, low: uint64(a)}
}

// Plus returns t + u. More than 2^64 of the largest Amounts are needed to overflow it.
func (t Total) Plus(u Total) Total {
	low, carry := bits.Add64(t.low, u.low, 0)
	high, _ := bits.Add64(uint64(t.high), uint64(u.high), carry)
	return Total{high: int64(high), low: low}
}

// Minus returns t - u.
func (t Total) Minus(u Total) Total { return t.Plus(u.Neg()) }

// Neg returns -t.
func (t Total) Neg() Total {
	low, carry := bits.Add64(^t.low, 1, 0)
	high, _ := bits.Add64(uint64(^t.high), 0, carry)
	return Total{high: int64(high), low: low}
}

// Abs returns the size of t.
func (t Total) Abs() Total {
	if t.high < 0 {
		return t.Neg()
	}
	return t
}

// Sign is -1, 0 or 1.
func (t Total) Sign() int {
	switch {
	case t.high < 0:
		return -1
	case t.high == 0 && t.low == 0:
		return 0
	default:
		return 1
	}
}

// Compare is -1, 0 or 1 as t is less than, equal to or greater than u.
func (t Total) Compare(u Total) int {
	switch {
	case t == u:
		return 0
	case t.high < u.high || t.high == u.high && t.low < u.low:
		return -1
	default:
		return 1
	}
}

// cents is t as a big integer, for formatting and division.
func (t Total) cents() *big.Int {
	n := new(big.Int).Lsh(big.NewInt(t.high), 64)
	return n.Add(n, new(big.Int).SetUint64(t.low))
}

// DividedBy returns t / n in cents, rounded half to even: the average of n amounts. n must be positive.
func (t Total) DividedBy(n int64) Total { return fromBig(divideHalfEven(t.cents(), big.NewInt(n))) }

// Percent returns percent hundredths of t in cents, rounded half to even.
func (t Total) Percent(percent int) Total {
	product := new(big.Int).Mul(t.cents(), big.NewInt(int64(percent)))
	return fromBig(divideHalfEven(product, big.NewInt(100)))
}

// Over returns t / u as a Ratio, rounded half to even; ok is false where u is 0.
func (t Total) Over(u Total) (r Ratio, ok bool) {
	if u.Sign() == 0 {
		return 0, false
	}
	scaled := new(big.Int).Mul(t.cents(), big.NewInt(ratioScale))
	quotient := divideHalfEven(scaled, u.cents())
	if !quotient.IsInt64() {
		return 0, false
	}
	return Ratio(quotient.Int64()), true
}

// String is t in currency units with two decimals.
func (t Total) String() string {
	var buf [48]byte
	return string(t.append(buf[:0]))
}

func (t Total) append(dst []byte) []byte {
	if t.high == int64(t.low)>>63 {
		return Amount(t.low).append(dst)
	}
	digits := new(big.Int).Abs(t.cents()).String() // at least 19 of them
	if t.high < 0 {
		dst = append(dst, '-')
	}
	point := len(digits) - 2
	dst = append(dst, digits[:point]...)
	dst = append(dst, '.')
	return append(dst, digits[point:]...)
}

// MarshalJSON writes a JSON number in currency units with two decimals.
func (t Total) MarshalJSON() ([]byte, error) { return t.append(make([]byte, 0, 24)), nil }

// Scan reads a sum of cents as PostgreSQL gives it: a numeric without a fraction, or a bigint. NULL is 0, the sum of no
// rows.
func (t *Total) Scan(src any) error {
	switch v := src.(type) {
	case nil:
		*t = Total{}
		return nil
	case int64:
		*t = TotalOf(Amount(v))
		return nil
	case []byte:
		return t.parseCents(string(v))
	case string:
		return t.parseCents(v)
	default:
		return ErrTotal
	}
}

// Value is the sum in cents as text that PostgreSQL reads as numeric.
func (t Total) Value() (driver.Value, error) { return t.cents().String(), nil }

func (t *Total) parseCents(s string) error {
	const always = 18 // so many characters fit an int64
	if len(s) <= always {
		n, err := strconv.ParseInt(s, 10, 64)
		if err != nil {
			return ErrTotal
		}
		*t = TotalOf(Amount(n))
		return nil
	}
	n, ok := new(big.Int).SetString(s, 10)
	if !ok || n.BitLen() > 127 {
		return ErrTotal
	}
	*t = fromBig(n)
	return nil
}

func fromBig(n *big.Int) Total {
	size := new(big.Int).Abs(n)
	low := new(big.Int).And(size, new(big.Int).SetUint64(^uint64(0))).Uint64()
	high := int64(new(big.Int).Rsh(size, 64).Uint64())
	t := Total{high: high, low: low}
	if n.Sign() < 0 {
		return t.Neg()
	}
	return t
}

func divideHalfEven(dividend, divisor *big.Int) *big.Int {
	quotient, remainder := new(big.Int).QuoRem(dividend, divisor, new(big.Int))
	twice := new(big.Int).Lsh(new(big.Int).Abs(remainder), 1)
	switch twice.Cmp(new(big.Int).Abs(divisor)) {
	case -1:
		return quotient
	case 0:
		if quotient.Bit(0) == 0 {
			return quotient
		}
	}
	if dividend.Sign()*divisor.Sign() < 0 {
		return quotient.Sub(quotient, big.NewInt(1))
	}
	return quotient.Add(quotient, big.NewInt(1))
}
