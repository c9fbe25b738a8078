package server

import (
	"cmp"
	"slices"

	"github.com/google/uuid"

	"bizfin/gen/api"
	"bizfin/internal/money"
	"bizfin/internal/odds"
	"bizfin/internal/ontology"
	"bizfin/internal/report"
	"bizfin/store"
)

// mostOpenQuestions is how many questions a report names.
const mostOpenQuestions = 5

// loanNotSplit is the category of a loan's payments that stay as they are: nobody said how much of them is interest.
const loanNotSplit = "liability.loan_payment_unsplit"

// standing is what of a report is not established.
type standing struct {
	uncategorized report.Flow // all of it
	suggested     report.Flow // of it, what has a suggestion
	open          []report.Open
	questions     []api.OpenQuestion
	unseenCard    bool // money went to a card that is not connected
}

// standingOf takes apart what of the books is not established.
func (q *reportQuery) standingOf(books *report.Books, sums store.ReportSums) standing {
	s := standing{uncategorized: books.Total(report.Within(report.Uncategorized))}
	unknown, _ := q.ontology.ByPath(ontology.Uncategorized)
	rest := s.uncategorized // what has not been processed, or has no suggestion
	for _, sum := range sums.Suggested {
		flow := report.Flow(sum.FlowSum)
		rest = rest.Minus(flow)
		if category := categoryOf(sum.CategoryID); !category.Is(ontology.Uncategorized) {
			s.suggested = s.suggested.Plus(flow)
		}
	}
	s.add(rest, unknown)
	if len(sums.Open) == 0 { // none, or too many to be told apart by their questions
		for _, sum := range sums.Suggested {
			s.add(report.Flow(sum.FlowSum), categoryOf(sum.CategoryID))
		}
	}
	s.addQuestions(sums)
	if loan := books.Total(report.Within(loanNotSplit)); loan.Outflow.Sign() > 0 {
		s.open = append(s.open, report.LoanNotSplit(loan.Outflow.Neg()))
	}
	for _, m := range sums.Missing {
		if card := categoryOf(m.CategoryID); m.Established && card.Path == "transfer.credit_card_payment" {
			s.open = append(s.open, report.PaidToUnseenCard(m.Outflow.Neg()))
			s.unseenCard = s.unseenCard || m.Outflow.Sign() > 0
		}
	}
	return s
}

// add has money in and out be open, each by itself.
func (s *standing) add(f report.Flow, suggested *ontology.Category) (swing money.Total) {
	for _, amount := range [...]money.Total{f.Inflow, f.Outflow.Neg()} {
		if amount.Sign() != 0 {
			open := report.Guessed(amount, suggested)
			s.open, swing = append(s.open, open), swing.Plus(open.Swing())
		}
	}
	return swing
}

// addQuestions has what one question is about be open together, and names the questions with the largest swing.
func (s *standing) addQuestions(sums store.ReportSums) {
	type asked struct {
		question string
		swing    money.Total
	}
	of := map[uuid.UUID]asked{}
	for _, group := range gathered(sums.Open) {
		swing := s.add(report.Flow(group.FlowSum), guessOf(group))
		if group.Issue != nil {
			of[*group.Issue] = asked{group.Question, swing.Plus(of[*group.Issue].swing)}
		}
	}
	for _, sum := range sums.Questions { // not counted: the suggestions are
		var each standing
		of[*sum.Issue] = asked{sum.Question, each.add(report.Flow(sum.FlowSum), guessOf(sum))}
	}
	s.questions = []api.OpenQuestion{}
	for id, a := range of {
		s.questions = append(s.questions, api.OpenQuestion{Id: id.String(), Question: a.question, Swing: a.swing})
	}
	slices.SortFunc(s.questions, func(a, b api.OpenQuestion) int {
		return cmp.Or(b.Swing.Compare(a.Swing), cmp.Compare(a.Id, b.Id))
	})
}

// gathered has one sum for each question, direction and kind of odds, by the suggestion of most of its money: of a
// family whose lines read several things each turns out in its own way. Rows about which nothing is asked stay apart by
// their suggestions.
func gathered(open []store.OpenSum) []store.OpenSum {
	type topic struct {
		issue    uuid.UUID
		incoming bool
		category int
		odds     int
	}
	sums := slices.Clone(open)
	slices.SortFunc(sums, func(a, b store.OpenSum) int {
		return cmp.Or(b.Inflow.Plus(b.Outflow).Compare(a.Inflow.Plus(a.Outflow)),
			cmp.Compare(a.CategoryID, b.CategoryID),
			store.CompareUUIDs(value(a.Issue), value(b.Issue)))
	})
	at := map[topic]int{}
	var groups []store.OpenSum
	for _, sum := range sums {
		key := topic{incoming: sum.Inflow.Sign() > 0, category: sum.CategoryID}
		if sum.Issue != nil {
			key.issue, key.category, key.odds = *sum.Issue, 0, odds.Index(guessOf(sum), key.incoming)
		}
		if i, ok := at[key]; ok {
			groups[i].FlowSum = store.FlowSum(report.Flow(groups[i].FlowSum).Plus(report.Flow(sum.FlowSum)))
			continue
		}
		at[key] = len(groups)
		groups = append(groups, sum)
	}
	return groups
}

