package categorize

import (
	"bytes"
	"cmp"
	"slices"
	"time"

	"bizfin/internal/money"
)

// PairDays is how many days the two legs of a transfer may lie apart, and silentDays how many where one of the lines
// says nothing: the longer the time, the likelier that equal round amounts meet by chance.
const (
	PairDays   = 4
	silentDays = 2
)

// Leg is a row that may be one side of a transfer between own accounts.
type Leg struct {
	ID, Account [16]byte
	AccountType string // in the contract's vocabulary, "" where not known
	AccountTail string // last four digits of the account's number, "" where not known
	Service     string // the payment service that keeps the account, "" for a bank
	To          string // whom it was sent to, where Evidence is Sent
	HeldFor     bool   // it holds what belongs to others
	Said        bool   // the business said what the row is
	Amount      money.Amount
	Currency    string
	Day         time.Time // midnight in UTC
	Description string
	Evidence    Evidence
	CategoryID  int // what the line alone was understood to be
}

// Pair is the two legs of one transfer, by their places in the list given, and what the transfer is.
type Pair struct {
	Out, In    int
	CategoryID int
	Confidence money.Ratio
}

// How often a pair is right, by judgement: no labelled pairs exist to count. Both are above what is applied without
// asking.
const (
	surePair   money.Ratio = 9850 // both lines read like a transfer
	likelyPair money.Ratio = 9550 // one does, and the other says nothing
)

// Pairs finds the transfers between own accounts: equal and opposite amounts of one currency in different accounts,
// at most [PairDays] apart, where both lines read like a transfer, or one says so plainly and the other, near to it,
// says nothing. A row is in one pair at most, and in none where another row could be its other leg as well and has no
// other one: then nobody knows which of them moved. The pair whose lines name each other's account comes first, then
// the nearest in time, then by what the rows are, so that neither the order of the list nor that of the ids matters,
// save to rows of which one is as the other.
func Pairs(legs []Leg) []Pair {
	candidates := mayPair(legs)
	slices.SortFunc(candidates, func(a, b candidate) int {
		return cmp.Or(
			a.compare(b),
			legs[a.Out].compare(&legs[b.Out]),
			legs[a.In].compare(&legs[b.In]),
		)
	})
	of := make([]*candidate, len(legs))
	var matched []*candidate
	for i := range candidates {
		c := &candidates[i]
		if of[c.Out] == nil && of[c.In] == nil {
			of[c.Out], of[c.In] = c, c
			matched = append(matched, c)
		}
	}
	// A leg that could as well belong to another row, which found none, is of nobody: equal amounts met by chance.
	spare := make([]int, len(legs)) // how many lines name the other's account, of the best one that is left, and 1
	for _, c := range candidates {
		if of[c.In] == nil {
			spare[c.Out] = max(spare[c.Out], c.named+1)
		}
		if of[c.Out] == nil {
			spare[c.In] = max(spare[c.In], c.named+1)
		}
	}
	var pairs []Pair
	for _, m := range matched {
		if m.named >= max(spare[m.Out], spare[m.In]) {
			pairs = append(pairs, m.Pair)
		}
	}
	return pairs
}

// candidate is a pair that may be one, with how many of its lines name the other's account, and the days between them.
type candidate struct {
	Pair
	named, days int
}

// compare is negative where a candidate is the better one, and 0 where nothing tells.
func (c candidate) compare(d candidate) int { return cmp.Or(d.named-c.named, c.days-d.days) }

// compare orders rows by what they are, and by id only where one is as the other.
func (l *Leg) compare(m *Leg) int {
	return cmp.Or(
		l.Day.Compare(m.Day),
		bytes.Compare(l.Account[:], m.Account[:]),
		cmp.Compare(l.Description, m.Description),
		cmp.Compare(l.Evidence, m.Evidence),
		l.CategoryID-m.CategoryID,
		bytes.Compare(l.ID[:], m.ID[:]),
	)
}

