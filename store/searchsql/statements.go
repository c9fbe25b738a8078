package searchsql

import (
	"embed"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"bizfin/store/statement"
)

//go:embed *.sql.tmpl
var files embed.FS

var templates = statement.Texts(files)

// Place is that of a row in a list.
type Place struct {
	Date time.Time `db:"date"` // by the DateField of the list
	ID   uuid.UUID `db:"id"`
}

// rows are those of a share, as the templates have them.
type rows struct {
	Date     statement.DateField
	Where    statement.Where
	Groups   string   // the table g of what the rows are looked up by, one by one; may be empty
	First    string   // the column that the index orders those of a group by before their date; may be empty
	Each     bool     // so are those that are counted: few of many wait on the days that are asked for
	Together bool     // all are found before they are put in order
	Patterns []string // how texts are asked for the words that the lists of texts find them by; may be empty
	Limit    int
}

// Newest finds rows of a page among so many of the newest rows behind a place alone. A full page is the answer; fewer
// rows say nothing.
func (p *Plan) Newest(after *Place, among, limit int) (query string, args statement.Arguments) {
	order := share{order: p.Filter.DateField}
	var newest []rows
	for _, s := range inList([]share{order}) {
		r := p.rows(&args, Filter{From: p.Filter.From, To: p.Filter.To}, s, among)
		behind(&r.Where, s, after)
		p.group(&args, &r, s)
		newest = append(newest, r)
	}
	return statement.Filled(templates, "newest.sql.tmpl", map[string]any{
		"date": order.order, "newest": newest, "among": among, "where": p.where(&args, p.Filter, order), "limit": limit,
	}), args
}

// Find finds the first places of the list, or those behind a place: the first of each share, and of those the first.
func (p *Plan) Find(after *Place, limit int) (query string, args statement.Arguments) {
	var list []rows
	for _, s := range p.shares {
		f := p.Filter
		f.FilterByAccount = f.FilterByAccount && !s.ofOneAccount() // said twice, it would take the order from the index
		r := p.rows(&args, f, s, limit)
		behind(&r.Where, s, after)
		p.group(&args, &r, s)
		list = append(list, r)
	}
	return statement.Filled(templates, "find.sql.tmpl", map[string]any{"shares": list, "limit": limit}), args
}

// Count counts the rows of the list, of each share up to limit. With inAllRows, words are looked for in all rows
// instead of by their index.
func (p *Plan) Count(inAllRows bool, limit int) (query string, args statement.Arguments) {
	shares := p.shares
	if inAllRows {
		shares = p.byDate
	}
	list := p.over(&args, p.Filter, shares, limit)
	return statement.Filled(templates, "count.sql.tmpl", map[string]any{"shares": list}), args
}

// Sum sums the rows that Count counts, by currency, and of those of several parts the parts that match: a category says
// which, and a word that stands for categories where the row's texts do not have it. Where a share has limit of them,
// the sums are of some rows alone.
func (p *Plan) Sum(inAllRows bool, limit int) (query string, args statement.Arguments) {
	shares := p.shares
	if inAllRows {
		shares = p.byDate
	}
	list := p.over(&args, p.Filter, shares, limit)
	return statement.Filled(templates, "sum.sql.tmpl", map[string]any{"shares": list, "parts": p.parts(&args)}), args
}

// parts are the conditions of the parts p of a row t that matches.
func (p *Plan) parts(args *statement.Arguments) statement.Where {
	w := statement.Where{Args: args}
	w.And("p.organization_id = (SELECT $1::uuid)")
	w.And("p.transaction_id = t.id")
	if p.Filter.FilterByCategory {
		w.And("p.category_id = ANY (?::integer[])", pq.Array(p.Filter.CategoryIDs))
	}
	for _, word := range p.Filter.Words {
		if len(word.CategoryIDs) > 0 {
			operator, pattern := statement.Has(word.Text)
			w.And("("+words+" "+operator+" lower(?) OR p.category_id = ANY (?::integer[]))", pattern,
				pq.Array(word.CategoryIDs))
		}
	}
	return w
}

// CountOtherCurrencies counts likewise what the amounts of the filter leave out because it is not in USD.
func (p *Plan) CountOtherCurrencies(limit int) (query string, args statement.Arguments) {
	f, shares := p.Filter, p.shares
	if p.byAmount() || p.isWhole() {
		shares = p.byDate
	}
	f.AmountFrom, f.AmountTo = nil, nil
	list := p.over(&args, f, shares, limit, "t.currency <> 'USD'")
	return statement.Filled(templates, "count.sql.tmpl", map[string]any{"shares": list}), args
}

// over are the rows of shares, of each up to limit.
func (p *Plan) over(args *statement.Arguments, f Filter, shares []share, limit int, more ...string) (list []rows) {
	for _, s := range shares {
		s.only = slices.Concat(s.only, more)
		r := p.rows(args, f, s, limit)
		if s.group == byWaiting && (f.From != nil || f.To != nil) {
			p.group(args, &r, s)
			r.Each = true
		}
		list = append(list, r)
	}
	return list
}

