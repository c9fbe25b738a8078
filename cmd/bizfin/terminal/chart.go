package terminal

import (
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"bizfin/internal/money"
)

const (
	full          = "█"
	eighthsAcross = " ▏▎▍▌▋▊▉"
	eighthsUp     = " ▁▂▃▄▅▆▇"
)

// Bar is a bar of so many columns at most, which the largest value takes in full. What is not nothing is never drawn as
// nothing.
func Bar(value, largest money.Total, columns int) string {
	n := eighths(value, largest, columns)
	return strings.Repeat(full, n/8) + strings.TrimSpace(string([]rune(eighthsAcross)[n%8]))
}

// Balance draws a value to the right of a middle line where it is positive and to the left where it is negative: the
// range of the values, from the least to the most, is spread over the columns.
func Balance(value, least, most money.Total, columns int) string {
	left, right := least.Neg(), most
	if least.Sign() > 0 {
		left = money.Total{}
	}
	if most.Sign() < 0 {
		right = money.Total{}
	}
	spread := left.Plus(right)
	toLeft := (eighths(left, spread, columns) + 7) / 8
	if value.Sign() >= 0 {
		return strings.Repeat(" ", toLeft) + Bar(value, spread, columns)
	}
	n := min(max(1, (eighths(value, spread, columns)+4)/8), toLeft)
	return strings.Repeat(" ", toLeft-n) + strings.Repeat("▒", n)
}

// eighths is how many eighths of a column the size of a value takes of so many columns.
func eighths(value, largest money.Total, columns int) int {
	share, ok := value.Abs().Over(largest)
	if !ok || value.Sign() == 0 {
		return 0
	}
	const whole = 10_000 // of a money.Ratio
	return max(1, (int(share)*columns*8+whole/2)/whole)
}

// Group is two bars that stand beside each other, with a label under them.
type Group struct {
	Label       string // at most four columns
	Left, Right money.Total
}

// Columns draws groups of standing bars, the left ones in the first style, with the scale beside them.
func (s *Screen) Columns(groups []Group, rows int, first, second Style) {
	var largest money.Total
	for _, g := range groups {
		for _, value := range []money.Total{g.Left, g.Right} {
			if value.Compare(largest) > 0 {
				largest = value
			}
		}
	}
	top := roundUp(largest)
	mark := func(t money.Total) string { return strings.TrimSuffix(Money(t), ".00") }
	scale := map[int]string{rows: mark(top), (rows + 1) / 2: mark(top.DividedBy(2))}
	line := func(at, edge, rest string) {
		at = text.AlignRight.Apply(at, len(scale[rows]))
		s.Line("%s%s%s", indent, s.Paint(Faint, at+edge), strings.TrimRight(rest, " "))
	}
	for row := rows; row >= 1; row-- {
		var bars strings.Builder
		for _, g := range groups {
			bars.WriteString(" " + s.Paint(first, block(g.Left, top, row, rows)) +
				s.Paint(second, block(g.Right, top, row, rows)))
		}
		line(scale[row], " ┤", bars.String())
	}
	var labels strings.Builder
	for _, g := range groups {
		labels.WriteString(" " + text.Pad(g.Label, 4, ' '))
	}
	line("0", " └", strings.Repeat("─", 5*len(groups)))
	line("", "  ", s.Paint(Faint, strings.TrimRight(labels.String(), " ")))
}

// block is what a standing bar, two columns wide, shows in a row; the lowest row is 1.
func block(value, top money.Total, row, rows int) string {
	n := eighths(value, top, rows) - (row-1)*8
	if n >= 8 {
		return full + full
	}
	return strings.Repeat(string([]rune(eighthsUp)[max(n, 0)]), 2)
}

// roundUp is the next number that reads well on a scale: 1, 2, 4, 5, 6 or 8 with zeros.
func roundUp(t money.Total) money.Total {
	for unit := money.TotalOf(1_00); ; unit = unit.Percent(1000) {
		for _, percent := range []int{100, 200, 400, 500, 600, 800} {
			if step := unit.Percent(percent); step.Compare(t) >= 0 {
				return step
			}
		}
	}
}
