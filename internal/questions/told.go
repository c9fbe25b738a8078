package questions

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

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
	words = inParts(words)
	m, _ := q.readSplit(plain(words))
	rows := linked.MatchString(words) && len(q.mentions(words)) > 0 // a row's amount is no part of one
	if m.Split != nil && !rows && (!q.apart() || shareSign.MatchString(words) && !fullStop.MatchString(words)) {
		return nil, false
	}
	t := teller{q: q, lost: q.namesOneOfSeveral(words)}
	t.doubtful = t.lost
	all := q.sayings(words)
	for _, s := range all[:min(len(all), mostSayings)] {
		t.hear(s)
	}
	t.stop()
	t.lost = t.lost || len(all) > mostSayings
	return t.parts()
}

// What is longer, or of more pieces, is nothing that a person says in sentences.
const (
	mostTold    = 2000 // bytes
	mostSayings = 150
)

var (
	// shareSign is what shares have that numbers of lines have not.
	shareSign = regexp.MustCompile(`(?i)[%½¼¾]|percent|per\s+cent|\bhalf\b|\bquarter\b|\bless\b|\bminus\b|\byear\b|` +
		`\bin\s+20\d\d\b`)
	// fullStop is one with another sentence behind it.
	fullStop = regexp.MustCompile(`[\pL\d%][.!]\s+\S`)
)

// teller follows an answer saying by saying.
type teller struct {
	q        Asked
	rule     []string // what is said of all that no clause names
	rest     []string // what is said of the rest
	clauses  []clause
	began    int      // clauses before this sentence
	pending  []clause // rows that were named, of which nothing is said yet
	held     []string // words that begin a sentence: the rule, unless rows follow that they are about
	same     bool     // the rows that were named last are what those before are
	leaving  bool     // what is named is left out of the rule
	resting  bool     // what is said last is said of the rest
	heading  string   // what a sentence says before a colon of the rows behind it
	parting  bool     // the sentence speaks of parts of a row
	days     series   // the figures of days that it says
	dayed    int      // how many of the last clauses they are
	doubtful bool     // a name may be that of several
	lost     bool     // something cannot be followed
	passing  bool     // what is heard goes on with it
}

var (
	fillers = regexp.MustCompile(`(?i)^(?:(?:and|but|also|only|just|then|so|well|ok|okay)\b[\s,]*)+`)
	goesOn  = regexp.MustCompile(`(?i)^(?:(?:that|which|it|those|these|they|both|all|he|she|who)` +
		`(?:\s+(?:is|are|was|were)\b|'s\b|'re\b|s\b|\b)|is\b|are\b|was\b|were\b)\s*(?:all\s+|both\s+|just\s+)*`)
	saysAll = regexp.MustCompile(`(?i)^(?:(?:they|these|those|it|most|mostly|all|everything|everybody|` +
		`nearly\s+all|pretty\s+much)\b` +
		`(?:'s|'re)?(?:\s+(?:of\s+(?:it|them|these|those)|is|are|was|were|all|ones)\b)*)[\s,]+`)
	ofRest = regexp.MustCompile(`(?i)^(?:(?:and|all|but)\s+)?(?:the\s+|all\s+the\s+)?(?:rest|other\s+ones|` +
		`other\s+(?:\d+|two|three|four|five|six|seven|eight|nine|ten|is|was|checks|deposits|payments|charges|` +
		`stuff|things|lines|purchases|orders)|others|` +
		`remaining(?:\s+ones)?|remainder|everything\s+else|everyone\s+else|everybody\s+else|all\s+else|` +
		`anything\s+else|what'?s\s+left|whatever\s+is\s+left)\b` +
		`(?:\s+(?:of\s+(?:it|them|these|those)|ones|on\s+here|here))?(?:\s*(?:=|:|(?:is|are|was|were|for|` +
		`goes\s+to)\b))*` +
		`(?:\s+(?:all|just|only)\b)*\s*`)
	soIs = regexp.MustCompile(`(?i)^(?:and\s+)?(?:so\s+(?:is|are|was|were|did|does|do)|` +
		`same\s+(?:goes\s+)?(?:for|with|thing\s+for)|likewise)\b`)
	theSame = regexp.MustCompile(`(?i)^(?:the\s+)?same(?:\s+(?:thing|here|deal|too))?$`)
	isMany  = regexp.MustCompile(`(?i)^[\s,]*(?:are|were)\b`)
	theOnly = regexp.MustCompile(`(?i)^(?:the\s+)?only\s+(?:\pL+\s+)?(?:ones?|things?)\s+(?:that'?s\s+|` +
		`that\s+is\s+|which\s+is\s+)?`)
)

