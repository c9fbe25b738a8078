package ontology

import (
	"fmt"
	"strings"
	"testing"
)

// The dearest text: as many and as long words as are looked at, none of them twice.
func BenchmarkNearest(b *testing.B) {
	var text strings.Builder
	for i := range nearestWords {
		fmt.Fprintf(&text, "%dabcdefghijklmnopqrstuvw ", i)
	}
	for b.Loop() {
		ScheduleC().Nearest(text.String(), 3)
	}
}
