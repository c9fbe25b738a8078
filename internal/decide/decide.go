// Package decide is what a row is understood to be: by what its line says, by what the business answered, by the
// other leg of a transfer, by the purchase whose money came back. It is pure: what was found goes in, and decisions
// come out.
package decide

import (
	"slices"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/odds"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/split"
)

// private is how sure a shop's purchase is at most the business's, where the line does not settle what it was for.
const private money.Ratio = 7500

// Ask is the row with its question.
func (d Decision) Ask() questions.Ask {
	sure := d.Confidence
	if d.Source == categorize.SourceMerchant && !settles(d.Row, d.Decision) {
		sure = min(sure, private)
	}
	if d.Destination == questions.PaymentService && d.Row.Amount > 0 {
		sure = min(sure, unseen)
	}
	return questions.Ask{Line: d.Row.Line, Question: d.Question, CategoryID: d.CategoryID, Confidence: sure,
		Seen: d.Seen(), Counterparty: d.Counterparty}
}

// Seen is what the line shows of a row, but for its words; nothing where an answer says what it seems to be.
func (d Decision) Seen() odds.Row {
	suggested, ok := ontology.ScheduleC().ByID(d.CategoryID)
	if !ok || d.Source == categorize.SourceMemory {
		return odds.Row{}
	}
	return odds.Row{Amount: d.Row.Amount, Suggested: suggested, Class: d.Class, Channel: d.Channel}
}

// Engine decides rows. It never changes after New and is safe for concurrent use.
type Engine struct{ lines *categorize.Engine }

// New returns an engine.
func New() *Engine { return &Engine{categorize.New()} }

// Decide decides each row by itself, as the memory of its business has it, but for payouts of whoever lent to it. A row
// that came before an answer is decided without that.
func (e *Engine) Decide(rows []Row, memory questions.Memory) []Decision {
	decided := make([]Decision, len(rows))
	of := memoriesOf(rows, memory)
	for i, row := range rows {
		decided[i] = e.decide(row, of[row.since()])
	}
	if lent := Lenders(decided); len(lent) > 0 {
		for i, row := range rows {
			if paidOutBy(decided[i], lent) {
				decided[i] = e.decide(row, of[row.since()].With(lent))
			}
		}
	}
	return decided
}

// memoriesOf are the memories that rows are decided by: without the answers that came after them.
func memoriesOf(rows []Row, memory questions.Memory) map[uuid.UUID]questions.Memory {
	of := map[uuid.UUID]questions.Memory{uuid.Nil: memory}
	for _, row := range rows {
		if _, ok := of[row.since()]; !ok {
			of[row.since()] = memory.Without(row.since())
		}
	}
	return of
}

// FollowLater has rows follow the answer that came after them, too, where nothing establishes them without it: they
// would have been asked about when it was given. It returns false where there are none.
func FollowLater(rows []Row, decided []Decision) (following []Row, ok bool) {
	following = slices.Clone(rows)
	for i, d := range decided {
		if rows[i].Since != nil && !d.Established {
			following[i].Since, ok = &uuid.UUID{}, true
		}
	}
	return following, ok
}

// since is the answer without which the row is decided; zero where it follows all.
func (r Row) since() uuid.UUID {
	if r.Since == nil {
		return uuid.Nil
	}
	return *r.Since
}

// decide decides a row.
func (e *Engine) decide(row Row, memory questions.Memory) Decision {
	line := categorize.Line{Description: row.Description, Amount: row.Amount, AccountType: row.AccountType,
		Business: memory.Business}
	if len(memory.Services) > 0 {
		line.Service = categorize.ServiceOf(row.AccountName)
	}
	said := e.lines.Decide(line, memory.Lines)
	if said.Source == categorize.SourceMemory {
		if own := e.lines.Decide(line, categorize.Memory{}); saidOfOthers(row, own, said, memory) {
			said = own
		}
	}
	d := fromOwnBalance(row, said, memory)
	key := d.Counterparty.Key
	if same, ok := memory.Same(key); ok {
		d.Counterparty = same
	}
	decided := decide(row, d, key, memory)
	decided.divide(memory)
	decided.askAgain(memory, key)
	if row.CategoryID != nil {
		decided = decided.changed(d, key)
		decided.divide(memory)
	}
	decided.Evidence = e.lines.Evidence(line, &d)
	if decided.Source == categorize.SourceMemory && row.Amount > 0 {
		alone := e.decide(row, memory.Blank())
		decided.Refund, decided.ReadsBack = alone.Refund, alone.MayBeRefund()
	}
	return decided
}

