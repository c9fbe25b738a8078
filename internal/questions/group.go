package questions

import (
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
)

// Ask is a row with what is to be asked about it.
type Ask struct {
	Line
	Question     *Question
	Confidence   money.Ratio // of the category that is shown while the question waits
	Counterparty categorize.Counterparty
}

// Open is a question that is open already, by its topic.
type Open struct {
	ID       uuid.UUID
	Currency string // of its impact
}

// Group is what one question is about: the rows of a key in one direction.
type Group struct {
	Topic
	Question     Question
	Counterparty categorize.Counterparty
	Joins        bool        // the question is open already
	Currency     string      // of its amounts
	Amount       money.Total // the size of the rows in that currency
	Rows         []Impact
	doubt        money.Total // of the amount, what is likely to be something else
}

// Impact is a row of a question and what it adds to the amount of it: nothing in another currency.
type Impact struct {
	Transaction uuid.UUID
	Amount      money.Amount
}

// A single row below this is not worth a person's time; it stays uncategorized, and says so.
const worthAsking money.Amount = 10_00

// Gather groups what is to be asked. The groups come by what they are worth, and so do the questions of a batch:
// those of one moment are listed by their ids. A single small row alone is worth no question: it is among the
// dropped.
func Gather(asks []Ask, open map[Topic]Open) (groups []Group, dropped map[uuid.UUID]bool) {
	byTopic := map[Topic]*Group{}
	dropped = map[uuid.UUID]bool{}
	for _, a := range asks {
		topic := Topic{a.Question.Key.String(), a.Incoming()}
		g, ok := byTopic[topic]
		if !ok {
			g = &Group{Topic: topic, Question: *a.Question, Counterparty: a.Counterparty, Currency: a.Currency}
			if q, ok := open[topic]; ok {
				g.Joins, g.Currency = true, q.Currency
			}
			byTopic[topic] = g
		}
		g.add(a)
	}
	for _, g := range byTopic {
		if !g.Joins && len(g.Rows) == 1 && g.Amount.Compare(money.TotalOf(worthAsking)) < 0 {
			dropped[g.Rows[0].Transaction] = true
			continue
		}
		groups = append(groups, *g)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(b.worth().Compare(a.worth()), strings.Compare(a.Key, b.Key),
			direction(a.Incoming)-direction(b.Incoming))
	})
	return groups, dropped
}

func (g *Group) add(a Ask) {
	row := Impact{Transaction: a.ID}
	if a.Currency == g.Currency {
		row.Amount = max(a.Amount, -a.Amount)
		size := money.TotalOf(row.Amount)
		g.Amount = g.Amount.Plus(size)
		g.doubt = g.doubt.Plus(size.Percent(int((10_000 - a.Confidence) / 100)))
	}
	g.Rows = append(g.Rows, row)
}

// worth is how much depends on an answer: money times doubt times what the answers differ in on the tax form.
func (g Group) worth() money.Total { return g.doubt.Percent(g.Question.Swing) }

func direction(incoming bool) int {
	if incoming {
		return 1
	}
	return 0
}
