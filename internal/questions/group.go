package questions

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
)

// Open is a question that is open already, by its topic.
type Open struct {
	ID       uuid.UUID
	Currency string // of its impact
	Guess    string // the value of its first option
	Apart    bool   // nobody knows one answer for all of its rows: each is asked about alone, too
	Tried    bool   // somebody put it off, or said what was not understood: it stays what it is
	Closed   bool   // it closed, and rows that it asked about open it again
}

// Group is what one question is about: the rows of a key in one direction.
type Group struct {
	Topic
	Question     Question
	Counterparty categorize.Counterparty
	Joins        bool        // the question is open already
	Currency     string      // of its amounts
	Amount       money.Total // the size of the rows in that currency
	Worth        money.Total // what an answer is expected to change of the net profit
	Rows         []Impact
	First        uuid.UUID // the one that came first, of which a question about lines speaks
	Family       Key       // which its rows are too few for; none where it is of no family
}

// Impact is a row of a question and what it adds to the amount of it, and to what that is worth: nothing in another
// currency.
type Impact struct {
	Transaction uuid.UUID
	Amount      money.Amount
	Worth       money.Total
}

// A single row below this is not worth a person's time; it stays suggested.
const worthAsking money.Amount = 10_00

// One or two small rows that name nobody, and are like no others, are worth a person's time from this amount on.
const restWorthAsking money.Amount = 50_00

// A row that names nobody is a question of its own from this amount.
const aloneWorthAsking money.Amount = 200_00

// Gather groups what is to be asked. The groups come by what they are worth: of questions that are worth about the same
// the list gives those of one batch by their ids. A single small row alone is worth no question.
func Gather(asks []Ask, open map[Topic]Open) []Group {
	byTopic := map[Topic]*Group{}
	asks = members(asks, open)
	currencies := currenciesOf(asks)
	for _, a := range asks {
		topic := a.Topic()
		g, ok := byTopic[topic]
		if !ok {
			g = &Group{Topic: topic, Question: *a.Question, Counterparty: a.Counterparty, Currency: currencies[topic],
				Family: a.family}
			if a.Question.Key.OfFamily() {
				g.Counterparty = categorize.Counterparty{}
			}
			if q, ok := open[topic]; ok {
				g.Joins, g.Currency = true, q.Currency
			}
			byTopic[topic] = g
		}
		if a.Question.Key.about == transfer { // of what moves both ways, what fits both
			g.Question.Options = inBoth(g.Question.Options, a.Question.Options)
		}
		if a.Question.Lapsed {
			g.Question.Why, g.Question.Lapsed = a.Question.Why, true
		}
		g.add(a)
	}
	var groups []Group
	for _, g := range byTopic {
		few := len(g.Rows) == 1 && g.Amount.Compare(money.TotalOf(worthAsking)) < 0 ||
			g.Question.Key == Rest && len(g.Rows) < enough && g.Amount.Compare(money.TotalOf(restWorthAsking)) < 0
		if few && !g.Joins {
			continue
		}
		if !g.Joins && len(g.Rows) == 1 && g.Question.OfOne != "" {
			g.Question.Text = g.Question.OfOne
		}
		slices.SortStableFunc(g.Rows, func(a, b Impact) int { return cmp.Compare(b.Amount, a.Amount) })
		groups = append(groups, *g)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(b.Worth.Compare(a.Worth), strings.Compare(a.Key, b.Key),
			direction(a.Incoming)-direction(b.Incoming))
	})
	return groups
}

// currenciesOf are what most of the rows of each topic are in, of as many what comes first.
func currenciesOf(asks []Ask) map[Topic]string {
	type paid struct {
		Topic
		currency string
	}
	rows := map[paid]int{}
	for _, a := range asks {
		rows[paid{a.Topic(), a.Currency}]++
	}
	most := make(map[Topic]string, len(rows))
	for _, a := range asks {
		topic := a.Topic()
		if rows[paid{topic, a.Currency}] > rows[paid{topic, most[topic]}] {
			most[topic] = a.Currency
		}
	}
	return most
}

