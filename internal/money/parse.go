package money

// Parse reads a JSON number literal in currency units as an exact amount. Every
// spelling of a whole number of cents is accepted: "1.1", "1.100", "11e-1", "-0".
//
// It fails with [ErrSyntax], [ErrPrecision] or [ErrRange]; a number that is both
// too precise and too large is too precise. The cost is one pass over the text,
// whatever its exponent, and nothing is allocated.
func Parse(literal string) (Amount, error) {
	return parse(literal, exact)
}

// ParseRounded is [Parse] for senders that compute in floats: digits past the
// cent are rounded half to even instead of refused. The range is that of the
// rounded amount. It fails with [ErrSyntax] or [ErrRange].
func ParseRounded(literal string) (Amount, error) {
	return parse(literal, halfEven)
}

type rounding bool

const (
	exact    rounding = false
	halfEven rounding = true
)

// maxDigits is the length of [Max] in decimal digits. Max is all nines, so every
// whole number of cents of this length is in range.
const maxDigits = 15

func parse[T string | []byte](literal T, mode rounding) (Amount, error) {
	n, ok := scan(literal)
	if !ok {
		return 0, ErrSyntax
	}
	if n.first < 0 {
		return 0, nil
	}
	if mode == exact && n.last >= n.cents {
		return 0, ErrPrecision
	}
	if n.cents-n.first > maxDigits {
		return 0, ErrRange
	}
	digit := func(i int64) byte {
		switch {
		case i < n.first || i > n.last:
			return 0
		case i >= n.whole:
			i++ // the decimal point
		}
		return literal[n.start+int(i)] - '0'
	}
	var a Amount
	for i := n.first; i < n.cents; i++ {
		a = a*10 + Amount(digit(i))
	}
	if mode == halfEven {
		half, beyond := digit(n.cents), n.last > n.cents
		if half > 5 || half == 5 && (beyond || a%2 == 1) {
			a++
		}
		if a > Max {
			return 0, ErrRange
		}
	}
	if n.negative {
		a = -a
	}
	return a, nil
}

// number is the layout of a JSON number literal. Its digits, before and after
// the point, are counted as one row from 0.
type number struct {
	negative    bool
	start       int   // of the first digit in the literal
	whole       int64 // how many digits stand before the point
	first, last int64 // the outermost digits other than zero; first is -1 when the number is zero
	cents       int64 // how many digits of the row are whole cents, with the exponent applied; any sign
}

// maxExponent caps the exponent. It is far above the length of any literal, so
// no row of zeros can bring a capped exponent back into range.
const maxExponent = 1 << 50

// scan checks the grammar of RFC 8259, section 6, and measures the number.
func scan[T string | []byte](literal T) (n number, ok bool) {
	i, end := 0, len(literal)
	if i < end && literal[i] == '-' {
		n.negative = true
		i++
	}
	n.start, n.first = i, -1
	var row int64
	digits := func() (count int) {
		for ; i < end && isDigit(literal[i]); i++ {
			if literal[i] != '0' {
				if n.first < 0 {
					n.first = row
				}
				n.last = row
			}
			row++
			count++
		}
		return count
	}

	count := digits()
	if count == 0 || count > 1 && literal[n.start] == '0' {
		return n, false
	}
	n.whole = row
	if i < end && literal[i] == '.' {
		i++
		if digits() == 0 {
			return n, false
		}
	}
	var exponent int64
	if i < end && (literal[i] == 'e' || literal[i] == 'E') {
		i++
		negative := false
		if i < end && (literal[i] == '+' || literal[i] == '-') {
			negative = literal[i] == '-'
			i++
		}
		if i == end {
			return n, false
		}
		for ; i < end && isDigit(literal[i]); i++ {
			exponent = min(exponent*10+int64(literal[i]-'0'), maxExponent)
		}
		if negative {
			exponent = -exponent
		}
	}
	n.cents = n.whole + exponent + 2
	return n, i == end
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// Bind reads a query parameter, for the runtime of the generated server; it is Parse.
func (a *Amount) Bind(literal string) error {
	parsed, err := Parse(literal)
	if err != nil {
		return err
	}
	*a = parsed
	return nil
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
