package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
)

// interestOf is the interest that a report of a year deducts.
func (o *office) interestOf(year string) string {
	o.t.Helper()
	return o.sums(year+"-01-01", year+"-12-31")["line 16b"]
}

// wantOpen checks that rows are open, and asked about with a reason that has some words.
func (o *office) wantOpen(why string, rows ...string) {
	o.t.Helper()
	all, reasons := o.all(), o.reasons()
	for _, row := range rows {
		if all[row]["category"] != nil || len(all[row]["parts"].([]any)) > 0 || all[row]["needsAttention"] != true {
			o.t.Errorf("%s is not open: %v", row, all[row])
		}
	}
	if !slices.ContainsFunc(reasons, func(said string) bool { return strings.Contains(said, why) }) {
		o.t.Errorf("%q do not say %q", reasons, why)
	}
}

// reasons are why the open questions are asked.
func (o *office) reasons() (all []string) {
	o.t.Helper()
	page := o.get(o.path + "/outstanding-issues?limit=50").want(200)
	for i := range page.size("issues") {
		all = append(all, page.text("issues", i, "why"))
	}
	return all
}

const fitsNoMore = "does not fit them any more"

// A payment that turns into a refund, and back, bears what was said of its year once: a refund bears what its purchase
// does, and a refund that is none any more nothing of its own.
func TestAYearsFigureIsDeductedOnceWhenAPaymentTurnsAndTurnsBack(t *testing.T) {
	t.Parallel()
	for _, last := range []string{"-500.00", "-1200.55"} {
		o, account := openPaid(t)
		ids := o.upload(account, eachMonth("l", "2025", "-500.00", loan, 4)...)
		o.process(0)
		o.answerIssue(o.hookOf(ids["l-0"]), "interest 77.77 in 2025", nil).want(200)
		day := o.all()["l-2"]["primaryDate"].(string)
		o.upload(account, transaction("l-2", "500.00", day, loan))
		o.process(0)
		o.wantParts(ids["l-1"], "user", "expense.interest.other -25.93", "liability.loan_principal -474.07")
		o.wantParts(ids["l-2"], "rule", "expense.interest.other 25.93", "liability.loan_principal 474.07")
		if got := o.interestOf("2025"); got != "51.84" {
			t.Errorf("with a refund %s is deducted, want what two of three payments bear", got)
		}
		o.upload(account, transaction("l-2", last, day, loan))
		o.process(0)
		if got := o.interestOf("2025"); got != "77.77" {
			t.Errorf("turned back to %s: %s is deducted, want 77.77", last, got)
		}
	}
}

// A payment that moves out of the year of which a figure was said bears nothing of it, and says nothing of its new
// year.
func TestAYearsFigureIsDeductedOnceWhenAPaymentMovesToAnotherYear(t *testing.T) {
	t.Parallel()
	for _, answer := range []string{"interest 300.00 in 2025", "interest 300.00 a year"} {
		o, account := openPaid(t)
		ids := o.upload(account, eachMonth("l", "2025", "-500.00", loan, 3)...)
		o.process(0)
		o.answerIssue(o.hookOf(ids["l-0"]), answer, nil).want(200)
		for _, day := range []string{"2024-12-31", "2026-01-02"} {
			o.upload(account, transaction("l-2", "-500.00", day, loan))
			o.process(0)
			if now, other := o.interestOf("2025"), o.interestOf(day[:4]); now != "300.00" || other != "0.00" {
				t.Errorf("%s, moved to %s: 2025 deducts %s, and the other year %s", answer, day, now, other)
			}
			o.wantOpen("", "l-2")
			o.wantParts(ids["l-0"], "user", "expense.interest.other -150.00", "liability.loan_principal -350.00")
		}
		o.upload(account, transaction("l-2", "-500.00", "2025-04-05", loan))
		o.process(0)
		o.wantParts(ids["l-2"], "memory", "expense.interest.other -100.00", "liability.loan_principal -400.00")
		if got := o.interestOf("2025"); got != "300.00" {
			t.Errorf("moved back, 2025 deducts %s", got)
		}
	}
}

