package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/split"
	"bizfin/internal/wording"
)

// divided reads an answer that divides rows: written as a split is, or with figures in sentences, as in "they kept
// 466.61 in fees in 2025", "interest was 179.71 for the year", "70 percent business".
func (q Asked) divided(words string) (m Meaning, ok bool) {
	if said := interestFigure(words); said != "" && q.Direction() == wording.Out {
		if m, _ := q.readSplit(said); m.Split != nil {
			return m, true
		}
	}
	m, ok = q.readSplit(words)
	if ok && m.Split != nil {
		return m, ok
	}
	for _, said := range []string{q.figured(words), q.loanFigures(words), inFigures(words)} {
		if figures, _ := q.readSplit(said); said != "" && figures.Split != nil && q.fits(*figures.Split) {
			return figures, true
		}
	}
	return m, ok
}

// fits reports whether a split that sentences say may be of the rows: nobody is told that it does not add up.
func (q Asked) fits(spec split.Spec) bool { return q.fitsOf(spec, nil) }

// fitsOf reports whether a split may be of some of the rows; of all where none are named.
func (q Asked) fitsOf(spec split.Spec, rows []uuid.UUID) bool {
	return spec.Yearly || !slices.ContainsFunc(q.Lines, func(l AskedLine) bool {
		return (len(rows) == 0 || has(rows, l.Transaction)) && spec.Fits(l.Amount) != nil
	})
}

// inFigures is the one sentence of several that has figures: It's a loan: $640 principal, $192 interest.
func inFigures(words string) (only string) {
	sentences := betweenSentences.Split(words, -1)
	for _, text := range sentences {
		if !strings.ContainsAny(text, "0123456789") {
			continue
		}
		if only != "" {
			return ""
		}
		only = text
	}
	if len(sentences) < 2 {
		return ""
	}
	return strings.Trim(only, " .!")
}

var betweenSentences = regexp.MustCompile(`[.!:;]\s+`)

// loanFigures are what pays a loan back and what it costs, of payments that are both together.
func (q Asked) loanFigures(words string) string {
	back, cost := paysItBack.FindStringSubmatch(words), costsIt.FindStringSubmatch(words)
	if q.Direction() != wording.Out || back == nil || cost == nil || len(q.Lines) == 0 {
		return ""
	}
	sum := func(figure string) money.Amount {
		figure = strings.ReplaceAll(figure, ",", "")
		if !strings.Contains(figure, ".") {
			figure += ".00"
		}
		a, err := money.Parse(figure)
		if err != nil {
			return 0
		}
		return a
	}
	together := sum(back[1]) + sum(cost[1])
	for _, l := range q.Lines {
		if size(l.Amount) != together {
			return ""
		}
	}
	return sum(back[1]).String() + " principal, " + sum(cost[1]).String() + " interest"
}

var (
	paysItBack = regexp.MustCompile(`(?i)\$?(\d[\d,]*(?:\.\d\d)?)\s+(?:(?:of\s+it|is|was|goes|to|the|in|` +
		`towards?)\s+)*` +
		`(?:principal|pays?\s+(?:back|down|off)|paying\s+(?:back|down|off)|repayment|loan\s+repayment|balance)\b`)
	costsIt = regexp.MustCompile(`(?i)\$?(\d[\d,]*(?:\.\d\d)?)\s+(?:(?:of\s+it|is|was|goes|to|the|in|what|` +
		`like)\s+)*` +
		`(?:interest|fees?|it\s+costs|the\s+cost|finance\s+charge)\b`)
)

// figured writes figures in sentences as a split is written; it is empty where they are none.
func (q Asked) figured(words string) string {
	_, payout := q.paidOut()
	switch {
	case payout:
		return q.keptFigures(words)
	case q.Direction() != wording.In && onlyOurs.MatchString(words):
		return onlyOurs.FindStringSubmatch(words)[1] + "% business, rest personal"
	}
	return ""
}

const aFigure = `\$?\s*(\d[\d,]*(?:\.\d+)?(?:\s*(?:%|percent\b))?)`

