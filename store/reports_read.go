package store

import (
	"cmp"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/questions"
	"bizfin/internal/split"
	"bizfin/store/reportsql"
)

var (
	// errTooMany: the report has more rows than the form of its statement is for.
	errTooMany = errors.New("store: too many rows for this form of a report")
	errList    = errors.New("store: not a list of whole numbers")
)

// readReport adds up the answer of a reportsql.Report. It fails with errTooMany.
func readReport(rows *sql.Rows, r reportsql.Report) (CashflowSums, error) {
	t := tallyOf(r)
	for rows.Next() {
		var p reportPart
		if err := p.scan(rows); err != nil {
			return CashflowSums{}, err
		}
		if err := t.add(&p); err != nil {
			return CashflowSums{}, err
		}
	}
	return t.result(), rows.Err()
}

// reportPart is a row of the answer. Its lists run parallel: so a category or counterparty costs one row instead of one
// for each period. Several parts may sum parts of the same.
type reportPart struct {
	of           string
	category     *int
	counterparty *uuid.UUID // the zero id for none; nil in a part of a category
	name         *string
	currency     *string
	days         integers // since 1970, some of them outside the range; that of a sum is any day of its period
	counts       integers // of sums, and so the next two
	inflows      totals
	outflows     totals
	amounts      integers // of rows, in cents
	sizes        money.Total
}

func (p *reportPart) scan(rows *sql.Rows) error {
	return rows.Scan(&p.of, &p.category, &p.counterparty, &p.name, &p.currency, &p.days, &p.counts, &p.inflows,
		&p.outflows, &p.amounts, &p.sizes)
}

// flow is the i-th sum of the part, or its i-th row.
func (p *reportPart) flow(i int) FlowSum {
	if p.amounts == nil {
		return FlowSum{TransactionCount: p.counts[i], Inflow: p.inflows[i], Outflow: p.outflows[i]}
	}
	return flowOf(p.amounts[i])
}

// flowOf is that of one row, of an amount in cents.
func flowOf(amount int64) FlowSum {
	if amount > 0 {
		return FlowSum{TransactionCount: 1, Inflow: money.TotalOf(money.Amount(amount))}
	}
	return FlowSum{TransactionCount: 1, Outflow: money.TotalOf(money.Amount(amount)).Neg()}
}

// tally adds up the parts of a report.
type tally struct {
	from, to   int64 // days since 1970, and so the starts of the periods
	starts     []int64
	categories map[int]*[]periodFlow       // by id, 0 for none
	parties    map[uuid.UUID]*[]periodFlow // by id, zero for none
	names      map[uuid.UUID]*string       // of the listed counterparties
	filter     ReportFilter
	transfers  []int                    // categories
	hides      bool                     // the filter leaves out rows without a category
	few        bool                     // the answer is of the form for few rows
	several    map[string]*severalParts // rows that are several things, by id
	sums       CashflowSums
}

// periodFlow is a part of what a period sums; there may be others.
type periodFlow struct {
	period int
	FlowSum
}

// severalParts is how many parts of a row the report has.
type severalParts struct {
	period    int
	transfers int64 // parts that are own transfers
	others    int64
}

func tallyOf(r reportsql.Report) *tally {
	t := &tally{from: dayNumber(r.From), to: dayNumber(r.To), categories: map[int]*[]periodFlow{},
		parties: map[uuid.UUID]*[]periodFlow{}, names: map[uuid.UUID]*string{},
		several: map[string]*severalParts{}, filter: r.Filter, transfers: r.Transfers, hides: r.HidesUncategorized(),
		few: r.Few > 0}
	for _, start := range r.PeriodStarts {
		t.starts = append(t.starts, dayNumber(start))
	}
	return t
}

// dayNumber counts the days from 1970 to a midnight in UTC.
func dayNumber(midnight time.Time) int64 { return midnight.Unix() / int64(24*time.Hour/time.Second) }

// midnight is the day of a number.
func midnight(day int64) time.Time { return time.Unix(day*int64(24*time.Hour/time.Second), 0).UTC() }

