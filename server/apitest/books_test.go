package apitest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"bizfin/internal/books"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/openapi"
	"bizfin/server"
)

// labelled is where the labelled books are; its README says which may be looked at.
const labelled = "../../internal/books/testdata"

// asking is after how many answers the books are measured.
var asking = []int{0, 3, 5, 8, 12}

// manyAnswers is how many answers are more than anybody gives.
const manyAnswers = 150

// TestBooks measures what the service makes of the books in BIZFIN_EVAL_BOOKS, patterns below testdata such as
// "tune/*,held/*": "make eval". Of books in "held" only sums are printed. With BIZFIN_EVAL_MISTAKES the largest
// mistakes of the others are, too. With BIZFIN_EVAL_ROWS so many rows of a book come at a time, in the order of days.
func TestBooks(t *testing.T) {
	patterns := os.Getenv("BIZFIN_EVAL_BOOKS")
	if patterns == "" {
		t.Skip("BIZFIN_EVAL_BOOKS names no books; this is make eval")
	}
	for pattern := range strings.SplitSeq(patterns, ",") {
		folders, err := filepath.Glob(filepath.Join(labelled, pattern))
		if err != nil || len(folders) == 0 {
			t.Fatalf("no books are %q, %v", pattern, err)
		}
		held := strings.HasPrefix(pattern, "held")
		var all []bookFigures
		for _, folder := range folders {
			began := time.Now()
			figures := measureBook(t, folder, !held && os.Getenv("BIZFIN_EVAL_MISTAKES") != "")
			all = append(all, figures)
			t.Logf("%s %d of %d in %v", pattern, len(all), len(folders), time.Since(began).Round(time.Second))
		}
		t.Logf("%s\n%s", pattern, tableOf(all, held))
	}
}

// bookOffice is a business whose rows are a book's.
type bookOffice struct {
	*office
	book     *books.Book
	accounts map[string]string // ids by the book's
	splits   bool              // rows have parts
	corrects bool              // answers can be given again
	answered map[string]int    // how often a question was answered
}

// openBook connects a business with a book's accounts, none of its rows yet.
func openBook(t *testing.T, folder string) *bookOffice {
	t.Helper()
	book, err := books.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	document, err := openapi.Load()
	if err != nil {
		t.Fatal(err)
	}
	status := document.Components.Schemas["AnswerStatus"].Value.Properties["status"].Value.Enum
	b := &bookOffice{
		office: shared(t).openNamed(book.Name), book: book, accounts: map[string]string{}, answered: map[string]int{},
		splits:   document.Components.Schemas["Transaction"].Value.Properties["parts"] != nil,
		corrects: slices.Contains(status, any("unclear")),
	}
	for _, a := range book.Accounts {
		upload := M{"external_id": a.ID, "name": a.Name, "type": a.Type, "currency": a.Currency,
			"current_balance": json.Number("0.00")}
		got := b.post(b.path+"/accounts", M{"source_id": b.source, "accounts": []M{upload}}).want(200)
		b.accounts[a.ID] = got.text("accounts", 0, "id")
	}
	return b
}

// uploadRows uploads a book's rows of some days, both included, and waits until they are processed: account by account,
// or so many of all accounts at a time.
func (b *bookOffice) uploadRows(from, to string) {
	b.t.Helper()
	rows := slices.DeleteFunc(slices.Clone(b.book.Rows), func(r books.Row) bool { return r.Date < from || to < r.Date })
	if size, err := strconv.Atoi(os.Getenv("BIZFIN_EVAL_ROWS")); err == nil {
		for some := range slices.Chunk(rows, size) {
			b.uploadOf(some)
			b.settle()
		}
		return
	}
	b.uploadOf(rows)
	b.settle()
}

// uploadOf uploads rows by their accounts.
func (b *bookOffice) uploadOf(rows []books.Row) {
	b.t.Helper()
	for _, account := range b.book.Accounts {
		var of []M
		for _, r := range rows {
			if r.Account == account.ID {
				of = append(of, transaction(r.ID, r.Amount.String(), r.Date, r.Description))
			}
		}
		for batch := range slices.Chunk(of, 500) {
			b.upload(b.accounts[account.ID], batch...)
		}
	}
}

func (b *bookOffice) settle() {
	b.t.Helper()
	b.process(0)
	b.get(b.path+"/profile").want(200).wantAt(0, "processing", "pending")
}

