package questions

import (
	"slices"
	"testing"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// What moves to an account and from it is one question, whose options fit both ways: nobody is paid by what comes in,
// and nothing is sold by what goes out.
func TestMovesBothWaysOfferWhatFitsBoth(t *testing.T) {
	t.Parallel()
	ask := func(amount money.Amount) Ask {
		l := Line{ID: uuid.New(), Amount: amount, Currency: "USD"}
		return Ask{Line: l, Question: OfTransfer("the account at PayPal", l, categorize.Decision{})}
	}
	in, out := ask(900_00), ask(-900_00)
	for want, asks := range map[string][]Ask{"revenue.sales": {in}, "expense.contract_labor": {out},
		"": {in, out}, " ": {out, in}} {
		groups := Gather(asks, nil)
		var offered []string
		for _, o := range groups[0].Question.Options {
			offered = append(offered, o.Value)
		}
		for _, path := range []string{"revenue.sales", "expense.contract_labor"} {
			if slices.Contains(offered, path) != (path == want) {
				t.Errorf("of %d rows %q is offered, want %q", len(asks), offered, want)
			}
		}
	}
}

// What most of a family is says of a row that was not shown what it can: that all is private, of whatever it reads;
// that it is health insurance, that the others are private; and one cost nothing of another.
func TestWhatIsSaidOfMostOfAFamilySaysOfOthersWhatItCan(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about                 Key
		answered, reads, want string
	}{
		{AtHome, "personal.health_insurance", "expense.car_truck.fuel", "personal.living"},
		{AtHome, "personal.health_insurance", "personal.health_insurance", "personal.health_insurance"},
		{AtHome, "equity.owner_draw", "expense.car_truck.fuel", "equity.owner_draw"},
		{Away, "expense.travel.lodging", "expense.meals", "expense.meals"},
		{People, "expense.contract_labor", "expense.rent.property", "expense.contract_labor"},
	} {
		if got := c.about.Seems(ontology.MustPath(c.answered), ontology.MustPath(c.reads)); got.Path != c.want {
			t.Errorf("answered %s, what reads %s seems %s, want %s", c.answered, c.reads, got.Path, c.want)
		}
	}
}