// saidOfOthers reports whether what the business said of others with the same counterparty says nothing of a row, whose
// own line reads otherwise, or which was named and left out.
func saidOfOthers(row Row, own, said categorize.Decision, memory questions.Memory) bool {
	about := questions.AboutCounterparty(said.Counterparty.Key)
	k, _ := kindOf(row, own)
	is, known := ontology.ScheduleC().ByID(said.CategoryID)
	switch {
	case row.ofOthers(), memory.Excluded(about, row.Line), memory.OfOtherUse(about, row.Line, own):
		return true
	case known && lasts(is) && k.isFirstLarge(row, about, memory):
		return true
	default:
		return memory.ReadsOtherwise(said.AnswerID, own.CategoryID) || standsBeside(row, own, about, memory)
	}
}

// standsBeside reports whether a row is what its own line says, beside others with the same of which the business said
// something: it was none of these, and stands by itself, or they were few and the line says what is sold there.
func standsBeside(row Row, own categorize.Decision, about questions.Key, memory questions.Memory) bool {
	if !memory.OfSome(about, row.Line) || memory.Covers(about, row.Line, row.AccountType) {
		return false
	}
	return establishes(row, own) && !heldBack(row, own, memory) ||
		memory.OfFew(about, row.Line) && own.Confidence >= tells
}

// isFirstLarge reports whether a row of a kind is so large that it may be equipment, beside smaller ones that the
// business was asked about.
func (k kind) isFirstLarge(row Row, about questions.Key, memory questions.Memory) bool {
	return k.capital && memory.Largest(about, row.Line) < capital
}

// tells is how sure a line's reading is at least that is no guess about somebody unknown.
const tells money.Ratio = 6000

// material is the amount from which a row that names nobody is asked about: each such row is a question of its own.
const material money.Amount = 200_00

// guessed is the confidence from which a doubtful category is suggested; below it, none is.
const guessed money.Ratio = 3000

