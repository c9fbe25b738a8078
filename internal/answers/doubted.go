package answers

import "regexp"

var (
	// deniedBy is a verb that denies what is said, or doubts it.
	deniedBy = regexp.MustCompile(`(?i)\b(?:would|could|should)(?:n['’]?t|\s+not|\s+never)\s+(?:say|call|be|count|` +
		`consider)\b|` +
		`\bin\s+no\s+way\b|\bstop\s+calling\b|\b(?:may|might|could)(?:['’]ve|\s+have)?\s+be(?:en)?\b|\bprolly\b|` +
		`\bafaik\b|\bcan\s+i\s+say\b|\binstead\s+of\b|\bif\s+\S+(?:\s+\S+){0,3}\s+clears?\b|` +
		`\b(?:it|that|they|he|she)\s+bounced\b`)
	// lendsThing is that a thing was lent, or a hand: no money.
	lendsThing = regexp.MustCompile(`(?i)\b(?:lend(?:s|ing)?|lent|loan(?:s|ed)|borrow(?:s|ed|ing)?)\s+` +
		`(?:(?:me|us|him|her|them)\s+)?(?:a\s+hand\b|(?:my|our|his|her|their|the|a|an|some)\s+(?:\pL+\s+)?` +
		`(?:trucks?|vans?|cars?|trailers?|tools?|ladders?|mowers?|equipment|machines?|saws?|cameras?|` +
		`lens(?:es)?|gear)\b)`)
	// inPartOnly is what says of a part of it what it is, and not what the rest is, or how much.
	inPartOnly = regexp.MustCompile(`(?i)^\s*(?:half|some|most|part|a\s+(?:third|quarter|bit))\s+of\s+(?:it|them|` +
		`that|these|this)\b|\bbut\s+(?:once|one\s+time|sometimes)\b|` +
		`\b\d+\s+(?:weeks?|days?|months?|times|trips?)\s+(?:out\s+of|of\s+every)\s+\S+|` +
		`\b(?:less|minus)\s+(?:\$?\d|(?:the\s+|my\s+)?(?:tax|taxes|\pL+['’]s\s+share)\b)`)
)

var (
	// ofTheOtherRows is what is said of rows that others are told from, or of what is left of one.
	ofTheOtherRows = regexp.MustCompile(`(?i)\b(?:rest|others|other\s+ones)\b`)
	percentSaid    = regexp.MustCompile(`(?i)\b\d{1,2}(?:\.\d+)?\s*(?:%|percent\b)`)
	// ofRate is beside a percentage that is no share of the row.
	ofRate = regexp.MustCompile(`(?i)\b(?:interest|apr|rate|commissions?|tax|taxes|discount|off|tips?|fees?|` +
		`markup|down|royalt\w+|` +
		`match|deposit)\b`)
)

// losesShare reports whether words say a share of a row that a reading of the whole would lose.
func losesShare(words string) bool {
	return percentSaid.MatchString(words) && ofTheOtherRows.MatchString(words) && !ofRate.MatchString(words)
}

// saysNotWhat reports whether words deny or doubt what they say, or say it of a part whose size they do not tell.
func saysNotWhat(words string) bool {
	return deniedBy.MatchString(words) || lendsThing.MatchString(words) || inPartOnly.MatchString(words)
}