func (p *Plan) rows(args *statement.Arguments, f Filter, s share, limit int) rows {
	r := rows{Date: s.order, Where: p.where(args, f, s), Together: p.ByOtherIndex() && !s.byTexts, Limit: limit}
	if s.byTexts {
		for _, word := range p.finding {
			operator, pattern := statement.Has(word.Text)
			r.Patterns = append(r.Patterns, operator+" lower("+args.Add(pattern)+")")
		}
	}
	return r
}

// group has the rows of a share looked up group by group.
func (p *Plan) group(args *statement.Arguments, r *rows, s share) {
	switch s.group {
	case byAccount:
		r.Where.And("t.account_id = g.id")
		r.Groups = each(args.Add(statement.UUIDs(p.Filter.AccountIDs)) + "::uuid[]")
	case byAccountWaiting:
		r.Where.And("t.account_id BETWEEN g.id AND g.id")
		r.Groups, r.First = each(args.Add(statement.UUIDs(p.Filter.AccountIDs))+"::uuid[]"), "t.account_id"
	case byWaiting:
		r.Where.And("t.processing = g.processing")
		r.Where.And("t.account_id BETWEEN g.account_id AND g.account_id")
		r.Groups, r.First = "("+statement.Waiting("$1::uuid", statement.Newest)+") g", "t.account_id"
	case byCategory:
		r.Where.And("t.category_id = g.id")
		r.Groups = each(args.Add(pq.Array(withSplit(p.Filter.CategoryIDs))) + "::integer[]")
	case byWord:
		r.Where.And("t.category_id = g.id")
		r.Groups = each(args.Add(pq.Array(withSplit(p.finding[0].CategoryIDs))) + "::integer[]")
	case ungrouped:
	}
}

// each is the table of the ids of an array.
func each(ids string) string { return "unnest(" + ids + ") AS g (id)" }

// behind leaves out what comes before a place in the list, and the place itself.
func behind(where *statement.Where, s share, after *Place) {
	if after != nil {
		where.And("(t."+string(s.order)+", t.id) < (?::date, ?::uuid)", after.Date.Format(time.DateOnly), after.ID)
	}
}

// words is the text of a row that its words are looked for in, as the lists of texts hold it.
const words = "searched_text(t.merchant, t.description, t.context)"

// where are the conditions of a share of the filter's list, without the place in the list. The business is the first
// argument of each statement.
func (p *Plan) where(args *statement.Arguments, f Filter, s share) statement.Where {
	w := statement.Where{Args: args}
	w.And("t.organization_id = ?::uuid", p.organization)
	w.And("t.deleted_at IS NULL")
	for _, condition := range s.only {
		w.And(condition)
	}
	if f.FilterByAccount {
		w.And("t.account_id = ANY (?::uuid[])", statement.UUIDs(f.AccountIDs))
	}
	if f.Counterparty != nil {
		w.And("t.counterparty_id = ?::uuid", *f.Counterparty)
	}
	if f.FilterByCategory {
		condition := "(" + ofCategories
		if f.Uncategorized {
			condition += " OR t.category_id IS NULL"
		}
		w.And(condition+")", pq.Array(f.CategoryIDs), pq.Array(f.CategoryIDs))
	}
	if f.From != nil {
		w.And("t."+string(s.order)+" >= ?::date", f.From.Format(time.DateOnly))
	}
	if f.To != nil {
		w.And("t."+string(s.order)+" <= ?::date", f.To.Format(time.DateOnly))
	}
	if f.Attention != nil && *f.Attention {
		w.And("t.needs_attention")
	} else if f.Attention != nil {
		w.And("NOT t.needs_attention")
	}
	for _, word := range f.Words {
		operator, pattern := statement.Has(word.Text)
		if len(word.CategoryIDs) == 0 {
			w.And(words+" "+operator+" lower(?)", pattern)
		} else {
			w.And("("+words+" "+operator+" lower(?) OR "+ofCategories+")", pattern, pq.Array(word.CategoryIDs),
				pq.Array(word.CategoryIDs))
		}
	}
	if f.AmountFrom != nil || f.AmountTo != nil {
		w.And("t.currency = 'USD'")
	}
	if f.AmountFrom != nil {
		w.And("t.amount >= ?::bigint", int64(*f.AmountFrom))
	}
	if f.AmountTo != nil {
		w.And("t.amount <= ?::bigint", int64(*f.AmountTo))
	}
	return w
}

// ofCategories is that a row is in some categories, or a part of it is: a row of several parts has the category -1.
const ofCategories = `t.category_id = ANY (?::integer[]) OR t.category_id = -1 AND EXISTS (
  SELECT
  FROM transaction_parts p
  WHERE p.organization_id = (SELECT $1::uuid)
    AND p.transaction_id = t.id
    AND p.category_id = ANY (?::integer[]))`
