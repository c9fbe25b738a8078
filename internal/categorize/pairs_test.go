package categorize_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
)

// bankLeg is a row as the engine reads it, on a day of March.
func bankLeg(id, account byte, accountType string, cents money.Amount, day int, description string) categorize.Leg {
	engine := categorize.New()
	line := categorize.Line{Description: description, Amount: cents, AccountType: accountType}
	d := engine.Decide(line, categorize.Memory{})
	return categorize.Leg{
		ID: [16]byte{id}, Account: [16]byte{account}, AccountType: accountType, Amount: cents, Currency: "USD",
		Day: time.Date(2026, 3, day, 0, 0, 0, 0, time.UTC), Description: description,
		Evidence: engine.Evidence(line, &d), CategoryID: d.CategoryID,
	}
}

func (p pairing) run(t *testing.T) {
	t.Parallel()
	got := ""
	if pairs := categorize.Pairs([]categorize.Leg{p.out, p.in}); len(pairs) > 0 {
		got = pathOf(t, pairs[0].CategoryID)
	}
	if got != p.want {
		t.Errorf("%q and %q make %q, want %q (evidence %d and %d)", p.out.Description, p.in.Description, got, p.want,
			p.out.Evidence, p.in.Evidence)
	}
}

type pairing struct {
	out, in categorize.Leg
	want    string // the category of the pair, "" for none
}

func TestTwoLinesMakeATransferOnlyOnEvidence(t *testing.T) {
	t.Parallel()
	const checking, savings, card = 1, 2, 3
	out := func(cents money.Amount, description string) categorize.Leg {
		return bankLeg(1, checking, "depository", -cents, 3, description)
	}
	in := func(cents money.Amount, description string) categorize.Leg {
		return bankLeg(2, savings, "depository", cents, 4, description)
	}
	onCard := func(cents money.Amount, description string) categorize.Leg {
		return bankLeg(3, card, "credit", cents, 5, description)
	}
	for name, p := range map[string]pairing{
		"both say so": {out(50000, "ONLINE TRANSFER TO SAV ...4321"),
			in(50000, "ONLINE TRANSFER FROM CHK ...8765"), "transfer.internal"},
		"one says so, the other nothing": {out(50000, "ONLINE TRANSFER TO SAVINGS"), in(50000, "DEPOSIT"),
			"transfer.internal"},
		"both may be one": {out(50000, "TRANSFER"), in(50000, "TRANSFER"), "transfer.internal"},
		"a card payment": {out(50000, "CHASE CREDIT CRD AUTOPAY PPD ID: 4760039224"),
			onCard(50000, "PAYMENT THANK YOU - WEB"), "transfer.credit_card_payment"},
		"a transfer to a card": {out(50000, "ONLINE TRANSFER TO CARD ...1111"),
			onCard(50000, "PAYMENT RECEIVED"), "transfer.credit_card_payment"},
		"an automatic sweep": {out(50000, "SWEEP TO SAVINGS"), in(50000, "TRANSFER FROM CHECKING"),
			"transfer.savings_sweep"},
		"a bank's money": {out(50000, "ONLINE TRANSFER TO SAVINGS"),
			in(50000, "ALLY BANK P2P TRANSFER"), "transfer.internal"},
		"a transfer to an issuer's bank": {out(50000, "ACH DEBIT CHASE BANK EXT TRNSFR"),
			in(50000, "TRANSFER FROM CHECKING"), "transfer.internal"},
		"a check paid in": {out(50000, "ONLINE TRANSFER TO SAVINGS"), in(50000, "MOBILE DEPOSIT"),
			""},
		"a purchase and a payout": {out(50000, "HOME DEPOT 0455 AUSTIN TX"),
			in(50000, "STRIPE TRANSFER ST-K4J2H1"), ""},
		"a transfer and a payout": {out(50000, "ONLINE TRANSFER TO SAVINGS"),
			in(50000, "STRIPE TRANSFER ST-K4J2H1"), ""},
		"a transfer and a customer": {out(50000, "ONLINE TRANSFER TO SAVINGS"),
			in(50000, "ZELLE PAYMENT FROM DANA MERCER"), ""},
		"a purchase and a transfer": {out(50000, "HOME DEPOT 0455 AUSTIN TX"),
			in(50000, "TRANSFER FROM CHECKING"), ""},
		"a check and a transfer":            {out(50000, "CHECK 1044"), in(50000, "TRANSFER FROM CHECKING"), ""},
		"neither says anything":             {out(50000, "WITHDRAWAL"), in(50000, "DEPOSIT"), ""},
		"a possible transfer and a deposit": {out(50000, "TRANSFER"), in(50000, "DEPOSIT"), ""},
		"a card payment to savings":         {out(50000, "CREDIT CARD PAYMENT"), in(50000, "DEPOSIT"), ""},
		"money from a payment app":          {out(50000, "ONLINE TRANSFER TO SAVINGS"), in(50000, "VENMO CASHOUT"), ""},
		"a guess, and the card was paid so": {out(61488, "DIRECT PAYMENT - ONLINE PMT BANK OF AMERICA 043828339"),
			onCard(61488, "PAYMENT - THANK YOU"), "transfer.credit_card_payment"},
		"a guess, and the card was paid a round sum": {
			out(60000, "DIRECT PAYMENT - ONLINE PMT BANK OF AMERICA 043828339"),
			onCard(60000, "PAYMENT - THANK YOU"), ""},
		"a guess, and a refund on the card": {
			out(61488, "DIRECT PAYMENT - ONLINE PMT BANK OF AMERICA 043828339"),
			onCard(61488, "HOME DEPOT 0455 AUSTIN TX"), ""},
		"a landlord, and the card was paid so": {out(61488, "ACH DEBIT WINDERMERE PROPERTIES RENT"),
			onCard(61488, "PAYMENT - THANK YOU"), ""},
		"a tax, and the card was paid so": {out(61488, "IRS USATAXPYMT 270547412201846"),
			onCard(61488, "PAYMENT - THANK YOU"), ""},
		"a firm, and the card was paid so": {out(61488, "ACH DEBIT ACME INV 2231"),
			onCard(61488, "PAYMENT - THANK YOU"), ""},
		"amounts a cent apart": {out(50000, "ONLINE TRANSFER TO SAVINGS"),
			in(50001, "TRANSFER FROM CHECKING"), ""},
	} {
		t.Run(name, p.run)
	}
}

