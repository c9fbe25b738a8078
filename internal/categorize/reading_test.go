package categorize_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/internal/categorize"
)

// TestNormalizeTakesBankFormatsApart has one line per format of the banks.
func TestNormalizeTakesBankFormatsApart(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		description string
		want        categorize.Reading
	}{
		"ACH with named fields": {
			"ORIG CO NAME:GUSTO ORIG ID:9138864001 DESC DATE:240315 CO ENTRY DESCR:NET SEC:CCD " +
				"TRACE#:021000021234567 " +
				"EED:240315 IND ID:6SEMJR IND NAME:OAKLINE DESIGN LLC",
			categorize.Reading{Name: "Gusto", Channel: "ach", Descriptor: "NET"},
		},
		"ACH with DES and INDN": {
			"CALDERA ROBOTICS DES:VENDOR PMT ID:INV2041 INDN:OAKLINE DESIGN CO ID:9541719318 CCD",
			categorize.Reading{Name: "Caldera Robotics", Channel: "ach", Descriptor: "VENDOR PMT"},
		},
		"ACH with PPD ID": {
			"MILL STREET PROPERTIES LLC PPD ID: 1112223334",
			categorize.Reading{Name: "Mill Street Properties LLC", Channel: "ach"},
		},
		"incoming wire names the orderer": {
			"FEDWIRE CREDIT VIA: PINE BANK/091100 B/O: NORTHGATE FOODS LLC REF: INV 889",
			categorize.Reading{Name: "Northgate Foods LLC", Channel: "wire", Memo: "INV 889"},
		},
		"outgoing wire names the beneficiary": {
			"WIRE TYPE:WIRE OUT DATE:240318 TIME:0915 ET TRN:2024031800456 BNF:QUILLOX PARTS LTD ID:88100 BNF " +
				"BK:PINE BANK",
			categorize.Reading{Name: "Quillox Parts LTD", Channel: "wire"},
		},
		"card purchase with date, trace and card number": {
			"PURCHASE AUTHORIZED ON 03/12 COPPER SPOON 2210 EUGENE OR S304071660448123 CARD 4471",
			categorize.Reading{Name: "Copper Spoon", Channel: "card", City: "Eugene", State: "OR"},
		},
		"CHECKCARD with its number": {
			"CHECKCARD 0312 COPPER SPOON EUGENE OR 24692164072100112233445",
			categorize.Reading{Name: "Copper Spoon", Channel: "card", City: "Eugene", State: "OR"},
		},
		"two-word city": {
			"COPPER SPOON SAN DIEGO CA",
			categorize.Reading{Name: "Copper Spoon", City: "San Diego", State: "CA"},
		},
		"POS purchase with store number": {
			"POS PURCHASE COPPER SPOON #601104 PORTLAND OR",
			categorize.Reading{Name: "Copper Spoon", Channel: "card", City: "Portland", State: "OR"},
		},
		"stars and letters behind the name": {
			"TRICARE WEST     PREMIUM    ***********CNXR",
			categorize.Reading{Name: "Tricare West Premium"},
		},
		"payout by Stripe under a platform's name": {
			"SPECTORA         TRANSFER   ***********ST-EYGC",
			categorize.Reading{Name: "Spectora"},
		},
		"a couple": {
			"ZELLE CR - MATT AND ERIN QUORVANE",
			categorize.Reading{Name: "Matt And Erin Quorvane", Channel: "p2p", Person: "Matt And Erin Quorvane"},
		},
		"Zelle by its id": {
			"SENT ZELLE PMT ID ZEL714112408 TO JOHN QUORVANE",
			categorize.Reading{Name: "John Quorvane", Channel: "p2p", Person: "John Quorvane"},
		},
		"check by a bank without branches": {
			"Check payment initiated on Mercury; Quillox Parts",
			categorize.Reading{Name: "Quillox Parts", Channel: "bill"},
		},
		"wire by a bank without branches": {
			"Wire transfer initiated on Mercury; Quillox Parts",
			categorize.Reading{Name: "Quillox Parts", Channel: "wire"},
		},
		"transfer by a bank without branches": {
			"Transfer initiated on Mercury; Quillox Parts",
			categorize.Reading{Name: "Quillox Parts", Channel: "transfer"},
		},
		"parts between bars": {
			"Sent ACH | Quillox Parts | office rent",
			categorize.Reading{Name: "Quillox Parts", Channel: "ach"},
		},
		"a day without a stroke behind a person": {
			"ZELLE FROM OWEN QUORVANE ON 0117 PP06P703VQ",
			categorize.Reading{Name: "Owen Quorvane", Channel: "p2p", Person: "Owen Quorvane"},
		},
		"processor's code before the name": {
			"SQ *LITTLE HERON EUGENE OR",
			categorize.Reading{Name: "Little Heron", Channel: "card", Processor: "Square", City: "Eugene", State: "OR"},
		},
		"words glued together": {
			"ACH Electronic CreditKALTMAN 882211",
			categorize.Reading{Name: "Kaltman", Channel: "ach"},
		},
		"a brand with two capitals is one word": {
			"CopperSpoon 2210 EUGENE OR",
			categorize.Reading{Name: "Copperspoon", City: "Eugene", State: "OR"},
		},
		"CO behind a business word is a company": {
			"POS PURCHASE EUGENE PLUMBING CO",
			categorize.Reading{Name: "Eugene Plumbing Co", Channel: "card"},
		},
		"debit card with authorization": {
			"DEBIT CARD PAYMENT, AUT 071424 VISA DDA PUR COPPER SPOON 00112 BOSTON MA",
			categorize.Reading{Name: "Copper Spoon", Channel: "card", City: "Boston", State: "MA"},
		},
		"a name behind a confirmation number": {
			"Zelle Transfer Conf# 8K2X9; MARIA LOPEZ",
			categorize.Reading{Name: "Maria Lopez", Channel: "p2p", Person: "Maria Lopez"},
		},
		"two codes before the name": {
			"INT*IN *TRELLIS CORP.",
			categorize.Reading{Name: "Trellis Corp", Channel: "card", Processor: "Intuit"},
		},
		"unknown code before the name": {
			"QZX*TRELLIS CORP",
			categorize.Reading{Name: "Trellis Corp"},
		},
		"wallet before the merchant": {
			"PAYPAL *LARCHWOOD 402-935-7733 CA",
			categorize.Reading{Name: "Larchwood", Processor: "PayPal", State: "CA"},
		},
		"host name": {
			"TRELLIS.COM MOUNTAIN VIEW CA",
			categorize.Reading{Name: "Trellis.Com", City: "Mountain View", State: "CA"},
		},
		"payment app to a person, with a note": {
			`Zelle payment to Dana Whitford for "Sept lessons" Conf# x8k2`,
			categorize.Reading{Name: "Dana Whitford", Channel: "p2p", Person: "Dana Whitford", Memo: "SEPT LESSONS"},
		},
		"payment app from a person, with a note behind a dash": {
			"Deposit Zelle Willa Krantz - cupping + herbs 1/17",
			categorize.Reading{Name: "Willa Krantz", Channel: "p2p", Person: "Willa Krantz"},
		},
		"a bank's own words, joined by a stroke": {
			"ELECTRONIC/ACH DEBIT ATT PAYMENT 9GTYE08N7U20Q9",
			categorize.Reading{Name: "Att", Channel: "ach"},
		},
		"payment app to a firm is no person": {
			"ZELLE PAYMENT TO GARDNER PLUMBING LLC JPM9912",
			categorize.Reading{Name: "Gardner Plumbing LLC", Channel: "p2p"},
		},
		"a given name on a card line is no person": {
			"JAMES MARTIN EUGENE OR",
			categorize.Reading{Name: "James Martin", City: "Eugene", State: "OR"},
		},
		"check": {
			"CHECK # 2044", categorize.Reading{Channel: "check", CheckNumber: "2044"},
		},
		"cash machine": {
			"ATM WITHDRAWAL 003391", categorize.Reading{Channel: "atm"},
		},
		"masked digits": {
			"ONLINE TRANSFER TO CHK XXXX8812", categorize.Reading{Name: "CHK", Channel: "transfer"},
		},
		"accents and punctuation": {
			"Café  Mañana—O’Brien's", categorize.Reading{Name: "Cafe Manana Obriens"},
		},
		"nothing": {"", categorize.Reading{}},
		"numbers": {"000123 4471", categorize.Reading{}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, categorize.Normalize(tt.description)); diff != "" {
				t.Errorf("Normalize(%q) (-want +got):\n%s", tt.description, diff)
			}
		})
	}
}
