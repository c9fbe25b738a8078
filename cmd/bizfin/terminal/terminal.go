// Package terminal draws what commands show to people: tables, bars and progress, in 80 columns of plain text. Colours
// and movement are for terminals alone; what is piped or logged gets neither.
package terminal

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode/utf8"

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
type Style string

// The styles, by their meaning.
const (
	Plain  Style = ""
	Strong Style = "1"
	Faint  Style = "2"
	Good   Style = "32"
	Bad    Style = "31"
	Warn   Style = "33"
	Accent Style = "36"
)

// Paint gives text a style, where there are colours.
func (s *Screen) Paint(style Style, text string) string {
	if !s.Color || style == Plain || text == "" {
		return text
	}
	return "\x1b[" + string(style) + "m" + text + "\x1b[0m"
}

// Line writes a line.
func (s *Screen) Line(format string, args ...any) {
	fmt.Fprintf(s, format+"\n", args...)
}

// Heading writes a title after an empty line, with a remark to its right.
func (s *Screen) Heading(title, remark string) {
	gap := s.Width - width(title) - width(remark)
	if remark != "" {
		remark = strings.Repeat(" ", max(gap, 1)) + s.Paint(Faint, remark)
	}
	s.Line("\n%s%s", s.Paint(Strong, title), remark)
	s.Line("%s", s.Paint(Faint, strings.Repeat("─", s.Width)))
}

// Paragraph writes words in lines as wide as the screen, each indented alike.
func (s *Screen) Paragraph(style Style, indent int, text string) {
	for _, line := range Wrap(text, s.Width-indent) {
		s.Line("%s%s", strings.Repeat(" ", indent), s.Paint(style, line))
	}
}

// Wrap breaks text between words into lines of so many columns at most; it gives one line at least.
func Wrap(text string, columns int) []string {
	var lines []string
	line := ""
	for word := range strings.FieldsSeq(text) {
		switch {
		case line == "":
			line = word
		case width(line)+1+width(word) <= columns:
			line += " " + word
		default:
			lines = append(lines, line)
			line = word
		}
	}
	return append(lines, line)
}

// width is how many columns text takes; nothing here shows characters of two columns on purpose.
func width(text string) int { return utf8.RuneCountInString(text) }

// Cut shortens text to so many columns.
func Cut(text string, columns int) string {
	if width(text) <= columns {
		return text
	}
	return string([]rune(text)[:columns-1]) + "…"
}