func TestLegsOfATransferLieInTwoAccountsOfOneCurrencyAndWithinFourDays(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(l *categorize.Leg)
		paired bool
	}{
		"as it is":         {func(*categorize.Leg) {}, true},
		"four days later":  {func(l *categorize.Leg) { l.Day = l.Day.AddDate(0, 0, 4) }, true},
		"four days before": {func(l *categorize.Leg) { l.Day = l.Day.AddDate(0, 0, -4) }, true},
		"five days later":  {func(l *categorize.Leg) { l.Day = l.Day.AddDate(0, 0, 5) }, false},
		"five days before": {func(l *categorize.Leg) { l.Day = l.Day.AddDate(0, 0, -5) }, false},
		"silent two days": {func(l *categorize.Leg) { l.Day, l.Evidence = l.Day.AddDate(0, 0, 2), categorize.Open },
			true},
		"silent three days": {func(l *categorize.Leg) { l.Day, l.Evidence = l.Day.AddDate(0, 0, 3), categorize.Open },
			false},
		"a guess": {func(l *categorize.Leg) { l.Evidence = categorize.Guessed }, false},
		"a guess that is named": {func(l *categorize.Leg) {
			l.Evidence, l.AccountTail = categorize.Guessed, "4321"
		}, true},
		"a guess that is named, and answered": {func(l *categorize.Leg) {
			l.Evidence, l.AccountTail, l.Said = categorize.Guessed, "4321", true
		}, false},
		"in an account of others' money": {func(l *categorize.Leg) { l.HeldFor = true }, false},
		"in one, and said to be theirs": {func(l *categorize.Leg) {
			l.HeldFor, l.Said, l.CategoryID = true, true, idOf(t, "liability.client_funds")
		}, false},
		"in one, and said to be a move": {func(l *categorize.Leg) {
			l.HeldFor, l.Said, l.CategoryID = true, true, idOf(t, "transfer.internal")
		}, true},
		"the same account":  {func(l *categorize.Leg) { l.Account = [16]byte{1} }, false},
		"another currency":  {func(l *categorize.Leg) { l.Currency = "EUR" }, false},
		"the same sign":     {func(l *categorize.Leg) { l.Amount = -l.Amount }, false},
		"a loan's account":  {func(l *categorize.Leg) { l.AccountType = "loan" }, false},
		"it names it":       {func(l *categorize.Leg) { l.AccountTail = "4321" }, true},
		"it names another":  {func(l *categorize.Leg) { l.AccountTail = "9999" }, false},
		"this names it":     {func(l *categorize.Leg) { l.Description = "TRANSFER FROM CHK 8765" }, true},
		"this names others": {func(l *categorize.Leg) { l.Description = "TRANSFER FROM CHK XXXX1111" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := bankLeg(1, 1, "depository", -50000, 10, "ONLINE TRANSFER TO SAV ...4321")
			out.AccountTail = "8765"
			in := bankLeg(2, 2, "depository", 50000, 10, "TRANSFER FROM CHECKING")
			c.change(&in)
			if got := len(categorize.Pairs([]categorize.Leg{out, in})) == 1; got != c.paired {
				t.Errorf("paired: %v, want %v", got, c.paired)
			}
		})
	}
}

