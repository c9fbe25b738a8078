package categorize

import "slices"

// calls reports whether a business is called like those of a calling.
func (d *data) calls(b Business, calling string) bool {
	return slices.ContainsFunc(b.words, func(word string) bool { return slices.Contains(d.callings[word], calling) })
}

// besides are words of firms that do something for those that feed, or build for them: Kitchen & Bath, Cafe Consulting.
var besides = []string{"BATH", "REPAIR", "REPAIRS", "CONSULTING", "CLEANING", "EQUIPMENT", "SUPPLY", "SUPPLIES",
	"DESIGN", "DESIGNS", "REMODELING", "CABINETS", "MEDIA", "MARKETING", "PHOTOGRAPHY", "SERVICE", "SERVICES"}

// Feeds reports whether the business is called like one that makes or serves what people eat.
func (b Business) Feeds() bool {
	return load().calls(b, "food") && !slices.ContainsFunc(b.words, func(word string) bool {
		return slices.Contains(besides, word)
	})
}
