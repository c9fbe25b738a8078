package answers

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
		`\bsorry\s+i\s+mean\b|\bno,?\s+wait\b|\bwait,?\s+no\b|\bi\s+mean(?:t)?\s+\d|` +
		`\bswap\s+(?:these|those|them)\b|\bplease\s+change\b|` +
		`\bfirst\s+thought\b|\b(?:i\s+was|is|was|are|she'?s|he'?s)\s+(?:wrong|mistaken)\b`)
	// notSaid is what says of a sentence that nobody says it.
	notSaid = regexp.MustCompile(`(?i)\bi\s+(?:doubt|hope|wish|told\s+you|wrote\s+that|didn'?t\s+say|` +
		`can'?t\s+imagine|(?:don'?t|do\s+not)\s+(?:think|believe))\b|\bit(?:'?s|\s+is)\s+(?:not\s+true|wrong)\b|` +
		`\bit\s+can'?t\s+be\b|` +
		`\binterest\s+(?:rate\s+)?(?:is|was|at|of)\s+(?:about\s+)?\d{1,2}(?:\.\d+)?\s*(?:%|percent)` +
		`(?:\s*,\s*(?:the\s+)?rest\s+(?:is\s+)?principal)?[\s.!]*$|` +
		`\bnobody\s+knows\s+(?:if|whether|that)\b|\bwould\s+be\s+nice\b|\bin\s+theory\b|` +
		`\bbounced\s*(?:,|and|but)\s*(?:and\s+)?(?:i|we|it|they|the\s+bank)\b|` +
		without + `\s*(?:for\s+)?(?:an?|one|two|three)[\s-]+(?:third|half|quarter|fifth|tenth)s?\b|` +
		`\balmost\s+(?:was|is|were|became)\b|\b(?:was|were)\s+going\s+to\b|\bclaims\s+(?:that\s+)?(?:it|\d)`)
	// tookBack ends an answer that takes back what stands before it, or doubts it.
	tookBack = regexp.MustCompile(`(?i)[.!,;]\s*(?:(?:or|hmm|well|but)[\s,]+)*(?:probably|maybe|maybe\s+not|perhaps|` +
		`i\s+(?:think|guess|suppose)|i['’]?m\s+guessing|(?:just\s+)?(?:a\s+|my\s+)?guess(?:ing)?|not|no|` +
		`no,?\s+wrong|wrong|` +
		`disregard(?:\s+\S+)?|afaik|i\s+mean|that['’]?s\s+a\s+lie|as\s+far\s+as\s+i\s+know)[\s.!]*$|` +
		`\bi\s+(?:guess|suppose)[\s.!]*$|\bat\s+least\s+(?:that['’]?s\s+)?what\s+i\s+think\b|\bdon['’]?t\s+hold\s+me\b|` +
		`\bi\s+(?:could|might|may)\s+be\s+(?:wrong|mistaken)\b|\blet\s+me\s+(?:check|ask|look)\b|` +
		`\bget\s+back\s+to\s+you\b|\bforget\s+(?:what|that|it|about)\b|\bdisregard\b`)
	// reversed is what says that two things are the other way round.
	reversed = regexp.MustCompile(`(?i)\bvice[\s-]+versa\b|\bthe\s+other\s+way\s+(?:a?round|about)\b|` +
		`\bthe\s+reverse\b|` +
		`\bbackwards\b|\bmixed\s+(?:up|them|those|these)\b|\bthe\s+opposite\b|\b(?:switch|swap)\s+(?:those|these|` +
		`them)\b`)
	// untilThen is a time that no calendar has, up to which something is said, or from which on.
	untilThen = regexp.MustCompile(`(?i)^\s*(?:\S+\s+){1,4}(?:until|till|before)\s+(?:i|we|he|she|they)\b|` +
		`^\s*(?:\S+\s+){1,4}since\s+(?:i|we|he|she|they)\s+(?:fell|moved|started|began|quit|left|bought|got)\b`)
	// counted is what says of so many rows what they are, and not of which.
	counted = regexp.MustCompile(`(?i)^\s*(?:two|three|four|five|six|seven|eight|nine|` +
		`ten)\s+(?:of\s+(?:(?:the|these|those|my|our)\s+)?\S+\s+)?(?:are|were)\b[^:]*$|` +
		`(?:^|[.,;]\s*)\d+\s+(?:out\s+)?of\s+(?:the\s+|these\s+|those\s+)?\d+\b|` +
		`(?:^|[.,;]\s*)\d+\s*x\s+\pL`)
	// someAre is what says of some of the rows what they are, and not of which.
	someAre = regexp.MustCompile(`(?i)^\s*(?:about\s+)?(?:half|a\s+third|two\s+thirds|\d+\s*(?:%|percent))\s+` +
		`(?:of\s+(?:them|these|those|the\s+\pL+)\s+)?are\b`)
	// unnamed begins what is said of rows that are called by what none is known by.
	unnamed = regexp.MustCompile(`(?i)^(?:not\s+)?(?:(?:on|in|at|during)\s+)?(?:(?:the|this|last|next)\s+)?` +
		`(?:\d{1,2}(?:st|nd|rd|th)|weekends?|q[1-4]|spring|summer|fall|autumn|winter|christmas|easter|thanksgiving|` +
		`recent|second|third|latter|former|bigger|larger|smaller|later|earlier)\b|` +
		`^at\s+least\s+one\b|^(?:not\s+)?(?:(?:the|my|his|her|their)\s+)?(?:(?:\d{1,2}|two|three|four|five|six)\s+)?` +
		`(?:first|last|latest|newest|most\s+recent|earliest|oldest|final)\s+(?:\d|one|two|three|four|five|six|of|` +
		`is|was|for|` +
		`checks?|deposits?|payments?|purchases?|months?|weeks?|quarters?|half)\b`)
	// otherOne is one of which nobody says which it is.
	otherOne = regexp.MustCompile(`(?i)^(?:and\s+)?(?:the\s+)?other\s+one\b`)
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

