package questions

import (
	"regexp"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Of a row that is several things owners name one and its figure, and then the rest: "611.40 each month is mine, the
// rest is for my two employees"; "the 44.00: 20.50 of it was straws for therapy".

var (
	figureFirst = regexp.MustCompile(`(?i)^(?:(?:only|about|just|and|so|the|` +
		`first)\s+)*\$?(\d[\d,]*(?:\.\d+)?\s*(?:%|percent\b)?)\s*` +
		`(?:(?:each|every|a|per)\s+(?:month|week|time|one)\b\s*)?(?:of\s+(?:it|that|this|them|each)\b\s*)?` +
		`(?:is|was|are|were|for|of|goes\s+to|went\s+to|in)?\s+(?:for\s+)?(.+)$`)
	figureLast = regexp.MustCompile(`(?i)^(.+?)\s+(?:is|was|are|were|` +
		`for)\s+(?:about\s+)?\$?(\d[\d,]*(?:\.\d+)?\s*(?:%|percent\b)?)` +
		`(?:\s+of\s+(?:it|that|this|them))?$`)
	restOfIt = regexp.MustCompile(`(?i)^(?:and\s+)?(?:the\s+)?(?:rest|remainder|` +
		`other\s+\$?\d[\d,]*(?:\.\d+)?\s*(?:%|percent\b)?)(?:\s+of\s+(?:it|that))?\s*` +
		`(?:(?:is|was|are|were|for|went\s+to|goes\s+to|just)\s+)*(.+)$`)
	andThen  = regexp.MustCompile(`(?i)\s+and\s+(?:the\s+)?(rest\b|other\s+\$?\d|\$?\d)`)
	ownersIs = regexp.MustCompile(`(?i)^(?:for\s+)?(?:(?:just|my|our|all)\s+)*(?:me|mine|us|ours|own|home|house|` +
		`family|personal|private|ourselves|` +
		`where\s+(?:i|we)\s+live)$`)
)

// parted are words of one figure, and of the rest, as a split is written. What they say beside is what the whole is
// called. rest is what the rest is where they do not say it; empty where nobody knows.
func (q Asked) parted(said []string, rows []uuid.UUID, rest string) (split string, ok bool) {
	var figures []string
	for i, text := range strings.Split(andThen.ReplaceAllString(strings.Join(said, "\n"), "\n$1"), "\n") {
		text = strings.Trim(text, " ,.!")
		figure, words := "", ""
		switch of := restOfIt.FindStringSubmatch(text); {
		case of != nil:
			rest = of[1]
			continue
		case figureFirst.MatchString(text):
			of := figureFirst.FindStringSubmatch(text)
			figure, words = of[1], of[2]
		case figureLast.MatchString(text):
			of := figureLast.FindStringSubmatch(text)
			figure, words = of[2], of[1]
		case figureIn(text), i > 0 && len(figures) > 0:
			return "", false
		default:
			continue // what the whole is called
		}
		figure = strings.TrimSpace(figure)
		path := q.pathOfPart(words)
		if path == "" || !q.partOfAll(figure, rows) {
			return "", false
		}
		figures = append(figures, strings.ReplaceAll(figure, ",", "")+" "+path)
	}
	path := q.pathOfPart(rest)
	if len(figures) != 1 || path == "" {
		return "", false
	}
	return figures[0] + ", rest " + path, true
}

// pathOfPart is the category that words of a part say; empty where they say none.
func (q Asked) pathOfPart(words string) string {
	words = strings.Trim(words, " ,.!")
	if ownersIs.MatchString(words) {
		words = "personal"
	}
	if words == "" {
		return ""
	}
	c, known := ontology.ScheduleC().ByID(q.target(words).CategoryID)
	if !known || c.Is(ontology.Uncategorized) {
		return ""
	}
	return c.Path
}

// partOfAll reports whether a figure is a share, or a sum below that of each of some rows.
func (q Asked) partOfAll(figure string, rows []uuid.UUID) bool {
	if strings.ContainsAny(figure, "%t") {
		return true
	}
	figure = strings.ReplaceAll(figure, ",", "")
	if !strings.Contains(figure, ".") {
		figure += ".00"
	}
	sum, err := money.Parse(figure)
	if err != nil || sum == 0 {
		return false
	}
	for _, l := range q.Lines {
		if size(l.Amount) <= sum && (len(rows) == 0 || len(common([]uuid.UUID{l.Transaction}, rows)) > 0) {
			return false
		}
	}
	return true
}
