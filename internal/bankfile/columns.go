package bankfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Roles are the names that Options.Columns takes.
var Roles = []string{roleDate, roleDescription, roleAmount, roleDebit, roleCredit, roleFee, roleNet, roleCurrency,
	roleID,
	roleStatus, roleDirection, roleBalance}

// styles are told by columns that no other has. A plain Date, Description, Amount is nobody's.
var styles = []style{
	{name: "Stripe balance", columns: []string{"amount", "fee", "net", "available on (utc)"}},
	{name: "Stripe payouts", columns: []string{"amount", "arrival date (utc)", "destination"}},
	{name: "PayPal", columns: []string{"gross", "fee", "net", "transaction id"}},
	{name: "Square", columns: []string{"gross sales", "total collected", "fees"}},
	{name: "Mercury", columns: []string{"date (utc)", "bank description", "source account"}, kind: "depository",
		noID: true},
	{name: "Capital One card", columns: []string{"card no.", "debit", "credit"}, kind: "credit"},
	{name: "Capital One", columns: []string{"account number", "transaction amount", "transaction type"},
		kind: "depository"},
	{name: "American Express", columns: []string{"amount", "card member"}, charges: "positive", kind: "credit"},
	{name: "American Express", columns: []string{"amount", "appears on your statement as"}, charges: "positive",
		kind: "credit"},
	{name: "Discover", columns: []string{"trans. date", "post date", "amount"}, charges: "positive", kind: "credit"},
	{name: "Apple Card", columns: []string{"clearing date", "purchased by"}, charges: "positive", kind: "credit"},
	{name: "Chase card", columns: []string{"transaction date", "post date", "type", "memo"}, kind: "credit"},
	{name: "Chase", columns: []string{"details", "posting date", "check or slip #"}, kind: "depository"},
	{name: "Bank of America card", columns: []string{"posted date", "reference number", "payee"}, kind: "credit"},
	{name: "Bank of America", columns: []string{"date", "description", "amount", "running bal."}, kind: "depository"},
}

// findColumns gives columns their roles: as asked for, else by their titles, else by what is in them.
func (s *sheet) findColumns() error {
	for role, asked := range s.Columns {
		if !slices.Contains(Roles, role) {
			return fmt.Errorf("--map has no %q; it takes %s", role, strings.Join(Roles, ", "))
		}
		for part := range strings.SplitSeq(asked, "+") {
			i, err := s.columnNamed(part)
			if err != nil {
				return err
			}
			s.columns[role] = append(s.columns[role], i)
		}
	}
	find := s.byContent
	if len(s.header) > 0 {
		find = s.byTitle
	}
	if err := find(); err != nil {
		return err
	}
	if !s.has(roleDate) || !s.has(roleDescription) || !s.has(roleAmount) && !(s.has(roleDebit) && s.has(roleCredit)) {
		return &Question{"the columns of date, description and amount cannot be told" + s.namesInWords(),
			"--map date=1,description=2,amount=3 (or debit=3,credit=4), by name or number"}
	}
	for _, role := range Roles {
		if s.has(role) {
			s.guess("%s is %s", role, s.columnsInWords(role))
		}
	}
	return nil
}

func (s *sheet) columnNamed(asked string) (int, error) {
	if i := slices.Index(s.header, titleOf(asked)); i >= 0 {
		return i, nil
	}
	width := 0
	for _, r := range s.records {
		width = max(width, len(r.cells))
	}
	if n, err := strconv.Atoi(strings.TrimSpace(asked)); err == nil && n >= 1 && n <= width {
		return n - 1, nil
	}
	return 0, fmt.Errorf("--map names the column %q, which is not there%s", asked, s.namesInWords())
}

func (s *sheet) namesInWords() string {
	if len(s.header) == 0 {
		return ""
	}
	return ": the file has " + strings.Join(s.header, ", ")
}

