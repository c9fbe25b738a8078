package split

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"bizfin/internal/money"
)

// The grammar, in which capitals do not matter:
//
//	split   = part { ("," | ";" | "and" | line break) part }
//	part    = share words | words share
//	share   = [ "less" | "minus" | "-" ] ( [ "$" ] 1,234.56 | 65% | 33.33 percent | 1⁄2 | "rest" | "remainder" )
//	        | "fifty percent" | "half", where the other half is said, too
//	yearly  = "a year" | "per year" | "in 2025", once and anywhere: the amounts are those of a year
//
// Of two things half each is "50/50 internet and personal" and "internet and personal, half each", too.
//
// A dash in front of a part is a minus, with a space behind it too, unless the parts are a list: several lines, each of
// which begins with one.
//
// What is taken off went the other way before the bank saw what was left: "1,200.00 sales, less 34.80 fees" of a payout
// of 1,165.20, and "182,000 sale, less 91,500 loan payoff, less rest closing costs" of a closing. Percentages are of
// the payment.
//
// Two figures of a year have a form of their own, since a statement has just these: "interest 4,210.33 a year", of
// which the rest is principal, and "payroll 52,000 wages, 3,978 taxes a year", with or without a rest.

// Names finds the category that words name. It returns its id, and false where they name none.
type Names func(words string, of Context) (id int, ok bool)

// Context is what a whole answer says that its parts are of.
type Context struct {
	Loan    bool // interest of a loan, and what repays it
	Payroll bool // pay, and the taxes on it
	Off     bool // a part that is taken off: its money went the other way
}

// Problem is what is wrong with an answer that is written as a split. Its text is for who wrote it.
type Problem struct {
	Text    string
	Unknown string // the words that name no category
}

func (p *Problem) Error() string { return p.Text }

// Parse reads an answer that is written as a split. ok is false for one that is not, whatever its words are about: then
// neither of the others means anything.
func Parse(text string, names Names) (s Spec, ok bool, problem *Problem) {
	r := reader{names: names}
	text = r.year(inFigures(strings.ToLower(brackets.Replace(text))))
	text = r.form(text)
	pieces := withTheirShares(piecesOf(text))
	if len(pieces) == 0 || lined.MatchString(text) {
		return Spec{}, false, nil
	}
	parts, ok := partsOf(pieces)
	if ok && r.unsigned(parts) {
		return Spec{}, true, &Problem{Text: "has numbers that may be dollars or percent; say which, as in: 60% car, " +
			"40% personal"}
	}
	if !ok || !r.meant(parts) {
		return Spec{}, false, nil
	}
	s, problem = r.read(parts)
	return s, true, problem
}

// reader is what was read of an answer so far.
type reader struct {
	names  Names
	of     Context
	yearly bool
	years  []int
}

// part is a share and the words that it is of.
type part struct {
	share  string // as it was written
	of     string
	behind bool // the share stands behind the words
	off    bool // it is taken off
}

