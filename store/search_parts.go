package store

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/google/uuid"
	"github.com/lib/pq"
)

// words is the text of a row that its words are looked for in, as the lists of texts hold it in lower case.
const words = `(coalesce(t.merchant, '') || E'\n' || t.description || E'\n' || coalesce(t.context, ''))`

// part is a share of a list that one index gives in order. The parts of a list have no row in common.
type part struct {
	order   DateField // the column its index is ordered by; its value is the row's date in the list
	only    []string  // what sets its rows apart
	group   group     // its rows are found group by group
	byTexts bool      // its rows are found by the lists of texts
}

// finds tells whether the rows of a filter are found by an index that is not in the order of the list: that of words, or
// that of amounts where nothing else narrows the list.
func (f TransactionFilter) finds() bool { return len(f.Words) > 0 || f.byAmount() }

func (f TransactionFilter) byAmount() bool {
	narrowed := f.FilterByAccount || f.FilterByCategory || f.Counterparty != nil || f.Attention != nil && *f.Attention
	return (f.AmountFrom != nil || f.AmountTo != nil) && f.DateField == Primary && len(f.Words) == 0 && !narrowed
}

// group makes a part look at each account or category by itself: the planner would read all rows of all of them.
type group int

const (
	ungrouped group = iota
	byAccount
	byCategory
	byWord // by the categories that the word which finds them may stand for
)

const (
	onlyProcessed = "t.processing = 'processed'"
	onlyOpen      = "t.processing <> 'processed'"
)

// parts follow the indexes of the table: rows whose two dates differ, rows the worker has still to decide, and rows
// without a category are indexed apart.
func (f TransactionFilter) parts() []part {
	list := []part{{order: f.DateField}}
	if f.DateField == Processed {
		list = split(list,
			part{order: Primary, only: []string{"t.processed_date = t.primary_date"}},
			part{order: Processed, only: []string{"t.processed_date <> t.primary_date"}})
	}
	switch {
	case f.few:
	case len(f.Words) > 0:
		list = split(list, append(f.partsByWords(), part{only: []string{onlyOpen}})...)
	case f.byAmount():
		list = split(list, part{only: []string{onlyProcessed}}, part{only: []string{onlyOpen}})
	case f.FilterByAccount:
		list = split(list, part{group: byAccount, only: []string{onlyProcessed}}, part{group: byAccount, only: []string{onlyOpen}})
	case f.FilterByCategory && f.Uncategorized:
		list = split(list,
			part{group: byCategory, only: []string{"t.category_id IS NOT NULL"}},
			part{only: []string{"t.category_id IS NULL", onlyProcessed}},
			part{only: []string{"t.category_id IS NULL", onlyOpen}})
	case f.FilterByCategory:
		list = split(list, part{group: byCategory})
	}
	return list
}

// partsByWords are the processed rows that words find: by their texts, and where the word that finds them may also stand for
// categories, by these.
func (f TransactionFilter) partsByWords() []part {
	finding := f.findingWords()
	if len(finding) == 0 {
		return []part{{only: []string{onlyProcessed}}}
	}
	if len(finding[0].CategoryIDs) == 0 {
		return []part{{only: []string{onlyProcessed}, byTexts: true}}
	}
	ids := strings.Join(strings.Fields(strings.Trim(fmt.Sprint(finding[0].CategoryIDs), "[]")), ", ")
	in := "t.category_id IN (" + ids + ")"
	return []part{
		{only: []string{onlyProcessed, in}, group: byWord},
		{only: []string{onlyProcessed, "(" + in + ") IS NOT TRUE"}, byTexts: true},
	}
}