func (t *tally) add(p *reportPart) error {
	switch p.of {
	case "rows":
		return t.addRows(p)
	case "sums", "parts of listed":
		t.addFlows(p)
	case "sums without leg":
		t.sums.Unmatched.add(t.addFlows(p))
	case "parts":
		t.addFlows(p)
		t.addParts(p, func(s *severalParts) { s.others++ })
	case "parts of transfers":
		t.sums.Unmatched.add(t.addFlows(p))
		t.addParts(p, func(s *severalParts) { s.transfers++ })
	case "deleted leg":
		t.sums.Unmatched.add(p.flow(0))
	case "listed":
		t.sums.Sizes = p.sizes
		return t.addNames(p)
	case "pending":
		if *p.currency == "USD" {
			t.sums.Pending.add(p.flow(0))
		} else {
			addCurrency(&t.sums.PendingOthers, p)
		}
	case "left out":
		addCurrency(&t.sums.Others, p)
	case "business":
		t.sums.Queued, t.sums.Limited = p.counts[0], p.counts[1]
		t.sums.OpenIssues, t.sums.Changed = p.counts[2], p.counts[3]
		t.sums.Unsettled, t.sums.FiledAnswers = p.counts[4] > 0, p.counts[5] > 0
		t.sums.Queued = max(t.sums.Queued, p.counts[4])
	case "suggested":
		t.addSuggested(*p.category, p.flow(0))
	case "outside":
		t.sums.Outside = p.flow(0)
	case "open", "question":
		return t.addOpen(p)
	case "spread":
		t.sums.Spread = append(t.sums.Spread, SpreadSum{*p.name, *p.category, p.inflows[0], p.outflows[0]})
	case "missing":
		t.sums.Missing = append(t.sums.Missing, MissingSum{
			Label: *p.name, CategoryID: *p.category, Established: *p.currency == "established",
			First: midnight(p.days[0]), Last: midnight(p.days[1]), FlowSum: p.flow(0),
		})
	case "through":
		for _, day := range p.days { // none of a business without rows
			newest := midnight(day)
			t.sums.Reach.Through = &newest
		}
	case "source":
		return t.addSource(p)
	case "too many":
		return errTooMany
	}
	return nil
}

func (t *tally) addSource(p *reportPart) error {
	source := SourceReach{ID: *p.counterparty}
	if err := json.Unmarshal([]byte(*p.name), &source); err != nil {
		return fmt.Errorf("store: source of a report: %w", err)
	}
	t.sums.Reach.Sources = append(t.sums.Reach.Sources, source)
	return nil
}

// addNames notes the listed counterparties, none where there are no rows.
func (t *tally) addNames(p *reportPart) error {
	if p.name == nil {
		return nil
	}
	if err := json.Unmarshal([]byte(*p.name), &t.names); err != nil {
		return fmt.Errorf("store: counterparties of a report: %w", err)
	}
	return nil
}

// addCurrency adds a part to the sum of its currency. There may be two: of rows that are one thing, and of parts of
// rows.
func addCurrency(sums *[]CurrencySum, p *reportPart) {
	i := slices.IndexFunc(*sums, func(s CurrencySum) bool { return s.Currency == *p.currency })
	if i < 0 {
		*sums = append(*sums, CurrencySum{*p.currency, p.flow(0)})
		return
	}
	(*sums)[i].add(p.flow(0))
}

// addParts counts the parts of rows, whose ids are in the place of the name.
func (t *tally) addParts(p *reportPart, count func(*severalParts)) {
	for i, id := range strings.Split(*p.name, ",") {
		if t.several[id] == nil {
			t.several[id] = &severalParts{period: t.periodOf(p.days[i])}
		}
		count(t.several[id])
	}
}

// again is how often rows of several parts are counted again.
func (t *tally) again() (list []AgainSum) {
	counts := map[AgainSum]int64{}
	for _, row := range t.several {
		if row.others > 1 {
			counts[AgainSum{Of: AgainOnce, Period: row.period}] += row.others - 1
		}
		if row.transfers > 1 {
			counts[AgainSum{Of: AgainTransfer, Period: row.period}] += row.transfers - 1
		}
		if row.transfers > 0 && row.others > 0 {
			counts[AgainSum{Of: AgainBoth, Period: row.period}]++
		}
	}
	for again, count := range counts {
		again.Count = count
		list = append(list, again)
	}
	slices.SortFunc(list, func(a, b AgainSum) int {
		return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Period, b.Period))
	})
	return list
}

// periodOf is the index of the period that a day is in, -1 before the first.
func (t *tally) periodOf(day int64) int {
	period, starts := slices.BinarySearch(t.starts, day)
	if !starts {
		period--
	}
	return period
}

func (t *tally) addSuggested(category int, flow FlowSum) {
	i := slices.IndexFunc(t.sums.Suggested, func(s SuggestedSum) bool { return s.CategoryID == category })
	if i < 0 {
		t.sums.Suggested = append(t.sums.Suggested, SuggestedSum{category, flow})
		return
	}
	t.sums.Suggested[i].add(flow)
}

