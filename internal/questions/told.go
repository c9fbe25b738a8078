package questions

import (
	"regexp"
	"strings"

	"bizfin/internal/ontology"
)

// An owner who has several things to say seldom writes parts with colons: "repairs. Derek is my brother, 3 and 5 were
// returned, except the 180, that was a tip". Such words are parts, too: what is true of one line is not said of all.

// told reads plain words that say of some rows what they are. named is whether they name any. Where a clause cannot be
// followed the others are read, and no rule.
func (q Asked) told(words string) (parts []part, named bool) {
	if q.Company || len(q.Lines) < 2 || len(words) > mostTold {
		return nil, false
	}
	m, _ := q.readSplit(plain(words))
	if m.Split != nil && (!q.apart() || shareSign.MatchString(words) && !fullStop.MatchString(words)) {
		return nil, false
	}
	t := teller{q: q}
	all := sayings(amountsWhole(words))
	for _, p := range all[:min(len(all), mostSayings)] {
		t.hear(p)
	}
	t.lost = t.lost || len(all) > mostSayings
	return t.parts()
}

// What is longer, or of more pieces, is nothing that a person says in sentences.
const (
	mostTold    = 2000 // bytes
	mostSayings = 150
)

// shareSign is what shares have that numbers of lines have not.
var shareSign = regexp.MustCompile(`(?i)[%½¼¾]|percent|per\s+cent|\bhalf\b|\bquarter\b|\bless\b|\bminus\b|\byear\b|` +
	`\bin\s+20\d\d\b`)

// fullStop is one with another sentence behind it.
var fullStop = regexp.MustCompile(`[\pL\d%][.!]\s+\S`)

// saying is a stretch of words between two signs or joining words, and what stands before it.
type saying struct{ text, sep string }

// What stands before one.
const (
	asListed  = ", "
	asJoined  = " and "
	asExcept  = "except"
	asStopped = "."
)

var (
	joints = regexp.MustCompile(`(?i)[.!](?:\s+|$)|[;\n]+|(?:^|[\s,]\s*)` + without + `\s+|` +
		`,\s*(?:(?:and|but)\s+)?|\s+[-–—]\s+|\s*&\s*|\s+(?:and|but|while|whereas)\s+`)
	leftOut = regexp.MustCompile(`(?i)` + without)
	joining = regexp.MustCompile(`(?i)^\s*(?:and|&)\s*$`)
)

const without = `(?:all\s+but|but\s+not|except(?:\s+for)?|excluding|other\s+than|apart\s+from|besides)\b`

// sayings are the stretches of an answer in their order.
func sayings(words string) (all []saying) {
	from, sep := 0, asStopped
	add := func(to int) {
		if text := strings.TrimSpace(words[from:to]); text != "" || sep == asExcept {
			all = append(all, saying{text, sep})
		}
	}
	for _, at := range joints.FindAllStringIndex(words, -1) {
		add(at[0])
		switch sign := words[at[0]:at[1]]; {
		case leftOut.MatchString(sign):
			sep = asExcept
		case strings.ContainsAny(sign, ".!;\n"):
			sep = asStopped
		case joining.MatchString(sign):
			sep = asJoined
		default:
			sep = asListed
		}
		from = at[1]
	}
	add(len(words))
	return all
}

// teller follows an answer piece by piece.
type teller struct {
	q       Asked
	rule    string // what is said of all that no clause names
	resting bool   // it is said of the rest
	clauses []clause
	pending clause // rows that were named, of which nothing is said yet
	leaving bool   // what is named is left out of the rule
	named   bool   // some rows were
	lost    bool   // a piece cannot be followed
	passing bool   // what is heard goes on with such a piece
}

var (
	fillers = regexp.MustCompile(`(?i)^(?:(?:and|but|also|only|just|then|so|well)\s+)+`)
	goesOn  = regexp.MustCompile(`(?i)^(?:(?:that|which|it|those|these|they|both|he|she)` +
		`(?:\s+(?:is|are|was|were)|'s|'re)|is|are|was|were)\b\s*`)
	whoGoesOn = regexp.MustCompile(`(?i)^(?:i|we|he|she|they|it|that|this|those|these|so|because|as|since|who|which|` +
		`not|just|then|also|to|for|from|with|on|in|of|by|when|where|maybe|probably|my|our|a|an)\b`)
	ofRest = regexp.MustCompile(`(?i)^(?:(?:and|all)\s+)?(?:the\s+|all\s+the\s+)?(?:rest|others?|other\s+ones|` +
		`remaining(?:\s+ones)?|remainder|everything\s+else|all\s+else|anything\s+else)\b` +
		`(?:\s+(?:of\s+(?:it|them|these|those)|ones))?(?:\s*(?:=|(?:is|are|was|were|for|goes\s+to)\b))*` +
		`(?:\s+(?:all|just|only)\b)*\s*`)
	saysAll = regexp.MustCompile(`(?i)^(?:(?:they|these|those|it|most|mostly|all|everything|nearly\s+all)\b` +
		`(?:'s|'re)?(?:\s+(?:of\s+(?:it|them|these|those)|is|are|was|were|all|ones)\b)*)\s+`)
	someKind = regexp.MustCompile(`(?i)^the\s+[\pL-]+\s+ones$`)
)

