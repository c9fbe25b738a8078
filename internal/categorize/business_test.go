package categorize_test

import (
	"testing"

	"bizfin/internal/categorize"
	"bizfin/internal/ontology"
)

// The name of the business itself, which banks write behind whom it pays, is no part of that name and shows nothing.
func TestTheReceiversNameIsNoPartOfAnothers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ business, line, name string }{
		{"Kettle & Clipper Barbershop LLC (a sole member)",
			"ACH CORP DEBIT PAYMENT ALSCO INC KETTLE AND CLIPPER BAR CUSTOMER ID LRAL2214", "Alsco"},
		{"Kettle & Clipper Barbershop LLC",
			"ACH CORP DEBIT PAYMENT ALSCO INC KETTLE & CLIPPER CUSTOMER ID LRAL2214", "Alsco"},
		{"Quorvane Supply LLC", "BLANTVIK HOLDINGS QUORVANE SUPPLY LLC", "Blantvik Holdings"},
		{"Quorvane Supply LLC", "BLANTVIK HOLDINGS QUORVANE SUPP 48821", "Blantvik Holdings"},
		// Behind a number it is nobody whom an app pays, whole or with the form of the firm broken off.
		{"Quorvane Trading LLC", "VENMO PAYMENT 250116 12837465 QUORVANE TRADING", ""},
		{"Quorvane Trading LLC", "VENMO PAYMENT 250116 12837465 QUORVANE TRADING LL 4417 WEB", ""},
		{"Quorvane Trading LLC", "ACH CORP DEBIT PAYMENT VENMO QUORVANE TRADING CUSTOMER ID 1029384756", ""},
		{"Quorvane Exteriors LLC", "BLANTVIK HOLDINGS QUORVANE EXTERIO NTNRJM", "Blantvik Holdings"},
		// What Mercury writes on what it sends is whose account it is.
		{"Quorvane Exhibits LLC", "Dequan Mabry; From Quorvane Exhibits LLC via mercury.com", "Dequan Mabry"},
		{"Quorvane Exhibits LLC", "Blantvik Holdings; From Q Exhibits via mercury.com; SO 44018", "Blantvik Holdings"},
		// Somebody else who is called so, a part of another name, and who begins with it.
		{"Durham Plumbing", "CITY OF DURHAM PLUMBING PERMITS", "City Of Durham Plumbing Permits"},
		{"Blantvik Holdings", "BLANTVIK HOLDINGS", "Blantvik Holdings"},
		{"Lo Co", "GRUNDY LO", "Grundy Lo"},
		{"Halvorsen Coaching LLC", "Sent to Erik Halvorsen", "Erik Halvorsen"},
		{"Quorvane Exteriors LLC", "QUORVANE EXTERIOR SUPPLY", "Quorvane Exterior Supply"},
		{"", "BLANTVIK HOLDINGS QUORVANE SUPPLY", "Blantvik Holdings Quorvane Supply"},
	} {
		line := categorize.Line{Description: test.line, Amount: -48000, Business: categorize.BusinessOf(test.business)}
		if d := categorize.New().Decide(line, categorize.NewMemory()); d.Counterparty.Name != test.name {
			t.Errorf("%s, of %s: with %q, want %q", test.line, test.business, d.Counterparty.Name, test.name)
		}
	}
}

// Money that Mercury sends to others is no move between own accounts, since it writes its own name on it.
func TestWhatMercurySendsIsNoTransfer(t *testing.T) {
	t.Parallel()
	for line, transfer := range map[string]bool{
		"Dequan Mabry; From Quorvane Exhibits LLC via mercury.com":          false,
		"Quorvane Exhibits LLC; From Quorvane Exhibits LLC via mercury.com": true,
		"Mercury Checking Quorvane Exhibits LLC":                            true,
	} {
		d := categorize.New().Decide(categorize.Line{Description: line, Amount: -48000,
			Business: categorize.BusinessOf("Quorvane Exhibits LLC")}, categorize.NewMemory())
		if c, _ := ontology.ScheduleC().ByID(d.CategoryID); (c != nil && c.Is("transfer")) != transfer {
			t.Errorf("%q is %v", line, c)
		}
	}
}