// hear takes the next saying.
func (t *teller) hear(s saying) {
	if s.sep == asStopped {
		t.stop()
	}
	if s.sep == asExcept {
		t.finish(false)
		t.rules()
		t.leaving = true
	}
	if len(s.named) > 0 {
		t.ofRows(s)
		return
	}
	text := fillers.ReplaceAllString(strings.TrimSpace(s.text), "")
	if of := ofRest.FindString(text); of != "" {
		t.ofTheRest(text, of, s.sep)
		return
	}
	switch {
	case someOf.MatchString(text):
		t.lose() // of which, is not said
	case text == "" && s.sep != asExcept:
	case s.sep == asExcept:
		t.lose() // who is left out is not here
	case ofIt.MatchString(text) && len(t.pending) == 0 && len(t.clauses) > 0:
		t.parting, t.held = true, nil // what began the sentence says of which paper it is
		last := &t.clauses[len(t.clauses)-1]
		last.said = append(last.said, text)
	case len(t.pending) == 0 && figureIn(text) && s.sep == asStopped && cameBackTo(t.clauses, text) >= 0:
		of := &t.clauses[cameBackTo(t.clauses, text)] // the van is the 391.50 ones; van interest was 1,250 for the year
		of.said, t.passing = append(of.said, text), true
	case len(t.pending) > 0 && goesOn.MatchString(text):
		t.say(clause{}, goesOn.ReplaceAllString(text, ""))
	case len(t.pending) > 0 && (s.sep == asColon || t.leaving && besidesIt.MatchString(text) ||
		figureFirst.MatchString(text)):
		t.parting = t.parting || s.sep == asColon && figureFirst.MatchString(text)
		t.say(clause{}, text)
	case len(t.pending) > 0 && bareName.MatchString(text) && !t.q.says(text):
		t.lost = true // of a list, and of none of the rows
	case len(t.pending) > 0 && t.pending[len(t.pending)-1].noun == "" && !t.leaving:
		t.lose()
	case t.resting:
		t.rest = append(t.rest, text)
	case len(t.clauses) == t.began && len(t.pending) == 0:
		t.held = append(t.held, text)
	case t.passing:
	default:
		t.finish(false)
		t.add(s.sep, text)
	}
}

// bareName is what may be the name of somebody.
var bareName = regexp.MustCompile(`^(?:(?:the|my|our)\s+)?\p{Lu}[\pL'’&.-]{2,}(?:\s+\p{Lu}[\pL'’&.-]*){0,2}$`)

// someOf begins what is said of rows that are not named.
var someOf = regexp.MustCompile(`(?i)^(?:some|a\s+few|a\s+couple|several|many)\s+` +
	`(?:of\s+(?:them|these|those|the)|others?|more|were|are|is|was)\b`)

// ofTheRest takes what is said of the rest: of the rows of which a share was said last, as in Verizon is 70% business,
// the rest is private, or of all that no clause names.
func (t *teller) ofTheRest(text, rest, sep string) {
	last := len(t.clauses) - 1
	if t.dayed > 0 {
		for i := range t.clauses[len(t.clauses)-t.dayed:] {
			of := &t.clauses[len(t.clauses)-1-i]
			of.said = append(of.said, "rest "+text[len(rest):])
		}
		return
	}
	if last >= 0 && sep != asStopped && len(t.pending) == 0 &&
		aShareOf.MatchString(strings.Join(t.clauses[last].said, ", ")) {
		t.clauses[last].said = append(t.clauses[last].said, "rest "+text[len(rest):])
		return
	}
	t.stop()
	t.lost = t.lost || t.rest != nil
	t.rest, t.resting = []string{text[len(rest):]}, true
}

