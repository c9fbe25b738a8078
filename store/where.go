package store

import (
	"fmt"
	"strings"
)

// where collects the conditions of a list and their arguments.
type where struct {
	conditions []string
	args       []any
}

// arg adds an argument and returns its placeholder.
func (w *where) arg(value any) string {
	w.args = append(w.args, value)
	return fmt.Sprintf("$%d", len(w.args))
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
		b.WriteString(w.arg(values[0]))
		values, condition = values[1:], after
	}
	w.conditions = append(w.conditions, b.String())
}

// plus copies w with one more condition that takes no values.
func (w where) plus(condition string) where {
	w.conditions = append(w.conditions[:len(w.conditions):len(w.conditions)], condition)
	return w
}

func (w where) String() string { return strings.Join(w.conditions, "\n  AND ") }
