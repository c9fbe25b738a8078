package main

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/internal/devstack"
)

// starting says what `bizfin dev` is doing until it is ready: a line that moves where a person is looking, and elsewhere a
// line for each step and each quarter of a download.
type starting struct {
	screen *terminal.Screen
	now    func() time.Time
	line   *terminal.Progress // of the step under way; nil between steps
	of     string
	doing  string
	told   int64 // quarters
}

// tell takes what devstack says.
func (s *starting) tell(step devstack.Step) {
	if step.Of != s.of || step.Doing != s.doing {
		s.step(step.Of, step.Doing)
	}
	if step.All == 0 {
		return
	}
	const whole, quarters = 100, 4
	s.line.Show(step.Done*whole/step.All, whole)
	if quarter := step.Done * quarters / step.All; quarter > s.told && !s.screen.Live {
		s.told = quarter
		s.line.Say(fmt.Sprintf("%s of %s", humanize.Bytes(uint64(step.Done)), humanize.Bytes(uint64(step.All))))
	}
}

// step ends the step before and begins another one.
func (s *starting) step(of, doing string) {
	s.end()
	s.line, s.of, s.doing, s.told = s.screen.Begin(of, s.now()), of, doing, 0
	s.line.Say(doing)
}

// end says how long the step took that is under way, if any, to whoever has watched it.
func (s *starting) end() {
	if s.line != nil && s.screen.Live {
		s.line.End(s.now(), "%s", s.doing)
	}
	s.line = nil
}

// abandon clears the line before an error is told.
func (s *starting) abandon() {
	if s.line != nil {
		s.line.Abandon()
		s.line = nil
	}
}