// shownRow is a transaction as a client sees it. What an earlier version of the document has not is empty.
type shownRow struct {
	ID, ExternalID string
	Category       *struct{ CategoryPath, Source string }
	Suggestion     *struct{ CategoryPath string }
	Counterparty   struct{ Name string }
	Parts          []struct {
		CategoryPath, Standing string
		Amount                 money.Amount
	}
	IssueIDs []string
}

// shownQuestion is a question as a client sees it.
type shownQuestion struct {
	ID, Question   string
	Options        []struct{ Value string }
	AllowsFreeText bool
	FollowUp       *struct{ Options []struct{ Value string } }
	Lines          []struct {
		N             int
		TransactionID string
	}
}

// read reads an answer without holding it against the document: a book takes thousands of them, and other tests do
// that.
func (b *bookOffice) read(path string, into any) {
	b.t.Helper()
	request, err := http.NewRequest(http.MethodGet, b.url+server.BasePath+b.path+path, nil)
	b.must(err)
	request.Header = b.header
	response, err := http.DefaultClient.Do(request)
	b.must(err)
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		b.t.Fatalf("%s: status %d%s", path, response.StatusCode,
			answer{status: response.StatusCode, header: response.Header, log: b.log}.cause())
	}
	b.must(json.NewDecoder(response.Body).Decode(into))
}

// shown are the rows that a search finds, by the book's id.
func (b *bookOffice) shown(filters ...string) map[string]shownRow {
	b.t.Helper()
	all := map[string]shownRow{}
	for cursor := ""; ; {
		var page struct {
			Transactions []shownRow
			NextCursor   *string
		}
		params := append([]string{"limit", "50"}, filters...)
		if cursor != "" {
			params = append(params, "cursor", cursor)
		}
		b.read("/transactions"+query(params...), &page)
		for _, row := range page.Transactions {
			all[row.ExternalID] = row
		}
		if page.NextCursor == nil {
			return all
		}
		cursor = *page.NextCursor
	}
}

// filed is what is made of rows. A category that says that nothing is known is none.
func filed(book *books.Book, shown map[string]shownRow) map[string]books.Filed {
	all := map[string]books.Filed{}
	for _, r := range book.Rows {
		row, ok := shown[r.ID]
		if !ok {
			continue
		}
		var f books.Filed
		if row.Category != nil {
			f.Established = partOf(row.Category.CategoryPath, r.Amount)
			f.FromMemory = row.Category.Source == "memory"
		}
		if row.Suggestion != nil {
			f.Suggested = partOf(row.Suggestion.CategoryPath, r.Amount)
		}
		if len(row.Parts) > 0 {
			f.Established = nil
			for _, p := range row.Parts {
				f.Established = append(f.Established, partOf(p.CategoryPath, p.Amount)...)
			}
		}
		all[r.ID] = f
	}
	return all
}

func partOf(path string, amount money.Amount) []books.Part {
	c, ok := ontology.ScheduleC().ByPath(path)
	if !ok || c.Root().Path == ontology.Uncategorized {
		return nil
	}
	return []books.Part{{Category: c, Amount: amount}}
}

// next is the first question of the list that was not given up, and the rows that it is about.
func (b *bookOffice) next() (shownQuestion, books.Question, bool) {
	b.t.Helper()
	var page struct{ Issues []shownQuestion }
	b.read("/outstanding-issues"+query("limit", "50"), &page)
	at := slices.IndexFunc(page.Issues, func(q shownQuestion) bool { return b.answered[q.ID] == 0 })
	if at < 0 {
		return shownQuestion{}, books.Question{}, false
	}
	q := page.Issues[at]
	asked := books.Question{Business: b.book, FreeText: q.AllowsFreeText, Splits: b.splits,
		FollowsUp: q.FollowUp != nil}
	for _, option := range q.Options {
		asked.Options = append(asked.Options, option.Value)
	}
	shown := b.shown("needsAttention", "true")
	numbers := map[string]int{}
	for _, line := range q.Lines {
		numbers[line.TransactionID] = line.N
	}
	for _, r := range b.book.Rows {
		row := shown[r.ID]
		if slices.Contains(row.IssueIDs, q.ID) {
			asked.Rows = append(asked.Rows, r)
			asked.Numbers = append(asked.Numbers, numbers[row.ID])
			asked.Parties = append(asked.Parties, row.Counterparty.Name)
		}
	}
	return q, asked, true
}

