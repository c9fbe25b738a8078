package main

import (
	"fmt"
	"time"

	"github.com/dustin/go-humanize"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/internal/devstack"
)

// starting says what `bizfin dev` is doing until it is ready: a line that moves where a person is looking, and
// elsewhere a line for each step and each quarter of a download.
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
	begins := step.Of != s.of || step.Doing != s.doing
	if begins && step.All > 0 {
		s.step(step.Of, step.Doing, fmt.Sprintf("%s, %s", step.Doing, humanize.Bytes(uint64(step.All))))
	} else if begins {
		s.step(step.Of, step.Doing, step.Doing)
	}
	if begins || step.All == 0 {
		return
	}
	s.part(step.Done, step.All, fmt.Sprintf("%s: %s of %s", step.Doing, humanize.Bytes(uint64(step.Done)),
		humanize.Bytes(uint64(step.All))))
}

// migrating is told of each step of the schema.
func (s *starting) migrating(step, of int) {
	if step == 1 {
		steps := fmt.Sprintf("%d steps", of)
		s.step("Schema", steps, steps)
	}
	s.part(int64(step), int64(of), fmt.Sprintf("step %d of %d", step, of))
}

// part says how far the step is, where nobody sees it move at every quarter.
func (s *starting) part(done, all int64, words string) {
	const quarters = 4
	if quarter := done * quarters / all; s.screen.Live || quarter > s.told {
		s.told = quarter
		s.line.Say(words)
	}
}

// step ends the step before and begins another one, and says so in words.
func (s *starting) step(of, doing, words string) {
	s.end()
	s.line, s.of, s.doing, s.told = s.screen.Begin(of, s.now()), of, doing, 0
	s.line.Say(words)
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
