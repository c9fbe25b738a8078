package bankfeed_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"bizfin/internal/bankfeed"
	"bizfin/internal/money"
)

// line is a row of account "now" on a day of March.
func line(id string, cents money.Amount, day int, change ...func(*bankfeed.Row)) bankfeed.Row {
	r := bankfeed.Row{
		ExternalID: id, FeedAccount: "now", Amount: cents, Currency: "USD",
		ProcessedDate: fmt.Sprintf("2026-03-%02d", day), Description: "LINE",
	}
	for _, c := range change {
		c(&r)
	}
	return r
}

func pending(r *bankfeed.Row)      { r.Pending = true }
func before(r *bankfeed.Row)       { r.FeedAccount = "before" }
func otherly(r *bankfeed.Row)      { r.Description = "OTHER LINE" }
func posted(r *bankfeed.Row)       { r.PendingID = "hold" }
func paired(s *bankfeed.Stored)    { s.Paired = true }
func deleted(s *bankfeed.Stored)   { s.Deleted = true }
func withdrawn(s *bankfeed.Stored) { s.Deleted, s.Withdrawn = true, true }

// kept is a row as it is stored.
func kept(r bankfeed.Row, change ...func(*bankfeed.Stored)) bankfeed.Stored {
	day, _ := time.Parse(time.DateOnly, r.ProcessedDate)
	s := bankfeed.Stored{
		ExternalID: r.ExternalID, FeedAccount: r.FeedAccount, Amount: r.Amount, Currency: r.Currency, Day: day,
		Description: r.Description, Pending: r.Pending,
		Bank: strings.Join([]string{
			strconv.FormatInt(int64(r.Amount), 10), r.AuthorizedDate, r.ProcessedDate,
			strconv.FormatBool(r.Pending), r.Currency, r.Description,
		}, " "),
	}
	for _, c := range change {
		c(&s)
	}
	return s
}

