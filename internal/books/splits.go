package books

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/split"
)

// thing is what rows are: one category, or several with their parts.
type thing struct {
	paths string // of its parts, sorted; what rows that are the same thing share
	rows  []Row
	size  money.Amount
	refs  []string     // by which an answer can name rows
	named money.Amount // the size of those
}

// several is whether the rows are several things at once.
func (t thing) several() bool { return strings.Contains(t.paths, ";") }

// kindOf is what a row is: the line of the form of its one category, or the categories of its parts.
func kindOf(row Row) string {
	if len(row.Truth) == 1 {
		return Line(row.Truth[0].Category)
	}
	var paths []string
	for _, p := range row.Truth {
		paths = append(paths, p.Category.Path)
	}
	slices.Sort(paths)
	return strings.Join(slices.Compact(paths), ";")
}

// say is what an owner says of rows that are one thing; whole is whether it is true of every row, or of the year that
// they are of. ok is false where it can only be said row by row.
func (t thing) say() (words string, whole, ok bool) {
	if !t.several() {
		best, _ := most(t.rows)
		return best.Path, true, true
	}
	for _, way := range []func([]Row) (string, bool){amounts, percents, ofYear} {
		if words, ok := way(t.rows); ok {
			return words, true, true
		}
	}
	words, ok = about(t.rows)
	return words, false, ok
}

// partsOf are a row's parts as an owner speaks of them: first what was taken off, then those of the business.
func partsOf(row Row) []Part {
	parts := slices.Clone(row.Truth)
	slices.SortStableFunc(parts, func(a, b Part) int {
		first := func(p Part) int {
			if p.Category.Kind.OnForm() {
				return 0
			}
			return 1
		}
		return cmp.Or(later(a, row)-later(b, row), cmp.Compare(first(a), first(b)),
			cmp.Compare(a.Category.Path, b.Category.Path))
	})
	return parts
}

// phrase names the parts of rows by their shares; the last is what the others leave. What went the other way is taken
// off.
func phrase(row Row, share func(part int) string) string {
	var said []string
	parts := partsOf(row)
	for i, p := range parts {
		words := share(i)
		if i == len(parts)-1 {
			words = "rest"
		}
		if off(p, row) {
			words = "less " + words
		}
		said = append(said, words+" "+p.Category.Path)
	}
	return strings.Join(said, ", ")
}

// off is whether a part went the other way than the bank's row.
func off(p Part, row Row) bool { return (p.Amount < 0) != (row.Amount < 0) }

// later is 1 for a part that is named after those that are taken off.
func later(p Part, row Row) int {
	if off(p, row) {
		return 0
	}
	return 1
}

// alikeIn is whether rows have the same parts in the same order, each either taken off of all or of none.
func alikeIn(rows []Row) bool {
	first := partsOf(rows[0])
	return !slices.ContainsFunc(rows, func(row Row) bool {
		return !slices.EqualFunc(first, partsOf(row), func(a, b Part) bool {
			return a.Category == b.Category && off(a, rows[0]) == off(b, row)
		})
	})
}

// net is whether parts of rows went the other way.
func net(rows []Row) bool {
	return slices.ContainsFunc(rows, func(row Row) bool {
		return slices.ContainsFunc(row.Truth, func(p Part) bool { return off(p, row) })
	})
}

// amounts says parts that have the same amounts in every row, but for the rest: a line of a telephone bill.
func amounts(rows []Row) (string, bool) {
	if !alikeIn(rows) {
		return "", false
	}
	first := partsOf(rows[0])
	for _, row := range rows {
		parts := partsOf(row)
		for i := range len(first) - 1 {
			if parts[i].Amount != first[i].Amount {
				return "", false
			}
		}
	}
	return phrase(rows[0], func(i int) string { return size(first[i].Amount).String() }), true
}