// A figure that is more than what is left of its year is asked about again, also in words that were given before.
func TestAYearWhoseFigureFitsItsPaymentsNoMoreIsAskedAgain(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(eachMonth("a", "2024", "-500.00", loan, 3),
		eachMonth("l", "2025", "-500.00", loan, 3)...)...)
	o.process(0)
	hook := o.hookOf(ids["l-0"])
	o.answerIssue(hook, "interest 1,100.00 a year", nil).want(200).wantAt("accepted", "status")
	o.delete(o.path + "/transactions/" + ids["l-2"]).want(200)
	o.process(0)
	if now, other := o.interestOf("2025"), o.interestOf("2024"); now != "0.00" || other != "1100.00" {
		t.Errorf("2025 deducts %s and 2024 %s", now, other)
	}
	o.wantOpen(fitsNoMore, "l-0", "l-1")
	o.answerIssue(hook, "interest 1,100.00 a year", nil).want(422)
	o.upload(account, transaction("l-3", "-700.00", "2025-05-05", loan))
	o.process(0)
	o.wantOpen(fitsNoMore, "l-0", "l-1", "l-3")
	o.answerIssue(hook, "interest 1,100.00 a year", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	if now, other := o.interestOf("2025"), o.interestOf("2024"); now != "1100.00" || other != "1100.00" {
		t.Errorf("said again, 2025 deducts %s and 2024 %s", now, other)
	}
	o.wantNoQuestions()
}

// The reason stands in a question that was open before, about another year, too.
func TestAQuestionThatIsOpenSaysThatAYearIsAskedAgain(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, append(eachMonth("a", "2024", "-500.00", loan, 3),
		eachMonth("l", "2025", "-500.00", loan, 3)...)...)
	o.process(0)
	o.answerIssue(o.hookOf(ids["l-0"]), "interest 1,100.00 in 2025", nil).want(200).wantAt("partly", "status")
	o.process(0)
	o.upload(account, transaction("l-1", "-50.00", "2025-02-05", loan))
	o.process(0)
	o.wantOpen(fitsNoMore, "a-0", "l-0", "l-1", "l-2")
	q := o.questionAbout("Term Loan")
	if q.transactions != "6" {
		t.Errorf("it is about %s payments", q.transactions)
	}
	o.answerIssue(q.id, "interest 900.00 in 2025", nil).want(200).wantAt("partly", "status")
	o.process(0)
	if got := o.interestOf("2025"); got != "900.00" {
		t.Errorf("2025 deducts %s", got)
	}
}

// Figures that leave no rest say nothing of a payment that comes later: that one is asked about, and the year stays.
func TestFiguresOfAYearWithoutARestSayNothingOfLaterPayments(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, eachMonth("p", "2025", "-500.00", payroll, 4)...)
	o.process(0)
	o.answerIssue(o.hookOf(ids["p-0"]), "payroll 1,800 wages, 200 taxes in 2025", nil).want(200).wantAt("accepted",
		"status")
	o.upload(account, transaction("later", "-500.00", "2025-05-05", payroll))
	o.process(0)
	o.wantOpen("", "later")
	if sums := o.sums("2025-01-01", "2025-12-31"); sums["line 26"] != "1800.00" || sums["line 23"] != "200.00" {
		t.Errorf("%v", sums)
	}
}

// A payment of which its own hook says something else bears nothing of the year's figure: the others bear all of it.
func TestAYearsFigureIsSpreadOverThePaymentsThatStillFollowIt(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, eachMonth("l", "2025", "-500.00", loan, 3)...)
	o.process(0)
	o.answerIssue(o.hookOf(ids["l-0"]), "interest 900.00 in 2025", nil).want(200)
	whole := []string{"user", "expense.interest.other -450.00", "liability.loan_principal -50.00"}
	for _, words := range []string{"personal.living", "60% expense.meals, rest personal.living",
		"liability.loan_principal"} {
		o.answerIssue("t:"+ids["l-2"], words, nil).want(200)
		o.wantParts(ids["l-0"], whole...)
		o.wantParts(ids["l-1"], whole...)
		if got := o.interestOf("2025"); got != "900.00" {
			t.Errorf("%s: 2025 deducts %s", words, got)
		}
	}
	o.answerIssue("t:"+ids["l-1"], "personal.living", nil).want(200)
	o.process(0)
	o.wantOpen(fitsNoMore, "l-0")
	if got := o.interestOf("2025"); got != "0.00" {
		t.Errorf("2025 deducts %s", got)
	}
}

