package answers

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"bizfin/internal/wording"
)

// saying is a stretch of words between two signs or joining words, with the places where it names rows.
type saying struct {
	sep   string // what stands before it
	text  string
	named []mention
	not   bool // it says of its rows that they are not what is said
}

// What stands before one.
const (
	asListed  = ", "
	asJoined  = " and "
	asBut     = " but "
	asExcept  = "except"
	asColon   = ":"
	asStopped = "."
)

var (
	joints = regexp.MustCompile(`(?i)[.!](?:\s+|$)|[;\n]+|:\s|(?:^|[\s,.]\s*)` + without + `\s*|` +
		`,\s*(?:(?:and|but|plus)\s+)?|\s+[-–—]+\s+|\s*&\s*|\s+(?:and|but|while|whereas|plus|n)\s+`)
	startsExcept = regexp.MustCompile(`(?i)^\s*` + without + `\s*`)
	leftOut      = regexp.MustCompile(`(?i)` + without)
	joining      = regexp.MustCompile(`(?i)^\s*(?:and|&|n|plus)\s*$`)
	nouns        = regexp.MustCompile(`(?i)^(?:\s*(?:ones?|two|three|four|both|checks?|payments?|deposits?|charges?|` +
		`lines?|rows?|transfers?|` +
		`purchases?|bills?|debits?|transactions?|every\s+(?:month|week|quarter)|each(?:\s+(?:month|week|time))?|` +
		`a\s+month|monthly|weekly|twice|in\s+total|in\s+(?:cash|checks)|by\s+(?:check|card|wire|zelle|venmo))\b)+\s*`)
	isOne = regexp.MustCompile(`(?i)^[\s,]*(?:(?:is|are|was|were|being|means?|goes\s+to|went\s+to|should\s+be|` +
		`for)\b|` +
		`[=:]|'s\b|’s\b)(?:\s+(?:both|all|just|only|really|actually|an?|the)\b)*\s*`)
	aside = regexp.MustCompile(`\(([^()]*)\)`)
)

const without = `(?:all\s+but|but\s+not|except(?:\s+for)?|exceptions?(?:\s+are|\s+is)?:|excluding|other\s+than|` +
	`without|not\s+(?:counting|including)|save\s+for|` +
	`apart\s+from|aside\s+from|leaving\s+out|if\s+you\s+take\s+away|besides|with\s+(?:one|two|three|` +
	`a\s+few)\s+(?:catch|exceptions?)(?::|\s+is|\s+are))(?:\b|\s|$)`

// theSame says of rows what was said before.
var theSame = regexp.MustCompile(`(?i)^(?:the\s+)?same(?:\s+(?:thing|here|deal|too))?$`)

// sayings are the stretches of an answer in their order. What only parts rows of a list parts no stretches.
func (q Asked) sayings(words string) (all []saying) {
	words = q.withAsides(words)
	named := q.mentions(words)
	from, sep := 0, asStopped
	add := func(to int) {
		s := saying{sep: sep, text: words[from:to]}
		if of := startsExcept.FindString(s.text); of != "" { // a stop stood before it
			all = append(all, saying{sep: sep})
			from, s.sep, s.text = from+len(of), asExcept, s.text[len(of):]
		}
		for _, m := range named {
			if from <= m.from && m.to <= to {
				m.from, m.to = m.from-from, m.to-from
				s.named = append(s.named, m)
			}
		}
		if len(s.named) > 0 && justNot.MatchString(s.text[:s.named[0].from]) {
			s = s.without()
		}
		if strings.TrimSpace(s.text) != "" || sep == asExcept {
			all = append(all, s)
		}
	}
	for _, at := range joints.FindAllStringIndex(words, -1) {
		if at[0] < from || within(named, at) || inNumber(words, at[0]) ||
			shortened.MatchString(upBefore(words, at[0])) {
			continue
		}
		add(at[0])
		from, sep = at[1], separates(words[at[0]:at[1]])
	}
	add(len(words))
	return all
}

// isHeading reports whether the first of sayings is what stands before a colon, with rows behind it.
func isHeading(all []saying) bool {
	return len(all) > 1 && len(all[0].named) == 0 && all[1].sep == asColon && len(all[1].named) > 0
}