func TestTheNamedLegIsTakenAndOfSeveralOthersNone(t *testing.T) {
	t.Parallel()
	out := bankLeg(1, 1, "depository", -50000, 10, "ONLINE TRANSFER TO SAV ...4321")
	far, near := bankLeg(2, 2, "depository", 50000, 13, "TRANSFER FROM CHECKING"),
		bankLeg(3, 3, "depository", 50000, 11, "TRANSFER FROM CHECKING")
	also := bankLeg(4, 4, "depository", 50000, 11, "TRANSFER FROM CHECKING")
	legs := []categorize.Leg{far, also, near, out}
	if got := categorize.Pairs(legs); len(got) != 0 {
		t.Errorf("pairs %v, and nobody knows which of three it is", got)
	}
	other := bankLeg(5, 1, "depository", -50000, 11, "ONLINE TRANSFER TO SAV ...4321")
	if got := categorize.Pairs([]categorize.Leg{near, also, out, other}); len(got) != 2 {
		t.Errorf("pairs %v, and each of two has its other leg, whichever it is", got)
	}
	legs[0].AccountTail = "4321"
	if got := categorize.Pairs(legs); len(got) != 1 || got[0].In != 0 {
		t.Errorf("pairs %v, want the one that is named", got)
	}
}

// anyLegs draws few amounts, accounts and days, so that legs meet.
var anyLegs = rapid.Custom(func(t *rapid.T) []categorize.Leg {
	legs := make([]categorize.Leg, rapid.IntRange(0, 14).Draw(t, "legs"))
	for i := range legs {
		legs[i] = categorize.Leg{
			ID: [16]byte{byte(i + 1)}, Account: [16]byte{rapid.ByteRange(1, 4).Draw(t, "account")},
			AccountType: rapid.SampledFrom([]string{"depository", "credit", "loan"}).Draw(t, "type"),
			AccountTail: rapid.SampledFrom([]string{"", "1111", "2222"}).Draw(t, "tail"),
			Amount:      money.Amount(rapid.SampledFrom([]int{-200, -101, -100, 0, 100, 101, 200}).Draw(t, "amount")),
			Currency:    rapid.SampledFrom([]string{"USD", "EUR"}).Draw(t, "currency"),
			Day:         time.Date(2026, 3, rapid.IntRange(1, 12).Draw(t, "day"), 0, 0, 0, 0, time.UTC),
			Description: rapid.SampledFrom([]string{"TRANSFER", "TRANSFER TO SAV 1111",
				"TRANSFER FROM CHK XX2222"}).Draw(t, "description"),
			Evidence: categorize.Evidence(rapid.IntRange(int(categorize.Against), int(categorize.Plain)).Draw(t,
				"evidence")),
			CategoryID: rapid.SampledFrom([]int{0, 9001, 9002, 9003, 9004}).Draw(t, "category"),
		}
	}
	return legs
})