// addOpen adds the rows of a question.
func (t *tally) addOpen(p *reportPart) error {
	var detail struct {
		Question string             `json:"question"`
		Options  []questions.Option `json:"options"`
	}
	if p.name != nil {
		if err := json.Unmarshal([]byte(*p.name), &detail); err != nil {
			return fmt.Errorf("store: open question: %w", err)
		}
	}
	sum := OpenSum{Issue: p.counterparty, Question: detail.Question, Options: detail.Options,
		FlowSum: p.flow(0)}
	if p.category == nil {
		t.sums.Questions = append(t.sums.Questions, sum)
		return nil
	}
	sum.CategoryID = *p.category
	t.sums.Open = append(t.sums.Open, sum)
	if t.few {
		t.addSuggested(sum.CategoryID, sum.FlowSum)
	}
	return nil
}

// addRows adds the rows of the form for few, which a cash flow has by counterparty.
func (t *tally) addRows(p *reportPart) error {
	if p.name == nil {
		return nil // there are none
	}
	for list := range strings.SplitSeq(*p.name, ";") {
		var counterparty *uuid.UUID
		if id, rows, ok := strings.Cut(list, ":"); ok {
			parsed, err := uuid.Parse(id)
			if err != nil {
				return errList
			}
			counterparty, list = &parsed, rows
		}
		for text := range strings.SplitSeq(list, ",") {
			row, err := parseRow(text)
			if err != nil {
				return err
			}
			t.addRow(counterparty, row)
		}
	}
	return nil
}

func (t *tally) addRow(counterparty *uuid.UUID, row listedRow) {
	flow, category := flowOf(row.amount), int(row.category)
	chosen := !t.filter.FilterByCategory || slices.Contains(t.filter.CategoryIDs, category) ||
		t.filter.Uncategorized && category == 0
	if t.hides && !chosen && slices.Contains(reportsql.None, category) {
		t.sums.Outside.add(flow)
	}
	if !chosen || category == split.Category {
		return // the parts of one that is split are added in its place
	}
	add := func(flows *[]periodFlow) { *flows = append(*flows, periodFlow{t.periodOf(row.day), flow}) }
	add(flowsOf(t.categories, category))
	switch transfer := slices.Contains(t.transfers, category); {
	case transfer && row.leg == 0:
		t.sums.Unmatched.add(flow)
	case !transfer && counterparty != nil:
		add(flowsOf(t.parties, *counterparty))
	}
}

// listedRow is a row of a list.
type listedRow struct {
	day      int64 // since 1970
	amount   int64 // in cents
	category int64 // 0 for none
	leg      int64 // 1 of a transfer with another leg, else 0
}

func parseRow(text string) (row listedRow, err error) {
	for _, number := range [...]*int64{&row.day, &row.amount, &row.category, &row.leg} {
		field, rest, more := strings.Cut(text, " ")
		if *number, err = strconv.ParseInt(field, 10, 64); err != nil {
			return row, errList
		}
		if text = rest; !more {
			break
		}
	}
	return row, nil
}

// addFlows adds the flows of a category or counterparty to its periods and returns their sum.
func (t *tally) addFlows(p *reportPart) (sum FlowSum) {
	if p.category != nil && *p.category == split.Category {
		return sum // their parts are added in their place
	}
	flows := t.flowsOf(p)
	*flows = slices.Grow(*flows, len(p.days))
	for i, day := range p.days {
		if day < t.from || day > t.to {
			continue // of a month that begins before the range or ends after it
		}
		flow := p.flow(i)
		*flows = append(*flows, periodFlow{t.periodOf(day), flow})
		sum.add(flow)
	}
	return sum
}

// flowsOf are the flows of the part's category or counterparty so far.
func (t *tally) flowsOf(p *reportPart) *[]periodFlow {
	if p.counterparty != nil {
		return flowsOf(t.parties, *p.counterparty)
	}
	if p.category != nil {
		return flowsOf(t.categories, *p.category)
	}
	return flowsOf(t.categories, 0)
}

func flowsOf[K comparable](all map[K]*[]periodFlow, key K) *[]periodFlow {
	flows, ok := all[key]
	if !ok {
		flows = new([]periodFlow)
		all[key] = flows
	}
	return flows
}

// inPeriods makes one flow of all those of a period, in the order of the periods.
func inPeriods(flows []periodFlow) []periodFlow {
	slices.SortFunc(flows, func(a, b periodFlow) int { return cmp.Compare(a.period, b.period) })
	merged := flows[:0]
	for _, flow := range flows {
		if last := len(merged) - 1; last >= 0 && merged[last].period == flow.period {
			merged[last].add(flow.FlowSum)
		} else {
			merged = append(merged, flow)
		}
	}
	return merged
}

