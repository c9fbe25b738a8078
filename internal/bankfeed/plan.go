package bankfeed

import (
	"slices"
	"strings"
	"time"

	"bizfin/internal/money"
)

// Change makes a stored row, named by its place in the list of them, what the provider says.
type Change struct {
	Stored int
	Row    Row
}

// Plan is what an update makes of the rows of one account. Stored rows are named by their places in the list of them.
type Plan struct {
	Insert  []Row
	Change  []Change
	Retract []int
	Legs    []int // that are one leg of a transfer and become something else; posting alone changes nothing
}

// Empty reports whether everything stays as it is.
func (p Plan) Empty() bool { return len(p.Insert)+len(p.Change)+len(p.Retract) == 0 }

// PlanFor works out what an update makes of one account, given its rows of the update and the stored rows that matter:
// those that the update speaks of, and with a complete list all since Since. A row keeps its id, and what people
// decided about it, under another id of the provider's too: when it posts, and when the account is connected anew and
// all of its rows are listed under new ids. A complete list that lacks a row says that it is gone, unless it came from
// an earlier connection: then it stays, since no bank takes back what is posted without a word.
func PlanFor(account string, rows []Row, u Update, stored []Stored) Plan {
	p := planner{stored: stored, byID: map[string]int{}, used: make([]bool, len(stored))}
	for i, s := range stored {
		p.byID[s.ExternalID] = i
	}
	replaced := map[string]bool{}
	for _, r := range rows {
		if r.PendingID != "" && r.PendingID != r.ExternalID {
			replaced[r.PendingID] = true
		}
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return replaced[r.ExternalID] })
	slices.SortFunc(rows, func(a, b Row) int { return strings.Compare(a.ExternalID, b.ExternalID) })
	open := p.settle(rows, func(r Row) string { return r.ExternalID })
	open = p.settle(open, func(r Row) string { return r.PendingID })
	if u.Whole {
		open = p.adopt(account, open)
	}
	p.Insert = open
	for _, id := range u.Refused {
		if i, found := p.byID[id]; found {
			p.used[i] = true
		}
	}
	p.retract(account, u, firstDay(rows), replaced)
	return p.Plan
}

// retract takes back stored rows that the provider has no more.
func (p *planner) retract(account string, u Update, listed string, replaced map[string]bool) {
	removed := map[string]bool{}
	for _, id := range u.Removed {
		removed[id] = true
	}
	for i, s := range p.stored {
		unlisted := u.Whole && s.Day.Format(time.DateOnly) >= listed && (s.FeedAccount == account || s.Pending)
		if p.used[i] || s.Deleted || !removed[s.ExternalID] && !replaced[s.ExternalID] && !unlisted {
			continue
		}
		p.Retract = append(p.Retract, i)
		if s.Paired {
			p.Legs = append(p.Legs, i)
		}
	}
}

type planner struct {
	Plan
	stored []Stored
	byID   map[string]int // places, by the provider's id
	used   []bool         // stored rows that the provider still has
}

// settle makes stored rows, found by a provider's id, what their rows say. It returns the rows that none was found for.
func (p *planner) settle(rows []Row, id func(Row) string) (open []Row) {
	for _, r := range rows {
		i, found := p.byID[id(r)]
		if !found || p.used[i] {
			open = append(open, r)
			continue
		}
		p.become(i, r)
	}
	return open
}

func (p *planner) become(i int, r Row) {
	s := p.stored[i]
	p.used[i] = true
	if !s.Withdrawn && s.ExternalID == r.ExternalID && s.FeedAccount == r.FeedAccount && s.Bank == r.bankText() {
		return
	}
	p.Change = append(p.Change, Change{i, r})
	pending, posted := r, r
	pending.Pending, posted.Pending = true, false
	if s.Paired && s.Bank != pending.bankText() && s.Bank != posted.bankText() {
		p.Legs = append(p.Legs, i)
	}
}

// adoptDays is how far apart two connections of an account may date the same transaction.
const adoptDays = 3

// adopt matches unknown rows of a complete list with rows that came from an earlier connection of the same account:
// equal amounts, on the same day and under the same description first, then on the same day, then a little apart.
func (p *planner) adopt(account string, rows []Row) []Row {
	type key struct {
		amount        money.Amount
		currency, day string
	}
	earlier := map[key][]int{}
	for i, s := range p.stored {
		if s.FeedAccount != account && !s.Withdrawn && !p.used[i] {
			k := key{s.Amount, s.Currency, s.Day.Format(time.DateOnly)}
			earlier[k] = append(earlier[k], i)
		}
	}
	match := func(days int, alike func(s Stored, r Row) bool) {
		rows = slices.DeleteFunc(rows, func(r Row) bool {
			candidates := earlier[key{r.Amount, r.Currency, later(r.ProcessedDate, days)}]
			at := slices.IndexFunc(candidates, func(i int) bool { return !p.used[i] && alike(p.stored[i], r) })
			if at >= 0 {
				p.become(candidates[at], r)
			}
			return at >= 0
		})
	}
	match(0, func(s Stored, r Row) bool { return s.Description == r.Description })
	for apart := range adoptDays + 1 {
		match(-apart, func(Stored, Row) bool { return true })
		match(apart, func(Stored, Row) bool { return true })
	}
	return rows
}

// Since is the first day of stored rows that matter to a complete list of rows.
func Since(rows []Row) string { return later(firstDay(rows), -adoptDays) }

// later is a day so many days after another one.
func later(date string, days int) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return ""
	}
	return day.AddDate(0, 0, days).Format(time.DateOnly)
}

// firstDay is the earliest processed date.
func firstDay(rows []Row) string {
	first := ""
	for _, r := range rows {
		if first == "" || r.ProcessedDate < first {
			first = r.ProcessedDate
		}
	}
	return first
}
