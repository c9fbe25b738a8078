package main

import (
	"testing"

	"bizfin/internal/floors"
)

func TestFilesUseEachOtherDownwards(t *testing.T) {
	t.Parallel()
	floors.Of(t).NoCircles(t)
}
