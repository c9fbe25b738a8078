// Package split is the arithmetic and the grammar of splits: a payment that is several things at once, and how much of
// it each of them is.
//
// Everything is pure and exact: parts are whole cents, and add up to what they are parts of.
package split

import (
	"cmp"
	"database/sql/driver"
	"encoding/json"
	"errors"
	"math/bits"
	"slices"

	"bizfin/internal/money"
)

// Category stands in the place of a row's category where the row has parts: it is no category of any ontology.
const Category = -1

// MostParts are so many that a split has at most.
const MostParts = 20

// Spec is how money is divided: first come the amounts, then percents of what they leave, and what is left after all of
// them.
type Spec struct {
	Parts []Share `json:"parts"`

	// Yearly: the amounts are those of a whole calendar year, spread over the payments of that year.
	Yearly bool `json:"yearly,omitempty"`
	// Years are those that yearly amounts were said of, ascending.
	Years []int `json:"years,omitempty"`
	// Currency is what yearly amounts are in: payments in another are none of theirs.
	Currency string `json:"currency,omitempty"`
}

// Share is one part of a split: one of Cents, Points and Rest is set.
type Share struct {
	Category int   `json:"category"`
	Cents    int64 `json:"cents,omitempty"`  // an amount, without a sign
	Points   int64 `json:"points,omitempty"` // hundredths of a percent of what the amounts leave
	Rest     bool  `json:"rest,omitempty"`   // all that the others leave
}

// Portion is what a part comes to, with the sign of the money that is divided.
type Portion struct {
	Category int
	Amount   money.Amount
}

// whole is a hundred percent.
const whole = 100_00

// Why money cannot be divided.
var (
	ErrTooSmall = errors.New("split: the amounts come to more than there is")
	ErrLeftOver = errors.New("split: the amounts come to less than there is")
)

// Fixed is the sum of the amounts.
func (s Spec) Fixed() money.Amount {
	var sum money.Amount
	for _, p := range s.Parts {
		sum += money.Amount(p.Cents)
	}
	return sum
}

// Scales reports whether the split divides any sum: it has no amounts.
func (s Spec) Scales() bool { return s.Fixed() == 0 }

// TakesRest reports whether a part takes what the amounts leave.
func (s Spec) TakesRest() bool {
	return slices.ContainsFunc(s.Parts, func(p Share) bool { return p.Rest || p.Points > 0 })
}

// Fits reports whether money can be divided by the amounts: ErrTooSmall or ErrLeftOver where it cannot.
func (s Spec) Fits(amount money.Amount) error {
	switch size, fixed := magnitude(amount), magnitude(s.Fixed()); {
	case fixed > size:
		return ErrTooSmall
	case fixed < size && !s.TakesRest():
		return ErrLeftOver
	default:
		return nil
	}
}

// Divide divides money by the split. Of what the amounts leave each percentage gets its whole cents, and the cents that
// are over go to the parts with the largest remainders, of equal ones the first. Parts of one category are one, and
// those that come to nothing are left out.
func (s Spec) Divide(amount money.Amount) ([]Portion, error) {
	if err := s.Fits(amount); err != nil {
		return nil, err
	}
	return s.portions(amount, s.cents()), nil
}

// cents are the amounts of the parts.
func (s Spec) cents() []uint64 {
	cents := make([]uint64, len(s.Parts))
	for i, p := range s.Parts {
		cents[i] = uint64(p.Cents)
	}
	return cents
}

// portions divides money of which each part gets so many cents first.
func (s Spec) portions(amount money.Amount, fixed []uint64) []Portion {
	left := magnitude(amount)
	weights := make([]uint64, len(s.Parts))
	var points uint64
	rest := -1
	for i, p := range s.Parts {
		left -= fixed[i]
		weights[i] = uint64(p.Points)
		points += weights[i]
		if p.Rest {
			rest = i
		}
	}
	if rest >= 0 {
		weights[rest] = whole - points
	}
	cents := Apportion(left, weights)
	for i := range cents {
		cents[i] += fixed[i]
	}
	return s.signed(amount, cents)
}

// signed gives the parts of money its sign, and makes one part of those of one category.
func (s Spec) signed(amount money.Amount, cents []uint64) []Portion {
	var portions []Portion
	for i, p := range s.Parts {
		size := money.Amount(cents[i])
		if amount < 0 {
			size = -size
		}
		at := slices.IndexFunc(portions, func(q Portion) bool { return q.Category == p.Category })
		if at >= 0 {
			portions[at].Amount += size
			continue
		}
		portions = append(portions, Portion{p.Category, size})
	}
	return withoutNothing(portions)
}

// withoutNothing leaves out parts of 0, but not all of them.
func withoutNothing(portions []Portion) []Portion {
	some := slices.DeleteFunc(slices.Clone(portions), func(p Portion) bool { return p.Amount == 0 })
	if len(some) == 0 {
		return portions[:min(len(portions), 1)]
	}
	return some
}

