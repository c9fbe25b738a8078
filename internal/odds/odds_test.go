package odds_test

import (
	"testing"

	"bizfin/internal/odds"
	"bizfin/internal/ontology"
)

// Every suggestion has odds in both directions, and the narrowest ones; all shares that they name add up.
func TestEverySuggestionHasOdds(t *testing.T) {
	t.Parallel()
	for _, c := range ontology.ScheduleC().All() {
		for _, incoming := range []bool{false, true} {
			o := odds.Of(c, incoming)
			if o.Incoming != incoming || o.Path != "" && !c.Is(o.Path) {
				t.Errorf("%s, incoming %v, has the odds of %q", c.Path, incoming, o.Path)
			}
		}
	}
	loan, _ := ontology.ScheduleC().ByPath("liability.loan_payment_unsplit")
	if o := odds.Of(loan, false); o.Path != loan.Path || o.Change(0) < 5 || o.Change(0) > 35 {
		t.Errorf("a loan has the odds of %q and is expected to change %d %%; want its interest", o.Path, o.Change(0))
	}
	own, _ := ontology.ScheduleC().ByPath("transfer.internal")
	if got := odds.Of(own, false).Change(0); got > 2 {
		t.Errorf("a move between own accounts is expected to change %d %% of its money", got)
	}
}

// What an amount looks like, and how it came, tells more than what is suggested of it.
func TestARoundSumOfAPersonCountsLessOftenThanOneToTheCent(t *testing.T) {
	t.Parallel()
	services, _ := ontology.ScheduleC().ByPath("revenue.sales.services")
	sent := odds.Row{Amount: 1_000_00, Suggested: services, Class: "p2p_person_in", Channel: "p2p"}
	exact := sent
	exact.Amount = 1_043_17
	if sent.Counts()+10 > exact.Counts() {
		t.Errorf("1,000.00 counts in %d percent of cases and 1,043.17 in %d", sent.Counts(), exact.Counts())
	}
	unseen := odds.Row{Amount: -12_34, Suggested: services, Class: "of tomorrow", Channel: "of tomorrow"}
	if got := unseen.Counts(); got < 1 || got > 99 {
		t.Errorf("what nobody has seen counts in %d percent of cases", got)
	}
}
