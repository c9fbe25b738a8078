package questions

import (
	"fmt"
	"strings"

	"bizfin/internal/categorize"
	"bizfin/internal/ontology"
)

// AboutKept is the key of payouts that stand as they came, with one counterparty.
func AboutKept(d categorize.Decision) Key {
	guess, _ := ontology.ScheduleC().ByID(d.CategoryID)
	return AboutUse(guess.Path, d.Counterparty.Key)
}

// KeptKeys begin the stored keys of [AboutKept].
func KeptKeys() (begin []string) {
	for _, id := range Payouts() {
		c, _ := ontology.ScheduleC().ByID(id)
		begin = append(begin, AboutUse(c.Path, "").String())
	}
	return begin
}

// KeptOfThat ends the text of a question what was kept.
const KeptOfThat = ", and what did it keep of that?"

// OfKept asks what whoever pays out what customers paid kept of it. The payouts stand meanwhile.
func OfKept(l Line, d categorize.Decision) *Question {
	q := ofUse(AboutKept(d), l, d)
	q.Text = strings.TrimSuffix(TextAbout(d.Counterparty.Name, true), "?") + KeptOfThat
	q.Kept = true
	q.Why = fmt.Sprintf("They count as they came. The form wants all that customers paid on one line and what was "+
		"kept of it on others: fees change no profit, and what else was kept may. The year's statement has the sums: "+
		"answer in words, as in `less 1,310.00 fees, less 90.00 refunds, rest sales in %d`. What was said of its "+
		"other payouts counts already. Where nothing was kept, or nobody knows how much, choose what they are.",
		l.PrimaryDate.Year())
	return q
}
