package decide

import (
	"slices"
	"strings"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// ownBalance is how sure a payout is a move that comes from a service where the business has an account: what customers
// paid is counted there.
const ownBalance money.Ratio = 8200

// payouts are what processors pay out of what customers paid them.
const payouts = "revenue.sales.processor_payouts"

// wallets pay shops and people, and take that from the account or card behind them: their own account shows whom.
var wallets = [...]string{"PayPal", "Venmo", "Cash App"}

// ownWallet is the wallet that money goes to by its line, where the business's account there is connected, too: what it
// bought stands in that account once more.
func ownWallet(row Row, memory questions.Memory) string {
	if row.Amount >= 0 || len(memory.Services) == 0 {
		return ""
	}
	at := categorize.ServiceOf(row.AccountName)
	for _, wallet := range wallets {
		if wallet != at && slices.Contains(memory.Services, wallet) && categorize.Names(row.Description, wallet) {
			return wallet
		}
	}
	return ""
}

// fromOwnBalance is the decision of a line of a business that has accounts at payment services: what such a service
// pays out to another account, and what moves from an account there, move the balance.
func fromOwnBalance(row Row, said categorize.Decision, memory questions.Memory) categorize.Decision {
	category, ok := ontology.ScheduleC().ByID(said.CategoryID)
	if !ok || said.Source == categorize.SourceMemory {
		return said
	}
	balance, _ := ontology.ScheduleC().ByPath("transfer.processor_balance")
	if paidFrom := ownWallet(row, memory); paidFrom != "" {
		said.Alternatives = []categorize.Alternative{{CategoryID: said.CategoryID, Confidence: 10_000 - ownBalance}}
		said.CategoryID, said.Confidence, said.Transfer = balance.ID, ownBalance, true
		said.Ask, said.Source, said.Class = true, categorize.SourceRule, "own_wallet"
		said.Merchant = paidFrom
		said.Counterparty = categorize.Counterparty{Key: strings.ToLower(paidFrom), Name: paidFrom, Type: "financial",
			Relationship: "payment_processor", Confidence: ownBalance}
		said.Reason += "; what " + paidFrom + " paid is in the business's own account there"
		return said
	}
	at := ""
	if len(memory.Services) > 0 {
		at = categorize.ServiceOf(row.AccountName)
	}
	switch {
	case category.Path == "transfer.internal":
		if at != "" {
			said.CategoryID = balance.ID
		}
	case category.Path == payouts, row.Amount > 0 && at == "" && category.Is("revenue.sales"):
		own := slices.ContainsFunc(memory.Services, func(service string) bool {
			named := category.Path == payouts || slices.Contains(wallets[:], service) // Times Square is a customer
			return service != at && (categorize.PaysFrom(service, said.Counterparty) ||
				named && categorize.Names(row.Description, service))
		})
		if own {
			said.Alternatives = append([]categorize.Alternative{{CategoryID: said.CategoryID,
				Confidence: money.Ratio(10_000) - ownBalance}}, said.Alternatives[:min(3, len(said.Alternatives))]...)
			said.CategoryID, said.Confidence, said.Transfer = balance.ID, ownBalance, true
			said.Reason += ", or a move from the business's own account there"
		}
	}
	return said
}
