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
// them. Parts may be taken off: money that went the other way before the bank saw what was left, as a processor's fees
// did of its payout, or a loan's payoff of the price of a house. The others then come to more than the money.
type Spec struct {
	Parts []Share `json:"parts"`

	// Yearly: the amounts are those of a whole calendar year, spread over the payments of that year.
	Yearly bool `json:"yearly,omitempty"`
	// Years are those that yearly amounts were said of, ascending.
	Years []int `json:"years,omitempty"`
	// Lapsed are those that they were said of and whose payments they fit no more: nobody knows what those are.
	Lapsed []int `json:"lapsed,omitempty"`
	// Currency is what the amounts are in: payments in another are none of theirs. Empty where they did not say it, and
	// nobody looked yet what the payments are in.
	Currency string `json:"currency,omitempty"`
}

// Share is one part of a split: one of Cents, Points and Rest is set.
type Share struct {
	Category int   `json:"category"`
	Cents    int64 `json:"cents,omitempty"`  // an amount, without a sign
	Points   int64 `json:"points,omitempty"` // hundredths of a percent of what the amounts leave
	Rest     bool  `json:"rest,omitempty"`   // all that the others leave, or come to beyond the money where it is Off
	Off      bool  `json:"off,omitempty"`    // it is taken off
}

// Portion is what a part comes to, with the sign of the money that is divided, or the other one where it is taken off.
type Portion struct {
	Category int          `json:"category"`
	Amount   money.Amount `json:"amount"`
}

// whole is a hundred percent.
const whole = 100_00

// Why money cannot be divided.
var (
	ErrTooSmall = errors.New("split: the amounts come to more than there is")
	ErrLeftOver = errors.New("split: the amounts come to less than there is")
	ErrTooLarge = errors.New("split: a part comes to more than money can be")
)

// Fixed is the sum of the amounts, less those that are taken off.
func (s Spec) Fixed() money.Amount {
	var sum money.Amount
	for _, p := range s.Parts {
		if p.Off {
			sum -= money.Amount(p.Cents)
		} else {
			sum += money.Amount(p.Cents)
		}
	}
	return sum
}

// Scales reports whether the split divides any sum: it has no amounts.
func (s Spec) Scales() bool {
	return !slices.ContainsFunc(s.Parts, func(p Share) bool { return p.Cents > 0 })
}

// TakesOff reports whether parts are taken off: the others come to more than what is divided.
func (s Spec) TakesOff() bool {
	return slices.ContainsFunc(s.Parts, func(p Share) bool { return p.Off })
}

// takesRest reports whether a part takes what the amounts leave.
func (s Spec) takesRest() bool {
	return slices.ContainsFunc(s.Parts, func(p Share) bool { return !p.Off && (p.Rest || p.Points > 0) })
}

// takesRestOff reports whether a part is what the amounts come to beyond the money.
func (s Spec) takesRestOff() bool {
	return slices.ContainsFunc(s.Parts, func(p Share) bool { return p.Off && p.Rest })
}

// Fits reports whether money can be divided: ErrTooSmall, ErrLeftOver or ErrTooLarge where it cannot.
func (s Spec) Fits(amount money.Amount) error {
	_, err := s.Divide(amount)
	return err
}

// TooLarge reports whether a part is more than money can be, as none is where nothing is taken off.
func TooLarge(portions []Portion) bool {
	return slices.ContainsFunc(portions, func(p Portion) bool { return p.Amount < money.Min || p.Amount > money.Max })
}

// Leaves says whether the split divides money that is less (-1) or more (1) than its amounts come to, or as much (0):
// ErrTooSmall or ErrLeftOver where no part takes the difference.
func (s Spec) Leaves(compared int) error {
	switch {
	case compared < 0 && !s.takesRestOff():
		return ErrTooSmall
	case compared > 0 && !s.takesRest():
		return ErrLeftOver
	default:
		return nil
	}
}

// Divide divides money by the split. Of what the amounts leave each percentage gets its whole cents, and the cents that
// are over go to the parts with the largest remainders, of equal ones the first. Parts of one category are one, and
// those that come to nothing are left out.
func (s Spec) Divide(amount money.Amount) ([]Portion, error) {
	if err := s.Leaves(cmp.Compare(max(amount, -amount), s.Fixed())); err != nil {
		return nil, err
	}
	portions := s.portions(amount, s.cents())
	if TooLarge(portions) {
		return nil, ErrTooLarge
	}
	return portions, nil
}

// cents are the amounts of the parts.
func (s Spec) cents() []uint64 {
	cents := make([]uint64, len(s.Parts))
	for i, p := range s.Parts {
		cents[i] = uint64(p.Cents)
	}
	return cents
}

