package apitest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"bizfin/internal/money"
)

// modelOf is a business of two accounts with a random book.
func modelOf(t *testing.T, seed uint64) *model {
	t.Helper()
	m := &model{office: shared(t).openTier("paid"), test: t, seed: seed, random: rand.New(rand.NewPCG(seed, 20261123)),
		uploaded: map[string]M{}, account: map[string]string{}, ids: map[string]string{},
		numbers: map[string]map[string]string{}}
	second := account("b")
	second["type"] = m.pick("depository", "credit")
	got := m.post(m.path+"/accounts", M{"source_id": m.source, "accounts": []M{account("a"), second}}).want(200)
	for i := range 2 {
		m.accounts = append(m.accounts, got.text("accounts", i, "id"))
	}
	slices.SortFunc(m.accounts, func(a, b string) int { return cmp.Compare(a, b) })
	for len(m.ids) < 40+int(seed%5)*8 {
		m.uploadMore(10)
	}
	return m
}

func (m *model) pick(list ...string) string { return list[m.random.IntN(len(list))] }

// bookLines are the bank's lines of a book: what goes out, and what comes in.
var bookLines = map[bool][]string{
	false: {blantvik, blantvik, quorvane, quorvane, mixedShop, mixedShop, loan, loan, payroll, "CHECK %d", "CHECK %d",
		"CHECK %d", "CHECK %d", "CHECK %d", "CHECK %d", "ZELLE PAYMENT TO PER SOLBERG",
		"ZELLE PAYMENT TO PER SOLBERG", "VENMO PAYMENT 1029384756 KIM TRAN",
		"CASH APP*AMY STONE", "ONLINE TRANSFER TO SAV ...1111", "CHASE CREDIT CRD AUTOPAY PPD ID: 4760039224",
		"ADOBE *CREATIVE CLOUD 408-536-6000 CA", "TX COMPTROLLER TAX PYMT", "WITHDRAWAL %d CTR", "TARGET T-1001",
		"MILL STREET PROPERTIES LLC DES:RENT ID:1 CCD"},
	true: {blantvik, mixedShop, "MOBILE DEPOSIT REF %d", "MOBILE DEPOSIT REF %d",
		"MOBILE DEPOSIT REF %d", "CASH DEPOSIT BRANCH 7877",
		"STRIPE TRANSFER ST-K4J2H1 JUNIPER BIKES", "SQUARE INC DES:SQ240312 ID:T3XYZ INDN:JUNIPER BIKES",
		"ZELLE PAYMENT FROM PER SOLBERG", "INCOMING WIRE REED CASTLEMAN", "ONLINE TRANSFER FROM CHK ...9999",
		"VENMO DES:CASHOUT ID:1893924547755", "DUNMORE CAPITAL CO PAYMENT", "INTEREST PAYMENT"},
}

// randomRow is a row of the book. Amounts of a line come again, so that refunds and repeated uses are among them.
func (m *model) randomRow(external string) M {
	incoming := m.random.IntN(3) == 0
	line := m.pick(bookLines[incoming]...)
	if strings.Contains(line, "%d") {
		line = fmt.Sprintf(line, 2000+m.random.IntN(60))
	}
	cents := money.Amount(1+m.random.IntN(6)) * 100_00
	if m.random.IntN(2) == 0 {
		cents = money.Amount(1_00 + m.random.IntN(900_00))
	}
	if !incoming {
		cents = -cents
	}
	row := transaction(external, cents.String(), m.randomDay(), line)
	switch m.random.IntN(25) {
	case 0:
		row["pending"] = true
	case 1, 2:
		row["currency"] = "EUR"
	}
	return row
}

func (m *model) randomDay() string {
	first := time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)
	return first.AddDate(0, 0, m.random.IntN(180)).Format(time.DateOnly)
}

// uploadMore uploads up to some new rows. One of both legs of a transfer is followed by the other.
func (m *model) uploadMore(most int) {
	var rows [2][]M
	for range 1 + m.random.IntN(most) {
		external := fmt.Sprintf("r%03d", len(m.uploaded))
		row, of := m.randomRow(external), m.random.IntN(2)
		m.uploaded[external], rows[of] = row, append(rows[of], row)
		if strings.Contains(row["description"].(string), "TRANSFER TO SAV") && m.random.IntN(2) == 0 {
			leg := transaction(external+"leg", strings.TrimPrefix(fmt.Sprint(row["amount"]), "-"),
				row["date"].(string), "ONLINE TRANSFER FROM CHK ...9999")
			m.uploaded[external+"leg"], rows[1-of] = leg, append(rows[1-of], leg)
		}
	}
	for of, list := range rows {
		if len(list) > 0 {
			m.sendRows(m.accounts[of], list)
		}
	}
}

// sendRows uploads rows to an account.
func (m *model) sendRows(account string, rows []M) {
	m.t.Helper()
	for _, row := range rows {
		m.note("row of %s: %v", account[len(account)-4:], row)
	}
	maps.Copy(m.ids, m.upload(account, rows...))
	for _, row := range rows {
		m.account[row["external_id"].(string)] = account
	}
}

