package answers

import (
	"testing"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// Who says that something is a cost of goods sold has said on which line it is: materials alone may be the shop's.
func TestTheCostOfGoodsSoldIsSaidByItsName(t *testing.T) {
	asked := Asked{Context: wording.Context{Incoming: new(bool), Question: "What do you pay Pool Corp for?",
		Options: []questions.Option{{Value: "expense.supplies.materials"}, {Value: "cogs.purchases"},
			{Value: "personal.living"}}}}
	for words, path := range map[string]string{
		"Cost of goods sold, materials":          "cogs.materials",
		"materials (cost of goods sold)":         "cogs.materials",
		"Cogs - packaging":                       "cogs.other.packaging",
		"cost of goods sold: things for resale":  "cogs.purchases",
		"Lab lenses: cost of goods, materials":   "cogs.materials",
		"It's cost of goods":                     "cogs.purchases", // the one that is offered
		"freight in, cost of goods sold":         "cogs.other.freight_in",
		"Job materials":                          "expense.supplies.materials",
		"not cost of goods sold, shop materials": "",
		"60% cost of goods sold, rest personal":  "",
	} {
		m := Understand(asked, words, nil)
		c, _ := ontology.ScheduleC().ByID(m.CategoryID)
		switch {
		case c == nil && path != "" || c != nil && c.Path != path && path != "":
			t.Errorf("%q means %+v, want %s", words, m, path)
		case path == "" && c != nil && c.Is("cogs"):
			t.Errorf("%q means %s", words, c.Path)
		}
	}
}