var (
	onlyOurs = regexp.MustCompile(`(?i)^\s*(?:about|roughly|around|maybe|approximately|is|` +
		`it'?s)?\s*(\d[\d.]*)\s*(?:%|` +
		`percent)\s+(?:is\s+)?(?:for\s+)?(?:the\s+|my\s+)?(?:business|work|biz|shop|office|studio|jobs?|company)` +
		`(?:\s+use)?(?:\s*(?:and|,|/)\s*(?:the\s+)?(?:rest|other|\d[\d.]*\s*(?:%|percent))\s+(?:is\s+|for\s+|` +
		`my\s+|the\s+)*` +
		`(?:me|mine|us|ours|home|house|personal|private|family|own))?[\s.!]*$`)

	ofYear  = regexp.MustCompile(`(?i)\b(?:in|for|of|during)\s+((?:19|20)\d\d)\b`)
	theYear = regexp.MustCompile(`(?i)\b(?:for\s+|in\s+)?(?:the|this|per|a|each)\s+(?:whole\s+)?year\b`)
	aSum    = regexp.MustCompile(`\d[\d,]*\.\d\d\b|\b\d{1,3}(?:,\d{3})+\b|\b\d{3,}\b`)
	itsSum  = regexp.MustCompile(`(?i)\binterest(?:\s+(?:was|were|is|of|paid|about|came\s+to|in\s+total|` +
		`this\s+year|` +
		`for\s+the\s+year|on\s+(?:that|it|this)(?:\s+one)?|total(?:ed|s)?|part|portion|all\s+together|` +
		`altogether))*[\s:=]+\$?\d|\d\s+(?:(?:in|of|it|that|is|was)\s+)*(?:the\s+)?interest\b`)

	keptOf = regexp.MustCompile(`(?i)(?:\b[\w&'.]+\s+)?\b(?:kept|keeps?|takes?|took|charges?|charged|deducts?|` +
		`deducted)\s+(?:(?:a|an|their|its|about|off|out)\s+)*` + aFigure + `(?:\s+(?:of\s+(?:it|that)|out))?` +
		`(?:\s+(?:in|of|as|for)\b)?(?:\s+(?:their|its|the|processing|card|seller|service)\b)*\s*` +
		`(?:fees?|commissions?|cut)?\b`)
	lessFees = regexp.MustCompile(`(?i)\b(?:less|minus)\s+` + aFigure + `\s+(?:[\pL'&]+\s+)?fees?\b`)
	feesAre  = regexp.MustCompile(`(?i)\bfees?\s+(?:(?:of|were|was|is|are)\s+|[:=]\s*)?` + aFigure)
	wasTax   = regexp.MustCompile(`(?i)` + aFigure + `\s+(?:of\s+(?:it|that)\s+)?(?:was|were|is|` +
		`in)\s+(sales\s+tax)\b`)
)

// interestFigure is a year's interest of a loan's payments.
func interestFigure(words string) string {
	words = paysBack.ReplaceAllString(words, "")
	if !itsSum.MatchString(words) || otherParts.MatchString(words) {
		return ""
	}
	when := ""
	if year := ofYear.FindStringSubmatch(words); year != nil {
		when = " in " + year[1]
	} else if theYear.MatchString(words) || inAll.MatchString(words) {
		when = " a year"
	}
	words = ofYear.ReplaceAllString(words, " ")
	sums := inCents.FindAllString(words, -1)
	if sums == nil {
		sums = aSum.FindAllString(ofModel.ReplaceAllString(words, " "), -1)
	}
	if when == "" || len(sums) != 1 {
		return ""
	}
	return "interest " + sums[0] + when
}

var (
	inCents = regexp.MustCompile(`\d[\d,]*\.\d\d\b`)
	// ofModel is a number that a car is called by: the loan on the F-150.
	ofModel = regexp.MustCompile(`\b\pL[\pL\d]*-?\d+\b`)
	// paysBack is that what is left of a loan's payments pays it back, which goes without saying.
	paysBack = regexp.MustCompile(`(?i)[,;.\s]+(?:and\s+|with\s+)?(?:(?:the\s+)?(?:rest|remainder|` +
		`others?|what'?s\s+left(?:\s+over)?)(?:\s+of\s+(?:it|them|that|every\s+payment|each\s+payment))?|everything\s+else)\s+` +
		`(?:(?:is|was|are|were|went|goes|going|to|towards?|just|all|of\s+it|for|the|it)\s+)*` +
		`(?:principal|balance|loan|pa(?:y(?:s|ing|ed|ment)?|id)\s+(?:(?:it|that|the\s+loan|the\s+balance)\s+)?(?:down|` +
		`off|back)(?:\s+(?:the|my|our)\s+(?:\pL+\s+)?(?:loan|balance))?)[\s.!]*|` +
		`[,;.\s]*\bmostly\s+principal\b`)
	inAll = regexp.MustCompile(`(?i)\b(?:altogether|all\s+together|in\s+all|in\s+total|total)\b`)
)