var (
	aYear = regexp.MustCompile(
		`\b(?:a|per|each|every)\s+(?:calendar\s+)?year\b|\byearly\b|\bannually\b|/\s*(?:year|yr)\b`)
	inYear = regexp.MustCompile(`\b(?:in|for|of|during)\s+((?:19|20)\d\d)\b`)

	// Lines of a question are named by their numbers, in another grammar: "3: rent".
	lined = regexp.MustCompile(`^\s*#?\d+(?:\s*-\s*\d+)?\s*:`)

	number   = `\d{1,3}(?:,\d{3})+(?:\.\d*)?|\d+(?:\.\d*)?|\.\d+`
	fraction = regexp.MustCompile(`^(\d+\s+)?(\d+)⁄(\d+)`) // of Unicode, as ½ is in plain signs: 1/2 may be a day
	percent  = regexp.MustCompile(`^(` + number + `)\s*(?:%|percent\b|per cent\b|pct\b)`)
	amount   = regexp.MustCompile(`^(?:usd\s*)?\$?\s*(` + number + `)(?:\s*(?:usd|dollars)\b)?`)
	foreign  = regexp.MustCompile(`^\s*[€£¥]`)
	dollars  = regexp.MustCompile(`\$|usd|dollars`)
	rest     = regexp.MustCompile(`^(?:the\s+|all\s+the\s+)?(?:rest|remainder|remaining|everything else|all else)\b`)

	// between are words that stand between a share and what it is of.
	between = regexp.MustCompile(`^(?:[\s,;:=–—-]|(?:is|are|was|to|for|of|as|goes|it|the|my|and|plus)\b)+`)
	// Where a part begins that is taken off, behind other words.
	lessBehind  = regexp.MustCompile(`([^\s,;:])\s+(less|minus)\s+`)
	minusBehind = regexp.MustCompile(`([^\s,;:])\s+([-−]\$?\d[\d.,]*%?\s+[a-z])`)

	less   = regexp.MustCompile(`^(?:less|minus)\s+`)
	minus  = regexp.MustCompile(`^[-−–—][$.\d]`)
	dash   = regexp.MustCompile(`^[-−–—]\s*`)
	bullet = regexp.MustCompile(`^\s*[-−–—*•]\s+`)

	behind = regexp.MustCompile(`(?:[\s,;:=.&–—-]+(?:is|are|was|and|plus|at|of)?)+$`)
)

// year takes what says that amounts are those of a year out of an answer.
func (r *reader) year(text string) string {
	for _, found := range inYear.FindAllStringSubmatch(text, -1) {
		if year, err := strconv.Atoi(found[1]); err == nil && !slices.Contains(r.years, year) {
			r.years = append(r.years, year)
		}
	}
	slices.Sort(r.years)
	r.yearly = len(r.years) > 0 || aYear.MatchString(text)
	return aYear.ReplaceAllString(inYear.ReplaceAllString(text, " "), " ")
}

var (
	loanForm    = regexp.MustCompile(`^\s*(?:loan\s+)?interest\b[\s:]*(?:of\s+)?(\$?\s*(?:` + number + `))([\s,;].*)?$`)
	payrollForm = regexp.MustCompile(`(?s)^\s*payroll\b[\s:]*(\$?\s*(?:` + number + `)[^\d,;%]*[a-z].*)$`)
)

// form reads the two figures of a year.
func (r *reader) form(text string) string {
	if f := payrollForm.FindStringSubmatch(text); f != nil {
		r.of.Payroll = true
		return f[1]
	}
	text = strings.TrimRight(text, " .\n")
	if f := loanForm.FindStringSubmatch(text); f != nil {
		r.of.Loan = true
		further := strings.Trim(f[2], " ,;")
		if further == "" {
			further = "rest principal"
		}
		return f[1] + " interest; " + further
	}
	return text
}

// piecesOf takes a text apart at the signs between parts. A comma within a number is none.
func piecesOf(text string) []string {
	text = withoutBullets(text)
	text = minusBehind.ReplaceAllString(lessBehind.ReplaceAllString(text, "$1; $2 "), "$1; $2")
	var pieces []string
	from := 0
	for i, c := range text {
		if c == ';' || c == '\n' || c == ',' && !within(text, i) {
			pieces = append(pieces, text[from:i])
			from = i + 1
		}
	}
	pieces = append(pieces, text[from:])
	for i := range pieces {
		pieces[i] = strings.TrimSpace(pieces[i])
	}
	return slices.DeleteFunc(pieces, func(p string) bool { return p == "" })
}

// brackets are signs around a share: interest (20%).
var brackets = strings.NewReplacer("(", " ", ")", " ")

// withTheirShares has a share alone stand behind the words in front of it, which have none: rent, 50%.
func withTheirShares(pieces []string) []string {
	if len(pieces) != 2 {
		return pieces
	}
	_, first, begins := cutShare(pieces[0])
	_, behind, alone := cutShare(pieces[1])
	if _, ends := shareLast(first); begins || ends || !alone || strings.Trim(behind, " .") != "" {
		return pieces
	}
	return []string{pieces[0] + " " + pieces[1]}
}

