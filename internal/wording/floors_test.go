package wording

import (
	"testing"

	"bizfin/internal/floors"
)

func TestFilesUseEachOtherDownwards(t *testing.T) {
	floors.Of(t).NoCircles(t)
}