// hear takes the next piece.
func (t *teller) hear(p saying) {
	text := fillers.ReplaceAllString(p.text, "")
	if p.sep == asStopped {
		t.settle()
	}
	t.leaving = t.leaving || p.sep == asExcept
	if of := ofRest.FindString(text); of != "" && t.sharing(p.sep) {
		t.clauses[len(t.clauses)-1].target += ", rest " + text[len(of):]
		return
	} else if of != "" {
		t.settle()
		t.lost = t.lost || t.resting || t.rule != ""
		t.rule, t.resting = text[len(of):], true
		return
	}
	named, behind := t.q.refers(text, t.pending.rank == byName)
	t.named = t.named || len(named.rows) > 0
	switch {
	case len(named.rows) > 0 && behind == "":
		t.pending.rows = append(t.pending.rows, named.rows...)
		t.pending.rank = max(t.pending.rank, named.rank)
	case len(named.rows) > 0:
		t.say(named, behind)
	case text == "", someKind.MatchString(text):
	case len(t.pending.rows) > 0 && goesOn.MatchString(text):
		t.say(clause{sure: true}, goesOn.ReplaceAllString(text, ""))
	case len(t.pending.rows) > 0 && !t.leaving:
		t.lose()
	default:
		t.settle()
		t.goOn(text, p.sep)
	}
}

// sharing reports whether a rest is that of the rows of which a share was said last: Verizon is 70% business, the rest
// is private.
func (t *teller) sharing(sep string) bool {
	last := len(t.clauses) - 1
	return last >= 0 && sep != asStopped && len(t.pending.rows) == 0 && aShareOf.MatchString(t.clauses[last].target)
}

var aShareOf = regexp.MustCompile(`(?i)\d\s*(?:%|percent\b)|\d\.\d\d\b`)

// say takes what is said of the rows that were named last.
func (t *teller) say(of clause, words string) {
	of.sure = of.sure || len(t.pending.rows) > 0
	of.rows = append(t.pending.rows, of.rows...)
	of.rank, of.target = max(of.rank, t.pending.rank), words
	t.clauses = append(t.clauses, of)
	t.pending, t.leaving, t.passing = clause{}, false, false
}

// settle is what becomes of rows that were named and of which nothing was said: they are left out, or are some more of
// a list of names.
func (t *teller) settle() {
	last := len(t.clauses) - 1
	switch {
	case len(t.pending.rows) == 0:
	case t.leaving:
		t.say(clause{sure: true}, notSure)
	case last >= 0 && t.clauses[last].names && t.pending.rank == byName:
		t.clauses[last].rows = append(t.clauses[last].rows, t.pending.rows...)
	default:
		t.lose()
	}
	t.pending, t.leaving = clause{}, false
}

// lose gives up what cannot be followed, and what goes on with it.
func (t *teller) lose() { t.lost, t.passing, t.pending, t.leaving = true, true, clause{}, false }

const notSure = "not sure"

// goOn takes words that begin with no rows: a rule, something of rows that are named within, or more of what was said.
func (t *teller) goOn(text, sep string) {
	within := t.q.namedIn(text)
	t.named = t.named || len(within) > 0
	last := len(t.clauses) - 1
	switch {
	case len(within) > 0:
		t.passing = false
		t.clauses = append(t.clauses, clause{part{within, byName, text}, true, true})
	case sep == asExcept:
		t.lose() // who is left out is not here
	case last < 0 || t.resting && len(t.rule) > 0 && sep != asStopped:
		if t.rule != "" {
			text = strings.Replace(sep, asStopped, asListed, 1) + text
		}
		t.rule += text
	case t.passing:
	case sep == asStopped && !whoGoesOn.MatchString(text), // of which rows, is not said
		!whoGoesOn.MatchString(text) && t.q.another(text, t.clauses[last].target):
		t.lose()
	default:
		t.clauses[last].target += strings.Replace(sep, asStopped, asListed, 1) + text
		t.clauses[last].names = false
	}
}

// parts are those of the answer. An only clause that begins with a number may be about so many of something.
func (t *teller) parts() (parts []part, named bool) {
	t.settle()
	doubtful, numbered := 0, 0
	for _, c := range t.clauses {
		if !c.sure {
			doubtful++
		}
		if c.rank < byName {
			numbered++
		}
		parts = append(parts, c.part)
	}
	switch {
	case len(t.clauses) == 0 && !t.named, doubtful > 0 && numbered < 2 && !t.q.apart():
		return nil, false
	case doubtful > 0 && numbered < 2, len(t.clauses) == 0:
		return nil, true
	case t.lost: // of which rows the rule is, is not known
		return parts, true
	}
	if rule := strings.TrimSpace(saysAll.ReplaceAllString(t.rule, "")); rule != "" && !t.q.namesAll(parts) {
		parts = append(parts, part{nil, theRest, rule})
	}
	return parts, true
}

var article = regexp.MustCompile(`(?i)^(?:the|an?)\s+`)

// another reports whether words say something else than others do.
func (q Asked) another(words, others string) bool {
	says, said := q.target(article.ReplaceAllString(words, "")), q.target(others)
	a, known := ontology.ScheduleC().ByID(says.CategoryID)
	b, also := ontology.ScheduleC().ByID(said.CategoryID)
	return known && also && !related(a, b)
}

// target is what is said of the rows before a colon. It names no rows itself: where it is written as if it did, it has
// the problem that there are none.
func (q Asked) target(words string) Meaning {
	q.Lines = nil
	if m, ok := q.nothingSaid(words); ok {
		return m
	}
	if _, problem, ok := q.parts(words); ok {
		return Meaning{Problem: problem}
	}
	return q.saidOfAll(words, nil)
}