func (s *sheet) columnsInWords(role string) string {
	var names []string
	for _, i := range s.columns[role] {
		name := fmt.Sprintf("column %d", i+1)
		if i < len(s.header) && s.header[i] != "" {
			name = fmt.Sprintf("%q", s.header[i])
		}
		names = append(names, name)
	}
	return strings.Join(names, " and ")
}

func (s *sheet) byTitle() error {
	for _, known := range styles {
		if !slices.ContainsFunc(known.columns, func(c string) bool { return !s.titled(c) }) {
			s.style = known
			break
		}
	}
	pick := func(role string, than ...string) {
		if s.has(role) {
			return
		}
		for _, title := range append(than, titles[role]...) {
			if i := slices.Index(s.header, title); i >= 0 && !s.taken(i) {
				s.columns[role] = []int{i}
				return
			}
		}
	}
	if !s.has(roleAmount) && !s.has(roleDebit) && !s.has(roleCredit) {
		pick(roleDebit)
		pick(roleCredit)
		if !s.has(roleDebit) || !s.has(roleCredit) {
			delete(s.columns, roleDebit)
			delete(s.columns, roleCredit)
			pick(roleAmount)
		}
	}
	if s.name == "Stripe payouts" {
		pick(roleDate, "arrival date (utc)")
	}
	pick(roleDate)
	pick(roleBalance)
	pick(roleStatus)
	pick(roleImpact)
	pick(roleCurrency)
	if !s.noID {
		pick(roleID)
	}
	switch s.name {
	case "PayPal", "Square", "Stripe balance":
		pick(roleFee)
		pick(roleNet)
	}
	if !s.has(roleDescription) {
		s.columns[roleDescription] = s.named(describedBy[s.name]...)
	}
	pick(roleDescription)
	return s.findDirection()
}

// describedBy are the columns that describe a row, in styles where it takes more than one, or not the usual one.
var describedBy = map[string][]string{
	"PayPal":         {"name", "type"},
	"Square":         {"description", "source"},
	"Stripe balance": {"type", "description"},
	"Stripe payouts": {"description", "method", "destination name"},
	"Mercury":        {"description", "bank description"},
}

func (s *sheet) titled(title string) bool { return slices.Contains(s.header, title) }

func (s *sheet) named(names ...string) (columns []int) {
	for _, name := range names {
		if i := slices.Index(s.header, name); i >= 0 {
			columns = append(columns, i)
		}
	}
	return columns
}

// byContent tells columns by what all of their cells are: a date, an amount, and the longest words.
func (s *sheet) byContent() error {
	width := 0
	for _, r := range s.records {
		width = max(width, len(r.cells))
	}
	amounts, words, longest := []int{}, -1, 0
	for i := range width {
		if s.taken(i) {
			continue
		}
		dates, sums, filled, length := 0, 0, 0, 0
		for _, r := range s.records {
			cell := r.cell(i)
			if cell == "" {
				continue
			}
			filled++
			length += utf8.RuneCountInString(cell)
			if looksLikeDate(cell) {
				dates++
			} else if _, ok, err := parseAmount(cell, endsInComma.MatchString(cell)); ok && err == nil &&
				strings.ContainsAny(cell, ".,") {
				sums++
			}
		}
		switch {
		case filled == 0:
		case dates == filled && !s.has(roleDate):
			s.columns[roleDate] = []int{i}
		case sums == filled:
			amounts = append(amounts, i)
		case length > longest && dates < filled && sums < filled:
			words, longest = i, length
		}
	}
	if !s.has(roleAmount) && !s.has(roleDebit) && len(amounts) == 1 {
		s.columns[roleAmount] = amounts
	}
	if !s.has(roleDescription) && words >= 0 {
		s.columns[roleDescription] = []int{words}
	}
	if !s.has(roleAmount) && !s.has(roleDebit) && len(amounts) > 1 {
		return &Question{"there is no header, and several columns have amounts",
			"--map amount=2 (or debit=2,credit=3), by number"}
	}
	return nil
}