// reply gives the replies one after another until one is understood, and returns that one.
func (b *bookOffice) reply(q shownQuestion, replies []books.Reply) books.Reply {
	b.t.Helper()
	b.answered[q.ID]++
	for _, r := range replies {
		body := M{"answer": r.Words}
		if r.Option != "" {
			body["selectedOption"] = r.Option
		}
		got := b.post(b.path+"/outstanding-issues/"+q.ID+"/answers", body)
		if got.status == http.StatusOK && got.text("status") != "unclear" {
			b.settle()
			return r
		}
		if got.status != http.StatusOK && got.status != http.StatusUnprocessableEntity {
			b.t.Fatalf("%q to %q: status %d, %s", r.Words, q.Question, got.status, got.body)
		}
	}
	b.t.Fatalf("%q takes no answer, not even that nobody knows: %v", q.Question, replies)
	return books.Reply{}
}

// profit is a profit and loss of some days.
type profit struct {
	Totals            struct{ GrossReceipts, NetProfit money.Amount }
	IfSuggestionsHold *struct {
		Totals struct{ NetProfit money.Amount }
	}
	Range *struct{ Low, High money.Amount }
	Basis struct {
		Complete      bool
		Uncategorized struct{ Inflow, Outflow money.Amount }
	}
}

func (b *bookOffice) profit(from, to string) profit {
	b.t.Helper()
	var p profit
	b.read("/reports/pnl"+query("startDate", from, "endDate", to), &p)
	return p
}

// bookMoment is how a book stands after so many answers.
type bookMoment struct {
	answers       int
	standing      books.Standing
	held          money.Amount // by how much the net profit misses the truth if suggestions hold
	covered       int          // months whose true net profit is in the range
	months        int          // of which there is a range
	width, widest money.Amount // of the ranges of all months, and of all that is open wholly in or out
}

func (b *bookOffice) moment(answers int) bookMoment {
	b.t.Helper()
	m := bookMoment{answers: answers, standing: books.Measure(b.book.Rows, filed(b.book, b.shown()))}
	months := b.book.Months()
	year := b.profit(months[0]+"-01", lastDay(months[len(months)-1]))
	expected := year.Totals.NetProfit
	if year.IfSuggestionsHold != nil {
		expected = year.IfSuggestionsHold.Totals.NetProfit
	}
	m.held = absolute(expected - books.Profit(b.book.Truth("", "9")))
	for _, month := range months {
		from, to := month+"-01", lastDay(month)
		p := b.profit(from, to)
		if p.Range == nil {
			continue
		}
		truth := books.Profit(b.book.Truth(from, to))
		m.months++
		if p.Range.Low <= truth && truth <= p.Range.High {
			m.covered++
		}
		m.width += p.Range.High - p.Range.Low
		m.widest += p.Basis.Uncategorized.Inflow + p.Basis.Uncategorized.Outflow
	}
	return m
}

func lastDay(month string) string {
	first, err := time.Parse("2006-01", month)
	if err != nil {
		panic(err)
	}
	return first.AddDate(0, 1, -1).Format(time.DateOnly)
}

func absolute(a money.Amount) money.Amount { return max(a, -a) }

// bookFigures are the figures of one book.
type bookFigures struct {
	name        string
	receipts    money.Amount
	moments     []bookMoment
	cannot      int // questions that no answer is true of
	lines       []books.LineError
	memory      books.Standing // of the rows filed from memory that came after the answers
	wordsRight  int            // rows on their line after their owner's words
	wordsOpen   int
	wordsWrong  int
	wordsSilent money.Amount
}

