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
	if aLoan.MatchString(words) && q.Direction() == wording.Out && !mayBePrivate.MatchString(words) {
		return ontology.MustPath("liability.loan_payment_unsplit")
	}
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
	// aLoan is what is called a loan of somebody, or on something: OnDeck loan, loan on the van.
	aLoan = regexp.MustCompile(`(?i)^\s*(?:(?:it'?s|that'?s)\s+)?(?:(?:the|my|our|` +
		`an?)\s+)?(?:[\pL\d'’&-]+\s+){0,3}loan` +
		`(?:\s+(?:on|for)\s+(?:the|my|our)\s+[\pL\d'’&-]+(?:\s+[\pL\d'’&-]+)?)?(?:,\s+the\s+[\pL\d\s-]{2,20})?[\s.!]*$`)
	whatFor      = regexp.MustCompile(`(?i)\s+(?:for|with|at|to|in|on|from|when|while|during)\s`)
	mayBePrivate = regexp.MustCompile(`(?i)\b(?:personal\w*|student|payday|mortgage|lent|gave|privat\w*|home|` +
		`house\w*|famil\w+|kids?|child\w*|` +
		`baby|wife|husband|` +
		`spouse|partner|sons?|daughters?|moms?|dads?|mother|father|brothers?|sisters?|friends?|girlfriend|boyfriend|` +
		`birthday|wedding|vacation|holidays?|myself|me|us|school|church|dogs?|cats?|both|and|or|but|part|partly|some|` +
		`half|mostly|also|plus|owner|tenants?|employees?|staff)\b`)
)
