package questions

import (
	"math"

	"bizfin/internal/odds"
	"bizfin/internal/ontology"
)

// mostCertain is how sure a suggestion is at most that is asked about, in percent.
const mostCertain = 90

// What an answer is worth that changes no profit, in percent of the money: between lines of the form, and off the form.
const (
	books   = 3
	offForm = 1
)

// mostSure is how sure an answer is at most to change the profit, in percent.
const mostSure = 99.5

// confidentAs is as how many labelled books, in tenths, the confidence of a suggestion counts beside those that the
// odds were counted in: as many as the prior of the odds.
const confidentAs = 25

// seldomTaxed is how much less an answer about payouts is worth that are asked about for the sales tax in them alone.
const seldomTaxed = 3

// unknownTax is a tax payment that does not say which tax.
var unknownTax = ontology.MustPath("uncategorized.tax_payment")

// What such payments turn out to count in the profit, in percent: taxes on income, which do not, are estimated and paid
// in round sums, those on sales and pay to the cent (go test -v -run TestTaxesPaid ./internal/decide).
const (
	ofRoundTax = 1
	ofExactTax = 20
	roundSum   = 5_00
)

// signsSay is how much the signs of a row say of it, in percent, beside the odds of what is suggested.
const signsSay = 60

// What is expected of rows lies nearer to the middle than what turns out, as three who know of it are mixed: the
// logarithm of the odds counts so much, in percent, and a constant is added (halves of the labelled books, by the signs
// that the other half teaches: 110 and 124, 5 and 30).
const (
	steeper  = 117
	likelier = 18
)

// change is what an answer is expected to change of the net profit, in hundredths of a percent of the money of a row,
// against what is suggested of it. Three know of that: what such money turned out to be elsewhere, the more the more
// books had it; how sure the suggestion is of this row; and what rows with the same signs turned out to be. Where
// nothing is suggested the second does not, where an answer suggests it the third.
func (a Ask) change() int {
	if a.Question.Kept {
		return 0
	}
	now, ok := ontology.ScheduleC().ByID(a.CategoryID)
	if !ok {
		now = ontology.MustPath(ontology.Uncategorized)
	}
	least, from := offForm, 0
	if now.Kind.OnForm() {
		least, from = books, 100
	}
	others, differ := 0, 0 // the other answers, and how many of them change the profit
	for _, o := range a.Question.Options {
		c, ok := ontology.ScheduleC().ByPath(o.Value)
		if ok && c.Kind.OnForm() && now.Is(ontology.Uncategorized) {
			least = books
		}
		if !ok || c != now {
			others++
			if !ok || c.Kind.OnForm() != now.Kind.OnForm() {
				differ++
			}
		}
	}
	known := odds.Of(now, a.Amount > 0)
	change := known.Change(from)
	switch {
	case now != unknownTax || a.Amount > 0:
	case a.Amount%roundSum == 0:
		change = ofRoundTax
	default:
		change = ofExactTax
	}
	if !now.Is(ontology.Uncategorized) && others > 0 {
		doubt := 100 - min(int(a.Confidence/100), mostCertain)
		change = (change*known.Books + confidentAs*doubt*differ/others) / (known.Books + confidentAs)
	}
	if a.Seen.Suggested != nil {
		counts := a.Seen.Counts()
		differs := max(counts-from, from-counts)
		change = (signsSay*differs + (100-signsSay)*change) / 100
	}
	if a.Question.Taxed {
		change /= seldomTaxed
	}
	return sharpened(max(least, change))
}

// sharpened is a percentage, in hundredths, as far from the middle as what turns out.
func sharpened(percent int) int {
	share := min(float64(percent), mostSure) / 100
	odds := steeper*math.Log(share/(1-share)) + likelier
	return int(math.Round(100 * 100 / (1 + math.Exp(-odds/100))))
}
