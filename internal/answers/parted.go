package answers

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/wording"
)

// Of a row that is several things owners name one and its figure, and then the rest: "611.40 each month is mine, the
// rest is for my two employees"; "the 44.00: 20.50 of it was straws for therapy".

var (
	figureFirst = regexp.MustCompile(`(?i)^(?:(?:only|about|just|and|so|the|` +
		`first)\s+)*\$?(\d[\d,]*(?:\.\d+)?\s*(?:%|percent\b)?)\s*` +
		`(?:(?:each|every|a|per)\s+(?:month|week|time|one)\b\s*)?(?:of\s+(?:it|that|this|them|each)\b\s*)?` +
		`(?:is|was|are|were|for|of|goes\s+to|went\s+to|in)?\s+(?:for\s+)?(.+)$`)
	figureLast = regexp.MustCompile(`(?i)^(.+?)\s+(?:is|was|are|were|` +
		`for)\s+(?:about\s+)?\$?(\d[\d,]*(?:\.\d+)?\s*(?:%|percent\b)?)` +
		`(?:\s+of\s+(?:it|that|this|them))?$`)
	restOfIt = regexp.MustCompile(`(?i)^(?:and\s+)?(?:the\s+)?(?:rest|remainder|` +
		`other\s+\$?\d[\d,]*(?:\.\d+)?\s*(?:%|percent\b)?)(?:\s+of\s+(?:it|that))?\s*` +
		`(?:(?:is|was|are|were|for|went\s+to|goes\s+to|just)\s+)*(.+)$`)
	andThen  = regexp.MustCompile(`(?i)\s+and\s+(?:the\s+)?(rest\b|other\s+\$?\d|\$?\d)`)
	ownersIs = regexp.MustCompile(`(?i)^(?:for\s+)?(?:(?:just|my|our|all)\s+)*(?:me|mine|us|ours|own|home|house|` +
		`family|personal|private|ourselves|` +
		`where\s+(?:i|we)\s+live|` +
		`(?:the\s+)?part\s+(?:of\s+the\s+house\s+)?(?:that\s+)?(?:i|we)\s+live\s+in)$`)
	theBusiness = regexp.MustCompile(`(?i)^(?:(?:is|was|for|all|of|the|my|our)\s+)*(?:business(?:'s|es)?|work|` +
		`company|shop)$`)
	isInterest = regexp.MustCompile(`(?i)\binterest\b`)
)

// inParts are words with the fractions of what was named as shares: one fifth of that.
func inParts(words string) string {
	words = fractionFor.ReplaceAllString(words, "$1 $2 of it $3")
	words = usedFraction.ReplaceAllStringFunc(words, func(said string) string {
		of := usedFraction.FindStringSubmatch(said)
		if share, known := shareOfOne[of[2]+"/"+of[3]]; known && !dayAfter.MatchString(of[1]) {
			return of[1] + share + "%" + of[4]
		}
		return said
	})
	return fractionOf.ReplaceAllStringFunc(words, func(said string) string {
		of := fractionOf.FindStringSubmatch(said)
		share, known := shareOfOne[strings.ToLower(of[1])+" "+strings.ToLower(of[2])]
		if !known {
			return said
		}
		return share + "% of " + of[3]
	})
}

