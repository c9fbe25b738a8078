package demo_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bizfin/cmd/bizfin/demo"
	"bizfin/internal/money"
)

// years are businesses to try: many seeds, and years that begin on each day of the week.
func years(t *testing.T, try func(t *testing.T, accounts []demo.Account, year int)) {
	for seed := range uint64(8) {
		for year := 2018; year < 2026; year++ {
			t.Run(fmt.Sprintf("seed %d of %d", seed, year), func(t *testing.T) { try(t, demo.Year(seed, year), year) })
		}
	}
}

func digest(accounts []demo.Account) string {
	sum := sha256.Sum256(fmt.Append(nil, accounts))
	return hex.EncodeToString(sum[:8])
}

// The digest is of the rows as they are now: it changes with every change to them, and with nothing else, on no
// machine.
func TestASeedAndAYearAlwaysGiveTheSameRows(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(demo.Year(1, 2025), demo.Year(1, 2025)); diff != "" {
		t.Error(diff)
	}
	if got := digest(demo.Year(1, 2025)); got != "b972e0d039e7502c" {
		t.Errorf("the rows of seed 1 in 2025 have the digest %s", got)
	}
	if digest(demo.Year(1, 2025)) == digest(demo.Year(2, 2025)) ||
		digest(demo.Year(1, 2025)) == digest(demo.Year(1, 2024)) {
		t.Error("another seed or year gives the same rows")
	}
}

func TestEveryYearHasFourAccountsAndTwelveHundredRows(t *testing.T) {
	t.Parallel()
	years(t, func(t *testing.T, accounts []demo.Account, year int) {
		rows := 0
		var kinds []string
		for _, a := range accounts {
			rows += len(a.Rows)
			kinds = append(kinds, a.ExternalID+" "+a.Type+" "+a.Currency)
			if len(a.Rows) == 0 {
				t.Errorf("%s has no rows", a.ExternalID)
			}
		}
		if diff := cmp.Diff([]string{"checking depository USD", "savings depository USD", "card credit USD",
			"euro depository EUR"}, kinds); diff != "" {
			t.Error(diff)
		}
		if rows < 1200 {
			t.Errorf("%d rows", rows)
		}
	})
}

func TestEveryRowIsOneTheContractTakes(t *testing.T) {
	t.Parallel()
	currency := regexp.MustCompile(`^[A-Z]{3}$`)
	years(t, func(t *testing.T, accounts []demo.Account, year int) {
		seen := map[string]bool{}
		for _, a := range accounts {
			for i, r := range a.Rows {
				switch {
				case seen[r.ExternalID] || r.ExternalID == "" || len(r.ExternalID) > 256:
					t.Errorf("the id %q is there twice, or of no allowed length", r.ExternalID)
				case r.Amount == 0 || r.Amount < money.Min || r.Amount > money.Max:
					t.Errorf("%s is of %s", r.ExternalID, r.Amount)
				case r.Day.Year() != year || !r.Day.Equal(r.Day.Truncate(24*time.Hour)) || r.Day.Location() != time.UTC:
					t.Errorf("%s is of %s", r.ExternalID, r.Day)
				case r.Description == "" || len(r.Description) > 4096 || strings.ContainsAny(r.Description, "{}"):
					t.Errorf("%s reads %q", r.ExternalID, r.Description)
				case !currency.MatchString(r.Currency):
					t.Errorf("%s is in %q", r.ExternalID, r.Currency)
				case i > 0 && r.Day.Before(a.Rows[i-1].Day):
					t.Errorf("%s is older than the row before it", r.ExternalID)
				}
				seen[r.ExternalID] = true
			}
		}
	})
}

func TestMoneyOnlyChangesPlaceToTheCent(t *testing.T) {
	t.Parallel()
	years(t, func(t *testing.T, accounts []demo.Account, year int) {
		var sum money.Amount
		legs := map[string]money.Amount{} // of the transfers of a day
		moved := 0
		for _, a := range accounts {
			for _, r := range a.Rows {
				if strings.Contains(r.Description, "ONLINE BANKING TRANSFER") ||
					strings.Contains(r.Description, "AUTOPAY") || strings.Contains(r.Description, "AUTOMATIC PAYMENT") {
					legs[r.Day.Format(time.DateOnly)] += r.Amount
					sum += r.Amount
					moved++
				}
			}
		}
		for day, left := range legs {
			if left != 0 {
				t.Errorf("the transfers of %s leave %s", day, left)
			}
		}
		if sum != 0 || moved != 2*(12+12+2) {
			t.Errorf("%d legs of transfers leave %s", moved, sum)
		}
	})
}

