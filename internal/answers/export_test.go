package answers

import (
	"bizfin/internal/categorize"
	"bizfin/internal/questions/questionstest"
	"bizfin/internal/wording"
)

// AskedAbout asks about counterparties as the service does; of one that was made up it knows nothing.
func AskedAbout() func(incoming bool, counterparty, question string) Asked {
	engine := categorize.New()
	return func(incoming bool, counterparty, question string) Asked {
		q := Asked{Context: wording.Context{Incoming: &incoming}}
		if counterparty != "" && counterparty != "Quorvane" {
			q.Question, q.Options = question, questionstest.About(engine, incoming, counterparty).Options
		}
		return q
	}
}
