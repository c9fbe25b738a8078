package bankfile

import (
	"fmt"
	"slices"
	"strings"
)

// settled says whether a line's status is that of money that moved: some lines never will, and others will come again.
func settled(status string) (yes bool, why string) {
	switch word := strings.ToLower(strings.TrimSpace(status)); word {
	case "pending", "in_transit", "processing", "held", "authorized", "scheduled", "in transit", "uncleared":
		return false, "it is " + word + "; a later file has it when it is done"
	case "failed", "cancelled", "canceled", "denied", "declined", "voided", "expired", "removed", "blocked", "rejected",
		"returned before posting":
		return false, "it is " + word
	default:
		return true, ""
	}
}

// rows reads the lines.
func (s *sheet) rows() (Account, error) {
	account := Account{Type: s.kind}
	var dates, amounts []string
	for _, r := range s.records {
		dates = append(dates, s.at(r, roleDate))
		for _, role := range []string{roleAmount, roleDebit, roleCredit, roleFee, roleNet} {
			amounts = append(amounts, s.at(r, role))
		}
	}
	order, err := dateOrder(dates, s.DateOrder)
	if err != nil {
		return account, err
	}
	if slices.ContainsFunc(dates, func(d string) bool { return yearLast.MatchString(d) }) {
		s.guess("dates have the %s first", map[string]string{"mdy": "month", "dmy": "day", "ymd": "year"}[order])
	}
	comma, err := decimalComma(amounts, s.Decimal)
	if err != nil {
		return account, err
	}
	if err := s.findSigns(comma); err != nil {
		return account, err
	}
	for _, r := range s.records {
		if err := s.take(&account, r, order, comma); err != nil {
			return account, err
		}
	}
	if err := s.turn(&account); err != nil {
		return account, err
	}
	s.findBalance(&account, order, comma)
	return account, nil
}

// take reads one line into rows: two where a fee was kept.
func (s *sheet) take(account *Account, r record, order string, comma bool) error {
	skip := func(why string) error {
		account.Skipped = append(account.Skipped, Skipped{r.line, why})
		return nil
	}
	if yes, why := settled(s.at(r, roleStatus)); !yes {
		return skip(why)
	}
	if strings.EqualFold(s.at(r, roleImpact), "memo") {
		return skip("it does not move the balance")
	}
	amount, there, err := s.amount(r, comma)
	if err != nil {
		return fmt.Errorf("line %d: %w", r.line, err)
	}
	dated := looksLikeDate(s.at(r, roleDate))
	switch {
	case !there && dated && len(s.header) > len(r.cells):
		return skip("it has fewer fields than the header, and no amount")
	case !there:
		return skip("it has no amount")
	case !dated && s.at(r, roleDate) == "":
		return skip("it has no date")
	}
	day, err := parseDay(s.at(r, roleDate), order)
	if err != nil {
		return fmt.Errorf("line %d: %w", r.line, err)
	}
	var words []string
	for _, i := range s.columns[roleDescription] {
		words = append(words, r.cell(i))
	}
	row := Row{ID: s.at(r, roleID), Day: day, Amount: amount, Currency: strings.ToUpper(s.at(r, roleCurrency)),
		Description: oneLine(words...), Line: r.line}
	if row.Description == "" {
		row.Description = "(no description)"
	}
	fee, err := s.fee(r, amount, comma)
	if err != nil {
		return fmt.Errorf("line %d: %w", r.line, err)
	}
	if amount != 0 {
		account.Rows = append(account.Rows, row)
	} else if fee == 0 {
		return skip("its amount is zero")
	}
	if fee != 0 {
		row.Amount, row.Description = fee, oneLine(s.name+" fee", row.Description)
		if row.ID != "" {
			row.ID += " fee"
		}
		account.Rows = append(account.Rows, row)
	}
	return nil
}

// findBalance takes the running balance of the newest line. Where the days do not say which line that is, their order
// does: banks write the newest first or last.
func (s *sheet) findBalance(account *Account, order string, comma bool) {
	if !s.has(roleBalance) || len(s.records) == 0 {
		return
	}
	first, last := s.records[0], s.records[len(s.records)-1]
	from, err := parseDay(s.at(first, roleDate), order)
	to, failed := parseDay(s.at(last, roleDate), order)
	if err != nil || failed != nil || from.Equal(to) && len(s.records) > 1 {
		return
	}
	newest := last
	if from.After(to) {
		newest = first
	}
	if balance, ok, err := parseAmount(s.at(newest, roleBalance), comma); err == nil && ok {
		account.Balance = &balance
	}
}