// result are the sums of all parts.
func (t *tally) result() CashflowSums {
	sums := t.sums
	flows := 0
	for _, all := range t.categories {
		flows += len(*all)
	}
	sums.Categories = slices.Grow(sums.Categories, flows)
	for _, id := range slices.Sorted(maps.Keys(t.categories)) {
		category := &id
		if id == 0 {
			category = nil
		}
		for _, flow := range inPeriods(*t.categories[id]) {
			sums.Categories = append(sums.Categories, CategorySum{CategoryID: category, Period: flow.period,
				FlowSum: flow.FlowSum})
		}
	}
	for _, id := range t.bySize() {
		counterparty := &id
		if id == uuid.Nil {
			counterparty = nil
		}
		for _, flow := range inPeriods(*t.parties[id]) {
			sums.Counterparties = append(sums.Counterparties,
				CounterpartySum{CounterpartyID: counterparty, Name: t.names[id], Period: flow.period,
					FlowSum: flow.FlowSum})
		}
	}
	sums.Again = t.again()
	for _, again := range sums.Again {
		if again.Of == AgainTransfer {
			sums.Unmatched.TransactionCount -= again.Count
		}
	}
	slices.SortFunc(sums.Suggested, func(a, b SuggestedSum) int { return cmp.Compare(a.CategoryID, b.CategoryID) })
	if t.hides {
		sums.Suggested, sums.OutsideSuggested = nil, sums.Suggested
	}
	slices.SortFunc(sums.Missing, func(a, b MissingSum) int {
		return cmp.Or(cmp.Compare(a.Label, b.Label), cmp.Compare(a.CategoryID, b.CategoryID),
			falseFirst(a.Established, b.Established))
	})
	slices.SortFunc(sums.Reach.Sources, func(a, b SourceReach) int { return CompareUUIDs(a.ID, b.ID) })
	for _, others := range [][]CurrencySum{sums.Others, sums.PendingOthers} {
		slices.SortFunc(others, func(a, b CurrencySum) int { return cmp.Compare(a.Currency, b.Currency) })
	}
	return sums
}

// bySize are the listed counterparties by the size of their net, the largest first.
func (t *tally) bySize() []uuid.UUID {
	sizes := map[uuid.UUID]money.Total{}
	for id := range t.names {
		var net money.Total
		for _, flow := range *flowsOf(t.parties, id) {
			net = net.Plus(flow.Inflow).Minus(flow.Outflow)
		}
		sizes[id] = net.Abs()
	}
	return slices.SortedFunc(maps.Keys(sizes), func(a, b uuid.UUID) int {
		return cmp.Or(sizes[b].Compare(sizes[a]), CompareUUIDs(a, b))
	})
}

func (s *FlowSum) add(part FlowSum) {
	s.TransactionCount += part.TransactionCount
	s.Inflow = s.Inflow.Plus(part.Inflow)
	s.Outflow = s.Outflow.Plus(part.Outflow)
}

// integers and totals are lists of whole numbers, separated by commas. NULL is nil.
type (
	integers []int64
	totals   []money.Total
)

// Scan reads the text of a list.
func (n *integers) Scan(src any) error {
	return scanList(src, (*[]int64)(n), func(text string) (int64, error) { return strconv.ParseInt(text, 10, 64) },
		func(small int64) int64 { return small })
}

// Scan reads the text of a list.
func (n *totals) Scan(src any) error {
	return scanList(src, (*[]money.Total)(n), func(text string) (total money.Total, err error) {
		return total, total.Scan(text)
	}, func(small int64) money.Total { return money.TotalOf(money.Amount(small)) })
}

// scanList reads a list. A report has some ten thousand numbers: those of few digits are read as they are passed over.
func scanList[E any](src any, list *[]E, parse func(text string) (E, error), of func(small int64) E) error {
	*list = nil
	if src == nil {
		return nil
	}
	text, ok := src.(string)
	if !ok {
		return errList
	}
	*list = make([]E, 0, strings.Count(text, ",")+1)
	for more := true; more; {
		if small, length := leadingNumber(text); length > 0 && (length == len(text) || text[length] == ',') {
			*list = append(*list, of(small))
			if more = length < len(text); more {
				text = text[length+1:]
			}
			continue
		}
		var element string
		element, text, more = strings.Cut(text, ",")
		value, err := parse(element)
		if err != nil {
			return errList
		}
		*list = append(*list, value)
	}
	return nil
}

// leadingNumber is the whole number that a text begins with and its length, of up to so many characters as always fit
// an int64; the length is 0 where it begins with none.
func leadingNumber(text string) (number int64, length int) {
	const fit = 18
	sign := int64(1)
	if strings.HasPrefix(text, "-") {
		sign, length = -1, 1
	}
	first := length
	for length < min(len(text), fit) && '0' <= text[length] && text[length] <= '9' {
		number = 10*number + int64(text[length]-'0')
		length++
	}
	if length == first {
		return 0, 0
	}
	return sign * number, length
}
