package terminal

import (
	"fmt"
	"strings"
	"time"
)

// Progress is one line that says how far something is. On a terminal it is drawn over; elsewhere it is one line at the end.
type Progress struct {
	screen  *Screen
	label   string
	started time.Time
	drawn   bool
}

// labelWidth leaves the bars of several lines under each other.
const labelWidth = 12

// Begin begins a line.
func (s *Screen) Begin(label string, now time.Time) *Progress {
	return &Progress{screen: s, label: label, started: now}
}

// Show draws done of all, where a person is looking.
func (p *Progress) Show(done, all int64) {
	if !p.screen.Live {
		return
	}
	const columns = 32
	n := 0
	if all > 0 {
		n = int(done * columns * 8 / all)
	}
	bar := strings.Repeat(full, n/8)
	if n%8 > 0 {
		bar += string([]rune(eighthsAcross)[n%8])
	}
	bar += strings.Repeat("░", columns-width(bar))
	fmt.Fprintf(p.screen, "\r\x1b[2K  %s%s %s", p.head(), p.screen.Paint(Accent, bar), p.screen.Paint(Faint, Count(done)+" of "+Count(all)))
	p.drawn = true
}

// End replaces the bar by what was done and how long it took.
func (p *Progress) End(now time.Time, format string, args ...any) {
	p.clear()
	text := fmt.Sprintf(format, args...)
	tenths := (now.Sub(p.started).Milliseconds() + 50) / 100
	took := fmt.Sprintf("%d.%d s", tenths/10, tenths%10)
	space := max(p.screen.Width-2-labelWidth-width(text)-width(took), 2)
	p.screen.Line("  %s%s%s%s", p.head(), text, strings.Repeat(" ", space), p.screen.Paint(Faint, took))
}

// Abandon takes the bar away, before an error is told.
func (p *Progress) Abandon() { p.clear() }

func (p *Progress) clear() {
	if p.drawn {
		fmt.Fprint(p.screen, "\r\x1b[2K")
		p.drawn = false
	}
}

func (p *Progress) head() string {
	return p.screen.Paint(Good, p.label) + strings.Repeat(" ", max(labelWidth-width(p.label), 1))
}
