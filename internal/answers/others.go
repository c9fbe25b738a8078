package answers

import (
	"regexp"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// whose are those who others may be, as an owner calls them.
const whose = `(clients?|customers?|tenants?|owners|residents?|landlords?|buyers?|sellers?|guests?|heirs|others|` +
	`trust|escrow)`

// forThem are words for money that is kept for others.
const forThem = `\b(held|kept|keep|holding|hold|collected|owed) (it )?` +
	`((for|to) (the |my |our )?` + whose + `|in trust)\b`

// Words that name whose money it is, folded.
var (
	theirs = regexp.MustCompile(forThem + `|\b` + whose + ` (money|monies|funds|deposits?|retainers?)\b` +
		`|\b(money|monies|funds|deposits?|retainers?) (of|from|for) (the |my |our |their )?` + whose + `\b` +
		`|\bbelongs? to (the |my |our |a )?` + whose + `\b` +
		`|^(the )?(escrow|retainers?|trust|theirs)$`)
	keptForThem = regexp.MustCompile(forThem + `|\b(money|monies|funds) (of|for) (the |my |our )?` + whose + `\b`)
	notOurs     = regexp.MustCompile(`\b(not|isnt|isn t|none of it is) (mine|ours|my money|our money)\b`)
	paysUs      = regexp.MustCompile(`\b(pays?|paid) (us|me)\b|^(the |my |our )?` + whose + ` (pay|payments?)$`)
	ours        = regexp.MustCompile(`\b(mine|ours|earned|(my|our) (own|fees?|commissions?|income|money))\b`)
	notAll      = regexp.MustCompile(`\b(fees?|commissions?|earned|own|half|except|but|some|mostly|part|partly|rest|` +
		`lines?)\b|[%$0-9]`)
	fees = regexp.MustCompile(`\b(earned|earnings)\b|^(my |our |the )?` +
		`(management |legal |attorney |professional )?(fees?|commissions?)( earned)?$`)
)

// ofOthers is what an answer means to a question about money that an account holds for others. Whose it is decides:
// what such money pays for is not income, nor a cost, unless the answer says that it was the business's own, or names
// the category. Elsewhere only money that is said to be kept for others is none.
func (q Asked) ofOthers(words string, says Meaning, named bool) Meaning {
	if says.Reserved != "" || says.Broken != nil || says.Split != nil || says.Problem != "" {
		return says
	}
	var first questions.Option
	if len(q.Options) > 0 {
		first = q.Options[0]
	}
	written := plain(words)
	words = wording.Fold(written)
	held := first.Value == questions.ClientFunds.Path
	_, option := q.chosen(written, nil)
	_, path := pathOf(written)
	switch {
	case held && notOurs.MatchString(words):
		return Meaning{CategoryID: questions.ClientFunds.ID}
	case option, path, wording.Denies(written):
		return says
	case held && paysUs.MatchString(words): // who pays is not whose it is
		return q.unclear([]*ontology.Category{questions.ClientFunds})
	case held && theirs.MatchString(words) && notAll.MatchString(words): // and something else, of which nothing is said
		return q.unclear([]*ontology.Category{questions.ClientFunds})
	case held && theirs.MatchString(words):
		return Meaning{CategoryID: questions.ClientFunds.ID}
	case first.Label == questions.EarnedLabel && fees.MatchString(words):
		return q.choose(words, first)
	case held && (named || ours.MatchString(words)), !held && !keptForThem.MatchString(words):
		return says
	}
	if c, ok := ontology.ScheduleC().ByID(says.CategoryID); ok && c.Kind.OnForm() {
		return q.unclear([]*ontology.Category{questions.ClientFunds, c})
	}
	return says
}
