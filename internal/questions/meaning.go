package questions

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"bizfin/internal/ontology"
	"bizfin/internal/split"
)

// Asked is what an answer is read against.
type Asked struct {
	Company  bool // the question is about the business itself
	Options  []Option
	Incoming *bool       // the direction of the money; nil where it is not about one
	Lines    []AskedLine // that the answer may name, where it may name any
	Question string      // its text, which says whom it is about
}

// Meaning is what was understood of an answer.
type Meaning struct {
	Reserved     Reserved    // what a reserved word does; empty where it is none
	Unclear      bool        // no single reading stands clear: nothing follows from it
	Readings     []Option    // of an unclear answer, to choose from
	CategoryID   int         // the category it names; 0 where it names none, split.Category for several parts
	Learned      bool        // the category is what the model makes of free words, which may as well be a name
	Split        *split.Spec // how it divides rows
	Broken       error       // what is wrong with an answer that is written as a split
	Relationship string      // the relationship it names; empty where it names none
	Mixed        bool        // no one category fits the rows: they lose the one that was guessed
	Note         string      // what the rows keep as context, and the next ones get
	AboutOthers  bool        // asked about the business, it says something about whom the rows are with
	Exceptions   []Exception // what it says of some rows alone
	Partial      bool        // it says something of these alone: the other rows stay open
	Problem      string      // what is wrong with an answer that names rows; empty where nothing is
}

// Reserved is what a reserved word does.
type Reserved string

// The reserved words.
const (
	Undo Reserved = "undo" // as if it had never been answered
	Skip Reserved = "skip" // nobody knows yet: the question stays open and is asked last
)

// ReasonOfAnswers begins what says why a row has the category of an answer; the answer's words follow.
const ReasonOfAnswers = "Answered: "

// Reason says in words why a row has the category of an answer.
func (m Meaning) Reason(words string) string { return ReasonOfAnswers + words }

// IsReserved is whether words are reserved ones.
func IsReserved(words string) bool {
	_, ok := phrases().reserved[fold(words)]
	return ok
}

// AskAfter asks what words mean that were not understood.
func AskAfter(words string) string {
	const most = 120
	if runes := []rune(words); len(runes) > most {
		words = string(runes[:most]) + "…"
	}
	if MayName(words) && shared.MatchString(words) {
		return fmt.Sprintf("You wrote %q. One answer divides rows in one way; what it does not name is asked about "+
			"again. Which of these is most of it?", words)
	}
	return fmt.Sprintf("You wrote %q. Which of these is it?", words)
}

// Understand reads an answer: a chosen option, a reserved word, the label of an option, the name of a category or of a
// relationship that says what the money is, or words whose meaning stands clear. Other words are unclear.
func Understand(q Asked, words string, option *string) Meaning {
	if option == nil {
		if r, ok := phrases().reserved[fold(words)]; ok {
			return Meaning{Reserved: r}
		}
		if strings.Contains(words, "?") { // who asks back has not answered
			return q.unclear(q.Read(words).Candidates)
		}
	}
	if option == nil {
		if m, ok := q.understandParts(words); ok {
			return m
		}
	}
	if o, ok := q.chosen(words, option); ok {
		if o.Value == AsRead {
			return q.asRead()
		}
		if o.Value == Split {
			if m, ok := q.readSplit(words); ok && m.Broken == nil {
				return m
			}
		}
		return q.choose(words, o)
	}
	if option == nil {
		if m, ok := q.readSplit(words); ok {
			return m
		}
	}
	if paths := pathsIn(words); option == nil && len(paths) > 1 {
		return q.unclear(paths)
	}
	if option != nil { // of a standing hook, or a reading of words before
		if category, ok := ontology.ScheduleC().ByPath(*option); ok && category.Assignable {
			return Meaning{CategoryID: category.ID}
		}
		return q.unclear(nil)
	}
	if o, ok := q.tradeOf(words); ok {
		return q.choose(words, o)
	}
	if q.Company { // the words for rows do not answer what is asked of the business
		return q.unclear(nil)
	}
	if category, ok := pathOf(words); ok {
		return Meaning{CategoryID: category.ID}
	}
	d := q.direction()
	relationship, _ := RelationshipNamed(words)
	category, named := CategoryNamed(words, d)
	if !named && relationship != "" {
		category, named = CategoryOf(relationship, d)
	}
	read := q.Read(words)
	against := named && d == In && category.Kind.Side() == ontology.SideOut // the name of a cost, of money in
	if named && !category.Is(ontology.Uncategorized) && (!against || read.Category == nil) {
		return Meaning{CategoryID: category.ID, Relationship: relationship}
	}
	switch {
	case read.Category != nil:
		return Meaning{CategoryID: read.Category.ID, Learned: true}
	case read.Split, Mixed(words) && d == Out:
		return q.mix(words)
	default:
		return q.unclear(read.Candidates)
	}
}

