package questions

import "bizfin/internal/categorize"

// AskedAbout asks about counterparties as the service does.
func AskedAbout() func(incoming bool, counterparty, question string) Asked {
	engine := categorize.New()
	return func(incoming bool, counterparty, question string) Asked {
		return askedAbout(engine, incoming, counterparty, question)
	}
}
