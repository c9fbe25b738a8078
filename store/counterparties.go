package store

import (
	"context"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"bizfin/internal/money"
	"bizfin/store/statement"
)

// Counterparty is a person or company a business deals with.
type Counterparty struct {
	ID           uuid.UUID           `db:"id"`
	Name         string              `db:"name"`
	Aliases      pq.StringArray      `db:"aliases"`
	Type         string              `db:"type"`
	Relationship string              `db:"relationship"`
	Website      *string             `db:"website"`
	Confidence   money.Ratio         `db:"confidence"`
	LastDate     time.Time           `db:"last_date"`
	Stats        []CounterpartyStats `db:"-"` // by currency
}

// CounterpartyStats sums the undeleted transactions with a counterparty in one currency.
type CounterpartyStats struct {
	CounterpartyID   uuid.UUID   `db:"counterparty_id"`
	Currency         string      `db:"currency"`
	TransactionCount int64       `db:"transaction_count"`
	Inflow           money.Total `db:"inflow"`
	Outflow          money.Total `db:"outflow"`
	FirstDate        time.Time   `db:"first_date"`
	LastDate         time.Time   `db:"last_date"`
}

// CounterpartyFilter chooses counterparties; the zero value chooses all.
type CounterpartyFilter struct {
	Words        []string // each in the name, an alias or the website
	Relationship string
	Type         string
}

// SearchCounterparties lists counterparties by their newest transaction, newest first, then by id. ErrCursor,
// ErrSearchTime.
func (o *Organization) SearchCounterparties(ctx context.Context, f CounterpartyFilter,
	p Page) (list List[Counterparty], err error) {
	err = o.db.inSearchTime(ctx, func(ctx context.Context) error {
		list, err = o.searchCounterparties(ctx, f, p)
		return err
	})
	return list, err
}

func (o *Organization) searchCounterparties(ctx context.Context, f CounterpartyFilter,
	p Page) (List[Counterparty], error) {
	w := statement.Where{Args: new(statement.Arguments)}
	w.And("c.organization_id = ?::uuid", o.ID)
	for _, word := range f.Words {
		operator, pattern := statement.Has(word)
		w.And(`lower(c.name || E'\n' || array_to_string(c.aliases, E'\n') || E'\n' || coalesce(c.website, '')) `+
			operator+` lower(?)`, pattern)
	}
	if f.Relationship != "" {
		w.And("c.relationship = ?", f.Relationship)
	}
	if f.Type != "" {
		w.And("c.type = ?", f.Type)
	}
	after, err := p.after(o.list(f))
	if err != nil {
		return List[Counterparty]{}, err
	}
	if after != nil {
		w.And("(c.last_date, c.id) < (?::date, ?::uuid)", after.at.Format(time.DateOnly), after.id)
	}
	limit := w.Args.Add(p.Limit + 1)
	from := o.prepared()
	if len(f.Words) > 0 { // as many texts as words
		from = o.reader()
	}
	var rows []Counterparty
	err = from.SelectContext(ctx, &rows, fmt.Sprintf(`
		SELECT c.id, c.name, c.aliases, c.type, c.relationship, c.website, c.confidence, c.last_date
		FROM counterparties c
		WHERE %s
		ORDER BY c.last_date DESC, c.id DESC
		LIMIT %s::integer`, w, limit),
		(*w.Args)...)
	if err != nil {
		return List[Counterparty]{}, translate(ctx, err)
	}
	list := listOf(rows, p, o.list(f), func(c Counterparty) cursor { return cursor{at: c.LastDate, id: c.ID} })
	return list, o.addStats(ctx, list.Rows)
}

