package answers

import (
	"regexp"

	"bizfin/internal/ontology"
)

var (
	federalIncomeTax = ontology.MustPath("tax.estimated_income")
	stateIncomeTax   = ontology.MustPath("tax.state_income")
)

var (
	// ownIncomeTax says no more than that it is the owner's.
	ownIncomeTax = regexp.MustCompile(`(?i)^\s*(?:(?:it'?s|they'?re|these\s+are|for)\s+)?(?:(?:my|our)\s+)(?:own\s+)?` +
		`(?:(?:personal|own|income)\s+)*tax(?:es)?[\s.!]*$`)
	// ofAState names the state whose income tax it is.
	ofAState = regexp.MustCompile(`(?i)\b(?:alabama|arizona|arkansas|california|colorado|connecticut|delaware|` +
		`georgia|` +
		`hawaii|idaho|illinois|indiana|iowa|kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|` +
		`minnesota|` +
		`mississippi|missouri|montana|nebraska|new\s+jersey|new\s+mexico|new\s+york|north\s+carolina|north\s+dakota|` +
		`ohio|oklahoma|oregon|pennsylvania|rhode\s+island|south\s+carolina|utah|vermont|virginia|west\s+virginia|` +
		`wisconsin)(?:\s+state)?\s+(income\s+tax(?:es)?)\b`)
)
