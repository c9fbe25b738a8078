package answers

import (
	"regexp"
	"strings"
)

// explained are words without the brackets behind the very name of a category, or of an option: Equipment (sprayer);
// and without further sentences, which say of no row that it is something else: Net pay. I pay the taxes myself.
func (q Asked) explained(words string) string {
	if first := fullStops.Split(words, 2); len(first) > 1 && q.isCalled(first[0]) && isProse.MatchString(first[1]) &&
		!saysMore.MatchString(first[1]) && len(q.mentions(words)) == 0 {
		return strings.TrimSpace(first[0])
	}
	before, behind, bracket := strings.Cut(words, "(")
	if leavesOut.MatchString(behind) {
		return before + ", except " + leavesOut.ReplaceAllString(strings.Replace(behind, ")", "", 1), "")
	}
	if in, rest, closed := strings.Cut(behind, ")"); bracket && closed && !strings.ContainsAny(in, "0123456789%$") &&
		strings.Trim(rest, " .!") == "" && q.isCalled(before) {
		return strings.TrimSpace(before)
	}
	return words
}

// leavesOut begins what brackets leave out: contract labor (except June Park).
var leavesOut = regexp.MustCompile(`(?i)^\s*(?:except(?:\s+for)?|not|but\s+not|without|excluding|other\s+than)\s+`)

// isProse is what nobody writes who follows a grammar.
var isProse = regexp.MustCompile(`(?i)\b(?:is|was|were|are|they|them|their|me|us|i|we)\b`)

// saysMore is what another sentence says that is not about all rows alike.
var saysMore = regexp.MustCompile(`(?i)\d|[%:]|\b(?:but|except|others?|rest|also|some|part|partly|half|only|` +
	`mostly|not\s+all|` +
	`sometimes|actually|wait|sorry|no|maybe|i\s+think)\b`)

var fullStops = regexp.MustCompile(`[.!]\s+`)