// withoutBullets takes away what each of several lines begins with.
func withoutBullets(text string) string {
	lines := slices.DeleteFunc(strings.Split(text, "\n"), func(l string) bool { return strings.TrimSpace(l) == "" })
	if len(lines) < 2 || slices.ContainsFunc(lines, func(l string) bool { return !bullet.MatchString(l) }) {
		return text
	}
	for i, l := range lines {
		lines[i] = bullet.ReplaceAllString(l, "")
	}
	return strings.Join(lines, "\n")
}

// within reports whether a comma stands between the thousands of a number.
func within(text string, comma int) bool {
	digits := func(from string) int { return len(from) - len(strings.TrimLeft(from, "0123456789")) }
	before := text[:comma]
	front := len(before) - len(strings.TrimRight(before, "0123456789"))
	return front >= 1 && front <= 3 && digits(text[comma+1:]) == 3
}

// partsOf finds the parts in the pieces: a share with its words behind it, or in front. A piece without a share belongs
// to the words of the one before: names of categories have commas.
func partsOf(pieces []string) ([]part, bool) {
	var parts []part
	for _, piece := range pieces {
		further, off := cutOff(piece)
		if sign := dash.FindString(further); sign != "" && !off {
			further, off = further[len(sign):], true
		}
		if share, _, ok := cutShare(further); ok && share != "" {
			first := len(parts)
			parts = append(parts, sharesFirst(further)...)
			parts[first].off = off
			continue
		}
		if p, ok := shareLast(further); ok {
			p.off = p.off || off
			parts = append(parts, p)
			continue
		}
		last := len(parts) - 1
		if last < 0 || parts[last].of == "" || parts[last].behind {
			return nil, false
		}
		parts[last].of += ", " + piece
	}
	return parts, true
}

// cutOff takes away the word or the minus that says of the share right behind it that it is taken off. A dash with a
// space behind it stands between words and their share, too: "car - 60%".
func cutOff(text string) (further string, off bool) {
	if word := less.FindString(text); word != "" {
		return text[len(word):], true
	}
	if minus.MatchString(text) {
		return strings.TrimLeft(text, "-−–—"), true
	}
	return text, false
}

// cutShare takes the share off that a text begins with.
func cutShare(text string) (share, further string, ok bool) {
	for _, kind := range []*regexp.Regexp{fraction, percent, rest, amount} {
		at := kind.FindString(text)
		if kind == amount && at != "" { // 30.00€ is a share that is refused; 1/2 is none, as it may be a day
			at += foreign.FindString(text[len(at):])
			if strings.HasPrefix(text[len(at):], "/") {
				break
			}
		}
		if at != "" {
			return strings.TrimSpace(at), text[len(at):], true
		}
	}
	return "", text, false
}

// sharesFirst are the parts of a piece that begins with a share: another one behind words begins another part.
func sharesFirst(piece string) []part {
	var parts []part
	for piece != "" {
		share, further, _ := cutShare(piece)
		further = further[len(between.FindString(further)):]
		end := len(further)
		for i := 1; i < len(further); i++ {
			if further[i-1] != ' ' {
				continue
			}
			if next, _, ok := cutShare(further[i:]); ok && marked(next) {
				end = i
				break
			}
		}
		of := behind.ReplaceAllString(further[:end], "")
		parts = append(parts, part{share: share, of: strings.TrimSpace(of)})
		piece = further[end:]
	}
	return parts
}

// shareLast is a part whose share stands behind its words.
func shareLast(piece string) (part, bool) {
	for i := 1; i < len(piece); i++ {
		if piece[i-1] != ' ' && piece[i-1] != ':' {
			continue
		}
		text, off := cutOff(piece[i:])
		share, further, ok := cutShare(text)
		if ok && strings.Trim(further, " .") == "" {
			return part{share, strings.TrimSpace(behind.ReplaceAllString(piece[:i], "")), true, off}, true
		}
	}
	return part{}, false
}

// marked reports whether a share is no bare number, which may be any: 24 hours, 1099 work.
func marked(share string) bool {
	return strings.ContainsAny(share, "$.,%") || strings.TrimLeft(share, "0123456789 ") != ""
}

