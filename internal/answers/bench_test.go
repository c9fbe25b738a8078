package answers

import (
	"fmt"
	"strings"
	"testing"
)

// Sentences of whoever writes as much as an answer takes, to a question of a thousand rows with as many.
func BenchmarkSentences(b *testing.B) {
	var lines []string
	for i := range 1000 {
		lines = append(lines, fmt.Sprintf("%d.00 Zebra%d Quux%d Holdings|ACH ZEBRA%d QUUX%d", i+1, i, i, i, i))
	}
	q := asksOf(false, lines...)
	for name, words := range map[string]string{
		"words":   strings.Repeat("quux ", 400),
		"names":   strings.Repeat("Zebra1 and ", 180),
		"numbers": strings.Repeat("#123 and ", 220),
		"clauses": "Zebra1 is my lawyer, " + strings.Repeat("to pay, ", 140),
		"denials": strings.Repeat("not Zebra1, ", 160),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				Understand(q, words, nil)
			}
		})
	}
}
