package answers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"bizfin/internal/questions"
)

// NotUnderstood begins what a question about rows that an answer left open says of it, behind why it is asked.
const NotUnderstood = " Not understood of what you wrote: "

// Missed is what an answer says of rows that stay open as that was not understood, as their question says it; empty
// where nothing was missed.
func (m Meaning) Missed() string {
	const (
		most    = 5
		longest = 80 // characters of each
	)
	var all, said []string
	for _, e := range m.Exceptions {
		all = append(all, e.Missed)
	}
	for _, missed := range append(all, m.Unheard...) {
		words := []rune(missed)
		if len(words) > longest {
			words = append(words[:longest:longest], '…')
		}
		if quoted := strconv.Quote(string(words)); len(words) > 0 && !slices.Contains(said, quoted) {
			said = append(said, quoted)
		}
	}
	more := ""
	if len(said) > most {
		said, more = said[:most], " and more"
	}
	if said == nil {
		return ""
	}
	hint := ""
	if strings.Contains(strings.ToLower(strings.Join(said, " ")), "sales tax") {
		hint = fmt.Sprintf(" Sales tax is %q, or %q where it is no part of what you count as receipts.",
			questions.SalesTaxIncluded.Name, questions.SalesTaxCollected.Name)
	}
	return NotUnderstood + strings.Join(said, ", ") + more + "." + hint
}
