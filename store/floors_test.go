package store_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"bizfin/internal/floors"
)

// The package comment lists families of files, a floor a line: a file uses those of its floor and of the floors below,
// and no files use each other in a circle.
func TestFilesUseEachOtherDownwards(t *testing.T) {
	t.Parallel()
	uses := floors.Of(t)
	uses.NoCircles(t)
	at := floorsOfFamilies(t)
	floor := func(file string) int {
		family, _, _ := strings.Cut(strings.TrimSuffix(file, ".go"), "_")
		floor, ok := at[family]
		if !ok {
			t.Errorf("the package comment names no family %s, of %s", family, file)
		}
		return floor
	}
	for from, others := range uses {
		for to, name := range others {
			if floor(from) > floor(to) {
				t.Errorf("%s uses %s of %s, which stands above it", from, name, to)
			}
		}
	}
}

// floorsOfFamilies are those of the package comment, counted from the top.
func floorsOfFamilies(t *testing.T) map[string]int {
	t.Helper()
	source, err := os.ReadFile("store.go")
	must(t, err)
	_, list, ok := strings.Cut(string(source), "// # The files\n")
	if !ok {
		t.Fatal("the package comment does not say how the files stand")
	}
	list, _, _ = strings.Cut(list, "// # ")
	floors := map[string]int{}
	for i, line := range regexp.MustCompile(`(?m)^//   - ([a-z, ]+):`).FindAllStringSubmatch(list, -1) {
		for _, family := range strings.Split(line[1], ", ") {
			floors[family] = i + 1
		}
	}
	return floors
}
