package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/money"
)

// TestAnswersAtRandomKeepTheBooks answers, takes back, uploads, changes and deletes at random, and holds rules after
// each step that are true of any books (see hold). BIZFIN_TEST_ANSWERS says of how many businesses, and
// BIZFIN_TEST_ANSWERS_SEED from which one on, of this one alone where the other says nothing.
func TestAnswersAtRandomKeepTheBooks(t *testing.T) {
	t.Parallel()
	ofRandomBooks(t, func(t *testing.T, seed uint64) {
		m := modelOf(t, seed)
		defer m.tell(t)
		m.settle()
		for range 8 + m.random.IntN(13) {
			m.step()
			m.hold(m.oneOf())
			if m.random.IntN(5) < 3 {
				m.settle()
			}
		}
		m.answerAll()
	})
}

// ofRandomBooks tests as many random books as the variables say.
func ofRandomBooks(t *testing.T, test func(t *testing.T, seed uint64)) {
	t.Helper()
	businesses := uint64(6)
	if _, said := os.LookupEnv("BIZFIN_TEST_ANSWERS_SEED"); said {
		businesses = 1
	}
	first, businesses := numberIn(t, "BIZFIN_TEST_ANSWERS_SEED", 0), numberIn(t, "BIZFIN_TEST_ANSWERS", businesses)
	for seed := first; seed < first+businesses; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			test(t, seed)
		})
	}
}

// numberIn is what a variable says, or else.
func numberIn(t *testing.T, variable string, otherwise uint64) uint64 {
	t.Helper()
	text, said := os.LookupEnv(variable)
	if !said {
		return otherwise
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s: %v", variable, err)
	}
	return n
}

// model is a business that is answered at random, and what is known of it.
type model struct {
	*office
	test     *testing.T
	seed     uint64
	random   *rand.Rand
	accounts []string
	uploaded map[string]M      // by external id, as they were uploaded last
	account  map[string]string // of each
	ids      map[string]string // of those that are not deleted
	given    []saying
	steps    []string
	numbers  map[string]map[string]string // which row had which number in which question
	now      readings
}

// readings are what the business reads at a moment.
type readings struct {
	Rows      map[string]M // by their ids
	Questions map[string]M // open ones, by their ids
	Waiting   map[string]M // those behind them, likewise
	Pnl, Cash M            // of the whole book

	book      []bookRow
	pnl, cash answer
}

func (m *model) note(format string, args ...any) {
	m.steps = append(m.steps, fmt.Sprintf(format, args...))
}

// tell says what led to a failure; all steps of any business where tests tell everything.
func (m *model) tell(t *testing.T) {
	if t.Failed() || testing.Verbose() {
		t.Logf("BIZFIN_TEST_ANSWERS_SEED=%d, after these steps:\n%s", m.seed, strings.Join(m.steps, "\n"))
	}
}

// list pages through a list to its end.
func (m *model) list(path, member string, filter ...string) (items []M, pages []answer) {
	m.t.Helper()
	params := asked(append(filter, "limit", "50")...)
	for {
		page := m.get(m.path + path + "?" + params.Encode()).want(200)
		for _, item := range page.get(member).([]any) {
			items = append(items, item.(M))
		}
		if pages = append(pages, page); page.get("nextCursor") == nil {
			return items, pages
		}
		params.Set("cursor", page.text("nextCursor"))
	}
}

// wholeBook are all days of a book by months, and someDays its years and months.
var (
	wholeBook = asked("startDate", "2025-01-01", "endDate", "2026-12-31", "periodGrouping", "month", "periodLimit",
		"100")
	someDays = [][2]string{{"2025-01-01", "2025-12-31"}, {"2026-01-01", "2026-12-31"},
		{"2025-11-01", "2025-11-30"}, {"2025-12-01", "2025-12-31"}, {"2026-01-01", "2026-01-31"},
		{"2026-02-01", "2026-02-28"}, {"2026-03-01", "2026-03-31"}, {"2026-04-01", "2026-04-30"}}
)