// decide is the decision of a new row whose line names a counterparty by a key; it may have become another one.
func decide(row Row, said categorize.Decision, key string, memory questions.Memory) Decision {
	d := Decision{Row: row, Decision: said}
	d.Counterparty = described(said.Counterparty)
	about := questions.AboutCounterparty(key)
	k, never := kindOf(row, said)
	to, moves := movesHeld(row, said, memory)
	if moves {
		k, never = kind{key: questions.AboutMoved(to, row.Amount > 0), ask: func() *questions.Question {
			return questions.OfMoved(to, row.Amount > 0)
		}}, true // that account is connected
	}
	switch {
	case said.Source == categorize.SourceMemory:
		a, holds, divides := memory.SplitOf(said.CategoryID, row.Line)
		others := d.yearOfOthers(memory, said.CategoryID)
		holds = holds && !others || !divides
		left := memory.LeftOpen(about, row.Line) || slices.Contains(row.LeftOpenBy, said.AnswerID)
		if d.Established = memory.Covers(about, row.Line, row.AccountType) && holds && !left; d.Established {
			return d
		}
		if divides { // what is asked goes by what most of it seems to be
			said.CategoryID = a.Split.Largest(row.Amount)
		}
		d.Question = questions.Of(row.Line, said)
		switch {
		case left:
			d.Reason += "; of this one nothing was said"
		case others:
			d.Reason += ", by amounts that were said of a year's other payments"
		case !holds:
			d.Reason += ", by amounts that need not be those of this one"
		default:
			d.Reason += "; not quite like what was answered: its amount is much larger, or rows like it were said to " +
				"be something else"
		}
		return d
	case d.ruled(memory, about, k.key), !never && !heldBack(row, said, memory) && d.ofUse(memory, about):
		return d
	case never:
		d.Destination = k.destination
		theirs := row.ofOthers()
		alike := !theirs && !moves && !k.isFirstLarge(row, about, memory)
		if d.answered(memory, k.key, useAnswered) || alike && d.confirmed(memory, about) {
			return d
		}
		d.Question = k.ask()
		switch {
		case theirs:
			d.supposeHeld()
		case moves:
			d.supposeMoved()
		default:
			d.supposeTakings(memory)
		}
	case d.answeredOfAlike(memory, establishes(row, said) && !heldBack(row, said, memory)):
		return d
	case establishes(row, said) && !heldBack(row, said, memory):
		d.stand(memory)
		return d
	case heldBack(row, said, memory) && d.answered(memory, about, useAnswered), d.keptAnswered(memory):
		return d
	case d.confirmed(memory, about):
		return d
	case questions.PaysSalesTax(said) && d.answered(memory, questions.SalesTax, salesTaxAnswered):
		return d
	case d.answeredAlike(memory):
		return d
	default:
		if said = plausible(row, said); said.CategoryID != d.CategoryID {
			d.CategoryID, d.Reason = said.CategoryID, said.Reason
		}
		d.Question = asked(row, said)
		d.supposePrivate(memory)
		d.suggestByTrade(memory)
		d.suggestAlike(memory)
		switch {
		case !heldBack(row, said, memory):
		case memory.TaxApart():
			d.Question = d.Question.OfTaxed(row.PrimaryDate.Year())
			d.Reason += "; sales tax, which is no part of the receipts, may be in it"
		case memory.Owes(said.Counterparty.Key):
			d.Reason += "; you said that some of what it pays out is owed, and this may be in part"
		case (len(memory.Held) > 0 || memory.PassesOn()) && !memory.Lent(said.Counterparty.Key, row.PrimaryDate):
			d.Reason += "; the business holds money of others, whose this may be in part"
		default:
			d.Reason += "; whoever pays it out lent to the business, and may keep the loan's payments back of it"
		}
	}
	d.settle(memory, key)
	if d.Confidence < guessed || d.CategoryID == 0 {
		d.CategoryID = unknown(row.Line)
	}
	d.suppose(memory)
	d.supposeLocal()
	if c, ok := ontology.ScheduleC().ByID(d.CategoryID); ok && c.ID != said.CategoryID &&
		c.Root().Path != ontology.Uncategorized && d.Source != categorize.SourceMemory {
		d.Question = d.Question.Offering(c)
	}
	return d
}

// changed is the decision of a row that was established before the bank changed its line, given what it would be if it
// were new, and what its line says, which names a counterparty by a key: what it was stands where that would be
// established again. Else it is asked about, where a new one would be. What was said of all money of somebody is not
// said of another whom the line names.
func (d Decision) changed(said categorize.Decision, key string) Decision {
	of := d.Row.SaidOf
	another := of != "" && key != "" && of != key && of != d.Counterparty.Key
	was, chosen := *d.Row.CategoryID, d.Row.UserCategory != nil && !another
	confirmed := d.Established && d.CategoryID == was && !another
	if confirmed && !chosen {
		return d
	}
	kept := Decision{Row: d.Row, Decision: said}
	kept.Counterparty = d.Counterparty
	if confirmed { // it is what was said of its like, too
		return kept
	}
	kept.Question = questions.OfChanged(d.Row.Line, was, chosen, said)
	switch doubtful := !chosen && !d.Established && d.Question != nil; {
	case kept.Question != nil || !doubtful:
	case was == split.Category: // it is no one thing that it could still be
		kept.Question = d.Question
	default:
		kept.Question = questions.OfDoubtful(d.Row.Line, was)
	}
	return kept
}

// divide divides a row as the business answered. One that is not established seems to be its largest part.
func (d *Decision) divide(memory questions.Memory) {
	a, _, ok := memory.SplitOf(d.CategoryID, d.Row.Line)
	switch {
	case !ok:
	case !d.Established:
		d.CategoryID = a.Split.Largest(d.Row.Amount)
	case a.Split.Yearly:
		d.Parts, d.Spread = a.Split.Unspread(d.Row.Amount), true
	default:
		d.Parts, _ = a.Split.Divide(d.Row.Amount) // it holds for the amount
	}
	if len(d.Parts) > 0 {
		d.CategoryID, d.SplitBy, d.Way = split.Category, a.AnswerID, a.Way
	}
}

