package bankfile

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"bizfin/internal/money"
)

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

// Roles are the names that Options.Columns takes.
var Roles = []string{roleDate, roleDescription, roleAmount, roleDebit, roleCredit, roleFee, roleNet, roleCurrency,
	roleID,
	roleStatus, roleDirection, roleBalance}

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

// style is how one kind of file differs from what its columns say. All its columns must be there.
type style struct {
	name    string
	columns []string
	charges string // positive where the file has money that leaves as positive amounts
	kind    string // of account
	noID    bool   // its id column is none of single rows
}

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

func readCSV(text string, o Options) (File, error) {
	records, separator, err := split(text)
	if err != nil {
		return File{Format: "CSV"}, err
	}
	s := &sheet{Options: o, columns: map[string][]int{}, separator: separator}
	if err := s.findHeader(records); err != nil {
		return File{Format: "CSV"}, err
	}
	if err := s.checkWidths(); err != nil {
		return File{Format: "CSV"}, err
	}
	if err := s.findColumns(); err != nil {
		return File{Format: "CSV"}, err
	}
	account, err := s.rows()
	f := File{Format: "CSV", Style: s.name, Guesses: s.guesses, Accounts: []Account{account}}
	return f, err
}

// split reads the lines with the separator that most of them have.
func split(text string) (records []record, separator rune, err error) {
	separator, most := ',', 0
	for _, candidate := range ",;\t|" {
		if n := strings.Count(text, string(candidate)); n > most {
			separator, most = candidate, n
		}
	}
	if n := strings.Count(text, ";"); separator == ',' && n > 0 { // commas may be those of decimals
		lines := strings.Count(text, "\n")
		if n >= 2*lines {
			separator = ';'
		}
	}
	records, err = recordsOf(text, separator)
	return records, separator, err
}

// recordsOf reads one record of each line. Banks write no line breaks in a field: a record of several lines is a quote
// that was not closed, and has swallowed the rows below it.
func recordsOf(text string, separator rune) ([]record, error) {
	const end = "\nend" // a line of our own, which an open quote in the last line swallows
	text += end
	reader := csv.NewReader(strings.NewReader(text))
	reader.Comma, reader.LazyQuotes, reader.FieldsPerRecord, reader.TrimLeadingSpace = separator, true, -1,
		separator != '\t'
	var records []record
	for read := 0; ; {
		cells, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return records[:max(0, len(records)-1)], nil
		}
		if err != nil {
			return nil, fmt.Errorf("the file is no CSV: %w", err)
		}
		line, _ := reader.FieldPos(0)
		to := int(reader.InputOffset())
		if strings.Contains(strings.Trim(text[read:to], "\n"), "\n") {
			return nil, fmt.Errorf("line %d: a quote is opened and not closed in its line\n"+
				"  Close it, or write the field on one line", line)
		}
		read = to
		if slices.ContainsFunc(cells, func(c string) bool { return strings.TrimSpace(c) != "" }) {
			records = append(records, record{cells, line})
		}
	}
}

// checkWidths refuses a line with more fields than the header: a comma without quotes moved the ones behind it, and an
// amount would be read from the wrong place. Empty fields at the end are habits of banks.
func (s *sheet) checkWidths() error {
	width, than := len(s.header), "the header"
	if width == 0 {
		width, than = usualWidth(s.records), "most lines"
	}
	usual := max(width, usualWidth(s.records)) // with the empty fields that all lines end in
	for _, r := range s.records {
		filled := len(r.cells)
		for filled > 0 && strings.TrimSpace(r.cells[filled-1]) == "" {
			filled--
		}
		if filled > width || len(r.cells) > usual {
			return fmt.Errorf("line %d has %d fields, %s %d: which is the amount cannot be told\n"+
				"  Put the field that has a %q in quotes", r.line, len(r.cells), than, usual, string(s.separator))
		}
	}
	return nil
}

// usualWidth is the number of fields that most lines have, the smaller one of two as frequent.
func usualWidth(records []record) (width int) {
	times := map[int]int{}
	for _, r := range records {
		times[len(r.cells)]++
	}
	for n, lines := range times {
		if lines > times[width] || lines == times[width] && n < width {
			width = n
		}
	}
	return width
}

func titleOf(cell string) string { return strings.ToLower(strings.Join(strings.Fields(cell), " ")) }

// findHeader looks for the line that names a date and an amount. Lines above it are a summary. A file may have none,
// where its first line has a date and an amount already.
func (s *sheet) findHeader(records []record) error {
	const deepest = 40
	for i, r := range records[:min(len(records), deepest)] {
		names := make([]string, len(r.cells))
		for j, cell := range r.cells {
			names[j] = titleOf(cell)
		}
		has := func(role string) bool {
			return slices.ContainsFunc(titles[role], func(t string) bool { return slices.Contains(names, t) })
		}
		asked := s.HeaderLine > 0 && r.line == s.HeaderLine
		if asked || s.HeaderLine == 0 && has(roleDate) && (has(roleAmount) || has(roleDebit) && has(roleCredit)) {
			s.header, s.records = names, records[i+1:]
			if i > 0 {
				s.guess("lines 1 to %d are a summary above the header", r.line-1)
			}
			return nil
		}
	}
	if s.HeaderLine > 0 {
		return fmt.Errorf("line %d, which --header names, is not in the file", s.HeaderLine)
	}
	s.records = records
	s.guess("the file has no header")
	return nil
}

func (s *sheet) guess(format string, args ...any) {
	s.guesses = append(s.guesses, fmt.Sprintf(format, args...))
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

func (s *sheet) has(role string) bool { return len(s.columns[role]) > 0 }

func (s *sheet) at(r record, role string) string {
	if !s.has(role) {
		return ""
	}
	return r.cell(s.columns[role][0])
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

func (s *sheet) titled(title string) bool { return slices.Contains(s.header, title) }

func (s *sheet) named(names ...string) (columns []int) {
	for _, name := range names {
		if i := slices.Index(s.header, name); i >= 0 {
			columns = append(columns, i)
		}
	}
	return columns
}

func (s *sheet) taken(i int) bool {
	for _, columns := range s.columns {
		if slices.Contains(columns, i) {
			return true
		}
	}
	return false
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
