package ontology

import (
	"bytes"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"
)

// ScheduleC returns the Schedule C ontology. It is parsed once; a broken
// embedded file panics, which the package's tests rule out.
var ScheduleC = sync.OnceValue(func() *Ontology {
	o, err := parse(scheduleC)
	if err != nil {
		panic(err)
	}
	return o
})

// MustPath is the category of Schedule C with a key that the program itself
// names; one that does not exist panics.
func MustPath(path string) *Category {
	c, ok := ScheduleC().ByPath(path)
	if !ok {
		panic("ontology: no category " + path)
	}
	return c
}

//go:embed schedule-c.yaml
var scheduleC []byte

// file is the form of the embedded YAML; its comments at the head explain the fields.
type file struct {
	Version    string `yaml:"version"`
	Key        string `yaml:"key"`
	Name       string `yaml:"name"`
	FormYear   int    `yaml:"form_year"`
	Categories []node `yaml:"categories"`
}

type node struct {
	ID          int    `yaml:"id"`
	Key         string `yaml:"key"`
	Name        string `yaml:"name"`
	Line        string `yaml:"line"`
	Assignable  *bool  `yaml:"assignable"` // absent: true
	Deductible  *int   `yaml:"deductible"` // absent: 100 on the form, 0 off it
	Description string `yaml:"description"`
	Note        string `yaml:"note"` // for whoever edits the file
}

// parse builds an ontology and refuses a file that breaks a rule of the tree.
func parse(data []byte) (*Ontology, error) {
	var f file
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	if err := decoder.Decode(&f); err != nil {
		return nil, fmt.Errorf("ontology: %w", err)
	}
	if f.Key != DefaultKey || f.Name == "" || f.FormYear != FormYear ||
		!strings.HasPrefix(f.Version, fmt.Sprintf("%d.", FormYear)) {
		return nil, fmt.Errorf("ontology: bad head: key %q, name %q, version %q for form year %d", f.Key, f.Name,
			f.Version, f.FormYear)
	}
	o := &Ontology{
		ID: DefaultID, Key: f.Key, Name: f.Name, Version: f.Version,
		byID:    make(map[int]*Category, len(f.Categories)),
		byPath:  make(map[string]*Category, len(f.Categories)),
		byName:  make(map[string][]*Category, len(f.Categories)),
		byNames: make(map[string]*Category, len(f.Categories)),
	}
	for _, n := range f.Categories {
		if err := o.add(n); err != nil {
			return nil, fmt.Errorf("ontology: category %d %q: %w", n.ID, n.Key, err)
		}
	}
	if len(o.Roots) == 0 || o.Roots[len(o.Roots)-1].Path != Uncategorized {
		return nil, fmt.Errorf("ontology: the last branch must be %s", Uncategorized)
	}
	for _, root := range o.Roots {
		o.index(root)
	}
	o.callAll()
	return o, nil
}

// add places a node under its parent, which must come before it in the file.
func (o *Ontology) add(n node) error {
	kind, ok := kindOf(n.Key)
	c := &Category{
		ID: n.ID, Path: n.Key, Name: n.Name, Kind: kind, Side: kind.Side(), ScheduleCLine: n.Line,
		Assignable: n.Assignable == nil || *n.Assignable, Description: n.Description,
	}
	if kind.OnForm() {
		c.DeductiblePercent = 100
	}
	if n.Deductible != nil {
		c.DeductiblePercent = *n.Deductible
	}
	line, lineKnown := lineByNumber(n.Line)
	switch {
	case !ok:
		return fmt.Errorf("unknown branch")
	case n.ID <= 0 || o.byID[n.ID] != nil:
		return fmt.Errorf("id is not positive or repeated")
	case o.byPath[n.Key] != nil:
		return fmt.Errorf("repeated key")
	case n.Name == "" || n.Description == "" || strings.Contains(n.Name, namesSeparator):
		return fmt.Errorf("name or description is missing or broken")
	case n.Line != "" && (!lineKnown || !kind.OnForm()):
		return fmt.Errorf("line %q is not on the form, or the branch is not", n.Line)
	case c.Assignable && kind.OnForm() && (n.Line == "" || line.Computed):
		return fmt.Errorf("assignable without a line that takes amounts")
	case c.DeductiblePercent < 0 || c.DeductiblePercent > 100:
		return fmt.Errorf("deductible %d is not within 0..100", c.DeductiblePercent)
	}
	if i := strings.LastIndexByte(n.Key, '.'); i < 0 {
		if c.Assignable {
			return fmt.Errorf("a branch is a heading and cannot be assignable")
		}
		o.Roots = append(o.Roots, c)
	} else {
		if c.Parent = o.byPath[n.Key[:i]]; c.Parent == nil {
			return fmt.Errorf("no parent before it")
		}
		c.Names = slices.Clone(c.Parent.Names)
		c.Parent.Children = append(c.Parent.Children, c)
	}
	c.Names = append(c.Names, c.Name)
	o.byID[c.ID], o.byPath[c.Path] = c, c
	return o.indexNames(c)
}

func (o *Ontology) indexNames(c *Category) error {
	name := fold(c.Name)
	if o.byName[name] != nil {
		return fmt.Errorf("name %q is taken", c.Name)
	}
	o.byName[name] = []*Category{c}
	o.byNames[fold(strings.Join(c.Names, namesSeparator))] = c
	return nil
}

// index lists the tree depth first.
func (o *Ontology) index(c *Category) {
	o.all = append(o.all, c)
	for _, child := range c.Children {
		o.index(child)
	}
}
