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
}

// Topic is what an ask is about.
func (a Ask) Topic() Topic { return Topic{a.Question.Key.String(), a.Question.Key.Incoming(a.Line)} }
