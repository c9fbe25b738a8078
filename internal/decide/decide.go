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
		own := e.lines.Decide(line, categorize.Memory{})
		if row.ofOthers() || memory.ReadsOtherwise(said.AnswerID, own.CategoryID) {
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
		k, never = kind{questions.AboutMoved(to, row.Amount > 0), func() *questions.Question {
			return questions.OfMoved(to, row.Amount > 0)
		}, ""}, true // that account is connected
	}
	switch {
	case said.Source == categorize.SourceMemory:
		a, holds, divides := memory.SplitOf(said.CategoryID, row.Line)
		if d.Established = memory.Covers(about, row.Line, row.AccountType) && (holds || !divides); d.Established {
			return d
		}
		if divides { // what is asked goes by what most of it seems to be
			said.CategoryID = a.Split.Largest(row.Amount)
		}
		d.Question = questions.Of(row.Line, said)
		switch {
		case memory.LeftOpen(about, row.Line):
			d.Reason += "; of this one nothing was said"
		case divides && !holds:
			d.Reason += ", by amounts that need not be those of this one"
		default:
			d.Reason += "; not quite like what was answered: its amount is much larger, or rows like it were said to " +
				"be something else"
		}
		return d
	case d.ruled(memory, about, k.key):
		return d
	case never:
		d.Destination = k.destination
		theirs := row.ofOthers()
		if d.answered(memory, k.key, useAnswered) || !theirs && !moves && d.confirmed(memory, about) {
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
		d.Established = true
		return d
	case heldBack(row, said, memory) && d.answered(memory, about, useAnswered):
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

// The reasons that people are told of what an answer decides that is not about a counterparty, and how sure it is: as
// one about a counterparty. Nothing is found by them: a row notes the answer that it follows.
const (
	salesTaxAnswered = "Sales tax passed on to the state; whether receipts include it was answered before"
	depositsAnswered = "Cash or a check paid in; what these are was answered before"
	useAnswered      = "What payments like it are was answered before"
	AlikeAnswered    = "What was answered of most that are like it; this one was not among them"

	onceAnswered money.Ratio = 9310
)

// ruled gives a row what the business answered of all money of its counterparty in this direction.
func (d *Decision) ruled(memory questions.Memory, about, use questions.Key) bool {
	said, ok := memory.Ruled(about, use, d.Row.Line, d.Row.AccountType)
	if ok {
		d.remembered(said, onceAnswered, useAnswered)
		d.Established = true
	}
	return ok
}

// answered gives a row the category that the business answered for a key, where the answer was about rows like it; it
// returns false where it did not.
func (d *Decision) answered(memory questions.Memory, key questions.Key, reason string) bool {
	said, ok := memory.Known(key, d.Row.Line, d.Row.AccountType)
	if !ok {
		return false
	}
	c, known := ontology.ScheduleC().ByID(said.CategoryID)
	if known && key.BothWays() && d.Row.Amount < 0 && c.Is("revenue") {
		return false // it was said of what came from there: nobody earns what they pay out
	}
	d.remembered(said, onceAnswered, reason)
	d.Established = true
	return true
}

// answeredOfAlike gives a row that a rule reads what the business answered of others that it reads so, by whatever they
// are asked about by; stands is whether it would be established without.
func (d *Decision) answeredOfAlike(memory questions.Memory, stands bool) bool {
	if d.Source != categorize.SourceRule || !d.Silent() || memory.IsBlank() {
		return false // of others the engine asked the memory
	}
	key := questions.KeyOf(d.Row.Line, d.Decision)
	if key.OfOneRow() || key == questions.Deposits {
		return false
	}
	said, ok := memory.Alike(key, d.Row.Line, d.Row.AccountType, d.CategoryID, stands)
	if !ok || stands && said.CategoryID == d.CategoryID {
		return false
	}
	d.remembered(said, onceAnswered, useAnswered)
	d.Established = true
	return true
}

// remembered makes a row what the business answered: it goes where the answer does.
func (d *Decision) remembered(said questions.Said, sure money.Ratio, reason string) {
	d.CategoryID, d.AnswerID, d.Source = said.CategoryID, said.AnswerID, categorize.SourceMemory
	d.Confidence, d.Reason = sure, reason
}

// answeredAlike gives a row the category that the business answered for lines like it.
func (d *Decision) answeredAlike(memory questions.Memory) bool {
	key := questions.KeyOf(d.Row.Line, d.Decision)
	if key.Reads() && key != questions.Deposits && d.answered(memory, key, useAnswered) {
		return true
	}
	switch family, _ := questions.FamilyOf(d.Row.Line, d.Decision); family {
	case questions.Deposits: // others that name nobody are asked about apart where they are many: these are suggested
		return key == family && d.answered(memory, family, depositsAnswered)
	case questions.Checks:
		return !memory.Waiting(key) && d.answered(memory, family, useAnswered)
	default:
		return false
	}
}

// Alike is how sure a row is what was answered of most that are like it: it was not among those that the answer was
// about.
const Alike money.Ratio = 7000

// suggestAlike suggests for a row what the business answered for its family.
func (d *Decision) suggestAlike(memory questions.Memory) {
	family, ok := questions.FamilyOf(d.Row.Line, d.Decision)
	if !ok || d.Source == categorize.SourceMemory {
		return
	}
	said, ok := memory.Decided(family, d.Row.Line)
	if !ok {
		return
	}
	answered, _ := ontology.ScheduleC().ByID(said.CategoryID)
	reads, _ := ontology.ScheduleC().ByID(d.CategoryID)
	if family.SaysOf(answered, reads) {
		d.remembered(said, Alike, AlikeAnswered)
		if answered != nil {
			d.CategoryID = family.Seems(answered, reads).ID
		}
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

// confirmed establishes what a line says where the business answered the same about its counterparty; of what a
// payroll provider takes, where it answered this of lines that read like it. Such a row is known from the answer, and
// goes where that does.
func (d *Decision) confirmed(memory questions.Memory, about questions.Key) bool {
	said, ok := memory.Decided(about, d.Row.Line)
	if !ok || said.CategoryID != d.CategoryID || memory.ReadsOtherwise(said.AnswerID, d.CategoryID) ||
		!memory.Covers(about, d.Row.Line, d.Row.AccountType) {
		if family, is := questions.FamilyOf(d.Row.Line, d.Decision); !is || !family.OfPayroll() {
			return false
		}
		if said, ok = memory.SaidOf(about, d.Row.Line, d.CategoryID); !ok {
			return false
		}
	}
	d.remembered(said, onceAnswered, useAnswered)
	d.Established = true
	return true
}

// settle takes the question away that the business answered before without deciding it. The row is then what the rows
// of that question were left as: their doubtful category, or none where no one category fits.
func (d *Decision) settle(memory questions.Memory, key string) {
	if d.Question == nil {
		return
	}
	words, ok := memory.Settled(d.Question, d.Row.Line, key)
	if !ok {
		return
	}
	d.Question, d.Note, d.AnswerID = nil, words.Note, words.AnswerID
	d.Reason += "; a guess, as the answer to the question about it did not say which category it is"
	if words.Mixed {
		d.CategoryID = 0 // nothing is suggested
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
