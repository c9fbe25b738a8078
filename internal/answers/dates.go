package answers

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/wording"
)

var (
	aDay = regexp.MustCompile(`(?i)^(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|` +
		`sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b` +
		`(?:\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b(?:\s*(?:-|–|to|through)\s*(\d{1,2})\b)?)?(?:,?\s+20\d\d\b)?`)
	// monthDays are days of each month: the 7th and 21st of the month, on the 1st.
	monthDays = regexp.MustCompile(`(?i)^(?:on\s+the\s+(\d{1,2})(?:st|nd|rd|th)(?:\s+and\s+(?:the\s+)?(\d{1,2})` +
		`(?:st|nd|rd|th))?(?:\s+of\s+(?:the|each|every)\s+month)?|the\s+(\d{1,2})(?:st|nd|rd|th)(?:\s+and\s+(?:the\s+)?` +
		`(\d{1,2})(?:st|nd|rd|th))?\s+of\s+(?:the|each|every)\s+month)\b`)
	// doesThen is what somebody does, who was named before: she gets rent on the 1st.
	doesThen   = regexp.MustCompile(`(?i)\b(?:he|she|they|it|who|which|i|we)\s+\S+(?:\s+\S+){0,3}\s+$`)
	slashed    = regexp.MustCompile(`^(\d{1,2})/(\d{1,2})(?:/(?:20)?\d\d)?\b`)
	onward     = regexp.MustCompile(`(?i)^\s+on(?:wards?)?\b`)
	fromOn     = regexp.MustCompile(`(?i)\bon(?:wards?)?$`)
	fromBefore = regexp.MustCompile(`(?i)\b(?:from|since|starting)\s+(?:in\s+)?$`)
	holiday    = regexp.MustCompile(`(?i)\b(?:4th|fourth)\s+of\s+$`)
	// whenBefore is what stands before a month that is also another word.
	whenBefore = regexp.MustCompile(`(?i)\b(?:in|on|of|the|since|until|till|before|after|through|to|and|early|` +
		`late)\s+$`)
)

// dateAt are the rows of a month or a day: January, Oct 31, Feb 20 to 25, 7/14; of one that follows another up to it.
func (q Asked) dateAt(text string, at int, before []mention) (m mention, ok bool) {
	m = mention{rank: byDate, kind: theDate, sure: true}
	if say := monthDays.FindStringSubmatch(text[at:]); say != nil && !doesThen.MatchString(upBefore(text, at)) {
		days := []string{say[1], say[2], say[3], say[4]}
		m.rows = q.those(func(l AskedLine) bool { return slices.Contains(days, strconv.Itoa(l.Date.Day())) })
		m.to, m.several = at+len(say[0]), true
		return m, true
	}
	if then := thereafter.FindString(text[at:]); then != "" {
		return q.afterThat(text, at, len(then), before)
	}
	if rows, long := q.spanAt(text[at:], fromBetween.MatchString(upBefore(text, at))); long > 0 {
		m.rows, m.to, m.several = rows, at+long, true
		return m, true
	}
	if say := halfYear.FindStringSubmatch(text[at:]); say != nil {
		first := strings.EqualFold(say[1], "first")
		m.rows = q.those(func(l AskedLine) bool { return (l.Date.Month() <= time.June) == first })
		m.to, m.several = at+len(say[0]), true
		return m, true
	}
	if say := slashed.FindStringSubmatch(text[at:]); say != nil {
		month, _ := strconv.Atoi(say[1])
		day, _ := strconv.Atoi(say[2])
		m.rows, m.to = q.onDays(time.Month(month), day, day), at+len(say[0])
		if side := sideBefore(text, at, before); side != "" {
			m.rows, m.several = q.onSide(side, time.Month(month), day, day), true
		}
		return m, true
	}
	say := aDay.FindStringSubmatch(text[at:])
	if say == nil || holiday.MatchString(upBefore(text, at)) {
		return mention{}, false
	}
	if say[2] == "" && (isInitials(text, at, say[1]) || q.isPerson(text, at, say[1], before)) {
		return mention{}, false
	}
	word := strings.ToLower(say[1])
	if also := word == "may" || word == "march" || word == "mar"; also && say[2] == "" && text[at] >= 'a' &&
		!whenBefore.MatchString(upBefore(text, at)) {
		return mention{}, false
	}
	from, to := 1, 31
	if say[2] != "" {
		from, _ = strconv.Atoi(say[2])
		to = from
	}
	if say[3] != "" {
		to, _ = strconv.Atoi(say[3])
	}
	m.rows, m.to = q.onDays(monthOf(word), from, to), at+len(say[0])
	if on := onward.FindString(text[m.to:]); on != "" && fromBefore.MatchString(upBefore(text, at)) {
		first := time.Date(0, monthOf(word), from, 0, 0, 0, 0, time.UTC)
		m.to += len(on)
		m.rows = q.those(func(l AskedLine) bool { return l.Date.YearDay() >= first.YearDay() })
	}
	m.several = say[2] == ""
	if side := sideBefore(text, at, before); side != "" {
		m.rows, m.several = q.onSide(side, monthOf(word), from, to), true
	}
	return m, true
}