// otherParts are what else a payment may be said to be.
var otherParts = regexp.MustCompile(`(?i)%|\b(?:rest|principal|escrow|insurance|taxes|fees?)\b`)

// keptFigures are what was kept of payouts, and what the rest of them is: what is said beside, or what they seem to be.
func (q Asked) keptFigures(words string) string {
	when := ""
	if year := ofYear.FindStringSubmatch(words); year != nil {
		when = " in " + year[1]
	} else if theYear.MatchString(words) {
		when = " a year"
	}
	words = theYear.ReplaceAllString(ofYear.ReplaceAllString(words, ""), "")
	said := lessFees.ReplaceAllString(words, "less $1 fees")
	if said == words && when != "" && !strings.ContainsAny(words, "%") { // a share may be of more than what came
		said = keptOf.ReplaceAllString(feesAre.ReplaceAllString(words, "less $1 fees"), ", less $1 fees")
	}
	if said == words {
		return ""
	}
	said = wasTax.ReplaceAllString(said, "less $1 $2")
	var kept, beside []string
	for _, text := range betweenNames.Split(thousands.ReplaceAllString(said, "$1$2"), -1) {
		switch text = strings.Trim(text, " .!"); {
		case text == "":
		case strings.ContainsAny(text, "0123456789"):
			kept = append(kept, text)
		default:
			beside = append(beside, theRestIs.ReplaceAllString(text, ""))
		}
	}
	rest := strings.Join(beside, " and ")
	if rest == "" {
		rest = q.Options[0].Value
	}
	return strings.Join(kept, ", ") + when + ", rest " + rest
}

var theRestIs = regexp.MustCompile(`(?i)^(?:the\s+)?rest(?:\s+(?:is|are|was|were|of\s+it))*\s+`)

var thousands = regexp.MustCompile(`(\d),(\d{3})\b`)

// allBusiness is that nothing of what is used at home, too, is private.
var allBusiness = regexp.MustCompile(`(?i)^\s*(?:(?:no|nothing|none(?:\s+of\s+(?:it|them|these|those))?|` +
	`nothing(?:\s+of\s+it)?(?:\s+else)?\s+is\s+used\s+at\s+home)[,.;]\s+)?` +
	`(?:(?:it's|it\s+is|they're|they\s+are|that's|those\s+are|everything|all|all\s+of\s+(?:it|them|that|these)|is|` +
	`are|only|just|for|the|my|our|100\s*%|strictly|used)[\s,]+)*` +
	`(?:business|work|shop|store|restaurant|office|company)(?:'s)?(?:[\s,]+(?:only|use|all|business|expenses?|` +
	`too))*` +
	`[\s.!]*$|^\s*(?:none(?:\s+of\s+(?:it|them|these|those))?|(?:nothing|none)(?:\s+of\s+(?:it|them|these))?(?:\s+(?:here|else))?\s+` +
	`(?:is|are)\s+(?:used\s+at\s+home|at\s+home|home\s+(?:stuff|use)|private|personal))[\s.!]*$`)

// inPercent writes a share in words, of what is used at home, too, as a split: half is my wife's.
func inPercent(words string) (split string, is bool) {
	m := shareInWords.FindStringSubmatch(words)
	if m == nil {
		return "", false
	}
	share := inWords[strings.Join(strings.Fields(strings.ToLower(m[1])), " ")]
	if m[2] != "" {
		return share + "% business, rest personal", true
	}
	return share + "% personal, rest business", true
}

// inWords are shares, in percent.
var inWords = map[string]string{"half": "50", "quarter": "25", "three quarters": "75", "third": "33.33",
	"two thirds": "66.67"}

var shareInWords = regexp.MustCompile(`(?i)^\s*(?:(?:about|roughly|around|maybe|only)\s+)?` +
	`(?:(?:an?|one)\s+)?(half|quarter|three\s+quarters|third|two\s+thirds)` +
	`(?:\s+(?:of\s+(?:it|them)|is|it's|for|the|my)\b)*\s+(?:` +
	`(business|work|biz|shop|office|company)|(?:private|personal|home|mine|ours|family|my\s+own|` +
	`(?:wife|husband|daughter|son|kid|boy|girl|mom|mother|dad|father|partner)['’]?s?['’]?))\b` +
	`(?:\s+(?:use|line|phone))?(?:\s*,?\s*(?:and\s+)?(?:half|the\s+rest|(?:a|one|two)\s+\w+|rest)\s+(?:is\s+|` +
	`for\s+)*\w+)?\s*(?:[,.(].*)?$`)
