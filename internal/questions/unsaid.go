package questions

import (
	"regexp"
	"strings"
)

// What is taken back, denied, hoped or doubted in a sentence is not said, and what is said of one of several, which is
// not named, is said of none. Better to ask than to decide what nobody said.

var (
	// takenBack is what says that something before it, or behind, is not so.
	takenBack = regexp.MustCompile(`(?i)[.!?,]\s+(?:actually|correction|sorry|oops|oh\s+no|no,?\s+only|` +
		`scratch\s+that|` +
		`just\s+kidding|or\s+rather|or\s+the\s+other\s+way|i\s+mean\b|i\s+meant\b)|\bsorry\s+i\s+mean\b|` +
		`\bi\s+mean(?:t)?\s+\d|\bswap\s+(?:these|those|them)\b|` +
		`\b(?:i\s+was|is|was|are|she'?s|he'?s)\s+(?:wrong|mistaken)\b|\bplease\s+change\b|\bfirst\s+thought\b`)
	// notSaid is what says of a sentence that nobody says it.
	notSaid = regexp.MustCompile(`(?i)\bi\s+(?:doubt|hope|wish|don'?t\s+(?:think|believe)|do\s+not\s+(?:think|` +
		`believe)|` +
		`didn'?t\s+say|can'?t\s+imagine|told\s+you|wrote\s+that)\b|\b(?:it'?s|it\s+is)\s+(?:not\s+true|wrong)\b|` +
		`\bit\s+can'?t\s+be\b|\bnobody\s+knows\s+(?:if|whether|that)\b|\bwould\s+be\s+nice\b|\bin\s+theory\b|` +
		`\balmost\b\s+(?:was|is|` +
		`were|became)|\b(?:was|were)\s+going\s+to\b|\balmost\s+became\b|\bclaims\s+(?:that\s+)?(?:it|\d)`)
	// someAre is what says of some of the rows what they are, and not of which.
	someAre = regexp.MustCompile(`(?i)^\s*(?:about\s+)?(?:half|a\s+third|two\s+thirds|\d+\s*(?:%|percent))\s+` +
		`(?:of\s+(?:them|these|those|the\s+\pL+)\s+)?are\b`)
	// unnamed begins what is said of rows that are called by what none is known by.
	unnamed = regexp.MustCompile(`(?i)^(?:not\s+)?(?:(?:on|in|at|during)\s+)?(?:(?:the|this|last|` +
		`next)\s+)?(?:\d{1,2}(?:st|` +
		`nd|rd|th)|weekends?|` +
		`q[1-4]|spring|summer|fall|autumn|winter|christmas|easter|thanksgiving|recent|second|third|latter|` +
		`former|bigger|larger|` +
		`smaller|later|earlier)\b|^at\s+least\s+one\b|^(?:the\s+)?(?:first|last)\s+(?:of\s+them\s+)?(?:is|was|for)\b`)
	// ofThose begins what is said of one of the rows that were named.
	ofThose = regexp.MustCompile(`(?i)^(?:not\s+)?(?:the\s+)?(?:first|second|third|last|latter|former|bigger|` +
		`larger|smaller|later|` +
		`earlier)\b`)
	// partlyElse begins what rows are, too.
	partlyElse = regexp.MustCompile(`(?i)^(?:mostly|partly|also|half|in\s+part)\b`)
	// deniedChoice stands before rows that are chosen by what they are not.
	deniedChoice = regexp.MustCompile(`(?i)(?:\b(?:no|none|nothing|neither|nor|not|never|outside|unless)\b|n'?t\b)` +
		`(?:\s+(?:one|of|the|a|checks?|ones?|payments?|in|on|over|under|above|more|than|at|from|it'?s|it|is|are|` +
		`was|were))*\s*[$#]?$`)
	// oneOfSeveral stands before rows of which one is meant.
	oneOfSeveral = regexp.MustCompile(`(?i)\b(?:first|second|third|last|one|later|earlier|bigger|larger|smaller|` +
		`either)\s+` +
		`(?:of\s+)?(?:the\s+)?(?:two\s+)?$|\b(?:second|third|bigger|larger|smaller)$`)
	// partOfRow stands before a row of which a part is meant.
	partOfRow = regexp.MustCompile(`(?i)\b(?:part|parts|half|thirds?|quarter|most|some|portion|bit|(?:for|from|` +
		`in)\s+a\s+third)` +
		`\s+of(?:\s+(?:the|that))?\s*$|\bhalf(?:\s+the)?\s*$`)
	// inParts is what says that a row is several things, without a figure.
	isInParts = regexp.MustCompile(`(?i)\b(?:part(?:ly|ially)?|half|mostly|includ(?:es?|ed)|contain(?:s|ed)|` +
		`cover(?:s|ed)|` +
		`ha[ds])\b`)
)

// nothingIsSaid reports whether words take back what they say, or do not say it.
func nothingIsSaid(words string) bool {
	return takenBack.MatchString(words) || notSaid.MatchString(words)
}

// isDenied reports whether rows are named to say what others are, or one of several that is not named.
func (m mention) isDenied(before string) bool {
	before = strings.TrimRight(before, " (")
	return deniedChoice.MatchString(before) || len(m.rows) > 1 && oneOfSeveral.MatchString(before+" ")
}