// portions divides money of which each part gets so many cents first, or has them taken off.
func (s Spec) portions(amount money.Amount, fixed []uint64) []Portion {
	left, rest := int64(magnitude(amount)), -1
	with, off := make([]uint64, len(s.Parts)), make([]uint64, len(s.Parts))
	leaves := uint64(whole)
	for i, p := range s.Parts {
		if p.Off {
			left += int64(fixed[i])
			off[i], leaves = uint64(p.Points), leaves+uint64(p.Points)
		} else {
			left -= int64(fixed[i])
			with[i], leaves = uint64(p.Points), leaves-uint64(p.Points)
		}
		if p.Rest {
			rest = i
		}
	}
	if rest >= 0 && !s.Parts[rest].Off {
		with[rest] = leaves
	}
	cents, away := apart(uint64(max(left, 0)), with, off, whole)
	for i := range cents {
		cents[i] += away[i] + fixed[i]
	}
	if left < 0 && rest >= 0 && s.Parts[rest].Off {
		cents[rest] = uint64(-left)
	}
	return s.signed(amount, cents)
}

// apart divides a sum in the proportion of weights, of which some are taken off. With these, the others come to the sum
// and what is taken off, as their weights do to a whole and the weights that are taken off: to the nearest cent.
func apart(sum uint64, with, off []uint64, whole uint64) (added, away []uint64) {
	var taken uint64
	if high, low := bits.Mul64(sum, sumOf(off)); high < whole {
		var left uint64
		taken, left = bits.Div64(high, low, whole)
		if left >= whole-left {
			taken++
		}
		taken = min(taken, uint64(money.Max))
	}
	return Apportion(sum+taken, with), Apportion(taken, off)
}

