package answers

import (
	"regexp"
	"slices"
	"strings"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// partlyOurs reports whether words that are no split say a share of the money that is the business's, or that is not:
// what is left of it is something else, and they are not read for the whole. "Half my shop" is rented to somebody, and
// "100 % work" leaves nothing.
func (q Asked) partlyOurs(words string) bool {
	return q.Direction() != wording.In && ourShare.MatchString(words) && !allOurs.MatchString(words)
}

const (
	aShare = `(?:\d[\d.]*\s*(?:%|percent\b|per\s+cent\b|pct\b)|` +
		`\b(?:(?:ten|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)(?:[ -]five)?\s+percent|` +
		`(?:one|two|three|four|a)[ -](?:third|fourth|quarter|fifth|tenth)s?)\b)`
	usedBy = `(?:business|biz|work|office|personal(?:ly)?|private(?:ly)?|home|house|family|mine|my\s+own)\b`
)

var (
	ourShare = regexp.MustCompile(`(?i)` + aShare + `(?:[\s,]+(?:of\s+(?:it|the\s+\pL+)|is|are|for|goes?|to|the|` +
		`my|by|as|it's|its|was|used|being|use)\b)*[\s,]+` + usedBy + `|` +
		`\b` + usedBy + `(?:\s+(?:room|use|side|part|share|space))?` +
		`(?:\s+(?:is|was|about|gets|takes|around|like|maybe|roughly|at|only))+\s+` + aShare)
	allOurs = regexp.MustCompile(`(?i)\b100\s*(?:%|percent\b|per\s+cent\b|pct\b)`)
)

// keptNothing reports whether words tell that nothing was kept of payouts that is known: they are what they came as.
func (q Asked) keptNothing(words string) bool {
	_, is := q.paidOut()
	return is && strings.HasSuffix(q.Question, questions.KeptOfThat) && noneKept.MatchString(words)
}

var noneKept = regexp.MustCompile(`(?i)^\s*(?:(?:it|they|\pL+)\s+(?:kept|keeps?|h[eo]lds?\s+back|took|takes?)\s+)?` +
	`(?:nothing|none|zero|no\s+fees?)(?:\s+(?:was|is)\s+kept|\s+kept|\s+at\s+all)?[\s.!]*$|` +
	`^\s*(?:nobody\s+knows|(?:i|we)\s+(?:don'?t|do\s+not)\s+know|no\s+idea|not\s+sure)\s+how\s+much[\s.!]*$`)

// tellsParts reports whether words that are no split tell several sums, or one of a payout: it is not wholly what one
// of them is called.
func (q Asked) tellsParts(words string) bool {
	sums, most := cents.FindAllString(words, -1), 1
	if _, is := q.paidOut(); is {
		most = 0
	}
	return len(sums) > most || figuresApart.MatchString(words)
}

// figuresApart are parts as somebody writes them who leaves the cents out: 90 supplies; 10 meals.
var figuresApart = regexp.MustCompile(`^\s*\d[\d.,]*\s+[^;\d]+;\s*\d[\d.,]*\s+[^;\d]+$`)

// tellsYear reports whether words tell a sum of a year, and are no split.
func tellsYear(words string) bool { return cents.MatchString(words) && aYear.MatchString(words) }

var aYear = regexp.MustCompile(`(?i)\b(?:in|for|of|during)\s+20\d\d\b|\byear\b`)

// inReceipts is that sales tax is part of what customers pay as it is counted.
var inReceipts = regexp.MustCompile(`(?i)\b(?:in|inside|into|part\s+of|out\s+of|included)\b[^.;]*` +
	`\b(?:prices?|sales|receipts|deposits|takings|income|what\s+(?:we|i|they)\s+(?:take|sell|charge|make|pay))\b`)

// tellsKept is how much was kept of what came in.
var tellsKept = regexp.MustCompile(`(?i)\b(?:kept|keeps?|h[eo]lds?\s+back|took\s+out|takes?\s+out|deducted|` +
	`withheld)\b[^.;]*\d`)

var cents = regexp.MustCompile(`\d\.\d\d\b`)

// tellsInterest reports whether words tell how much interest is in a payment that seems to be a loan's: what is left of
// it pays the loan back, and they are not read for the whole.
func (q Asked) tellsInterest(words string) bool { return interestOf.MatchString(words) && q.ofLoan() }

// ofLoan reports whether the rows seem to pay a loan.
func (q Asked) ofLoan() bool {
	return len(q.Options) > 0 && slices.Contains(loans, q.Options[0].Value)
}

var (
	loans = []string{"liability.loan_payment_unsplit", "liability.credit_line", "liability.installment_plan"}

	interestOf = regexp.MustCompile(`(?i)\binterest\b[^.;]*\d[\d,]*\.\d\d\b|\d[\d,]*\.\d\d\b[^.;]*\binterest\b`)
)

// ownMoney is the option that an account's money is the owner's, where one asks whose it is and words say that the
// account is. One that they call the business's is not.
func (q Asked) ownMoney(words string) (questions.Option, bool) {
	at := slices.IndexFunc(q.Options, func(o questions.Option) bool {
		return o.Value == questions.OwnersDraw.Path && o.Label != questions.OwnersDraw.Name
	})
	if at < 0 || !ownAccount.MatchString(words) || ofBusiness.MatchString(words) {
		return questions.Option{}, false
	}
	return q.Options[at], true
}

var (
	ownAccount = regexp.MustCompile(`(?i)^\s*(?:(?:it'?s|it\s+is|that'?s)\s+)?(?:(?:my|our)\s+(?:wife|husband|` +
		`spouse|mom|` +
		`dad|son|daughter)['’]?s|(?:the|our)\s+family(?:['’]s)?)\s+(?:(?:own|private|credit|debit)\s+)*(?:card|` +
		`account|visa|amex|mastercard)\b[\pL\d'&.,\s-]*$|^\s*(?:(?:it'?s|it\s+is|that'?s|goes|went|sent|moved|` +
		`transfers?|` +
		`transferred|paid|paying|payments?|pays|to|from|for|into|out\s+of|just)\s+)*` +
		`(?:my|our)\s+(?:(?:own|personal|private|household|family)\s+)+[\pL\d'&.\s-]*(?:,\s*(?:i|we)\b.*)?$|` +
		`^\s*(?:[\pL\d'&.-]+\s+){1,4}(?:is|are|was)\s+(?:my|our)\s+(?:own|personal|private)\s+(?:card|account|` +
		`visa|amex|mastercard)\b`)
	ofBusiness = regexp.MustCompile(`(?i)\b(?:business|biz|company|shop|work|llc|inc|operating|payroll|tax|taxes|` +
		`reserve)\b`)
)

// asAsked is a category as a question has it: where one asks whose money it is, what is private is the owner's; food,
// and what is sold, is bought to be sold where that is offered.
func (q Asked) asAsked(c *ontology.Category, words string) *ontology.Category {
	offers := func(path string) bool {
		return slices.ContainsFunc(q.Options, func(o questions.Option) bool { return o.Value == path })
	}
	if strings.HasPrefix(c.Path, "personal.") && !offers(c.Path) && offers(questions.OwnersDraw.Path) &&
		(c.Path == "personal.living" || c.Path == "personal.income") {
		return questions.OwnersDraw
	}
	const sold = "cogs.purchases"
	if c.Path == "cogs.materials" && !offers(c.Path) && offers(sold) && isSold.MatchString(words) {
		return ontology.MustPath(sold)
	}
	return c
}

var isSold = regexp.MustCompile(`(?i)\b(?:food|groceries|sell|sold|resell|resale|stock|inventory)\b`)

// toldPrivate reports whether one of several short remarks says that it is private, and nothing that a part of it is
// not: "private, my husband's truck".
func (q Asked) toldPrivate(words string) bool {
	remarks := strings.FieldsFunc(words, func(r rune) bool { return strings.ContainsRune(",;.\n", r) })
	is := func(remark string) bool { return private.MatchString(wording.Fold(remark)) }
	others := slices.DeleteFunc(slices.Clone(remarks), is)
	return len(others) > 0 && len(others) < len(remarks) && !inPart.MatchString(words) && q.listed(words) == nil &&
		!slices.ContainsFunc(others, forWork.MatchString)
}

var (
	private = regexp.MustCompile(`^(?:(?:its|it is|thats|that is|all|all of it is|they are|theyre) )*` +
		`(?:private|personal|not business|not for (?:the )?business|nothing of the business|not the business)$`)
	inPart = regexp.MustCompile(`(?i)[%\d]|\b(?:half|part|partly|some|mostly|except|but|sometimes|also|both|` +
		`rest|business use|work|mix|mixed)\b`)

	forWork = regexp.MustCompile(`(?i)\b(?:business|work|office|shop|company|clients?|customers?|jobs?|crew)\b`)

	// aSide is whatever says that a part of something is not the business's.
	aSide = regexp.MustCompile(`(?i)\b(?:personal\w*|private\w*|home|house\w*|family|famil\w+|kids?|wife\w*|` +
		`husband\w*|own|ours|mine|me|my|myself|us|our|daughters?|sons?|mix\w*|both|some\w*|part\w*|half|depends|` +
		`split\w*|` +
		`either)\b|[%½]`)
)