// meant reports whether parts are written as a split: several of them, of which one has a sign that numbers are shares,
// or one whose words name a category. Other sentences with numbers are no splits.
func (r *reader) meant(parts []part) bool {
	signs := r.yearly || slices.ContainsFunc(parts, func(p part) bool { return p.off || marked(p.share) })
	switch {
	case !signs || len(parts) == 0:
		return false
	case len(parts) == 1 && (rest.MatchString(parts[0].share) || parts[0].of == ""):
		return false
	case len(parts) == 1 && parts[0].behind: // rent 50%, and no story that ends with a number
		_, ok := r.named(parts[0])
		return ok && marked(parts[0].share) && len(strings.Fields(parts[0].of)) <= mostBefore
	case len(parts) == 1 || r.of != (Context{}):
		_, ok := r.named(parts[0])
		return ok || r.of != (Context{})
	default:
		return !slices.ContainsFunc(parts, func(p part) bool { return len(strings.Fields(p.of)) > mostWords })
	}
}

// unsigned reports whether parts are short names with bare numbers, of which nothing says what they are: car 60,
// personal 40.
func (r *reader) unsigned(parts []part) bool {
	return len(parts) > 1 && !r.yearly && r.of == (Context{}) && !slices.ContainsFunc(parts, func(p part) bool {
		_, ok := r.named(p)
		return !ok || p.off || !p.behind || marked(p.share) || len(strings.Fields(p.of)) > mostBefore
	})
}

// named finds the category of a part.
func (r *reader) named(p part) (int, bool) {
	of := r.of
	of.Off = p.off
	return r.names(p.of, of)
}

// namedOtherwise is whether a part that is taken off would have a category if it were not.
func (r *reader) namedOtherwise(p part) bool {
	p.off = false
	_, ok := r.named(p)
	return ok
}

const (
	mostWords  = 8 // that name a category; a longer text is a story
	mostBefore = 2 // the same, in front of a share that is the only one
)

// repays is the part of a loan's payment that pays it back.
var repays = regexp.MustCompile(`^(?:the\s+)?(?:loan\s+)?principal$`)

// read reads the parts.
func (r *reader) read(parts []part) (Spec, *Problem) {
	s := Spec{Yearly: r.yearly, Years: r.years}
	if len(parts) > MostParts {
		return s, &Problem{Text: fmt.Sprintf("has %d parts, and a split has at most %d", len(parts), MostParts)}
	}
	if slices.ContainsFunc(parts, func(p part) bool { return repays.MatchString(p.of) }) {
		r.of.Loan = true // 519.81 interest, rest principal
	}
	for _, p := range parts {
		share, problem := shareOf(p)
		if problem != nil {
			return s, problem
		}
		id, ok := r.named(p)
		switch {
		case p.of == "":
			return s, &Problem{Text: fmt.Sprintf("does not say what %q is for", p.share)}
		case !ok && p.off && r.namedOtherwise(p):
			return s, &Problem{Text: fmt.Sprintf("takes off %q, which names no money that went the other way: only "+
				"such money is taken off; say a share of the payment itself without a minus", p.of)}
		case !ok:
			return s, &Problem{Unknown: p.of,
				Text: fmt.Sprintf("says %q, which names no category that transactions are assigned to", p.of)}
		}
		if dollars.MatchString(p.share) {
			s.Currency = "USD"
		}
		share.Category, share.Off = id, p.off
		s.Parts = append(s.Parts, share)
	}
	return s, s.problem()
}

// shareOf reads a share. Its number is exact or wrong.
func shareOf(p part) (Share, *Problem) {
	switch {
	case rest.MatchString(p.share):
		return Share{Rest: true}, nil
	case fraction.MatchString(p.share):
		f := fraction.FindStringSubmatch(p.share)
		points, ok := pointsOf(f[2], f[3])
		if !ok || f[1] != "" {
			return Share{}, wrongShare(p, "a fraction is less than 1, and a percentage with at most two decimals, as "+
				"1⁄4 is; say others so, as in: 33.33% car, rest personal")
		}
		return Share{Points: points}, nil
	case percent.MatchString(p.share):
		points, ok := exact(percent.FindStringSubmatch(p.share)[1])
		if !ok {
			return Share{}, wrongShare(p, "a percentage has at most two decimals")
		}
		if points <= 0 || points > whole {
			return Share{}, wrongShare(p, "a percentage is more than 0 and at most 100")
		}
		return Share{Points: points}, nil
	case strings.ContainsAny(p.share, "€£¥"):
		return Share{}, wrongShare(p, "an amount is in dollars, or written without a sign in what the payment is in")
	default:
		cents, ok := exact(amount.FindStringSubmatch(p.share)[1])
		if !ok || cents <= 0 {
			return Share{}, wrongShare(p, "an amount is more than 0, with at most two decimals, as in 1,234.56")
		}
		return Share{Cents: cents}, nil
	}
}