var aShareOf = regexp.MustCompile(`(?i)\d\s*(?:%|percent\b)|\d\.\d\d\b`)

// ofRows takes a saying that names rows.
func (t *teller) ofRows(s saying) {
	if s.named = s.notReasons(); len(s.named) == 0 {
		t.hear(s)
		return
	}
	t.resting, t.passing = false, false
	m, lead, tail := s.ofOne()
	t.parting = t.parting || ofIt.MatchString(s.text)
	if t.parting && m.kind == theAmount && !m.several && len(t.clauses) > t.began && len(t.pending) == 0 {
		last := &t.clauses[len(t.clauses)-1]
		if !t.q.partOfAll(s.text[m.from:m.to], last.rows) {
			t.lose() // a part of what was named
			return
		}
		last.said = append(last.said, s.text)
		return
	}
	if s.sep == asColon && t.partOfPending(m) && lead == "" { // 12/8: 250 to Beto, 150 for me
		t.parting = true
		t.say(clause{}, s.text)
		return
	}
	if s.sep == asColon {
		if len(t.held) > 0 {
			t.heading, t.held = strings.Join(t.held, ", "), nil
		}
		t.pending = nil // whose the rows are
	}
	if len(t.held) == 1 && s.sep != asStopped && bareName.MatchString(t.held[0]) && !t.q.says(t.held[0]) {
		t.lost, t.held = true, nil // of a list, and of none of the rows
	}
	if t.ofDay(s, m) {
		return
	}
	if t.leaving && t.pendingAre(m.rows) && strings.EqualFold(lead, "that") { // except June 13, that 200 was a tip
		m.rows, t.pending = t.pending[0].rows, nil
	}
	said := len(t.clauses) > t.began && len(t.pending) == 0 && s.sep != asExcept
	switch {
	case ofRest.MatchString(lead):
		t.lose()
	case soIs.MatchString(lead):
		t.asBefore(clause{rows: m.rows, rank: m.rank, sure: true})
	case said && m.kind == theDate && besidesIt.MatchString(lead):
		t.add(s.sep, s.text) // when something was, that was said of others
	default:
		t.place(s.sep, m, lead, nouns.ReplaceAllString(strings.TrimLeft(tail, ") "), ""))
	}
}

// place has what stands before rows and behind them say what they are.
func (t *teller) place(sep string, m mention, lead, tail string) {
	noun, links, many := article.ReplaceAllString(lead, ""), isOne.FindString(tail), isMany.MatchString(tail)
	of := clause{rows: m.rows, rank: m.rank, sure: m.sure || links != ""}
	tail = strings.TrimSpace(tail[len(links):])
	switch {
	case noun == "" && t.same && links == "" && sep != asStopped:
		t.asBefore(of)
	case noun == "" && tail == "":
		t.wait(of)
	case noun == "":
		t.begin()
		t.finish(many)
		t.say(of, tail)
	case links == "" && tail == "" && sep == asJoined && t.narrows(m.rows):
		last := &t.clauses[len(t.clauses)-1] // she did hair and makeup for 200
		last.rows, last.rank = m.rows, m.rank
		t.add(sep, lead)
	default:
		t.held = nil
		t.calls(of, noun, lead, links, tail, many)
	}
}

// calls takes rows with words before them: what they are called, or what is said of them.
func (t *teller) calls(of clause, noun, lead, links, tail string, many bool) {
	part := figureOf.FindStringSubmatch(lead)
	switch {
	case links != "" && part != nil: // 3.50 of the 103.50 was the fee
		t.finish(many)
		t.say(of, withCents(part[1])+" was "+tail)
	case links != "":
		t.finish(many)
		of.noun = noun
		t.say(of, tail)
	case tail != "":
		t.finish(false)
		t.say(of, strings.TrimSpace(lead+" "+tail))
	case theOnly.MatchString(lead) || linked.MatchString(" "+noun+" "):
		t.finish(false)
		t.say(of, linkedAway.ReplaceAllString(theOnly.ReplaceAllString(lead, ""), ""))
	default:
		of.noun = noun
		t.pending = append(t.pending, of)
	}
}

