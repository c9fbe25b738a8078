package terminal

import (
	"strings"

	"bizfin/internal/money"
)

const (
	eighthsAcross = " ▏▎▍▌▋▊▉"
	eighthsUp     = " ▁▂▃▄▅▆▇"
	full          = "█"
)

// Bar is a bar of so many columns at most, which the largest value takes in full. What is not nothing is never drawn as
// nothing.
func Bar(value, largest money.Total, columns int) string {
	n := eighths(value, largest, columns)
	return strings.Repeat(full, n/8) + strings.TrimSpace(string([]rune(eighthsAcross)[n%8]))
}

// Balance draws a value to the right of a middle line where it is positive and to the left where it is negative: the
// range of the values is spread over the columns.
func Balance(value, least, most money.Total, columns int) string {
	left, right := money.Total{}, money.Total{}
	if least.Sign() < 0 {
		left = least.Abs()
	}
	if most.Sign() > 0 {
		right = most
	}
	if left == right && left.Sign() == 0 {
		return ""
	}
	toLeft := (eighths(left, left.Plus(right), columns) + 7) / 8
	if value.Sign() >= 0 {
		return strings.Repeat(" ", toLeft) + Bar(value, left.Plus(right), columns)
	}
	n := max(1, (eighths(value.Abs(), left.Plus(right), columns)+4)/8)
	return strings.Repeat(" ", max(toLeft-n, 0)) + strings.Repeat("▒", min(n, toLeft))
}

// eighths is how many eighths of a column a value takes of so many columns.
func eighths(value, largest money.Total, columns int) int {
	share, ok := value.Abs().Over(largest)
	if !ok || value.Sign() == 0 {
		return 0
	}
	const whole = 10_000 // of a money.Ratio
	return max(1, (int(share)*columns*8+whole/2)/whole)
}

// Column is a bar that stands.
type Column struct {
	Value money.Total
	Style Style
}

// Columns draws groups of standing bars beside each other, each bar so many columns wide, with a label under each
// group and the scale to the left.
func (s *Screen) Columns(groups [][]Column, labels []string, rows, barWidth int) {
	var largest money.Total
	for _, group := range groups {
		for _, c := range group {
			if c.Value.Compare(largest) > 0 {
				largest = c.Value
			}
		}
	}
	top := roundUp(largest)
	scale := make([]string, rows+1)
	scale[rows], scale[rows/2], scale[0] = Short(top), Short(top.DividedBy(2)), "0"
	left := max(width(scale[rows]), width(scale[rows/2]))
	for row := rows; row >= 1; row-- {
		var line strings.Builder
		line.WriteString(gap + s.Paint(Faint, pad(scale[row], left)+" ┤"))
		for _, group := range groups {
			line.WriteString(" ")
			for _, c := range group {
				n := min(max(eighths(c.Value, top, rows)-(row-1)*8, 0), 8)
				block := full
				if n < 8 {
					block = string([]rune(eighthsUp)[n])
				}
				line.WriteString(s.Paint(c.Style, strings.Repeat(block, barWidth)))
			}
		}
		s.Line("%s", strings.TrimRight(line.String(), " "))
	}
	var axis, under strings.Builder
	for i, group := range groups {
		w := len(group)*barWidth + 1
		axis.WriteString(strings.Repeat("─", w))
		under.WriteString(" " + labels[i] + strings.Repeat(" ", max(w-1-width(labels[i]), 0)))
	}
	s.Line("%s", gap+s.Paint(Faint, pad("0", left)+" └"+axis.String()))
	s.Line("%s", strings.TrimRight(gap+strings.Repeat(" ", left+2)+s.Paint(Faint, strings.TrimRight(under.String(), " ")), " "))
}

func pad(text string, columns int) string {
	return strings.Repeat(" ", max(columns-width(text), 0)) + text
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
