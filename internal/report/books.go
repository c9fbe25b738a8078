package report

import "bizfin/internal/ontology"

// Branches that a report tells from all others.
const (
	Transfer      = "transfer" // between own accounts, neither income nor expense
	Uncategorized = ontology.Uncategorized
)

// Books are the sums of rows by category.
type Books struct {
	periods int
	own     map[*ontology.Category]Sums // of the category's own rows, without its children's
	again   map[string]Sums             // what counts rows of several parts again, by what of
}

// NewBooks are empty books over so many periods.
func NewBooks(periods int) *Books {
	return &Books{periods: periods, own: map[*ontology.Category]Sums{}, again: map[string]Sums{}}
}

// Again books that so many rows were added again: those of several parts are, once for each. Only the counts of
// [Books.Rows] know of it.
func (b *Books) Again(of string, period int, count int64) {
	sums, ok := b.again[of]
	if !ok {
		sums = NewSums(b.periods)
	}
	sums.Add(period, Flow{TransactionCount: count})
	b.again[of] = sums
}

// Rows is the sum of all categories that are included, in which each row is counted once: what counts rows again of
// these is left out.
func (b *Books) Rows(included func(*ontology.Category) bool, again ...string) Sums {
	sum := b.Sum(included)
	for _, of := range again {
		if repeated, ok := b.again[of]; ok {
			sum.remove(repeated)
		}
	}
	return sum
}

// Total is the total of [Books.Rows].
func (b *Books) Total(included func(*ontology.Category) bool, again ...string) Flow {
	var total Flow
	for c, own := range b.own {
		if included(c) {
			total = total.Plus(own.Total)
		}
	}
	for _, of := range again {
		total = total.Minus(b.again[of].Total)
	}
	return total
}

// Add books a flow to a category and a period. A row without a category belongs to the root [Uncategorized].
func (b *Books) Add(c *ontology.Category, period int, f Flow) {
	sums, ok := b.own[c]
	if !ok {
		sums = NewSums(b.periods)
	}
	sums.Add(period, f)
	b.own[c] = sums
}

// Sum is the sum of all categories that are included.
func (b *Books) Sum(included func(*ontology.Category) bool) Sums {
	sum := NewSums(b.periods)
	for c, own := range b.own {
		if included(c) {
			sum.merge(own)
		}
	}
	return sum
}

// All includes every category.
func All(*ontology.Category) bool { return true }

// Within includes the category at a path and all under it.
func Within(path string) func(*ontology.Category) bool {
	return func(c *ontology.Category) bool { return c.Is(path) }
}

// Without includes what [Within] does not.
func Without(path string) func(*ontology.Category) bool {
	return func(c *ontology.Category) bool { return !c.Is(path) }
}

// Node is a category with rows in a report's tree. Its children add up to it, where it has any.
type Node struct {
	Category *ontology.Category
	Sums
	Children []Node
}

// Tree is the part of the tree under these categories that has rows, in display order. The own rows of a category whose
// children have rows too are its first child, of the same category.
func (b *Books) Tree(categories []*ontology.Category) []Node {
	var nodes []Node
	for _, c := range categories {
		own, hasOwn := b.own[c]
		children := b.Tree(c.Children)
		switch {
		case len(children) == 0 && hasOwn:
			nodes = append(nodes, Node{Category: c, Sums: own})
		case len(children) > 0:
			if hasOwn {
				children = append([]Node{{Category: c, Sums: own}}, children...)
			}
			node := Node{Category: c, Sums: NewSums(b.periods), Children: children}
			for _, child := range children {
				node.merge(child.Sums)
			}
			nodes = append(nodes, node)
		}
	}
	return nodes
}
