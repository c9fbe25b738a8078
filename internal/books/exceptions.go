package books

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// mostExceptions are so many parts that an owner still writes.
const mostExceptions = 20

// ruled says what most of the rows are, and of the others what they are: by the numbers of lines that are shown, by the
// name of whom they are with, and that rows of several parts are left open. whole is whether that is true of every
// row; share is the percentage of dollars that it is true of. ok is false where there are no exceptions or too many.
func ruled(q Question) (words string, whole bool, share money.Amount, ok bool) {
	best := mostWithoutSplits(q.Rows)
	if best == nil || len(q.Numbers) != len(q.Rows) {
		return "", false, 0, false
	}
	by := map[string][]string{} // references by what they are
	parties := map[string]string{}
	for i, row := range q.Rows {
		is := saying(row)
		if name := q.party(i); name != "" {
			if before, seen := parties[name]; seen && before != is {
				is = ""
			}
			parties[name] = is
		}
	}
	var said, all money.Amount
	whole = true
	for i, row := range q.Rows {
		all += size(row.Amount)
		is := saying(row)
		name := q.party(i)
		switch {
		case lineOf(is) == Line(best):
		case name != "" && parties[name] == is && unique(q, name):
			if !slices.Contains(by[is], name) {
				by[is] = append(by[is], name)
			}
		case q.Numbers[i] > 0:
			by[is] = append(by[is], fmt.Sprint(q.Numbers[i]))
		default:
			whole = false
			continue
		}
		said += size(row.Amount)
	}
	parts := []string{best.Path}
	for _, is := range slices.Sorted(maps.Keys(by)) {
		parts = append(parts, strings.Join(by[is], ", ")+": "+is)
	}
	if len(by) == 0 || len(parts) > mostExceptions {
		return "", false, 0, false
	}
	return strings.Join(parts, "; "), whole, 100 * said / max(all, 1), true
}

// notSure leaves rows open.
const notSure = "not sure"

// saying is what an owner can say of a row that has no parts.
func saying(row Row) string {
	if len(row.Truth) == 1 {
		return row.Truth[0].Category.Path
	}
	return notSure
}

func lineOf(path string) string {
	if c, ok := ontology.ScheduleC().ByPath(path); ok {
		return Line(c)
	}
	return path
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

// mostWithoutSplits is the category of the most dollars among rows that have no parts; nil where all have.
func mostWithoutSplits(rows []Row) *ontology.Category {
	plain := slices.DeleteFunc(slices.Clone(rows), func(r Row) bool { return len(r.Truth) > 1 })
	if len(plain) == 0 {
		return nil
	}
	best, _ := most(plain)
	return best
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
