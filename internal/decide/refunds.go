package decide

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/split"
)

// Shop is whom something was bought from, in a currency.
type Shop struct {
	Key      string // of the counterparty
	Currency string
}

// Purchases are what was bought, by shop.
type Purchases map[Shop][]categorize.Purchase

// refundOfPurchase is the most that the category of a purchase is trusted for money that came back.
const refundOfPurchase money.Ratio = 9500

// Shop is whom the row is with.
func (d Decision) Shop() Shop { return Shop{d.Counterparty.Key, d.Row.Currency} }

// AreRefunds gives money that came back the category of its purchase: one of those that were found in any account, by
// the id of the row, or one that is decided now.
func AreRefunds(decided []Decision, found map[uuid.UUID][]categorize.Purchase) {
	now := Purchases{}
	for _, d := range decided {
		divided := d.Row.UserCategory != nil && *d.Row.UserCategory == split.Category // found with its parts
		if d.Row.Amount < 0 && !divided {
			now[d.Shop()] = append(now[d.Shop()], d.purchase())
		}
	}
	for i := range decided {
		d := &decided[i]
		if !d.MayBeRefund() {
			continue
		}
		bought := append(found[d.Row.ID][:len(found[d.Row.ID]):len(found[d.Row.ID])], now[d.Shop()]...)
		p, exact, ok := categorize.PurchaseOf(d.Row.Amount, d.Row.PrimaryDate, bought)
		if !ok || !d.Refund && !exact {
			continue
		}
		if d.Source == categorize.SourceMemory {
			d.Refund = true
			continue
		}
		if p.CategoryID == split.Category {
			if p.Confidence < categorize.SilentThreshold {
				continue
			}
			d.Like, d.SplitBy, d.Parts = p.ID, p.SplitBy, nil
		}
		d.CategoryID, d.Refund, d.Source = p.CategoryID, true, categorize.SourceRule
		d.Confidence = min(p.Confidence, refundOfPurchase)
		d.Reason = fmt.Sprintf("Money back from %s, counted like the purchase of %s", d.Counterparty.Name,
			p.Day.Format(time.DateOnly))
		if d.Established = d.Confidence >= categorize.SilentThreshold; d.Established {
			d.Question = nil
		} else if d.Question == nil {
			d.Question = asked(d.Row, d.Decision)
		}
	}
}

// KnownPurchases are the purchases among decided rows that are known to be something.
func KnownPurchases(decided []Decision) Purchases {
	known := Purchases{}
	for _, d := range decided {
		if d.Row.Amount < 0 && d.Counterparty.Key != "" && (d.CategoryID != 0 || d.Row.UserCategory != nil) {
			known[d.Shop()] = append(known[d.Shop()], d.purchase())
		}
	}
	return known
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
	if d.Row.UserCategory != nil {
		p.CategoryID, p.Confidence = *d.Row.UserCategory, 10_000
	}
	return p
}

// Refund is money that came in and was decided before.
type Refund struct {
	Row
	Shop
	IsRefund bool      // it was taken for one
	SplitBy  uuid.UUID // whose split it follows, see WayOf
}

// WayOf tells the ways apart in which answers divide rows: the id of the answer, with the number of the way in its last
// bytes where that is not the first.
func WayOf(answer uuid.UUID, way int) uuid.UUID {
	if way > 1 {
		answer[len(answer)-2], answer[len(answer)-1] = byte(way>>8), byte(way)
	}
	return answer
}

// Explained is a refund whose purchase is known now.
type Explained struct {
	Row
	Purchase uuid.UUID
}

// Explain finds the refunds that purchases explain better than what they were taken for: the rows of a first upload are
// decided newest first.
func Explain(refunds []Refund, purchases Purchases) []Explained {
	var explained []Explained
	for _, r := range refunds {
		p, exact, found := categorize.PurchaseOf(r.Amount, r.PrimaryDate, purchases[r.Shop])
		if !found || !r.IsRefund && !exact {
			continue
		}
		settled := p.Confidence >= categorize.SilentThreshold
		if believed := r.believed(); settled && r.CategoryID == nil || believed == nil || *believed != p.CategoryID ||
			p.SplitBy != [16]byte{} && p.SplitBy != r.SplitBy {
			explained = append(explained, Explained{r.Row, p.ID})
		}
	}
	return explained
}

// believed is what the row is taken for, established or not.
func (r Row) believed() *int {
	if r.CategoryID != nil {
		return r.CategoryID
	}
	return r.SuggestedID
}
