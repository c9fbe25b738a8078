package split

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var (
	tens = []string{"ten", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"}
	ones = []string{"one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
)

// Shares as people say them, which the grammar has in figures.
var (
	saidPercent = regexp.MustCompile(`\b(` + strings.Join(tens, "|") + `)(?:[- ](` + strings.Join(ones, "|") + `))?` +
		`\s+(?:%|percent\b|per cent\b|pct\b)`)
	half    = regexp.MustCompile(`\b(?:the other |other |one )?half\b(?: of (?:it|this|that|them)\b)?`)
	halfOf  = regexp.MustCompile(`\bhalf (?:the|of|my|our|a|an)\b`)
	theRest = regexp.MustCompile(`\b(?:rest|remainder)\b`)

	// Two names, and that each is half.
	halves     = regexp.MustCompile(`^\s*50\s*/\s*50\b[\s,:;]*(.+?)\s*(?:,|&|\band\b)\s*([^,&]+)$`)
	halvesEach = regexp.MustCompile(`^\s*(.+?)\s*(?:,|&|\band\b)\s*([^,&]+?)[\s,:;]+` +
		`(?:half each|half and half|50\s*/\s*50|half half)\s*$`)
)

// inFigures is a text whose shares are written in figures. Half is a share only where the other half is said, too: half
// the rent says nothing of the rest.
func inFigures(text string) string {
	text = saidPercent.ReplaceAllStringFunc(text, func(said string) string {
		parts := saidPercent.FindStringSubmatch(said)
		percent := 10*(slices.Index(tens, parts[1])+1) + slices.Index(ones, parts[2]) + 1
		return strconv.Itoa(percent) + "%"
	})
	for _, two := range [...]*regexp.Regexp{halves, halvesEach} {
		parts := two.FindStringSubmatch(text)
		if parts != nil && !strings.ContainsAny(parts[1]+parts[2], "%;0123456789") &&
			!half.MatchString(parts[1]+" "+parts[2]) {
			return "50% " + parts[1] + ", 50% " + parts[2]
		}
	}
	switch said := len(half.FindAllString(text, -1)); {
	case halfOf.MatchString(half.ReplaceAllString(text, "half")):
	case said == 2, said == 1 && theRest.MatchString(text):
		return half.ReplaceAllString(text, "50%")
	}
	return text
}
