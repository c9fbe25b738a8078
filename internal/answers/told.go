package answers

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"bizfin/internal/wording"
)

// An owner who has several things to say seldom writes parts with colons: "repairs. Derek is my brother, 3 and 5 were
// returned, except the 180, that was a tip". Such words are parts, too: what is true of one line is not said of all.

// told reads plain words that say of some rows what they are. named is whether they name any, unheard what cannot be
// followed. Where a clause cannot be followed the others are read, and no rule.
func (q Asked) told(words string) (parts []part, named bool, unheard []string) {
	if q.Company || len(q.Lines) < 2 || len(words) > mostTold {
		return nil, false, nil
	}
	if len(q.Lines) > 1 && someAre.MatchString(words) {
		return nil, true, nil
	}
	words = thenSold.ReplaceAllString(words, "$1, $2")
	words = dashedDays.ReplaceAllString(q.spacedAmounts(spacedNumbers(inParts(words))), "$1 to $2")
	words = atRate.ReplaceAllString(q.dashed(words), "commission")
	m, _ := q.readSplit(plain(words))
	rows := q.splitOfNone(words, m) || q.numbersRows(words) || // these are no parts of one
		linked.MatchString(words) && len(q.mentions(words)) > 0
	if m.Split != nil && !rows && (!q.apart() || shareSign.MatchString(words) && !fullStop.MatchString(words)) {
		return nil, false, nil
	}
	t := teller{q: q, lost: q.namesOneOfSeveral(words)}
	t.doubtful = t.lost
	all := q.sayings(words)
	for i, s := range all[:min(len(all), mostSayings)] {
		t.text = s.text
		if t.heading != "" && s.sep == asListed && isHeading(all[i:]) { // lawyer: 1003, accountant: 1004
			s.sep = asStopped
		}
		t.hear(s)
	}
	t.stop()
	t.lost = t.lost || len(all) > mostSayings
	parts, named = t.parts()
	named = named || t.rest != nil && !strings.ContainsAny(words, "0123456789½¼") // of others than the words before it
	return parts, named || q.numbersRows(words), t.unheard
}

// dashed are words of which a dash between a name and what it is says is: Miguel Ochoa - subcontractor.
func (q Asked) dashed(words string) string {
	return aDashed.ReplaceAllStringFunc(words, func(said string) string {
		of := aDashed.FindStringSubmatch(said)
		if named := q.mentions(of[2]); len(named) != 1 || named[0].from > 0 || named[0].to < len(of[2]) {
			return said
		}
		return of[1] + of[2] + " is "
	})
}

// thenSold is a sentence that says of what the one before it names that it is sold again.
var thenSold = regexp.MustCompile(`(?i)([\pL\d])[.!]\s+((?:we|i)\s+(?:re)?sell\s+(?:all\s+of\s+)?(?:it|them|` +
	`those|these|that)\b)`)

// dashedDays are those of a span: 5/9 - 6/30.
var dashedDays = regexp.MustCompile(`(?i)(\d{1,2}/\d{1,2}|\b[a-z]{3,9}\.?\s+\d{1,2})\s+[-–—]\s+(\d{1,2}/\d{1,2}|` +
	`(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+\d{1,2})`)

var aDashed = regexp.MustCompile(`(^|[.;,\n]\s*)([^.;,\n:–—-]{1,40}?)\s+[-–—]+\s+`)

// spacedNumbers are words with commas in a list of line numbers that has only spaces: 16 26 37 personal.
func spacedNumbers(words string) string {
	return inSpaces.ReplaceAllStringFunc(words, func(said string) string {
		of := inSpaces.FindStringSubmatch(said)
		return of[1] + strings.Join(strings.Fields(of[2]), ", ") + of[3]
	})
}

// spacedAmounts are words with commas between amounts of rows that have only spaces: 33.49 24.99 private.
func (q Asked) spacedAmounts(words string) string {
	return amountsInSpaces.ReplaceAllStringFunc(words, func(said string) string {
		of := amountsInSpaces.FindStringSubmatch(said)
		numbers := strings.Fields(of[2])
		for _, number := range numbers {
			if q.ofAmount(strings.ReplaceAll(number, ",", ""), false) == nil {
				return said
			}
		}
		return of[1] + strings.Join(numbers, ", ") + of[3]
	})
}

var amountsInSpaces = regexp.MustCompile(`(^|[,;.:]\s+)(\d[\d,]*(?:\.\d\d)?(?:\s+\d[\d,]*(?:\.\d\d)?)+)(\s+\pL)`)

