package decide

import (
	"fmt"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Transfer is one leg of a move between own accounts, with the other.
type Transfer struct {
	Leg, Other Row
	CategoryID int
	Confidence money.Ratio
	Decided    bool // the leg is among the rows that are decided now; the other was decided before
}

// Reason says in words why the leg is one.
func (t Transfer) Reason() string {
	return fmt.Sprintf("Equal and opposite to a row of %s on %s", t.Other.AccountName,
		t.Other.PrimaryDate.Format(time.DateOnly))
}

// MayBeLegs are the decided rows that may be a leg of a transfer.
func MayBeLegs(decided []Decision) []Decision {
	var legs []Decision
	for _, d := range decided {
		if evidenceOf(d) > categorize.Against && d.Row.Amount != 0 {
			legs = append(legs, d)
		}
	}
	return legs
}

// Transfers pairs rows that are decided now with ones that were before. Both legs of each pair are in the result.
func Transfers(now, before []Decision) []Transfer {
	all := append(now[:len(now):len(now)], before...)
	legs := make([]categorize.Leg, len(all))
	for i, d := range all {
		legs[i] = legOf(d)
	}
	var transfers []Transfer
	for _, pair := range categorize.Pairs(legs) {
		// A pair of two rows that were decided before would be another batch's.
		if pair.Out >= len(now) && pair.In >= len(now) {
			continue
		}
		first, second := all[min(pair.Out, pair.In)].Row, all[max(pair.Out, pair.In)].Row
		transfers = append(transfers,
			Transfer{first, second, pair.CategoryID, pair.Confidence, true},
			Transfer{second, first, pair.CategoryID, pair.Confidence, false})
	}
	return transfers
}

// AreTransfers makes decisions of transfers: their rows are not asked about.
func AreTransfers(decided []Decision, transfers []Transfer) {
	of := make(map[uuid.UUID]Transfer, len(transfers))
	for _, t := range transfers {
		of[t.Leg.ID] = t
	}
	for i := range decided {
		d := &decided[i]
		if t, ok := of[d.Row.ID]; ok {
			d.CategoryID, d.Source, d.Confidence, d.Reason = t.CategoryID, categorize.SourceRule, t.Confidence,
				t.Reason()
			d.Refund, d.ReadsBack, d.Question, d.Established, d.Destination = false, false, nil, true, ""
		}
	}
}

func legOf(d Decision) categorize.Leg {
	r := d.Row
	leg := categorize.Leg{
		ID: r.ID, Account: r.AccountID, AccountType: r.AccountType, AccountTail: tailOf(r),
		Amount: r.Amount, Currency: r.Currency, Day: r.PrimaryDate, Description: r.Description,
		Evidence: evidenceOf(d), CategoryID: d.CategoryID, AtService: categorize.ServiceOf(r.AccountName) != "",
		HeldFor: categorize.HeldForOthers(r.AccountName), Said: d.Established || r.UserCategory != nil,
	}
	category, ok := ontology.ScheduleC().ByID(d.CategoryID)
	if d.Transfer && ok && category.Is("revenue") { // whatever it was for there, this line moves it
		balance, _ := ontology.ScheduleC().ByPath("transfer.processor_balance")
		leg.CategoryID = balance.ID
	}
	if r.UserCategory != nil {
		leg.CategoryID = *r.UserCategory
	}
	return leg
}

// evidenceOf is what speaks for a decided row being a leg: what the user chose, before what its line says. A filed row
// stays what it is, whatever a guess about it would give way to.
func evidenceOf(d Decision) categorize.Evidence {
	switch {
	case d.Row.UserCategory != nil:
		return categorize.EvidenceOfChoice(*d.Row.UserCategory)
	case d.Row.Filed && d.Evidence < categorize.Open:
		return categorize.Against
	}
	return d.Evidence
}

// tailOf are the last digits of the row's own account.
func tailOf(r Row) string {
	if r.AccountMask != nil && *r.AccountMask != "" {
		return categorize.AccountTail(*r.AccountMask)
	}
	return categorize.AccountTail(r.AccountName)
}