func TestNoAccountIsOverdrawnAndBalancesAreTheRows(t *testing.T) {
	t.Parallel()
	years(t, func(t *testing.T, accounts []demo.Account, year int) {
		for _, a := range accounts {
			balance := a.Opening
			for _, r := range a.Rows {
				if r.Currency == a.Currency {
					balance += r.Amount
				}
				if a.Type == "credit" && (balance > 0 || balance < -15_000_00) || a.Type != "credit" && balance < 0 {
					t.Errorf("%s stands at %s after %s", a.ExternalID, balance, r.ExternalID)
				}
			}
			if balance != a.Balance {
				t.Errorf("%s has the balance %s, its rows make %s", a.ExternalID, a.Balance, balance)
			}
		}
	})
}

func TestTheCardIsPaidWhatItsStatementSays(t *testing.T) {
	t.Parallel()
	years(t, func(t *testing.T, accounts []demo.Account, year int) {
		spent, paid := [13]money.Amount{0: accounts[2].Opening}, [13]money.Amount{}
		for _, r := range accounts[2].Rows {
			if strings.HasPrefix(r.Description, "AUTOMATIC PAYMENT") {
				paid[r.Day.Month()] += r.Amount
			} else {
				spent[r.Day.Month()] += r.Amount
			}
		}
		for month := 1; month <= 12; month++ {
			if paid[month] != -spent[month-1] {
				t.Errorf("in month %d the card is paid %s, the statement before said %s", month, paid[month],
					spent[month-1])
			}
		}
	})
}

// A refund is money of a merchant who was paid at least that much before it.
func TestRefundsComeBackFromWhereTheyWerePaid(t *testing.T) {
	t.Parallel()
	years(t, func(t *testing.T, accounts []demo.Account, year int) {
		refunds := 0
		for _, r := range accounts[2].Rows {
			if r.Amount < 0 || strings.HasPrefix(r.Description, "AUTOMATIC PAYMENT") {
				continue
			}
			refunds++
			found := false
			for _, p := range accounts[2].Rows {
				for _, merchant := range []string{"STAPLES", "ULINE", "ADOBE", "VISTAPRINT"} {
					found = found || strings.Contains(r.Description, merchant) &&
						strings.Contains(p.Description, merchant) && p.Amount <= -r.Amount && !p.Day.After(r.Day)
				}
			}
			if !found {
				t.Errorf("nothing was paid for %s %s", r.ExternalID, r.Description)
			}
		}
		if refunds != 4 {
			t.Errorf("%d refunds", refunds)
		}
	})
}

// What a business has to have: each of these lines, and so many of them in a year.
func TestAYearHasAllThatABusinessPaysAndGets(t *testing.T) {
	t.Parallel()
	years(t, func(t *testing.T, accounts []demo.Account, year int) {
		var all []demo.Row
		for _, a := range accounts {
			all = append(all, a.Rows...)
		}
		for words, least := range map[string]int{
			"SQUARE INC": 240, "STRIPE DES": 100, "ETSY INC": 50, "DES:VENDOR PMT": 24, "GUSTO DES:NET": 25,
			"GUSTO DES:TAX": 25, "GUSTO DES:FEE": 12, "DES:RENT": 12,
			"IRS EST TAX": 4, "CDTFA": 4, "OWNER DRAW": 12, "ONDECK CAPITAL DES:FUNDING": 1,
			"ONDECK CAPITAL DES:LOAN PMT": 10, "INTEREST EARNED": 12,
			"CHARGEBACK": 2, "HOLLIS MARR": 24, "MARISOL QUENTIN": 25, "AMZN MKTP": 48, "GOOGLE *ADS": 24, "HISCOX": 12,
			"DELTA AIR": 1,
		} {
			n := 0
			for _, r := range all {
				if strings.Contains(r.Description, words) {
					n++
				}
			}
			if n < least {
				t.Errorf("%d lines of %s, want %d", n, words, least)
			}
		}
		foreign := map[string]int{}
		for _, r := range all {
			foreign[r.Currency]++
		}
		if foreign["EUR"] < 50 || foreign["GBP"] < 3 {
			t.Errorf("rows by currency: %v", foreign)
		}
	})
}