var inSpaces = regexp.MustCompile(`(^|[,;.]\s*|\blines?\s+)(\d{1,2}(?:\s+\d{1,2}){2,})(\s+\pL)`)

// splitOfNone reports whether what is written as a split names the amount of a row, and does not fit the others: 2899
// personal, rest office supplies.
func (q Asked) splitOfNone(words string, m Meaning) bool {
	return m.Split != nil && !q.fits(*m.Split) && slices.ContainsFunc(q.mentions(words), func(m mention) bool {
		return m.kind == theAmount && m.sure
	})
}

// numbersRows reports whether words name rows by numbers that the bank wrote, as on checks, and say no share: such a
// number is no sum of money.
func (q Asked) numbersRows(words string) bool {
	return !shareSign.MatchString(words) && slices.ContainsFunc(q.mentions(words), func(m mention) bool {
		return m.kind == theNumber
	})
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

var (
	fillers = regexp.MustCompile(`(?i)^(?:(?:and|but|also|only|just|then|so|well|ok|okay)\b[\s,]*)+`)
	soIs    = regexp.MustCompile(`(?i)^(?:and\s+)?(?:so\s+(?:is|are|was|were|did|does|do)|` +
		`same\s+(?:goes\s+)?(?:for|with|thing\s+for)|likewise|ditto)\b`)
	alsoAre = regexp.MustCompile(`(?i)^(?:and\s+)?also$`)
)

// hear takes the next saying.
func (t *teller) hear(s saying) {
	if s.sep == asStopped {
		t.stop()
	}
	if behind := s.excludedBehind(); behind >= 0 { // 1003 excluded, all are rent
		s.sep, s.text = asExcept, s.text[:behind]
	}
	if s.sep == asBut && len(s.named) > 0 && onlyThose.MatchString(s.text) { // but only from May on
		t.doubtLast()
		t.lose()
		t.doubtful = true
		return
	}
	if s.sep == asBut && (isSubject(strings.Join(t.held, ", ")) || t.onlyNames(s)) {
		s.sep = asExcept // everybody but Ann; they are all rent but 1002
	}
	if s.sep == asExcept && !s.not && t.excepts(s) {
		return
	}
	if s.not && len(t.pending) > 0 && s.onlyRows() { // Nina, not Jose, is my landlord
		return
	}
	if t.except.is && t.ofSubject(s) {
		return
	}
	if s.sep == asBut && len(s.named) == 0 && oneNamed.MatchString(s.text) { // all of them but the insurance one
		t.lose()
		t.doubtful = true
		return
	}
	if (t.except.is || t.leaving) && len(s.named) == 0 && aRowNamed.MatchString(s.text) { // the 900 ones
		t.lose()
		t.doubtful = true
		return
	}
	if s.sep == asExcept {
		t.finish(false)
		t.rules()
		t.leaving = true
	}
	if s.ofAnother() {
		t.lose()
		t.doubtful = true
		return
	}
	if len(s.named) > 0 {
		if t.ofRows(s); s.not {
			t.finish(false) // what follows is not of them
		}
		return
	}
	text := fillers.ReplaceAllString(strings.TrimSpace(s.text), "")
	if of := ofRest.FindString(text); of != "" {
		t.ofTheRest(text, of, s.sep)
		return
	}
	t.ofWords(s, text)
}

// onlyThose begins what limits to some rows what was said of more.
var onlyThose = regexp.MustCompile(`(?i)^\s*only\b`)

// aRowNamed is what looks like a row of a list, and names none.
var aRowNamed = regexp.MustCompile(`(?i)^\s*(?:and\s+)?(?:the\s+)?\$?\d[\d,.]*s?(?:\s+ones?)?\s*$`)

// oneNamed is a row that is left out by what no row is known by.
var oneNamed = regexp.MustCompile(`(?i)^\s*(?:the|that|my|one)\s+(?:[\pL'’-]+\s+){0,3}(?:ones?|checks?|deposits?|` +
	`payments?|rows?|lines?)\s*$`)

// deniedBehind says of the rows before it that they are not what the others are.
var deniedBehind = regexp.MustCompile(`(?i)^\s*(?:(?:is|are|was|were)(?:n['’]t|\s+not)|ain['’]t)[\s,.!]*$`)

// ofWords takes a saying that names no rows: what is said of those that were named, or of all.
func (t *teller) ofWords(s saying, text string) {
	switch {
	case unnamed.MatchString(text) && (s.sep == asStopped || ofThose.MatchString(text)): // the second was not
		if ofThose.MatchString(text) {
			t.doubtLast()
		}
		t.lose()
		t.doubtful = true
	case t.q.namesNobodyHere(text), ofAuthority.MatchString(text), otherOne.MatchString(text), t.q.isOfAThing(text),
		t.q.isOfOneThing(text) && s.sep == asStopped,
		s.sep == asColon && len(t.held) == 1 && t.isNobody(t.held[0]):
		t.lose()
		t.doubtful = true // it is not said of all
	case unsureOfRest.MatchString(text): // they stay open
		t.stop()
	case someOf.MatchString(text):
		t.lose() // of which, is not said
	case text == "" && s.sep != asExcept:
	case s.sep == asExcept:
		if ofThose.MatchString(text) {
			t.doubtLast()
		}
		t.lose() // who is left out is not here
	case t.leftOut && len(t.pending) == 0 && t.rule == nil && othersVerb.MatchString(text): // they're all rent
		t.rule, t.leftOut = []string{othersVerb.ReplaceAllString(text, "")}, false
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
	case soAre.MatchString(strings.TrimSpace(s.text)) && len(t.clauses) > t.began && len(t.pending) == 0:
		t.closes(soAre.ReplaceAllString(strings.TrimSpace(s.text), ""))
	case len(t.pending) > 0 && !t.leaving && listAre.MatchString(text):
		t.lost = true // one of the list is none of the rows
		t.say(clause{}, listAre.ReplaceAllString(text, ""))
	case len(t.pending) > 0 && bareName.MatchString(text) && !t.q.says(text):
		t.lost = true // of a list, and of none of the rows
	case len(t.pending) > 0 && t.pending[len(t.pending)-1].noun == "" && !t.leaving:
		t.lose()
	case len(t.pending) == 0 && len(t.clauses) > t.began && figureFirst.MatchString(text) &&
		t.hasFigure(clause{rows: t.clauses[len(t.clauses)-1].rows, said: []string{text}}):
		last := &t.clauses[len(t.clauses)-1] // my CPA: 290 is personal
		last.said, t.parting = append(last.said, text), true
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

// ofAuthority is about one of those that take taxes: the city is the business tax.
var ofAuthority = regexp.MustCompile(`(?i)^(?:the\s+)?(?:city|county|state|town|feds?|federal)(?:\s+(?:one|ones))?\s+` +
	`(?:is|are|was|were)\b`)

// isNobody reports whether what stands before a colon is the name of somebody with whom no row is.
func (t *teller) isNobody(name string) bool {
	return len(t.q.parties().names) > 1 && bareName.MatchString(name) && !noName.MatchString(name) && !t.q.says(name)
}

// ofTwoThings reports whether what stands before a list of rows and what stands behind it both say what rows are: rent
// was 1001, 1005 was insurance. Where the one ends and the other begins nobody can tell.
func (t *teller) ofTwoThings(m mention, sep, lead, tail string) bool {
	if len(m.rows) < 2 || !m.several || tail == "" {
		return false
	}
	before := strings.TrimSpace(linkedAway.ReplaceAllString(article.ReplaceAllString(lead, ""), ""))
	behind := isOne.ReplaceAllString(tail, "")
	if before == "" {
		before = t.heading
	}
	if before == "" && sep == asColon {
		before = strings.Join(t.held, ", ")
	}
	return before != "" && t.q.another(behind, before)
}

// onlyNames reports whether a saying only names rows, after something was said.
func (t *teller) onlyNames(s saying) bool {
	if len(s.named) == 0 || len(t.held) == 0 && len(t.clauses) == t.began {
		return false
	}
	_, lead, tail := s.ofOne()
	return article.ReplaceAllString(lead, "") == "" && nouns.ReplaceAllString(strings.TrimLeft(tail, ") "), "") == ""
}

// ofSubject takes what follows a subject some of which is left out: more of that, or the verb of the others.
func (t *teller) ofSubject(s saying) bool {
	verb := verbAlone.FindString(strings.TrimSpace(s.text))
	if verb == "" && len(s.named) == 0 {
		verb = othersVerb.FindString(strings.TrimSpace(s.text))
	}
	switch {
	case verb == "" && len(s.named) == 0 && goesOn.MatchString(strings.TrimSpace(s.text)): // that was a tip
		t.leftOut = true
		t.pending, t.leaving = []clause{{rows: t.except.left, rank: byAmount, sure: true}}, true
		t.except = excepting{}
		return false
	case verb != "":
		t.ofOthers(strings.TrimSpace(s.text)[len(verb):])
	case len(s.named) > 0 && strings.Trim(article.ReplaceAllString(s.text[:s.named[0].from], ""), " ") == "":
		t.leaveOut(s)
	default:
		return false
	}
	return true
}

var (
	// atRate is a rate at which somebody is paid, which divides nothing.
	atRate = regexp.MustCompile(`(?i)\b(?:\d[\d.]*\s*(?:%|percent)\s+commissions?|` +
		`commissions?\s+of\s+\d[\d.]*\s*(?:%|percent))`)
	// soAre closes a sentence with what all that it named is.
	soAre = regexp.MustCompile(`(?i)^so\s+(?:(?:that|it)['’]?s|(?:those|these|they|all)(?:\s+(?:of\s+them|\d+|` +
		`two|three|four|five|six))?` +
		`\s+(?:are|were)|they['’]re)\s+(?:all\s+|both\s+|just\s+)*`)
	// listAre ends a list with one that is none of the rows, and what all of it is.
	listAre = regexp.MustCompile(`(?i)^(?:the\s+|my\s+|our\s+)?(?:[\pL'’&-]+\s+){1,4}(?:are|were)\s+(?:all\s+|` +
		`both\s+|just\s+|for\s+)*`)
)

// closes has what a sentence closes with be said of what it named and did not understand otherwise.
func (t *teller) closes(words string) {
	for i := t.began; i < len(t.clauses); i++ {
		if _, clear := t.q.clearest(t.clauses[i]); !clear {
			t.clauses[i].said = []string{words}
		}
	}
}

// bareName is what may be the name of somebody.
var bareName = regexp.MustCompile(`^(?:(?:the|my|our)\s+)?\p{Lu}[\pL'’&.-]{2,}(?:\s+\p{Lu}[\pL'’&.-]*){0,2}$`)

// someOf begins what is said of rows that are not named.
var someOf = regexp.MustCompile(`(?i)^(?:some|a\s+few|a\s+couple|several|many)\s+` +
	`(?:of\s+(?:them|these|those|the)|others?|more|were|are|is|was)\b`)

// ofRows takes a saying that names rows.
func (t *teller) ofRows(s saying) {
	if s.named = s.notReasons(); len(s.named) == 0 {
		t.hear(s)
		return
	}
	t.resting, t.passing = false, false
	m, lead, tail := s.ofOne()
	if t.leaving && len(t.clauses) > t.began {
		if some := common(t.clauses[len(t.clauses)-1].rows, m.rows); some != nil { // of those that were said
			m.rows = some
		}
	}
	if deniedBehind.MatchString(tail) && article.ReplaceAllString(lead, "") == "" { // Owen's are not
		t.finish(false)
		t.say(clause{rows: m.rows, rank: byNumber, sure: true}, leftOutPart)
		return
	}
	taken := m.kind < theAmount && isMinus.MatchString(lead)
	taken = taken || s.sep != asExcept && m.isDenied(lead) || t.ofTwoThings(m, s.sep, lead, tail)
	if orOther.MatchString(lead) || orElse.MatchString(tail) || taken { // 1001 or 1004, maybe 1002, minus 1003
		t.lose()
		return
	}
	t.parting = t.parting || ofIt.MatchString(s.text)
	if t.parting && m.kind == theAmount && !m.several && len(t.clauses) > t.began && len(t.pending) == 0 &&
		!figureOf.MatchString(lead) {
		last := &t.clauses[len(t.clauses)-1]
		if !t.q.partOfAll(s.text[m.from:m.to], last.rows) {
			t.lose() // a part of what was named
			return
		}
		last.said = append(last.said, s.text)
		return
	}
	if (s.sep == asColon || t.within) && t.partOfPending(m) && lead == "" { // 12/8: 250 to Beto, 150 for me
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
	case m.kind == theParty && restOfParty.MatchString(lead): // the others of them are named more closely
		t.place(s.sep, m, "", strings.TrimLeft(nouns.ReplaceAllString(strings.TrimLeft(tail, ") "), ""), ") "))
	case ofRest.MatchString(lead):
		t.lose()
	case ofSecond.MatchString(lead), t.ofANarrower(m, tail): // the second check in May
		t.lose()
	case soIs.MatchString(lead), alsoAre.MatchString(strings.TrimSpace(lead)) && strings.Trim(tail, " ,.") == "" &&
		len(t.clauses) > t.began && len(t.pending) == 0: // Sam is private, also Nadia
		t.asBefore(clause{rows: m.rows, rank: m.rank, sure: true})
	case said && m.kind == theDate && besidesIt.MatchString(lead):
		t.add(s.sep, s.text) // when something was, that was said of others
	default:
		tail = nouns.ReplaceAllString(strings.TrimLeft(tail, ") "), "")
		t.place(s.sep, m, lead, strings.TrimLeft(tail, ") "))
	}
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

// What stands before rows or behind them of which nobody says that it is they.
var (
	orOther = regexp.MustCompile(`(?i)\b(?:or|maybe|perhaps|possibly|probably|might\s+be)(?:\s+the)?$`)
	isMinus = regexp.MustCompile(`(?i)\bminus$`)
	orElse  = regexp.MustCompile(`(?i)^or\b`)
)

// ofANarrower reports whether words between somebody's name and what they say tell which of several that are called so:
// BCBS group premium is the staff's, where others are BCBS, too.
func (t *teller) ofANarrower(m mention, tail string) bool {
	if m.kind != theParty || !gapped.MatchString(tail) || nouns.MatchString(tail) {
		return false
	}
	first := ""
	for _, l := range t.q.Lines {
		if has(m.rows, l.Transaction) {
			first, _, _ = strings.Cut(wording.Fold(l.Counterparty), " ")
		}
	}
	return first != "" && slices.ContainsFunc(t.q.Lines, func(l AskedLine) bool {
		return !has(m.rows, l.Transaction) && strings.HasPrefix(wording.Fold(l.Counterparty)+" ", first+" ")
	})
}

var gapped = regexp.MustCompile(`(?i)^\s*(?:\pL+\s+){1,2}(?:is|are|was|were)\b`)

// restOfParty stands before somebody of whose rows some were named apart: the rest of the IRS is payroll.
var restOfParty = regexp.MustCompile(`(?i)^(?:and\s+|but\s+)?(?:the\s+|all\s+)?(?:(?:rest|remainder|` +
	`others)\s+of|other)` +
	`(?:\s+(?:the|my|our))?$`)

// ofSecond stands before rows of which one is meant by its place.
var ofSecond = regexp.MustCompile(`(?i)\b(?:second|third|fourth|2nd|3rd|4th)\s+(?:check|payment|deposit|one|purchase|` +
	`charge|transfer)\s+(?:in|of|from|to)$`)

// ofIt is what speaks of a part of a row.
var ofIt = regexp.MustCompile(`(?i)\b(?:half|part|some|most|\d[\d,.]*)\s+of\s+(?:it|that|this|them)\b`)

// besidesIt is how a remark begins.
var besidesIt = regexp.MustCompile(`(?i)^(?:(?:i|we|he|she|they|it)(?:'d|'ve|'m|'s)?|because|since|so|which|who|` +
	`when)\b`)

// parts are those of the answer. An only clause that begins with a number may be about so many of something.
func (t *teller) parts() (parts []part, named bool) {
	doubtful, numbered := 0, 0
	says, rule := make([]string, len(t.clauses)), t.ruled()
	for i, c := range t.clauses {
		if text, clear := t.q.clearest(c); clear {
			says[i] = text
		}
	}
	for i, c := range t.clauses {
		if !c.sure {
			doubtful++
		}
		if c.rank < byName {
			numbered++
		}
		text, clear := says[i], says[i] != ""
		if !clear {
			text = strings.Join(c.said, ", ")
			if split, is := t.q.parted(c.said, c.rows, cmp.Or(t.beside(i, says), rule)); is {
				text, clear = split, t.q.target(split).Split != nil
			}
		}
		if !clear && t.finer(i) {
			continue
		}
		parts = append(parts, part{rows: c.rows, rank: c.rank, target: text, words: c.words,
			lost: !clear && !t.q.readApart()})
	}
	switch {
	case len(t.clauses) == 0:
		parts, named = t.oneParted()
		return parts, named || t.doubtful || t.lostRows || t.lost && t.rule == nil && t.rest == nil
	case doubtful > 0 && numbered < 2 && !t.q.apart():
		return nil, false
	case doubtful > 0 && numbered < 2:
		return nil, true
	case t.lost: // of which rows the rule is, is not known
		return parts, true
	}
	if said := strings.Join(saidOfOthers(t.rest, t.rule), ", "); rule == "" && said != "" {
		t.unheard = append(t.unheard, said) // of the others, and not understood
	}
	if rule != "" && !t.q.namesAll(parts) && !t.q.leavesInterest(rule) {
		parts = append(parts, part{rank: theRest, target: rule})
		parts = append(parts, t.otherSides(parts)...)
	}
	return parts, true
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

// beside is what is said of the rows of a clause by one that names them less closely, as clauses say; empty where none
// does.
func (t *teller) beside(of int, says []string) string {
	rows := t.clauses[of].rows
	for i, c := range t.clauses {
		if says[i] != "" && len(c.rows) > len(rows) && len(common(rows, c.rows)) == len(rows) {
			return says[i]
		}
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
