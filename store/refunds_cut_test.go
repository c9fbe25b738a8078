package store

import (
	"testing"
	"time"
)

// As soon as the most is read, older rows may be missing, in whatever order these came.
func TestWhatIsReadOfAShopIsCutAtItsOldestDay(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return time.Date(2026, 3, n, 0, 0, 0, 0, time.UTC) }
	read := extents{}
	for _, n := range []int{9, 4, 7} {
		read.add("shop", day(n))
	}
	read.add("other", day(1))
	for most, want := range map[int]time.Time{3: day(4), 4: {}} {
		if got := read.cut("shop", most); !got.Equal(want) {
			t.Errorf("of at most %d rows those are missing until %v, want %v", most, got, want)
		}
	}
	if got := read.cut("nobody", 3); !got.IsZero() {
		t.Errorf("of nobody some are missing until %v", got)
	}
}
