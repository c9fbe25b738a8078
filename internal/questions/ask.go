package questions

import (
	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/odds"
)

// Ask is a row with what is to be asked about it.
type Ask struct {
	Line
	Question     *Question
	CategoryID   int         // what is shown while the question waits
	Confidence   money.Ratio // of that
	Seen         odds.Row    // what the line shows; nothing where an answer says what it seems to be
	Counterparty categorize.Counterparty
	Asked        bool // already, by the question about it alone, which it leaves for one about its family

	family Key // of what is asked about it alone, as there are too few of that
}

// Topic is what an ask is about.
func (a Ask) Topic() Topic { return Topic{a.Question.Key.String(), a.Question.Key.Incoming(a.Line)} }