// What banks write beside a name, such as the day of a purchase, is no part of it: each would be another counterparty.
func TestNamesAreWithoutTheWordsOfBanks(t *testing.T) {
	t.Parallel()
	for line, name := range map[string]string{
		"DEBIT CARD PURCHASE BELLA FURNITURE & MIRR 09-29 GREENSBORO NC 4417":             "Bella Furniture & Mirr",
		"DEBIT CARD RECURRING PYMT QUORVANE INC/US 01-26 800-216-5232 UT 4417":            "Quorvane INC",
		"AplPay TST* KAU KAU SACRAMENTO          CA":                                      "Kau Kau",
		"International wire to CONG TY TNHH TRE; VIETCOMBANK; FW19082941192":              "Cong Ty Tnhh Tre",
		"RETURNED ACH CREDIT ORIG CO NAME:PRAIRIE FEN BREW RETURN REASON:R01 0156126782":  "Prairie Fen Brew",
		"ACH CORP CREDIT SQ251219 QUORVANE INC":                                           "Quorvane INC",
		"CENTRAL MILLING AR DRAFT 250814 136361047":                                       "Central Milling",
		"DEBIT CARD PURCHASE 01-19-25 SALEM VA 3307 CITY ELECTRIC SUP 418":                "City Electric Sup",
		"Withdrawal ACH MESQUITE SIGNING TYPE: VENDOR PAY ID: 1383362880 CO: MESQUITE":    "Mesquite Signing",
		"ACH CORP DEBIT VENDOR PMT STONEGATE HOMES 00259039":                              "Stonegate Homes",
		`Payment to Beau Castille: "van driver"`:                                          "Beau Castille",
		"ZELLE BUSINESS PAYMENT TO ANGELA SINK DEPOSIT":                                   "Angela Sink",
		"Standard transfer to U.S. BANK *3306":                                            "U.S. Bank",
		"Sales - Apr 01 (instant)":                                                        "",
		"Debit Purchase - VISA On 062625 REDMOND OR NORTH END LAUNDRY REF # 241113027481": "North End Laundry",
		"Debit Purchase SAFEWAY #1592 On 021025 REDMOND OR REF 10527386":                  "Safeway",
		"DBT CRD 08:54 01/26/25 87588000 KARRIE SIGNWORKS ELKADER IA C# 6620":             "Karrie Signworks",
		"DEBIT POS AP, *****30077791034, AUT 111625 DDA PURCHASE COPPERTON HALL 82 ME":    "Copperton Hall",
		"ZELLE PAYMENT FROM WREN HALLORAN BACLUHDZYNUT":                                   "Wren Halloran",
		"ZELLE PAYMENT TO HORTENSE BACIGALUPI":                                            "Hortense Bacigalupi",
		"Withdrawal Wire Transfer QUORVANE DISTRIBUTION LLC":                              "Quorvane Distribution LLC",
		"BILL PAY QUORVANE EXHIBITS ON-LINE XXXXXX0942 ON 08-28":                          "Quorvane Exhibits",
		"POS RETURN TERMINAL 01257673 QUORVANE PAINT #6542 SAN ANTONIO TX":                "Quorvane Paint",
		"ELECTRONIC DEPOSIT-CCD AHD QUORVANE PLLC BILL":                                   "Ahd Quorvane PLLC",
		"Payment from Wren Halloran - lessons":                                            "Wren Halloran",
		"TD ZELLE SENT 51990Q8R4 ZELLE WREN HALLORAN":                                     "Wren Halloran",
		"DOMESTIC WIRE OUT 20251022B1Q8021C004417 QUORVANE DEALER":                        "Quorvane Dealer",
		"CCD DEPOSIT, QUORVANE COOP PAYABLES V08736":                                      "Quorvane Coop Payables",
		"eTransfer Debit, Online Xfer Transfer to FIRST NATL ***0958":                     "First Natl",
		"WT FED#08821 TRUIST BANK /FTR/BNF=QUORVANE INDUSTRIES SRF# OW6202118 RFB#":       "Quorvane Industries",
		"Withdrawal Debit Card MC 01/06 WALGREENS #5303 GRAND RAPIDS MI":                  "Walgreens",
		"Withdrawal ACH ZELLE TYPE: TO HALLORAN W ID: 1ZEL0225 CO: ZELLE":                 "Halloran W",
		"ZELLE DEBIT PAY TO WREN HALLORAN":                                                "Wren Halloran",
		"ACH debit to QUORVANE LINEN":                                                     "Quorvane Linen",
		"Sent to WREN HALLORAN - order 2291":                                              "Wren Halloran",
		"Send Money to Quorvane Audio; 4x line arrays":                                    "Quorvane Audio",
		"SHEFFIELD FINANC WEB PAY 250117 1012227951":                                      "Sheffield Financial",
		"Card transaction of 61.40 USD issued by Quorvane Inn Hub LONDON":                 "Quorvane Inn Hub London",
		"Sent money to WREN HALLORAN with reference INV 12":                               "Wren Halloran",
		"OUTGOING FOREIGN WIRE 250121I448642 QUORVANE SRL IMPERIA IT EUR 11,400.00":       "Quorvane SRL",
		"OUTGOING FOREIGN WIRE 250121I448642 QUORVANE MILLS EUR 11,400.00 @ 1.0412":       "Quorvane Mills",
		"PAYPAL INST XFER PPD ID: 1383362880":                                             "PayPal",
		"PAYPAL INST XFER 260317 BLANTVIK":                                                "Blantvik",
		"RECURRING DEBIT CARD MC BLANTVIK PAPERIE PORTLAND OR":                            "Blantvik Paperie",
		"ACH CORP DEBIT AP PAYMENT BLANTVIK ALLIANCE CUSTOMER ID 4471":                    "Blantvik Alliance",
		"CITIZENS ZELLE DR WREN HALLORAN":                                                 "Wren Halloran",
		"ACH transfer to WREN QUORVANE":                                                   "Wren Quorvane",
		"ORIG CO NAME:PAYPAL CO ENTRY DESCR:INST XFER SEC:WEB IND ID:BLANTVIK IND NAME:W": "Blantvik",
		"Zelle Debit PAY ID:JPMpaQVLS389 ORG ID:JPM NAME:WREN HALLORAN":                   "Wren Halloran",
		"ZELLE DEBIT PAY ID:FTBoj712he98 ORG ID:HNB NAME:WREN HALLORAN":                   "Wren Halloran",
		"Zelle Debit PAY ID:CTIjHkLmNoPq ORG ID:BAC NAME:QUORVANE EDGE":                   "Quorvane Edge",
		"INTERNATIONAL WIRE TRANSFER BEN:/185702878686 QUORVANE CO LTD":                   "Quorvane Co LTD",
		"ONLINE TRANSFER REF #IB001JU82Z TO BUSINESS CARD XXXX9051":                       "",
		"Debit PIN Purchase COSTCO WHSE #0321 PORT CHESTER NYUS76243":                     "Costco",
		"RETURN LOWE'S 1656 BUTLER PA":                                                    "Lowe's",
		"CASH DEPOSIT PROCESSING FEE":                                                     "",
		"CASHED/DEPOSITED ITEM RETN UNPAID FEE":                                           "",
		"DEPOSITED ITEM RETN UNPAID - PAPER 250812":                                       "",
	} {
		if d := decide(t, line, -48000, categorize.NewMemory()); d.Counterparty.Name != name {
			t.Errorf("%s: with %q, want %q", line, d.Counterparty.Name, name)
		}
	}
}

