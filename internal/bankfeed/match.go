package bankfeed

import (
	"slices"
	"strings"
)

// Member is an account of the business that carries the token of a feed. The tags are the names that it is read by.
type Member struct {
	ExternalID  string `db:"external_id"`  // the partner's
	Mask        string `db:"mask"`         // the last digits of the account number; may be empty
	FeedAccount string `db:"feed_account"` // the provider's account that it is; empty where that is not known
}

// Match finds out which of the provider's accounts each member is. A partner's id of an account may be the provider's
// own, and then says it. Else the last digits of the account number do, where no other account on either side shares
// them. Else a token's only account is the only account that the provider has shown, unless their digits differ. What
// is found stays while the token does. fresh are the accounts to be matched (see Unseen), and seen is how many the
// provider has shown in all.
func Match(members []Member, fresh []Account, seen int) []Member {
	members = slices.Clone(members)
	taken := map[string]bool{}
	for _, m := range members {
		taken[m.FeedAccount] = true
	}
	fresh = slices.DeleteFunc(slices.Clone(fresh), func(a Account) bool { return taken[a.ID] })
	free := func(a Account) bool { return !taken[a.ID] }
	take := func(m *Member, a Account) {
		m.FeedAccount = a.ID
		taken[a.ID] = true
	}
	for i := range members {
		m := &members[i]
		at := slices.IndexFunc(fresh, func(a Account) bool { return a.ID == m.ExternalID })
		if at >= 0 && m.FeedAccount == "" && free(fresh[at]) {
			take(m, fresh[at])
		}
	}
	open := slices.DeleteFunc(slices.Clone(fresh), func(a Account) bool { return !free(a) })
	var pairs [][2]int
	for i, m := range members {
		for j, a := range open {
			if m.FeedAccount == "" && sameDigits(m.Mask, a.Mask) {
				pairs = append(pairs, [2]int{i, j})
			}
		}
	}
	for _, p := range pairs {
		shared := func(q [2]int) bool { return q != p && (q[0] == p[0] || q[1] == p[1]) }
		if !slices.ContainsFunc(pairs, shared) {
			take(&members[p[0]], open[p[1]])
		}
	}
	only := len(members) == 1 && seen == 1 && len(open) == 1
	if only && members[0].FeedAccount == "" && !otherDigits(members[0].Mask, open[0].Mask) {
		take(&members[0], open[0])
	}
	return members
}

// sameDigits compares the ends of account numbers, of which one side may know fewer digits: at least two.
func sameDigits(a, b string) bool {
	return min(len(a), len(b)) >= 2 && (strings.HasSuffix(a, b) || strings.HasSuffix(b, a))
}

func otherDigits(a, b string) bool { return min(len(a), len(b)) >= 2 && !sameDigits(a, b) }
