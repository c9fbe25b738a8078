package decide_test

import (
	"strconv"
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/questions"
)

// Of rows that an answer left open nothing was said, also where a later one is about others with the same firm.
func TestWhatAnAnswerLeftOpenIsNotDecidedByItsOthers(t *testing.T) {
	tools, materials := categoryAt(t, "expense.supplies.tools"), categoryAt(t, "expense.supplies.materials")
	left, later := uuid.New(), uuid.New()
	memory := questions.Remember([]questions.Answered{
		{CounterpartyKey: "lowes", Amount: -228_64, Largest: 228_64, CategoryID: &tools, AnswerID: left},
		{CounterpartyKey: "lowes", Amount: -91_40, Largest: 91_40, CategoryID: &materials, AnswerID: later},
	})
	open := row(-239_62, "LOWE'S #01147 SAN ANTONIO TX INV 470492")
	if d := decide.New().Decide([]decide.Row{open}, memory)[0]; !d.Established || d.CategoryID != tools {
		t.Fatalf("what is as large as what was answered is %d, established %v", d.CategoryID, d.Established)
	}
	open.LeftOpenBy = []uuid.UUID{left}
	if d := decide.New().Decide([]decide.Row{open}, memory)[0]; d.Established || d.Question == nil {
		t.Errorf("what was left open is %d, established %v", d.CategoryID, d.Established)
	}
}

// What was said of payouts before whoever pays them out was said to lend does not hold for those that may keep a loan's
// payments back.
func TestWhatWasSaidOfPayoutsIsNotSaidOfThoseBehindALoan(t *testing.T) {
	payouts, loan := categoryAt(t, "revenue.sales.processor_payouts"), categoryAt(t, "liability.loan_proceeds")
	said := func(category int, amount money.Amount, reads string) questions.Answered {
		return questions.Answered{CounterpartyKey: "square", Incoming: true, Amount: amount, Largest: amount,
			CategoryID: &category, AnswerID: uuid.New(), Reads: reads}
	}
	asPaid := said(payouts, 640_10, strconv.Itoa(payouts))
	payout := row(655_20, "SQUARE INC SQ260511 T3GMEOYA JUNIPER BIKES")
	for _, c := range []struct {
		answers []questions.Answered
		stands  bool
	}{
		{[]questions.Answered{asPaid}, true},
		{[]questions.Answered{asPaid, said(loan, 12_000_00, strconv.Itoa(loan))}, false},
	} {
		d := decide.New().Decide([]decide.Row{payout}, questions.Remember(c.answers))[0]
		if d.Established != c.stands {
			t.Errorf("after %d answers it is established: %v (%s)", len(c.answers), d.Established, d.Reason)
		}
	}
}