// wait keeps rows until something is said of them, unless the heading or what began the sentence does.
func (t *teller) wait(of clause) {
	t.pending = append(t.pending, of)
	if t.heading != "" {
		t.say(clause{}, "")
	} else if held := strings.Join(t.held, ", "); held != "" && linked.MatchString(" "+held) {
		t.held = nil
		t.say(clause{}, held)
	}
}

// pendingAre reports whether the rows that were named last are some of others.
func (t *teller) pendingAre(rows []uuid.UUID) bool {
	return len(t.pending) == 1 && len(common(t.pending[0].rows, rows)) == len(t.pending[0].rows)
}

// ofDay takes a saying that gives the figure of a part of the row of a day. It is false where a saying is none.
func (t *teller) ofDay(s saying, m mention) bool {
	figure, subject, ok := figureOn(s, m, t.days.begun)
	if !ok {
		return false
	}
	if !t.days.begun {
		t.days = series{begun: true, base: t.figuresAreOf(s.text[:m.from]),
			subject: someHave.ReplaceAllString(t.heading, "")}
	}
	t.days.subject = cmp.Or(subject, t.days.subject)
	days := m.rows
	if d, ok := t.q.dateAt(s.text, m.from, nil); ok { // of all, not of those that were named before
		days = d.rows
	}
	c, clear := t.q.clauseOn(t.days, figure, days)
	if !clear && c.rows == nil {
		return false
	}
	t.clauses, t.dayed = append(t.clauses, c), t.dayed+1
	return true
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

var figureOf = regexp.MustCompile(`(?i)(\$?\d[\d,]*(?:\.\d\d)?)\s+of(?:\s+(?:the|that|those))?\s*\$?$`)

// ofIt is what speaks of a part of a row.
var ofIt = regexp.MustCompile(`(?i)\b(?:half|part|some|most|\d[\d,.]*)\s+of\s+(?:it|that|this|them)\b`)

// besidesIt is how a remark begins.
var besidesIt = regexp.MustCompile(`(?i)^(?:(?:i|we|he|she|they|it)(?:'d|'ve|'m|'s)?|because|since|so|which|who|` +
	`when)\b`)

var linkedAway = regexp.MustCompile(`(?i)\s+(?:is|are|was|were)\s*(?:the|that)?\s*$`)

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
		if last.said[0] == notSure && goesOn.MatchString(held[0]) { // all but the Amazon ones. Those are ink
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
	for _, p := range t.pending {
		of.rows = append(of.rows, p.rows...)
		of.rank, of.sure = max(of.rank, p.rank), true
	}
	if theSame.MatchString(words) {
		words = t.before()
	}
	of.said = []string{words}
	if t.heading != "" && (words == "" || t.q.says(t.heading) && !t.ownersOwn(words)) {
		of.said = []string{t.heading}
	}
	t.clauses = append(t.clauses, of)
	t.pending, t.leaving, t.passing, t.same = nil, false, false, false
}

// ownersOwn is whether words say that rows are private, under a heading that says something else.
func (t *teller) ownersOwn(words string) bool {
	return t.q.direction() == Out && isPrivate.MatchString(words) && !negated.MatchString(words)
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
			t.say(clause{rows: p.rows, rank: p.rank, sure: true}, notSure)
		default:
			t.pending = append(t.pending, p) // with what follows
		}
	}
}

// stop ends a sentence.
func (t *teller) stop() {
	t.finish(false)
	if len(t.pending) > 0 {
		t.lose()
	}
	t.rules()
	t.pending, t.leaving, t.same, t.resting, t.parting, t.heading = nil, false, false, false, false, ""
	t.days, t.dayed = series{}, 0
	t.began = len(t.clauses)
}

// lose gives up what cannot be followed, and what goes on with it.
func (t *teller) lose() { t.lost, t.passing, t.pending, t.leaving = true, true, nil, false }

