package answers

import (
	"regexp"
	"slices"
	"strings"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/wording"
)

// ofGoodsSold is the cost of goods sold that words say by that name, with what it is beside: materials, cost of goods
// sold. Materials alone may be the shop's, too. It is nil where they do not say it, or not which.
func (q Asked) ofGoodsSold(words string) *ontology.Category {
	if q.Direction() != wording.Out || !goodsSold.MatchString(words) || wording.Denies(words) ||
		strings.ContainsAny(words, "0123456789%$") {
		return nil
	}
	if c, named := wording.CategoryNamed(words, wording.Out); named && c.Is("cogs") {
		return c
	}
	beside := itIsFirst.ReplaceAllString(goodsSold.ReplaceAllString(words, " "), "")
	var said []*ontology.Category
	for _, of := range costsOfGoods {
		if of.is.MatchString(beside) {
			said = append(said, of.category)
		}
	}
	bare := strings.Trim(beside, " ,;.()-–—") == ""
	if len(said) == 0 && !bare {
		said = slices.DeleteFunc(q.Read(beside).Candidates, func(c *ontology.Category) bool { return !c.Is("cogs") })
		said = said[:min(len(said), 1)]
	}
	if bare {
		said = q.offered("cogs")
	}
	if len(said) != 1 {
		return nil
	}
	return said[0]
}

// offered are the options that are below a category.
func (q Asked) offered(above string) (all []*ontology.Category) {
	for _, o := range q.Options {
		if c, ok := ontology.ScheduleC().ByPath(o.Value); ok && o.Value != questions.Split && c.Is(above) {
			all = append(all, c)
		}
	}
	return all
}

var goodsSold = regexp.MustCompile(`(?i)\bcosts?\s+of\s+(?:the\s+)?goods(?:\s+sold)?\b|\bcogs\b`)

var itIsFirst = regexp.MustCompile(`(?i)^\s*(?:it'?s|it\s+is|that'?s|they'?re|they\s+are|these\s+are|all)\s+`)

// costsOfGoods are what each of them is called beside that name.
var costsOfGoods = []struct {
	category *ontology.Category
	is       *regexp.Regexp
}{
	{ontology.MustPath("cogs.materials"), regexp.MustCompile(`(?i)\b(?:materials?|ingredients?|supplies|parts)\b`)},
	{ontology.MustPath("cogs.purchases"), regexp.MustCompile(`(?i)\b(?:purchases?|resale|resold|resell|inventory|` +
		`merchandise|stock)\b`)},
	{ontology.MustPath("cogs.labor"), regexp.MustCompile(`(?i)\blabor\b`)},
	{ontology.MustPath("cogs.other.packaging"), regexp.MustCompile(`(?i)\b(?:packaging|containers?)\b`)},
	{ontology.MustPath("cogs.other.freight_in"), regexp.MustCompile(`(?i)\b(?:freight|dut(?:y|ies)|customs)\b`)},
}