// A shop that sells to families is a supplier of the business whose calling its name shares, and of no other.
func TestAShopOfTheBusinesssOwnCallingIsASupplier(t *testing.T) {
	t.Parallel()
	const supplies, living = "expense.supplies", "personal.living"
	for _, test := range []struct{ business, line, category string }{
		{"Quorvane Hair (a sole member)", "BLANTVIK BEAUTY DIST BLAINE MN", supplies},
		{"Quorvane Bookkeeping", "BLANTVIK BEAUTY DIST BLAINE MN", living},
		{"Quorvane Kennels LLC", "BLANTVIK PET DEPOT OMAHA NE", supplies},
		{"Quorvane Yoga", "BLANTVIK VETERINARY HOSP OMAHA NE", living},
		{"Quorvane Yoga", "POS PURCHASE WALMART 2204 OMAHA NE", living},
	} {
		line := categorize.Line{Description: test.line, Amount: -48000, Business: categorize.BusinessOf(test.business)}
		d := categorize.New().Decide(line, categorize.NewMemory())
		c, _ := ontology.ScheduleC().ByID(d.CategoryID)
		if c == nil || c.Path != test.category || d.Silent() {
			t.Errorf("%s, of %s: %v, asked about %v, want %s to be asked about", test.line, test.business, c,
				!d.Silent(), test.category)
		}
	}
}

// Each bank shortens words its own way, and what is written with one spelling is found with the others.
func TestWordsAreReadInEverySpellingOfTheBanks(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct{ channel, name, category string }{
		"INTERNET TRF TO SAVINGS 6034":            {"transfer", "", "transfer.internal"},
		"PHONE XFR FRM CHKG 6034":                 {"transfer", "", "transfer.internal"},
		"MOBILE BANKING TRNSFR TO SVGS 6034":      {"transfer", "", "transfer.internal"},
		"5/3 ONLINE ZELLE TO YOLANDA QUORVANE":    {"p2p", "Yolanda Quorvane", "uncategorized.out"},
		"ZELLE DEBIT SENT TO YOLANDA QUORVANE":    {"p2p", "Yolanda Quorvane", "uncategorized.out"},
		"WEB PYMT TO CR CARD XXXX9924":            {"bill", "", "transfer.credit_card_payment"},
		"GEICO DES:PREM COLL ID:518273645":        {"ach", "GEICO", "expense.car_truck.insurance"},
		"Mobile scheduled pymt to Quorvane Legal": {"bill", "Quorvane Legal", "expense.legal_professional.legal"},
	} {
		d := categorize.New().Decide(categorize.Line{Description: line, Amount: -48000}, categorize.NewMemory())
		c, _ := ontology.ScheduleC().ByID(d.CategoryID)
		if c == nil || d.Channel != want.channel || d.Counterparty.Name != want.name || c.Path != want.category {
			t.Errorf("%s: %s with %q, %v, want %v", line, d.Channel, d.Counterparty.Name, c, want)
		}
	}
}
