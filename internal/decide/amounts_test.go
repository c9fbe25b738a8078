package decide_test

import (
	"path/filepath"
	"testing"

	"bizfin/internal/books"
	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// said is a kind of money of which the amount or the day says more than the line, and the like of it that it is told
// from.
type said struct {
	what           string
	inside, beside func(d decide.Decision, amount money.Amount) bool
	counts         bool // most of it inside counts in the profit, beside it does not
}

func saids() []said {
	in := func(channel string) func(d decide.Decision) bool {
		return func(d decide.Decision) bool { return d.Row.Amount > 0 && d.Channel == channel }
	}
	out := func(channel string) func(d decide.Decision) bool {
		return func(d decide.Decision) bool { return d.Row.Amount < 0 && d.Channel == channel }
	}
	class := func(name string) func(d decide.Decision) bool {
		return func(d decide.Decision) bool { return d.Row.Amount < 0 && d.Class == name }
	}
	in500s := func(a money.Amount) bool { return a >= 1_000_00 && a%500_00 == 0 }
	in100s := func(a money.Amount) bool { return a >= 1_000_00 && a%100_00 == 0 }
	checks500s := func(a money.Amount) bool { return a < 3_000_00 && a%500_00 == 0 }
	small50s := func(a money.Amount) bool { return a <= 200_00 && a%50_00 == 0 }
	large := func(a money.Amount) bool { return a >= 5_000_00 && a%500_00 != 0 }
	exact := func(a money.Amount) bool { return a%1_00 != 0 }
	of := func(is func(d decide.Decision) bool, so func(a money.Amount) bool, whether bool) func(decide.Decision,
		money.Amount) bool {
		return func(d decide.Decision, a money.Amount) bool { return is(d) && so(a) == whether }
	}
	split := func(what string, is func(d decide.Decision) bool, so func(a money.Amount) bool, counts bool) said {
		return said{what, of(is, so, true), of(is, so, false), counts}
	}
	return []said{
		split("sent by people with an app, in five hundreds from 1,000 on", in("p2p"), in500s, false),
		split("paid in at the bank, in five hundreds from 1,000 on", in("deposit"), in500s, false),
		split("sent to people with an app, in whole hundreds from 1,000 on", out("p2p"), in100s, false),
		split("checks in five hundreds below 3,000", out("check"), checks500s, false),
		split("checks of 50 to 200 in fifties", out("check"), small50s, false),
		split("checks from 5,000 on, but for five hundreds", out("check"), large, true),
		split("wires to who is not known, from 5,000 on, but for five hundreds", class("wire_out"), large, true),
		split("sent by people with an app, from 5,000 on, but for five hundreds", in("p2p"), large, true),
		split("a state's tax that it does not name, to the cent", class("state_tax"), exact, true),
	}
}

// TestWhatAmountsSay counts over the labelled books that may be read how much of money counts in the profit where the
// amount says something of it, and how much of its like.
func TestWhatAmountsSay(t *testing.T) {
	t.Parallel()
	folders, err := filepath.Glob("../books/testdata/[ft]*/*/business.yaml")
	if err != nil || len(folders) < 200 {
		t.Fatalf("%d books, %v", len(folders), err)
	}
	type sum struct{ all, counts money.Amount }
	kinds := saids()
	inside, beside := make([]sum, len(kinds)), make([]sum, len(kinds))
	for _, file := range folders {
		book, err := books.Load(filepath.Dir(file))
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range decided(t, book) {
			c, ok := ontology.ScheduleC().ByID(d.CategoryID)
			if d.Established || !ok || c.Kind == ontology.KindTransfer {
				continue
			}
			size := max(d.Row.Amount, -d.Row.Amount)
			counts := books.Profit(book.Rows[i].Truth)
			counts = max(counts, -counts)
			for k, kind := range kinds {
				switch {
				case kind.inside(d, size):
					inside[k].all, inside[k].counts = inside[k].all+size, inside[k].counts+counts
				case kind.beside(d, size):
					beside[k].all, beside[k].counts = beside[k].all+size, beside[k].counts+counts
				}
			}
		}
	}
	for k, kind := range kinds {
		in, out := percent(inside[k].counts, inside[k].all), percent(beside[k].counts, beside[k].all)
		t.Logf("%s: of %v %.1f %% count in the profit, of the other %v %.1f %%", kind.what, inside[k].all, in,
			beside[k].all, out)
		if kind.counts && in < 50 || !kind.counts && in > 45 {
			t.Errorf("%s: %.1f %% count", kind.what, in)
		}
	}
}
