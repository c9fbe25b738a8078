package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/wording"
)

// teller follows an answer saying by saying.
type teller struct {
	q        Asked
	within   bool     // what was named last is what figures are of
	text     string   // of the saying that is heard
	unheard  []string // what cannot be followed
	rule     []string // what is said of all that no clause names
	rest     []string // what is said of the rest
	clauses  []clause
	began    int       // clauses before this sentence
	pending  []clause  // rows that were named, of which nothing is said yet
	held     []string  // words that begin a sentence: the rule, unless rows follow that they are about
	same     bool      // the rows that were named last are what those before are
	leaving  bool      // what is named is left out of the rule
	resting  bool      // what is said last is said of the rest
	heading  string    // what a sentence says before a colon of the rows behind it
	parting  bool      // the sentence speaks of parts of a row
	days     series    // the figures of days that it says
	except   excepting // the subject some of which is left out
	leftOut  bool      // what the sentence said last is of what is left out
	dayed    int       // how many of the last clauses they are
	doubtful bool      // a name may be that of several
	lost     bool      // something cannot be followed
	lostRows bool      // so that rows were named of which nothing is known: it is not said of all
	passing  bool      // what is heard goes on with it
	restLast bool      // what was said last is said of the rest
}

var (
	goesOn = regexp.MustCompile(`(?i)^(?:(?:that|which|it|those|these|they|both|all|he|she|who)` +
		`(?:\s+(?:is|are|was|were)\b|'s\b|'re\b|s\b|\b)|is\b|are\b|was\b|were\b)\s*(?:all\s+|both\s+|just\s+)*(?:an?\s+)?`)
	saysAll = regexp.MustCompile(`(?i)^(?:(?:they|these|those|it|most|mostly|all|everything|everybody|` +
		`nearly\s+all|pretty\s+much)\b` +
		`(?:'s|'re)?(?:\s+(?:of\s+(?:it|them|these|those)|is|are|was|were|all|ones)\b)*)[\s,]+`)
)

// pendingAre reports whether the rows that were named last are some of others.
func (t *teller) pendingAre(rows []uuid.UUID) bool {
	return len(t.pending) == 1 && len(common(t.pending[0].rows, rows)) == len(t.pending[0].rows)
}

// figuresAreOf are the rows that figures are parts of: those of the clause that words speak of, else of the last one in
// the sentence; nil where no clause names any.
func (t *teller) figuresAreOf(words string) []uuid.UUID {
	words += " " + t.heading + " " + strings.Join(t.held, " ")
	if ofTheOthers.MatchString(words) {
		return nil
	}
	if of := cameBackTo(t.clauses, words); of >= 0 {
		return t.clauses[of].rows
	}
	if last := len(t.clauses) - 1; last >= t.began {
		return t.clauses[last].rows
	}
	return nil
}

// partOfPending reports whether an amount is a part of the rows that were named last, and not one of them.
func (t *teller) partOfPending(m mention) bool {
	if len(t.pending) != 1 || m.kind != theAmount || m.several || common(m.rows, t.pending[0].rows) != nil {
		return false
	}
	return t.q.smaller(m.rows, t.pending[0].rows)
}

// narrows reports whether rows are some of those of which something was said last in the sentence.
func (t *teller) narrows(rows []uuid.UUID) bool {
	last := len(t.clauses) - 1
	return last >= t.began && len(t.pending) == 0 && len(common(t.clauses[last].rows, rows)) == len(rows)
}

// asBefore says of rows what was said of those before.
func (t *teller) asBefore(of clause) {
	before := t.before()
	if before == "" {
		t.lose()
		return
	}
	t.say(of, before)
	t.same = true
}

// before is what was said last.
func (t *teller) before() string {
	if t.restLast {
		return strings.Join(t.rest, ", ")
	}
	if last := len(t.clauses) - 1; last >= 0 {
		return strings.Join(t.clauses[last].said, ", ")
	}
	return strings.Join(append(slices.Clone(t.rule), t.held...), ", ")
}

// begin has the words that began the sentence be the rule, since the rows that follow are no example of them.
func (t *teller) begin() {
	if len(t.held) > 0 && len(t.clauses) == t.began && len(t.pending) == 0 {
		t.rules()
	}
}

// rules takes what began a sentence for the rule: before anything is said of some rows it is said of all.
func (t *teller) rules() {
	held := t.held
	t.held = nil
	switch {
	case len(held) == 0:
	case len(t.clauses) == 0 && t.rule != nil && ofAnother(held[0]) &&
		t.q.another(strings.Join(held, ", "), t.q.ofRule(t.rule)):
		t.lost = true // of which rows, is not said
	case len(t.clauses) == 0 && t.rest == nil:
		t.rule = append(t.rule, held...)
	case len(t.clauses) > 0 && whoGoesOn.MatchString(held[0]):
		last := &t.clauses[len(t.clauses)-1]
		if last.said[0] == leftOutPart && goesOn.MatchString(held[0]) { // all but the Amazon ones. Those are ink
			last.said, held[0] = nil, goesOn.ReplaceAllString(held[0], "")
		}
		last.said = append(last.said, held...)
	default:
		t.lost = true // of which rows, is not said
	}
}

