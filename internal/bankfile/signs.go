package bankfile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"bizfin/internal/money"
)

// findDirection takes a column that says nothing but debit or credit, where no amount has a sign of its own. Where
// signs and words contradict each other, only the file's owner knows which of them count.
func (s *sheet) findDirection() error {
	if s.has(roleDirection) || !s.has(roleAmount) {
		return nil
	}
	for _, title := range titles[roleDirection] {
		i := slices.Index(s.header, title)
		if i < 0 || s.taken(i) {
			continue
		}
		said := s.signsBeside(i)
		switch {
		case said.words() == 0:
			continue
		case said.minus+said.debitMinus+said.creditMinus == 0 && said.other == 0:
			s.columns[roleDirection] = []int{i}
			return nil
		case s.Charges != "" || s.charges != "" || said.debitPlus+said.creditMinus == 0:
			return nil // the signs count
		case said.debitMinus+said.creditPlus == 0 && said.other == 0:
			s.charges = "positive"
			return nil
		default:
			return &Question{fmt.Sprintf("the column %q and the signs of %q do not say the same of every line", title,
				s.header[s.columns[roleAmount][0]]), fmt.Sprintf("--charges negative (a minus leaves), --charges "+
				"positive (a minus comes in), or --map type=%q with one of them (debits leave and credits come in; "+
				"it counts for other words)", title)}
		}
	}
	return nil
}

// signs count the lines by the word and the sign that they have.
type signs struct{ debitPlus, debitMinus, creditPlus, creditMinus, minus, other int }

func (c signs) words() int { return c.debitPlus + c.debitMinus + c.creditPlus + c.creditMinus }

func (s *sheet) signsBeside(column int) (c signs) {
	for _, r := range s.records {
		text := currencySigns.Replace(s.at(r, roleAmount))
		if strings.Trim(text, "-0.,") == "" {
			continue
		}
		minus := strings.ContainsAny(text, "-(")
		switch way := direction(r.cell(column)); {
		case way < 0 && minus:
			c.debitMinus++
		case way < 0:
			c.debitPlus++
		case way > 0 && minus:
			c.creditMinus++
		case way > 0:
			c.creditPlus++
		case minus:
			c.minus++
		case r.cell(column) != "":
			c.other++
		}
	}
	return c
}

// direction is 1 for what comes in, -1 for what leaves and 0 for a word that says neither.
func direction(word string) int {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "debit", "dr", "d", "withdrawal", "check":
		return -1
	case "credit", "cr", "c", "deposit":
		return 1
	default:
		return 0
	}
}

// amount is signed as the columns say.
func (s *sheet) amount(r record, comma bool) (amount money.Amount, there bool, err error) {
	if !s.has(roleDebit) {
		amount, there, err = parseAmount(s.at(r, roleAmount), comma)
		if err != nil || !there || !s.has(roleDirection) {
			return amount, there, err
		}
		amount, err = s.directed(amount, s.at(r, roleDirection))
		return amount, there, err
	}
	out, left, err := parseAmount(s.at(r, roleDebit), comma)
	if err != nil {
		return 0, false, err
	}
	in, came, err := parseAmount(s.at(r, roleCredit), comma)
	if err != nil {
		return 0, false, err
	}
	if left && came && in != 0 && out != 0 {
		return 0, false, errors.New("it has both a debit and a credit")
	}
	if s.debitsPlus {
		out = -out
	}
	if s.creditsMinus {
		in = -in
	}
	return in + out, left || came, nil
}

// directed signs an amount by the word beside it; what has a minus or another word besides, as charges are.
func (s *sheet) directed(amount money.Amount, word string) (money.Amount, error) {
	way := direction(word)
	switch {
	case amount >= 0 && way != 0:
		return amount * money.Amount(way), nil
	case s.Charges == "positive":
		return -amount, nil
	case s.Charges == "negative", way < 0, way == 0 && word == "":
		return amount, nil
	default:
		return 0, &Question{fmt.Sprintf("the amount %s with the word %q comes in or leaves", amount, word),
			"--charges negative (a minus leaves) or --charges positive (a minus comes in)"}
	}
}

// findSigns finds out how the columns of debits and credits are signed. Of both signs in one column one is a reversal;
// where the file does not say which, it is asked.
func (s *sheet) findSigns(comma bool) error {
	if !s.has(roleDebit) {
		return nil
	}
	count := func(role string) (plus, minus int) {
		for _, r := range s.records {
			if amount, _, err := parseAmount(s.at(r, role), comma); err == nil && amount > 0 {
				plus++
			} else if err == nil && amount < 0 {
				minus++
			}
		}
		return plus, minus
	}
	plus, minus := count(roleDebit)
	s.debitsPlus = plus > 0
	if plus > 0 && minus > 0 {
		if s.Charges == "" {
			return &Question{"the column of debits has positive and negative amounts: some are reversals",
				"--charges positive (a negative debit comes in) or --charges negative (a positive one does)"}
		}
		s.debitsPlus = s.Charges == "positive"
	}
	if plus, minus = count(roleCredit); plus == 0 && minus > 0 {
		if s.Charges == "" {
			return &Question{"all credits are negative: they come in, or are reversals of what came in",
				"--charges positive (a negative credit comes in) or --charges negative (it leaves)"}
		}
		s.creditsMinus = s.Charges == "positive"
	}
	return nil
}

// fee is what was kept of an amount, negative; amount, fee and net must agree.
func (s *sheet) fee(r record, amount money.Amount, comma bool) (money.Amount, error) {
	fee, there, err := parseAmount(s.at(r, roleFee), comma)
	if err != nil || !there || fee == 0 {
		return 0, err
	}
	net, told, err := parseAmount(s.at(r, roleNet), comma)
	if err != nil {
		return 0, err
	}
	switch {
	case !told || amount+fee == net:
		if fee > 0 && !told {
			return -fee, nil
		}
		return fee, nil
	case amount-fee == net:
		return -fee, nil
	default:
		return 0, errors.New("amount and fee do not come to the net amount")
	}
}

// turn finds out whether money that leaves is positive. Most rows of a bank account or card are payments: where most
// amounts are positive, the file may be a card's, and only its owner knows.
func (s *sheet) turn(account *Account) error {
	charges := s.Charges
	if charges == "" {
		charges = s.charges
	}
	positive := 0
	for _, r := range account.Rows {
		if r.Amount > 0 {
			positive++
		}
	}
	if s.has(roleDebit) || s.has(roleDirection) {
		return nil // columns and words say it
	}
	enough := 3*positive >= 2*len(account.Rows)
	if s.Type == "credit" {
		enough = 2*positive >= len(account.Rows)
	}
	if charges == "" && s.name == "" && positive > 0 && enough {
		return &Question{"most amounts are positive: they are deposits, or the charges of a card",
			"--charges negative (positive amounts come in) or --charges positive (they are spent)"}
	}
	if charges == "positive" {
		s.guess("positive amounts are charges, negative ones payments and refunds")
		for i := range account.Rows {
			account.Rows[i].Amount = -account.Rows[i].Amount
		}
	}
	return nil
}
