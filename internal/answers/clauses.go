package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/ontology"
	"bizfin/internal/wording"
)

// clause is what is said of some rows.
type clause struct {
	rows  []uuid.UUID
	rank  rank
	sure  bool     // it names its rows beyond doubt
	noun  string   // what they are called: the camping gear
	said  []string // of them, and what was added to it
	words string   // of the answer, as they stand there

	theirs []uuid.UUID // as that of its mention
}

// excepting is a subject some of which is left out, until its verb is heard.
type excepting struct {
	is   bool
	base []uuid.UUID // the rows that the subject names; nil for all
	left []uuid.UUID // those that are left out
}

const (
	notSure     = "not sure"
	leftOutPart = "(left out)" // said of rows that an exception takes out: nothing but that they are not the others
	unclearPart = "?"          // said of rows of which a figure is a part, and of which of them is not clear
)

// clearest are the words of a clause that say what its rows are: all of them or, where these do not, the first, or the
// only ones that do.
func (q Asked) clearest(c clause) (text string, clear bool) {
	all := strings.Join(c.said, ", ")
	for _, said := range c.said {
		if q.readApart() && allBusiness.MatchString(said) {
			return said, true
		}
	}
	if slices.Contains(c.said, unclearPart) || slices.ContainsFunc(c.said, deniedBy.MatchString) ||
		lendsThing.MatchString(all) {
		return all, false
	}
	if all == leftOutPart {
		return all, true
	}
	if q.Direction() == wording.In && (heldDeposit.MatchString(all) || myMoney.MatchString(all)) { // of these rows
		return all, true
	}
	if q.Direction() == wording.Out && slices.ContainsFunc(c.said, sellIt.MatchString) {
		return "goods for resale", true
	}
	if nobodyKnows.MatchString(c.noun + " " + all) {
		return notSure, true
	}
	if q.Direction() == wording.Out && theyPayBack.MatchString(all) { // a loan, she pays it back
		return all, true
	}
	if partOfIt.MatchString(all) {
		return all, q.target(all).Split != nil
	}
	if divides.MatchString(all) || slices.ContainsFunc(c.said, figureIn) {
		of := q.target(all).Split
		return all, of != nil && q.fitsOf(*of, c.rows)
	}
	if q.namesSeveral(c.said) || len(c.said) > 1 && slices.ContainsFunc(c.said[1:], bareMine.MatchString) {
		return all, false // three lines, mine and Daniel's
	}
	if slices.ContainsFunc(c.said, func(said string) bool {
		return isPrivate.MatchString(said) && !negated.MatchString(said) &&
			(q.Direction() != wording.In || !areMine.MatchString(said))
	}) {
		return "personal", true
	}
	for _, said := range c.said { // a tank heater for the van, those are supplies
		if of := thoseAre.FindString(said); of != "" {
			if _, named := wording.CategoryNamed(said[len(of):], q.Direction()); named {
				return said[len(of):], true
			}
		}
	}
	if c.noun != "" {
		if with := c.noun + " " + all; q.says(with) {
			return with, true
		}
	}
	if q.says(all) {
		return all, len(c.said) < 2 || q.goOn(c.said) && !(q.says(c.said[0]) && q.another(c.said[0], all))
	}
	for _, said := range c.said {
		if q.says(said) {
			return said, true
		}
		if _, behind, links := cut(linked, said); links && q.says(behind) {
			return behind, true
		}
	}
	return all, false
}

// namesSeveral reports whether two of the things that are said are the very names of categories apart: meals and
// travel.
func (q Asked) namesSeveral(said []string) bool {
	var first *ontology.Category
	for _, words := range said {
		words = article.ReplaceAllString(words, "")
		c, named := wording.CategoryNamed(words, q.Direction())
		if !named {
			c = q.headNamed(words) // flights for the shows
			named = c != nil
		}
		switch {
		case !named:
		case first == nil:
			first = c
		case !wording.Related(first, c):
			return true
		}
	}
	return false
}

// goOn reports whether what was added to what is said goes on with it: where the first says nothing, what was added may
// be of something else, as in "my own estimate, payroll taxes go through Gusto".
func (q Asked) goOn(said []string) bool {
	return q.says(said[0]) || !slices.ContainsFunc(said[1:], func(more string) bool {
		return !whoGoesOn.MatchString(more) && isVerbOf.MatchString(more) && q.says(more)
	})
}

