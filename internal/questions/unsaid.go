package questions

import (
	"regexp"
	"strings"
)

// What is taken back, denied, hoped or doubted in a sentence is not said, and what is said of one of several, which is
// not named, is said of none. Better to ask than to decide what nobody said.

var (
	// takenBack is what says that something before it, or behind, is not so.
	takenBack = regexp.MustCompile(`(?i)[.!?,]\s+(?:(?:actually|sorry)\b[\s,]+\S|correction\b|oops\b|oh\s+no\b|` +
		`no,?\s+only\b|scratch\s+that\b|just\s+kidding\b|or\s+rather\b|or\s+the\s+other\s+way\b|i\s+mean(?:t)?\b)|` +
		`\bsorry\s+i\s+mean\b|\bi\s+mean(?:t)?\s+\d|\bswap\s+(?:these|those|them)\b|\bplease\s+change\b|` +
		`\bfirst\s+thought\b|\b(?:i\s+was|is|was|are|she'?s|he'?s)\s+(?:wrong|mistaken)\b`)
	// notSaid is what says of a sentence that nobody says it.
	notSaid = regexp.MustCompile(`(?i)\bi\s+(?:doubt|hope|wish|told\s+you|wrote\s+that|didn'?t\s+say|` +
		`can'?t\s+imagine|(?:don'?t|do\s+not)\s+(?:think|believe))\b|\bit(?:'?s|\s+is)\s+(?:not\s+true|wrong)\b|\bit\s+can'?t\s+be\b|` +
		`\bnobody\s+knows\s+(?:if|whether|that)\b|\bwould\s+be\s+nice\b|\bin\s+theory\b|` +
		`\bbounced\s*(?:,|and|but)\s*(?:and\s+)?(?:i|we|it|they|the\s+bank)\b|` +
		without + `\s*(?:for\s+)?(?:an?|one|two|three)[\s-]+(?:third|half|quarter|fifth|tenth)s?\b|` +
		`\balmost\s+(?:was|is|were|became)\b|\b(?:was|were)\s+going\s+to\b|\bclaims\s+(?:that\s+)?(?:it|\d)`)
	// someAre is what says of some of the rows what they are, and not of which.
	someAre = regexp.MustCompile(`(?i)^\s*(?:about\s+)?(?:half|a\s+third|two\s+thirds|\d+\s*(?:%|percent))\s+` +
		`(?:of\s+(?:them|these|those|the\s+\pL+)\s+)?are\b`)
	// unnamed begins what is said of rows that are called by what none is known by.
	unnamed = regexp.MustCompile(`(?i)^(?:not\s+)?(?:(?:on|in|at|during)\s+)?(?:(?:the|this|last|next)\s+)?` +
		`(?:\d{1,2}(?:st|nd|rd|th)|weekends?|q[1-4]|spring|summer|fall|autumn|winter|christmas|easter|thanksgiving|` +
		`recent|second|third|latter|former|bigger|larger|smaller|later|earlier)\b|` +
		`^at\s+least\s+one\b|^(?:the\s+)?(?:first|last)\s+(?:of\s+them\s+)?(?:is|was|for)\b`)
	// ofThose begins what is said of one of the rows that were named.
	ofThose = regexp.MustCompile(`(?i)^(?:not\s+)?(?:the\s+)?` +
		`(?:first|second|third|last|latter|former|bigger|larger|smaller|later|earlier)\b`)
	// partlyElse begins what rows are, too.
	partlyElse = regexp.MustCompile(`(?i)^(?:mostly|partly|also|half|in\s+part)\b`)
	// deniedChoice stands before rows that are chosen by what they are not.
	deniedChoice = regexp.MustCompile(`(?i)\b(?:no|none|nothing|neither|nor|not|never|outside|unless|` +
		`(?:is|are|was|were|do|did|does|wo|ca|has|had)n['’]?t)\b` +
		`(?:\s+(?:one|of|the|a|checks?|ones?|payments?|in|on|over|under|above|more|than|at|from|it'?s|it|is|are|` +
		`was|were))*\s*[$#]?$`)
	// oneOfSeveral stands before rows of which one is meant.
	oneOfSeveral = regexp.MustCompile(`(?i)\b(?:first|second|third|last|one|later|earlier|bigger|larger|` +
		`smaller|either)\s+(?:of\s+)?(?:the\s+)?(?:two\s+)?$|\b(?:second|third|bigger|larger|smaller)$`)
	// partOfRow stands before a row of which a part is meant.
	partOfRow = regexp.MustCompile(`(?i)\b(?:parts?|half|thirds?|quarter|most|some|portion|bit)\s+of` +
		`(?:\s+(?:the|that))?\s*$|\bhalf(?:\s+the)?\s*$`)
	// isInParts is what says that a row is several things, without a figure.
	isInParts = regexp.MustCompile(`(?i)\b(?:part(?:ly|ially)?|half|mostly|includ(?:es?|ed)|contain(?:s|ed)|` +
		`cover(?:s|ed)|ha[ds])\b`)
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