// read reads all that an answer may change.
func (m *model) read() readings {
	m.t.Helper()
	now := readings{Rows: map[string]M{}, Questions: map[string]M{},
		pnl: m.report("pnl", wholeBook).want(200), cash: m.report("cashflow", wholeBook).want(200)}
	now.Pnl, now.Cash = now.pnl.decoded(), now.cash.decoded()
	rows, pages := m.list("/transactions", "transactions")
	for _, row := range rows {
		now.Rows[row["id"].(string)] = row
	}
	for _, page := range pages {
		now.book = append(now.book, page.bookRows()...)
	}
	now.Questions = m.questions("totalOpen")
	now.Waiting = m.questions("totalWaiting", "waiting", "true")
	return now
}

// questions are those that a list has, by their ids. It says how many there are.
func (m *model) questions(total string, filter ...string) map[string]M {
	m.t.Helper()
	questions, pages := m.list("/outstanding-issues", "issues", filter...)
	of := map[string]M{}
	for _, q := range questions {
		delete(q, "followUp") // which unclear words may change
		delete(q, "answers")
		of[q["id"].(string)] = q
	}
	if all := pages[0].text(total); all != fmt.Sprint(len(of)) {
		m.t.Errorf("%s is %s, and %d are listed", total, all, len(of))
	}
	return of
}

// wantSame holds that nothing changed since a moment.
func (m *model) wantSame(was readings, what string) {
	m.t.Helper()
	m.compare(was, m.read(), what)
}

func (m *model) compare(was, now readings, what string) {
	m.t.Helper()
	for name, both := range map[string][2]any{"rows": {was.Rows, now.Rows}, "questions": {was.Questions, now.Questions},
		"profit and loss": {was.Pnl, now.Pnl}, "cash flow": {was.Cash, now.Cash},
		"waiting": {was.Waiting, now.Waiting}} {
		if !reflect.DeepEqual(both[0], both[1]) {
			m.t.Errorf("%s changed the %s (-was +is): %s", what, name, cmp.Diff(both[0], both[1]))
		}
	}
	if m.t.Failed() {
		m.t.FailNow()
	}
}

// settle has all that waits processed, and holds that nothing waits any more.
func (m *model) settle() {
	m.t.Helper()
	m.note("process")
	m.process(0)
	m.now = m.read()
	m.hold(m.oneOf())
	for _, row := range m.now.Rows {
		if row["processingStatus"] != "processed" {
			m.t.Errorf("after processing there is %v", row)
		}
	}
}

// hold holds what is true of any books against what was read last.
func (m *model) hold(days ...[2]string) {
	m.t.Helper()
	m.holdReports(m.now.Pnl, m.now.Cash)
	expectReport(m.test, m.now.pnl, "pnl", wholeBook, m.now.book)
	expectReport(m.test, m.now.cash, "cashflow", wholeBook, m.now.book)
	for _, of := range days {
		params := asked("startDate", of[0], "endDate", of[1])
		m.holdReports(m.report("pnl", params).want(200).decoded(), m.report("cashflow", params).want(200).decoded())
	}
	m.holdRows()
	m.holdQuestions()
	m.holdDecided()
	if m.t.Failed() {
		m.t.FailNow()
	}
}

// oneOf are a year or a month of the book.
func (m *model) oneOf() [2]string { return someDays[m.random.IntN(len(someDays))] }

// holdReports holds that both reports of some days are of the same money: net profit, what is not on the form and what
// is not categorized are the cash flow. That the range holds what suggestions come to is no rule: it has nine chances
// in ten, in which not everything is as it seems. It is never beyond the worst case, as expectReport holds.
func (m *model) holdReports(pnl, cash M) {
	m.t.Helper()
	sum := centsAt(m.t, pnl, "totals", "netProfit") + centsAt(m.t, pnl, "basis", "uncategorized", "inflow") -
		centsAt(m.t, pnl, "basis", "uncategorized", "outflow")
	for _, of := range pnl["notOnForm"].([]any) {
		sum += centsAt(m.t, of, "net")
	}
	if net := centsAt(m.t, cash, "totals", "net"); sum != net {
		m.t.Errorf("%v to %v: the profit and loss adds up to %v, the cash flow is %v", pnl["basis"].(M)["startDate"],
			pnl["basis"].(M)["endDate"], sum, net)
	}
}

