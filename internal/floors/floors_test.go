package floors

import (
	"slices"
	"testing"
)

func TestACircleIsSaidWithTheNamesThatMakeIt(t *testing.T) {
	t.Parallel()
	uses := Uses{
		"door.go":   {"house.go": "House", "wood.go": "Wood"},
		"house.go":  {"window.go": "Window", "wood.go": "Wood"},
		"window.go": {"door.go": "Hinge"},
		"wood.go":   {},
	}
	want := []string{"door.go uses House of house.go, which uses Window of window.go, which uses Hinge of door.go"}
	if got := uses.circles(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	delete(uses["window.go"], "door.go")
	if got := uses.circles(); got != nil {
		t.Errorf("there is no circle, got %q", got)
	}
}

func TestThisPackageKeepsToItsRule(t *testing.T) {
	t.Parallel()
	Of(t).NoCircles(t)
}
