package categorize

import (
	"fmt"
	"strings"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// put stores a value at an index of a slice that grows as needed.
func put[T any](s *[]T, i int32, value T) {
	for int(i) >= len(*s) {
		var zero T
		*s = append(*s, zero)
	}
	(*s)[i] = value
}

func (d *data) tier(name string) (tier, error) {
	t, ok := d.tiers[name]
	if !ok {
		return tier{}, fmt.Errorf("unknown tier %q", name)
	}
	return t, nil
}

// categoryID finds the id of a path; "" is 0.
func categoryID(path string) (int, error) {
	if path == "" {
		return 0, nil
	}
	c, ok := ontology.ScheduleC().ByPath(path)
	if !ok || !c.Assignable {
		return 0, fmt.Errorf("category %q does not exist or takes no transactions", path)
	}
	return c.ID, nil
}

// alternatives shares out what a decision of this confidence leaves, the more
// the earlier: half to the first, half of the rest to the next.
func alternatives(confidence money.Ratio, chosen string, paths ...string) ([]Alternative, error) {
	var list []Alternative
	left := 10_000 - confidence
	for _, path := range paths {
		if path == "" || path == chosen || strings.HasPrefix(path, ontology.Uncategorized) {
			continue
		}
		id, err := categoryID(path)
		if err != nil {
			return nil, err
		}
		left /= 2
		if list = append(list, Alternative{id, left}); len(list) == maxAlternatives {
			break
		}
	}
	return list, nil
}

// phrasings are all phrases that a row with choices stands for.
func phrasings(row string) []string {
	all := []string{""}
	for choices := range strings.FieldsSeq(row) {
		var longer []string
		for choice := range strings.SplitSeq(choices, "/") {
			if choice == "-" {
				choice = ""
			}
			for _, text := range all {
				longer = append(longer, strings.TrimSpace(text+" "+strings.ReplaceAll(choice, "_", " ")))
			}
		}
		all = longer
	}
	return all
}
