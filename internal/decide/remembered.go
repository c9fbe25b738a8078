package decide

import (
	"bytes"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

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
	if ok = ok && !d.yearOfOthers(memory, said.CategoryID); ok {
		d.remembered(said, onceAnswered, useAnswered)
		d.Established = true
	}
	return ok
}

// ofUse gives a row what the business answered of others with its counterparty that read the same, where it said
// something of other uses since.
func (d *Decision) ofUse(memory questions.Memory, about questions.Key) bool {
	if d.Source == categorize.SourceMemory || !memory.OfOtherUse(about, d.Row.Line, d.Decision) {
		return false
	}
	said, ok := memory.OfReading(about, d.Row.Line, d.Row.AccountType, d.CategoryID)
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
	about := questions.AboutCounterparty(d.Counterparty.Key)
	if !ok || d.yearOfOthers(memory, said.CategoryID) || memory.Superseded(key, about, d.Row.Line) {
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

// yearOfOthers reports whether a category of the memory divides a year's payouts by their amounts, of which the row was
// none though it was there: nobody said what is in it, and what is left of the others is not all of it. One that comes
// later has the year spread anew.
func (d *Decision) yearOfOthers(memory questions.Memory, category int) bool {
	a, _, divides := memory.SplitOf(category, d.Row.Line)
	earlier := a.AnswerID == uuid.Nil || bytes.Compare(d.Row.ID[:], a.AnswerID[:]) < 0 // their ids are in order of time
	return divides && a.Split.Yearly && earlier && d.Row.Amount > 0 && d.Row.CategoryID == nil
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
	if !ok || stands && said.CategoryID == d.CategoryID || d.yearOfOthers(memory, said.CategoryID) {
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

// suggestAlike suggests for a row what the business answered for its family, unless it was of other rows than this one.
func (d *Decision) suggestAlike(memory questions.Memory) {
	family, ok := questions.FamilyOf(d.Row.Line, d.Decision)
	if !ok || d.Source == categorize.SourceMemory {
		return
	}
	said, ok := memory.Decided(family, d.Row.Line)
	if !ok || memory.OfFew(family, d.Row.Line) || memory.Excluded(family, d.Row.Line) {
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
