package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
)

// mostLines are so many rows of a question as a person still looks through, of the newest that are read for them: each
// is looked up by itself, and a page has twelve open questions and more of others.
const (
	mostLines = 40
	mostRead  = 100
)

var errLines = errors.New("store: not the rows of a question")

// IssueLine is a row of a question as a person is to recognize it.
type IssueLine struct {
	N           int // its number in the question
	Transaction uuid.UUID
	Date        time.Time
	Amount      money.Amount
	Currency    string
	Account     uuid.UUID
	AccountName string
	Description string
}

// questionLines are the lines of a question, and the days of all rows that were read for them; nil where there are
// none.
type questionLines struct {
	lines       []IssueLine
	first, last *time.Time
}

// linesOf reads the lines of questions, by the ids of these: the largest of their newest rows, first one of each
// counterparty, so that a person sees all, and then one of each of their amounts, as others like it are hardly
// something else. What it costs does not depend on how many rows they have.
//
// The rows of a question come in one text, and the largest are chosen here: to have PostgreSQL choose them, and send
// them one by one, takes as long again as to look them up. For the same reason accounts are not looked up with their
// rows, but their names once.
func (o *Organization) linesOf(ctx context.Context, from selector, ids []uuid.UUID) (map[uuid.UUID]questionLines,
	error) {
	var read []struct {
		Issue uuid.UUID `db:"issue_id"`
		Rows  string    `db:"rows"`
	}
	err := from.SelectContext(ctx, &read, fmt.Sprintf(`
		SELECT u.id AS issue_id, coalesce(l.rows, '') AS rows
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT string_agg(concat_ws(' ', t.id, t.account_id, coalesce(t.counterparty_id::text, '-'),
		           t.primary_date - date '1970-01-01', t.amount, coalesce(newest.n, -1),
		           octet_length(t.currency), octet_length(t.description), t.currency || t.description), '') AS rows
		  FROM (
		    SELECT transaction_id, n
		    FROM issue_transactions
		    WHERE organization_id = (SELECT $1::uuid)
		      AND issue_id = u.id
		    ORDER BY transaction_id DESC
		    LIMIT %d) newest
		  CROSS JOIN LATERAL (
		    SELECT id, account_id, counterparty_id, primary_date, amount, currency,
		           left(description, 200) AS description
		    FROM transactions
		    WHERE organization_id = (SELECT $1::uuid)
		      AND id = newest.transaction_id
		      AND deleted_at IS NULL
		    LIMIT 1) t) l`, mostRead), o.ID, uuids(ids))
	if err != nil {
		return nil, translate(ctx, err)
	}
	of := make(map[uuid.UUID]questionLines, len(read))
	for _, r := range read {
		rows, err := linesIn(r.Rows)
		if err != nil {
			return nil, err
		}
		var q questionLines
		q.first, q.last = daysOf(rows)
		if q.lines, err = largest(rows); err != nil {
			return nil, err
		}
		of[r.Issue] = q
	}
	return of, o.nameAccounts(ctx, from, of)
}

