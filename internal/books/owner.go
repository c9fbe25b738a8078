package books

import (
	"slices"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Truthful is how an owner answers who knows what the rows are and says nothing else: the best reply first, and what to
// say where that is refused. Of one processor's payouts the statement of the year is one. Where no reply is true of all
// rows, the one that is true of at least nine tenths of the dollars is given, as people speak of the rule and not of
// the exception; otherwise what the lines are that are shown, and of the others nothing.
func Truthful(q Question) []Reply {
	if len(q.Rows) == 0 {
		return append(q.ofBusiness(), Skip)
	}
	var replies []Reply
	best, share := most(q.Rows)
	if alike(q.Rows) {
		replies = q.say(best, true)
	} else if words, whole, of, ok := q.ruled(); ok && (whole || of >= 90) {
		replies = append(replies, Reply{Words: words, Whole: whole})
	}
	if q.Splits && !alike(q.Rows) && net(q.Rows) && q.ofOneParty() {
		if words, ok := statement(q.Rows); ok {
			replies = append(replies, Reply{Words: words, Whole: true})
		}
	}
	if share >= 90 {
		replies = append(replies, q.say(best, false)...)
	}
	if words, ok := q.lineByLine(); ok {
		replies = append(replies, Reply{Words: words})
	}
	return append(replies, Skip)
}

// ofOneParty is whether the question shows all rows with one counterparty, who writes a statement of them: nobody does
// of checks that name nobody.
func (q Question) ofOneParty() bool {
	for i, row := range q.Rows {
		if row.Amount < 0 && q.party(i) == "" || q.party(i) != q.party(0) {
			return false
		}
	}
	return true
}

// InWords is how an owner answers who writes what they know: the note of the most dollars, and then what [Truthful]
// says.
func InWords(q Question) []Reply {
	notes := map[string]money.Amount{}
	for _, row := range q.Rows {
		notes[row.Note] += size(row.Amount)
	}
	note := largest(notes)
	if note == "" || !q.FreeText || q.FollowsUp {
		return Truthful(q)
	}
	return append([]Reply{{Words: note, Whole: len(notes) == 1 && alike(q.Rows)}}, Truthful(q)...)
}

// say names a category: by its option, by its path, by an option on the same line.
func (q Question) say(c *ontology.Category, whole bool) []Reply {
	var replies []Reply
	if slices.Contains(q.Options, c.Path) {
		replies = append(replies, Reply{Option: c.Path, Words: c.Name, Whole: whole})
	}
	if q.FreeText {
		replies = append(replies, Reply{Words: c.Path, Whole: whole})
	}
	for _, option := range q.Options {
		near, ok := ontology.ScheduleC().ByPath(option)
		if ok && option != c.Path && Line(near) == Line(c) {
			replies = append(replies, Reply{Option: option, Words: near.Name, Whole: whole})
		}
	}
	return replies
}

// alike reports whether every row is wholly on one and the same line.
func alike(rows []Row) bool {
	lines := map[string]bool{}
	for _, row := range rows {
		for _, part := range row.Truth {
			lines[Line(part.Category)] = true
		}
	}
	return len(lines) == 1
}
