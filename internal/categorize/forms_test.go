package categorize_test

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// entryForms are how banks write an ACH entry: {name} is the company, {entry} the description of the entry, and
// {debit} and {withdrawal} are the bank's own words, CREDIT and DEPOSIT of money that comes in.
var entryForms = []string{
	"{name} DES:{entry} ID:8837465 INDN:QUILLFEATHER TRADING CO ID:9138864001 CCD",
	"ORIG CO NAME:{name} ORIG ID:1471424432 DESC DATE:250224 CO ENTRY DESCR:{entry} SEC:CCD TRACE#:657420173875983 " +
		"EED:250224 IND ID:247650086 IND NAME:QUILLFEATHER TRADING TRN: 1727782680TC",
	"{name} {entry} 250116 12837465 QUILLFEATHER TRADING",
	"ACH {debit} {name} {entry} 8837465",
	"ELECTRONIC {withdrawal} {name} REF=250160077155460N00 5264681992{entry}",
	"{withdrawal} ACH {name} TYPE: {entry} ID: 1383362880 CO: {name}",
	"{name} {entry} PPD ID: 1383362880",
	"ACH CORP {debit} {entry} {name} CUSTOMER ID 36336395",
	"{name}/{entry} 12837465 QUILLFEATHER TRADING",
	"PREAUTHORIZED {debit} {name} {entry} 250116",
	"ACH {withdrawal} {name} {entry} 951456670",
	"{name}; {entry}",
	"{name} {entry}",
}

// cardForms are how banks write a purchase by card around what the merchant's bank sent.
var cardForms = []string{
	"{name}",
	"PURCHASE AUTHORIZED ON 03/17 {name} S465076712202480 CARD 6638",
	"RECURRING PAYMENT AUTHORIZED ON 03/17 {name} S465076712202480 CARD 6638",
	"DEBIT CARD PURCHASE {name}",
	"CHECKCARD 0317 {name} 24692165076100",
	"POS PURCHASE 06/01 1602 {name} 294988",
	"DBT CRD 1819 06/30/25 18782802 {name} C#8820",
	"Withdrawal Debit Card MC 01/06 {name}",
	"VISA DEBIT PURCHASE 03/23 {name} CARD 4471",
	"Card Purchase 02/24 {name} Card 7714",
	"DEBIT CARD PURCHASE XXXXX6620 {name}",
	"DEBIT CARD PURCHASE 0105 {name} 332466 XXXX5127",
	"POS DEBIT {name}",
	"AplPay {name}",
	"PURCHASE AT {name} ON 012425 FROM CARD#: XXXXXXXXXXXX5518",
	"MERCHANT PAYMENT {name} - 313399 ON 020625 FROM CARD#: XXXXXXXXXXXX5518",
	"POS WITHDRAWAL 00123 {name}",
	"POS WITHDRAWAL {name}",
	"DEBIT POS AP, *****30077791034, AUT 111625 DDA PURCHASE {name}",
	"CARD PURCHASE {name} 37849 8821",
	"POS DEB 1636 10/06/25 92634535 {name} C#8817",
	"Card purchase - {name}",
	"VISA CHECK CARD PURCHASE {name} 03/17",
	"DEBIT PURCHASE -VISA {name}",
	"Point of Sale Withdrawal {name}",
	"Recurring Debit Card {name}",
	"03/17 {name}",
	"Debit Card Transaction {name}",
	"PIN PURCHASE {name}",
	"SIG PURCHASE {name}",
	"Withdrawal POS #0012345 {name}",
}

// read is what is said of a line, as far as it must not depend on the bank.
type read struct {
	category, party string
	asked           bool
}

func readAs(line string, amount money.Amount) read {
	d := categorize.New().Decide(categorize.Line{Description: line, Amount: amount,
		Business: categorize.BusinessOf("Quillfeather Trading LLC")}, categorize.NewMemory())
	category := ""
	if c, ok := ontology.ScheduleC().ByID(d.CategoryID); ok {
		category = c.Path
	}
	return read{category, d.Counterparty.Name, d.Ask}
}

// An entry and a purchase are the same at every bank: in each form a row of testdata/forms.csv is decided as in the
// first.
func TestALineReadsTheSameInTheFormOfEveryBank(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/forms.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%d rows, %v", len(rows), err)
	}
	for _, row := range rows[1:] {
		name, entry := row[0], row[1]
		forms, amount, debit, withdrawal := entryForms, money.Amount(-480_50), "DEBIT", "WITHDRAWAL"
		if entry == "" {
			forms = cardForms
		}
		if row[2] == "in" {
			amount, debit, withdrawal = -amount, "CREDIT", "DEPOSIT"
		}
		words := strings.NewReplacer("{name}", name, "{entry}", entry, "{debit}", debit, "{withdrawal}", withdrawal)
		first := words.Replace(forms[0])
		want := readAs(first, amount)
		for _, form := range forms[1:] {
			if line := words.Replace(form); readAs(line, amount) != want {
				t.Errorf("%s\n\tis %v, want %v as %s", line, readAs(line, amount), want, first)
			}
		}
	}
}