// pointsOf are the hundredths of a percent that a fraction is exactly.
func pointsOf(above, below string) (points int64, ok bool) {
	const longest = 4 // digits, which is what two decimals of a percentage can tell
	if len(above) > longest || len(below) > longest {
		return 0, false
	}
	n, _ := strconv.ParseInt(above, 10, 64)
	d, _ := strconv.ParseInt(below, 10, 64)
	if n <= 0 || n >= d || n*whole%d != 0 {
		return 0, false
	}
	return n * whole / d, true
}

func wrongShare(p part, rule string) *Problem {
	return &Problem{Text: fmt.Sprintf("has the share %q; %s", p.share, rule)}
}

// exact reads a number with two decimals at most as a whole number of hundredths. Commas stand between thousands.
func exact(text string) (int64, bool) {
	whole, _, _ := strings.Cut(text, ".")
	groups := strings.Split(whole, ",")
	for i, g := range groups {
		if len(groups) > 1 && (i > 0 && len(g) != 3 || i == 0 && (g == "" || len(g) > 3)) {
			return 0, false
		}
	}
	text = strings.TrimSuffix(strings.ReplaceAll(text, ",", ""), ".")
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	if _, decimals, _ := strings.Cut(text, "."); len(decimals) > 2 { // 10.000 may be ten thousand
		return 0, false
	}
	hundredths, err := money.Parse(text)
	return int64(hundredths), err == nil
}

// problem is what is wrong with the shares together.
func (s Spec) problem() *Problem {
	var points int64
	rests, added := 0, false
	both := map[int]bool{} // by category, whether it is taken off
	for _, p := range s.Parts {
		if p.Off {
			points -= p.Points
		} else {
			points, added = points+p.Points, true
		}
		if p.Rest {
			rests++
		}
		if off, ok := both[p.Category]; ok && off != p.Off {
			return &Problem{Text: "has a category that is taken off and is not; a part is what both come to"}
		}
		both[p.Category] = p.Off
	}
	text := ""
	switch scales := s.Scales(); {
	case rests > 1:
		text = "says rest twice; only one part takes what the others leave"
	case s.Yearly && s.takesRestOff():
		text = "takes the rest off of a year's amounts; say how much it was"
	case !added:
		text = "says what is taken off, and not what it is taken off of; say that too, as in: less 35.00 " +
			"expense.commissions_fees, rest revenue.sales"
	case s.takesRestOff() && (scales || slices.ContainsFunc(s.Parts, func(p Share) bool { return p.Points > 0 })):
		text = "takes the rest off, which needs an amount that it is taken off of, and no percentages"
	case points > whole:
		text = fmt.Sprintf("has percentages that come to %s %%, more than 100", percentText(points))
	case points == whole && rests > 0:
		text = "has percentages that come to 100 %, and then a rest, for which nothing is left"
	case points != 0 && points < whole && rests == 0:
		text = fmt.Sprintf("has percentages that come to %s %%; say what the rest is, as in: rest personal",
			percentText(points))
	case len(s.Years) > 1:
		text = fmt.Sprintf("names the years %d and %d; amounts are those of one, so say only that year", s.Years[0],
			s.Years[1])
	case s.Yearly && scales:
		text = "names a year and no amount of that year; percentages are of every payment"
	default:
		return nil
	}
	return &Problem{Text: text}
}

func percentText(points int64) string {
	return strings.TrimSuffix(strings.TrimRight(money.Amount(points).String(), "0"), ".")
}
