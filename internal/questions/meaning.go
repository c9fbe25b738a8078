package questions

import (
	"slices"
	"strings"

	"bizfin/internal/ontology"
)

// Asked is what an answer is read against.
type Asked struct {
	Company  bool // the question is about the business itself
	Options  []Option
	Incoming *bool // the direction of the money; nil where it is not about one
}

// Meaning is what was understood of an answer.
type Meaning struct {
	CategoryID   int    // the category it names; 0 where it names none, and the words are kept as context
	Relationship string // the relationship it names; empty where it names none
	Mixed        bool   // no one category fits the rows: they lose the one that was guessed
	Note         string // what is kept as context in place of the words
	AboutOthers  bool   // asked about the business, it says something about whom the rows are with
}

// Context is what the rows of an answer without a category keep of it, and the next ones get.
func (m Meaning) Context(words string) string {
	switch {
	case m.Note != "":
		return m.Note
	case m.CategoryID == 0:
		return words
	default:
		return ""
	}
}

// Reason says in words why a row has the category of an answer.
func (m Meaning) Reason(words string) string { return "Answered: " + words }

// Understand reads an answer: a chosen option, or words that are an option's label, or the name of a category or
// relationship. What a relationship alone says of the money is understood with it. Other words name nothing here.
func Understand(q Asked, words string, option *string) Meaning {
	if o, ok := q.chosen(words, option); ok {
		return q.choose(words, o)
	}
	if q.Company { // the words for rows do not answer what is asked of the business
		return Meaning{}
	}
	d := Either
	if q.Incoming != nil {
		d = Out
		if *q.Incoming {
			d = In
		}
	}
	var m Meaning
	category, named := CategoryNamed(words, d)
	if relationship, ok := RelationshipNamed(words); ok {
		m.Relationship = relationship
		if !named {
			category, named = CategoryOf(relationship, d)
		}
	}
	if named {
		m.CategoryID = category.ID
	}
	return m
}

// chosen finds the option of an answer: by its value, or by words that are its value or label or say what its role
// says.
func (q Asked) chosen(words string, option *string) (Option, bool) {
	is := func(o Option) bool {
		return Same(o.Value, words) || Same(o.Label, words) || o.Value == Split && Mixed(words)
	}
	if option != nil {
		is = func(o Option) bool { return o.Value == *option }
	} else if yes, ok := Agrees(words); ok && q.Company {
		role := RoleNo
		if yes {
			role = RoleYes
		}
		if i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Role == role }); i >= 0 {
			return q.Options[i], true
		}
	}
	i := slices.IndexFunc(q.Options, is)
	if i < 0 {
		return Option{}, false
	}
	return q.Options[i], true
}

// choose is what an option means: its category, or that there is no one category, which a category for payments that
// are not yet split says too where it is among the options.
func (q Asked) choose(words string, o Option) Meaning {
	var m Meaning
	if o.Value != Split {
		if category, ok := ontology.ScheduleC().ByPath(o.Value); ok {
			m.CategoryID = category.ID
		}
		m.AboutOthers = o.Role == RoleOthers
		return m
	}
	m.Note = o.Label
	if remark := strings.TrimSpace(words); !Same(remark, o.Label) && !Same(remark, o.Value) {
		m.Note += ": " + remark
	}
	for _, other := range q.Options {
		if category, ok := ontology.ScheduleC().ByPath(other.Value); ok && category.Unsplit() {
			m.CategoryID = category.ID
			return m
		}
	}
	m.Mixed = true
	return m
}
