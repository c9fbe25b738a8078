package bankfile

import (
	"fmt"
	"html"
	"regexp"
	"strings"

	"bizfin/internal/money"
)

// isOFX recognizes both generations, with a header or without.
func isOFX(text string) bool {
	head := strings.ToUpper(text[:min(len(text), 4096)])
	return strings.Contains(head, "<OFX>") || strings.HasPrefix(strings.TrimSpace(head), "OFXHEADER:")
}

// element is a tag with the text up to the next one. The older generation has no end tags behind values, the newer one
// has; read like this they are alike.
var element = regexp.MustCompile(`<(/?)([A-Za-z0-9._]+)\s*/?>([^<]*)`)

// ofxTypes are the account types of the specification in those of the contract.
var ofxTypes = map[string]string{"CHECKING": "depository", "SAVINGS": "depository", "MONEYMRKT": "depository",
	"CD": "depository", "CREDITLINE": "credit"}

// readOFX takes what it needs and passes over the rest: files of banks keep to the specification loosely, and one tag
// that is missing elsewhere is no reason to refuse the transactions.
func readOFX(text string) (File, error) {
	r := ofxReader{line: 1,
		file: File{Format: "OFX", Guesses: []string{"amounts, days and ids are those of the file"}}}
	read := 0
	for _, at := range element.FindAllStringSubmatchIndex(text, -1) {
		r.line += strings.Count(text[read:at[0]], "\n")
		read = at[0]
		tag := strings.ToUpper(text[at[4]:at[5]])
		if at[2] != at[3] {
			if err := r.end(tag); err != nil {
				return r.file, err
			}
		} else if err := r.begin(tag, strings.TrimSpace(html.UnescapeString(text[at[6]:at[7]]))); err != nil {
			return r.file, err
		}
	}
	if r.row != nil || !strings.HasSuffix(strings.ToUpper(strings.TrimSpace(text)), "</OFX>") {
		return r.file, fmt.Errorf("line %d: %w", r.line, ErrCut)
	}
	if len(r.file.Accounts) == 0 {
		return r.file, ErrNothing
	}
	return r.file, nil
}

// ofxReader is where a file is read: what it is within.
type ofxReader struct {
	file      File
	line      int
	account   *Account
	row       map[string]string // the transaction that is being read; nil outside of one
	inBalance bool
}

// end reads the end tag of an element.
func (r *ofxReader) end(tag string) error {
	switch tag {
	case "STMTTRN", "BANKTRANLIST":
		return r.finish()
	case "LEDGERBAL":
		r.inBalance = false
	}
	return nil
}

// begin reads the tag of an element, with the value behind it.
func (r *ofxReader) begin(tag, value string) error {
	switch {
	case tag == "STMTRS" || tag == "CCSTMTRS" || tag == "INVSTMTRS":
		r.file.Accounts = append(r.file.Accounts, Account{})
		r.account = &r.file.Accounts[len(r.file.Accounts)-1]
		r.account.Type = map[string]string{"CCSTMTRS": "credit", "INVSTMTRS": "investment"}[tag]
	case tag == "STMTTRN":
		if err := r.finish(); err != nil { // the end tag of the one before is missing
			return err
		}
		r.row = map[string]string{}
	case r.row != nil && value != "":
		if _, known := r.row[tag]; !known {
			r.row[tag] = value
		}
	case r.account == nil:
		if tag == "ORG" {
			r.file.Style = value
		}
	case tag == "CURDEF":
		r.account.Currency = strings.ToUpper(value)
	case tag == "ACCTID" && r.account.ID == "":
		r.account.ID = value
	case tag == "ACCTTYPE" && r.account.Type == "":
		r.account.Type = ofxTypes[strings.ToUpper(value)]
	case tag == "LEDGERBAL":
		r.inBalance = true
	case tag == "BALAMT" && r.inBalance:
		if balance, ok, err := ofxAmount(value); err == nil && ok {
			r.account.Balance = &balance
		}
	}
	return nil
}

// finish gives the transaction that was read to its account.
func (r *ofxReader) finish() error {
	if r.row == nil {
		return nil
	}
	if r.account == nil {
		return fmt.Errorf("line %d: a transaction of no account", r.line)
	}
	err := r.account.takeOFX(r.row, r.line)
	r.row = nil
	return err
}

func ofxAmount(value string) (money.Amount, bool, error) {
	return parseAmount(value, endsInComma.MatchString(value) && !strings.Contains(value, "."))
}

func (a *Account) takeOFX(row map[string]string, line int) error {
	amount, ok, err := ofxAmount(row["TRNAMT"])
	if err != nil || !ok {
		return fmt.Errorf("line %d: %q is no amount with at most two decimals", line, row["TRNAMT"])
	}
	posted := row["DTPOSTED"]
	day, err := parseDay(posted[:min(len(posted), 8)], "")
	if err != nil {
		return fmt.Errorf("line %d: %w", line, err)
	}
	check := row["CHECKNUM"]
	if check != "" {
		check = "check " + check
	}
	description := oneLine(row["NAME"], row["MEMO"], check)
	if description == "" {
		description = oneLine(row["TRNTYPE"])
	}
	if description == "" {
		description = "(no description)"
	}
	if amount == 0 {
		a.Skipped = append(a.Skipped, Skipped{line, "it has no amount"})
		return nil
	}
	a.Rows = append(a.Rows, Row{ID: row["FITID"], Day: day, Amount: amount, Currency: a.Currency,
		Description: description, Line: line})
	return nil
}
