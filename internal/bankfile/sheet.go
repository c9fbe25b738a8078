package bankfile

import (
	"fmt"
	"slices"
	"strings"
)

// sheet is a CSV file while it is understood.
type sheet struct {
	Options
	style
	separator rune
	header    []string // empty where the file has none
	records   []record // below the header
	columns   map[string][]int
	guesses   []string

	debitsPlus, creditsMinus bool // what leaves is positive in its column, what comes in negative
}

// record is one line with its place in the file.
type record struct {
	cells []string
	line  int
}

func (r record) cell(i int) string {
	if i < 0 || i >= len(r.cells) {
		return ""
	}
	return strings.TrimSpace(r.cells[i])
}

func (s *sheet) guess(format string, args ...any) {
	s.guesses = append(s.guesses, fmt.Sprintf(format, args...))
}

func titleOf(cell string) string { return strings.ToLower(strings.Join(strings.Fields(cell), " ")) }

// The roles of columns.
const (
	roleDate        = "date"
	roleDescription = "description"
	roleAmount      = "amount"
	roleDebit       = "debit"
	roleCredit      = "credit"
	roleFee         = "fee" // what the processor kept of the amount
	roleNet         = "net" // the amount after the fee, to hold both against
	roleCurrency    = "currency"
	roleID          = "id"
	roleStatus      = "status"
	roleDirection   = "type" // the words debit and credit beside amounts without a sign
	roleBalance     = "balance"
	roleImpact      = "impact" // whether a line moves the balance at all
)

func (s *sheet) at(r record, role string) string {
	if !s.has(role) {
		return ""
	}
	return r.cell(s.columns[role][0])
}

func (s *sheet) has(role string) bool { return len(s.columns[role]) > 0 }

// style is how one kind of file differs from what its columns say. All its columns must be there.
type style struct {
	name    string
	columns []string
	charges string // positive where the file has money that leaves as positive amounts
	kind    string // of account
	noID    bool   // its id column is none of single rows
}

// titles are what banks call the columns of a role, the better names first.
var titles = map[string][]string{
	roleDate: {"transaction date", "trans. date", "trans date", "date", "posting date", "posted date", "post date",
		"date (utc)", "created (utc)", "created", "booking date", "value date", "arrival date (utc)", "buchungstag",
		"datum"},
	roleDescription: {"description", "transaction description", "payee", "name", "merchant", "details", "memo",
		"narrative", "original description", "statement descriptor", "transaction", "verwendungszweck", "source"},
	roleAmount: {"total collected", "amount", "gross", "transaction amount", "amount (usd)", "amount usd",
		"value", "betrag", "net total", "net"},
	roleDebit: {"debit", "withdrawal", "withdrawals", "money out", "paid out", "debit amount", "amount debit",
		"withdrawal (dr)"},
	roleCredit: {"credit", "deposit", "deposits", "money in", "paid in", "credit amount", "amount credit",
		"deposit (cr)"},
	roleFee:       {"fee", "fees"},
	roleNet:       {"net", "net total"},
	roleCurrency:  {"currency", "transaction currency", "währung"},
	roleID:        {"transaction id", "id", "reference number", "reference", "fitid", "balance_transaction_id"},
	roleStatus:    {"status", "state"},
	roleDirection: {"transaction type", "type", "details", "credit debit indicator", "debit/credit", "dr/cr"},
	roleBalance:   {"running bal.", "running balance", "balance", "account balance", "saldo"},
	roleImpact:    {"balance impact"},
}

func (s *sheet) taken(i int) bool {
	for _, columns := range s.columns {
		if slices.Contains(columns, i) {
			return true
		}
	}
	return false
}