// centsAt is an amount in a JSON object.
func centsAt(t testing.TB, at any, path ...string) money.Amount {
	t.Helper()
	for _, name := range path {
		at = at.(M)[name]
	}
	amount, err := money.Parse(at.(json.Number).String())
	if err != nil {
		t.Fatalf("%v: %v", path, err)
	}
	return amount
}

// holdRows holds that the rows are those that were uploaded, and that the parts of each add up to it.
func (m *model) holdRows() {
	m.t.Helper()
	if len(m.now.Rows) != len(m.ids) {
		m.t.Errorf("%d rows, want %d", len(m.now.Rows), len(m.ids))
	}
	for external, id := range m.ids {
		row := m.now.Rows[id]
		if want := fmt.Sprint(m.uploaded[external]["amount"]); row == nil || fmt.Sprint(row["amount"]) != want {
			m.t.Errorf("%s is %v, want %s", external, row, want)
			continue
		}
		var sum money.Amount
		for _, part := range row["parts"].([]any) {
			sum += centsAt(m.t, part, "amount")
		}
		if parts := len(row["parts"].([]any)); parts > 0 && (sum != centsAt(m.t, row, "amount") ||
			row["category"] != nil) {
			m.t.Errorf("%s has parts of %v in all: %v", external, sum, row)
		}
	}
}

// holdQuestions holds that questions are about the rows that name them, and that their lines keep their numbers.
func (m *model) holdQuestions() {
	m.t.Helper()
	named, all := map[string]int{}, maps.Clone(m.now.Questions)
	maps.Copy(all, m.now.Waiting)
	for id, row := range m.now.Rows {
		ids := row["issueIds"].([]any)
		for _, q := range ids {
			named[q.(string)]++
			if all[q.(string)] == nil {
				m.t.Errorf("%s names the question %s, which is neither open nor waits", id, q)
			}
		}
		asked := slices.ContainsFunc(ids, func(q any) bool { return !m.asksWhatWasKept(row, q.(string)) })
		if needs := row["needsAttention"]; needs != asked || fmt.Sprint(row["issueCount"]) != fmt.Sprint(len(ids)) {
			m.t.Errorf("%s has the questions %v, needs attention: %v", id, ids, needs)
		}
	}
	for id, q := range all {
		m.holdQuestion(q, named[id])
	}
}

// asksWhatWasKept reports whether a question asks what was kept of a row, a payout that stands.
func (m *model) asksWhatWasKept(row M, id string) bool {
	category, stands := row["category"].(M)
	q, open := m.now.Questions[id]
	if !open {
		q = m.now.Waiting[id]
	}
	return stands && category["source"] != "user" && strings.HasSuffix(category["categoryPath"].(string), "_payouts") &&
		strings.Contains(q["question"].(string), whatWasKept)
}

// holdQuestion holds that a question is about so many rows, what they come to unless some wait to be decided anew, and
// that its lines are of them, each by a number that no other row ever had.
func (m *model) holdQuestion(q M, rows int) {
	m.t.Helper()
	id, impact, lines := q["id"].(string), q["impact"].(M), q["lines"].([]any)
	var amount money.Amount
	waits := false
	for _, row := range m.now.Rows {
		if !slices.Contains(row["issueIds"].([]any), any(id)) {
			continue
		}
		waits = waits || row["processingStatus"] != "processed"
		if row["currency"] == impact["currency"] {
			cents := centsAt(m.t, row, "amount")
			amount += max(cents, -cents)
		}
	}
	if fmt.Sprint(impact["transactionCount"]) != fmt.Sprint(rows) || len(lines) != min(rows, 40) ||
		fmt.Sprint(impact["amount"]) != amount.String() && !waits {
		m.t.Errorf("%d rows of %v in all name the question %v", rows, amount, q)
	}
	if m.numbers[id] == nil {
		m.numbers[id] = map[string]string{}
	}
	seen := map[string]bool{}
	for _, line := range lines {
		n, row := fmt.Sprint(line.(M)["n"]), line.(M)["transactionId"].(string)
		if was, had := m.numbers[id][n]; had && was != row || seen[n] {
			m.t.Errorf("line %s of %s is %s, and was %s; twice: %v", n, id, row, was, seen[n])
		}
		if of := m.now.Rows[row]; of == nil || !slices.Contains(of["issueIds"].([]any), any(id)) ||
			of["amount"] != line.(M)["amount"] {
			m.t.Errorf("line %s of %s is no row of it: %v", n, id, of)
		}
		m.numbers[id][n], seen[n] = row, true
	}
}