// mayPair are all pairs of legs that the evidence allows, each by itself.
func mayPair(legs []Leg) []candidate {
	type side struct {
		currency string
		size     money.Amount
	}
	incoming := map[side][]int{}
	for i := range legs {
		if l := &legs[i]; l.Amount > 0 && l.Evidence > Against {
			key := side{l.Currency, l.Amount}
			incoming[key] = append(incoming[key], i)
		}
	}
	var candidates []candidate
	for o := range legs {
		out := &legs[o]
		if out.Amount >= 0 || out.Evidence == Against {
			continue
		}
		for _, i := range incoming[side{out.Currency, -out.Amount}] {
			in := &legs[i]
			named, fits := accountsFit(out, in)
			days := daysApart(out.Day, in.Day)
			if !fits || !evident(out, in, days, named) || !kindsFit(out, in) {
				continue
			}
			c := candidate{Pair{o, i, kindOf(out, in), likelyPair}, named, days}
			if out.Evidence >= Hinted && in.Evidence >= Hinted {
				c.Confidence = surePair
			}
			candidates = append(candidates, c)
		}
	}
	return candidates
}

// evident reports whether two lines that many days apart are evidence enough, so many of which name the other's
// account. What is only guessed of a line that the business said nothing of gives way to an account that one of them
// names, and, where it names nobody, to a card that was paid the like, to the cent. What a payment service sent to a
// person from an own account there is a move only where the bank's line names both.
func evident(out, in *Leg, days, named int) bool {
	least, most := min(out.Evidence, in.Evidence), max(out.Evidence, in.Evidence)
	switch {
	case days > PairDays:
		return false
	case least == Sent:
		return in.Evidence > Sent && in.Service == "" && !in.Said && out.To != "" &&
			Names(in.Description, out.Service) && Names(in.Description, out.To)
	case least >= Hinted:
		return true
	case least == Open:
		return most == Plain && days <= silentDays
	case out.Said || in.Said:
		return false
	case named > 0:
		return least > Against
	}
	return out.Evidence == Guessed && in.AccountType == "credit" && in.CategoryID == transferCard &&
		in.Evidence == Plain && in.Amount%dollar != 0
}

// dollar is one in cents: whole ones meet by chance.
const dollar = 100

// accountsFit reports whether money can have moved between the two accounts, and how many of the lines name the other's
// account. A line that names accounts, and another than this, speaks against it. A payment to a loan is partly
// interest, so it is no transfer.
func accountsFit(out, in *Leg) (named int, fits bool) {
	if out.Account == in.Account || out.AccountType == "loan" || in.AccountType == "loan" {
		return 0, false
	}
	for _, l := range [...]struct{ line, other *Leg }{{out, in}, {in, out}} {
		if l.other.AccountTail == "" {
			continue
		}
		switch some, this := namesAccount(l.line.Description, l.other.AccountTail); {
		case this:
			named++
		case some:
			if _, own := namesAccount(l.line.Description, l.line.AccountTail); !own {
				return 0, false
			}
		}
	}
	return named, true
}

// kindsFit reports whether what the lines say goes together: a payment to a card issuer arrives on a card, unless the
// other line says that it was a transfer to the issuer's bank; a payment app's balance moves to and from the app's
// account, where that is connected to any other; and what moves between an account that holds the money of others and
// one that does not is no longer whose it was, unless the business says otherwise.
func kindsFit(out, in *Leg) bool {
	if out.CategoryID == transferCard && in.AccountType != "credit" && in.Evidence < Hinted {
		return false
	}
	if out.HeldFor != in.HeldFor && !(moves(out) && (moves(in) || !in.Said) || moves(in) && !out.Said) {
		return false
	}
	return (out.CategoryID == transferProcessor) == (in.CategoryID == transferProcessor) ||
		(out.Service != "") != (in.Service != "")
}

// moves reports whether the business said of a leg that it moves its own money.
func moves(l *Leg) bool { return l.Said && isTransfer(l.CategoryID) }

// kindOf is the category of both legs. What arrives on a card is its payment; else the line that says more than
// "transfer" decides, the incoming first.
func kindOf(out, in *Leg) int {
	switch {
	case in.AccountType == "credit":
		return transferCard
	case isTransfer(in.CategoryID) && in.CategoryID != transferInternal:
		return in.CategoryID
	case isTransfer(out.CategoryID) && out.CategoryID != transferCard:
		return out.CategoryID
	}
	return transferInternal
}

func daysApart(a, b time.Time) int {
	days := int(a.Sub(b) / (24 * time.Hour))
	return max(days, -days)
}
