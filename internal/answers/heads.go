package answers

import (
	"regexp"
	"strings"

	"bizfin/internal/ontology"
	"bizfin/internal/wording"
)

// headNamed is the cost that the first words name, where what stands behind for, with and the like only says what it
// was for: travel for the expo, dinner in London. It is nil where that may be private, or says a part of it.
func (q Asked) headNamed(words string) *ontology.Category {
	at := whatFor.FindStringIndex(words)
	if q.Direction() != wording.Out || at == nil || wording.Denies(words) || wording.Doubts(words) ||
		mayBePrivate.MatchString(words) || strings.ContainsAny(words, "0123456789%$,;.:?/&+") {
		return nil
	}
	c, named := wording.CategoryNamed(itIsFirst.ReplaceAllString(words[:at[0]], ""), q.Direction())
	if !named || !c.Kind.Cost() || c.Unsplit() || wording.IsAmbiguous(words[:at[0]]) {
		return nil
	}
	return c
}

var (
	whatFor      = regexp.MustCompile(`(?i)\s+(?:for|with|at|to|in|on|from|when|while|during)\s`)
	mayBePrivate = regexp.MustCompile(`(?i)\b(?:personal\w*|privat\w*|home|house\w*|famil\w+|kids?|child\w*|` +
		`baby|wife|husband|` +
		`spouse|partner|sons?|daughters?|moms?|dads?|mother|father|brothers?|sisters?|friends?|girlfriend|boyfriend|` +
		`birthday|wedding|vacation|holidays?|myself|me|us|school|church|dogs?|cats?|both|and|or|but|part|partly|some|` +
		`half|mostly|also|plus|owner|tenants?|employees?|staff)\b`)
)