// Like divides money in the proportion of the parts of other money, such as a refund like its purchase. The sign is
// that of the money.
func Like(amount money.Amount, parts []Portion) []Portion {
	weights := make([]uint64, len(parts))
	for i, p := range parts {
		weights[i] = magnitude(p.Amount)
	}
	if len(parts) > 0 && !slices.ContainsFunc(weights, func(w uint64) bool { return w > 0 }) {
		weights[0] = 1
	}
	portions := make([]Portion, len(parts))
	for i, cents := range Apportion(magnitude(amount), weights) {
		portions[i] = Portion{parts[i].Category, money.Amount(cents)}
		if amount < 0 {
			portions[i].Amount = -portions[i].Amount
		}
	}
	return withoutNothing(portions)
}

// OverYear divides the payments of a year, in their order, so that the amounts of the split come out over all of them:
// each payment bears its share of them. taken are the cents of each part that other payments of the year bear already.
// Where the amounts come to more than the payments, these are divided in the proportion of the amounts.
func (s Spec) OverYear(payments []money.Amount, taken []uint64) [][]Portion {
	var left uint64
	for _, p := range payments {
		left += magnitude(p)
	}
	due := make([]uint64, len(s.Parts)+1) // the last is what the amounts leave
	var sum uint64
	for i, p := range s.Parts {
		due[i] = uint64(p.Cents)
		if i < len(taken) {
			due[i] -= min(due[i], taken[i])
		}
		sum += due[i]
	}
	if sum > left || sum < left && !s.TakesRest() {
		if sum == 0 {
			copy(due, s.cents())
		}
		copy(due, Apportion(left, due[:len(s.Parts)]))
	} else {
		due[len(s.Parts)] = left - sum
	}
	divided := make([][]Portion, len(payments))
	for i, p := range payments {
		cents := Apportion(magnitude(p), due)
		for k := range due {
			due[k] -= cents[k]
		}
		divided[i] = s.portions(p, cents[:len(s.Parts)])
	}
	return divided
}

// Apportion divides a sum in the proportion of weights, by the largest remainders; of equal ones the first has the
// cent. Without any weight it divides nothing.
func Apportion(sum uint64, weights []uint64) []uint64 {
	shares := make([]uint64, len(weights))
	var all uint64
	for _, w := range weights {
		all += w
	}
	if all == 0 {
		return shares
	}
	remainders := make([]uint64, len(weights))
	left := sum
	for i, w := range weights {
		high, low := bits.Mul64(sum, w)
		shares[i], remainders[i] = bits.Div64(high, low, all)
		left -= shares[i]
	}
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(remainders[b], remainders[a]) })
	for _, i := range order[:left] {
		shares[i]++
	}
	return shares
}

func magnitude(a money.Amount) uint64 {
	if a < 0 {
		return uint64(-a)
	}
	return uint64(a)
}

// Holds reports whether the split, which was said of money like this, divides other money too without anybody's word:
// by percentages any, by amounts only what is as large, and by those of a year what was paid in it in their currency.
func (s Spec) Holds(said, amount money.Amount, currency string, year int) bool {
	switch {
	case s.Yearly:
		return s.In(currency) && slices.Contains(s.Years, year)
	case s.Scales():
		return true
	default:
		return magnitude(said) == magnitude(amount) && s.Fits(amount) == nil
	}
}

// In reports whether money in a currency is what the amounts are about.
func (s Spec) In(currency string) bool { return s.Currency == "" || s.Currency == currency }

// Largest is the category of the largest part of money; of the parts of a year that of what the amounts leave.
func (s Spec) Largest(amount money.Amount) int {
	portions := s.portionsOrNone(amount)
	if len(portions) == 0 {
		return 0
	}
	return slices.MaxFunc(portions, func(a, b Portion) int {
		return cmp.Compare(magnitude(a.Amount), magnitude(b.Amount))
	}).Category
}

func (s Spec) portionsOrNone(amount money.Amount) []Portion {
	if s.Yearly {
		return s.Unspread(amount)
	}
	if portions, err := s.Divide(amount); err == nil {
		return portions
	}
	return s.OverYear([]money.Amount{amount}, nil)[0]
}

// Unspread divides a payment of a year before it is known what it bears of the year's amounts.
func (s Spec) Unspread(amount money.Amount) []Portion {
	if s.TakesRest() {
		return s.portions(amount, make([]uint64, len(s.Parts)))
	}
	return s.OverYear([]money.Amount{amount}, nil)[0]
}

// Value writes the split as JSON.
func (s Spec) Value() (driver.Value, error) {
	text, err := json.Marshal(s)
	return string(text), err
}

// Scan reads it.
func (s *Spec) Scan(src any) error {
	switch text := src.(type) {
	case []byte:
		return json.Unmarshal(text, s)
	case string:
		return json.Unmarshal([]byte(text), s)
	default:
		return errors.New("split: no JSON")
	}
}
