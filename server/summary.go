package server

import (
	"encoding/json"
	"unicode/utf8"

	"bizfin/gen/api"
)

// inShort is whether an answer was asked for in summary.
func inShort(detail *api.Detail) bool { return detail != nil && *detail == api.DetailSummary }

// How many characters a row of a summary has at most, and a name in it.
const (
	rowSize  = 250
	nameSize = 40
)

// cutMark ends a text that was cut.
const cutMark = "…"

// shortened is a text in at most so many characters of JSON. Nothing is cut unsaid.
func shortened(text string, most int) string {
	if jsonSize(text) <= most {
		return text
	}
	kept, size := 0, utf8.RuneCountInString(cutMark)
	for i, r := range text {
		size += jsonSize(string(r))
		if size > most {
			break
		}
		kept = i + utf8.RuneLen(r)
	}
	return text[:kept] + cutMark
}

// jsonSize is how many characters a value has in an answer, a text without its quotes.
func jsonSize(value any) int {
	raw, err := json.Marshal(value)
	if err != nil {
		panic(err) // of what is answered anyway
	}
	if _, isText := value.(string); isText {
		return utf8.RuneCount(raw) - len(`""`)
	}
	return utf8.RuneCount(raw)
}