// signed gives the parts the sign of the money, or the other one, and makes one part of those of one category.
func (s Spec) signed(amount money.Amount, cents []uint64) []Portion {
	var portions []Portion
	for i, p := range s.Parts {
		size := money.Amount(cents[i])
		if (amount < 0) != p.Off {
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
// that of the money, and what was taken off of the other is taken off of it, unless a part would be more than money can
// be then.
func Like(amount money.Amount, parts []Portion) []Portion {
	var other money.Amount
	for _, p := range parts {
		other += p.Amount
	}
	with, off := make([]uint64, len(parts)), make([]uint64, len(parts))
	for i, p := range parts {
		if other != 0 && (p.Amount < 0) == (other < 0) {
			with[i] = magnitude(p.Amount)
		} else {
			off[i] = magnitude(p.Amount)
		}
	}
	if len(parts) > 0 && other == 0 { // parts of nothing have no proportion
		with[0], off, other = 1, make([]uint64, len(parts)), 1
	}
	added, away := apart(magnitude(amount), with, off, magnitude(other))
	portions := make([]Portion, len(parts))
	for i, p := range parts {
		portions[i] = Portion{p.Category, money.Amount(added[i]) - money.Amount(away[i])}
		if amount < 0 {
			portions[i].Amount = -portions[i].Amount
		}
	}
	if sumOf(off) > 0 && TooLarge(portions) {
		return Like(amount, slices.DeleteFunc(slices.Clone(parts), func(p Portion) bool {
			return (p.Amount < 0) != (other < 0)
		}))
	}
	return withoutNothing(portions)
}

// FitsYear reports whether payments of a year can be divided by the amounts, of which others of the year bear the taken
// cents already: ErrTooSmall or ErrLeftOver where they cannot.
func (s Spec) FitsYear(payments []money.Amount, taken []uint64) error {
	var paid, due money.Amount
	for _, p := range payments {
		paid += max(p, -p)
	}
	for i, p := range s.Parts {
		cents := money.Amount(p.Cents - min(p.Cents, int64(taken[i])))
		if p.Off {
			cents = -cents
		}
		due += cents
	}
	return s.Leaves(cmp.Compare(paid, due))
}

// Lapses is the split without the years whose payments it fits no more.
func (s Spec) Lapses(years []int) Spec {
	gone := func(year int) bool { return slices.Contains(years, year) }
	s.Years = slices.DeleteFunc(slices.Clone(s.Years), gone)
	s.Lapsed = slices.Compact(slices.Sorted(slices.Values(slices.Concat(s.Lapsed, years))))
	return s
}

// OverYear divides the payments of a year, in their order, so that the amounts of the split come out over all of them:
// each payment bears its share of them. taken are the cents of each part that other payments of the year bear already.
// Where the amounts come to more than the payments, these are divided in the proportion of the amounts.
func (s Spec) OverYear(payments []money.Amount, taken []uint64) [][]Portion {
	var left uint64
	for _, p := range payments {
		left += magnitude(p)
	}
	due, off := s.due(left, taken)
	divided := make([][]Portion, len(payments))
	for i, p := range payments {
		size := magnitude(p)
		var away uint64
		if left > 0 {
			high, low := bits.Mul64(sumOf(off), size)
			away, _ = bits.Div64(high, low, left) // no more than there is, as the payment is one of those that are left
		}
		cents, less := Apportion(size+away, due), Apportion(away, off)
		for k := range due {
			due[k] -= cents[k]
			off[k] -= less[k]
			cents[k] += less[k]
		}
		left -= size
		divided[i] = s.portions(p, cents[:len(s.Parts)])
	}
	return divided
}

// due are the cents that payments of a year are to bear of each part, and last what the amounts leave of them; and
// those of the parts that are taken off. The first come to the payments and the second.
func (s Spec) due(payments uint64, taken []uint64) (due, off []uint64) {
	due, off = make([]uint64, len(s.Parts)+1), make([]uint64, len(s.Parts)+1)
	all := make([]uint64, len(s.Parts))
	for i, p := range s.Parts {
		all[i] = uint64(p.Cents)
		if i < len(taken) {
			all[i] -= min(all[i], taken[i])
		}
	}
	if sumOf(all) == 0 && !s.takesRest() { // others bear all of it: these do in the proportion of the whole
		all = s.cents()
	}
	for i, p := range s.Parts {
		if p.Off {
			off[i] = all[i]
		} else {
			due[i] = all[i]
		}
	}
	added, away := sumOf(due), sumOf(off)
	switch {
	case added <= payments+away && s.takesRest():
		due[len(s.Parts)] = payments + away - added
	case added > away:
		due, off = apart(payments, due, off, added-away)
	default:
		due, off = Apportion(payments, due), make([]uint64, len(off))
	}
	return due, off
}

func sumOf(cents []uint64) (sum uint64) {
	for _, c := range cents {
		sum += c
	}
	return sum
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
// by percentages any that fits, by amounts only what is as large in their currency, and by those of a year what was
// paid in it, where a part takes what that comes to beyond them.
func (s Spec) Holds(said, amount money.Amount, currency string, year int) bool {
	switch {
	case s.Scales():
		return s.Fits(amount) == nil
	case !s.About(currency, year):
		return false
	case s.Yearly:
		return (s.takesRest() || s.takesRestOff()) && !TooLarge(s.Unspread(amount))
	default:
		return magnitude(said) == magnitude(amount) && s.Fits(amount) == nil
	}
}

// In reports whether money in a currency is what the amounts are about.
func (s Spec) In(currency string) bool { return s.Currency == "" || s.Currency == currency }

// About reports whether money in a currency, paid in a year, is what the amounts are about.
func (s Spec) About(currency string, year int) bool {
	return s.In(currency) && (!s.Yearly || slices.Contains(s.Years, year))
}

// Largest is the category of the largest part of money; of the parts of a year that of what the amounts leave.
func (s Spec) Largest(amount money.Amount) int {
	portions := s.portionsOrNone(amount)
	if len(portions) == 0 {
		return 0
	}
	return LargestOf(portions, amount).Category
}

// LargestOf is the largest of the parts of an amount, in its direction; the first of equal ones.
func LargestOf(portions []Portion, amount money.Amount) Portion {
	return slices.MaxFunc(portions, func(a, b Portion) int {
		if amount < 0 {
			a, b = b, a // what is taken off is positive
		}
		return cmp.Compare(a.Amount, b.Amount)
	})
}

func (s Spec) portionsOrNone(amount money.Amount) []Portion {
	if s.Yearly {
		return s.Unspread(amount)
	}
	return s.Proportional(amount)
}

// Proportional divides money by the split; money that its amounts are none of, in the proportion of these.
func (s Spec) Proportional(amount money.Amount) []Portion {
	if portions, err := s.Divide(amount); err == nil {
		return portions
	}
	var fixed []Portion
	for _, p := range s.Parts {
		cents := money.Amount(p.Cents)
		if p.Off {
			cents = -cents
		}
		if cents != 0 {
			fixed = append(fixed, Portion{p.Category, cents})
		}
	}
	return Like(amount, fixed)
}

// Unspread divides a payment of a year before it is known what it bears of the year's amounts.
func (s Spec) Unspread(amount money.Amount) []Portion {
	if s.takesRest() {
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
