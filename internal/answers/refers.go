package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/money"
)

// among are the rows of a party where it has some of them: an amount that is said of somebody is not that of another.
func among(rows, party []uuid.UUID) []uuid.UUID {
	if both := common(rows, party); both != nil {
		return both
	}
	return rows
}

// allOf are the rows of a list.
func allOf(list []mention) (rows []uuid.UUID) {
	for _, m := range list {
		rows = append(rows, m.rows...)
	}
	return rows
}

// sameAs reports whether rows are the same as others.
func sameAs(a, b []uuid.UUID) bool { return len(a) == len(b) && len(common(a, b)) == len(a) }

// eachHas reports whether each of a list has some of the rows.
func eachHas(list []mention, rows []uuid.UUID) bool {
	return !slices.ContainsFunc(list, func(m mention) bool { return common(m.rows, rows) == nil })
}

func common(a, b []uuid.UUID) (both []uuid.UUID) {
	for _, row := range a {
		if slices.Contains(b, row) {
			both = append(both, row)
		}
	}
	return both
}

func has(rows []uuid.UUID, row uuid.UUID) bool { return slices.Contains(rows, row) }

// those are the rows of which something is true.
func (q Asked) those(is func(AskedLine) bool) (rows []uuid.UUID) {
	for _, l := range q.Lines {
		if is(l) {
			rows = append(rows, l.Transaction)
		}
	}
	return rows
}

func size(a money.Amount) money.Amount { return max(a, -a) }

// listed is what stands between the names of a list.
var listed = regexp.MustCompile(`(?i)^\s*(?:,\s*(?:and|plus)?|\s(?:and|plus|n)\s|&|/|\+)\s*(?:(?:the|both|also|` +
	`other|lines?|check|in|on)\s+)*[$#]?$`)

// article is what stands before what is named and tells nothing of it.
var article = regexp.MustCompile(`(?i)^\s*(?:(?:the|an?|that|those|these|this|both|all|my|our|only|just|` +
	`also|and|but|then|so|` +
	`well|ok|okay|plus|oh|yes|of|on|in|at|to|for|from|with|her|his|their|one|two|three|four|five|six|lines?|` +
	`checks?)\b[\s,$#(]*|[(\s]+)+`)

// inNumber reports whether a sign stands between the digits of a number.
func inNumber(words string, at int) bool {
	digit := func(at int) bool { return 0 <= at && at < len(words) && '0' <= words[at] && words[at] <= '9' }
	return digit(at-1) && digit(at+1)
}

// upBefore are the last words before a place, which is all that tells what is meant there.
func upBefore(text string, at int) string {
	const most = 40 // bytes
	if at <= most {
		return text[:at]
	}
	return "…" + strings.ToValidUTF8(text[at-most:at], "")
}