// Counterparty finds one counterparty. ErrNotFound.
func (o *Organization) Counterparty(ctx context.Context, id uuid.UUID) (Counterparty, error) {
	list := make([]Counterparty, 1)
	err := o.prepared().GetContext(ctx, &list[0], `
		SELECT id, name, aliases, type, relationship, website, confidence, last_date
		FROM counterparties
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, id)
	if err != nil {
		return Counterparty{}, translate(ctx, err)
	}
	return list[0], o.addStats(ctx, list)
}

// counterpartyCounts are those of a counterparty u, as its rows are at this moment.
const counterpartyCounts = `
		    SELECT currency, category_id, transactions, inflow, outflow
		    FROM counterparty_counts
		    WHERE organization_id = (SELECT $1::uuid)
		      AND counterparty_id = u.id
		    UNION ALL
		    SELECT currency, category_id, transactions, inflow, outflow
		    FROM counterparty_counts_added
		    WHERE organization_id = (SELECT $1::uuid)
		      AND counterparty_id = u.id`

// addStats reads no row but the first and the last one of each counterparty and currency.
func (o *Organization) addStats(ctx context.Context, list []Counterparty) error {
	ids := make([]uuid.UUID, len(list))
	for i, c := range list {
		ids[i] = c.ID
	}
	var stats []CounterpartyStats
	err := o.prepared().SelectContext(ctx, &stats, `
		SELECT u.id AS counterparty_id, n.currency, n.transaction_count, n.inflow, n.outflow,
		       first.primary_date AS first_date, last.primary_date AS last_date
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT currency, sum(transactions)::bigint AS transaction_count, sum(inflow) AS inflow,
		         sum(outflow) AS outflow
		  FROM (`+counterpartyCounts+`) c
		  GROUP BY currency
		  HAVING sum(transactions) > 0) n
		CROSS JOIN LATERAL (
		  SELECT primary_date
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND counterparty_id = u.id
		    AND currency = n.currency
		    AND deleted_at IS NULL
		  ORDER BY primary_date, id
		  LIMIT 1) first
		CROSS JOIN LATERAL (
		  SELECT primary_date
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND counterparty_id = u.id
		    AND currency = n.currency
		    AND deleted_at IS NULL
		  ORDER BY primary_date DESC, id DESC
		  LIMIT 1) last
		ORDER BY u.id, n.currency`,
		o.ID, uuids(ids))
	if err != nil {
		return translate(ctx, err)
	}
	of := map[uuid.UUID][]CounterpartyStats{}
	for _, s := range stats {
		of[s.CounterpartyID] = append(of[s.CounterpartyID], s)
	}
	for i := range list {
		list[i].Stats = of[list[i].ID]
	}
	return nil
}

// CategoryCount is how many undeleted transactions have a category; nil is none.
type CategoryCount struct {
	CategoryID       *int  `db:"category_id"`
	TransactionCount int64 `db:"transaction_count"`
}

// TopCategories counts the categories of a counterparty's transactions, those of each part of one that has parts, the
// most frequent five first.
func (o *Organization) TopCategories(ctx context.Context, counterparty uuid.UUID) ([]CategoryCount, error) {
	var counts []CategoryCount
	err := o.prepared().SelectContext(ctx, &counts, `
		WITH counts AS MATERIALIZED (
		  SELECT category_id, sum(transactions)::bigint AS transactions
		  FROM (SELECT $2::uuid AS id OFFSET 0) u
		  CROSS JOIN LATERAL (`+counterpartyCounts+`) c
		  GROUP BY category_id
		  HAVING sum(transactions) > 0)
		SELECT nullif(category_id, 0) AS category_id, sum(transactions)::bigint AS transaction_count
		FROM (
		  SELECT category_id, transactions
		  FROM counts
		  WHERE category_id <> -1
		  UNION ALL
		  SELECT p.category_id, count(*) -- of rows with parts, where there are any
		  FROM transactions t
		  JOIN transaction_parts p ON p.organization_id = t.organization_id AND p.transaction_id = t.id
		  WHERE EXISTS (SELECT FROM counts WHERE category_id = -1)
		    AND t.organization_id = (SELECT $1::uuid)
		    AND t.counterparty_id = (SELECT $2::uuid)
		    AND t.category_id = -1
		    AND t.deleted_at IS NULL
		  GROUP BY p.category_id) c
		GROUP BY category_id
		ORDER BY transaction_count DESC, nullif(category_id, 0)
		LIMIT 5`,
		o.ID, counterparty)
	return counts, translate(ctx, err)
}
