package categorize

import "slices"

// calls reports whether a business is called like those of a calling.
func (d *data) calls(b Business, calling string) bool {
	return slices.ContainsFunc(b.words, func(word string) bool { return slices.Contains(d.callings[word], calling) })
}

// Feeds reports whether the business is called like one that makes or serves what people eat. Who builds kitchens
// builds baths.
func (b Business) Feeds() bool { return load().calls(b, "food") && !slices.Contains(b.words, "BATH") }