// guessOf is what the rows of a question seem to be: what is suggested of most of them, or the first option.
func guessOf(sum store.OpenSum) *ontology.Category {
	if sum.CategoryID != 0 {
		return categoryOf(sum.CategoryID)
	}
	for _, o := range sum.Options {
		if category, ok := ontology.ScheduleC().ByPath(o.Value); ok {
			return category
		}
	}
	unknown, _ := ontology.ScheduleC().ByPath(ontology.Uncategorized)
	return unknown
}

// complete reports whether nothing material is open.
func (q *reportQuery) complete(s standing, gross money.Total, sums store.ReportSums) bool {
	material := money.TotalOf(250_00)
	if share := gross.Percent(1); share.Compare(material) > 0 {
		material = share
	}
	left := s.uncategorized.Inflow.Plus(s.uncategorized.Outflow)
	asked := len(s.questions) > 0 || sums.Changed > 0 || q.chosen.FilterByCategory && sums.OpenIssues > 0
	return !asked && !s.unseenCard && !sums.Unsettled && sums.Queued+sums.Limited == 0 && left.Compare(material) <= 0
}

// ifSuggestionsHold is the profit and loss with what is suggested as if it were so.
func (q *reportQuery) ifSuggestionsHold(established report.Profit, sums store.ReportSums) api.PnlIfSuggestionsHold {
	guessed := report.NewBooks(0)
	for _, sum := range sums.Suggested {
		guessed.Add(categoryOf(sum.CategoryID), report.Older, report.Flow(sum.FlowSum))
	}
	total := established.Plus(guessed.Earned())
	return api.PnlIfSuggestionsHold{Totals: toAPIPnlTotals(total), Margins: toAPIMargins(total.Margins())}
}

// profitRange is where net profit lies; nil under a filter by category.
func (q *reportQuery) profitRange(s standing, net, ifHeld money.Total, books *report.Books,
	sums store.ReportSums) *api.ProfitRange {
	if q.chosen.FilterByCategory {
		return nil
	}
	onForm := books.Total(report.OnForm)
	known := report.Established{Profit: net, Turnover: onForm.Inflow.Plus(onForm.Outflow), Off: offBy(sums.Spread)}
	r := report.RangeOf(known, s.open).Around(ifHeld)
	return &api.ProfitRange{Low: r.Low, High: r.High}
}

// offBy is by how much net profit may be off where it is of a part of years that somebody said what they come to.
func offBy(sums []store.SpreadSum) (off money.Total) {
	of := map[string]report.Spread{}
	for _, sum := range sums {
		s := of[sum.Of]
		if categoryOf(sum.CategoryID).Kind.OnForm() {
			s.Counts, s.YearCounts = s.Counts.Plus(sum.Inside), s.YearCounts.Plus(sum.Year)
		} else {
			s.Rest, s.YearRest = s.Rest.Plus(sum.Inside), s.YearRest.Plus(sum.Year)
		}
		of[sum.Of] = s
	}
	for _, s := range of {
		off = off.Plus(s.Off())
	}
	return off
}

// missingAccounts are the accounts of which one side of the moves is seen.
func missingAccounts(sums store.ReportSums) []api.MissingAccount {
	list := []api.MissingAccount{}
	for _, m := range sums.Missing {
		if m.Established && !categoryOf(m.CategoryID).Is(report.Transfer) {
			continue
		}
		if last := len(list) - 1; last >= 0 && list[last].Label == m.Label {
			a := &list[last]
			a.Inflow, a.Outflow = a.Inflow.Plus(m.Inflow), a.Outflow.Plus(m.Outflow)
			a.FirstDate, a.LastDate = min(a.FirstDate, day(m.First)), max(a.LastDate, day(m.Last))
			continue
		}
		list = append(list, api.MissingAccount{Label: m.Label, Inflow: m.Inflow, Outflow: m.Outflow,
			FirstDate: day(m.First), LastDate: day(m.Last)})
	}
	return list
}

func toAPIMargins(m report.Margins) api.PnlMargins {
	return api.PnlMargins{Gross: m.Gross, Operating: m.Operating, Net: m.Net}
}
