package categorize_test

import (
	"testing"

	"bizfin/internal/categorize"
)

func TestAnAccountOfOthersMoneyIsKnownByItsName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"PNC IOLTA ...6240":                 true,
		"Checking (owners' trust)":          true,
		"Client Trust 4471":                 true,
		"Trust account":                     true,
		"Rental Trust ...0092":              true,
		"Tenants’ deposits":                 true,
		"Security Deposits (KY)":            true,
		"Owner funds":                       true,
		"Escrow":                            true,
		"Tax escrow savings":                false,
		"Northern Trust Checking":           false,
		"First Bank & Trust Operating 1182": false,
		"Hadley Family Trust account":       false,
		"COLTAF Account":                    true,
		"IOLA 4471":                         true,
		"Property Mgmt Trust":               true,
		"Sec Dep Checking":                  true,
		"Rents held":                        true,
		"Earnest Money":                     true,
		"Client Retainers":                  true,
		"I.O.L.T.A. 0091":                   true,
		"Tenant Deposit Savings 8812":       true,
		"Client Settlement 0091":            true,
		"Trust Checking 4410":               true,
		"Trust":                             true,
		"Customer Deposits":                 true,
		"Northern Trust 4410":               false,
		"Non-IOLTA Operating":               false,
		"Payroll escrow":                    false,
		"Mortgage escrow":                   false,
		"Deposit Account ...1182":           false,
		"Business Checking":                 false,
		"Client Gifts Visa":                 false,
		"Trustmark Checking":                false,
	} {
		if got := categorize.HeldForOthers(name); got != want {
			t.Errorf("%s holds the money of others: %v, want %v", name, got, want)
		}
	}
}

func TestAnAccountAtAServiceIsKnownByItsName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"PayPal":                      "PayPal",
		"My PayPal":                   "PayPal",
		"our business PayPal balance": "PayPal",
		"Ana's Venmo":                 "Venmo",
		"ANA DIAZ'S VENMO":            "Venmo",
		"PayPal Credit":               "",
		"Venmo Credit Card":           "",
		"Square Loan":                 "",
		"Square One Bank":             "",
		"Square Checking":             "Square",
		"Square Savings ...0417":      "Square",
		"Cash App":                    "Cash App",
		"Square One Credit Union":     "",
		"Square One CU Checking":      "",
		"Wise County Savings Bank":    "",
		"Squarespace":                 "",
		"Business Checking":           "",
		"My Shop":                     "",
	} {
		if got := categorize.ServiceOf(name); got != want {
			t.Errorf("%s is at %q, want %q", name, got, want)
		}
	}
}

func TestALineMovesMoneyByTheLastDigitsOfAnAccount(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]bool{
		"TRANSFER TO IOLTA 7704":                     true,
		"Online Xfer from XXXX7704 conf 2877041":     true,
		"TRANSFER TO SAVINGS 1182 CONF 287704":       false,
		"CHECK 7704":                                 false,
		"PURCHASE AUTHORIZED ON 03/17 CARD 7704":     false,
		"BOOK TRANSFER CREDIT FROM ACCT ENDING 7704": true,
	} {
		if got := categorize.MovesBy(line, "7704"); got != want {
			t.Errorf("%s moves money of the account ending in 7704: %v, want %v", line, got, want)
		}
	}
}