// percents says parts that have the same shares of every row, to the cent.
func percents(rows []Row) (string, bool) {
	if !alikeIn(rows) {
		return "", false
	}
	first := partsOf(rows[0])
	points := make([]money.Amount, len(first))
	for i, p := range first {
		points[i] = percentOf(p.Amount, rows[0].Amount)
	}
	if !sayable(points) {
		return "", false
	}
	for _, row := range rows {
		for i, p := range partsOf(row) {
			if size(100*p.Amount-points[i]*row.Amount) > 100 { // a cent
				return "", false
			}
		}
	}
	return phrase(rows[0], func(i int) string { return fmt.Sprintf("%d%%", size(points[i])) }), true
}

// statement says what a processor's statement of the year does: what customers paid, and what was taken off of it. ok
// is false where nothing was.
func statement(rows []Row) (words string, ok bool) {
	year := rows[0].Date[:4]
	sums := map[string]money.Amount{}
	var all money.Amount
	for _, row := range rows {
		if row.Date[:4] != year || (row.Amount < 0) != (rows[0].Amount < 0) {
			return "", false
		}
		all += row.Amount
		for _, p := range row.Truth {
			sums[p.Category.Path] += p.Amount
		}
	}
	total := Row{Amount: all}
	for path, sum := range sums {
		if c, _ := ontology.ScheduleC().ByPath(path); sum != 0 { // what was set aside and given free again is none
			total.Truth = append(total.Truth, Part{c, sum})
		}
	}
	parts := partsOf(total)
	if last := parts[len(parts)-1]; !net([]Row{total}) || off(last, total) || len(parts) > split.MostParts {
		return "", false
	}
	return phrase(total, func(i int) string { return size(parts[i].Amount).String() }) + " in " + year, true
}

// ofYear says the sums of a year, as a lender's or a payroll's statement does.
func ofYear(rows []Row) (string, bool) {
	stated := func(path string) bool {
		return strings.HasPrefix(path, "liability.") || strings.HasPrefix(path, "expense.interest") ||
			path == "expense.taxes_licenses.payroll"
	}
	if !slices.ContainsFunc(rows[0].Truth, func(p Part) bool { return stated(p.Category.Path) }) || net(rows) {
		return "", false
	}
	sums := make([]money.Amount, len(rows[0].Truth))
	for _, row := range rows {
		if row.Date[:4] != rows[0].Date[:4] {
			return "", false
		}
		for i, p := range partsOf(row) {
			sums[i] += p.Amount
		}
	}
	return phrase(rows[0], func(i int) string { return size(sums[i]).String() }) + " in " + rows[0].Date[:4], true
}

// about says shares that are true of nine tenths of the money: roughly a third of it.
func about(rows []Row) (string, bool) {
	if net(rows) && !alikeIn(rows) {
		return "", false
	}
	sums := make([]money.Amount, len(rows[0].Truth))
	var all, missed money.Amount
	for _, row := range rows {
		all += row.Amount
		for i, p := range partsOf(row) {
			sums[i] += p.Amount
		}
	}
	points := make([]money.Amount, len(sums))
	for i, sum := range sums {
		points[i] = percentOf(sum, all)
	}
	for _, row := range rows {
		for i, p := range partsOf(row) {
			missed += size(100*p.Amount - points[i]*row.Amount)
		}
	}
	if missed > 2*10*size(all) || slices.Contains(points, 0) || !sayable(points) {
		return "", false
	}
	return phrase(rows[0], func(i int) string { return fmt.Sprintf("%d%%", size(points[i])) }), true
}

// sayable is whether shares may be said in percent: none but the last, which is the rest, is more than the row, as one
// beside what was taken off may be.
func sayable(points []money.Amount) bool {
	return !slices.ContainsFunc(points[:len(points)-1], func(p money.Amount) bool { return size(p) > 100 })
}

// percentOf is the nearest share in percent, of half a percent the larger; negative where the part went the other way.
func percentOf(part, whole money.Amount) money.Amount {
	points := (200*size(part) + size(whole)) / (2 * size(whole))
	if (part < 0) != (whole < 0) {
		return -points
	}
	return points
}
