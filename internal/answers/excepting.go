package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
)

// Exceptions stand before the verb, too: "everyone except Ann Lee is a subcontractor", "lines 1 to 5 except 3 are
// rent". Then the verb is of all others, and of those that are excepted nothing is said.

// excepts takes the first exception of a subject. It is false where what stands before says what the others are.
func (t *teller) excepts(s saying) bool {
	base := []uuid.UUID(nil)
	subject := strings.Join(t.held, ", ")
	switch {
	case t.resting || len(s.named) == 0:
		return false
	case len(t.pending) > 0 && subject == "":
		for _, p := range t.pending {
			base = append(base, p.rows...)
		}
	case len(t.pending) > 0 || len(t.clauses) > t.began || subject != "" && !isSubject(subject):
		return false
	case subject == "" && (t.rule != nil || t.rest != nil || len(t.clauses) > 0): // private. Except the 180, a tip
		return false
	}
	t.pending, t.held, t.except = nil, nil, excepting{is: true, base: base}
	t.leaveOut(s)
	return true
}

// leaveOut takes the rows of an exception, with the verb of the others where it stands behind them.
func (t *teller) leaveOut(s saying) {
	m, _, tail := s.ofOne()
	t.except.left = append(t.except.left, m.rows...)
	if links := isOne.FindString(tail); links != "" {
		t.ofOthers(strings.TrimSpace(tail[len(links):]))
	} else if verb := othersVerb.FindString(tail); verb != "" {
		t.ofOthers(tail[len(verb):])
	} else if tail = nouns.ReplaceAllString(tail, ""); strings.Trim(tail, " )") != "" {
		t.lose()
	}
}

// ofOthers takes what is said of the subject but for what is left out.
func (t *teller) ofOthers(words string) {
	e := t.except
	t.except = excepting{}
	t.clauses = append(t.clauses, clause{rows: e.left, rank: byDate, sure: true, said: []string{leftOutPart}})
	switch {
	case e.base != nil:
		rest := slices.DeleteFunc(slices.Clone(e.base), func(row uuid.UUID) bool { return has(e.left, row) })
		t.say(clause{rows: rest, rank: byNumber, sure: true}, words)
	case t.rule != nil || t.rest != nil:
		t.lose()
	default:
		t.rule = []string{words}
	}
}

// isSubject reports whether words are no more than a subject that is all rows: everyone, all of them, all checks.
func isSubject(words string) bool { return ofAll.MatchString(words) }

var ofAll = regexp.MustCompile(`(?i)^(?:and\s+|so\s+)?` +
	`(?:all|each|every(?:one|body|thing|\s+one)?|any(?:one|body|thing)|the\s+(?:rest|others))` +
	`(?:\s+(?:of|them|these|those|it|the|my|our|others?|people|checks?|lines?|ones?|payments?|deposits?|transfers?|` +
	`charges?|purchases?|rows?|in|on|here))*\s*$|` +
	`^(?:the\s+)?(?:checks|payments|deposits|charges|purchases|transfers|lines)$|` +
	`^(?:lines?|rows?|checks?|numbers?)\s+[\d\s,#–-]+(?:(?:to|through|and)[\d\s,#–-]+)*$`)

// othersVerb begins what is said of all that is not left out: all of them are, everyone is.
var othersVerb = regexp.MustCompile(`(?i)^(?:(?:they|it)['’](?:re|s)\b|` +
	`(?:they|these|those|it|all|everything|everyone|everybody|each|the\s+(?:rest|others))\b` +
	`(?:\s+of\s+(?:them|these|those|it))?(?:\s+(?:is|are|was|were|all|just)\b)+)` +
	`(?:\s+(?:all|just)\b)*\s*(?:an?\s+|the\s+)?`)

// verbAlone begins what is said of a subject that stands before.
var verbAlone = regexp.MustCompile(`(?i)^(?:is|are|was|were)\b\s*(?:all\s+|both\s+|just\s+|an?\s+|the\s+)*`)