var (
	fractionOf = regexp.MustCompile(`(?i)\b(an?|one|two|three|four)[\s-]+(third|quarter|fifth|tenth)s?\s+of\s+` +
		`(it|that|this|them|those)\b`)
	// fractionFor is a fraction of the row that is asked about: a third internet for the business.
	fractionFor = regexp.MustCompile(`(?i)\b(an?|one|two|three|four)[\s-]+(third|fifth|tenth)s?\s+` +
		`((?:internet|phone|telephone|fuel|gas|power|electric|rent|insurance)\b)`)
	// usedFraction is how much of what was named is the business's, or is not: gas 3/4 business.
	usedFraction = regexp.MustCompile(`(?i)(\pL+\s+)([1-4])/([2-5])(\s+(?:business|biz|work|personal|private|` +
		`shop|home)\b)`)
	dayAfter   = regexp.MustCompile(`(?i)^(?:on|from|since|until|till|to|and|through|thru|the|by|after|before)\s`)
	shareOfOne = map[string]string{"1/2": "50", "1/3": "33.33", "2/3": "66.67", "1/4": "25", "3/4": "75", "1/5": "20",
		"2/5": "40", "3/5": "60", "4/5": "80", "a third": "33.33",
		"one third": "33.33", "two third": "66.67", "a quarter": "25",
		"one quarter": "25", "three quarter": "75", "a fifth": "20", "one fifth": "20", "two fifth": "40",
		"three fifth": "60", "four fifth": "80", "a tenth": "10", "one tenth": "10", "three tenth": "30"}
)

// inHalves is an answer of two shares that people say without a percent sign as a split has it: 60/40 business and
// private, half of it is internet and half is personal. Where it is no split it stays as it is.
func (q Asked) inHalves(words string) string {
	said := ""
	if of := outOfHundred.FindStringSubmatch(words); of != nil {
		a, _ := strconv.Atoi(of[1])
		b, _ := strconv.Atoi(of[2])
		if a+b == 100 {
			said = of[1] + "% " + of[3] + ", rest " + of[4]
		}
	} else if of := halfAndHalf.FindStringSubmatch(words); of != nil && aHalf.MatchString(of[1]+" "+of[2]) &&
		!strings.HasPrefix(of[1], "the ") { // half the time is no half of each
		said = "50% " + of[1] + ", rest " + of[2]
	} else if of := halvesOf.FindStringSubmatch(words); of != nil {
		said = "50% " + of[1] + ", rest " + of[2]
	}
	if said == "" {
		return words
	}
	if m, _ := q.readSplit(plain(said)); m.Split == nil {
		return words
	}
	return said
}

var (
	// aHalf is whose a half is, where the other one says what it is.
	aHalf        = regexp.MustCompile(`(?i)\b(?:personal|private|home|mine|ours|family|business|work)\b`)
	outOfHundred = regexp.MustCompile(`(?i)^\s*(?:\pL[\pL&-]*,?\s+)?(\d\d)\s*/\s*(\d\d)\s+(\pL+)\s*(?:and|/|to|` +
		`,)\s*(\pL+)[\s.!]*$`)
	halvesOf    = regexp.MustCompile(`(?i)^\s*half\s+and\s+half,?\s+(?:for\s+)?([\pL ]+?)\s+and\s+([\pL ]+?)[\s.!]*$`)
	halfAndHalf = regexp.MustCompile(`(?i)^(?:.*[,.]\s+)?(?:(?:so|about|roughly|around|maybe)\s+)*half\s+` +
		`(?:of\s+it\s+)?(?:is\s+)?` +
		`([\pL ]+?)\s*` +
		`(?:,|\band\b)\s*(?:the\s+other\s+)?half\s+(?:of\s+it\s+)?(?:is\s+)?([\pL ]+?)[\s.!]*$`)
)

// countFirst begins what is said of so many rows: the 3 largest, 2 of these.
var countFirst = regexp.MustCompile(`(?i)^(?:(?:only|just|and|but|so|the|` +
	`about)\s+)*\d{1,2}(?:\s+(?:of\s+(?:these|those|them|the)|` +
	`largest|biggest|smallest|times?|trips?|orders?|from|were|are|others?|more|late)\b)`)

// figured is a figure of a part, and the words that say what the part is.
type figured struct{ figure, words string }

