package questions

import "bizfin/internal/categorize"

// AskFamily words a question about the family of a row.
func (q *Question) AskFamily(l Line, d categorize.Decision) { q.askFamily(l, d) }
