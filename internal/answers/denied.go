package answers

import (
	"regexp"
	"strings"
)

// What denies something else than what is said adds nothing to it: travel, no vacation; supplies, none of it personal.

var (
	// aDenial is a clause that denies something, behind a sign.
	aDenial = regexp.MustCompile(`(?i)(?:[,;.]\s*|\s[-–—]+\s+)(?:(?:and|but)\s+)?` +
		`(?:none|nothing|not|no|never|nor)\b[^,;.!\n():]*`)
	// denying is what a denial begins with, before what it denies.
	denying = regexp.MustCompile(`(?i)^[\s,;.–—-]*(?:(?:and|but)\s+)?(?:none|nothing|not|no|never|nor)\b\s*` +
		`(?:of\s+(?:it|this|that|them|these|those)\b\s*)?` +
		`(?:(?:is|are|was|were|a|an|any|the|for|at|in\s+there)\b\s*)*`)
	// privately is what says that something is private, and is no category's name.
	privately = regexp.MustCompile(`(?i)^(?:vacations?|holidays?|pleasure|fun|` +
		`me|mine|us|ours|myself|ourselves|home|house|the\s+house|household|` +
		`(?:my\s+|our\s+)?(?:family|kids|wife|husband)|personal(?:\s+use)?|private(?:\s+use)?)` +
		`(?:\s+(?:in\s+there|in\s+it|stuff|things|use|at\s+all|here))?[\s.!]*$`)
	// deniesMore is a denial that says what rows are, or that nobody knows, or that something is another thing.
	deniesMore = regexp.MustCompile(`(?i)\b(?:business|work|jobs?|clients?|company|office|deduct\w*|` +
		`sure|know|idea|clue|remember|really|always|anymore|longer|only|just|yet|certain|exactly|` +
		`interest|fees?|taxe?s?|others?|rest|else|except|but|more|one|ones|my\s+own|` +
		`wait|problem|thanks|counted|counting|including|included)\b|\d`)
	nameWithin = regexp.MustCompile(`\s\p{Lu}[\p{Ll}'’]+`)
)

// mostDenials of an answer are looked at: nobody writes more.
const mostDenials = 10

// withoutDenials are words without what only denies something else than what they say. What names rows, or denies that
// they are the business's, stays.
func (q Asked) withoutDenials(words string) string {
	const longest = 7 // words of what is denied
	if q.Company {
		return words
	}
	var kept strings.Builder
	from := 0
	for _, at := range aDenial.FindAllStringIndex(words, mostDenials) {
		said := words[at[0]:at[1]]
		denied := strings.TrimSpace(denying.ReplaceAllString(said, ""))
		if n := len(strings.Fields(denied)); n == 0 || n > longest || strings.TrimSpace(words[:at[0]]) == "" ||
			deniesMore.MatchString(said) || nameWithin.MatchString(" "+denied) || len(q.mentions(denied)) > 0 ||
			!privately.MatchString(denied) && !q.says(denied) {
			continue
		}
		kept.WriteString(words[from:at[0]])
		from = at[1]
	}
	return kept.String() + words[from:]
}