// parted are words of figures, and of the rest, as a split is written. What they say beside is what the whole is
// called, and what the rest is where neither they nor what is said of the others say that; rest is what the latter do.
func (q Asked) parted(said []string, rows []uuid.UUID, rest string) (split string, ok bool) {
	var figures []figured
	whole, restSays := "", false
	for i, text := range strings.Split(andThen.ReplaceAllString(strings.Join(said, "\n"), "\n$1"), "\n") {
		text = strings.Trim(text, " ,.!")
		switch of := restOfIt.FindStringSubmatch(text); {
		case of != nil:
			rest, restSays = of[1], true
		case len(q.Lines) > 1 && countFirst.MatchString(text): // so many rows, and no dollars
			return "", false
		case figureFirst.MatchString(text):
			of := figureFirst.FindStringSubmatch(text)
			figures = append(figures, figured{of[1], of[2]})
		case figureLast.MatchString(text):
			of := figureLast.FindStringSubmatch(text)
			figures = append(figures, figured{of[2], of[1]})
		case figureIn(text):
			return "", false
		case len(figures) > 0: // water, sunscreen and wipes
			figures[len(figures)-1].words += ", " + text
		case i == 0:
			whole = text
		}
	}
	if len(figures) > 1 && rest == "" && q.together(figures, rows) {
		rest, figures = figures[len(figures)-1].words, figures[:len(figures)-1]
	}
	var parts []string
	for _, f := range figures {
		figure, year := strings.TrimSpace(strings.ReplaceAll(f.figure, ",", "")), ""
		if in := inAYear.FindString(f.words); in != "" { // 240 interest in 2025
			year, f.words = in, strings.Replace(f.words, in, "", 1)
			if !justInterest.MatchString(f.words) {
				return "", false
			}
		} else if aYear.MatchString(f.words) {
			return "", false
		}
		path := q.pathOfPart(f.words)
		if path == "" || year == "" && !q.partOfAll(figure, rows) {
			return "", false
		}
		parts = append(parts, figure+" "+path+year)
		if rest == "" && whole == "" && path == interestPart {
			rest = principal.Path
		}
	}
	if whole != "" && theBusiness.MatchString(strings.Trim(rest, " ,.!")) {
		rest = whole
	}
	path := q.pathOfPart(cmp.Or(rest, whole))
	if called := q.pathOfPart(whole); !restSays && called != "" { // rent and 50 of it electricity
		path = called
	}
	if len(parts) == 0 || path == "" {
		return "", false
	}
	if path == principal.Path { // as a loan's payment is divided
		path = "principal"
	}
	return strings.Join(parts, ", ") + ", rest " + path, true
}

// ofOneRow is what words of figures say of one row, or of whatever a hook is of. ok is false where they are no such
// words; where they have a figure with cents that is not the row's, and no part of it, what they say of it is unclear.
func (q Asked) ofOneRow(words string) (m Meaning, ok bool) {
	if len(q.Lines) > 1 || q.Company || q.ofLoan() || !strings.ContainsAny(words, "0123456789") {
		return Meaning{}, false
	}
	if m, written := q.readSplit(plain(words)); written && m.Split != nil {
		return Meaning{}, false
	}
	var said []string
	for _, s := range q.sayings(words) {
		said = append(said, s.text)
	}
	private := slices.ContainsFunc(said, partPrivate.MatchString) // tax return, 275 private
	if split, is := q.parted(said, q.rows(), ""); is && (restSaid.MatchString(words) || private || q.addUp(words)) {
		if m := q.target(split); m.Split != nil && q.fits(*m.Split) {
			return m, true
		}
	}
	for _, figure := range withItsCents.FindAllString(words, -1) {
		if len(q.Lines) == 1 && len(said) > 1 && q.ofAmount(strings.ReplaceAll(figure, ",", ""), false) == nil {
			return q.unclear(nil), true
		}
	}
	return Meaning{}, false
}

