package main

import "fmt"

// The states of a check.
const (
	stateOK      = "ok"
	stateWarning = "warning" // bizfin works, but something should be known
	stateProblem = "problem"
	stateSkipped = "skipped" // an earlier problem stands in the way
)

// check is one line of the doctor.
type check struct {
	Name    string `json:"name"`
	State   string `json:"state"`
	Message string `json:"message"`
	Advice  string `json:"advice,omitempty"` // what to do; empty where nothing is
}

// diagnosis is what `bizfin doctor --json` prints.
type diagnosis struct {
	OK     bool    `json:"ok"` // there is no problem; there may be warnings
	Checks []check `json:"checks"`
}

func (d *diagnosis) ok(name, format string, args ...any) {
	d.Checks = append(d.Checks, check{Name: name, State: stateOK, Message: fmt.Sprintf(format, args...)})
}

func (d *diagnosis) warn(name, advice, format string, args ...any) {
	d.Checks = append(d.Checks, check{Name: name, State: stateWarning, Message: fmt.Sprintf(format, args...),
		Advice: advice})
}

func (d *diagnosis) problem(name, advice, format string, args ...any) {
	d.Checks = append(d.Checks, check{Name: name, State: stateProblem, Message: fmt.Sprintf(format, args...),
		Advice: advice})
}

func (d *diagnosis) skip(why string, names ...string) {
	for _, name := range names {
		d.Checks = append(d.Checks, check{Name: name, State: stateSkipped, Message: why})
	}
}

func (d *diagnosis) count(state string) (n int) {
	for _, c := range d.Checks {
		if c.State == state {
			n++
		}
	}
	return n
}
