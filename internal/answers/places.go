package answers

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// The first ones are those of the list, or the earliest: a list is in the order of its amounts. Where words do not say
// which, and it is not the same, they name none.

func count(word string) int {
	if n, err := strconv.Atoi(word); err == nil {
		return n
	}
	return countOf[strings.ToLower(word)]
}

// asListed are the lines in the order of the list, dated by their days.
func (q Asked) asListed() []AskedLine {
	return slices.SortedFunc(slices.Values(q.Lines), func(a, b AskedLine) int { return a.N - b.N })
}

func dated(lines []AskedLine) []AskedLine {
	return slices.SortedStableFunc(slices.Values(lines), func(a, b AskedLine) int { return a.Date.Compare(b.Date) })
}

// inOrder are the rows of a place in the list, or of a time: the first three, my two latest, Ann's last one.
func (q Asked) inOrder(words string, at int, before []mention) (m mention, ok bool) {
	text := words[at:]
	long, which, number := 0, "", ""
	if say := countedPlace.FindStringSubmatch(text); say != nil {
		long, which, number = len(say[0]), say[3], say[2]
	} else if say := place.FindStringSubmatch(text); say != nil && (say[2] != "" || aPlace.MatchString(say[0])) {
		long, which, number = len(say[0]), say[1], say[2]
	}
	which = strings.ToLower(which)
	if long == 0 || aSpan.MatchString(text[long:]) {
		return mention{}, false
	}
	n, lines, theirs := count(number), q.asListed(), q.withWhom(words, at, before)
	byDate := inTime.MatchString(which) || ofTime.MatchString(text[long:]) || ofOnes.MatchString(upBefore(words, at)) ||
		strings.HasPrefix(strings.ToLower(text), "my ")
	if theirs != nil {
		lines, byDate = slices.DeleteFunc(lines, func(l AskedLine) bool { return !has(theirs, l.Transaction) }), true
	}
	sorted := lines
	switch {
	case which == "biggest", which == "largest":
		slices.SortStableFunc(sorted, func(a, b AskedLine) int { return int(size(b.Amount) - size(a.Amount)) })
	case which == "smallest":
		slices.SortStableFunc(sorted, func(a, b AskedLine) int { return int(size(a.Amount) - size(b.Amount)) })
	default:
		if byDate {
			sorted = dated(lines)
		}
		if which != "first" && which != "top" && which != "earliest" && which != "oldest" {
			slices.Reverse(sorted)
		}
	}
	if n >= len(sorted) || n == 1 && !byDate && !isEnd(sorted) {
		return mention{}, false
	}
	m = q.firstOf(sorted, n, mention{rank: byWord, kind: thePlace, sure: true, to: at}, long)
	if !byDate && (n == 1 && !ofLines.MatchString(text[:long]) || ofMoney.MatchString(text[:long])) &&
		(which == "first" || which == "last") {
		other := dated(lines)
		if which == "last" {
			slices.Reverse(other)
		}
		if !sameAs(m.rows, q.firstOf(other, n, mention{}, 0).rows) {
			return mention{}, false
		}
	}
	return m, true
}

// withWhom are the rows of somebody who is named right before, or with whom a place is: the last two to Nina.
func (q Asked) withWhom(words string, at int, before []mention) []uuid.UUID {
	if last := len(before) - 1; last >= 0 && before[last].kind == theParty &&
		strings.Trim(words[before[last].to:at], " :") == "" {
		return before[last].rows
	}
	return nil
}

var (
	place = regexp.MustCompile(`(?i)^(?:(?:the|my)\s+)?(first|last|top|biggest|largest|smallest|latest|newest|` +
		`most\s+recent|` +
		`earliest|oldest)(?:\s+(\d{1,2}|one|two|three|four|five|six)\b)?` +
		`(?:\s+(?:lines?|ones?|rows?|checks?|deposits?|payments?|purchases?|zelles?|transfers?|orders?)\b)?`)
	countedPlace = regexp.MustCompile(`(?i)^((?:the|my)\s+)?(\d{1,2}|two|three|four|five|six)\s+(first|last|` +
		`latest|newest|` +
		`most\s+recent|earliest|oldest)\b`)
	countOf = map[string]int{"": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6}

	aPlace = regexp.MustCompile(`(?i)\b(?:lines?|ones?|rows?|checks?|deposits?|payments?|purchases?|zelles?|` +
		`transfers?|orders?)$`)
	ofMoney = regexp.MustCompile(`(?i)\b(?:checks?|deposits?|payments?|purchases?|zelles?|transfers?|orders?)$`)
	ofLines = regexp.MustCompile(`(?i)\b(?:lines?|rows?)$`)
	// aSpan stands behind a count of times, and not of rows.
	aSpan  = regexp.MustCompile(`(?i)^\s*(?:months?|weeks?|quarters?|years?|days?|times?)\b`)
	inTime = regexp.MustCompile(`(?i)^(?:latest|newest|most\s+recent|earliest|oldest)$`)
	// ofTime stands behind rows that are the first ones in time.
	ofTime = regexp.MustCompile(`(?i)^\s*(?:of\s+the\s+year\b|(?:that\s+)?(?:i|we)\s|in\s+(?:the\s+)?(?:jan|feb|` +
		`mar|apr|may|jun|jul|` +
		`aug|sep|oct|nov|dec|year))`)
	ofOnes = regexp.MustCompile(`(?i)\b(?:my|his|her|their|our)\s+$`)
)

// isEnd reports whether the first of lines is the earliest, too, or the latest: the first one may be either.
func isEnd(lines []AskedLine) bool {
	earliest, latest := true, true
	for _, l := range lines[1:] {
		earliest, latest = earliest && l.Date.After(lines[0].Date), latest && l.Date.Before(lines[0].Date)
	}
	return earliest || latest
}

func (q Asked) firstOf(lines []AskedLine, n int, m mention, long int) mention {
	for _, l := range lines[:n] {
		m.rows = append(m.rows, l.Transaction)
	}
	m.to, m.several = m.to+long, n > 1
	return m
}
