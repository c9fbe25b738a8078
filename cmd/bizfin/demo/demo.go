// Package demo makes up a year of a small business: Juniper Press, a letterpress studio with a shop in Oakland, an
// online shop and a handful of wholesale customers. It is pure: a seed and a year always give the same accounts and
// rows, with lines as American banks write them. Money is in cents; nothing is a float.
//
// The books hold together. Each account's balance is its opening balance plus its rows and never falls below zero
// (above it on the card), a transfer has both its sides to the cent, the card is paid what its last statement says, and
// a merchant's refund is no more than what was paid to it.
package demo

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"bizfin/internal/money"
)

// Name is what the business is called.
const Name = "Juniper Press"

// Owner is the person whose business it is.
const Owner = "Ana Diaz"

// Account is one bank account with its rows, oldest first.
type Account struct {
	ExternalID string
	Name       string
	Type       string // as in the contract: depository or credit
	Currency   string
	Opening    money.Amount // before the first row
	Balance    money.Amount // after the last row, of those in the account's currency
	Rows       []Row
}

// Row is one line of an account.
type Row struct {
	ExternalID  string // unique across all accounts
	Day         time.Time
	Amount      money.Amount // positive comes in
	Currency    string       // the account's, but for what was paid in another one
	Description string
}

// Known is what the owner answers when asked about a counterparty.
type Known struct {
	Counterparty string // as a question names it
	CategoryPath string
	Words        string // the category's name
}

// Answer is about the paper mill: the largest supplier, and one that no rule can know.
var Answer = Known{Counterparty: "Hollis Marr", CategoryPath: "cogs.materials",
	Words: "Production materials and supplies"}

// The accounts.
const (
	checking = iota
	savings
	card
	euro
)

type books struct {
	seed     uint64
	year     int
	accounts []Account
}

// chance is a source of numbers of its own for each subject, so that one more line of one subject leaves the others as
// they are.
func (b *books) chance(subject string) *chance {
	h := fnv.New64a()
	fmt.Fprint(h, b.year, subject)
	return &chance{rand.New(rand.NewPCG(b.seed, h.Sum64()))}
}

type chance struct{ *rand.Rand }

// between is an amount from least to most.
func (c *chance) between(least, most money.Amount) money.Amount {
	return least + money.Amount(c.Int64N(int64(most-least)+1))
}

// add writes a row, unless its day is in another year.
func (b *books) add(c *chance, account int, day time.Time, amount money.Amount, line string) {
	b.addIn(c, account, day, amount, b.accounts[account].Currency, line)
}

func (b *books) addIn(c *chance, account int, day time.Time, amount money.Amount, currency, line string) {
	if day.Year() != b.year {
		return
	}
	a := &b.accounts[account]
	a.Rows = append(a.Rows, Row{Day: day, Amount: amount, Currency: currency, Description: write(c, line, day)})
}

// close puts the rows in order, names them and adds them up.
func (b *books) close() {
	for i := range b.accounts {
		a := &b.accounts[i]
		slices.SortStableFunc(a.Rows, func(r, s Row) int {
			return cmp.Or(r.Day.Compare(s.Day), cmp.Compare(s.Amount, r.Amount),
				cmp.Compare(r.Description, s.Description))
		})
		a.Balance = a.Opening
		for j := range a.Rows {
			r := &a.Rows[j]
			r.ExternalID = fmt.Sprintf("%s-%s-%04d", a.ExternalID, r.Day.Format(time.DateOnly), j+1)
			if r.Currency == a.Currency {
				a.Balance += r.Amount
			}
		}
	}
}

// write fills the blanks of a line: {6} is six digits, {x6} six letters or digits, {date} the day as 250331, {day} as
// 03/31, {month} its name and {year} its year.
func write(c *chance, line string, day time.Time) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(line, "{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		blank, after, _ := strings.Cut(rest, "}")
		line = after
		switch blank {
		case "date":
			out.WriteString(day.Format("060102"))
		case "day":
			out.WriteString(day.Format("01/02"))
		case "month":
			out.WriteString(strings.ToUpper(day.Month().String()))
		case "year":
			out.WriteString(day.Format("2006"))
		default:
			signs := "0123456789"
			if strings.HasPrefix(blank, "x") {
				blank, signs = blank[1:], "0123456789ABCDEFGHJKLMNPQRSTUVWXYZ"
			}
			for range blank[0] - '0' {
				out.WriteByte(signs[c.IntN(len(signs))])
			}
		}
	}
}
