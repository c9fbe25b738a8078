package decide_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"bizfin/internal/books"
	"bizfin/internal/categorize"
	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// suggested is what is suggested of a line of a business, on a day, which does not stand.
func suggested(t *testing.T, memory questions.Memory, cents money.Amount, line, on string) string {
	t.Helper()
	at, err := time.Parse(time.DateOnly, on)
	if err != nil {
		t.Fatal(err)
	}
	r := row(cents, line)
	r.PrimaryDate = at
	d := decide.New().Decide([]decide.Row{r}, memory)[0]
	c, ok := ontology.ScheduleC().ByID(d.CategoryID)
	if !ok || d.Established {
		t.Errorf("%s on %s: %v stands: %v", line, on, ok, d.Established)
		return ""
	}
	return c.Path
}

func TestWhatIsPrivateMoreOftenThanNotIsSuggestedSo(t *testing.T) {
	t.Parallel()
	const private = "personal.living"
	for _, c := range []struct {
		cents          money.Amount
		line, on, want string
	}{
		{-89_00, "AMAZON MKTPL*ZR4KL82N1 Amzn.com/bill WA", "2026-12-10", private},
		{-89_00, "AMAZON MKTPL*ZR4KL82N1 Amzn.com/bill WA", "2026-12-25", "expense.office.supplies"},
		{-89_00, "AMAZON MKTPL*ZR4KL82N1 Amzn.com/bill WA", "2026-11-23", "expense.office.supplies"},
		{-39_00, "AMAZON MKTPL*ZR4KL82N1 Amzn.com/bill WA", "2026-12-10", "expense.office.supplies"},
		{-389_00, "BEST BUY 00005587 SPOKANE WA", "2026-11-28", private},
		{-389_00, "BEST BUY 00005587 SPOKANE WA", "2026-04-28", "expense.depreciation.equipment_purchase"},
		{-1_389_00, "BEST BUY 00005587 SPOKANE WA", "2026-11-28", "expense.depreciation.equipment_purchase"},
		{-689_00, "DELTA AIR 0062314456781 ATLANTA GA", "2026-03-03", private},
		{-289_00, "DELTA AIR 0062314456781 ATLANTA GA", "2026-03-03", "expense.travel.air"},
		{-289_00, "DELTA AIR 0062314456781 ATLANTA GA", "2026-12-03", private},
		{-289_00, "BEACH CLUB RESORT GULF SHORES AL", "2026-07-03", private},
		{-289_00, "BEACH CLUB RESORT GULF SHORES AL", "2026-10-03", "expense.travel.lodging"},
		{-9_40, "MCDONALDS F14193 DAYTON OH", "2026-10-03", private},
		{-29_40, "MCDONALDS F14193 DAYTON OH", "2026-10-03", "expense.meals"},
	} {
		if got := suggested(t, questions.Remember(nil), c.cents, "POS PURCHASE "+c.line, c.on); got != c.want {
			t.Errorf("%s, %v on %s: %s, want %s", c.line, c.cents, c.on, got, c.want)
		}
	}
}

