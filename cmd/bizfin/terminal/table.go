package terminal

import (
	"fmt"
	"strings"
)

// Cell is one field of a table.
type Cell struct {
	Text  string
	Style Style
}

// Text is a cell without a style.
func Text(format string, args ...any) Cell { return Cell{Text: fmt.Sprintf(format, args...)} }

// In gives the cell a style.
func (c Cell) In(style Style) Cell { return Cell{c.Text, style} }

// Table is rows of cells in columns. A column is as wide as its widest cell.
type Table struct {
	head  []Cell
	right []bool
	rows  [][]Cell // nil is a rule
}

// NewTable names the columns; one that begins with > holds numbers and is set to the right.
func NewTable(columns ...string) *Table {
	t := &Table{}
	for _, name := range columns {
		name, right := strings.CutPrefix(name, ">")
		t.head, t.right = append(t.head, Cell{name, Faint}), append(t.right, right)
	}
	return t
}

// Row adds a row.
func (t *Table) Row(cells ...Cell) { t.rows = append(t.rows, cells) }

// Rule adds a line between what is above and its sum.
func (t *Table) Rule() { t.rows = append(t.rows, nil) }

const gap = "  "

// Table writes a table, two columns from the left.
func (s *Screen) Table(t *Table) {
	widths := make([]int, len(t.head))
	named := false
	for i, c := range t.head {
		named = named || c.Text != ""
		widths[i] = width(c.Text)
		for _, row := range t.rows {
			if i < len(row) {
				widths[i] = max(widths[i], width(row[i].Text))
			}
		}
	}
	if named {
		s.row(t, widths, t.head)
	}
	for _, row := range t.rows {
		if row == nil {
			row = t.rule(widths)
		}
		s.row(t, widths, row)
	}
}

// rule draws under the columns of numbers.
func (t *Table) rule(widths []int) []Cell {
	cells := make([]Cell, len(widths))
	for i, w := range widths {
		if t.right[i] {
			cells[i] = Cell{strings.Repeat("─", w), Faint}
		}
	}
	return cells
}

func (s *Screen) row(t *Table, widths []int, cells []Cell) {
	var line strings.Builder
	blanks := 0
	for i, c := range cells {
		space := strings.Repeat(" ", widths[i]-width(c.Text))
		before, after := "", len(space)
		if t.right[i] {
			before, after = space, 0
		}
		line.WriteString(strings.Repeat(" ", blanks) + gap + before + s.Paint(c.Style, c.Text))
		blanks = after
	}
	s.Line("%s", strings.TrimRight(line.String(), " "))
}
