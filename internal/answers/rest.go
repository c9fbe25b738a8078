package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/ontology"
)

// What is said of the others: of the rows that no clause names, or of what is left of one.

// ofRest begins what is said of them.
var ofRest = regexp.MustCompile(`(?i)^(?:(?:and|all|but)\s+)?(?:the\s+|all\s+the\s+)?(?:rest|other\s+ones|` +
	`other\s+(?:\d+|two|three|four|five|six|seven|eight|nine|ten|is|was|checks|deposits|payments|charges|` +
	`stuff|things|lines|purchases|orders)|others|` +
	`remaining(?:\s+ones)?|remainder|everything\s+else|everyone\s+else|everybody\s+else|all\s+else|` +
	`anything\s+else|otherwise|what'?s\s+left|whatever\s+is\s+left)\b` +
	`(?:\s+(?:of\s+(?:it|them|these|those)|ones|on\s+here|here))?(?:\s*(?:=|:|(?:is|are|was|were|for|` +
	`goes\s+to)\b))*` +
	`(?:\s+(?:all|just|only|an?)\b)*\s*`)

// unsureOfRest says that nobody knows what the others are.
var unsureOfRest = regexp.MustCompile(`(?i)^(?:i'?m\s+|i\s+)?(?:not\s+sure|(?:don'?t|do\s+not)\s+(?:know|` +
	`remember)|no\s+(?:idea|clue))` +
	`\s+(?:about\s+|of\s+|on\s+|what\s+)*(?:the\s+)?(?:rest|others?|other\s+\pL+)(?:\s+(?:is|are|was|were|one|` +
	`ones))*\s*$`)

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
	ofRow := last >= 0 && sep != asStopped && len(t.pending) == 0 && !restOfRows.MatchString(text) &&
		!theOthers.MatchString(rest)
	if ofRow && t.hasFigure(t.clauses[last]) {
		t.clauses[last].said = append(t.clauses[last].said, "rest "+text[len(rest):])
		return
	}
	t.stop()
	t.lost = t.lost || t.rest != nil
	t.rest, t.resting, t.restLast = []string{text[len(rest):]}, true, true
}

// hasFigure reports whether a clause says how much of its rows is something.
func (t *teller) hasFigure(c clause) bool {
	return slices.ContainsFunc(c.said, func(said string) bool {
		of := figureFirst.FindStringSubmatch(said)
		return aShareOf.MatchString(said) || figureIn(said) || isInParts.MatchString(said) ||
			of != nil && t.q.partOfAll(strings.TrimSpace(of[1]), c.rows)
	})
}

// restOfRows is the rest of the rows, and not of one.
var restOfRows = regexp.MustCompile(`(?i)^(?:and\s+|but\s+)?(?:the\s+)?rest\s+of\s+(?:the|my|our|these|those|them)\b`)

// theOthers are rows, and not what is left of one.
var theOthers = regexp.MustCompile(`(?i)\b(?:others|ones|every(?:one|body)\s+else|checks|deposits|payments|` +
	`charges|lines|purchases|orders)\b`)

var aShareOf = regexp.MustCompile(`(?i)\d\s*(?:%|percent\b)|\d\.\d\d\b`)

// saidOfOthers is what is said of the others: of the rest, else by the rule.
func saidOfOthers(rest, rule []string) []string {
	if rest != nil {
		return rest
	}
	return rule
}

// leavesInterest reports whether a rule beside what is said of some payments of a loan says no more than that they are
// one: how much interest is in them is not known.
func (q Asked) leavesInterest(rule string) bool {
	c, known := ontology.ScheduleC().ByID(q.target(rule).CategoryID)
	return known && q.ofLoan() && slices.Contains(loans, c.Path)
}

// otherSides are the rows of whom something is said up to a day, or from one on, and nothing of the others: these are
// not the rest.
func (t *teller) otherSides(parts []part) (left []part) {
	for _, c := range t.clauses {
		rows := slices.DeleteFunc(slices.Clone(c.theirs), func(row uuid.UUID) bool {
			return slices.ContainsFunc(parts, func(p part) bool { return has(p.rows, row) })
		})
		if len(rows) > 0 {
			left = append(left, part{rows: rows, rank: byDate, target: leftOutPart})
		}
	}
	return left
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
