package store

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
)

// FeedRow is the provider's record of a transaction, by the rules of this service.
type FeedRow struct {
	ExternalID     string // the provider's id of the transaction
	FeedAccount    string // the provider's id of the account
	PendingID      string // of a posted row: the id that it had while it was pending, where the provider knows it
	Amount         money.Amount
	Currency       string // empty for the account's
	ProcessedDate  string // YYYY-MM-DD, a real day
	AuthorizedDate string // likewise, or empty
	Description    string
	Pending        bool
}

// bankText is what a feed says of a row, as selectFeedRows writes it.
func (r FeedRow) bankText() string {
	return strconv.FormatInt(int64(r.Amount), 10) + " " + r.AuthorizedDate + " " + r.ProcessedDate + " " + strconv.FormatBool(r.Pending) + " " + r.Currency + " " + r.Description
}

// feedStored is what must be known of a stored row.
type feedStored struct {
	ID          uuid.UUID    `db:"id"`
	AccountID   uuid.UUID    `db:"account_id"`
	ExternalID  string       `db:"external_id"`
	FeedAccount string       `db:"feed_account"`
	Amount      money.Amount `db:"amount"`
	Currency    string       `db:"currency"`
	Day         time.Time    `db:"processed_date"`
	Description string       `db:"description"`
	Bank        string       `db:"bank"`
	Pending     bool         `db:"pending"`
	Deleted     bool         `db:"deleted"`
	Withdrawn   bool         `db:"withdrawn"` // by the provider, which is a deletion too
	Paired      bool         `db:"paired"`
}

// feedChange makes a stored row what the provider says.
type feedChange struct {
	stored feedStored
	row    FeedRow
}

// feedPlan is what an update makes of the rows of one account.
type feedPlan struct {
	insert  []FeedRow
	change  []feedChange
	retract []feedStored
}

// legs are rows of the plan that are one leg of a transfer and become something else; posting alone changes nothing.
func (p feedPlan) legs() []uuid.UUID {
	var legs []uuid.UUID
	for _, c := range p.change {
		pending, posted := c.row, c.row
		pending.Pending, posted.Pending = true, false
		if c.stored.Paired && c.stored.Bank != pending.bankText() && c.stored.Bank != posted.bankText() {
			legs = append(legs, c.stored.ID)
		}
	}
	for _, s := range p.retract {
		if s.Paired {
			legs = append(legs, s.ID)
		}
	}
	return legs
}

// planFeed works out what an update makes of one account, of which feedRows has read the rows that matter. A row keeps
// its id, and what people decided about it, under another id of the provider's too: when it posts, and when the account
// is connected anew and all of its rows are listed under new ids. A complete list that lacks a row says that it is gone,
// unless it came from an earlier connection: then it stays, since no bank takes back what is posted without a word.
func planFeed(feedAccount string, rows []FeedRow, u FeedUpdate, stored []feedStored) feedPlan {
	p := planner{byID: map[string]feedStored{}, used: map[uuid.UUID]bool{}}
	for _, s := range stored {
		p.byID[s.ExternalID] = s
	}
	replaced := map[string]bool{}
	for _, r := range rows {
		if r.PendingID != "" && r.PendingID != r.ExternalID {
			replaced[r.PendingID] = true
		}
	}
	rows = slices.DeleteFunc(slices.Clone(rows), func(r FeedRow) bool { return replaced[r.ExternalID] })
	slices.SortFunc(rows, func(a, b FeedRow) int { return strings.Compare(a.ExternalID, b.ExternalID) })
	open := p.settle(rows, func(r FeedRow) string { return r.ExternalID })
	open = p.settle(open, func(r FeedRow) string { return r.PendingID })
	if u.Whole {
		open = p.adopt(feedAccount, open, stored)
	}
	p.insert = open
	removed := map[string]bool{}
	for _, id := range u.Removed {
		removed[id] = true
	}
	for _, id := range u.Refused {
		p.used[p.byID[id].ID] = true
	}
	listed := firstDay(rows)
	for _, s := range stored {
		unlisted := u.Whole && s.Day.Format(time.DateOnly) >= listed && (s.FeedAccount == feedAccount || s.Pending)
		if !p.used[s.ID] && !s.Deleted && (removed[s.ExternalID] || replaced[s.ExternalID] || unlisted) {
			p.retract = append(p.retract, s)
		}
	}
	return p.feedPlan
}

type planner struct {
	feedPlan
	byID map[string]feedStored
	used map[uuid.UUID]bool // stored rows that the provider still has
}

// settle makes stored rows, found by a provider's id, what their rows say. It returns the rows that none was found for.
func (p *planner) settle(rows []FeedRow, id func(FeedRow) string) (open []FeedRow) {
	for _, r := range rows {
		s, found := p.byID[id(r)]
		if !found || p.used[s.ID] {
			open = append(open, r)
			continue
		}
		p.become(s, r)
	}
	return open
}

func (p *planner) become(s feedStored, r FeedRow) {
	p.used[s.ID] = true
	if s.Withdrawn || s.ExternalID != r.ExternalID || s.FeedAccount != r.FeedAccount || s.Bank != r.bankText() {
		p.change = append(p.change, feedChange{s, r})
	}
}

// adoptDays is how far apart two connections of an account may date the same transaction.
const adoptDays = 3

// adopt matches unknown rows of a complete list with rows that came from an earlier connection of the same account: equal
// amounts, on the same day and under the same description first, then on the same day, then a little apart.
func (p *planner) adopt(feedAccount string, rows []FeedRow, stored []feedStored) []FeedRow {
	type key struct {
		amount        money.Amount
		currency, day string
	}
	earlier := map[key][]feedStored{}
	for _, s := range stored {
		if s.FeedAccount != feedAccount && !s.Withdrawn && !p.used[s.ID] {
			k := key{s.Amount, s.Currency, s.Day.Format(time.DateOnly)}
			earlier[k] = append(earlier[k], s)
		}
	}
	match := func(days int, alike func(s feedStored, r FeedRow) bool) {
		rows = slices.DeleteFunc(rows, func(r FeedRow) bool {
			candidates := earlier[key{r.Amount, r.Currency, later(r.ProcessedDate, days)}]
			at := slices.IndexFunc(candidates, func(s feedStored) bool { return !p.used[s.ID] && alike(s, r) })
			if at >= 0 {
				p.become(candidates[at], r)
			}
			return at >= 0
		})
	}
	match(0, func(s feedStored, r FeedRow) bool { return s.Description == r.Description })
	for apart := range adoptDays + 1 {
		match(-apart, func(feedStored, FeedRow) bool { return true })
		match(apart, func(feedStored, FeedRow) bool { return true })
	}
	return rows
}

// later is a day so many days after another one.
func later(date string, days int) string {
	day, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return ""
	}
	return day.AddDate(0, 0, days).Format(time.DateOnly)
}

// firstDay is the earliest processed date.
func firstDay(rows []FeedRow) string {
	first := ""
	for _, r := range rows {
		if first == "" || r.ProcessedDate < first {
			first = r.ProcessedDate
		}
	}
	return first
}
