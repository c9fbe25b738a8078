// Package terminal shows what commands have to say to people in 80 columns of plain text. Tables are drawn by
// go-pretty, progress by progressbar; the bar charts here are what both do not have. Colours and movement are for
// terminals alone: what is piped or logged gets neither.
package terminal

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// The widths that are drawn: a wider terminal leaves the rest blank, a narrower one wraps.
const (
	leastWidth = 72
	mostWidth  = 80
)

// Screen is where a command shows things.
type Screen struct {
	io.Writer
	Live  bool // a person is looking: lines may be drawn over
	Color bool
	Width int // columns
}

// On looks at what w is. Colours keep to NO_COLOR (https://no-color.org) and TERM=dumb.
func On(w io.Writer) *Screen {
	s := &Screen{Writer: w, Width: mostWidth}
	file, ok := w.(*os.File)
	if !ok || !term.IsTerminal(int(file.Fd())) {
		return s
	}
	dumb := os.Getenv("TERM") == "dumb"
	s.Live, s.Color = !dumb, !dumb && os.Getenv("NO_COLOR") == ""
	if width, _, err := term.GetSize(int(file.Fd())); err == nil && width > 0 {
		s.Width = min(max(width, leastWidth), mostWidth)
	}
	return s
}

// Style is how a piece of text stands out.
type Style = text.Color

// The styles, by their meaning.
const (
	Plain  Style = text.Reset
	Strong Style = text.Bold
	Faint  Style = text.Faint
	Good   Style = text.FgGreen
	Bad    Style = text.FgRed
	Warn   Style = text.FgYellow
	Accent Style = text.FgCyan
)

// Paint gives text a style, where there are colours.
func (s *Screen) Paint(style Style, words string) string {
	if !s.Color || style == Plain || words == "" {
		return words
	}
	return text.Escape(words, style.EscapeSeq())
}

// Line writes a line. What others wrote may be in it: nothing of that drives the terminal, turns the line around, hides
// it, or reaches beyond its end.
func (s *Screen) Line(format string, args ...any) {
	last := ""
	words := driving.ReplaceAllStringFunc(fmt.Sprintf(format, args...), func(control string) string {
		if !s.Color || !painted[control] {
			return "\uFFFD"
		}
		last = control
		return control
	})
	if last != "" && last != plain {
		words += plain
	}
	fmt.Fprintln(s, words)
}

// driving are colours, controls but for ends of lines and tabs, and what directs text.
var driving = regexp.MustCompile(`\x1b\[[0-9;]*m|[\x00-\x08\x0b-\x1f\x7f-\x9f]|` +
	`[\x{200e}\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]`)

// painted are the sequences that Paint makes. Whatever others write, it stays as readable as our own words are.
var painted = func() map[string]bool {
	known := map[string]bool{plain: true}
	for _, style := range []Style{Strong, Faint, Good, Bad, Warn, Accent} {
		known[style.EscapeSeq()] = true
	}
	return known
}()

var plain = Plain.EscapeSeq()

// Heading writes a title after an empty line, with a remark to its right.
func (s *Screen) Heading(title, remark string) {
	if remark != "" {
		space := max(s.Width-text.StringWidth(title), text.StringWidth(remark)+1)
		remark = s.Paint(Faint, text.AlignRight.Apply(remark, space))
	}
	s.Line("\n%s%s", s.Paint(Strong, title), remark)
	s.Line("%s", s.Paint(Faint, strings.Repeat("─", s.Width)))
}

// Paragraph writes words in lines as wide as the screen, two columns from the left.
func (s *Screen) Paragraph(style Style, words string) {
	for line := range strings.SplitSeq(s.Wrap(style, words, s.Width-len(indent)), "\n") {
		s.Line("%s%s", indent, strings.TrimRight(line, " "))
	}
}

// Wrap gives words a style and breaks them between words, into lines of so many columns at most.
func (s *Screen) Wrap(style Style, words string, columns int) string {
	return text.WrapSoft(s.Paint(style, words), columns)
}

const indent = "  "

// Cut shortens words to so many columns.
func Cut(words string, columns int) string { return text.Snip(words, columns, "…") }

// NewTable names the columns of a table. The name of a column of numbers begins with > and is set to the right, as they
// are; where no column has a name there is no line of names.
func (s *Screen) NewTable(columns ...string) table.Writer {
	t := table.NewWriter()
	t.SetStyle(table.Style{
		Box:     table.BoxStyle{PaddingRight: "  ", MiddleHorizontal: "─"},
		Options: table.Options{SeparateFooter: true},
	})
	t.SuppressTrailingSpaces()
	names, configs := make(table.Row, len(columns)), make([]table.ColumnConfig, len(columns))
	named := false
	for i, name := range columns {
		align := text.AlignLeft
		if rest, right := strings.CutPrefix(name, ">"); right {
			name, align = rest, text.AlignRight
		}
		names[i], named = s.Paint(Faint, name), named || name != ""
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align, AlignFooter: align}
	}
	t.SetColumnConfigs(configs)
	if named {
		t.AppendHeader(names)
	}
	return t
}

// Table writes a table, two columns from the left.
func (s *Screen) Table(t table.Writer) {
	for line := range strings.SplitSeq(t.Render(), "\n") {
		s.Line("%s%s", indent, line)
	}
}
