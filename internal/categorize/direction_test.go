package categorize_test

import (
	"testing"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
)

// What a line is follows from its form and direction, and not from the first name in it.
func TestFormAndDirectionDecide(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cents       money.Amount
		description string
		category    string
		asked       bool
	}{
		// What a provider of software takes for pay and taxes is no software.
		{-1_880_20, "INTUIT 40127731 PAYROLL QUORVANE LAWN CO", "expense.wages.net_pay", false},
		{-640_11, "INTUIT 40127731 TAX QUORVANE LAWN CO", "expense.taxes_licenses.payroll", false},
		{-55_00, "INTUIT *QBOOKS ONLINE CL.INTUIT.COM CA", "expense.other.software", false},
		// A processor that takes money back gives customers theirs.
		{-88_00, "STRIPE | TRANSFER | ST-Q4M9ZZ", "revenue.returns.refunds", true},
		{120_93, "TRANSFER SHOPIFY QUILLFEATHER CUSTOMER ID ST-LS20T4", "revenue.sales.processor_payouts", false},
		{-74_50, "ELECTRONIC WITHDRAWAL VAGARO INC REF=2519201883697090N00 9462815531VAGARO PAY",
			"revenue.returns.refunds", true},
		{-20_00, "ELECTRONIC WITHDRAWAL VAGARO INC REF=2528807863134240N00 9462815531VGR FEE",
			"expense.commissions_fees.payment_processing", false},
		// A move from an account at another bank is no sale.
		{1_000_00, "ACH Deposit Quorvane Bank *6620 Transfer", "transfer.internal", true},
		{1_000_00, "QUORVANE FCU TRANSFER 1188", "transfer.internal", true},
		{-500_00, "BLUEVINE        EXT TRNSFR QUORVANE HAULING ID:BV118822 CCD", "transfer.internal", true},
		{2_500_00, "USAA FUNDS TRANS EXTERNAL ORLA QUIMBY ID:0746640524 PPD", "transfer.internal", true},
		// A shop's charge account is paid off: its purchases stand elsewhere.
		{-1_204_19, "HOME DEPOT COMML  ONLINE PMT 118845512", "transfer.credit_card_payment", true},
		{-1_204_19, "QUORVANE HARDWARE COMML ONLINE PMT 77120041", "transfer.credit_card_payment", true},
		// Words glued to their neighbours are words.
		{-412_50, "ORIG CO NAME:QUORVANE PAY ORIG ID:9215986202 DESC DATE:250618 CO ENTRY DESCR:CHARGEBACKSEC:CCD",
			"revenue.returns.chargebacks", false},
		{-3_350_00, "ELECTRONIC WITHDRAWAL QUORVANE PROPS REF=2500104792206630N00 1411902283RENT",
			"expense.rent.property", false},
		// A purchase by card at a marketplace is none of its fees.
		{-36_10, "AMAZON MKTPLACE PMTS AMZN.COM/BILL WA", "expense.office.supplies", true},
		// The owner's health insurance is the owner's.
		{-481_00, "QUORVANE BLUE CROSS PREMIUM ORLA QUIMBY ID:109508756 PPD", "personal.health_insurance", true},
		// Premiums say what they insure.
		{-275_00, "QVMI WC PREMIUM 9552549", "expense.insurance.workers_comp", false},
		{-671_00, "DOUBLE Q FUEL & DELI 5541 BALD KNOB AR", "expense.car_truck.fuel", false},
		{-819_00, "QUORVANE LUMBER & SUPPLY NEW ALBANY IN", "expense.supplies.materials", false},
	} {
		d := decide(t, c.description, c.cents, categorize.NewMemory())
		if got := pathOf(t, d.CategoryID); got != c.category || d.Silent() == c.asked {
			t.Errorf("%d %q: %s, asked %v by %s; want %s, %v", c.cents, c.description, got, !d.Silent(), d.Class,
				c.category, c.asked)
		}
	}
}

// Words of a bank for what it moves are nobody, and a name that its format cut is whose it was.
func TestWordsOfABankAreNoCounterparty(t *testing.T) {
	t.Parallel()
	for description, want := range map[string]string{
		"WIRE TRANSFER OUT QUORVANE CATTLE":                                           "quorvane cattle",
		"Fee for Express Checkout Payment":                                            "",
		"General Withdrawal - Bank Account":                                           "",
		"Loan Payment":                                                                "",
		"RECURRING DEBIT PURCHASE -VISA ON 121125 QUORVANE FIBER AUSTIN TX":           "quorvane fiber",
		"PURCHASE AT QUORVANE TOPS LLC, NEW ALBANY IN ON 121825 FROM CARD#: XXXX6182": "quorvane tops",
		"COVERED CALIFORN PREMIUM QUIMBY 118":                                         "covered california",
		"Orla Quimby | Send Money transaction initiated on Mercury":                   "orla quimby",
	} {
		if got := decide(t, description, -120_00, categorize.NewMemory()).Counterparty.Key; got != want {
			t.Errorf("%q is with %q, want %q", description, got, want)
		}
	}
}