func TestPairsAreOneToOneAndLegal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		legs := anyLegs.Draw(t, "legs")
		seen := map[int]bool{}
		for _, p := range categorize.Pairs(legs) {
			out, in := legs[p.Out], legs[p.In]
			if seen[p.Out] || seen[p.In] {
				t.Fatalf("a row is in two pairs: %v", p)
			}
			seen[p.Out], seen[p.In] = true, true
			apart := in.Day.Sub(out.Day).Abs()
			if out.Amount >= 0 || in.Amount != -out.Amount || out.Currency != in.Currency ||
				out.Account == in.Account || apart > 4*24*time.Hour {
				t.Errorf("%+v and %+v are a pair", out, in)
			}
			least, most := min(out.Evidence, in.Evidence), max(out.Evidence, in.Evidence)
			named := strings.HasSuffix(out.Description, in.AccountTail) && in.AccountTail != "" ||
				strings.HasSuffix(in.Description, out.AccountTail) && out.AccountTail != ""
			paid := in.AccountType == "credit" && in.Evidence == categorize.Plain && in.Amount%100 != 0
			if least == categorize.Against || most < categorize.Hinted && !named ||
				least == categorize.Guessed && !named && !paid || least == categorize.Addressed && !named {
				t.Errorf("evidence %d and %d make a pair", out.Evidence, in.Evidence)
			}
		}
	})
}

func TestPairsDoNotDependOnTheOrderOfRows(t *testing.T) {
	t.Parallel()
	byID := func(legs []categorize.Leg) map[[16]byte]categorize.Leg {
		paired := map[[16]byte]categorize.Leg{}
		for _, p := range categorize.Pairs(legs) {
			paired[legs[p.Out].ID] = legs[p.In]
		}
		return paired
	}
	rapid.Check(t, func(t *rapid.T) {
		legs := anyLegs.Draw(t, "legs")
		if diff := cmp.Diff(byID(legs), byID(rapid.Permutation(legs).Draw(t, "shuffled"))); diff != "" {
			t.Error(diff)
		}
	})
}

// Ids are in the order in which rows came.
func TestWhatIsPairedDoesNotDependOnTheOrderOfIds(t *testing.T) {
	t.Parallel()
	paired := func(legs []categorize.Leg) map[categorize.Leg]int {
		count := map[categorize.Leg]int{}
		for _, p := range categorize.Pairs(legs) {
			for _, l := range [...]categorize.Leg{legs[p.Out], legs[p.In]} {
				l.ID = [16]byte{}
				count[l]++
			}
		}
		return count
	}
	rapid.Check(t, func(t *rapid.T) {
		legs := anyLegs.Draw(t, "legs")
		for i := range legs { // what is of accounts, and not of rows
			account := legs[i].Account[0]
			legs[i].AccountType = []string{"depository", "depository", "credit", "depository"}[account-1]
			legs[i].AccountTail = []string{"", "1111", "", "2222"}[account-1]
			legs[i].Currency, legs[i].Evidence = "USD", max(legs[i].Evidence, categorize.Hinted)
			if legs[i].Amount = 100; rapid.Bool().Draw(t, "out") {
				legs[i].Amount = -100
			}
		}
		once := paired(legs)
		shuffled := rapid.Permutation(legs).Draw(t, "shuffled")
		for i := range shuffled {
			shuffled[i].ID = [16]byte{byte(i + 1)}
		}
		if diff := cmp.Diff(once, paired(shuffled)); diff != "" {
			t.Error(diff)
		}
	})
}

func TestNoTwoRowsAreLeftThatWouldMakeAPair(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		legs := anyLegs.Draw(t, "legs")
		for _, p := range categorize.Pairs(legs) {
			legs[p.Out].Evidence, legs[p.In].Evidence = categorize.Against, categorize.Against
		}
		if left := categorize.Pairs(legs); len(left) > 0 {
			t.Errorf("%v were left", left)
		}
	})
}