// excludedBehind is where a saying says behind its rows that they are left out; -1 where it does not.
func (s saying) excludedBehind() int {
	if len(s.named) == 0 {
		return -1
	}
	last := s.named[len(s.named)-1]
	if !leftOutBehind.MatchString(s.text[last.to:]) {
		return -1
	}
	return last.to
}

var leftOutBehind = regexp.MustCompile(`(?i)^\s*(?:is\s+|are\s+)?(?:excluded|excepted|aside|apart|left\s+out|` +
	`not\s+included)\s*$`)

// onlyRows reports whether a saying names rows and says nothing else.
func (s saying) onlyRows() bool {
	return len(s.named) == 1 && strings.Trim(s.text[:s.named[0].from]+s.text[s.named[0].to:], " ,") == ""
}

// notReasons are the places where a saying names rows, without the days that only tell why something was so: a penalty
// because I filed February late.
func (s saying) notReasons() []mention {
	return slices.DeleteFunc(slices.Clone(s.named), func(m mention) bool {
		return m.kind == theDate && reason.MatchString(s.text[:m.from]) && !sideOf.MatchString(s.text[:m.from])
	})
}

var reason = regexp.MustCompile(`(?i)\b(?:because|cause|since|when|while|after|before|until|what)\s+\S+` +
	`(?:\s+\S+){0,6}\s+$`)

var isBut = regexp.MustCompile(`(?i)\bbut\b`)

var justNot = regexp.MustCompile(`(?i)^\s*(?:but\s+)?not\s+(?:the\s+)?$`)

// without is a saying that begins with not, which leaves out the rows that it names.
func (s saying) without() saying {
	from := s.named[0].from
	s.sep, s.text, s.not = asExcept, s.text[from:], true
	for i := range s.named {
		s.named[i].from, s.named[i].to = s.named[i].from-from, s.named[i].to-from
	}
	return s
}

// ofOne is where a saying names its rows, with what stands before and behind. Where it does twice, before a verb, they
// are those that both name, as in the $219 SSDs at Micro Center, or those of which it tells what they say.
func (s saying) ofOne() (m mention, lead, tail string) {
	m = s.named[0]
	lead, tail = strings.Trim(s.text[:m.from], " ("), strings.TrimSpace(s.text[m.to:])
	for _, more := range s.named[1:] {
		if isOne.MatchString(tail) {
			return s.narrowed(m, lead, tail)
		}
		if more.kind == theWords && thatSay.MatchString(s.text[more.from:]) {
			m, tail = more, strings.TrimSpace(s.text[more.to:])
			continue
		}
		both := common(m.rows, more.rows)
		if both == nil {
			continue
		}
		between := nouns.ReplaceAllString(strings.TrimSpace(s.text[m.to:more.from]), "")
		if side := sideOf.FindStringIndex(s.text[:more.from]); more.kind == theDate && side != nil && side[0] >= m.to {
			m.theirs = m.rows // Dana rent until June
			tail = strings.TrimSpace(s.text[m.to:side[0]] + s.text[more.to:])
		}
		m.rows, m.rank, m.sure = both, min(m.rank, more.rank), true
		if strings.Trim(between, " (") == "" {
			m.to, tail = more.to, strings.TrimSpace(s.text[more.to:])
		}
	}
	return m, lead, tail
}

// narrowed are rows of somebody of which something is said up to a day, or from one on: Carlos is a contractor since
// May.
func (s saying) narrowed(m mention, lead, tail string) (mention, string, string) {
	for _, more := range s.named[1:] {
		both := common(m.rows, more.rows)
		side := sideOf.FindStringIndex(s.text[:more.from])
		if side == nil && fromOn.MatchString(s.text[:more.to]) {
			side = fromBefore.FindStringIndex(s.text[:more.from])
		}
		if more.kind != theDate || side == nil || both == nil || side[0] < m.to {
			continue
		}
		m.theirs = m.rows
		m.rows, m.rank, m.sure = both, min(m.rank, more.rank), true
		return m, lead, strings.TrimSpace(s.text[m.to:side[0]] + s.text[more.to:])
	}
	return m, lead, tail
}

func separates(sign string) string {
	switch {
	case leftOut.MatchString(sign):
		return asExcept
	case strings.ContainsAny(sign, ".!;\n"):
		return asStopped
	case strings.Contains(sign, ":"):
		return asColon
	case isBut.MatchString(sign):
		return asBut
	case joining.MatchString(sign):
		return asJoined
	default:
		return asListed
	}
}

