package categorize_test

import (
	"testing"
	"time"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
)

func TestMoneyComesBackFromItsPurchase(t *testing.T) {
	t.Parallel()
	const supplies, travel, sales, transfer, unknown = 3220, 3240, 1010, 9001, 9702
	day := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	bought := func(id byte, cents money.Amount, daysBefore, category int) categorize.Purchase {
		return categorize.Purchase{ID: [16]byte{id}, Amount: -cents, Day: day.AddDate(0, 0, -daysBefore),
			CategoryID: category}
	}
	for name, c := range map[string]struct {
		purchases []categorize.Purchase
		want      byte // the purchase, 0 for none
		exact     bool
	}{
		"none": {nil, 0, false},
		"of the amount": {[]categorize.Purchase{bought(1, 5000, 9, supplies),
			bought(2, 9000, 3, travel)}, 1, true},
		"the newest of the amount": {[]categorize.Purchase{bought(1, 5000, 9, supplies),
			bought(2, 5000, 3, travel)}, 2, true},
		"on the same day": {[]categorize.Purchase{bought(1, 5000, 0, supplies)}, 1, true},
		"120 days before": {[]categorize.Purchase{bought(1, 5000, 120, supplies)}, 1, true},
		"121 days before": {[]categorize.Purchase{bought(1, 5000, 121, supplies)}, 0, false},
		"after it":        {[]categorize.Purchase{bought(1, 5000, -1, supplies)}, 0, false},
		"part of the newest": {[]categorize.Purchase{bought(1, 6000, 9, supplies),
			bought(2, 7000, 3, supplies)}, 2, false},
		"part of one of two kinds": {[]categorize.Purchase{bought(1, 6000, 9, supplies),
			bought(2, 7000, 3, travel)}, 0, false},
		"smaller than what came back": {[]categorize.Purchase{bought(1, 4999, 9, supplies)}, 0, false},
		"not known what was bought":   {[]categorize.Purchase{bought(1, 5000, 9, unknown)}, 0, false},
		"a transfer":                  {[]categorize.Purchase{bought(1, 5000, 9, transfer)}, 0, false},
		"a refund to a customer":      {[]categorize.Purchase{bought(1, 5000, 9, sales)}, 0, false},
		"the unknown do not make it doubtful": {[]categorize.Purchase{bought(1, 6000, 9, supplies),
			bought(2, 7000, 3, unknown)}, 1, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, exact, found := categorize.PurchaseOf(5000, day, c.purchases)
			if p.ID[0] != c.want || exact != c.exact || found != (c.want != 0) {
				t.Errorf("purchase %d, exact %v, found %v; want %d, %v", p.ID[0], exact, found, c.want, c.exact)
			}
		})
	}
}
