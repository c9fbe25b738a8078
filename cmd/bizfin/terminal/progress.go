package terminal

import (
	"fmt"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/schollz/progressbar/v3"
)

// Progress is one line that says how far something is: a bar while a person is looking, then what was done.
type Progress struct {
	screen  *Screen
	label   string
	started time.Time
	bar     *progressbar.ProgressBar // nil until there is something to show
	said    bool                     // words stand on the line
}

// labelWidth leaves the bars of several lines under each other.
const labelWidth = 12

// Begin begins a line.
func (s *Screen) Begin(label string, now time.Time) *Progress {
	return &Progress{screen: s, label: s.Paint(Good, text.Pad(label, labelWidth, ' ')), started: now}
}

// Say says what is under way: on the line itself where a person is looking, else on a line that stays.
func (p *Progress) Say(doing string) {
	if p.screen.Live {
		fmt.Fprint(p.screen, clearLine+indent+p.label+doing)
		p.said = true
		return
	}
	p.screen.Line("%s%s%s", indent, p.label, doing)
}

// clearLine takes away what stands on the line.
const clearLine = "\x1b[2K\r"

// Show draws done of all, where a person is looking.
func (p *Progress) Show(done, all int64) {
	if !p.screen.Live {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(all,
			progressbar.OptionSetWriter(p.screen),
			progressbar.OptionSetDescription(indent+p.label),
			progressbar.OptionSetWidth(32),
			progressbar.OptionSetTheme(progressbar.Theme{Saucer: "█", SaucerPadding: "░"}),
			progressbar.OptionShowCount(),
			progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false),
			progressbar.OptionUseANSICodes(true),
			progressbar.OptionClearOnFinish(),
		)
	}
	p.bar.ChangeMax64(all)
	_ = p.bar.Set64(done) // a screen that cannot be written to shows it by its next line
}

// End replaces the bar by what was done and how long it took.
func (p *Progress) End(now time.Time, format string, args ...any) {
	p.Abandon()
	done, took := fmt.Sprintf(format, args...), fmt.Sprintf("%.1f s", now.Sub(p.started).Seconds())
	space := max(p.screen.Width-len(indent)-labelWidth-text.StringWidth(done), len(took)+2)
	p.screen.Line("%s%s%s%s", indent, p.label, done, p.screen.Paint(Faint, text.AlignRight.Apply(took, space)))
}

// Abandon takes the bar away, before an error is told.
func (p *Progress) Abandon() {
	if p.bar != nil {
		_ = p.bar.Clear()
		p.bar = nil
	} else if p.said {
		fmt.Fprint(p.screen, clearLine)
	}
	p.said = false
}