// What is taken back of a payment has it follow the year's answer again.
func TestAPaymentBearsItsShareOfAYearAgainWhenItsOwnAnswerIsTakenBack(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, eachMonth("l", "2025", "-500.00", loan, 3)...)
	o.process(0)
	o.answerIssue(o.hookOf(ids["l-0"]), "interest 300.00 in 2025", nil).want(200)
	o.answerIssue("t:"+ids["l-2"], "personal.living", nil).want(200)
	o.answerIssue("t:"+ids["l-2"], "undo", nil).want(200)
	for _, id := range ids {
		o.wantParts(id, "user", "expense.interest.other -100.00", "liability.loan_principal -400.00")
	}
}

// Of a year whose figure fits its payments no more nobody knows what filed ones would bear of it: nothing is believed.
func TestAYearThatIsAskedAgainSaysNothingOfFiledPayments(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, eachMonth("l", "2025", "-1000.00", loan, 2)...)
	o.process(0)
	o.must(o.rows().SetFilingState(t.Context(), o.clock.Now(), uuid.MustParse(ids["l-0"]), "filed"))
	o.answerIssue(o.hookOf(ids["l-0"]), "interest 1,600.00 in 2025", nil).want(200).wantAt("partly", "status")
	for _, c := range []struct{ amount, books, adjustments string }{{"-600.00", "600.00", "1"},
		{"-500.00", "0.00", "0"}} {
		o.upload(account, transaction("l-1", c.amount, "2025-02-05", loan))
		o.process(0)
		pnl := o.get(o.path + "/reports/pnl?startDate=2025-01-01&endDate=2025-12-31").want(200)
		pnl.wantAt(json.Number(c.books), "totals", "operatingExpenses")
		pnl.wantAt(json.Number(c.adjustments), "adjustmentCount")
	}
	o.wantOpen(fitsNoMore, "l-1")
}

// yearModel is what is known of the payments of two years while they and what was said of them change.
type yearModel struct {
	*office
	account string
	hook    string
	random  *rand.Rand
	rows    map[string]loanPayment
	said    map[string][]money.Amount // of each year, all figures
	log     []string
}

type loanPayment struct {
	id     string
	amount money.Amount
	day    time.Time
	apart  bool // its own hook says what it is
}

func (p loanPayment) year() string { return p.day.Format("2006") }

// step does one thing, and returns whether it was an answer about the year.
func (m *yearModel) step(n int) (answered bool) {
	names := slices.Sorted(maps.Keys(m.rows))
	name := names[m.random.IntN(len(names))]
	p := m.rows[name]
	note := func(format string, args ...any) { m.log = append(m.log, fmt.Sprintf(format, args...)) }
	send := func() {
		m.rows[name] = p
		note("%s is %v of %s", name, p.amount, p.day.Format(time.DateOnly))
		p.id = m.upload(m.account, transaction(name, "-"+p.amount.String(), p.day.Format(time.DateOnly), loan))[name]
		m.rows[name] = p
	}
	switch z := m.random.IntN(100); {
	case z < 25:
		p.day = p.day.AddDate(0, 0, []int{-366, -31, 31, 366}[m.random.IntN(4)])
		send()
	case z < 40:
		p.amount = p.amount * money.Amount(50+m.random.IntN(100)) / 100
		send()
	case z < 55 && len(names) > 2:
		note("%s is deleted", name)
		m.delete(m.path + "/transactions/" + p.id).want(200)
		delete(m.rows, name)
	case z < 65:
		name = fmt.Sprint("new-", n)
		p = loanPayment{amount: 100_00 + money.Amount(m.random.IntN(800_00)),
			day: time.Date(2024+m.random.IntN(2), time.Month(1+m.random.IntN(12)), 9, 0, 0, 0, 0, time.UTC)}
		send()
	case z < 85:
		words := []string{"personal.living", "60% expense.meals, rest personal.living", "liability.loan_principal",
			"undo"}[m.random.IntN(4)]
		note("%s: %s", name, words)
		m.answerIssue("t:"+p.id, words, nil).want(200)
		p.apart = words != "undo"
		m.rows[name] = p
	default:
		hook := m.hook
		if open := slices.Collect(maps.Values(m.questions())); len(open) == 1 && m.random.IntN(2) == 0 {
			hook = open[0].id
		}
		m.say(hook)
		return true
	}
	return false
}

