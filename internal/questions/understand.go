package questions

import (
	"fmt"
	"strings"
)

// Understand reads an answer: a chosen option, a reserved word, the label of an option, the name of a category or of a
// relationship that says what the money is, or words whose meaning stands clear. Other words are unclear.
func Understand(q Asked, words string, option *string) Meaning {
	if option == nil {
		if m, ok := q.nothingSaid(words); ok {
			return m
		}
		if m, ok := q.understandParts(separated(words)); ok {
			return m
		}
		if each, ok := q.ofEachReading(words, q.rows()); ok {
			return Meaning{Exceptions: each, Partial: true}
		}
	}
	m := q.saidOfAll(words, option)
	if option == nil {
		return q.ofOthers(words, m, false)
	}
	return m
}

// AskAfter asks what words mean that were not understood.
func AskAfter(words string) string {
	const most = 120
	if runes := []rune(words); len(runes) > most {
		words = string(runes[:most]) + "…"
	}
	return fmt.Sprintf("You wrote %q. Which of these is it?", words)
}

// NeedsLines reports whether what an answer means depends on the rows of its question: words do, save for one alone.
func (q Asked) NeedsLines(words string, option *string) bool {
	if o, ok := q.chosen(plain(words), option); ok {
		return o.Value == AsRead
	}
	return option == nil && !q.Company && (q.readApart() || len(strings.Fields(separated(words))) > 1 || mayName(words))
}