// nameAccounts gives lines the names of their accounts.
func (o *Organization) nameAccounts(ctx context.Context, from selector, of map[uuid.UUID]questionLines) error {
	var ids []uuid.UUID
	names := map[uuid.UUID]string{}
	for _, q := range of {
		for _, l := range q.lines {
			if _, known := names[l.Account]; !known {
				ids, names[l.Account] = append(ids, l.Account), ""
			}
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var accounts []struct {
		ID   uuid.UUID `db:"id"`
		Name string    `db:"name"`
	}
	err := from.SelectContext(ctx, &accounts, `
		SELECT id, name
		FROM accounts
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])`, o.ID, uuids(ids))
	if err != nil {
		return translate(ctx, err)
	}
	for _, a := range accounts {
		names[a.ID] = a.Name
	}
	for _, q := range of {
		for i, l := range q.lines {
			q.lines[i].AccountName = names[l.Account]
		}
	}
	return nil
}

// askedLine is a row of a question as the largest are chosen, its ids as they came: of most no more is asked.
type askedLine struct {
	id, account, counterparty string // rows without a counterparty share a word
	day                       int64  // since 1970
	amount                    money.Amount
	n                         int64 // its number in the question, unnumbered without one
	currency, description     string
	place                     int // among those of its counterparty: the largest, one of an amount, another of it
}

const unnumbered = math.MaxInt64 // comes last

// linesIn reads the rows of a question, one behind the other.
func linesIn(text string) ([]askedLine, error) {
	rows := make([]askedLine, 0, mostRead)
	r := lineReader{text: text}
	for r.text != "" && r.err == nil {
		row := askedLine{id: r.word(), account: r.word(), counterparty: r.word(), day: r.number(),
			amount: money.Amount(r.number()), n: r.number()}
		currency, description := r.number(), r.number()
		row.currency, row.description = r.next(currency), r.next(description) // either may have spaces
		if row.n < 0 {
			row.n = unnumbered
		}
		rows = append(rows, row)
	}
	return rows, r.err
}

// lineReader reads words with a space behind each, and texts of a length that is known.
type lineReader struct {
	text string
	err  error
}

func (r *lineReader) word() (word string) {
	word, r.text, _ = strings.Cut(r.text, " ")
	return word
}

func (r *lineReader) number() int64 {
	n, err := strconv.ParseInt(r.word(), 10, 64)
	if err != nil {
		r.err = errLines
	}
	return n
}

func (r *lineReader) next(length int64) (text string) {
	if length < 0 || length > int64(len(r.text)) {
		r.err = errLines
		return ""
	}
	text, r.text = r.text[:length], r.text[length:]
	return text
}

// daysOf are the first and the last day of rows; nil where there are none.
func daysOf(rows []askedLine) (first, last *time.Time) {
	if len(rows) == 0 {
		return nil, nil
	}
	byDay := func(a, b askedLine) int { return cmp.Compare(a.day, b.day) }
	from, to := dateOf(slices.MinFunc(rows, byDay).day), dateOf(slices.MaxFunc(rows, byDay).day)
	return &from, &to
}

func dateOf(day int64) time.Time { return time.Unix(day*int64(24*time.Hour/time.Second), 0).UTC() }

// largest are the lines of a question, from its rows.
func largest(rows []askedLine) ([]IssueLine, error) {
	type like struct {
		counterparty string
		amount       money.Amount
	}
	const ofParty, ofAmount, another = 0, 1, 2
	list := make([]*askedLine, len(rows))
	for i := range rows {
		list[i] = &rows[i]
	}
	slices.SortFunc(list, bySize)
	parties, amounts := map[string]bool{}, make(map[like]bool, len(rows))
	for _, row := range list {
		l := like{row.counterparty, row.amount}
		switch {
		case amounts[l]:
			row.place = another
		case parties[row.counterparty]:
			row.place = ofAmount
		default:
			row.place = ofParty
		}
		parties[row.counterparty], amounts[l] = true, true
	}
	slices.SortStableFunc(list, func(a, b *askedLine) int { return cmp.Compare(a.place, b.place) })
	list = list[:min(len(list), mostLines)]
	slices.SortFunc(list, bySize)
	lines := make([]IssueLine, len(list))
	for i, row := range list {
		id, err := uuid.Parse(row.id)
		if err != nil {
			return nil, errLines
		}
		account, err := uuid.Parse(row.account)
		if err != nil {
			return nil, errLines
		}
		lines[i] = IssueLine{Transaction: id, Date: dateOf(row.day), Amount: row.amount, Currency: row.currency,
			Account: account, Description: row.description}
		if row.n != unnumbered {
			lines[i].N = int(row.n)
		}
	}
	return lines, nil
}

// bySize has the largest come first, whichever way the money went.
func bySize(a, b *askedLine) int {
	return cmp.Or(cmp.Compare(max(b.amount, -b.amount), max(a.amount, -a.amount)), byNumber(a, b))
}

func byNumber(a, b *askedLine) int { return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.id, b.id)) }
