package questions

import "regexp"

var (
	// deniedBy is a verb that denies what is said, or doubts it.
	deniedBy = regexp.MustCompile(`(?i)\b(?:would|could|should)(?:n['’]?t|\s+not|\s+never)\s+(?:say|call|be|count|` +
		`consider)\b|` +
		`\bin\s+no\s+way\b|\bstop\s+calling\b|\b(?:may|might|could)(?:['’]ve|\s+have)?\s+be(?:en)?\b|\bprolly\b|` +
		`\bafaik\b|\bcan\s+i\s+say\b|\binstead\s+of\b|\bif\s+\S+(?:\s+\S+){0,3}\s+clears?\b|` +
		`\b(?:it|that|they|he|she)\s+bounced\b`)
	// inPartOnly is what says of a part of it what it is, and not what the rest is, or how much.
	inPartOnly = regexp.MustCompile(`(?i)^\s*(?:half|some|most|part|a\s+(?:third|quarter|bit))\s+of\s+(?:it|them|` +
		`that|` +
		`these|this)\b|\bbut\s+(?:once|one\s+time|sometimes)\b|` +
		`\b(?:less|minus)\s+(?:the\s+|my\s+)?(?:tax|taxes|\pL+['’]s\s+share)\b`)
)

// saysNotWhat reports whether words deny or doubt what they say, or say it of a part whose size they do not tell.
func saysNotWhat(words string) bool {
	return deniedBy.MatchString(words) || inPartOnly.MatchString(words)
}