// findingWords are the words that the index of texts can find: those that only texts can have, or else one that may stand
// for categories too. Whether a row has the others is judged by the row.
func (f TransactionFilter) findingWords() []Word {
	var alone, others []Word
	for _, word := range f.Words {
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

// split takes each part apart into those of ways.
func split(list []part, ways ...part) []part {
	var out []part
	for _, p := range list {
		for _, way := range ways {
			next := part{order: p.order, only: append(p.only[:len(p.only):len(p.only)], way.only...), group: way.group, byTexts: way.byTexts}
			if way.order != "" {
				next.order = way.order
			}
			out = append(out, next)
		}
	}
	return out
}

// key is the place of a row in a list.
type key struct {
	Date time.Time `db:"date"`
	ID   uuid.UUID `db:"id"`
}

// matchingTransactions finds the first rows of a list, at least limit where there are so many: the first rows of each
// part, and of those the first.
func (o *Organization) matchingTransactions(ctx context.Context, f TransactionFilter, after *cursor, limit int) ([]key, error) {
	if f.finds() && f.DateField == Primary {
		keys, err := o.matchingNewest(ctx, f, after, limit)
		if err != nil || len(keys) == limit {
			return keys, err
		}
	}
	if f.finds() && after == nil {
		limit = countLimit + 1 // the index finds them all anyway, which saves counting them
	}
	var args arguments
	var branches []string
	for _, p := range f.parts() {
		branches = append(branches, "("+o.firstRows(&args, f, p, after, limit)+")")
	}
	return o.keys(ctx, firstOf(strings.Join(branches, "\nUNION ALL\n"), limit), args)
}

// newestRows is how many rows a search for words or amounts reads in the order of the list before it turns to their index.
const newestRows = 2500

// matchingNewest looks among the newest rows alone, which finds common words and wide ranges of amounts without asking
// their index for all their rows. A full page is the answer; fewer rows say nothing.
func (o *Organization) matchingNewest(ctx context.Context, f TransactionFilter, after *cursor, limit int) ([]key, error) {
	var args arguments
	newest := o.conditions(&args, TransactionFilter{From: f.From, To: f.To}, part{order: f.DateField})
	if after != nil {
		newest.after(f.DateField, *after)
	}
	return o.keys(ctx, fmt.Sprintf(`
		SELECT t.%[1]s AS date, t.id
		FROM (
		  SELECT *
		  FROM transactions t
		  WHERE %[2]s
		  ORDER BY t.%[1]s DESC, t.id DESC
		  LIMIT %[3]d) t
		WHERE %[4]s
		LIMIT %[5]d`,
		f.DateField, newest, newestRows, o.conditions(&args, f, part{order: f.DateField}), limit), args)
}

func (o *Organization) keys(ctx context.Context, query string, args arguments) ([]key, error) {
	var keys []key
	err := o.db.db.SelectContext(ctx, &keys, query, args...)
	return keys, translate(ctx, err)
}

// firstRows is the statement for one part.
func (o *Organization) firstRows(args *arguments, f TransactionFilter, p part, after *cursor, limit int) string {
	w := o.conditions(args, f, p)
	if after != nil {
		w.after(p.order, *after)
	}
	var groups string
	switch p.group {
	case byAccount:
		w.and("t.account_id = g.id")
		groups = args.add(uuids(f.AccountIDs)) + "::uuid[]"
	case byCategory:
		w.and("t.category_id = g.id")
		groups = args.add(pq.Array(f.CategoryIDs)) + "::integer[]"
	case byWord:
		w.and("t.category_id = g.id")
		groups = args.add(pq.Array(f.findingWords()[0].CategoryIDs)) + "::integer[]"
	}
	rows := fmt.Sprintf("SELECT t.%s AS date, t.id\nFROM %s\nWHERE %s", p.order, o.source(args, f, p), w)
	switch {
	case p.group != ungrouped:
		return fmt.Sprintf("SELECT r.date, r.id\nFROM unnest(%s) AS g (id)\nCROSS JOIN LATERAL (%s\nORDER BY t.%s DESC, t.id DESC\nLIMIT %d) r", groups, rows, p.order, limit)
	case f.finds() && !p.byTexts:
		// Found first and ordered then: a LIMIT in sight makes the planner hope for an early match in the list.
		return firstOf("WITH found AS MATERIALIZED ("+rows+")\nSELECT date, id FROM found", limit)
	default:
		return firstOf(rows, limit)
	}
}

// source is where the rows t of a part are read from.
func (o *Organization) source(args *arguments, f TransactionFilter, p part) string {
	if !p.byTexts {
		return "transactions t"
	}
	return fmt.Sprintf(`(%s) f
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT %s::uuid)
		    AND id = f.id
		  LIMIT 1) t`,
		o.foundByTexts(args, f), args.add(o.ID))
}

// foundByTexts are the rows whose texts have the words, or had them before. Whether they match is judged by the row.
func (o *Organization) foundByTexts(args *arguments, f TransactionFilter) string {
	indexed, added := where{args: args}, where{args: args}
	indexed.and("w.indexed")
	added.and("NOT w.indexed")
	for _, word := range f.findingWords() {
		pattern := "lower(" + args.add(likePattern(word.Text)) + ")"
		indexed.and("words_of(w.texts) LIKE " + pattern)
		indexed.and("u.text LIKE " + pattern)
		added.and("u.text LIKE " + pattern)
	}
	const lists = `
		SELECT u.id
		FROM transaction_words w
		CROSS JOIN unnest(w.transactions, w.texts) AS u (id, text)
		WHERE w.organization_id = %s::uuid
		  AND %s`
	return fmt.Sprintf(lists+"\nUNION"+lists, args.add(o.ID), indexed, args.add(o.ID), added)
}

func firstOf(rows string, limit int) string {
	return fmt.Sprintf("SELECT r.date, r.id\nFROM (%s) r\nORDER BY r.date DESC, r.id DESC\nLIMIT %d", rows, limit)
}

// after leaves out what comes before a place in the list, and the place itself.
func (w *where) after(order DateField, c cursor) {
	w.and(fmt.Sprintf("(t.%s, t.id) < (?::date, ?::uuid)", order), c.at.Format(time.DateOnly), c.id)
}

// conditions are those of a part of the filter's list, without the place in the list.
func (o *Organization) conditions(args *arguments, f TransactionFilter, p part) where {
	w := where{args: args}
	w.and("t.organization_id = ?::uuid", o.ID)
	w.and("t.deleted_at IS NULL")
	for _, condition := range p.only {
		w.and(condition)
	}
	if f.FilterByAccount {
		w.and("t.account_id = ANY (?::uuid[])", uuids(f.AccountIDs))
	}
	if f.Counterparty != nil {
		w.and("t.counterparty_id = ?::uuid", *f.Counterparty)
	}
	if f.FilterByCategory {
		condition := "t.category_id = ANY (?::integer[])"
		if f.Uncategorized {
			condition = "(" + condition + " OR t.category_id IS NULL)"
		}
		w.and(condition, pq.Array(f.CategoryIDs))
	}
	if f.From != nil {
		w.and(fmt.Sprintf("t.%s >= ?::date", p.order), f.From.Format(time.DateOnly))
	}
	if f.To != nil {
		w.and(fmt.Sprintf("t.%s <= ?::date", p.order), f.To.Format(time.DateOnly))
	}
	if f.Attention != nil && *f.Attention {
		w.and("t.needs_attention")
	} else if f.Attention != nil {
		w.and("NOT t.needs_attention")
	}
	for _, word := range f.Words {
		if len(word.CategoryIDs) == 0 {
			w.and(words+" ILIKE ?", likePattern(word.Text))
		} else {
			w.and("("+words+" ILIKE ? OR t.category_id = ANY (?::integer[]))", likePattern(word.Text), pq.Array(word.CategoryIDs))
		}
	}
	if f.AmountFrom != nil || f.AmountTo != nil {
		w.and("t.currency = 'USD'")
	}
	if f.AmountFrom != nil {
		w.and("t.amount >= ?::bigint", int64(*f.AmountFrom))
	}
	if f.AmountTo != nil {
		w.and("t.amount <= ?::bigint", int64(*f.AmountTo))
	}
	return w
}