// isPerson reports whether what is spelled like a month is the name of somebody among the rows: June cleans the van.
func (q Asked) isPerson(text string, at int, word string, before []mention) bool {
	last := len(before) - 1
	dated := last >= 0 && before[last].kind == theDate && listed.MatchString(text[before[last].to:at])
	when := dated || inTimeOf.MatchString(upBefore(text, at))
	if when || namedSo.MatchString(text[at:]) {
		return !when
	}
	if !capital.MatchString(word) || word == strings.ToUpper(word) {
		return false
	}
	return slices.ContainsFunc(q.parties().names, func(name string) bool {
		return slices.Contains(strings.Fields(wording.Fold(name)), strings.ToLower(word))
	})
}

// spanAt are the rows from a day to another with which words begin: May 9 to June 30, 5/9 - 6/30. There need be none on
// either day. Behind between they are joined by and.
func (q Asked) spanAt(text string, between bool) (rows []uuid.UUID, long int) {
	first, from := dayAt(text)
	if from == 0 {
		return nil, 0
	}
	joint := upToNext
	if between {
		joint = andNext
	}
	to := joint.FindString(text[from:])
	if to == "" {
		return nil, 0
	}
	last, end := dayAt(text[from+len(to):])
	if end == 0 || last < first {
		return nil, 0
	}
	rows = q.those(func(l AskedLine) bool {
		day := 100*int(l.Date.Month()) + l.Date.Day()
		return first <= day && day <= last
	})
	return rows, from + len(to) + end
}

// dayAt is the day of a year with which words begin, the month a hundred times, and how long it is written.
func dayAt(text string) (day, long int) {
	if say := slashed.FindStringSubmatch(text); say != nil {
		month, _ := strconv.Atoi(say[1])
		day, _ = strconv.Atoi(say[2])
		return 100*month + day, len(say[0])
	}
	if say := oneDay.FindStringSubmatch(text); say != nil {
		day, _ = strconv.Atoi(say[2])
		return 100*int(monthOf(strings.ToLower(say[1]))) + day, len(say[0])
	}
	return 0, 0
}

// isInitials reports whether what is spelled like a month is the name of a thing: a loan for the OCT.
func isInitials(text string, at int, word string) bool {
	const short = 3
	return len(word) == short && word == strings.ToUpper(word) && text != strings.ToUpper(text) &&
		anArticle.MatchString(upBefore(text, at)) && !datedThing.MatchString(text[at+len(word):])
}

var (
	anArticle = regexp.MustCompile(`(?i)\b(?:the|an?|our|my)\s+$`)
	// datedThing stands behind the month of rows.
	datedThing = regexp.MustCompile(`(?i)^\s+(?:ones?|payments?|checks?|deposits?|charges?|bills?|rows?|` +
		`lines?|transfers?|` +
		`invoices?|rent)\b`)
	// inTimeOf stands before a month, and not before somebody who is called so.
	inTimeOf = regexp.MustCompile(`(?i)(?:\b(?:in|on|since|until|till|before|after|through|during|early|late|` +
		`from|starting)|['’]s)\s+$`)
	// namedSo is a name that begins as a month: June Park.
	namedSo = regexp.MustCompile(`^(?:April|May|June|August)\s+\p{Lu}\p{Ll}+`)
	// halfYear are rows of six months.
	halfYear = regexp.MustCompile(`(?i)^(?:the\s+)?(first|second|last)\s+half\s+of\s+(?:the\s+year|20\d\d)\b`)
	oneDay   = regexp.MustCompile(`(?i)^(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|` +
		`aug(?:ust)?|` +
		`sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?\s+(\d{1,2})(?:st|nd|rd|th)?\b`)
	upToNext = regexp.MustCompile(`(?i)^\s*(?:-|–|to|through|thru|until|till)\s*`)
	andNext  = regexp.MustCompile(`(?i)^\s+and\s+`)
	// fromBetween stands before the first day of a span.
	fromBetween = regexp.MustCompile(`(?i)\bbetween\s+$`)
	upTo        = regexp.MustCompile(`(?i)^\s*(?:-|–|to|through|thru|until|till)\s*$`)
	// sideOf stands before a day where rows lie on one side of it. Until a month is before it, and whether the rows of
	// that month are meant, too, nobody can tell.
	sideOf = regexp.MustCompile(`(?i)\b(before|until|till|up\s+to|through|thru|after|since|starting)` +
		`(\s+and\s+including)?\s+(?:in\s+|with\s+)?(?:the\s+)?(?:(end|beginning|start)\s+of\s+)?$`)
	// thereafter begins what is said of rows behind those up to a day, or before those from one on.
	thereafter = regexp.MustCompile(`(?i)^(?:since\s+then|after\s+that|afterwards?|thereafter|from\s+then\s+on|` +
		`from\s+there\s+on|then\b|later(?:\s+ones)?|before\s+(?:that|then)|earlier|before\s*(?:[.!,;]|$))`)
	earlierThan = regexp.MustCompile(`(?i)^(?:before|earlier)`)
)

