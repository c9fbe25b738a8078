package books

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Filed is what a service makes of a row.
type Filed struct {
	Established []Part // what its reports count; adds up to the row, or is empty
	Suggested   []Part // what it guesses where nothing is established; may be empty
	FromMemory  bool   // established by what was answered about other rows
}

// Standing is how a service's books compare with the truth. Money is never negative here.
type Standing struct {
	// Rows, those established, and of these the ones whose money is on its true lines.
	Rows, Established, Right int

	// Of the established rows that are not right: money that came in and misses nothing of the profit, such as a payout
	// named after the fees that were taken off of it; and rows on their true lines, in other shares of them.
	Net, Shares int

	// Dollars of all rows and of the established ones, by size.
	Dollars, Decided money.Amount

	// By how much established rows miss their true part of net profit, each by itself.
	Silent money.Amount

	// Dollars of established rows on another line than the true one: half the sum of line differences.
	Misfiled money.Amount

	// Dollars of rows not established. Each wholly in or wholly out is the widest range of net profit.
	Open money.Amount
}

// Measure compares what is made of rows with what they are. filed is by row id; a row without an entry is open.
func Measure(rows []Row, filed map[string]Filed) Standing {
	var s Standing
	differences := map[string]money.Amount{}
	for _, row := range rows {
		s.Rows++
		s.Dollars += size(row.Amount)
		parts := filed[row.ID].Established
		if len(parts) == 0 {
			s.Open += size(row.Amount)
			continue
		}
		s.Established++
		s.Decided += size(row.Amount)
		s.Silent += Missed(row, parts)
		switch {
		case Right(row, parts):
			s.Right++
		case row.Amount > 0 && Missed(row, parts) == 0:
			s.Net++
		case slices.Equal(slices.Sorted(maps.Keys(Lines(parts))), slices.Sorted(maps.Keys(Lines(row.Truth)))):
			s.Shares++
		}
		for line, amount := range Lines(parts) {
			differences[line] += amount
		}
		for line, amount := range Lines(row.Truth) {
			differences[line] -= amount
		}
	}
	for _, difference := range differences {
		s.Misfiled += size(difference)
	}
	s.Misfiled /= 2
	return s
}

// Right reports whether parts put a row's money on its true lines of the form, or off the form in its true branches.
func Right(row Row, parts []Part) bool { return maps.Equal(Lines(parts), Lines(row.Truth)) }

// Missed is by how much net profit is missed where a row is taken for these parts.
func Missed(row Row, parts []Part) money.Amount { return size(Profit(parts) - Profit(row.Truth)) }

// LineError is a line of the form in the books of a whole year.
type LineError struct {
	Line         string
	Truth, Filed money.Amount // money in positive
}

// LineErrors are the lines of the form that established rows miss by more than 2 %, the furthest off first.
func LineErrors(rows []Row, filed map[string]Filed) []LineError {
	var truth, established []Part
	for _, row := range rows {
		truth = append(truth, onForm(row.Truth)...)
		established = append(established, onForm(filed[row.ID].Established)...)
	}
	is, should := Lines(established), Lines(truth)
	var errors []LineError
	for line := range merged(is, should) {
		if 50*size(is[line]-should[line]) > size(should[line]) {
			errors = append(errors, LineError{Line: line, Truth: should[line], Filed: is[line]})
		}
	}
	slices.SortFunc(errors, func(a, b LineError) int {
		return int(size(b.Filed-b.Truth) - size(a.Filed-a.Truth))
	})
	return errors
}

func onForm(parts []Part) []Part {
	return slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return !p.Category.Kind.OnForm() })
}

func merged(a, b map[string]money.Amount) map[string]money.Amount {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// size is an amount without its sign.
func size(a money.Amount) money.Amount { return max(a, -a) }

// most is the category of the most dollars, and the percentage of dollars on its line.
func most(rows []Row) (best *ontology.Category, percent money.Amount) {
	categories, lines := map[string]money.Amount{}, map[string]money.Amount{}
	var all money.Amount
	for _, row := range rows {
		for _, part := range row.Truth {
			categories[part.Category.Path] += size(part.Amount)
			lines[Line(part.Category)] += size(part.Amount)
			all += size(part.Amount)
		}
	}
	line := largest(lines)
	maps.DeleteFunc(categories, func(path string, _ money.Amount) bool {
		c, _ := ontology.ScheduleC().ByPath(path)
		return Line(c) != line
	})
	best, _ = ontology.ScheduleC().ByPath(largest(categories))
	return best, 100 * lines[line] / max(all, 1)
}

// largest is the key of the largest amount, the first by name of equal ones.
func largest(amounts map[string]money.Amount) string {
	keys := slices.Sorted(maps.Keys(amounts))
	if len(keys) == 0 {
		return ""
	}
	return slices.MaxFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(amounts[a], amounts[b]), strings.Compare(b, a))
	})
}
