package books

import (
	"maps"
	"slices"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Line is where money of a category stands: on a line of Schedule C, or off the form in a branch such as "equity".
func Line(c *ontology.Category) string {
	if !c.Kind.OnForm() {
		return c.Root().Path
	}
	return c.ScheduleCLine
}

// Lines are the parts' amounts by line, money in positive. Lines that come to nothing are left out.
func Lines(parts []Part) map[string]money.Amount {
	lines := map[string]money.Amount{}
	for _, part := range parts {
		lines[Line(part.Category)] += part.Amount
	}
	maps.DeleteFunc(lines, func(_ string, sum money.Amount) bool { return sum == 0 })
	return lines
}

// Profit is what the parts add to net profit: those of the revenue, cogs and expense branches.
func Profit(parts []Part) money.Amount {
	var sum money.Amount
	for _, part := range parts {
		if part.Category.Kind.OnForm() {
			sum += part.Amount
		}
	}
	return sum
}

// Truth is all parts of the rows from one day to another, both included, as 2025-01-31.
func (b *Book) Truth(from, to string) []Part {
	var parts []Part
	for _, row := range b.Rows {
		if from <= row.Date && row.Date <= to {
			parts = append(parts, row.Truth...)
		}
	}
	return parts
}

// GrossReceipts are line 1 of the whole book, the measure of what matters.
func (b *Book) GrossReceipts() money.Amount {
	return Lines(b.Truth("", "9"))["1"]
}

// Months are the months that have rows, as 2025-01, in order.
func (b *Book) Months() []string {
	months := map[string]bool{}
	for _, row := range b.Rows {
		months[row.Date[:7]] = true
	}
	return slices.Sorted(maps.Keys(months))
}
