package answers

import (
	_ "embed"
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

// yesOrNo is whether private things are paid, too, as words begin: yes, now and then groceries.
func (q Asked) yesOrNo(words string) (questions.Option, bool) {
	says := ""
	switch said := strings.Fields(wording.Fold(words)); {
	case !q.Company || len(said) == 0:
	case slices.Contains([]string{"yes", "yeah", "yep", "sometimes"}, said[0]):
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
