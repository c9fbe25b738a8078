package books

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// mostExceptions are so many parts that an owner still writes.
const mostExceptions = 20

// notSure leaves rows open.
const notSure = "not sure"

// ruled says what most of the rows are, and of the others what they are: by the name of whom they are with, by a word
// that their lines share, or by the numbers of lines that are shown. Rows that are several things are divided; those of
// which no shares can be said are left open. whole is whether that is true of every row; share is the percentage of
// dollars that it is true of. ok is false where nothing can be said of most rows.
func (q Question) ruled() (words string, whole bool, share money.Amount, ok bool) {
	whole = true
	var said, all money.Amount
	var parts []string
	for _, t := range q.ruleFirst() {
		all += t.size
		is, holds, sayable := t.say()
		if !sayable || t.several() && !q.Splits {
			is, holds = notSure, false
		}
		switch {
		case len(parts) == 0 && is == notSure:
			return "", false, 0, false
		case len(parts) == 0:
			parts = append(parts, is)
		case len(t.refs) == 0:
			whole = false
			continue
		default:
			parts = append(parts, strings.Join(t.refs, ", ")+": "+is)
		}
		whole = whole && holds && (len(parts) == 1 || t.named == t.size)
		switch {
		case is == notSure:
		case len(parts) == 1:
			said += t.size
		default:
			said += t.named
		}
	}
	if len(parts) > mostExceptions {
		return "", false, 0, false
	}
	return strings.Join(parts, "; "), whole, 100 * said / max(all, 1), true
}

// lineByLine says of lines that are shown what they are, those of the most money first, and nothing of the others. ok
// is false where there are none to name.
func (q Question) lineByLine() (words string, ok bool) {
	var parts []string
	say := func(refs []string, rows []Row) {
		t := thing{paths: kindOf(rows[0]), rows: rows}
		is, _, sayable := t.say()
		if sayable && (q.Splits || !t.several()) && len(parts) < mostExceptions {
			parts = append(parts, strings.Join(refs, ", ")+": "+is)
		}
	}
	for _, t := range q.things() {
		if !t.several() && len(t.refs) > 0 {
			say(t.refs, t.rows)
			continue
		}
		for i, row := range q.Rows { // each has shares of its own
			if t.several() && kindOf(row) == t.paths && i < len(q.Numbers) && q.Numbers[i] > 0 {
				say([]string{fmt.Sprint(q.Numbers[i])}, []Row{row})
			}
		}
	}
	return strings.Join(parts, "; "), len(parts) > 0
}

// ruleFirst are the things that rows are, and in front the one of the most money of which something can be said.
func (q Question) ruleFirst() []thing {
	things := q.things()
	at := slices.IndexFunc(things, func(t thing) bool {
		_, _, ok := t.say()
		return ok && (q.Splits || !t.several())
	})
	if at > 0 {
		rule := things[at]
		things = slices.Insert(slices.Delete(things, at, at+1), 0, rule)
	}
	return things
}

// things are the rows by what they are, those of the most money first.
func (q Question) things() []thing {
	var things []thing
	for _, row := range q.Rows {
		kind := kindOf(row)
		at := slices.IndexFunc(things, func(t thing) bool { return t.paths == kind })
		if at < 0 {
			at = len(things)
			things = append(things, thing{paths: kind})
		}
		things[at].rows = append(things[at].rows, row)
		things[at].size += size(row.Amount)
	}
	slices.SortStableFunc(things, func(a, b thing) int {
		return cmp.Or(cmp.Compare(b.size, a.size), strings.Compare(a.paths, b.paths))
	})
	for i := range things {
		things[i].refs, things[i].named = q.named(things[i].paths)
	}
	return things
}

// named are references to rows of a kind, and the size of those that can be named.
func (q Question) named(kind string) (refs []string, of money.Amount) {
	word, shared := q.sharedWord(kind)
	parties := map[string]bool{} // whether all rows with it are of the kind
	for i, row := range q.Rows {
		name := q.party(i)
		all, seen := parties[name]
		parties[name] = (all || !seen) && kindOf(row) == kind
	}
	for i, row := range q.Rows {
		name, ref := q.party(i), ""
		switch {
		case kindOf(row) != kind:
			continue
		case shared:
			ref = "#" + word
		case name != "" && parties[name] && unique(q, name):
			ref = name
		case i < len(q.Numbers) && q.Numbers[i] > 0:
			ref = fmt.Sprint(q.Numbers[i])
		default:
			continue
		}
		of += size(row.Amount)
		if !slices.Contains(refs, ref) {
			refs = append(refs, ref)
		}
	}
	return refs, of
}

var bankWord = regexp.MustCompile(`[A-Za-z0-9]+`)

// sharedWord is a word of the bank that the lines of a kind share, three or more, and no others have.
func (q Question) sharedWord(kind string) (string, bool) {
	var shared []string
	of := 0
	for _, row := range q.Rows {
		if kindOf(row) != kind {
			continue
		}
		words := bankWord.FindAllString(row.Description, -1)
		if of++; of == 1 {
			shared = words
		}
		shared = slices.DeleteFunc(shared, func(w string) bool { return !slices.Contains(words, w) })
	}
	for _, row := range q.Rows {
		if kindOf(row) != kind {
			words := bankWord.FindAllString(row.Description, -1)
			shared = slices.DeleteFunc(shared, func(w string) bool { return slices.Contains(words, w) })
		}
	}
	shared = slices.DeleteFunc(shared, func(w string) bool { return len(w) < 3 })
	if of < 3 || len(shared) == 0 {
		return "", false
	}
	return slices.MinFunc(shared, strings.Compare), true
}

func (q Question) party(i int) string {
	if i < len(q.Parties) {
		return q.Parties[i]
	}
	return ""
}

// unique is whether a name can be written in an answer and means one counterparty.
func unique(q Question, name string) bool {
	if strings.ContainsAny(name, ":;,#") || strings.Trim(name, "0123456789-–") == "" {
		return false
	}
	for _, other := range q.Parties {
		if other != name && strings.EqualFold(other, name) {
			return false
		}
	}
	return true
}

// ofBusiness says what the business is, in its own words, and whether private things are paid from its accounts.
func (q Question) ofBusiness() []Reply {
	if q.Business == nil || q.FollowsUp {
		return nil
	}
	if len(q.Options) > 2 {
		return []Reply{{Words: q.Business.Kind, Whole: true}}
	}
	private := slices.ContainsFunc(q.Business.Rows, func(r Row) bool {
		return slices.ContainsFunc(r.Truth, func(p Part) bool { return p.Category.Kind == ontology.KindPersonal })
	})
	if private {
		return []Reply{{Words: "yes", Whole: true}}
	}
	return []Reply{{Words: "no", Whole: true}}
}