// someRow is the external id of a row that is not deleted.
func (m *model) someRow() string { return m.pick(slices.Sorted(maps.Keys(m.ids))...) }

// change uploads a row again, which is another in one way.
func (m *model) change() {
	external := m.someRow()
	row := maps.Clone(m.uploaded[external])
	other := m.randomRow(external)
	amount := fmt.Sprint(row["amount"])
	switch m.random.IntN(6) {
	case 0: // it turns
		if turned, is := strings.CutPrefix(amount, "-"); is {
			row["amount"] = json.Number(turned)
		} else {
			row["amount"] = json.Number("-" + amount)
		}
	case 1:
		row["date"] = other["date"]
	case 2:
		row["pending"] = row["pending"] != true
	case 3:
		row["description"] = other["description"]
	case 4:
		row = other
	default:
		row["amount"] = other["amount"]
	}
	m.uploaded[external] = row
	m.note("change to")
	m.sendRows(m.account[external], []M{row})
}

func (m *model) remove() {
	external := m.someRow()
	m.note("delete %v", m.uploaded[external])
	m.delete(m.path + "/transactions/" + m.ids[external]).want(200)
	delete(m.ids, external)
}

// step does one thing at random.
func (m *model) step() {
	m.t.Helper()
	switch n := m.random.IntN(20); {
	case n == 0:
		m.uploadMore(6)
		m.now = m.read()
	case n == 1:
		m.change()
		m.now = m.read()
	case n == 2:
		m.remove()
		m.now = m.read()
	case n == 3:
		m.thereAndBack()
	case n < 7 && len(m.given) > 0: // what was answered is taken back, or replaced, or said again
		s := m.given[m.random.IntN(len(m.given))]
		switch m.random.IntN(4) {
		case 0:
			s.words, s.option = m.anyWords(m.random.IntN(2) == 0), ""
		case 1:
		default:
			s.words, s.option = m.pick("undo", "undo", "Undo.", "skip"), ""
		}
		m.say(s)
	case n < 10:
		m.answerHook()
	default:
		m.answerQuestion()
	}
}

// saying is an answer to a hook; option may be empty.
type saying struct{ hook, words, option string }

// say gives an answer, and holds what it must not change: refused and unclear ones anything, and the same again
// anything more.
func (m *model) say(s saying) {
	m.t.Helper()
	var option any
	if s.option != "" {
		option = s.option
	}
	was := m.now
	got := m.answerIssue(s.hook, s.words, option)
	became := fmt.Sprint(got.status)
	switch got.status {
	case 200:
		became = got.text("status")
	case 404, 422:
	default:
		got.want(200)
	}
	m.note("%s to %+v", became, s)
	if became != "accepted" && became != "partly" {
		m.wantSame(was, "what was "+became)
		return
	}
	m.given = append(m.given, s)
	m.now = m.read()
	m.answerIssue(s.hook, s.words, option).want(200).wantAt(became, "status")
	m.wantSame(m.now, "the same answer again")
}

// answerHook answers a standing hook as the details of a row or its counterparty give it.
func (m *model) answerHook() {
	m.t.Helper()
	row := m.get(m.path + "/transactions/" + m.ids[m.someRow()]).want(200)
	s := saying{hook: row.text("transaction", "hookId")}
	incoming := !strings.HasPrefix(row.text("transaction", "amount"), "-")
	if row.get("transaction", "counterparty") != nil && m.random.IntN(2) == 0 {
		party := m.get(m.path + "/counterparties/" + row.text("transaction", "counterparty", "id")).want(200)
		for i := range party.size("counterparty", "hooks") {
			if (party.text("counterparty", "hooks", i, "direction") == "in") == incoming {
				s.hook = party.text("counterparty", "hooks", i, "hookId")
			}
		}
	}
	s.words = m.anyWords(incoming)
	if m.random.IntN(4) == 0 {
		s.words, s.option = "this", m.pick("expense.meals", "personal.living", "revenue.sales", "split", "expense")
	}
	m.say(s)
}

// answerQuestion answers an open question.
func (m *model) answerQuestion() {
	m.t.Helper()
	questions := slices.SortedFunc(maps.Values(m.now.Questions), func(a, b M) int {
		return cmp.Or(strings.Compare(a["question"].(string), b["question"].(string)),
			strings.Compare(fmt.Sprint(a["impact"]), fmt.Sprint(b["impact"])))
	})
	if len(questions) == 0 {
		return
	}
	q := questions[m.random.IntN(len(questions))]
	s := saying{hook: q["id"].(string)}
	lines := q["lines"].([]any)
	incoming := len(lines) > 0 && !strings.HasPrefix(fmt.Sprint(lines[0].(M)["amount"]), "-")
	switch chance := m.random.IntN(10); {
	case chance < 3:
		s.words, s.option = "that one", m.pick(optionsOf(q)...)
	case chance < 6 && len(lines) > 0:
		s.words = m.exceptions(lines, incoming)
	case chance == 6:
		s.words = m.nameOfAnother()
	default:
		s.words = m.anyWords(incoming)
	}
	m.note("asked: %v, %d lines", q["question"], len(lines))
	m.say(s)
}