func TestAnUpdateBecomesAPlan(t *testing.T) {
	t.Parallel()
	type rows = []bankfeed.Row
	type stored = []bankfeed.Stored
	old := line("a", -500, 10)
	for name, test := range map[string]struct {
		whole   bool
		rows    rows
		removed []string
		refused []string
		stored  stored
		want    bankfeed.Plan
	}{
		"a new row is inserted":      {rows: rows{old}, want: bankfeed.Plan{Insert: rows{old}}},
		"the same row is left alone": {rows: rows{old}, stored: stored{kept(old)}},
		"a changed row keeps its place": {
			rows:   rows{line("a", -600, 10)},
			stored: stored{kept(old)},
			want:   bankfeed.Plan{Change: []bankfeed.Change{{0, line("a", -600, 10)}}},
		},
		"a row that came back is written": {
			rows:   rows{old},
			stored: stored{kept(old, withdrawn)},
			want:   bankfeed.Plan{Change: []bankfeed.Change{{0, old}}},
		},
		"what a person deleted is not": {rows: rows{old}, stored: stored{kept(old, deleted)}},
		"a removed row is retracted": {
			removed: []string{"a", "unknown"},
			stored:  stored{kept(old)},
			want:    bankfeed.Plan{Retract: []int{0}},
		},
		"a deleted one is not removed": {removed: []string{"a"}, stored: stored{kept(old, deleted)}},
		"a refused row stays": {
			whole: true, rows: rows{line("b", -1, 9)}, refused: []string{"a", "unknown"},
			stored: stored{kept(old)},
			want:   bankfeed.Plan{Insert: rows{line("b", -1, 9)}},
		},
		"a leg that changed is taken apart": {
			rows:   rows{line("a", -600, 10)},
			stored: stored{kept(old, paired)},
			want:   bankfeed.Plan{Change: []bankfeed.Change{{0, line("a", -600, 10)}}, Legs: []int{0}},
		},
		"a leg that was removed too": {
			removed: []string{"a"},
			stored:  stored{kept(old, paired)},
			want:    bankfeed.Plan{Retract: []int{0}, Legs: []int{0}},
		},
		"a leg that posts stays together": {
			rows:   rows{old},
			stored: stored{kept(line("a", -500, 10, pending), paired)},
			want:   bankfeed.Plan{Change: []bankfeed.Change{{0, old}}},
		},
		"a posted row becomes its hold": {
			rows:   rows{line("a", -500, 11, posted)},
			stored: stored{kept(line("hold", -400, 10, pending))},
			want:   bankfeed.Plan{Change: []bankfeed.Change{{0, line("a", -500, 11, posted)}}},
		},
		"a hold is not stored beside it": {
			rows: rows{line("hold", -400, 10, pending), line("a", -500, 11, posted)},
			want: bankfeed.Plan{Insert: rows{line("a", -500, 11, posted)}},
		},
		"a hold beside its stored row goes": {
			rows:   rows{line("a", -500, 11, posted)},
			stored: stored{kept(line("hold", -400, 10, pending)), kept(line("a", -500, 11))},
			want:   bankfeed.Plan{Retract: []int{0}},
		},
		"a complete list lacks what is gone": {
			whole: true, rows: rows{line("b", -1, 9)},
			stored: stored{kept(line("b", -1, 9)), kept(old)},
			want:   bankfeed.Plan{Retract: []int{1}},
		},
		"and says nothing of before it": {
			whole: true, rows: rows{line("b", -1, 11)},
			stored: stored{kept(line("b", -1, 11)), kept(old)},
		},
		"nor of an earlier connection": {
			whole: true, rows: rows{line("b", -1, 9)},
			stored: stored{kept(line("b", -1, 9)), kept(line("a", -500, 10, before))},
		},
		"but for what was pending there": {
			whole: true, rows: rows{line("b", -1, 9)},
			stored: stored{kept(line("b", -1, 9)), kept(line("a", -500, 10, before, pending))},
			want:   bankfeed.Plan{Retract: []int{1}},
		},
		"an update says nothing of others": {
			rows:   rows{line("b", -1, 9)},
			stored: stored{kept(line("b", -1, 9)), kept(old)},
		},
		"an earlier connection is adopted": {
			whole: true, rows: rows{line("b", -500, 12)},
			stored: stored{kept(line("a", -500, 10, before))},
			want:   bankfeed.Plan{Change: []bankfeed.Change{{0, line("b", -500, 12)}}},
		},
		"but not four days away": {
			whole: true, rows: rows{line("b", -500, 14)},
			stored: stored{kept(line("a", -500, 10, before))},
			want:   bankfeed.Plan{Insert: rows{line("b", -500, 14)}},
		},
		"nor without a complete list": {
			rows:   rows{line("b", -500, 10)},
			stored: stored{kept(line("a", -500, 10, before))},
			want:   bankfeed.Plan{Insert: rows{line("b", -500, 10)}},
		},
		"nor from this connection": {
			whole: true, rows: rows{line("b", -500, 10)},
			stored: stored{kept(old)},
			want:   bankfeed.Plan{Insert: rows{line("b", -500, 10)}, Retract: []int{0}},
		},
		"the same words are adopted first": {
			whole: true, rows: rows{line("b", -500, 10, otherly), line("c", -500, 10)},
			stored: stored{kept(line("a", -500, 10, before)), kept(line("z", -500, 10, before, otherly))},
			want: bankfeed.Plan{Change: []bankfeed.Change{{1, line("b", -500, 10, otherly)}, {0, line("c", -500,
				10)}}}},
		"the nearest day is adopted first": {
			whole: true, rows: rows{line("b", -500, 11)},
			stored: stored{kept(line("a", -500, 8, before)), kept(line("z", -500, 12, before))},
			want:   bankfeed.Plan{Change: []bankfeed.Change{{1, line("b", -500, 11)}}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := bankfeed.Update{Whole: test.whole, Rows: test.rows, Removed: test.removed, Refused: test.refused}
			got := bankfeed.PlanFor("now", test.rows, u, test.stored)
			if diff := cmp.Diff(test.want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("(-want +got): %s", diff)
			}
			if empty := len(test.want.Insert)+len(test.want.Change)+len(test.want.Retract) == 0; got.Empty() != empty {
				t.Errorf("empty: %t", got.Empty())
			}
		})
	}
}

func TestStoredRowsMatterFromThreeDaysBeforeACompleteList(t *testing.T) {
	t.Parallel()
	if got := bankfeed.Since([]bankfeed.Row{line("a", 1, 9), line("b", 1, 2), line("c", 1, 5)}); got != "2026-02-27" {
		t.Errorf("since %s", got)
	}
}
