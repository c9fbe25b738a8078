package server

import (
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/store"
)

// What one question is about turns out in one way where its suggestions are of one kind, and else each kind in its own:
// that a telephone is used at home says nothing of the health insurance that is asked about with it.
func TestEachKindOfMoneyOfAQuestionTurnsOutInItsOwnWay(t *testing.T) {
	t.Parallel()
	issue := uuid.New()
	sum := func(path string, outflow money.Amount) store.OpenSum {
		c, ok := ontology.ScheduleC().ByPath(path)
		if !ok {
			t.Fatalf("no category %s", path)
		}
		s := store.OpenSum{Issue: &issue, CategoryID: c.ID}
		s.Outflow = money.TotalOf(outflow)
		return s
	}
	groups := gathered([]store.OpenSum{
		sum("expense.utilities.internet", 50_00), sum("personal.health_insurance", 300_00),
		sum("expense.utilities.power_water", 70_00),
	})
	if len(groups) != 2 || groups[0].Outflow != money.TotalOf(300_00) || groups[1].Outflow != money.TotalOf(120_00) {
		t.Errorf("%+v, want the health insurance and what is used at home apart", groups)
	}
}