var (
	whoGoesOn = regexp.MustCompile(`(?i)^(?:i|we|he|she|they|it|its|it's|that|thats|that's|this|those|these|so|` +
		`because|cause|as|since|` +
		`who|which|not|no|just|then|also|to|for|from|with|on|in|of|by|when|where|maybe|probably|my|our|a|an|his|` +
		`her|their)\b`)
	// partOfIt is what says that a row is in part something, and not how much of it.
	partOfIt = regexp.MustCompile(`(?i)\bpart(?:ly|ially)\b|\bpart\s+of\s+it\b`)
	// thoseAre begins a remark that says on which line rows are.
	thoseAre = regexp.MustCompile(`(?i)^(?:so\s+)?(?:those|these|that|they|it)(?:['’]?s|['’]re|\s+(?:is|are|was|` +
		`were))\s+(?:all\s+|just\s+)*`)
	isVerbOf = regexp.MustCompile(`(?i)^(?:\pL+\s+){1,3}(?:is|are|was|were|go|goes|went|come|comes|came)\b`)
)

var (
	nobodyKnows = regexp.MustCompile(`(?i)\b(?:(?:don'?t|do\s+not|not)\s+(?:really\s+|honestly\s+|even\s+|100%\s+)?` +
		`(?:know|sure|remember|recall)|no\s+(?:idea|clue)|(?:can'?t|cannot|couldn'?t)\s+(?:say|tell|remember)|` +
		`could\s+be\b.*\bor)\b`)
	// isPrivate is what ends with that it is not the business's.
	isPrivate = regexp.MustCompile(`(?i)(?:^|\b(?:that'?s|ones?'?s|it'?s|its|is|are|was|were|they'?re|` +
		`those\s+are|so|,)\s+)(?:all\s+|just\s+|my\s+)*` +
		`(?:(?:my|our)\s+(?:own\s+)?personal\s+\pL+|personal|private|(?:just\s+)?family|mine|ours|` +
		`not\s+(?:for\s+)?(?:the\s+|my\s+)?(?:business|work)(?:'s)?)(?:\s+stuff)?[\s.!]*$`)
	bareMine = regexp.MustCompile(`(?i)^\s*(?:mine|ours)\s*$`)
	areMine  = regexp.MustCompile(`(?i)\b(?:mine|ours)[\s.!]*$`) // so may be what the business earned
	negated  = regexp.MustCompile(`(?i)\b(?:not|none|nothing|never|isn'?t|aren'?t|wasn'?t)\b.*\b(?:personal|` +
		`private|family|mine|ours)\b`)
	linked = regexp.MustCompile(`(?i)\s(?:is|are|was|were)(?:\s|$)`)
	// divides is what says that rows are several things.
	divides = regexp.MustCompile(`(?i)\d\s*(?:%|percent\b)|\b(?:half|third|quarter|part)\s+(?:of\s+)?(?:it|is|` +
		`was|that|mine|business|work|personal)\b|` +
		`\d\s+of\s+(?:it|that|those|which)\b|\b(?:the\s+)?rest\b`)
)

// What is said of some rows of what is paid in.
var (
	heldDeposit = regexp.MustCompile(`(?i)^(?:an?\s+|the\s+|their\s+|his\s+|her\s+)?(?:(?:customer|client|` +
		`damage|security|` +
		`refundable|booking)(?:['’]?s)?\s+)?deposits?(?:\s+(?:that\s+|which\s+)?(?:i|we)\s+(?:have\s+to\s+|had\s+to\s+|will\s+|` +
		`later\s+)?(?:give|gave|return|returned|send|sent|pay|paid|hold|held)(?:\s+(?:it\s+)?back)?|\s+(?:held|refunded|` +
		`returned|to\s+be\s+returned))?[\s.!]*$`)
	myMoney = regexp.MustCompile(`(?i)^(?:from\s+)?(?:mine|ours|me|my\s+own|our\s+own|(?:my|` +
		`our)(?:\s+own)?\s+(?:money|cash|` +
		`savings|pocket))[\s.!]*$`)
)

// sellIt is what says of what is bought that it is sold again.
var sellIt = regexp.MustCompile(`(?i)^(?:and\s+)?(?:we|i)\s+(?:re)?sell\s+(?:all\s+of\s+)?(?:it|them|those|` +
	`these|that)(?:\s+all)?` +
	`[\s.!]*$`)

func cut(at *regexp.Regexp, words string) (before, behind string, found bool) {
	is := at.FindStringIndex(words)
	if is == nil {
		return words, "", false
	}
	return words[:is[0]], strings.TrimSpace(words[is[1]:]), true
}
