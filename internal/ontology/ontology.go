// Package ontology holds the tree of categories that transactions are sorted
// into: the lines of IRS Schedule C (Form 1040) and the branches beside the form.
//
// The tree is embedded, versioned, and immutable after it is loaded: everything
// it hands out is shared by all callers and must not be modified. All functions
// are pure and safe for concurrent use.
package ontology

import (
	"slices"
	"strings"
)

// DefaultKey names the ontology used where a request names none (contract: ontologyKey).
const DefaultKey = "us.schedule_c"

// DefaultID is the fixed id of the ontology [DefaultKey] (contract: ontologyId).
const DefaultID = "5d0e3a52-8c1f-4b7e-9a64-2f7c1e90b3d8"

// Uncategorized is the path of the branch under which transactions without a
// category are counted.
const Uncategorized = "uncategorized"

// Ontology is one tree of categories with its lookups.
type Ontology struct {
	ID      string // fixed uuid
	Key     string // "us.schedule_c"
	Name    string
	Version string      // form year and revision: "2025.1"
	Roots   []*Category // branches in display order, uncategorized last

	all     []*Category // depth first, in display order
	byID    map[int]*Category
	byPath  map[string]*Category
	byName  map[string][]*Category // folded display name
	byNames map[string]*Category   // folded display names from the root, joined by namesSeparator
	called  map[*Category]called

	vocabulary vocabulary
}

// namesSeparator joins display names in lookups; no name contains it.
const namesSeparator = "\n"

// All returns every category, each before its children, in display order.
func (o *Ontology) All() []*Category { return o.all }

// ByPath finds a category by its key, such as "expense.advertising.digital".
// The case must match.
func (o *Ontology) ByPath(path string) (*Category, bool) {
	c, ok := o.byPath[path]
	return c, ok
}

// ByID finds a category by its stable number.
func (o *Ontology) ByID(id int) (*Category, bool) {
	c, ok := o.byID[id]
	return c, ok
}

// ByName finds the categories with exactly this display name, whatever its case
// and surrounding space. Segments of a key are not names: "refund" would
// otherwise mean a tax refund. Names are unique in the Schedule C tree, so it
// finds one or none (nil).
func (o *Ontology) ByName(name string) []*Category { return o.byName[fold(name)] }

// ByNames finds a category by its path from the root, whatever the case: either
// display names ("Expenses", "Advertising") or segments of the key ("expense",
// "advertising"). One element alone may be whatever [Ontology.Find] finds.
func (o *Ontology) ByNames(path []string) (*Category, bool) {
	if len(path) == 1 {
		return o.Find(path[0])
	}
	folded := make([]string, len(path))
	for i, name := range path {
		folded[i] = fold(name)
	}
	if c, ok := o.byNames[strings.Join(folded, namesSeparator)]; ok {
		return c, true
	}
	return o.ByPath(strings.Join(folded, "."))
}

// Find finds a category as people and programs name it: by its key
// ("expense.advertising.digital") or by its display name ("Online ads"),
// whatever the case and surrounding space. No name is the key of another
// category.
func (o *Ontology) Find(text string) (*Category, bool) {
	if c, ok := o.ByPath(fold(text)); ok {
		return c, true
	}
	if named := o.ByName(text); len(named) == 1 {
		return named[0], true
	}
	return nil, false
}

// Matching returns the ids of the categories whose path of display names
// contains the word, whatever its case, in display order. A blank word matches
// nothing.
func (o *Ontology) Matching(word string) []int {
	word = fold(word)
	if word == "" {
		return nil
	}
	var ids []int
	for _, c := range o.all {
		contains := func(name string) bool { return strings.Contains(fold(name), word) }
		if slices.ContainsFunc(c.Names, contains) {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// fold brings names to the form in which they are compared.
func fold(name string) string { return strings.ToLower(strings.TrimSpace(name)) }

// called is how a category is called, in places of the vocabulary.
type called struct {
	name []int
	key  []int // the last segment of its path
	path []int // all on the way to it
}

// vocabulary are the words of all categories, each once: a text is compared
// with each of them once, however many categories it is on the way to.
type vocabulary struct {
	words [][]rune
	place map[string]int
}
