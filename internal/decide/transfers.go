package decide

import (
	"fmt"
	"slices"
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

// Near is a row that was decided before, near to rows that are decided now and as large as one of them.
type Near struct {
	Row
	Other uuid.UUID // its other leg, of a pair that no answer made; zero where it has none
	Waits bool      // it is to be decided again
}

// Alone are near rows as they are by themselves: as if those that have another leg had none.
func Alone(near []Near) []Row {
	rows := make([]Row, len(near))
	for i, n := range near {
		if rows[i] = n.Row; n.Other != uuid.Nil {
			rows[i].CategoryID = nil
		}
	}
	return rows
}

// Pair is two rows that were paired before.
type Pair [2]Row

// Pairing pairs rows that are decided now, new ones or ones that are decided again, with near ones, which are decided
// alone and may have another leg or wait. Both legs of each pair are in the result. All are looked at as if they had
// come at once: pairs that would not be any if the rows that came had been there are dissolved, and whoever waits is
// paired once it is decided again.
func Pairing(now []Decision, isNew bool, near []Near, alone []Decision) (transfers []Transfer, dissolved []Pair) {
	came := func(d Decision) bool { return isNew || d.cameAnew() }
	all := slices.Concat(now, alone)
	at := make(map[uuid.UUID]int, len(all))
	for i, d := range all {
		at[d.Row.ID] = i
	}
	free := func(i int) bool {
		return i < len(now) || near[i-len(now)].Other == uuid.Nil && !near[i-len(now)].Waits
	}
	before := slices.Concat(slices.DeleteFunc(slices.Clone(now), came), alone)
	bears := bearing(now, came)
	with := pairs(all)
	for _, pair := range with {
		// A pair of two rows that were decided before would be another batch's, unless what came makes it one.
		earlier := pair.Out >= len(now) && pair.In >= len(now)
		if earlier && !bears(all[pair.Out].Row, all[pair.In].Row) || !free(pair.Out) || !free(pair.In) {
			continue
		}
		first, second := min(pair.Out, pair.In), max(pair.Out, pair.In)
		transfers = append(transfers,
			Transfer{all[first].Row, all[second].Row, pair.CategoryID, pair.Confidence, first < len(now)},
			Transfer{all[second].Row, all[first].Row, pair.CategoryID, pair.Confidence, second < len(now)})
	}
	if len(before) == len(all) {
		return transfers, nil
	}
	is := make(map[[2]uuid.UUID]bool, len(with))
	for _, pair := range with {
		is[[2]uuid.UUID{all[pair.Out].Row.ID, all[pair.In].Row.ID}] = true
	}
	for _, pair := range pairs(before) {
		out, in := before[pair.Out].Row, before[pair.In].Row
		i := at[out.ID] - len(now)
		if i >= 0 && near[i].Other == in.ID && !is[[2]uuid.UUID{out.ID, in.ID}] && bears(out, in) {
			dissolved = append(dissolved, Pair{out, in})
		}
	}
	return transfers, dissolved
}

// bearing tells which pairs rows that came may bear on: those so near that all others that do are at hand, see
// Opposites of the store.
func bearing(now []Decision, came func(Decision) bool) func(out, in Row) bool {
	days := map[money.Amount][]time.Time{}
	for _, d := range now {
		if size := max(d.Row.Amount, -d.Row.Amount); came(d) {
			days[size] = append(days[size], d.Row.PrimaryDate)
		}
	}
	return func(out, in Row) bool {
		return slices.ContainsFunc(days[in.Amount], func(day time.Time) bool {
			const reach = 2 * categorize.PairDays * 24 * time.Hour
			return day.Sub(out.PrimaryDate).Abs() <= reach && day.Sub(in.PrimaryDate).Abs() <= reach
		})
	}
}

// pairs are those among decided rows, by their places.
func pairs(decided []Decision) []categorize.Pair {
	legs := make([]categorize.Leg, len(decided))
	for i, d := range decided {
		legs[i] = legOf(d)
	}
	return categorize.Pairs(legs)
}

// cameAnew reports whether a row that was decided before is something else since. One whose pair was dissolved is not:
// that it waits is for others to see. One of which an answer holds no more that came after it is.
func (d Decision) cameAnew() bool {
	return d.Row.CategoryID != nil || d.Row.SuggestedID != nil || d.Row.NeedsAttention || d.Row.Since != nil
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
		Evidence: evidenceOf(d), CategoryID: d.CategoryID, Service: categorize.ServiceOf(r.AccountName),
		HeldFor: categorize.HeldForOthers(r.AccountName), Said: d.Established || r.UserCategory != nil,
	}
	if leg.Evidence == categorize.Sent {
		leg.To = d.Counterparty.Name
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
	case d.Evidence == categorize.Against && d.Row.Amount < 0 && d.Channel != "card" && !d.Established &&
		d.Counterparty.Type == "person" && categorize.ServiceOf(d.Row.AccountName) != "":
		return categorize.Sent // to whom it was paid, or to the owner's bank
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
