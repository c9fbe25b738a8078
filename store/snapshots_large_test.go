package store_test

import (
	"fmt"
	"testing"
	"time"

	"bizfin/internal/money"
	"bizfin/store"
)

// A list of 20,000 accounts is under 1 MiB, so the webhook takes it; it must not hold up anybody.
func TestASnapshotOfManyAccountsIsAppliedInSeconds(t *testing.T) {
	t.Parallel()
	const many, within = 20_000, 10 * time.Second // a second on a machine of its own; each with each, it was forty
	p := login(t)
	accounts := func(changed int, tokens bool) []store.SnapshotAccount {
		list := make([]store.SnapshotAccount, many)
		for i := range list {
			list[i] = listed(fmt.Sprint(i))
			if i < changed {
				balance(money.Amount(i))(&list[i])
			}
			if tokens {
				list[i].Token = fmt.Sprint("access-", i%50)
			}
		}
		return list
	}
	for _, c := range []struct {
		what string
		list []store.SnapshotAccount
	}{
		{"new", accounts(0, false)},
		{"the same again", accounts(0, false)},
		{"half with another balance", accounts(many/2, false)},
		{"all with a token", accounts(0, true)},
		{"all left out", nil},
	} {
		began := time.Now()
		p.apply(c.list...)
		if took := time.Since(began); took > within {
			t.Errorf("%s: applied in %v, want %v", c.what, took, within)
		}
	}
}
