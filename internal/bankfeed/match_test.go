package bankfeed_test

import (
	"strings"
	"testing"

	"bizfin/internal/bankfeed"
)

// Accounts are written as "id", or "id/mask"; one of ours that is matched already, as "id=account".
func TestAMemberIsTheAccountThatTheProviderMeans(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ ours, provider, want string }{
		"by the provider's own id":           {"p1 p2", "p2 p1", "p1>p1 p2>p2"},
		"ids are compared exactly":           {"P1 x", "p1 p2", ""},
		"by the digits":                      {"x/1111 y/2222", "p2/2222 p1/1111", "x>p1 y>p2"},
		"by fewer digits":                    {"x/1111 y/2222", "p2/22 p1/111", "x>p1 y>p2"},
		"not by a single digit":              {"x/1 y/2", "p1/1 p2/2", ""},
		"the id before the digits":           {"p2/1111 y/2222", "p2/2222 p1/1111", "p2>p2"},
		"not by digits that two share":       {"x/1111 y/2222", "p1/1111 p2/1111", ""},
		"not by digits that two of ours":     {"x/1111 y/1111", "p1/1111 p2/2222", ""},
		"the only one is the only one":       {"x", "p1", "x>p1"},
		"also where one knows no digits":     {"x/1111", "p1", "x>p1"},
		"not where the digits differ":        {"x/1111", "p1/2222", ""},
		"not where the provider has two":     {"x", "p1 p2", ""},
		"not where we have two":              {"x y", "p1", ""},
		"some match and some do not":         {"p1 x", "p1 p2 p3", "p1>p1"},
		"the digits of what is left decide":  {"p1/1111 x/1111", "p1/1111 p2/1111", "p1>p1 x>p2"},
		"digits say more than being the one": {"x/1111", "p1/2222 p2/1111", "x>p2"},
		"what is matched stays":              {"p2=p1", "p2", "p2>p1"},
		"and is nobody else's":               {"x=p1 p1", "p1", "x>p1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var members []bankfeed.Member
			for account := range strings.FieldsSeq(test.ours) {
				account, matched, _ := strings.Cut(account, "=")
				id, mask, _ := strings.Cut(account, "/")
				members = append(members, bankfeed.Member{ExternalID: id, Mask: mask, FeedAccount: matched})
			}
			var shown []bankfeed.Account
			for account := range strings.FieldsSeq(test.provider) {
				id, mask, _ := strings.Cut(account, "/")
				shown = append(shown, bankfeed.Account{ID: id, Mask: mask})
			}
			var got []string
			for _, m := range bankfeed.Match(members, shown, len(shown)) {
				if m.FeedAccount != "" {
					got = append(got, m.ExternalID+">"+m.FeedAccount)
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("matched are %q, want %q", got, test.want)
			}
		})
	}
}

func TestOnlyAFeedFromTheStartMatchesWhatWasPassedOver(t *testing.T) {
	t.Parallel()
	u := bankfeed.Update{Accounts: []bankfeed.Account{{ID: "p1"}, {ID: "p2"}}}
	for whole, want := range map[bool]int{false: 1, true: 2} {
		u.Whole = whole
		fresh, all := u.Unseen([]string{"p1", "p0"})
		if len(fresh) != want || strings.Join(all, " ") != "p1 p0 p2" {
			t.Errorf("whole %t: fresh %v of %v", whole, fresh, all)
		}
	}
}