// thereAndBack answers a question that nobody has answered and takes it back: all is as it was, once that is processed.
func (m *model) thereAndBack() {
	m.t.Helper()
	m.settle()
	was, before := m.now, len(m.given)
	m.answerQuestion()
	if len(m.given) == before { // refused, or none is open
		return
	}
	s := m.given[before]
	if slices.ContainsFunc(m.given[:before], func(g saying) bool { return g.hook == s.hook }) {
		return
	}
	if m.random.IntN(2) == 0 {
		m.settle()
	}
	m.say(saying{hook: s.hook, words: "undo"})
	m.settle()
	m.holdTakenBack(was, s.hook)
}

func optionsOf(q M) (values []string) {
	for _, option := range q["options"].([]any) {
		values = append(values, option.(M)["value"].(string))
	}
	return values
}

// nameOfAnother is the name of some counterparty, with which an answer makes another one.
func (m *model) nameOfAnother() string {
	var names []string
	for _, row := range m.now.Rows {
		if party, is := row["counterparty"].(M); is && !slices.Contains(names, party["name"].(string)) {
			names = append(names, party["name"].(string))
		}
	}
	if len(names) == 0 {
		return "Nobody"
	}
	slices.Sort(names)
	return m.pick(names...)
}

// anyWords are an answer in words: whole, divided, reserved, unclear or broken.
func (m *model) anyWords(incoming bool) string {
	switch m.random.IntN(12) {
	case 0:
		return m.pick("undo", "skip", "not sure")
	case 1:
		return m.pick("zebra", "gas", "maybe rent", "not rent", "60% car", "¿?", "1: rent")
	case 2:
		return m.pick("60% car, 50% personal", "3:", "60% suplies.ofice, rest personal", "rest meals, rest car",
			"9,999,999.00 supplies; rest meals", "uncategorized.in", "33.333% car, rest personal",
			"#none: expense.meals",
			"interest 4,000,000 a year", "99999: expense.meals", " ")
	case 3, 4, 5, 6:
		return m.aSplit(incoming)
	default:
		return m.aWhole(incoming)
	}
}

// aWhole is one thing that money can be.
func (m *model) aWhole(incoming bool) string {
	if incoming {
		return m.pick("Sales", "revenue.sales", "revenue.other", "my own money", "a customer paid", "loan proceeds",
			"refund of supplies", "revenue.sales.services", "transfer from my savings")
	}
	return m.pick("Meals", "Rent", "Supplies", "expense.contract_labor", "gas for the van", "paid myself",
		"she's my landlord", "expense.meals", "personal.living", "half personal half business", "cogs.purchases",
		"contractor", "transfer to my savings", "my draw")
}

// aSplit is several things that money can be.
func (m *model) aSplit(incoming bool) string {
	if incoming {
		return m.pick("less 3% expense.commissions_fees, rest revenue.sales", "60% sales, rest revenue.other",
			"less 15.10 expense.commissions_fees in 2026, rest revenue.sales", "10 revenue.other; rest revenue.sales")
	}
	return m.pick("60% phone, rest personal", "33.33% meals; 10.01 supplies; rest my draw", "50% supplies, 50% meals",
		"interest 100.10 a year", "interest 50 in 2025", "$30 supplies; rest meals", "1.50 supplies, rest owner draw",
		"payroll 520 wages, 39.78 taxes a year, rest payroll fees", "80 supplies; 20 meals", "30% rent, 70% my draw")
}

// exceptions are a rule with exceptions among some lines of a question, by their numbers, words or names.
func (m *model) exceptions(lines []any, incoming bool) string {
	target := func() string {
		switch m.random.IntN(5) {
		case 0:
			return "not sure"
		case 1:
			return strings.ReplaceAll(m.aSplit(incoming), ";", ",")
		}
		return m.aWhole(incoming)
	}
	number := func(line int) string { return fmt.Sprint(lines[line].(M)["n"]) }
	order := m.random.Perm(len(lines))
	var parts []string
	for _, line := range order[:1+m.random.IntN(min(3, len(lines)))] {
		words := strings.Fields(lines[line].(M)["description"].(string))
		of := m.pick(number(line), number(line), number(line), "#"+words[len(words)-1])
		switch m.random.IntN(12) {
		case 0:
			of = m.nameOfAnother()
		case 1:
			of = number(order[0]) + "-" + number(line)
		}
		parts = append(parts, of+": "+target())
	}
	switch m.random.IntN(3) {
	case 0:
		parts = append(parts, "rest: "+target())
	case 1:
		parts = append([]string{m.aWhole(incoming)}, parts...)
	}
	return strings.Join(parts, "; ")
}