func TestTheAmountSaysWhoseMoneyIsThatIsSentByAnAppOrCheck(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		cents      money.Amount
		line, want string
	}{
		{-1_200_00, "ZELLE PAYMENT TO DANA JUNE CONF# 4KJ2", "equity.owner_draw"},
		{-1_000_00, "ZELLE PAYMENT TO DANA JUNE CONF# 4KJ2", "equity.owner_draw"},
		{-1_250_00, "ZELLE PAYMENT TO DANA JUNE CONF# 4KJ2", "expense.contract_labor"},
		{-900_00, "ZELLE PAYMENT TO DANA JUNE CONF# 4KJ2", "expense.contract_labor"},
		{2_500_00, "ZELLE PAYMENT FROM DANA JUNE CONF# 4KJ2", "equity.owner_contribution"},
		{1_000_00, "ZELLE PAYMENT FROM DANA JUNE CONF# 4KJ2", "equity.owner_contribution"},
		{2_400_00, "ZELLE PAYMENT FROM DANA JUNE CONF# 4KJ2", "revenue.sales.services"},
		{500_00, "ZELLE PAYMENT FROM DANA JUNE CONF# 4KJ2", "revenue.sales.services"},
		{2_500_00, "MOBILE DEPOSIT", "equity.owner_contribution"},
		{2_450_00, "MOBILE DEPOSIT", "revenue.sales.cash_deposits"},
		{7_450_00, "MOBILE DEPOSIT", "revenue.sales.cash_deposits"},
		{7_500_00, "MOBILE DEPOSIT", "uncategorized.cash_deposit"},
		{-200_00, "CHECK 1204", "personal.charity"},
		{-220_00, "CHECK 1204", "expense.contract_labor"},
		{-1_450_00, "ACH DEBIT WEB PMTS VANTERRE PARK", "personal.living"},
		{-2_450_00, "ACH DEBIT WEB PMTS VANTERRE PARK", "expense.other.misc"},
		{-1_450_00, "ACH DEBIT WEB PMTS VANTERRE SQ", "expense.other.misc"},
		{-1_500_00, "CHECK 1204", "equity.owner_draw"},
		{-500_00, "CHECK 1204", "equity.owner_draw"},
		{-3_000_00, "CHECK 1204", "expense.contract_labor"},
		{-1_400_00, "CHECK 1204", "expense.contract_labor"},
		{-6_325_00, "CHECK 1204", "expense.contract_labor"},
		{-6_500_00, "CHECK 1204", "uncategorized.out"},
		{-12_650_40, "WIRE TYPE:WIRE OUT DATE:250311 BNF:ILSE BRANDVOLD", "cogs.purchases"},
		{-12_500_00, "WIRE TYPE:WIRE OUT DATE:250311 BNF:ILSE BRANDVOLD", "uncategorized.out"},
		{6_100_00, "ZELLE PAYMENT FROM DANA JUNE CONF# 4KJ2", "revenue.sales.services"},
		{6_500_00, "ZELLE PAYMENT FROM DANA JUNE CONF# 4KJ2", "uncategorized.in"},
		{-1_240_00, "ZELLE PAYMENT TO BEACHSIDE RENTALS REF# T0QKQ4N83", "personal.living"},
		{-60_00, "VENMO PAYMENT 1068804883975", "personal.living"},
		{-100_00, "VENMO PAYMENT 1068804883975", "expense.contract_labor"},
		{-60_50, "VENMO PAYMENT 1068804883975", "expense.contract_labor"},
		{-160_00, "VENMO PAYMENT 1068804883975", "expense.contract_labor"},
		{-24_500_00, "CASHIERS CHECK 0041772", "expense.depreciation.vehicle_purchase"},
		{-312_00, "CASHIERS CHECK 0041772", "uncategorized.out"},
		{-1_500_13, "GEORGIA ITS TAX GA TX PYMT 250721 1439233068", "expense.taxes_licenses.sales_tax"},
		{-1_500_00, "GEORGIA ITS TAX GA TX PYMT 250721 1439233068", "uncategorized.tax_payment"},
		{-40_00, "POS PURCHASE REMITLY 888-736-4859 WA", "personal.living"},
		{-2_860_00, "ACH DEBIT UNIV OF ILLINOIS PAYMENT UI-PAY 662810", "personal.living"},
	} {
		if got := suggested(t, questions.Remember(nil), c.cents, c.line, "2026-05-04"); got != c.want {
			t.Errorf("%s, %v: %s, want %s", c.line, c.cents, got, c.want)
		}
	}
}

