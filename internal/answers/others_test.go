package answers_test

import (
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/answers"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// Of money that an account holds for others it decides whose it is: what reads like income elsewhere is not believed.
func TestWordsAboutMoneyOfOthersSayWhoseItIs(t *testing.T) {
	t.Parallel()
	account := questions.AboutHeld(uuid.New())
	for _, incoming := range []bool{true, false} {
		held := questions.OfHeld(account, "PNC IOLTA ...6240", incoming)
		q := answers.Asked{Context: wording.Context{Options: held.Options, Incoming: &incoming, Question: held.Text}}
		for words, want := range map[string]string{
			"held for clients":       "liability.client_funds",
			"client money":           "liability.client_funds",
			"it's my clients' money": "liability.client_funds",
			"Clients’ funds":         "liability.client_funds",
			"tenants deposits":       "liability.client_funds",
			"retainers from clients": "liability.client_funds",
			"not mine":               "liability.client_funds",
			"escrow":                 "liability.client_funds",
			"client payments":        "unclear",
			"rent":                   "unclear",
			"legal fees":             "unclear",
			"client money, but the transfer is our fee": "unclear",
			"half client money, half our fees":          "unclear",
			"our clients pay us":                        "unclear",
			"not client money":                          "unclear",
			"liability.customer_deposit":                "liability.customer_deposit",
			"expense.other.bank_fees":                   "expense.other.bank_fees",
			"Client money and escrow held":              "liability.client_funds",
		} {
			got := understood(answers.Understand(q, words, nil))
			if cost := words == "expense.other.bank_fees"; got != want && !(cost && incoming) {
				t.Errorf("incoming %v, %q is %s, want %s", incoming, words, got, want)
			}
		}
	}
	incoming := true
	earned := questions.OfMoved("the account ending in 6240", true)
	q := answers.Asked{Context: wording.Context{Options: earned.Options, Incoming: &incoming, Question: earned.Text}}
	for words, want := range map[string]string{
		"fees earned": "revenue.sales.services", "our management fee": "revenue.sales.services",
		"earned": "revenue.sales.services", "asset.reimbursable": "asset.reimbursable",
	} {
		if got := understood(answers.Understand(q, words, nil)); got != want {
			t.Errorf("%q is %s, want %s", words, got, want)
		}
	}
}

// What is kept for others is no income wherever it comes in.
func TestWhatIsKeptForOthersIsNoIncomeAnywhere(t *testing.T) {
	t.Parallel()
	incoming := true
	q := answers.Asked{
		Context: wording.Context{Incoming: &incoming, Question: "What does Rhonda Pettiford pay you for?"},
	}
	for _, words := range []string{"held for clients", "I hold it for clients", "collected for owners",
		"funds of clients", "owed to clients"} {
		m := answers.Understand(q, words, nil)
		if c, ok := ontology.ScheduleC().ByID(m.CategoryID); ok && c.Kind.OnForm() {
			t.Errorf("%q is %s", words, c.Path)
		}
	}
}
