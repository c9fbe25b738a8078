package answers

import (
	"slices"

	"github.com/google/uuid"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/split"
	"bizfin/internal/wording"
)

// Asked is what an answer is read against.
type Asked struct {
	wording.Context
	Company bool        // the question is about the business itself
	Lines   []AskedLine // that the answer may name, where it may name any
	About   []AskedLine // the rows of a standing hook, which it is about and cannot name

	with  *calledBy          // the counterparties of the lines, where they were looked through
	reads *ontology.Category // what the business's part of rows is, where their lines read it
}

// Meaning is what was understood of an answer.
type Meaning struct {
	Reserved     wording.Reserved   // what a reserved word does; empty where it is none
	Unclear      bool               // no single reading stands clear: nothing follows from it
	Readings     []questions.Option // of an unclear answer, to choose from
	Several      bool               // an unclear answer may say several things of rows that are apart
	CategoryID   int                // the category it names; 0 where it names none, split.Category for several parts
	Learned      bool               // the category is what the model makes of free words, which may as well be a name
	Split        *split.Spec        // how it divides rows
	Broken       error              // what is wrong with an answer that is written as a split
	Relationship string             // the relationship it names; empty where it names none
	Mixed        bool               // no one category fits the rows: they lose the one that was guessed
	Note         string             // what the rows keep as context, and the next ones get
	AboutOthers  bool               // asked about the business, it says something about whom the rows are with
	Exceptions   []Exception        // what it says of some rows alone
	Unheard      []string           // sentences that cannot be followed
	Partial      bool               // it says something of these alone: the other rows stay open
	Problem      string             // what is wrong with an answer that names rows; empty where nothing is
}

// ReasonOfAnswers begins what says why a row has the category of an answer; the answer's words follow.
const ReasonOfAnswers = "Answered: "

// Reason says in words why a row has the category of an answer.
func (m Meaning) Reason(words string) string { return ReasonOfAnswers + words }

// Exception is what an answer says of some rows of a question alone.
type Exception struct {
	Transactions []uuid.UUID
	CategoryID   int         // 0 leaves them open, split.Category divides them
	Unsure       bool        // nobody knows what they are, it says
	Split        *split.Spec // how it divides them
	Missed       string      // what it says of rows that stay open as that is not understood
}

// ofBusiness is what the business's part is: what the lines read, or where the options name one category of the form,
// that.
func (q Asked) ofBusiness() (*ontology.Category, bool) {
	if q.reads != nil {
		return q.reads, true
	}
	if read := q.allRead(); read != nil {
		return read, true
	}
	only := questions.OnlyOnForm(q.Options)
	return only, only != nil
}

// allRead is what all lines read, where that is a category of the form that is offered; nil where it is not.
func (q Asked) allRead() *ontology.Category {
	if len(q.Lines) == 0 {
		return nil
	}
	c, known := ontology.ScheduleC().ByID(q.Lines[0].Reads)
	if !known || !c.Kind.OnForm() ||
		slices.ContainsFunc(q.Lines, func(l AskedLine) bool { return l.Reads != c.ID }) ||
		!slices.ContainsFunc(q.Options, func(o questions.Option) bool { return o.Value == c.Path }) {
		return nil
	}
	return c
}

// readApart reports whether the rows are told apart by what their lines read.
func (q Asked) readApart() bool {
	return slices.ContainsFunc(q.Options, func(o questions.Option) bool { return o.Role == questions.RoleReads })
}

// parties are the counterparties of the rows.
func (q Asked) parties() *calledBy {
	if q.with != nil {
		return q.with
	}
	return calledIn(q.Lines)
}

// apart reports whether the rows are not all with one.
func (q Asked) apart() bool {
	return len(q.Lines) > 1 && (len(q.parties().names) > 1 || q.Lines[0].Counterparty == "")
}