// inBoth are the options of one list that are in another, too.
func inBoth(options, others []Option) []Option {
	return slices.DeleteFunc(slices.Clone(options), func(o Option) bool { return !slices.Contains(others, o) })
}

// members has each row ask by its family, or by itself: where the family has too few members to be one, and where its
// own question is open, about the like, and somebody has tried to answer it. Where nobody knows one answer for the
// family, each asks by both, unless its own question is open and about something else. Those that are asked about
// already leave that question where there are enough of them with those that come, and stay in it otherwise.
func members(asks []Ask, open map[Topic]Open) []Ask {
	families := map[Topic]map[Topic]int{} // the rows of each member
	asks = slices.DeleteFunc(slices.Clone(asks), func(a Ask) bool { return a.Asked && !a.mayLeave(open) })
	for _, a := range asks {
		if !a.Question.Key.OfFamily() {
			continue
		}
		narrow := a
		if a.Question.Narrow != nil {
			narrow.Question = a.Question.Narrow
		}
		if families[a.Topic()] == nil {
			families[a.Topic()] = map[Topic]int{}
		}
		families[a.Topic()][narrow.Topic()]++
	}
	chosen := make([]Ask, 0, len(asks))
	for _, a := range asks {
		if a.Question.Narrow == nil {
			chosen = append(chosen, a)
			continue
		}
		narrow := a
		narrow.Question = a.Question.Narrow
		of, together := open[a.Topic()]
		rows := families[a.Topic()]
		together = together || rows[a.Topic()] > 0 // as bare deposits beside cash and checks
		enough := together || len(rows) >= a.Question.Key.least()
		own, asked := open[narrow.Topic()]
		alone := a.joins(open, narrow) && (!enough || of.Apart || own.Tried)
		large := a.Question.Key != Checks || -a.Amount >= aloneWorthAsking || rows[narrow.Topic()] >= often
		if !enough {
			narrow.family = a.Question.Key
		}
		switch {
		case a.Asked:
			if enough && !of.Apart {
				chosen = append(chosen, a)
			}
		case of.Apart:
			if chosen = append(chosen, a); large && (alone || !asked) {
				chosen = append(chosen, narrow)
			}
		case alone, !enough && large:
			chosen = append(chosen, narrow)
		case enough:
			chosen = append(chosen, a)
		}
	}
	return chosen
}

// mayLeave reports whether a row that is asked about may leave that question: it is about no family yet, and nobody has
// tried to answer it.
func (a Ask) mayLeave(open map[Topic]Open) bool {
	if a.Question.Narrow == nil {
		return false
	}
	a.Question = a.Question.Narrow
	of, is := open[a.Topic()]
	return is && !of.Tried && !of.Apart
}

// joins reports whether a row of a family is asked about by an open question about whom it is with. One about something
// else that a shop sells, as its first option says, is not joined where the family is asked about.
func (a Ask) joins(open map[Topic]Open, narrow Ask) bool {
	q, ok := open[narrow.Topic()]
	if shops := a.Question.Key.reads() != nil; shops && q.Guess != "" && len(narrow.Question.Options) > 0 {
		return ok && narrow.Question.Options[0].Value == q.Guess
	}
	return ok
}

func (g *Group) add(a Ask) {
	if len(g.Rows) == 0 || bytes.Compare(a.ID[:], g.First[:]) < 0 {
		g.First = a.ID
		if a.Question.Key.OfLines() {
			g.Question.Text, g.Question.OfOne = a.Question.Text, a.Question.OfOne
		}
	}
	row := Impact{Transaction: a.ID}
	if a.Currency == g.Currency {
		row.Amount = max(a.Amount, -a.Amount)
		size := money.TotalOf(row.Amount)
		g.Amount = g.Amount.Plus(size)
		row.Worth = size.Percent(a.change()).DividedBy(100)
		g.Worth = g.Worth.Plus(row.Worth)
	}
	g.Rows = append(g.Rows, row)
}

func direction(incoming bool) int {
	if incoming {
		return 1
	}
	return 0
}

// OfLoan is whether the question is about money that comes in and seems to be lent.
func (g Group) OfLoan() bool {
	return g.Incoming && len(g.Question.Options) > 0 && g.Question.Options[0].Value == LoanProceeds.Path
}
