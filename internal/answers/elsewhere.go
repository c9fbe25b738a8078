package answers

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/wording"
)

// ofOtherRows reports whether words of rows that are all with one counterparty, or of one row, are about others than
// these: Dolores is labor, said of Ben; the 350s, of one of 500.00; until July, of one in August. Such words decide
// nothing, and are asked after. So do words that name some of the rows of a standing hook, which has none to name.
func (q Asked) ofOtherRows(words string) bool {
	standing := len(q.Lines) == 0
	if standing {
		q.Lines, q.with = q.About, calledIn(q.About)
	}
	if len(q.Lines) == 0 || q.Company || len(q.parties().names) > 1 {
		return false
	}
	if named := len(q.mentions(words)) > 0; named {
		return standing
	}
	for _, clause := range otherClauses.Split(words, -1) {
		if q.ofSomebodyElse(clause) || q.ofOtherTimes(clause) {
			return true
		}
	}
	return q.ofOtherWords(words) || q.ofOtherAmounts(words) || q.ofOtherTimes(words)
}

// otherClauses part words that may each be of other rows.
var otherClauses = regexp.MustCompile(`(?i)[;.]\s+|,\s+(?:but\s+|and\s+)?|\s+but\s+|\s+except(?:\s+(?:for|that))?\s+`)

// ofSomebodyElse reports whether words begin with a given name that stands on none of the lines.
func (q Asked) ofSomebodyElse(words string) bool {
	of := namedFirst.FindStringSubmatch(words)
	if of == nil {
		return false
	}
	names := strings.Fields(wording.Fold(of[1]))
	const short = 6 // words that say no more than what somebody is
	strange := strangeWord(names[0]) && len(strings.Fields(words)) <= short
	return (categorize.IsGivenName(names[0]) || strange) && !slices.ContainsFunc(q.Lines, func(l AskedLine) bool {
		on := " " + wording.Fold(l.Counterparty+" "+l.Description) + " "
		return slices.ContainsFunc(names, func(name string) bool { return strings.Contains(on, " "+name) })
	})
}

// ofOtherWords reports whether words say of several words of the bank what they are, and one of these stands on no
// line: NET is net pay. TAX: 40% wages, rest payroll taxes.
func (q Asked) ofOtherWords(words string) bool {
	const several = 2
	heads := bankHeads.FindAllStringSubmatch(words, -1)
	return len(heads) >= several && slices.ContainsFunc(heads, func(of []string) bool {
		return !slices.ContainsFunc(q.Lines, func(l AskedLine) bool {
			return strings.Contains(strings.ToUpper(l.Description), strings.TrimSuffix(of[1], "S"))
		})
	})
}

// ofOtherAmounts reports whether words begin with amounts that are none of the rows', or not those of all.
func (q Asked) ofOtherAmounts(words string) bool {
	if of := amountsFirst.FindStringSubmatch(words); of != nil {
		return !q.allOfAmount(of[1])
	}
	if of := sidesFirst.FindStringSubmatch(words); of != nil {
		bound, ok := figureOfMoney(of[2])
		over := overFirst.MatchString(of[1])
		return ok && slices.ContainsFunc(q.Lines, func(l AskedLine) bool {
			return over != (size(l.Amount) > bound) && size(l.Amount) != bound
		})
	}
	of := numberFirst.FindStringSubmatch(words)
	if of == nil || len(numberRuns.FindAllString(amountsWhole(words), -1)) > 1 || restSaid.MatchString(words) {
		return false // a part of it
	}
	digits := strings.ReplaceAll(of[1], ",", "")
	n, _ := strconv.Atoi(digits)
	return !q.isLine(n) && q.ofAmount(digits, false) == nil && q.written(digits) == nil
}

// allOfAmount reports whether all rows are of an amount, whatever their cents, or of a round hundred: the 500s.
func (q Asked) allOfAmount(said string) bool {
	amount, ok := figureOfMoney(said)
	of := money.Amount(1_00)
	if hundred := money.Amount(100_00); amount%hundred == 0 {
		of = hundred
	}
	return ok && !slices.ContainsFunc(q.Lines, func(l AskedLine) bool { return size(l.Amount)/of != amount/of })
}

// ofOtherTimes reports whether words are about another month than that of the one row, or up to one or from one on, and
// it lies on the other side.
func (q Asked) ofOtherTimes(words string) bool {
	if len(q.Lines) > 1 {
		return false
	}
	if of := monthFirst.FindStringSubmatch(words); of != nil {
		return q.Lines[0].Date.Month() != monthOf(strings.ToLower(of[1]))
	}
	of := sideLast.FindStringSubmatch(words)
	if of == nil {
		return false
	}
	side := strings.ToLower(of[1])
	if side == "from" {
		side = "since"
	}
	return len(q.onSide(side, monthOf(strings.ToLower(of[2])), 1, 31)) == 0
}

const aMonth = `(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|` +
	`oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)`

var (
	namedFirst = regexp.MustCompile(`^\s*(\p{Lu}[\pL'’-]+(?:\s+\p{Lu}[\pL'’-]+){0,2})\s*(?::|\s(?:is|are|` +
		`was|were)\b)`)
	bankHeads = regexp.MustCompile(`(?:^|[.;]\s*|\bthe\s+)#?([A-Z][A-Z\d]{2,})(?:\s+ones?)?\s*(?::|` +
		`\s(?:is|are|was|were)\b)`)
	amountsFirst = regexp.MustCompile(`(?i)^\s*(?:the\s+)?\$?(\d[\d,]*)s\b`)
	sidesFirst   = regexp.MustCompile(`(?i)^\s*(over|above|more\s+than|under|below|` +
		`less\s+than)\s+\$?(\d[\d,]*(?:\.\d\d)?)\s+\pL`)
	overFirst   = regexp.MustCompile(`(?i)^(?:over|above|more)`)
	numberFirst = regexp.MustCompile(`(?i)^\s*(?:the\s+)?\$?(\d[\d,]*)(?:\s+ones?)?\s(?:is|are|was|were)\b`)
	monthFirst  = regexp.MustCompile(`(?i)^\s*(?:(?:in|the)\s+)?` + aMonth + `(?:\s+(?:one|check|payment|deposit))?` +
		`(?:\s*:|\s+(?:is|was|all|only|personal|private|business)\b)`)
	sideLast = regexp.MustCompile(`(?i)^[^,;.]{2,40}?\s(until|till|before|after|since|from)\s+` + aMonth +
		`(?:\s+on(?:wards?)?)?(?:[\s.!]*$|,\s*(?:then|after\s+that|since\s+then)\b)`)
)
