package store

import (
	"fmt"
	"strings"
)

// arguments are the values of a statement, in the order of their placeholders.
type arguments []any

// add takes a value and returns its placeholder.
func (a *arguments) add(value any) string {
	*a = append(*a, value)
	return fmt.Sprintf("$%d", len(*a))
}

// where collects conditions; several of one statement share their arguments.
type where struct {
	args       *arguments
	conditions []string
}

// and adds a condition; each ? in it stands for the next value.
func (w *where) and(condition string, values ...any) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(condition, "?")
		b.WriteString(before)
		if !found {
			break
		}
		b.WriteString(w.args.add(values[0]))
		values, condition = values[1:], after
	}
	w.conditions = append(w.conditions, b.String())
}

func (w where) String() string { return strings.Join(w.conditions, "\n  AND ") }