// Who is called like those that cook buys at the grocer's what it sells, unless it said what else it does.
func TestABusinessIsSupposedToBuyWhatItIsCalledAfter(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Juniper Bikes LLC":        "personal.living",
		"Juniper Cafe LLC":         "cogs.purchases",
		"Trattoria Nonna":          "cogs.purchases",
		"Juniper Kitchen & Bath":   "personal.living",
		"Juniper Cafe Consulting":  "personal.living",
		"Juniper Kitchen Catering": "cogs.purchases",
	} {
		memory := questions.Remember(nil)
		memory.Business = categorize.BusinessOf(name)
		if got := suggested(t, memory, -89_10, "KROGER #412 TROY OH", "2026-05-04"); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestWhatIsSupposedPrivateMostlyIs counts over the labelled books that may be read, of each reason that money is the
// owner's own, how much of it counts in the profit nevertheless.
func TestWhatIsSupposedPrivateMostlyIs(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("../books/testdata/[ft]*/*/business.yaml")
	if err != nil || len(folders) < 200 {
		t.Fatalf("%d books, %v", len(folders), err)
	}
	paid, counts := map[string]money.Amount{}, map[string]money.Amount{}
	for _, file := range folders {
		book, err := books.Load(filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range decided(t, book) {
			for _, why := range []string{"before Christmas is presents", "are a family's", "in summer are holidays",
				"is eaten alone", "the rent of a home", "by an app is a holiday"} {
				if strings.Contains(d.Reason, why) {
					paid[why] -= book.Rows[i].Amount
					counts[why] -= books.Profit(book.Rows[i].Truth)
				}
			}
		}
	}
	for why := range paid {
		share := percent(counts[why], paid[why])
		t.Logf("%s: of %v %.1f %% count in the profit", why, paid[why], share)
		if share > 45 {
			t.Errorf("%s: of %v %.1f %% count, want at most 45", why, paid[why], share)
		}
	}
	if len(paid) != 6 {
		t.Errorf("%d reasons, want 6", len(paid))
	}
}

// What is suggested is among the options of the question, also where a row alone is asked about.
func TestWhatIsSuggestedIsOffered(t *testing.T) {
	t.Parallel()
	memory := questions.Remember(nil)
	memory.Business = categorize.BusinessOf("Juniper Cafe")
	for line, cents := range map[string]money.Amount{
		"CHECK 1204":          -1_500_00,
		"CHECK 1205":          -200_00,
		"KROGER #412 TROY OH": -89_10,
		"POS PURCHASE DELTA AIR 0062314456781 GA":   -689_00,
		"ZELLE PAYMENT TO DANA JUNE CONF# 4KJ2":     -1_200_00,
		"CASHIERS CHECK 0041772":                    -24_500_00,
		"ACH DEBIT WEB PMTS VANTERRE PARK":          -1_450_00,
		"POS PURCHASE BEST BUY 00005587 SPOKANE WA": -389_00,
	} {
		r := row(cents, line)
		r.PrimaryDate = time.Date(2026, 12, 3, 0, 0, 0, 0, time.UTC)
		d := decide.New().Decide([]decide.Row{r}, memory)[0]
		asked := d.Question
		if asked.Narrow != nil {
			asked = asked.Narrow
		}
		c, _ := ontology.ScheduleC().ByID(d.CategoryID)
		if !slices.ContainsFunc(asked.Options, func(o questions.Option) bool { return o.Value == c.Path }) {
			t.Errorf("%s is suggested as %s, and offers %v", line, c.Path, asked.Options)
		}
		if len(asked.Options) > 4 {
			t.Errorf("%s offers %d options", line, len(asked.Options))
		}
	}
}

// A business that says that nothing private is paid from its accounts is suggested nothing private.
func TestNothingPrivateIsSuggestedWhereThereIsNone(t *testing.T) {
	t.Parallel()
	no := questions.PrivateNo
	nothing := questions.Remember([]questions.Answered{{CounterpartyKey: questions.Private.String(), Note: &no}})
	if nothing.Told(questions.Private) != questions.PrivateNo {
		t.Fatal("nothing was told")
	}
	for line, cents := range map[string]money.Amount{
		"CHECK 1205":                              -200_00,
		"VENMO PAYMENT 1068804883975":             -60_00,
		"POS PURCHASE MCDONALDS F14193 DAYTON OH": -9_40,
	} {
		if got := suggested(t, nothing, cents, line, "2026-12-03"); strings.HasPrefix(got, "personal") {
			t.Errorf("%s: %s", line, got)
		}
	}
}

// Whoever has a shop may pay for work: what comes in from somebody of whom only a shop is known may be sales.
func TestMoneyFromWhoeverIsKnownAsAShopMayBeSales(t *testing.T) {
	t.Parallel()
	d := decide.New().Decide([]decide.Row{row(2_150_37, "ACH CREDIT HOLLISTER PARTNERS INVOICE 2231")},
		questions.Remember(nil))[0]
	alone := d.Question.Narrow
	if alone == nil || alone.Options[0].Value != "revenue.sales" {
		t.Errorf("it alone is asked about as %+v", alone)
	}
}
