package report

import (
	"cmp"
	"slices"
	"strings"

	"bizfin/internal/ontology"
)

// Line is what a short list of a report's categories says of one of them.
type Line struct {
	Category *ontology.Category
	Flow
}

// Others are the categories of a branch that a short list leaves out.
type Others struct {
	Branch     *ontology.Category
	Categories int
	Flow
}

// coarsest is the level of the tree that lines are not rolled up beyond; its branches are the first.
const coarsest = 2

// Lines are at most so many lines for the included categories, the largest nets first, and what they leave out, in
// display order: together they are all of it. A row counts at its own category, or, where there are too many of these,
// at the one above it, level by level.
func (b *Books) Lines(included func(*ontology.Category) bool, most int) ([]Line, []Others) {
	own := map[*ontology.Category]Flow{}
	level := coarsest
	for c, sums := range b.own {
		if included(c) {
			own[c], level = sums.Total, max(level, len(c.Names))
		}
	}
	for ; len(own) > most && level > coarsest; level-- {
		above := map[*ontology.Category]Flow{}
		for c, f := range own {
			if len(c.Names) == level {
				c = c.Parent
			}
			above[c] = above[c].Plus(f)
		}
		own = above
	}
	lines := make([]Line, 0, len(own))
	for c, f := range own {
		lines = append(lines, Line{c, f})
	}
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(b.Net().Abs().Compare(a.Net().Abs()), strings.Compare(a.Category.Path, b.Category.Path))
	})
	if len(lines) <= most {
		return lines, nil
	}
	return lines[:most], others(lines[most:])
}

// others sums lines by their branch.
func others(lines []Line) []Others {
	var list []Others
	for _, line := range lines {
		branch := line.Category.Root()
		i := slices.IndexFunc(list, func(o Others) bool { return o.Branch == branch })
		if i < 0 {
			i, list = len(list), append(list, Others{Branch: branch})
		}
		list[i].Categories, list[i].Flow = list[i].Categories+1, list[i].Plus(line.Flow)
	}
	slices.SortFunc(list, func(a, b Others) int { return cmp.Compare(a.Branch.ID, b.Branch.ID) })
	return list
}
