package decide

import (
	"fmt"
	"slices"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// What most money is whose line tells how it moved and not for what: people who send it by an app are customers, what
// is paid in at the bank are takings, and people by an app and checks are paid for work, and so is whom a service pays
// that does not say whom.
const (
	fromPeople = "revenue.sales.services"
	paidIn     = "revenue.sales.cash_deposits"
	toPeople   = "expense.contract_labor"
)

// What some of it is that the amount tells more of, see likelyIn and likelyOut.
const (
	fromOwner  = "equity.owner_contribution"
	toOwner    = "equity.owner_draw"
	atOnce     = "expense.depreciation.vehicle_purchase"
	onSales    = "expense.taxes_licenses.sales_tax"
	givenAway  = "personal.charity"
	backToCard = "expense.supplies"
	ofOneself  = "personal.living"
	wired      = "cogs.purchases"
)

// supposed is how sure that is. These categories have odds of their own, which are counted of hardly any other money.
const supposed money.Ratio = 4000

// supposedUpto is the amount from which such money, where it comes in five hundreds, is as often something else: a
// deposit held, a loan, a gift, a machine. Of all other sums of 5,000 dollars and more that come in, that checks pay
// and that are wired to somebody unknown four of five dollars count in the labelled books and more; of what else goes
// out less.
const supposedUpto money.Amount = 5_000_00

// fiveHundreds are what people put in, draw, lend and pay back in: who is paid for work gets other sums.
const fiveHundreds money.Amount = 500_00

// wireOut is the class of wires to somebody who is not known.
const wireOut = "wire_out"

// taxOfState is the class of what a state takes that does not say which tax.
const taxOfState = "state_tax"

// bankCheck is the class of checks that a bank writes itself: for a truck not below bankCheckFrom.
const (
	bankCheck                  = "cashiers_check"
	bankCheckFrom money.Amount = 2_500_00
)

// suppose suggests what most such money is, where nothing else is suggested of a row that is asked about.
func (d *Decision) suppose(memory questions.Memory) {
	category, ok := ontology.ScheduleC().ByID(d.CategoryID)
	open := ok && category.Root().Path == ontology.Uncategorized &&
		(category.Path != "uncategorized.tax_payment" || d.Class == taxOfState)
	written := d.Channel == "check" || d.Class == wireOut
	large := max(d.Row.Amount, -d.Row.Amount) >= supposedUpto &&
		(d.Row.Amount < 0 && !written || d.Row.Amount%fiveHundreds == 0)
	if d.Question == nil || !open || d.Source == categorize.SourceMemory || large && d.Class != bankCheck {
		return
	}
	path := likelyIn(d.Row.Amount, d.Decision, category, d.Row.AccountType == "credit")
	if d.Row.Amount < 0 {
		path = likelyOut(-d.Row.Amount, d.Decision)
	}
	c, ok := ontology.ScheduleC().ByPath(path)
	if ok && c.Kind == ontology.KindPersonal && memory.Told(questions.Private) == questions.PrivateNo {
		c, ok = ontology.ScheduleC().ByPath(toPeople)
	}
	if ok {
		d.CategoryID, d.Confidence = c.ID, supposed
		d.Reason += supposedReason
	}
}

// localFirm is the class of purchases of a firm with premises whose name says nothing. From localMeal dollars on one of
// thirty is a meal in the labelled books, and of these dollars nine of ten are a cost: mostly of what the work needs.
const (
	localFirm              = "local_out"
	localMeal money.Amount = 100_00
)

// supposeLocal suggests what most such purchases are; they are asked about with those of restaurants.
func (d *Decision) supposeLocal() {
	c, ok := ontology.ScheduleC().ByID(d.CategoryID)
	if ok && d.Class == localFirm && d.Row.Amount <= -localMeal && c.Is("expense.meals") {
		d.CategoryID, d.Confidence = ontology.MustPath("expense.supplies.materials").ID, supposed
		d.Reason += "; for a meal it is large: most such firms sell what the work needs"
	}
}

// likelyIn is what most money is that comes in like an amount. Of what people send by an app and of what is paid in, in
// five hundreds from a thousand on, a seventh and a third was earned in the labelled books, of all else nine tenths (go
// test ./internal/decide -run TestWhatAmountsSay -v); what comes back to a card was paid with it.
func likelyIn(amount money.Amount, said categorize.Decision, category *ontology.Category, toCard bool) string {
	deposit := said.Channel == "deposit" || category.Path == "uncategorized.cash_deposit"
	switch {
	case (deposit || said.Channel == "p2p") && amount >= 1_000_00 && amount%fiveHundreds == 0:
		return fromOwner
	case deposit:
		return paidIn
	case said.Channel == "p2p", said.Channel == "wire" && said.Counterparty.Name != "",
		said.Counterparty.Relationship == "payment_processor":
		return fromPeople
	case said.Channel == "card" && toCard:
		return backToCard
	default:
		return ""
	}
}

// likelyOut is what most money is that goes out like an amount, in the same books: a bank's own check buys a truck, a
// wire to somebody unknown goods, and a tax to the cent is on sales; of what people are sent by an app in whole
// hundreds, from a thousand on, a fifth counts, of checks in five hundreds below three thousand and of small ones in
// fifties a third, and of less than a hundred dollars that an app does not say who gets, a quarter.
func likelyOut(amount money.Amount, said categorize.Decision) string {
	service := said.Counterparty.Relationship == "payment_processor"
	switch check, app := said.Channel == "check", said.Channel == "p2p"; {
	case said.Class == bankCheck && amount >= bankCheckFrom:
		return atOnce
	case said.Class == taxOfState && amount%1_00 != 0:
		return onSales
	case app && amount >= 1_000_00 && amount%100_00 == 0, check && amount < 3_000_00 && amount%fiveHundreds == 0:
		return toOwner
	case check && amount <= 200_00 && amount%50_00 == 0:
		return givenAway
	case said.Class == "p2p_app_unnamed" && amount < 100_00 && amount%1_00 == 0:
		return ofOneself
	case said.Channel == "card" && service: // money sent home
		return ofOneself
	case said.Class == wireOut:
		return wired
	case app, check, service: // it names nobody whom it pays
		return toPeople
	default:
		return ""
	}
}

// unseen is how sure money is at most the business's own that comes from a balance which is not connected.
const unseen money.Ratio = 5000

// supposedReason says that it follows from no word of the line.
const supposedReason = "; a guess, as most such money is"

// supposeTakings suggests of money that comes from a payment service where the business has no account that it reads
// of that customers paid it there: so it was in most books, but not of large round sums. What an account at a service
// gets from another of the business's moves between the two.
func (d *Decision) supposeTakings(memory questions.Memory) {
	category, ok := ontology.ScheduleC().ByID(d.CategoryID)
	connected := slices.ContainsFunc(memory.Services, func(service string) bool {
		return categorize.PaysFrom(service, d.Counterparty) || categorize.Names(d.Row.Description, service)
	})
	switch {
	case d.Row.Amount <= 0 || !ok || connected || d.Row.Amount >= supposedUpto && d.Row.Amount%round == 0:
		return
	case d.Destination == questions.PaymentService:
		category, _ = ontology.ScheduleC().ByPath(fromPeople)
	case category.Path == "transfer.processor_balance" && categorize.ServiceOf(d.Row.AccountName) == "":
		category, _ = ontology.ScheduleC().ByPath(payouts)
	default:
		return
	}
	d.CategoryID, d.Confidence = category.ID, min(d.Confidence, unseen)
	d.Reason += supposedReason
}

// movesHeld reports whether a row moves money here from an account that holds what belongs to others, or may, or to it,
// and what its line calls that account.
func movesHeld(row Row, said categorize.Decision, memory questions.Memory) (to string, moves bool) {
	if len(memory.Held) == 0 || row.ofOthers() || row.Amount == 0 {
		return "", false
	}
	category, known := ontology.ScheduleC().ByID(said.CategoryID)
	own := known && category.Path == "transfer.internal"
	named, moves := memory.MovesHeld(row.Line, categorize.OtherAccount(row.Description, tailOf(row)), own)
	if named != "" {
		return "the account ending in " + named, true
	}
	if !moves {
		return "", false
	}
	return destination(row, said, category), true
}

// supposeMoved suggests of what comes from such an account that it was earned, and of what goes there that it is
// theirs.
func (d *Decision) supposeMoved() {
	path := clientFunds
	if d.Row.Amount > 0 {
		path = fromPeople
	}
	c, _ := ontology.ScheduleC().ByPath(path)
	d.CategoryID, d.Source, d.Confidence, d.Refund = c.ID, categorize.SourceRule, unseen, false
	d.Reason += supposedReason
}

// clientFunds is what is held for others.
const clientFunds = "liability.client_funds"

// held is how sure money is that of others, in an account that holds what belongs to them.
const held money.Ratio = 8500

// supposeHeld suggests of money in an account that holds what belongs to others that it is theirs, whatever its line
// says: what comes in is not earned yet, and what goes out is no cost.
func (d *Decision) supposeHeld() {
	c, _ := ontology.ScheduleC().ByPath(clientFunds)
	d.CategoryID, d.Confidence, d.Refund, d.Transfer = c.ID, held, false, false
	d.Source, d.Class = categorize.SourceRule, "held_for_others"
	d.Reason = fmt.Sprintf("%s seems to hold money of others", d.Row.AccountName)
}
