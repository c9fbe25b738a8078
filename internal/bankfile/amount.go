package bankfile

import (
	"errors"
	"regexp"
	"strings"

	"bizfin/internal/money"
)

var errAmount = errors.New("not an amount with at most two decimals")

// ends are what banks write before and after the digits.
var (
	currencySigns = strings.NewReplacer("$", "", "€", "", "£", "", "USD", "", "EUR", "", "GBP", "", "CAD", "",
		"\u00a0", "",
		"\u202f", "", " ", "", "'", "", "’", "", "−", "-", "–", "-", "+", "")
	plain  = regexp.MustCompile(`^-?\d+(\.\d+)?$`)
	groups = regexp.MustCompile(`^-?\d{1,3}(,\d{3})+(\.\d+)?$`)
)

// parseAmount reads an amount in the writing of banks: "$1,234.50", "(12.00)", "12.00-", "12.00 DR", "−5". comma says
// that decimals follow a comma. An empty cell or dashes are no amount: ok is false.
func parseAmount(cell string, comma bool) (amount money.Amount, ok bool, err error) {
	text := strings.ToUpper(strings.TrimSpace(cell))
	if strings.Trim(text, "-—– ") == "" {
		return 0, false, nil
	}
	negative := false
	if inside, found := strings.CutPrefix(text, "("); found && strings.HasSuffix(inside, ")") {
		negative, text = true, strings.TrimSuffix(inside, ")")
	}
	if before, found := strings.CutSuffix(text, "DR"); found {
		negative, text = true, before
	}
	text = strings.TrimSuffix(text, "CR")
	text = currencySigns.Replace(text)
	if before, found := strings.CutSuffix(text, "-"); found {
		negative, text = true, before
	}
	if comma {
		text = strings.NewReplacer(".", "", ",", ".").Replace(text)
	} else if groups.MatchString(text) {
		text = strings.ReplaceAll(text, ",", "")
	}
	if strings.HasPrefix(strings.TrimPrefix(text, "-"), ".") {
		text = strings.Replace(text, ".", "0.", 1)
	}
	if !plain.MatchString(text) {
		return 0, false, errAmount
	}
	sign := ""
	if strings.HasPrefix(text, "-") {
		sign, text = "-", text[1:]
	}
	whole, decimals, _ := strings.Cut(text, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if decimals = strings.TrimRight(decimals, "0"); decimals != "" {
		whole += "." + decimals
	}
	amount, err = money.Parse(sign + whole)
	if err != nil {
		return 0, false, errAmount
	}
	if negative {
		amount = -amount
	}
	return amount, true, nil
}

var (
	endsInComma = regexp.MustCompile(`,\d{1,2}\)?-?$`)
	endsInPoint = regexp.MustCompile(`\.\d{1,2}\)?-?$`)
	eitherWay   = regexp.MustCompile(`^\(?-?\d{1,3}[.,]\d{3}\)?-?$`)
)

// decimalComma finds out which sign decimals follow, in the amounts of a whole file. One of a thousand alone can be
// read both ways: then the others say, or nobody.
func decimalComma(cells []string, asked string) (comma bool, err error) {
	switch asked {
	case "comma":
		return true, nil
	case "point":
		return false, nil
	}
	points, commas, open := 0, 0, ""
	for _, cell := range cells {
		text := currencySigns.Replace(strings.TrimSpace(cell))
		switch {
		case endsInComma.MatchString(text):
			commas++
		case endsInPoint.MatchString(text):
			points++
		case eitherWay.MatchString(text):
			open = cell
		}
	}
	switch {
	case commas > 0 && points > 0:
		return false, &Question{"some amounts have decimals after a comma, others after a point",
			"--decimal point or --decimal comma"}
	case commas == 0 && points == 0 && open != "":
		return false, &Question{"an amount such as " + strings.TrimSpace(open) + " can be read in two ways",
			"--decimal point or --decimal comma"}
	default:
		return commas > 0, nil
	}
}
