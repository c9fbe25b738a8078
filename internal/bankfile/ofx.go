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
	f := File{Format: "OFX", Guesses: []string{"amounts, days and ids are those of the file"}}
	var account *Account
	var row map[string]string // the transaction that is being read
	line, read := 1, 0
	inBalance := false
	finish := func() error {
		if row == nil {
			return nil
		}
		if account == nil {
			return fmt.Errorf("line %d: a transaction of no account", line)
		}
		err := account.takeOFX(row, line)
		row = nil
		return err
	}
	for _, at := range element.FindAllStringSubmatchIndex(text, -1) {
		line += strings.Count(text[read:at[0]], "\n")
		read = at[0]
		ends, tag := at[2] != at[3], strings.ToUpper(text[at[4]:at[5]])
		value := strings.TrimSpace(html.UnescapeString(text[at[6]:at[7]]))
		switch {
		case ends && (tag == "STMTTRN" || tag == "BANKTRANLIST"):
			if err := finish(); err != nil {
				return f, err
			}
		case ends && tag == "LEDGERBAL":
			inBalance = false
		case ends:
		case tag == "STMTRS" || tag == "CCSTMTRS" || tag == "INVSTMTRS":
			f.Accounts = append(f.Accounts, Account{})
			account = &f.Accounts[len(f.Accounts)-1]
			account.Type = map[string]string{"CCSTMTRS": "credit", "INVSTMTRS": "investment"}[tag]
		case tag == "STMTTRN":
			if err := finish(); err != nil { // the end tag of the one before is missing
				return f, err
			}
			row = map[string]string{}
		case row != nil && value != "":
			if _, known := row[tag]; !known {
				row[tag] = value
			}
		case account == nil:
			if tag == "ORG" {
				f.Style = value
			}
		case tag == "CURDEF":
			account.Currency = strings.ToUpper(value)
		case tag == "ACCTID" && account.ID == "":
			account.ID = value
		case tag == "ACCTTYPE" && account.Type == "":
			account.Type = ofxTypes[strings.ToUpper(value)]
		case tag == "LEDGERBAL":
			inBalance = true
		case tag == "BALAMT" && inBalance:
			if balance, ok, err := ofxAmount(value); err == nil && ok {
				account.Balance = &balance
			}
		}
	}
	if row != nil || !strings.HasSuffix(strings.ToUpper(strings.TrimSpace(text)), "</OFX>") {
		return f, fmt.Errorf("line %d: %w", line, ErrCut)
	}
	if len(f.Accounts) == 0 {
		return f, ErrNothing
	}
	return f, nil
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
