package decide

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/questions"
	"bizfin/internal/split"
)

// Shop is whom something was bought from, in a currency.
type Shop struct {
	Key      string // of the counterparty
	Currency string
}

// Dealings are what is stored of a shop.
type Dealings struct {
	Purchases []categorize.Purchase
	Known     []categorize.Return // money back that is known by itself
	Refunds   []Refund            // money that may be back, decided before
	Since     time.Time           // the last day of which some is not at hand, as there is too much; zero where all is
}

// tells reports whether all is at hand that money which came back on a day may be of, and that came back of it.
func (s Dealings) tells(day time.Time) bool {
	return s.Since.IsZero() || day.AddDate(0, 0, -categorize.RefundDays).After(s.Since)
}

// Refund is money that came in and was decided before.
type Refund struct {
	Row
	IsRefund bool      // it was taken for one
	Reads    bool      // its line reads like one
	SplitBy  uuid.UUID // whose split it follows, see WayOf
	Alone    *Decision // what it is by its line alone; nil where that was not looked at
}

// refundOfPurchase is the most that the category of a purchase is trusted for money that came back.
const refundOfPurchase money.Ratio = 9500

// explained is money that a purchase may tell what it is: no memory does.
func (d Decision) explained() bool { return d.MayBeRefund() && d.Source != categorize.SourceMemory }

// Shop is whom the row is with.
func (d Decision) Shop() Shop { return Shop{d.Counterparty.Key, d.Row.Currency} }

// Shops are the places of decided rows by whom they are with, where that may be a shop.
func Shops(decided []Decision) map[Shop][]int {
	shops := map[Shop][]int{}
	for i, d := range decided {
		if d.Counterparty.Key != "" && d.Counterparty.Type != "person" && d.Row.Amount != 0 {
			shops[d.Shop()] = append(shops[d.Shop()], i)
		}
	}
	return shops
}

// Reread has what is stored of shops say what the lines of refunds say by themselves, whatever was made of them before.
func (e *Engine) Reread(stored map[Shop]Dealings, decided []Decision, memory questions.Memory) {
	shops := Shops(decided)
	for shop, s := range stored {
		if len(s.Purchases) == 0 && !slices.ContainsFunc(shops[shop], func(i int) bool {
			return decided[i].Row.Amount < 0
		}) { // nothing was bought that could come back
			delete(stored, shop)
			continue
		}
		rows := make([]Row, len(s.Refunds))
		for i, r := range s.Refunds {
			rows[i] = r.Row
			rows[i].CategoryID = nil
		}
		var refunds []Refund
		for i, d := range e.Decide(rows, memory) {
			if d.explained() {
				refunds = append(refunds, s.Refunds[i])
				refunds[len(refunds)-1].Reads, refunds[len(refunds)-1].Alone = d.Refund, &d
			}
		}
		s.Refunds = refunds
		stored[shop] = s
	}
}

// AreRefunds gives money that came back the category of its purchase: one that is stored, in any account, or one that
// is decided now. It returns the stored refunds that are something else by this, or are explained now: the rows of a
// first upload are decided newest first.
func AreRefunds(decided []Decision, stored map[Shop]Dealings) (again []Explained) {
	for shop, places := range Shops(decided) {
		s := stored[shop]
		s.Purchases, s.Known = slices.Clip(s.Purchases), slices.Clip(s.Known) // those that are stored stay as they are
		since := moment{decided[places[0]].Row.PrimaryDate, uuid.Max}
		var refunds []int
		for _, i := range places {
			d := decided[i]
			s.with(d)
			if d.explained() {
				refunds = append(refunds, i)
			}
			if at := d.bearsSince(); at.before(since) {
				since = at
			}
		}
		var now []categorize.Return
		for _, i := range refunds {
			d := decided[i]
			now = append(now, categorize.Return{ID: d.Row.ID, Amount: d.Row.Amount, Day: d.Row.PrimaryDate,
				Reads: d.Refund})
		}
		of, earlier := s.matches(now)
		for n, i := range refunds {
			decided[i].isOf(of[n], s.tells(decided[i].Row.PrimaryDate))
		}
		for _, i := range places {
			decided[i].cameBack(s.Purchases)
		}
		// Only what came back later follows, so that this ends.
		for n, r := range s.Refunds {
			if since.before(moment{r.PrimaryDate, r.ID}) && s.tells(r.PrimaryDate) && r.differs(earlier[n]) {
				again = append(again, Explained{r.Row, shop})
			}
		}
	}
	return inOrder(again)
}

// inOrder are refunds in the order of their ids.
func inOrder(refunds []Explained) []Explained {
	slices.SortFunc(refunds, func(a, b Explained) int { return bytes.Compare(a.ID[:], b.ID[:]) })
	return refunds
}

// moment is the place of a row in time.
type moment struct {
	day time.Time
	id  uuid.UUID
}

func (m moment) before(n moment) bool {
	return cmp.Or(m.day.Compare(n.day), bytes.Compare(m.id[:], n.id[:])) < 0
}

// bearsSince is from when on refunds may be something else by a decided row: behind a purchase, and behind another
// refund; but what is known by itself comes before those of the days before it.
func (d Decision) bearsSince() moment {
	switch {
	case d.Row.Amount < 0:
		return moment{day: d.Row.PrimaryDate}
	case d.explained():
		return moment{d.Row.PrimaryDate, d.Row.ID}
	default:
		return moment{day: d.Row.PrimaryDate.AddDate(0, 0, -categorize.RefundDays)}
	}
}