// addUp reports whether the figures in words add up to the one row that is asked about.
func (q Asked) addUp(words string) bool {
	var sum money.Amount
	for _, figure := range figureSaid.FindAllString(words, -1) {
		amount, ok := figureOfMoney(figure)
		if !ok {
			return false
		}
		sum += amount
	}
	return len(q.Lines) == 1 && sum == size(q.Lines[0].Amount)
}

var (
	partPrivate = regexp.MustCompile(`(?i)^\s*(?:and\s+)?\$?\d[\d,]*(?:\.\d\d)?\s+(?:of\s+it\s+)?(?:is\s+|was\s+)?` +
		`(?:private|personal|mine|family)[\s.!]*$`)
	restSaid   = regexp.MustCompile(`(?i)\b(?:rest|remainder|other)\b`)
	figureSaid = regexp.MustCompile(`\$?\d[\d,]*(?:\.\d+)?`)
)

var withItsCents = regexp.MustCompile(`\d[\d,]*\.\d\d\b`)

// inAYear is the year over which a sum is.
var inAYear = regexp.MustCompile(`(?i)\s+in\s+20\d\d\b`)

// justInterest says that a sum of a year is the interest, and nothing else.
var justInterest = regexp.MustCompile(`(?i)^\s*(?:(?:is|was|of|the|loan|my)\s+)*interest\s*$`)

// together reports whether figures add up to each of some rows; of all where none are named.
func (q Asked) together(figures []figured, rows []uuid.UUID) bool {
	var sum money.Amount
	for _, f := range figures {
		amount, ok := figureOfMoney(f.figure)
		if !ok {
			return false
		}
		sum += amount
	}
	return !slices.ContainsFunc(q.Lines, func(l AskedLine) bool {
		return (len(rows) == 0 || has(rows, l.Transaction)) && size(l.Amount) != sum
	})
}

// figureOfMoney is an amount in words, with or without its cents; a share is none.
func figureOfMoney(figure string) (money.Amount, bool) {
	figure = strings.TrimSpace(strings.TrimLeft(strings.ReplaceAll(figure, ",", ""), "$"))
	sum, err := money.Parse(withCents(figure))
	return sum, err == nil && sum > 0
}

// withCents is a figure as it is read for an amount of money.
func withCents(figure string) string {
	if strings.Contains(figure, ".") {
		return figure
	}
	return figure + ".00"
}

// interestPart is what the cost of a loan's payment is called in a split.
const interestPart = "interest"

// pathOfPart is the category that words of a part say; empty where they say none.
func (q Asked) pathOfPart(words string) string {
	words = strings.Trim(words, " ,.!")
	if ownersIs.MatchString(words) {
		words = "personal"
	}
	if words == "" {
		return ""
	}
	if isInterest.MatchString(words) && q.ofLoan() {
		return interestPart
	}
	if q.Direction() == wording.In && reimbursedPart.MatchString(words) {
		return reimbursable.Path
	}
	c, known := ontology.ScheduleC().ByID(q.target(words).CategoryID)
	switch {
	case !known || c.Is(ontology.Uncategorized):
		return ""
	case q.ofLoan() && slices.Contains(loans, c.Path): // paying it off
		return principal.Path
	}
	return c.Path
}

// smaller reports whether some rows are smaller than each of others.
func (q Asked) smaller(some, than []uuid.UUID) bool {
	for _, row := range some {
		for _, l := range q.Lines {
			if l.Transaction == row && !q.partOfAll(size(l.Amount).String(), than) {
				return false
			}
		}
	}
	return true
}

// partOfAll reports whether a figure is a share, or a sum below that of each of some rows.
func (q Asked) partOfAll(figure string, rows []uuid.UUID) bool {
	if strings.ContainsAny(figure, "%t") {
		return true
	}
	sum, ok := figureOfMoney(figure)
	if !ok {
		return false
	}
	for _, l := range q.Lines {
		if size(l.Amount) <= sum && (len(rows) == 0 || len(common([]uuid.UUID{l.Transaction}, rows)) > 0) {
			return false
		}
	}
	return true
}
