// Package searchsql writes the statements of a search for transactions: the page of it, its count, and the count of
// what an amount leaves out. All three follow one Plan. Their texts are the templates beside this file; testdata has
// examples of each whole. It knows no database: package store asks them.
package searchsql

import (
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"

	"bizfin/internal/money"
	splits "bizfin/internal/split"
	"bizfin/store/statement"
)

// Filter chooses undeleted transactions; the zero value chooses all. Cursors are bound to its JSON: with another name
// or order of a field here, those of before lead nowhere.
type Filter struct {
	Words        []Word
	AccountIDs   []uuid.UUID // with FilterByAccount
	Counterparty *uuid.UUID
	CategoryIDs  []int      // with FilterByCategory
	From, To     *time.Time // inclusive days in UTC, by DateField
	DateField    statement.DateField
	AmountFrom   *money.Amount // inclusive, USD rows only
	AmountTo     *money.Amount
	Attention    *bool

	FilterByAccount  bool // an empty list then chooses none
	FilterByCategory bool
	Uncategorized    bool // with FilterByCategory: rows without a category too
}

// Word must occur in a row's merchant, description or context, or in the name of its category.
type Word struct {
	Text        string
	CategoryIDs []int // the categories whose name contains it
}

// Plan is how the rows of a filter are found.
type Plan struct {
	Filter       Filter
	organization uuid.UUID
	finding      []Word  // the words that the lists of texts find rows by
	byDate       []share // of the list as no filter but its dates takes it apart
	shares       []share // of the list as its filters do
}

// Of plans a search in a business.
func Of(organization uuid.UUID, f Filter) *Plan {
	p := &Plan{Filter: f, organization: organization, finding: findingWords(f.Words), byDate: byDate(f.DateField)}
	p.shares = p.split()
	return p
}

// ByOtherIndex tells whether the rows are found by an index that is not in the order of the list, and so all of them at
// once: that of words, or that of amounts where nothing else narrows the list.
func (p *Plan) ByOtherIndex() bool { return len(p.Filter.Words) > 0 || p.byAmount() }

func (p *Plan) byAmount() bool {
	f := p.Filter
	narrowed := f.FilterByAccount || f.FilterByCategory || f.Counterparty != nil || f.Attention != nil && *f.Attention
	bounded := f.AmountFrom != nil || f.AmountTo != nil
	return bounded && f.DateField == statement.Primary && len(f.Words) == 0 && !narrowed
}

// share is a part of a list that one index gives in order. The shares of a list have no row in common.
type share struct {
	order   statement.DateField // the column its index is ordered by; its value is the row's date in the list
	only    []string            // what sets its rows apart
	group   group               // its rows are found group by group
	byTexts bool                // its rows are found by the lists of texts
}

// group makes a share look at each account or category by itself: the planner would read all rows of all of them.
type group int

const (
	ungrouped group = iota
	byAccount
	byAccountWaiting // in the order of its index: by statistics of yesterday the planner would read the list for them
	byWaiting        // by all accounts that have rows which wait, and their states
	byCategory
	byWord // by the categories that the word which finds them may stand for
)

// ofOneAccount is whether each group of the share's rows is an account's.
func (s share) ofOneAccount() bool { return s.group == byAccount || s.group == byAccountWaiting }

const (
	onlyProcessed = "t.processing = 'processed'"
	onlyOpen      = "t.processing <> 'processed'"
	onlyQueued    = "t.processing = 'queued'"
	onlyLimited   = "t.processing = 'limited'"
)

// byDate takes rows whose two dates differ apart, which are indexed apart, those that wait among them.
func byDate(field statement.DateField) []share {
	if field != statement.Processed {
		return []share{{order: field}}
	}
	return []share{
		{order: statement.Primary, only: []string{"t.processed_date = t.primary_date"}},
		{order: statement.Processed, only: []string{"t.processed_date <> t.primary_date"}},
	}
}

