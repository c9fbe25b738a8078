package answers

import (
	"slices"
	"strings"
	"unicode"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// pathOf is the category whose whole path was written, which is nobody's other words.
func pathOf(words string) (*ontology.Category, bool) {
	path := strings.ToLower(strings.TrimSpace(words))
	category, ok := ontology.ScheduleC().ByPath(path)
	return category, ok && category.Assignable && strings.Contains(path, ".")
}

// pathsIn are the categories whose whole paths stand in words.
func pathsIn(words string) []*ontology.Category {
	var all []*ontology.Category
	between := func(r rune) bool { return unicode.IsSpace(r) || strings.ContainsRune(",;/|", r) }
	for word := range strings.FieldsFuncSeq(words, between) {
		if c, ok := pathOf(strings.Trim(word, ".:()\"'`")); ok && !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// misspelledPath is whether something is written as the path of a category and is none: it is not read as words.
func misspelledPath(words string) bool {
	path := strings.TrimSpace(words)
	_, known := ontology.ScheduleC().ByPath(strings.ToLower(path))
	other := func(r rune) bool { return !unicode.IsLetter(r) && r != '_' && r != '.' }
	return !known && strings.Contains(strings.Trim(path, "."), ".") && !strings.ContainsFunc(path, other)
}

// writtenAsPath is whether words are written as the path of a category, from the root, and are none.
func writtenAsPath(words string) bool {
	root, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(words)), ".")
	return misspelledPath(words) && slices.ContainsFunc(ontology.ScheduleC().All(), func(c *ontology.Category) bool {
		return strings.HasPrefix(c.Path, root+".")
	})
}

// nearest are categories that something which is no path may be meant for.
func nearest(path string, most int) (all []*ontology.Category) {
	for _, c := range ontology.ScheduleC().Nearest(path, 3*questions.MostOptions) {
		if c.Assignable && !c.Is(ontology.Uncategorized) && len(all) < most {
			all = append(all, c)
		}
	}
	return all
}