var (
	// relationOf stands behind somebody of whose relative something is said.
	relationOf = regexp.MustCompile(`(?i)^\s*(?:(?:'s|’s)\s*)?(?:wife|husband|daughter|son|brother|sister|mother|` +
		`mom|father|` +
		`dad|kids?|boss|girlfriend|boyfriend|company|firm|friend)\b`)
	// toAnother stands behind somebody who does something to another, who is no party to what was paid.
	toAnother = regexp.MustCompile(`(?i)^\s*(?:pays|paid|hired|hires|owes|fired|lent)\s+(?:\p{Lu}|my\b|the\b|` +
		`his\b|her\b)`)
	// oneTo stands before somebody with whom one of several is meant.
	oneTo = regexp.MustCompile(`(?i)\b(?:first|second|third|last|latest|newest|earliest|oldest|final|` +
		`one)\s+(?:\S+\s+){0,3}` +
		`(?:to|from|for|by|with|of)\s*$`)
	// theyPay stands before somebody whom another pays.
	theyPay = regexp.MustCompile(`(?i)\b(?:he|she|they|who)\s+(?:pays?|paid|hires?|gives?|gave|lent|owes?)\s*$|` +
		`\b(?:wife|husband|daughter|son|brother|sister|mother|father|friend)\s+of\s+(?:\S+\s+){0,2}$`)
	// oneOfTheirs stands behind them.
	oneOfTheirs = regexp.MustCompile(`(?i)^\s*(?:(?:'s|’s)\s*)?(?:first|second|third|last|latest|newest|earliest|` +
		`oldest|final)\b`)
)

// ofAnother reports whether a saying names somebody to say something of another, or of one of several of theirs, which
// is not named.
func (s saying) ofAnother() bool {
	for _, m := range s.named {
		before, behind := s.text[:m.from], s.text[m.to:]
		if m.kind != theParty {
			continue
		}
		if theyPay.MatchString(before) || relationOf.MatchString(behind) || toAnother.MatchString(behind) ||
			len(m.rows) > 1 && (oneTo.MatchString(before) || oneOfTheirs.MatchString(behind)) {
			return true
		}
	}
	return false
}

// nothingIsSaid reports whether words take back what they say, or do not say it.
func nothingIsSaid(words string) bool {
	for _, says := range []*regexp.Regexp{takenBack, notSaid, tookBack, reversed, untilThen, counted} {
		if says.MatchString(words) {
			return true
		}
	}
	return false
}

// isDenied reports whether rows are named to say what others are, or one of several that is not named.
func (m mention) isDenied(before string) bool {
	before = strings.TrimRight(before, " (")
	return deniedChoice.MatchString(before) || len(m.rows) > 1 && oneOfSeveral.MatchString(before+" ")
}