// holdDecided holds that no row is decided by an answer that was replaced or taken back.
func (m *model) holdDecided() {
	m.t.Helper()
	var wrong int
	var first string
	m.must(m.db.SQL().QueryRow(`
		SELECT count(*), coalesce(min(concat_ws(' ', t.external_id, a.hook, a.answer)), '')
		FROM transactions t
		LEFT JOIN transaction_parts p ON p.organization_id = t.organization_id AND p.transaction_id = t.id
		JOIN answers a ON a.organization_id = t.organization_id AND a.id IN (t.answer_id, p.answer_id)
		WHERE t.organization_id = $1
		  AND t.deleted_at IS NULL
		  AND (a.replaced_at IS NOT NULL OR a.status NOT IN ('accepted', 'partly'))`, m.organization).Scan(&wrong,
		&first))
	if wrong > 0 {
		m.t.Errorf("%d rows are decided by answers that hold no more, such as %s", wrong, first)
	}
}

// holdTakenBack holds that what is established is what it was, that the rows of a question are asked about still, and
// that a question of the same rows is the same, but for the line that it names as an example. Rows are decided anew:
// some go to a narrower question that was opened since, as one about checks of an amount, and small ones that were
// worth no question of their own join one.
func (m *model) holdTakenBack(was readings, question string) {
	m.t.Helper()
	moved := false
	for id, row := range was.Rows {
		now := m.now.Rows[id]
		for _, member := range []string{"category", "parts", "counterparty", "transferTransactionId"} {
			if diff := cmp.Diff(row[member], now[member]); diff != "" {
				m.t.Errorf("an answer that was taken back changed the %s of %s (-was +is): %s", member, id, diff)
			}
		}
		asked := slices.Contains(row["issueIds"].([]any), any(question))
		if asked && now["needsAttention"] != true {
			m.t.Errorf("an answer was taken back, and %v is not asked about any more", now)
		}
		moved = moved || asked != slices.Contains(now["issueIds"].([]any), any(question))
	}
	about := func(q M) M {
		q = maps.Clone(q)
		delete(q, "question")
		return q
	}
	diff := cmp.Diff(about(was.Questions[question]), about(m.now.Questions[question]))
	if diff != "" && !moved {
		m.t.Errorf("an answer that was taken back changed its question (-was +is): %s", diff)
	}
}

// answerAll answers what is open until nothing is, with a category that the question offers.
func (m *model) answerAll() {
	m.t.Helper()
	const rounds = 20
	for range rounds {
		m.settle()
		if len(m.now.Questions) == 0 && len(m.now.Waiting) == 0 {
			m.hold(someDays...)
			return
		}
		m.note("answer all")
		for _, id := range slices.Sorted(maps.Keys(m.now.Questions)) {
			s := validOption(m.now.Questions[id])
			got := m.answerIssue(s.hook, s.words, s.option).want(200)
			m.note("%s to %+v, asked %v", got.text("status"), s, m.now.Questions[id]["question"])
		}
	}
	m.t.Errorf("after %d rounds there are still questions: %v", rounds, m.now.Questions)
}

// validOption is the first category that a question offers, or its first option.
func validOption(q M) saying {
	values := optionsOf(q)
	i := max(0, slices.IndexFunc(values, func(v string) bool { return strings.Contains(v, ".") }))
	return saying{q["id"].(string), "that one", values[i]}
}