// pathOf is the category whose whole path was written, which is nobody's other words.
func pathOf(words string) (*ontology.Category, bool) {
	path := strings.ToLower(strings.TrimSpace(words))
	category, ok := ontology.ScheduleC().ByPath(path)
	return category, ok && category.Assignable && strings.Contains(path, ".")
}

// pathsIn are the categories whose whole paths stand in words.
func pathsIn(words string) []*ontology.Category {
	var all []*ontology.Category
	between := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;/|", r) }
	for word := range strings.FieldsFuncSeq(words, between) {
		if c, ok := pathOf(strings.Trim(word, ".:()\"'`")); ok && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

func (q Asked) direction() Direction {
	switch {
	case q.Incoming == nil:
		return Either
	case *q.Incoming:
		return In
	default:
		return Out
	}
}

// mix is that no one category fits: the option for it, where there is one.
func (q Asked) mix(words string) Meaning {
	if i := slices.IndexFunc(q.Options, func(o Option) bool { return o.Value == Split }); i >= 0 {
		return q.choose(words, q.Options[i])
	}
	return Meaning{Mixed: true, Note: oneLine("A mix: " + words)}
}

// unclear offers what the words may mean, and then what the question offers.
func (q Asked) unclear(candidates []*ontology.Category) Meaning {
	m := Meaning{Unclear: true}
	add := func(o Option) {
		if len(m.Readings) < mostOptions &&
			!slices.ContainsFunc(m.Readings, func(r Option) bool { return r.Value == o.Value }) {
			m.Readings = append(m.Readings, o)
		}
	}
	for _, c := range candidates {
		add(optionOf(c))
	}
	for _, o := range q.Options {
		add(o)
	}
	if !q.Company {
		for _, path := range usual(q.direction() == In) {
			add(optionOf(mustPath(path)))
		}
	}
	return m
}

func oneLine(words string) string { return strings.Join(strings.Fields(words), " ") }

// chosen finds the option of an answer: by its value, or by words that are its value or label or say what its role
// says.
func (q Asked) chosen(words string, option *string) (Option, bool) {
	is := func(o Option) bool {
		return Same(o.Value, words) || Same(o.Label, words) || o.Value == Split && Mixed(words)
	}
	if option != nil {
		is = func(o Option) bool { return o.Value == *option }
	} else if yes, ok := q.agrees(words); ok {
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

// agrees is whether an answer about the business is a yes or a no: alone, or in front of words that do not turn it.
func (q Asked) agrees(words string) (yes, ok bool) {
	if !q.Company {
		return false, false
	}
	if yes, ok = Agrees(words); ok {
		return yes, ok
	}
	first, rest, _ := strings.Cut(fold(words), " ")
	yes, ok = Agrees(first)
	more := listen(rest)
	turned := yes && more.denials > 0 || !yes && strings.Contains(rest, "includ") && more.denials == 0
	return yes, ok && !more.doubt && !turned
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
		if m.CategoryID == 0 { // it says what the business is
			m.Note = o.Value
		}
		return m
	}
	m.Note = o.Label
	if remark := strings.TrimSpace(words); !Same(remark, o.Label) && !Same(remark, o.Value) {
		m.Note = oneLine(m.Note + ": " + remark)
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