// ofAnother reports whether a sentence is about something that it names, and goes on with nothing.
func ofAnother(text string) bool {
	return linked.MatchString(" "+text) && !figureIn(text) && !whoGoesOn.MatchString(text) && !saysAll.MatchString(text)
}

// say takes what is said of the rows that were named last.
func (t *teller) say(of clause, words string) {
	var heard []string
	for _, p := range t.pending {
		of.rows = append(of.rows, p.rows...)
		of.rank, of.sure = max(of.rank, p.rank), true
		heard = append(heard, strings.TrimSpace(p.words))
	}
	if text := strings.TrimSpace(t.text); !slices.Contains(heard, text) {
		heard = append(heard, text)
	}
	of.words = strings.Join(heard, ", ")
	if theSame.MatchString(words) {
		words = t.before()
	}
	of.said = []string{words}
	if t.heading != "" && (words == "" || t.q.says(t.heading) && !t.ownersOwn(words)) {
		of.said = []string{t.heading}
	}
	t.clauses = append(t.clauses, of)
	t.pending, t.leaving, t.passing, t.same, t.within, t.restLast = nil, false, false, false, false, false
}

// ownersOwn is whether words say that rows are private, under a heading that says something else.
func (t *teller) ownersOwn(words string) bool {
	return t.q.Direction() == wording.Out && isPrivate.MatchString(words) && !negated.MatchString(words)
}

// finish is what becomes of rows that were named before others of which something is said: they are of a list whose
// end says it, or are what they are called.
func (t *teller) finish(many bool) {
	if many {
		return
	}
	pending := t.pending
	t.pending = nil
	for _, p := range pending {
		switch {
		case p.noun != "":
			t.say(clause{rows: p.rows, rank: p.rank, sure: p.sure}, p.noun)
		case t.leaving:
			t.say(clause{rows: p.rows, rank: p.rank, sure: true}, leftOutPart)
		default:
			t.pending = append(t.pending, p) // with what follows
		}
	}
}

// stop ends a sentence.
func (t *teller) stop() {
	t.finish(false)
	if len(t.pending) > 0 || t.except.is {
		if len(t.pending) > 0 {
			t.text = t.pending[0].words
		}
		t.doubtful = t.doubtful || t.except.is // what is said of the others is not of all
		t.lose()
	}
	t.rules()
	t.pending, t.leaving, t.same, t.resting, t.parting, t.heading = nil, false, false, false, false, ""
	t.days, t.dayed, t.except, t.within, t.leftOut = series{}, 0, excepting{}, false, false
	t.began = len(t.clauses)
}

// lose gives up what cannot be followed, and what goes on with it.
func (t *teller) lose() {
	t.lostRows = t.lostRows || len(t.pending) > 0
	t.lost, t.passing, t.pending, t.leaving = true, true, nil, false
	t.unheard = append(t.unheard, strings.TrimSpace(t.text))
}

// doubtLast has what was said last be undecided: of some of these rows something else was said, and not of which.
func (t *teller) doubtLast() {
	if last := len(t.clauses) - 1; last >= 0 {
		t.clauses[last].said = append(t.clauses[last].said, unclearPart)
	}
}

// add adds words to what was said last.
func (t *teller) add(sep, text string) {
	if len(t.pending) > 0 || len(t.clauses) == 0 {
		t.lose()
		return
	}
	if othersTime.MatchString(text) {
		t.lose()
		return
	}
	last := &t.clauses[len(t.clauses)-1]
	if sep == asBut && partlyElse.MatchString(text) {
		t.doubtLast()
	}
	if sep != asJoined && !whoGoesOn.MatchString(text) && t.q.another(text, strings.Join(last.said, ", ")) {
		if isInParts.MatchString(text) {
			t.doubtLast()
		}
		t.lose()
		return
	}
	last.words += sep + text
	if sep == asJoined {
		last.said[len(last.said)-1] += asJoined + text
	} else {
		last.said = append(last.said, text)
	}
}

// othersTime begins what is said of rows of another time than those before.
var othersTime = regexp.MustCompile(`(?i)^(?:before|after|then|later|earlier|otherwise|afterwards?)\b`)

// ofRule are the words of a rule that say what the rows are.
func (q Asked) ofRule(said []string) string {
	if len(said) == 0 {
		return ""
	}
	said = slices.Clone(said)
	said[0] = strings.TrimSpace(saysAll.ReplaceAllString(said[0], ""))
	if text, clear := q.clearest(clause{said: said}); clear || q.readApart() {
		return text
	}
	return ""
}
