package answers

import (
	"regexp"
	"strings"
)

// What stands before rows, and behind them, says what they are.

// gaveTo stands before what somebody got: that it was given to them says nothing more of it.
var gaveTo = regexp.MustCompile(`(?i)^(?:i|we)\s+(?:gave|handed|sent|wrote|mailed)$`)

// alsoIs says of somebody what was said of those before: Priya too.
var alsoIs = regexp.MustCompile(`(?i)^(?:too|as\s+well|also)[\s.!]*$`)

// whenOf is what stands between what rows are and the day by which they are named.
var whenOf = regexp.MustCompile(`(?i)(?:^|\s+)(?:in|on|since|until|till|before|after|from|through|during|starting|` +
	`between|` +
	`up\s+to)` +
	`(?:\s+and\s+including)?(?:\s+the)?(?:\s+(?:end|beginning|start)\s+of)?$`)

// place has what stands before rows and behind them say what they are.
func (t *teller) place(sep string, m mention, lead, tail string) {
	if to, is := strings.CutPrefix(tail, "to "); is && gaveTo.MatchString(lead) {
		lead, tail = "", "for "+to
	}
	if m.kind == theAmount { // over 1,000 rent
		lead = strings.TrimSpace(overThat.ReplaceAllString(lead+" ", ""))
	}
	t.within = t.within || isWithin.MatchString(lead) && tail == ""
	noun := whenOf.ReplaceAllString(article.ReplaceAllString(lead, ""), "")
	links, many := isOne.FindString(tail), isMany.MatchString(tail)
	of := clause{rows: m.rows, rank: m.rank, sure: m.sure || links != "", theirs: m.theirs}
	tail = strings.TrimSpace(tail[len(links):])
	switch {
	case noun == "" && t.same && links == "" && sep != asStopped, noun == "" && alsoIs.MatchString(tail):
		t.asBefore(of)
	case noun == "" && tail == "":
		t.wait(of)
	case noun == "":
		t.begin()
		t.finish(many)
		t.say(of, tail)
	case links == "" && tail == "" && sep == asJoined && t.narrows(m.rows):
		last := &t.clauses[len(t.clauses)-1] // she did hair and makeup for 200
		last.rows, last.rank = m.rows, m.rank
		t.add(sep, lead)
	default:
		t.held = nil
		t.calls(of, noun, lead, links, tail, many)
	}
}

// calls takes rows with words before them: what they are called, or what is said of them.
func (t *teller) calls(of clause, noun, lead, links, tail string, many bool) {
	part, share := figureOf.FindStringSubmatch(lead), shareOfRow.FindStringSubmatch(lead)
	switch {
	case links != "" && share != nil: // 30% of line 2 was personal
		t.finish(many)
		t.say(of, share[1]+"% "+tail)
	case partOfRow.MatchString(lead): // how much, is not said
		t.finish(many)
		t.say(of, "part of it is "+tail)
	case links != "" && part != nil: // 3.50 of the 103.50 was the fee
		t.finish(many)
		t.say(of, withCents(part[1])+" was "+tail)
	case links != "":
		t.finish(many)
		of.noun = noun
		t.say(of, tail)
	case tail != "":
		t.finish(false)
		t.say(of, strings.TrimSpace(lead+" "+tail))
	case theOnly.MatchString(lead) || linked.MatchString(" "+noun+" "):
		t.finish(false)
		t.say(of, linkedAway.ReplaceAllString(theOnly.ReplaceAllString(lead, ""), ""))
	default:
		of.noun = noun
		of.words = t.text
		t.pending = append(t.pending, of)
	}
}

// wait keeps rows until something is said of them, unless the heading or what began the sentence does.
func (t *teller) wait(of clause) {
	of.words = t.text
	t.pending = append(t.pending, of)
	if t.heading != "" {
		t.say(clause{}, "")
	} else if held := strings.Join(t.held, ", "); held != "" && linked.MatchString(" "+held) {
		t.held = nil
		t.say(clause{}, held)
	}
}

// isWithin stands before a row of which figures follow: of the 1,275, 1,245 was a bounced check.
var isWithin = regexp.MustCompile(`(?i)^(?:and\s+|but\s+)?of(?:\s+(?:the|that))?$`)

var figureOf = regexp.MustCompile(`(?i)(\$?\d[\d,]*(?:\.\d\d)?)\s+(?:of|in|from|on)(?:\s+(?:the|that|those))?\s*\$?$`)

// shareOfRow is a share of the row behind it.
var shareOfRow = regexp.MustCompile(`(?i)(\d[\d.]*)\s*(?:%|percent)\s+of(?:\s+(?:the|that|those))?$`)

var linkedAway = regexp.MustCompile(`(?i)\s+(?:is|are|was|were)\s*(?:the|that)?\s*$`)

var theOnly = regexp.MustCompile(`(?i)^(?:the\s+)?only\s+(?:\pL+\s+)?(?:ones?|things?)\s+(?:that'?s\s+|` +
	`that\s+is\s+|which\s+is\s+)?`)

var isMany = regexp.MustCompile(`(?i)^[\s,]*(?:are|were)\b`)
