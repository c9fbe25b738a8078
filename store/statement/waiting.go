package statement

import "strings"

// End is one of the two ends of a list by days.
type End bool

// The ends of a list.
const (
	Newest End = false
	Oldest End = true
)

// Waiting is a query for the accounts of a business that have rows which wait to be processed, in each state apart:
// processing, account_id, and the newest or the oldest day of such rows, primary_date. It goes from one to the next by
// their index, and so reads a row of each, however many wait. Conditions are for the rows.
func Waiting(business string, end End, conditions ...string) string {
	next, order := ">", "ORDER BY processing, account_id, primary_date DESC"
	if end == Oldest {
		next, order = "<", "ORDER BY processing DESC, account_id DESC, primary_date"
	}
	first := func(more ...string) string {
		where := append([]string{"organization_id = " + business, "deleted_at IS NULL", "processing <> 'processed'"},
			conditions...)
		return "SELECT processing, account_id, primary_date\nFROM transactions\nWHERE " +
			strings.Join(append(where, more...), "\n  AND ") + "\n" + order + "\nLIMIT 1"
	}
	return "\nWITH RECURSIVE waiting AS (\n(" + first() + ")\nUNION ALL\nSELECT n.*\nFROM waiting w\n" +
		"CROSS JOIN LATERAL (\n" + first("(processing, account_id) "+next+" (w.processing, w.account_id)") + ") n)\n" +
		"SELECT *\nFROM waiting"
}