// add adds words to what was said last.
func (t *teller) add(sep, text string) {
	if len(t.pending) > 0 || len(t.clauses) == 0 {
		t.lose()
		return
	}
	last := &t.clauses[len(t.clauses)-1]
	if sep != asJoined && !whoGoesOn.MatchString(text) && t.q.another(text, strings.Join(last.said, ", ")) {
		t.lose()
		return
	}
	if sep == asJoined {
		last.said[len(last.said)-1] += asJoined + text
	} else {
		last.said = append(last.said, text)
	}
}

// parts are those of the answer. An only clause that begins with a number may be about so many of something.
func (t *teller) parts() (parts []part, named bool) {
	doubtful, numbered := 0, 0
	for i, c := range t.clauses {
		if !c.sure {
			doubtful++
		}
		if c.rank < byName {
			numbered++
		}
		text, clear := t.q.clearest(c)
		if !clear {
			if split, is := t.q.parted(c.said, c.rows, t.beside(i)); is {
				text, clear = split, t.q.target(split).Split != nil
			}
		}
		if !clear && t.finer(i) {
			continue
		}
		parts = append(parts, part{rows: c.rows, rank: c.rank, target: text, lost: !clear && !t.q.readApart()})
	}
	switch {
	case len(t.clauses) == 0:
		parts, named = t.oneParted()
		return parts, named || t.doubtful || t.lost && t.rule == nil && t.rest == nil
	case doubtful > 0 && numbered < 2 && !t.q.apart():
		return nil, false
	case doubtful > 0 && numbered < 2:
		return nil, true
	case t.lost: // of which rows the rule is, is not known
		return parts, true
	}
	if rule := t.ruled(); rule != "" && !t.q.namesAll(parts) && !t.q.leavesInterest(rule) {
		parts = append(parts, part{rank: theRest, target: rule})
	}
	return parts, true
}

// leavesInterest reports whether a rule beside what is said of some payments of a loan says no more than that they are
// one: how much interest is in them is not known.
func (q Asked) leavesInterest(rule string) bool {
	c, known := ontology.ScheduleC().ByID(q.target(rule).CategoryID)
	return known && q.ofLoan() && slices.Contains(loans, c.Path)
}

// oneParted is an answer that divides all rows.
func (t *teller) oneParted() (parts []part, named bool) {
	split, is := t.q.parted(append(slices.Clone(t.rule), t.rest...), nil, "")
	if t.rest != nil {
		split, is = t.q.parted(t.rule, nil, strings.Join(t.rest, ", "))
	}
	if !is || t.lost || t.q.target(split).Split == nil {
		return nil, false
	}
	return []part{{rank: theRest, target: split}}, true
}

// beside is what is said of the rows of a clause by one that names them less closely, or by the rule.
func (t *teller) beside(of int) string {
	rows := t.clauses[of].rows
	for _, c := range t.clauses {
		if text, clear := t.q.clearest(c); clear && len(c.rows) > len(rows) &&
			len(common(rows, c.rows)) == len(rows) {
			return text
		}
	}
	return t.ruled()
}

// ruled is what is said of all rows that no clause names.
func (t *teller) ruled() string {
	if t.rest == nil {
		return t.q.ofRule(t.rule)
	}
	rule, rest := strings.Join(t.rule, ", "), t.q.ofRule(t.rest)
	if m := t.q.target(rule); rule != "" && !m.Unclear && !m.Mixed && t.q.another(rule, rest) {
		return ""
	}
	return rest
}

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

// finer reports whether other clauses say of all rows of one what they are, and name them more closely.
func (t *teller) finer(of int) bool {
	for _, row := range t.clauses[of].rows {
		if !slices.ContainsFunc(t.clauses, func(c clause) bool {
			closer := cmp.Or(cmp.Compare(c.rank, t.clauses[of].rank), cmp.Compare(len(c.rows), len(t.clauses[of].rows)))
			return closer < 0 && slices.Contains(c.rows, row)
		}) {
			return false
		}
	}
	return true
}