// with adds a row that is decided now, unless it keeps the category that is stored of it.
func (s *Dealings) with(d Decision) {
	switch {
	case d.Row.CategoryID != nil, d.Row.ofOthers():
	case d.Row.Amount < 0:
		s.Purchases = append(s.Purchases, d.purchase())
	case d.Source == categorize.SourceMemory && d.Established:
		s.Known = append(s.Known, categorize.Return{ID: d.Row.ID, Amount: d.Row.Amount,
			Day: d.Row.PrimaryDate, Known: d.CategoryID})
	}
}

// matches are the purchases of refunds that are decided now, and of those that are stored.
func (s Dealings) matches(refunds []categorize.Return) (now, stored []categorize.Match) {
	all := slices.Concat(refunds, s.Known)
	before := len(all)
	for _, r := range s.Refunds {
		all = append(all, categorize.Return{ID: r.ID, Amount: r.Amount, Day: r.PrimaryDate, Reads: r.Reads})
	}
	matches := categorize.Matches(all, s.Purchases)
	return matches[:len(refunds)], matches[before:]
}

// isOf makes a decision what the purchase was. What else came back of it may not be told: then it only seems to be so.
func (d *Decision) isOf(m categorize.Match, told bool) {
	m.Fits = m.Fits && told
	if !m.Found || !m.Fits && !d.Refund {
		return
	}
	if m.CategoryID == split.Category {
		if m.Confidence < categorize.SilentThreshold {
			return
		}
		if m.Fits {
			d.Like, d.SplitBy, d.Parts = m.ID, m.SplitBy, nil
		}
	}
	d.Refund, d.Source = true, categorize.SourceRule
	if m.Fits || m.CategoryID != split.Category {
		d.CategoryID = m.CategoryID
	}
	d.Confidence = min(m.Confidence, refundOfPurchase)
	if m.Fits {
		d.Reason = fmt.Sprintf("Money back from %s, counted like the purchase of %s", d.Counterparty.Name,
			m.Day.Format(time.DateOnly))
	} else {
		d.Confidence = min(d.Confidence, categorize.SilentThreshold-1)
		d.Reason = fmt.Sprintf("Money back from %s, but more than is left of what was bought", d.Counterparty.Name)
	}
	if !told {
		d.Reason = fmt.Sprintf("Money back from %s, with whom there is too much to tell of what", d.Counterparty.Name)
	}
	if d.Established = d.Confidence >= categorize.SilentThreshold; d.Established {
		d.Question = nil
	} else if d.Question == nil {
		d.Question = asked(d.Row, d.Decision)
	}
}

// cameBack has a row that the business answered be a refund where something was bought for what it comes to. What it is
// stays.
func (d *Decision) cameBack(bought []categorize.Purchase) {
	if d.Source != categorize.SourceMemory || !d.MayBeRefund() {
		return
	}
	_, exact, found := categorize.PurchaseOf(d.Row.Amount, d.Row.PrimaryDate, bought)
	d.Refund = d.Refund || found && exact
}

func (d Decision) purchase() categorize.Purchase {
	p := categorize.Purchase{
		ID: d.Row.ID, Amount: d.Row.Amount, Day: d.Row.PrimaryDate,
		CategoryID: d.CategoryID, Confidence: d.Confidence,
	}
	if d.CategoryID == split.Category {
		p.SplitBy = WayOf(d.SplitBy, d.Way)
	}
	if !d.Established {
		p.Confidence = min(p.Confidence, categorize.SilentThreshold-1)
	}
	return p
}

// WayOf tells the ways apart in which answers divide rows: the id of the answer, with the number of the way in its last
// bytes where that is not the first.
func WayOf(answer uuid.UUID, way int) uuid.UUID {
	if way > 1 {
		answer[len(answer)-2], answer[len(answer)-1] = byte(way>>8), byte(way)
	}
	return answer
}

// Explained is a refund that was decided before, of which something else is known by now.
type Explained struct {
	Row
	Shop
}

// Explain finds the refunds that were decided before and are to be decided anew, as their purchases, or other refunds
// of these, are something else now. Those of whose purchases nothing is left are not among them.
func Explain(stored map[Shop]Dealings) (again []Explained) {
	for shop, s := range stored {
		_, matches := s.matches(nil)
		for i, r := range s.Refunds {
			if s.tells(r.PrimaryDate) && r.differs(matches[i]) {
				again = append(again, Explained{r.Row, shop})
			}
		}
	}
	return inOrder(again)
}

// differs reports whether a refund was taken for something else than its purchase makes of it.
func (r Refund) differs(m categorize.Match) bool {
	settled := m.Fits && m.Confidence >= categorize.SilentThreshold
	switch believed := r.believed(); {
	case !r.Reads && !m.Fits:
		return r.IsRefund
	case !m.Found:
		return (m.Doubtful || r.Alone != nil) && r.stale()
	case settled != (r.CategoryID != nil):
		return true
	case m.CategoryID == split.Category && !settled: // it is what its line says
		return false
	default:
		return believed == nil || *believed != m.CategoryID ||
			m.SplitBy != [16]byte{} && m.SplitBy != r.SplitBy
	}
}

// stale reports whether a refund may be what only a purchase made of it. One that is known and asked about, as its bank
// changed it, stays what it was until that is answered.
func (r Refund) stale() bool {
	known := r.CategoryID != nil
	switch believed := r.believed(); {
	case !r.IsRefund || known && r.NeedsAttention:
		return false
	case r.Alone == nil || known != r.Alone.Established:
		return true
	case known:
		return *believed != r.Alone.CategoryID
	default:
		return believed == nil || *believed != r.Alone.Suggestion()
	}
}

// believed is what the row is taken for, established or not.
func (r Row) believed() *int {
	if r.CategoryID != nil {
		return r.CategoryID
	}
	return r.SuggestedID
}