// shortened is what ends with a word that a dot shortens.
var shortened = regexp.MustCompile(`(?i)\b(?:dr|mr|mrs|ms|st|jr|sr|inc|co|vs|etc|approx|no|dept|apt)$`)

func within(named []mention, at []int) bool {
	for _, m := range named {
		if m.from <= at[0] && at[0] < m.to {
			return true
		}
	}
	return false
}

// mostAsides of an answer say something; nobody writes more.
const mostAsides = 20

// withAsides are words without brackets: what only names rows in them belongs to the words before, what says something
// of rows is a sentence of its own, as is what they say of one of a list, and other remarks add nothing.
func (q Asked) withAsides(words string) string {
	var list strings.Builder
	from, behind := 0, ""
	for n, at := range aside.FindAllStringIndex(words, -1) {
		in := strings.Trim(words[at[0]:at[1]], "()")
		named := q.mentions(in)
		before := words[from:at[0]]
		from = at[1]
		of, ok := 0, false
		if len(named) == 0 && n < mostAsides {
			of, ok = q.oneOfList(before, words[at[1]:], behind != "")
		}
		if ok && (q.says(in) || theSame.MatchString(in)) {
			list.WriteString(before[:of])
			behind += ". " + strings.TrimSpace(before[of:]) + " is " + in
			from += len(goesOnList.FindString(words[at[1]:]))
			continue
		}
		list.WriteString(before)
		switch {
		case len(named) == 0:
			list.WriteString(" ")
		case len(named) == 1 && strings.TrimSpace(article.ReplaceAllString(in[:named[0].from], "")+
			nouns.ReplaceAllString(in[named[0].to:], "")) == "":
			list.WriteString("(" + in + ")")
		default:
			list.WriteString(". " + in + ". ")
		}
	}
	return list.String() + words[from:] + behind
}

// oneOfList is where the last row of a list begins that words name, in front of a bracket, with more of the list behind
// it: 1001, 1002 (the lawyer), 1003 are rent. Where others had brackets the last one needs none behind it.
func (q Asked) oneOfList(before, behind string, others bool) (from int, ok bool) {
	const longest = 60 // bytes of what a row is named by
	more := goesOnList.FindString(behind)
	if more == "" && !(others && strings.Trim(behind, " .!") == "") {
		return 0, false
	}
	if more != "" {
		if len(behind) == len(more) {
			return 0, false
		}
		if _, is := q.mentionAt(behind, len(more), nil); !is {
			return 0, false
		}
	}
	for at := max(0, len(before)-longest); at < len(before); at++ {
		if !utf8.RuneStart(before[at]) || !beginsWord(before, at) {
			continue
		}
		if m, is := q.mentionAt(before, at, nil); is && strings.TrimSpace(before[m.to:]) == "" {
			return at, m.kind <= theParty && ofAList.MatchString(before[:at])
		}
	}
	return 0, false
}

// ofAList is what stands before one of a list.
var ofAList = regexp.MustCompile(`(?i)(?:^|[,.;:&]|\b(?:and|but|besides|excluding|except(?:\s+for)?|` +
	`(?:other|apart|aside)\s+(?:than|from)))\s*(?:(?:the|checks?|lines?|no\.?)\s*)*#?$`)

// goesOnList is what stands between one of a list and the next.
var goesOnList = regexp.MustCompile(`(?i)^\s*(?:,\s*(?:and\s+)?|&\s*|and\s+)`)

// namesOneOfSeveral reports whether words have a name that several counterparties have, and which of them is not said.
func (q Asked) namesOneOfSeveral(words string) bool {
	with, named := q.parties(), q.mentions(words)
	at := 0
	for _, word := range strings.Fields(words) {
		at += strings.Index(words[at:], word)
		name := strings.TrimRight(ownedBy.ReplaceAllString(word, ""), ".,;:!?")
		several := len(with.words[wording.Fold(name)]) > 1 && len(with.words[wording.Fold(name)]) < len(with.names)
		if several && capital.MatchString(name) &&
			(strangeWord(wording.Fold(name)) || saysNothing(wording.Fold(name))) &&
			!within(named, []int{at}) {
			return true
		}
		at += len(word)
	}
	return false
}
