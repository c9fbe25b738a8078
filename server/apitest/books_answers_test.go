package apitest

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/books"
	"bizfin/internal/money"
)

// In every month net profit, what is not on the form and what is uncategorized are the cash flow, which with the moves
// between own accounts is the sum of the bank's rows, to the cent and whatever was answered.
func TestABookAddsUpWhateverIsAnswered(t *testing.T) {
	t.Parallel()
	b := openBook(t, filepath.Join(labelled, "tune", "kettle-creek-landscape"))
	b.uploadRows("", "2025-03-31")
	b.wantIdentities()
	for range 3 {
		q, asked, ok := b.next()
		if !ok {
			t.Fatal("a landscaper's quarter asks nothing")
		}
		b.reply(q, books.Truthful(asked))
		b.wantIdentities()
	}
}

// wantIdentities holds each month's reports against each other and against the bank's rows.
func (b *bookOffice) wantIdentities() {
	b.t.Helper()
	for _, month := range b.book.Months()[:3] {
		from, to := month+"-01", lastDay(month)
		days := query("startDate", from, "endDate", to)
		type net struct{ Net money.Amount }
		var cash struct{ Totals, InternalTransfers net }
		var pnl struct {
			Totals    struct{ NetProfit money.Amount }
			NotOnForm []net
			Basis     struct {
				Uncategorized struct{ Inflow, Outflow money.Amount }
			}
		}
		b.read("/reports/cashflow"+days, &cash)
		b.read("/reports/pnl"+days, &pnl)
		sum := pnl.Totals.NetProfit + pnl.Basis.Uncategorized.Inflow - pnl.Basis.Uncategorized.Outflow
		for _, node := range pnl.NotOnForm {
			sum += node.Net
		}
		if sum != cash.Totals.Net {
			b.t.Errorf("%s: the profit and loss adds up to %v, the cash flow is %v", month, sum, cash.Totals.Net)
		}
		var bank money.Amount
		for _, r := range b.book.Rows {
			if from <= r.Date && r.Date <= to {
				bank += r.Amount
			}
		}
		if got := cash.Totals.Net + cash.InternalTransfers.Net; got != bank {
			b.t.Errorf("%s: cash flow and transfers are %v, the bank's rows %v", month, got, bank)
		}
	}
}

// Of two answers to one question the later is the only one, and one that is taken back was never given.
func TestInABookTheLastAnswerHoldsAndUndoIsNever(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(labelled, "tune", "kettle-creek-landscape")
	open := func() *bookOffice {
		b := openBook(t, folder)
		b.uploadRows("", "2025-02-28")
		return b
	}
	twice, once := open(), open()
	if !twice.corrects {
		t.Fatal("an answer cannot be replaced")
	}
	before := twice.made()
	question, asked, ok := twice.next()
	if !ok {
		t.Fatal("a landscaper's winter asks nothing")
	}
	options := slices.DeleteFunc(asked.Options, func(o string) bool { return partOf(o, 0) == nil })
	if len(options) < 2 {
		t.Fatalf("%q offers %v", question.Question, asked.Options)
	}
	say := func(b *bookOffice, id, words string, option any) {
		b.answerIssue(id, words, option).want(200).wantAt("accepted", "status")
		b.settle()
	}
	say(twice, question.ID, "first", options[0])
	if cmp.Equal(before, twice.made()) {
		t.Error("an answer changes nothing")
	}
	say(twice, question.ID, "second", options[1])
	same, _, _ := once.next()
	if same.Question != question.Question {
		t.Fatalf("%q is asked of the same rows as %q", same.Question, question.Question)
	}
	say(once, same.ID, "second", options[1])
	if diff := cmp.Diff(once.made(), twice.made()); diff != "" {
		t.Errorf("a first answer is still seen after the second: %s", diff)
	}
	say(twice, question.ID, "undo", nil)
	if diff := cmp.Diff(before, twice.made()); diff != "" {
		t.Errorf("an answer taken back is still seen: %s", diff)
	}
}

// made is what each row is established or suggested to be, and by what.
func (b *bookOffice) made() map[string]string {
	all := map[string]string{}
	for id, row := range b.shown() {
		switch {
		case row.Category != nil:
			all[id] = row.Category.CategoryPath + " by " + row.Category.Source
		case row.Suggestion != nil:
			all[id] = "perhaps " + row.Suggestion.CategoryPath
		}
	}
	return all
}
