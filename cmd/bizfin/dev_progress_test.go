package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/internal/devstack"
)

// firstStart plays what a machine without PostgreSQL sees.
func firstStart(s *starting) {
	for _, step := range []devstack.Step{
		{Of: "PostgreSQL", Doing: "fetching 12 packages", All: 20e6},
		{Of: "PostgreSQL", Doing: "fetching 12 packages", Done: 1e6, All: 20e6},
		{Of: "PostgreSQL", Doing: "fetching 12 packages", Done: 11e6, All: 20e6},
		{Of: "PostgreSQL", Doing: "fetching 12 packages", Done: 12e6, All: 20e6},
		{Of: "PostgreSQL", Doing: "making an empty database (initdb)"},
	} {
		s.tell(step)
	}
	for step := range 8 {
		s.migrating(step+1, 8)
	}
	s.end()
}

func TestALogOfTheFirstStartHasALineForEachStep(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	firstStart(&starting{screen: terminal.On(&out), now: time.Now})
	want := `  PostgreSQL  fetching 12 packages, 20 MB
  PostgreSQL  fetching 12 packages: 11 MB of 20 MB
  PostgreSQL  making an empty database (initdb)
  Schema      8 steps
  Schema      step 2 of 8
  Schema      step 4 of 8
  Schema      step 6 of 8
  Schema      step 8 of 8
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestAPersonSeesTheFirstStartMove(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	firstStart(&starting{
		screen: &terminal.Screen{Writer: &out, Live: true, Width: 80},
		now:    func() time.Time { return time.Unix(0, 0) },
	})
	drawn := out.String()
	for _, want := range []string{
		"packages: 12 MB of 20 MB\x1b[2K\r", "\x1b[2K\r  Schema      step 8 of 8", "0.0 s\n",
	} {
		if !strings.Contains(drawn, want) {
			t.Errorf("%q is not drawn: %q", want, drawn)
		}
	}
	if n := strings.Count(drawn, "\n"); n != 3 {
		t.Errorf("%d lines stay", n)
	}
}
