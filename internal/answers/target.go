package answers

import (
	"regexp"

	"bizfin/internal/ontology"
	"bizfin/internal/wording"
)

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

// says reports whether words say what rows are. A figure that is no row's and no share is of something else.
func (q Asked) says(words string) bool {
	m := q.target(words)
	if m.Unclear || m.Broken != nil || m.Problem != "" || m.Mixed || m.CategoryID == 0 && m.Reserved != wording.Skip {
		return false
	}
	c, _ := ontology.ScheduleC().ByID(m.CategoryID)
	if c != nil && c.Is("personal") && worksForUs.MatchString(words) {
		return false // she bathes dogs for us
	}
	if c != nil && c.Is("personal") && forWork.MatchString(words) && !inPart.MatchString(words) &&
		!denies.MatchString(words) {
		return false // my own work trips
	}
	return m.Split != nil || !figureIn(words)
}

// worksForUs is what somebody does for the business, whatever it is.
var worksForUs = regexp.MustCompile(`(?i)^\s*(?:\pL+\s+){0,3}?\pL+s\s+(?:\pL+\s+){1,4}?for\s+(?:us|me|` +
	`the\s+(?:shop|salon|` +
	`business|studio|store|company))[\s.!]*$`)

var denies = regexp.MustCompile(`(?i)\b(?:not?|non|none|nothing|never|isn'?t|aren'?t|wasn'?t|weren'?t)\b`)

// another reports whether words say something else than others do.
func (q Asked) another(words, others string) bool {
	says, said := q.target(article.ReplaceAllString(words, "")), q.target(others)
	a, known := ontology.ScheduleC().ByID(says.CategoryID)
	b, also := ontology.ScheduleC().ByID(said.CategoryID)
	return known && also && !wording.Related(a, b)
}