// say says a figure, or takes it back.
func (m *yearModel) say(hook string) {
	if m.random.IntN(5) == 0 && len(m.log) > 0 {
		m.log = append(m.log, hook+": undo")
		m.answerIssue(hook, "undo", nil).want(200)
		return
	}
	year := []string{"a year", "in 2024", "in 2025"}[m.random.IntN(3)]
	figure := 1 + money.Amount(m.random.IntN(1800_00))
	words := fmt.Sprintf("interest %v %s", figure, year)
	got := m.answerIssue(hook, words, nil)
	m.log = append(m.log, fmt.Sprint(hook, ": ", words, " ", got.status))
	if got.status != 200 { // it does not fit
		got.want(422)
		return
	}
	for _, y := range []string{"2023", "2024", "2025", "2026", "2022", "2027"} {
		if year == "a year" || strings.HasSuffix(year, y) {
			m.said[y] = append(m.said[y], figure)
		}
	}
}

// follow are the payments of each year that an answer divides by its figure, and what they bear of it.
func (m *yearModel) follow() (names map[string][]string, interest map[string]money.Amount) {
	names, interest = map[string][]string{}, map[string]money.Amount{}
	for name, row := range m.all() {
		p, known := m.rows[name]
		parts := row["parts"].([]any)
		if !known || p.apart || len(parts) == 0 {
			continue
		}
		var sum money.Amount
		for _, part := range parts {
			amount, err := money.Parse(part.(map[string]any)["amount"].(json.Number).String())
			m.must(err)
			sum += amount
			if part.(map[string]any)["categoryPath"] == "expense.interest.other" {
				interest[p.year()] -= amount
			}
		}
		if sum != -p.amount {
			m.t.Fatalf("%q: parts of %s come to %v, it is %v", m.log, name, sum, p.amount)
		}
		names[p.year()] = append(names[p.year()], name)
	}
	return names, interest
}

// check compares what is known with what is believed, after something that was no answer about a year with what was
// divided before.
func (m *yearModel) check(before map[string][]string, answered bool) map[string][]string {
	now, interest := m.follow()
	all, reasons := m.all(), strings.Join(m.reasons(), "\n")
	for year := range now {
		if !slices.Contains(m.said[year], interest[year]) {
			m.t.Fatalf("%q: %s bears %v over %v, said were %v", m.log, year, interest[year], now[year], m.said[year])
		}
	}
	for name, p := range m.rows {
		open := all[name]["category"] == nil && len(all[name]["parts"].([]any)) == 0
		if !p.apart && len(now[p.year()]) == 0 && !open {
			m.t.Fatalf("%q: %s is %v", m.log, name, all[name])
		}
	}
	if answered {
		return now
	}
	for year, were := range before {
		var left money.Amount
		for _, name := range were {
			if p, ok := m.rows[name]; ok && !p.apart && p.year() == year {
				left += p.amount
			}
		}
		figure := m.said[year][len(m.said[year])-1]
		switch lapsed := len(now[year]) == 0; {
		case lapsed && left >= slices.Max(m.said[year]):
			m.t.Fatalf("%q: nothing is known of %s any more, whose payments are %v", m.log, year, left)
		case lapsed && left > 0 && !strings.Contains(reasons, year+", which are others now"):
			m.t.Fatalf("%q: %s is open, of which %v were said, and %q do not say why", m.log, year, figure, reasons)
		}
	}
	return now
}

// Whatever moves, changes, comes, goes, or is said of one payment: a year's figure is exactly what its payments bear
// that follow it, or they are open, and the question says why.
func TestAYearsFigureIsExactOrItsPaymentsAreOpenWhateverHappens(t *testing.T) {
	t.Parallel()
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			o, account := openPaid(t)
			m := &yearModel{office: o, account: account, random: rand.New(rand.NewPCG(seed, 25)),
				rows: map[string]loanPayment{},
				said: map[string][]money.Amount{}}
			for i := range 8 {
				name := fmt.Sprint("l-", i)
				p := loanPayment{amount: 100_00 + money.Amount(m.random.IntN(800_00)),
					day: time.Date(2024+i/4, time.Month(1+i%4*3), 5, 0, 0, 0, 0, time.UTC)}
				p.id = o.upload(account, transaction(name, "-"+p.amount.String(), p.day.Format(time.DateOnly),
					loan))[name]
				m.rows[name] = p
			}
			o.process(0)
			m.hook = o.hookOf(m.rows["l-0"].id)
			m.say(m.hook)
			o.process(0)
			known := m.check(nil, true)
			for n := range 20 {
				answered := m.step(n)
				o.process(0)
				known = m.check(known, answered)
			}
		})
	}
}
