package answers

import (
	"regexp"
	"slices"

	"bizfin/internal/ontology"
)

// eatenHere is what all lines read that words call food: who cooks it to sell it does not eat it.
func (q Asked) eatenHere(words string) *ontology.Category {
	if !justFood.MatchString(words) || len(q.Lines) == 0 {
		return nil
	}
	reads, _ := ontology.ScheduleC().ByID(q.Lines[0].Reads)
	if reads == nil || !reads.Is("cogs") || slices.ContainsFunc(q.Lines, func(l AskedLine) bool {
		return l.Reads != reads.ID
	}) {
		return nil
	}
	return reads
}

var justFood = regexp.MustCompile(`(?i)^\s*(?:(?:the|our|my|it'?s|just)\s+)*(?:groceries|food|ingredients|` +
	`food\s+and\s+drinks?)` +
	`(?:\s+for\s+(?:the|our|my)\s+(?:truck|restaurant|cafe|kitchen|business|shop|bar|menu))?[\s.!]*$`)