// sideBefore is the side of a day on which rows lie that words name; empty where they are those of the day.
func sideBefore(text string, at int, before []mention) string {
	of := sideOf.FindStringSubmatch(upBefore(text, at))
	if of == nil || endsSpan(text[:at], before) {
		return ""
	}
	side := strings.ToLower(of[1])
	if earlier := side != "after" && side != "since" && side != "starting"; earlier && (of[2] != "" || of[3] == "end") {
		return "through"
	}
	return side
}

// endsSpan reports whether a day is the last of a span whose first one stands before: January through March.
func endsSpan(text string, before []mention) bool {
	last := len(before) - 1
	return last >= 0 && before[last].kind == theDate && upTo.MatchString(text[before[last].to:])
}

// onSide are the rows on one side of some days of a month.
func (q Asked) onSide(side string, month time.Month, from, to int) []uuid.UUID {
	return q.those(func(l AskedLine) bool {
		within := l.Date.Month() == month && from <= l.Date.Day() && l.Date.Day() <= to
		earlier := l.Date.Month() < month || l.Date.Month() == month && l.Date.Day() < from
		switch side {
		case "through", "thru":
			return earlier || within
		case "after":
			return !earlier && !within
		case "since", "starting":
			return !earlier
		default:
			return earlier
		}
	})
}

// afterThat are the rows on the other side of a month than those that were named last: until May they were rent, since
// then insurance. Those of the month itself are of neither, but where it says of which they are.
func (q Asked) afterThat(text string, at, long int, before []mention) (m mention, ok bool) {
	last := len(before) - 1
	if last < 0 || before[last].kind != theDate {
		return mention{}, false
	}
	was := sideBefore(text, before[last].from, before[:last])
	if was == "" && endsSpan(text[:before[last].from], before[:last]) {
		was = "through"
	}
	if was == "" && fromBefore.MatchString(upBefore(text, before[last].from)) &&
		fromOn.MatchString(text[:before[last].to]) {
		was = "since"
	}
	say := aDay.FindStringSubmatch(text[before[last].from:])
	if was == "" || say == nil || say[2] != "" {
		return mention{}, false
	}
	from := "after"
	earlier := was == "after" || was == "since" || was == "starting"
	switch {
	case earlier != earlierThan.MatchString(text[at:]):
		return mention{}, false
	case earlier:
		from = "before"
	case was == "before":
		from = "since"
	}
	rows := q.onSide(from, monthOf(strings.ToLower(say[1])), 1, 31)
	return mention{to: at + long, rows: rows, rank: byDate, kind: theDate, sure: true, several: true}, true
}

func monthOf(word string) time.Month {
	for m := time.January; m <= time.December; m++ {
		if strings.HasPrefix(strings.ToLower(m.String()), word[:3]) {
			return m
		}
	}
	return 0
}

// onDays are the rows of some days of a month, in whichever year; of a day that has none those of the two behind it, as
// banks are later than people.
func (q Asked) onDays(month time.Month, from, to int) []uuid.UUID {
	const late = 2
	rows := q.those(func(l AskedLine) bool {
		return l.Date.Month() == month && from <= l.Date.Day() && l.Date.Day() <= to
	})
	if rows != nil || from != to {
		return rows
	}
	return q.those(func(l AskedLine) bool {
		day := time.Date(l.Date.Year(), month, from, 0, 0, 0, 0, time.UTC)
		return l.Date.After(day) && !l.Date.After(day.AddDate(0, 0, late))
	})
}

// between are the rows from the first day of some to the last of others.
func (q Asked) between(from, to []uuid.UUID) []uuid.UUID {
	first, last := time.Time{}, time.Time{}
	for _, l := range q.Lines {
		for _, row := range from {
			if l.Transaction == row && (first.IsZero() || l.Date.Before(first)) {
				first = l.Date
			}
		}
		for _, row := range to {
			if l.Transaction == row && l.Date.After(last) {
				last = l.Date
			}
		}
	}
	return q.those(func(l AskedLine) bool { return !l.Date.Before(first) && !l.Date.After(last) })
}
