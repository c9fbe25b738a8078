// Package questionstest asks for tests what the service would ask.
package questionstest

import (
	"strings"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/questions"
)

// About is what is asked about a counterparty whose line says no more than its name.
func About(engine *categorize.Engine, incoming bool, counterparty string) *questions.Question {
	l := questions.Line{Description: strings.ToUpper(counterparty), Amount: money.Amount(-100_00)}
	if incoming {
		l.Amount = -l.Amount
	}
	return questions.Of(
		l,
		engine.Decide(categorize.Line{Description: l.Description, Amount: l.Amount}, categorize.Memory{}),
	)
}
