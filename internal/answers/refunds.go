package answers

import (
	"regexp"
	"strings"

	"bizfin/internal/ontology"
	"bizfin/internal/wording"
)

// Words for money that comes back, folded, with those for why, and those beside them that say nothing of what was
// bought.
var (
	cameBack = regexp.MustCompile(`\b(refund(ed|s)?|return(ed|s)?|credit(ed)?|money back|came back|paid back|` +
		`gave back|sent back|back)( (of|for|on|from))?\b`)
	paidBack = regexp.MustCompile(cameBack.String() + `|\b(rebates?|reimburse(d|s|ment)?|overpaid|` +
		`over(charge|payment)s?|overcharged|too much|twice|cancel(l?ed|lation)|prorat(ed|e|ion)|adjust(ed|ment))\b`)
	anything = regexp.MustCompile(`\b(a|an|the|my|our|us|it|they|we|i|was|were|some|part|all|sent|goods?|items?|` +
		`order|purchases?|stuff|something|bought|had|core|charge|deposit|took|brought|leftover)\b`)
	sayable = regexp.MustCompile(`\pL{3}`)
)

// tellsOfRefund reports whether words that were read as what customers got back tell that some of what one bought came
// back.
func (q Asked) tellsOfRefund(words string, m Meaning) bool {
	c, known := ontology.ScheduleC().ByID(m.CategoryID)
	return known && c.Is("revenue.returns") && q.Direction() == wording.Out && len(q.Lines) > 1 &&
		oneBroughtBack.MatchString(words)
}

var oneBroughtBack = regexp.MustCompile(`(?i)\b(?:i|we)\s+(?:\pL+\s+)?(?:returned|took\s+back|sent\s+back)\b|` +
	`\bgot\b.*\b(?:back|refunded)\b|\bsome\s+of\s+(?:it|them)\s+refunded\b|\brefund\s+(?:was|is|were)\b`)

// boughtBack is what folded words say of what was bought, without those for that it came back; back is whether they
// have such, and silent whether nothing else is left.
func boughtBack(said string) (bought string, back, silent bool) {
	bought = cameBack.ReplaceAllString(said, " ")
	left := anything.ReplaceAllString(bought, " ")
	return strings.Join(strings.Fields(bought), " "), bought != said, strings.TrimSpace(left) == ""
}