// split follows the indexes of the table: rows the worker has still to decide, and rows without a category, are indexed
// apart too, and those of an account by their state.
func (p *Plan) split() []share {
	f := p.Filter
	switch {
	case len(f.Words) > 0:
		return split(p.byDate, append(p.sharesByWords(), share{only: []string{onlyOpen}})...)
	case p.byAmount():
		return split(p.byDate, share{only: []string{onlyProcessed}}, share{only: []string{onlyOpen}})
	case f.FilterByAccount:
		return split(p.byDate,
			share{group: byAccount, only: []string{onlyProcessed}},
			share{group: byAccountWaiting, only: []string{onlyQueued}},
			share{group: byAccountWaiting, only: []string{onlyLimited}})
	case f.FilterByCategory && f.Uncategorized:
		return split(p.byDate,
			share{group: byCategory, only: []string{"t.category_id IS NOT NULL"}},
			share{only: []string{"t.category_id IS NULL", onlyProcessed}},
			share{group: byWaiting, only: []string{"t.category_id IS NULL", onlyOpen}})
	case f.FilterByCategory:
		return split(p.byDate, share{group: byCategory})
	case p.isWhole():
		return inList(p.byDate)
	default: // indexed in whatever state
		return p.byDate
	}
}

// isWhole is whether the rows are found by the index of the whole list, or by the one of those that wait.
func (p *Plan) isWhole() bool {
	f := p.Filter
	return len(f.Words) == 0 && !f.FilterByAccount && !f.FilterByCategory && f.Counterparty == nil &&
		(f.Attention == nil || !*f.Attention) && !p.byAmount()
}

// inList takes rows that wait apart: the index of the whole list has those alone that are processed, so that an upload
// need not write it.
func inList(list []share) (out []share) {
	for _, s := range list {
		if s.order == statement.Processed {
			out = append(out, s)
			continue
		}
		out = append(out, split([]share{s}, share{only: []string{onlyProcessed}},
			share{group: byWaiting, only: []string{onlyOpen}})...)
	}
	return out
}

// sharesByWords are the processed rows that words find: by their texts, and where the word that finds them may also
// stand for categories, by these.
func (p *Plan) sharesByWords() []share {
	if len(p.finding) == 0 {
		return []share{{only: []string{onlyProcessed}}}
	}
	if len(p.finding[0].CategoryIDs) == 0 {
		return []share{{only: []string{onlyProcessed}, byTexts: true}}
	}
	in := "t.category_id IN (" + listed(withSplit(p.finding[0].CategoryIDs)) + ")"
	return []share{
		{only: []string{onlyProcessed, in}, group: byWord},
		{only: []string{onlyProcessed, "(" + in + ") IS NOT TRUE"}, byTexts: true},
	}
}

// findingWords are the words that the index of texts can find: those that only texts can have, or else one that may
// stand for categories too. Whether a row has the others is judged by the row.
func findingWords(words []Word) []Word {
	var alone, others []Word
	for _, word := range words {
		switch {
		case !hasTrigram(word.Text):
		case len(word.CategoryIDs) == 0:
			alone = append(alone, word)
		default:
			others = append(others, word)
		}
	}
	if len(alone) > 0 {
		return alone
	}
	return others[:min(len(others), 1)]
}

// hasTrigram reports whether a word has three letters or digits in a row, which the index needs.
func hasTrigram(word string) bool {
	run := 0
	for _, r := range word {
		if run++; !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			run = 0
		}
		if run == 3 {
			return true
		}
	}
	return false
}

// split takes each share apart into those of ways.
func split(list []share, ways ...share) []share {
	var out []share
	for _, s := range list {
		for _, way := range ways {
			way.order = s.order
			way.only = append(s.only[:len(s.only):len(s.only)], way.only...)
			out = append(out, way)
		}
	}
	return out
}

// SplitWords takes a query apart at white space. Equal words, in whatever case, count once.
func SplitWords(query string) []string {
	var list []string
	seen := map[string]bool{}
	for _, word := range strings.Fields(query) {
		if folded := strings.ToLower(word); !seen[folded] {
			seen[folded] = true
			list = append(list, word)
		}
	}
	return list
}

// listed writes ids as they stand between the parentheses of IN.
func listed(ids []int) string {
	texts := make([]string, len(ids))
	for i, id := range ids {
		texts[i] = strconv.Itoa(id)
	}
	return strings.Join(texts, ", ")
}

// withSplit are the categories by which rows are found that are in some, or have parts there.
func withSplit(ids []int) []int { return append(slices.Clone(ids), splits.Category) }
