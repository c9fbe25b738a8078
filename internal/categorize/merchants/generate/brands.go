package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// kind is a line of kinds.tsv.
type kind struct {
	Key                              string // "brands/amenity/cafe"
	Type, Relationship, Out, In, Use string
	rank                             int // position in the file
}

// brand is a line of the output.
type brand struct {
	name    string
	website string
	kind    kind
	aliases []string // sorted, each of this brand only

	wikidata string // the brand's identity; "" if the index gives none
}

func parseKinds(text string) ([]kind, error) {
	var out []kind
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != 6 {
			return nil, fmt.Errorf("kinds: %d columns in %q, want 6", len(f), line)
		}
		out = append(out, kind{Key: f[0], Type: f[1], Relationship: f[2], Out: f[3], In: f[4], Use: f[5],
			rank: len(out)})
	}
	return out, nil
}

// selectBrands picks the brands of the kinds. The first kind a name occurs
// under decides. Two brands that differ (by their Wikidata items) and share a
// name in categories that differ identify nothing: both lose that name.
func selectBrands(from *index, kinds []kind, n *names) ([]brand, error) {
	byName := map[string]*brand{}
	ambiguous := map[string]bool{}
	for _, k := range kinds {
		group, ok := from.Kinds[k.Key]
		if !ok {
			return nil, fmt.Errorf("kinds: the package has no kind %s", k.Key)
		}
		for _, i := range group.Items {
			b, ok := i.brand(k, n)
			if !ok {
				continue
			}
			key := folded(b.name)
			first := byName[key]
			switch {
			case first == nil:
				byName[key] = &b
			case first.kind.Out == k.Out || first.wikidata != "" && first.wikidata == b.wikidata:
				first.aliases = append(first.aliases, b.aliases...)
				first.website = cmp.Or(first.website, b.website)
			default:
				ambiguous[key] = true
			}
		}
	}
	owners := map[string]int{}
	for key, b := range byName {
		if ambiguous[key] {
			delete(byName, key)
			continue
		}
		b.aliases = distinct(b.aliases)
		for _, alias := range b.aliases {
			owners[folded(alias)]++
		}
	}
	var out []brand
	for key, b := range byName {
		// An alias of several brands stays with the one it is the name of.
		b.aliases = slices.DeleteFunc(b.aliases, func(alias string) bool {
			f := folded(alias)
			return f != key && (owners[f] > 1 || byName[f] != nil)
		})
		if len(b.aliases) > 0 {
			out = append(out, *b)
		}
	}
	return out, nil
}

// brand reads an item of the kind. It reports false if the item is not American
// or no name of it identifies it and is new.
func (i item) brand(k kind, n *names) (brand, bool) {
	name := cmp.Or(i.Tags["brand:en"], i.Tags["name:en"], i.Tags["brand"], i.Tags["operator"], i.Tags["name"])
	if !i.american(strings.HasPrefix(k.Key, "operators/")) || printed(name) == "" || n.curated(printed(name)) {
		return brand{}, false
	}
	b := brand{
		name:     strings.Join(strings.Fields(name), " "),
		kind:     k,
		wikidata: cmp.Or(i.Tags["brand:wikidata"], i.Tags["operator:wikidata"]),
		website:  host(cmp.Or(i.Tags["brand:website"], i.Tags["website"])),
	}
	for _, candidate := range append([]string{name, i.Tags["name"], i.Tags["brand"], i.Tags["operator"]},
		i.MatchNames...) {
		if alias := printed(candidate); n.identifies(alias) && !n.curated(alias) {
			b.aliases = append(b.aliases, alias)
		}
	}
	return b, len(b.aliases) > 0
}

// distinct sorts the aliases and keeps one spelling of each.
func distinct(aliases []string) []string {
	slices.SortFunc(aliases, func(a, b string) int {
		return cmp.Or(cmp.Compare(folded(a), folded(b)), cmp.Compare(a, b))
	})
	return slices.CompactFunc(aliases, func(a, b string) bool { return folded(a) == folded(b) })
}

// host is the host name of a web address without www, "" if there is none.
func host(address string) string {
	_, rest, ok := strings.Cut(address, "://")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "/")
	return strings.TrimPrefix(strings.ToLower(name), "www.")
}