// measureBook answers a book's questions as its owner would: all of its rows at once, then its last quarter after the
// answers about the rest, then in words.
func measureBook(t *testing.T, folder string, mistakes bool) bookFigures {
	t.Helper()
	b := openBook(t, folder)
	f := bookFigures{name: filepath.Base(folder), receipts: b.book.GrossReceipts()}
	b.uploadRows("", "9")
	f.moments = append(f.moments, b.moment(0))
	if mistakes {
		b.logMistakes("before any answer")
	}
	answers := 0
	for ; answers < manyAnswers; answers++ {
		if slices.Contains(asking[1:], answers) {
			f.moments = append(f.moments, b.moment(answers))
		}
		if mistakes && answers == asking[len(asking)-1] {
			b.logMistakes(fmt.Sprint("after ", answers, " answers"))
		}
		q, asked, ok := b.next()
		if !ok {
			break
		}
		given := b.reply(q, books.Truthful(asked))
		if !given.Whole {
			f.cannot++
		}
		if mistakes {
			t.Logf("%d. %s (%d rows, %s) <- %s%s whole %v", answers+1, q.Question, len(asked.Rows), sumOf(asked.Rows),
				given.Option, given.Words, given.Whole)
		}
	}
	last := b.moment(answers)
	f.moments = append(f.moments, last)
	f.lines = books.LineErrors(b.book.Rows, filed(b.book, b.shown()))
	if mistakes {
		b.logMistakes("after all answers")
		t.Logf("%s: lines off %v", f.name, f.lines)
	}
	f.memory = measureMemory(t, folder)
	f.measureWords(t, folder)
	return f
}

// measureMemory is what memory makes of the last quarter, whose rows come after everything about the others was
// answered.
func measureMemory(t *testing.T, folder string) books.Standing {
	t.Helper()
	b := openBook(t, folder)
	const last = "2025-10-01"
	b.uploadRows("", "2025-09-30")
	for range manyAnswers {
		q, asked, ok := b.next()
		if !ok {
			break
		}
		b.reply(q, books.Truthful(asked))
	}
	b.uploadRows(last, "9")
	now := filed(b.book, b.shown())
	return books.Measure(slices.DeleteFunc(slices.Clone(b.book.Rows), func(r books.Row) bool {
		return r.Date < last || !now[r.ID].FromMemory
	}), now)
}

// measureWords is what the owner's own words do, where they know anything.
func (f *bookFigures) measureWords(t *testing.T, folder string) {
	t.Helper()
	b := openBook(t, folder)
	b.uploadRows("", "9")
	for range manyAnswers {
		q, asked, ok := b.next()
		if !ok {
			break
		}
		replies := books.InWords(asked)
		said := replies[0]
		about := slices.DeleteFunc(slices.Clone(asked.Rows), func(r books.Row) bool {
			return said.Option != "" || r.Note != said.Words // what is said of one row is not said of the others
		})
		if given := b.reply(q, replies); given != said {
			f.wordsOpen += len(about)
			continue
		}
		now := filed(b.book, b.shown())
		for _, row := range about {
			switch parts := now[row.ID].Established; {
			case len(parts) == 0:
				f.wordsOpen++
			case books.Right(row, parts):
				f.wordsRight++
			default:
				f.wordsWrong++
				f.wordsSilent += books.Missed(row, parts)
			}
		}
	}
}

func sumOf(rows []books.Row) money.Amount {
	var sum money.Amount
	for _, r := range rows {
		sum += absolute(r.Amount)
	}
	return sum
}

// logMistakes prints the rows that are established and wrong, and those where a suggestion misses the most.
func (b *bookOffice) logMistakes(when string) {
	b.t.Helper()
	now := filed(b.book, b.shown())
	type mistake struct {
		by   money.Amount
		text string
	}
	var mistakes []mistake
	for _, r := range b.book.Rows {
		f := now[r.ID]
		kind, parts := "established", f.Established
		if len(parts) == 0 {
			kind, parts = "suggested", f.Suggested
		}
		if by := books.Missed(r, parts); by > 0 || kind == "established" && !books.Right(r, parts) {
			mistakes = append(mistakes, mistake{by, fmt.Sprintf("%s %v %s %q is %s, and is %s", kind, r.Amount, r.ID,
				r.Description, paths(parts), paths(r.Truth))})
		}
	}
	slices.SortStableFunc(mistakes, func(x, y mistake) int { return int(y.by - x.by) })
	var text strings.Builder
	for _, m := range mistakes[:min(len(mistakes), 60)] {
		fmt.Fprintf(&text, "%v %s\n", m.by, m.text)
	}
	b.t.Logf("%s, %s: %d mistakes\n%s", b.book.Name, when, len(mistakes), text.String())
}

func paths(parts []books.Part) string {
	var all []string
	for _, p := range parts {
		all = append(all, p.Category.Path)
	}
	return strings.Join(all, "+")
}