// askAgain has the question about a row say why it is asked again, where what was answered of its year lapsed.
func (d *Decision) askAgain(memory questions.Memory, key string) {
	if d.Question == nil {
		return
	}
	keys := []questions.Key{questions.AboutCounterparty(key), d.Question.Key}
	if d.Question.Narrow != nil {
		keys = append(keys, d.Question.Narrow.Key)
	}
	if why := memory.Lapsed(d.Row.Line, keys...); why != "" {
		d.Question = d.Question.OfLapsed(why)
	}
}

// Suggestion is the category of a row that is not moved by the decision, because it was filed: of several parts the
// largest.
func (d Decision) Suggestion() int {
	switch {
	case d.CategoryID != split.Category:
		return d.CategoryID
	case len(d.Parts) == 0:
		return unknown(d.Row.Line)
	default:
		return split.LargestOf(d.Parts, d.Row.Amount).Category
	}
}

// largestMeal is more than a small firm pays for a meal of which nothing else is known.
const largestMeal money.Amount = 400_00

// plausible takes a guess about a firm for something else where the amount is against it.
func plausible(row Row, said categorize.Decision) categorize.Decision {
	c, ok := ontology.ScheduleC().ByID(said.CategoryID)
	if ok && c.Is("expense.meals") && said.Confidence < categorize.SilentThreshold && row.Amount < -largestMeal &&
		said.Source != categorize.SourceMerchant {
		materials, _ := ontology.ScheduleC().ByPath("expense.supplies.materials")
		resold, _ := ontology.ScheduleC().ByPath("cogs.purchases")
		said.CategoryID = materials.ID
		said.Alternatives = []categorize.Alternative{{CategoryID: resold.ID, Confidence: said.Confidence / 2}}
		said.Reason += "; too large for a meal"
	}
	return said
}

// unknown is the category of what nothing is known of.
func unknown(l questions.Line) int {
	if l.Incoming() {
		return categorize.UnknownIn
	}
	return categorize.UnknownOut
}

// asked is what is to be asked about a doubtful row.
func asked(row Row, said categorize.Decision) *questions.Question {
	switch {
	case questions.PaysSalesTax(said):
		return questions.OfSalesTax()
	case said.Counterparty.Key != "", questions.OneOfMany(row.Line, said), questions.PaidIn(row.Line, said),
		row.Amount >= material, row.Amount <= -material:
		return questions.Of(row.Line, said)
	case row.Amount == 0:
		return nil
	default:
		return questions.OfRest(row.Line)
	}
}

// byTrade is how sure a suggestion is that follows from what the business is.
const byTrade money.Ratio = 6000

// Mixed reports whether a row was spent in a shop that sells to families and firms alike.
func (d Decision) Mixed() bool {
	return d.Row.Amount < 0 && (d.Class == "merchant.mixed" || d.Class == "merchant.personal")
}

// suggestByTrade suggests what follows from what the business said of itself.
func (d *Decision) suggestByTrade(memory questions.Memory) {
	suggest := func(path, reason string) {
		c, _ := ontology.ScheduleC().ByPath(path)
		d.CategoryID, d.Confidence, d.Reason = c.ID, byTrade, reason
	}
	trade := memory.Told(questions.Trade)
	switch unknown := d.CategoryID == 0 || d.CategoryID == categorize.UnknownIn; {
	case d.Mixed() && trade == questions.TradeFood:
		suggest("cogs.purchases", "The business sells food and drink, and this shop sells what it is made of")
	case d.Class == "merchant.personal" && d.Row.Amount < 0 && trade == "" && memory.Business.Feeds():
		suggest("cogs.purchases", "The business is called like those that sell food, which this shop may sell, too")
	case d.Mixed() && memory.Told(questions.Private) == questions.PrivateNo:
		suggest("expense.supplies", "Nothing private is paid from these accounts")
	case d.Row.Amount > 0 && d.Channel == "p2p" && trade == questions.TradeProperty:
		suggest("revenue.sales.rents", "The business rents out property, and this is from a person")
	case d.Row.Amount > 0 && d.Channel == "p2p" && trade != "" && unknown:
		suggest("revenue.sales", "The business sells to people who may pay like this")
	}
}

// described gives a counterparty the contract's words for what a line does not tell: a person is named one only on
// evidence.
func described(c categorize.Counterparty) categorize.Counterparty {
	if c.Type == "" {
		c.Type = "company"
	}
	if c.Relationship == "" {
		c.Relationship = "unknown"
	}
	return c
}
