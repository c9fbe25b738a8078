package answers

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
)

// withoutAll are words without what stands before a colon and names all rows: "4/9: a private sale" of the one row of
// that day, "All six: power for the bakery".
func (q Asked) withoutAll(words string) string {
	before, behind, colon := strings.Cut(words, ":")
	if !colon || len(q.Lines) == 0 || strings.Contains(behind, ":") || strings.TrimSpace(behind) == "" {
		return words
	}
	if allBefore.MatchString(before) || q.allNamed(before) {
		return strings.TrimSpace(behind)
	}
	return words
}

// allNamed reports whether days and amounts, and nothing else, name all rows.
func (q Asked) allNamed(words string) bool {
	named := map[uuid.UUID]bool{}
	for _, one := range betweenDays.Split(strings.TrimSpace(words), -1) {
		one = strings.TrimSpace(one)
		var rows []uuid.UUID
		if say := slashed.FindStringSubmatch(one); say != nil && say[0] == one {
			month, _ := strconv.Atoi(say[1])
			day, _ := strconv.Atoi(say[2])
			rows = q.onDays(time.Month(month), day, day)
		} else if say := aDay.FindStringSubmatch(one); say != nil && say[0] == one && say[2] != "" && say[3] == "" {
			day, _ := strconv.Atoi(say[2])
			rows = q.onDays(monthOf(strings.ToLower(say[1])), day, day)
		} else if sum := strings.TrimPrefix(one, "$"); justASum.MatchString(sum) {
			rows = q.ofAmount(strings.ReplaceAll(sum, ",", ""), false)
		}
		if rows == nil {
			return false
		}
		for _, row := range rows {
			named[row] = true
		}
	}
	return len(named) == len(q.Lines)
}

var (
	allBefore = regexp.MustCompile(`(?i)^\s*(?:all(?:\s+(?:of\s+(?:them|these|those)|two|three|four|five|six|` +
		`seven|eight|nine|ten|` +
		`\d+|rows?|lines?))?|both|everything)\s*$`)
	betweenDays = regexp.MustCompile(`(?i)\s*(?:,\s+(?:and\s+)?|\band\b|&)\s*`)
	justASum    = regexp.MustCompile(`^\d[\d,]*(?:\.\d\d)?$`)
)
