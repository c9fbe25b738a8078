package merchants

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// All returns the dictionary: curated entries first, each part by name and then
// by first alias. It is parsed once and shared: callers must not modify it. A
// broken embedded file panics, which the package's tests rule out.
func All() []Merchant { return all() }

var all = sync.OnceValue(func() []Merchant {
	out := make([]Merchant, 0, 8192)
	for _, file := range []struct {
		text    string
		curated bool
	}{{curated, true}, {generated, false}} {
		part, err := parse(file.text, file.curated)
		if err != nil {
			panic(err)
		}
		out = append(out, part...)
	}
	return out
})

// columns of both files; their header lines spell them out.
const columns = 8

// parse reads one file: a merchant a line, columns separated by tabs; blank
// lines and lines that begin with # are comments. Aliases are separated by
// semicolons, an exact name is marked by a leading equals sign. The result is
// sorted by name, then by first alias.
func parse(text string, curated bool) ([]Merchant, error) {
	var out []Merchant
	number := 0
	for line := range strings.Lines(text) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if strings.TrimSpace(line) == "" || line[0] == '#' {
			continue
		}
		fields := strings.Split(line, "\t")
		if len(fields) != columns {
			return nil, fmt.Errorf("merchants: line %d: %d columns, want %d", number, len(fields), columns)
		}
		m := Merchant{
			Name: fields[0], Type: fields[1], Relationship: fields[2],
			Out: fields[3], In: fields[4], Use: fields[5], Website: fields[6],
			Curated: curated,
		}
		for alias := range strings.SplitSeq(fields[7], ";") {
			if exact, ok := strings.CutPrefix(alias, "="); ok {
				m.Exact = append(m.Exact, exact)
			} else {
				m.Aliases = append(m.Aliases, alias)
			}
		}
		out = append(out, m)
	}
	slices.SortStableFunc(out, func(a, b Merchant) int {
		return cmp.Or(
			cmp.Compare(a.Name, b.Name),
			slices.Compare(a.Aliases, b.Aliases),
			slices.Compare(a.Exact, b.Exact),
		)
	})
	return out, nil
}
