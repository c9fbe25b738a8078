package answers

import (
	"cmp"

	"github.com/google/uuid"
)

// closest leaves each row to the part of sentences that names it most closely. A row that two name as closely, which
// say different things of it, is neither's: it stays open.
func (q Asked) closest(parts []part) []part {
	rows := make([][]uuid.UUID, len(parts))
	var contested []uuid.UUID
	for _, row := range q.rows() {
		best := -1
		for i, p := range parts {
			if p.rank != theRest && has(p.rows, row) && (best < 0 || p.closer(parts[best])) {
				best = i
			}
		}
		switch {
		case best < 0:
		case q.contradicted(parts, best, row):
			contested = append(contested, row)
		default:
			rows[best] = append(rows[best], row)
		}
	}
	var left []part
	for i, p := range parts {
		if p.rows = rows[i]; p.rank == theRest || p.rows != nil {
			left = append(left, p)
		}
	}
	if contested != nil {
		left = append(left, part{rows: contested, lost: true})
	}
	return left
}

// closer reports whether a part names its rows more closely than another: some of the other's alone, or by what
// outranks that, or fewer.
func (p part) closer(than part) bool {
	both := len(common(p.rows, than.rows))
	within, around := both == len(p.rows), both == len(than.rows)
	if within != around {
		return within
	}
	return cmp.Or(cmp.Compare(p.rank, than.rank), cmp.Compare(len(p.rows), len(than.rows))) < 0
}

// contradicted reports whether another part that names a row as closely says something else of it.
func (q Asked) contradicted(parts []part, by int, row uuid.UUID) bool {
	for i, p := range parts {
		if i != by && p.rank != theRest && has(p.rows, row) && !p.lost && !parts[by].lost &&
			!parts[by].closer(p) && p.target != parts[by].target && q.another(p.target, parts[by].target) {
			return true
		}
	}
	return false
}
