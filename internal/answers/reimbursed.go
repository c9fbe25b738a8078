package answers

import (
	"regexp"
	"strings"

	"bizfin/internal/ontology"
	"bizfin/internal/wording"
)

// What is bought for somebody who pays it back is no cost, and what pays it back no income: "rugs for a client, who
// reimbursed me". What it was says nothing then.

var reimbursable = ontology.MustPath("asset.reimbursable")

var (
	// reimbursedOut is what ends with that somebody else paid, or begins so.
	reimbursedOut = regexp.MustCompile(`(?i)\b(?:clients?|customers?|they|she|he|who)\b[^.;]{0,30}?` +
		`\b(?:reimburse[sd]?|(?:pay|pays|paid)\s+(?:me|us|it|that|(?:me|us)\s+for\s+it)\s+back)\b|` +
		`(?:^|[\s,])(?:reimbursed|(?:got|gets|get|was|were|is|are|been|be)\s+reimbursed)` +
		`(?:\s+by\s+(?:(?:the|a|my|our)\s+)*(?:clients?|customers?))?[\s.!]*$`)
	// paidBackEnds needs somebody of whom it is said.
	paidBackEnds = regexp.MustCompile(`(?i)\b(?:clients?|customers?)\b.*[\s,](?:all\s+)?paid\s+back[\s.!]*$`)
	reimbursedIn = regexp.MustCompile(`(?i)\breimbursements?\s+(?:of|for)\s+\S|\breimbursed\s+(?:me|us)\s+for\s+\S|` +
		`\bpa(?:y|ys|id|ying)\s+(?:me|us)\s+back\s+for\s+\S|\b(?:clients?|customers?|furniture|expenses?|costs?|` +
		`materials?|travel|supplies)(?:['’]s?)?\s+reimburse(?:ments?|d)\b|` +
		`\b(?:i|we)\s+(?:had\s+|have\s+)?(?:bought|paid|purchased|ordered|fronted)\s+(?:it\s+)?for\s+(?:them|her|him|` +
		`(?:the\s+|my\s+)?(?:clients?|customers?))\b`)
	// reimbursedPart is a part of what comes in, beside one that is earned.
	reimbursedPart = regexp.MustCompile(`(?i)^(?:(?:a|the|my|their|them|they|client|customer|expense|cost|furniture|` +
		`materials?|for|is|was)\s+)*(?:reimbursements?|reimbursed|pass[\s-]?through|paid\s+back|` +
		`pa(?:y|ys|id|ying)\s+(?:me|us)\s+back)$`)
	// paidByMe is whoever pays back what others spent for the business, or lent.
	paidByMe = regexp.MustCompile(`(?i)\b(?:i|we|to)\s+(?:(?:have|had|just|always|then|will)\s+)*` +
		`(?:reimburs\w*|(?:pay|paid)\s+\S+\s+back)|\breimbursing\b`)
	iReimbursed = regexp.MustCompile(`(?i)^\s*(?:i|we)\s+reimbursed\s+(?:(?:my|the|a|our)\s+)?(?:clients?|` +
		`customers?)\b`)
	notForClients = regexp.MustCompile(`(?i)[%\d]|\b(?:half|parts?|partly|some|mostly|except|but|sometimes|rest|not|` +
		`never|nobody|without|loans?|lent|lend|borrow\w*|advance|insurance|insurer|claim|employers?|state|county|` +
		`government|program|agency|medical|health|hsa|fsa|tax|taxes|refund\w*|return\w*|over(?:paid|charged?)|store|` +
		`supplier|vendor|rent|deposit|mileage|mom|mother|dad|father|brother|sister|friends?|wife|husband|roommate|` +
		`son|daughter|uncle|aunt|cousin)\b|n['’]t\b`)
	forClients = regexp.MustCompile(`(?i)\b(?:clients?|customers?)\b`)
)

// tellsReimbursed reports whether words say that what was paid is paid back by somebody for whom it was, or that what
// comes in pays that back. That somebody paid it back is not enough: so is what was lent.
func (q Asked) tellsReimbursed(words string) bool {
	const enough = 6 // words that say what it was, too
	if paidByMe.MatchString(words) || notForClients.MatchString(words) {
		return false
	}
	switch q.Direction() {
	case wording.Out:
		return (reimbursedOut.MatchString(words) || paidBackEnds.MatchString(words)) &&
			(forClients.MatchString(words) || len(strings.Fields(words)) >= enough)
	case wording.In:
		return reimbursedIn.MatchString(words)
	default:
		return false
	}
}
