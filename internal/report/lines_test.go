package report

import (
	"testing"

	"pgregory.net/rapid"

	"bizfin/internal/ontology"
)

func TestLinesAndWhatTheyLeaveOutAreAllOfIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		books, rows := randomBooks(t)
		most := rapid.IntRange(1, 30).Draw(t, "most")
		lines, others := books.Lines(OnForm, most)
		if len(lines) > most {
			t.Fatalf("%d lines, at most %d", len(lines), most)
		}
		sums, seen := map[*ontology.Category]Flow{}, map[*ontology.Category]bool{}
		for i, line := range lines {
			if i > 0 && line.Net().Abs().Compare(lines[i-1].Net().Abs()) > 0 {
				t.Fatalf("%s comes after a smaller one", line.Category.Path)
			}
			if seen[line.Category] {
				t.Fatalf("%s has two lines", line.Category.Path)
			}
			seen[line.Category] = true
			sums[line.Category.Root()] = sums[line.Category.Root()].Plus(line.Flow)
		}
		for _, other := range others {
			if other.Categories == 0 {
				t.Fatalf("no category of %s is left out", other.Branch.Path)
			}
			sums[other.Branch] = sums[other.Branch].Plus(other.Flow)
		}
		for _, branch := range ontology.ScheduleC().Roots {
			want := net(rows, func(r row) bool { return OnForm(r.category) && r.category.Root() == branch })
			if got := sums[branch].Net(); got != want {
				t.Fatalf("the lines of %s are %s, its rows %s", branch.Path, got, want)
			}
		}
	})
}

func TestLinesAreAsFineAsThereIsRoom(t *testing.T) {
	t.Parallel()
	books := NewBooks(0)
	paths := []string{"expense.rent.property.storage", "expense.rent.property", "expense.rent", "expense.travel"}
	for _, path := range paths {
		category, ok := ontology.ScheduleC().ByPath(path)
		if !ok {
			t.Fatalf("no category %s", path)
		}
		books.Add(category, Older, Flow{TransactionCount: 1})
	}
	for most, want := range map[int]int{4: 4, 3: 3, 2: 2, 1: 1} {
		if lines, _ := books.Lines(All, most); len(lines) != want {
			t.Errorf("at most %d: %d lines", most, len(lines))
		}
	}
	lines, others := books.Lines(All, 1)
	if lines[0].TransactionCount != 3 || lines[0].Category.Path != "expense.rent" || others[0].Categories != 1 {
		t.Errorf("one line: %+v, %+v", lines, others)
	}
}
