package answers

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"sync"

	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

//go:embed data/trades.tsv
var tradesTSV string

// trades are the words for what a business does.
var trades = sync.OnceValue(func() map[string]string {
	byWords := map[string]string{}
	for _, fields := range wording.RowsOf(tradesTSV, 2) {
		for words := range strings.SplitSeq(fields[1], ",") {
			byWords[wording.Fold(words)] = fields[0]
		}
	}
	return byWords
})

// taxKept is whether words say of the sales tax that customers pay that it is kept apart, or that it is in the
// receipts.
func (q Asked) taxKept(words string) (questions.Option, bool) {
	if !q.Company || !slices.ContainsFunc(q.Options, func(o questions.Option) bool {
		return o.Value == questions.SalesTaxCollected.Path
	}) {
		return questions.Option{}, false
	}
	role := questions.Role("")
	switch apart, within := keptApart.MatchString(words), withinSales.MatchString(words); {
	case apart && !within:
		role = questions.RoleNo
	case within && !apart && !wording.Denies(words):
		role = questions.RoleYes
	}
	at := slices.IndexFunc(q.Options, func(o questions.Option) bool { return role != "" && o.Role == role })
	if at < 0 || wording.Doubts(words) {
		return questions.Option{}, false
	}
	return q.Options[at], true
}

var (
	keptApart = regexp.MustCompile(`(?i)\b(?:put|set|keep|kept|hold|held)\s+(?:it|that|the\s+tax)?\s*(?:aside|apart|` +
		`separate(?:ly)?)\b|\b(?:isn['’]?t|is\s+not|not)\s+(?:my|our)\s+money\b|\b(?:pass|send|pay|remit|` +
		`forward|turn)s?\s+(?:it|that|the\s+tax|all\s+of\s+it)\s+(?:all\s+)?(?:straight\s+)?(?:on|over|in)?\s*to\s+the\s+state\b`)
	withinSales = regexp.MustCompile(`(?i)\b(?:in|part\s+of|inside)\s+(?:my|our|the)\s+(?:prices?|sales|` +
		`receipts|totals?|deposits|income)\b|\b(?:prices?|sales|receipts|totals?)\s+(?:already\s+)?(?:include|have|has|contain)s?\b`)
)

// yesOrNo is whether private things are paid, too, as words begin: yes, now and then groceries.
func (q Asked) yesOrNo(words string) (questions.Option, bool) {
	says := ""
	switch said := strings.Fields(wording.Fold(words)); {
	case !q.Company || len(said) == 0:
	case slices.Contains([]string{"yes", "yeah", "yep", "sure", "sometimes", "occasionally", "rarely"}, said[0]),
		nowAndThen.MatchString(words):
		says = questions.PrivateYes
	case slices.Contains([]string{"no", "nope", "never"}, said[0]):
		says = questions.PrivateNo
	}
	at := slices.IndexFunc(q.Options, func(o questions.Option) bool { return says != "" && o.Value == says })
	if at < 0 {
		return questions.Option{}, false
	}
	return q.Options[at], true
}

var nowAndThen = regexp.MustCompile(`(?i)^\s*(?:now\s+and\s+then|once\s+in\s+a\s+while|from\s+time\s+to\s+time|` +
	`every\s+(?:now\s+and\s+then|once\s+in\s+a\s+while)|a\s+(?:bit|little|few)|some(?:\s+(?:are|of\s+it|things))?)\b`)

// tradeOf is the option that words say a business does: the one that is named first, and the longer of two names.
func (q Asked) tradeOf(words string) (questions.Option, bool) {
	if !slices.ContainsFunc(q.Options, func(o questions.Option) bool { return o.Value == questions.TradeFood }) {
		return questions.Option{}, false
	}
	const longest = 3
	said := strings.Fields(wording.Fold(words))
	for at := range said {
		for n := min(longest, len(said)-at); n > 0; n-- {
			trade, ok := trades()[strings.Join(said[at:at+n], " ")]
			i := slices.IndexFunc(q.Options, func(o questions.Option) bool { return o.Value == trade })
			if ok && i >= 0 {
				return q.Options[i], true
			}
		}
	}
	return questions.Option{}, false
}
