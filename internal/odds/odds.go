// Package odds is how likely money that is not established turns out to count in the net profit, as labelled books show
// it: what the order of questions and the range of net profit go by. It is pure.
package odds

import (
	_ "embed" // the figures
	"encoding/csv"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Odds are what money that is not established turned out to be in labelled books: how often such a share of a month's
// rows of one question counts in the profit.
type Odds struct {
	Incoming bool
	Path     string // of the suggestion, and of what is below it and has no odds of its own
	// Alike is whether what is suggested so turns out alike whatever question it is of: who uses one thing at home
	// uses others there, too.
	Alike    bool
	Prior    []money.Ratio // by judgement, of Shares
	Measured []Outcome     // with the prior, which counts as two books and a half
	Books    int           // that had such money, in tenths
}

// Outcome is that a share of money counts in the profit, and how likely that is.
type Outcome struct {
	Percent int         // 100 on the form, 0 off it, and between for payments of several parts
	Weight  money.Ratio // ten-thousandths
}

// Shares are the shares of money that odds tell apart, in percent.
var Shares = []int{0, 15, 35, 50, 65, 85, 100}

//go:embed odds.csv
var oddsFile string

// All are the odds by suggestion; the last that fit a category are the narrowest.
var All = sync.OnceValue(func() []Odds {
	r := csv.NewReader(strings.NewReader(oddsFile))
	r.Comment, r.FieldsPerRecord = '#', 4+2*len(Shares)
	rows, err := r.ReadAll()
	if err != nil {
		panic(fmt.Sprintf("odds: odds.csv: %v", err)) // the tests rule it out
	}
	var all []Odds
	for _, row := range rows[1:] {
		o := Odds{Incoming: row[0] == "in", Path: row[1], Alike: row[2] == "alike"}
		books, err := strconv.ParseFloat(row[3+len(Shares)], 64)
		if err != nil {
			panic(fmt.Sprintf("odds: odds.csv: %s %s: %v", row[0], row[1], err))
		}
		o.Books = int(books * 10)
		o.Prior = make([]money.Ratio, len(Shares))
		var prior, sum money.Ratio
		for i, percent := range Shares {
			before, errBefore := strconv.Atoi(row[3+i])
			weight, errWeight := strconv.Atoi(row[4+len(Shares)+i])
			if errBefore != nil || errWeight != nil {
				panic(fmt.Sprintf("odds: odds.csv: %s %s: %q, %q", row[0], row[1], row[3+i], row[4+len(Shares)+i]))
			}
			o.Prior[i] = money.Ratio(before * 100)
			prior, sum = prior+o.Prior[i], sum+money.Ratio(weight)
			if weight > 0 {
				o.Measured = append(o.Measured, Outcome{percent, money.Ratio(weight)})
			}
		}
		if prior != 10_000 || sum != 10_000 {
			panic(fmt.Sprintf("odds: odds.csv: the weights of %s %s add up to %d and %d", row[0], row[1], prior, sum))
		}
		all = append(all, o)
	}
	return all
})

// Index are the odds of a suggestion for money of one direction, by their place in [All].
func Index(suggested *ontology.Category, incoming bool) int {
	at := -1
	for i, o := range All() {
		fits := o.Incoming == incoming && (o.Path == "" || suggested.Is(o.Path))
		if fits && (at < 0 || len(o.Path) >= len(All()[at].Path)) {
			at = i
		}
	}
	return at
}

// Of are the odds of a suggestion for money of one direction.
func Of(suggested *ontology.Category, incoming bool) Odds { return All()[Index(suggested, incoming)] }

// Change is by how much, in percent of the money, the truth is expected to differ from what counts of it now.
func (o Odds) Change(now int) int {
	sum := 0
	for _, k := range o.Measured {
		sum += int(k.Weight) * max(k.Percent-now, now-k.Percent)
	}
	return sum / 10_000
}
