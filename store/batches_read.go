package store

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/lib/pq"

	"bizfin/internal/decide"
	"bizfin/internal/questions"
)

// batchText is how many bytes of descriptions a batch holds, several times those of usual bank lines. What a row costs
// grows with its words, and other businesses wait for the batch.
const batchText = 256 << 10

// ofUsualLength are the first rows with so much text, at least one.
func ofUsualLength(rows []decide.Row) []decide.Row {
	size := 0
	for i, row := range rows {
		if size += len(row.Description); size > batchText && i > 0 {
			return rows[:i]
		}
	}
	return rows
}

// openRows reads the newest rows of an account among those that any of the conditions is true of. Each names one state
// of processing: these are indexed apart, so that no state is searched for rows of another. Which rows of the last day
// are among them the index decides: it is in the order of days alone, and so is what it is asked for.
func (o *Organization) openRows(ctx context.Context, account uuid.UUID, limit int, which ...string) ([]decide.Row,
	error) {
	newest := make([]string, len(which))
	for i, condition := range which {
		newest[i] = `(
		  SELECT *
		  FROM transactions
		  WHERE organization_id = $1
		    AND account_id = $2
		    AND deleted_at IS NULL
		    AND ` + condition + `
		  ORDER BY primary_date DESC
		  LIMIT $3)`
	}
	query := `
		SELECT ` + rowColumns + `
		FROM (` + strings.Join(newest, `
		  UNION ALL `) + `) t
		JOIN accounts a ON a.organization_id = $1 AND a.id = $2
		ORDER BY t.primary_date DESC, t.id DESC
		LIMIT $3`
	var rows []decide.Row
	err := o.read(ctx, func(db *DB, on func(string) string) error {
		rows = nil
		var r decide.Row
		return scanned(ctx, db.db, valuesOf(&r), func() { rows = append(rows, r) }, on(query), o.ID, account, limit)
	})
	return rows, err
}

// FirstRows are all rows that were decided of a business that is new and was never asked about itself; none of another,
// for which known is false. Where the next ones are mixed, of a business that has enough rows by itself, too.
func (o *Organization) FirstRows(ctx context.Context, mixed bool) (rows []decide.Row, known bool, err error) {
	most := questions.EnoughRows
	if mixed {
		most = questions.StillNew
	}
	err = o.reader().GetContext(ctx, &known, `
		SELECT NOT EXISTS (
		         SELECT
		         FROM outstanding_issues
		         WHERE organization_id = $1
		           AND group_key IN ($3, $4))
		       AND NOT EXISTS (
		         SELECT
		         FROM transactions
		         WHERE organization_id = $1
		           AND deleted_at IS NULL
		           AND processing = 'processed'
		         OFFSET $2)`,
		o.ID, most-1, questions.Trade.String(), questions.Private.String())
	if err != nil || !known {
		return nil, false, translate(ctx, err)
	}
	err = o.reader().SelectContext(ctx, &rows, `
		SELECT `+rowColumns+`
		FROM transactions t
		JOIN accounts a ON a.organization_id = $1 AND a.id = t.account_id
		WHERE t.organization_id = $1
		  AND t.deleted_at IS NULL
		  AND t.processing = 'processed'
		ORDER BY t.id
		LIMIT $2`,
		o.ID, most)
	return rows, err == nil, translate(ctx, err)
}

// nearRows are so many rows before a day, and as many behind it, among which those that nobody asks about may be asked
// about with others.
const nearRows = 500

// Unasked are rows that are suggested and that no question is about, near to the decided ones, where one of these is to
// be asked about with others. Nothing is locked.
func (o *Organization) Unasked(ctx context.Context, decided []decide.Decision) ([]decide.Row, error) {
	var newest time.Time
	for _, d := range decided {
		if d.Question != nil && !d.Question.Key.OfOneRow() && d.Row.PrimaryDate.After(newest) {
			newest = d.Row.PrimaryDate
		}
	}
	if newest.IsZero() {
		return nil, nil
	}
	var rows []decide.Row
	err := o.reader().SelectContext(ctx, &rows, `
		SELECT `+rowColumns+`
		FROM (
		  (SELECT *
		  FROM transactions
		  WHERE organization_id = $1
		    AND primary_date <= $2::date
		    AND deleted_at IS NULL
		    AND processing = 'processed'
		  ORDER BY primary_date DESC, id DESC
		  LIMIT $3)
		  UNION ALL
		  (SELECT *
		  FROM transactions
		  WHERE organization_id = $1
		    AND primary_date > $2::date
		    AND deleted_at IS NULL
		    AND processing = 'processed'
		  ORDER BY primary_date, id
		  LIMIT $3)) t
		JOIN accounts a ON a.organization_id = $1 AND a.id = t.account_id
		WHERE t.category_id IS NULL
		  AND NOT t.needs_attention
		  AND t.filing_state <> 'filed'
		  AND t.transfer_id IS NULL
		  AND NOT t.is_refund -- its line alone does not say so
		ORDER BY t.id`,
		o.ID, newest.Format(time.DateOnly), nearRows)
	if err == nil && len(rows) > 0 {
		err = o.readLeftOpen(ctx, rows)
	}
	return rows, translate(ctx, err)
}

// mostAlone is so many rows as may join others, of a question and of all together: each batch reads them. Of more none
// does, so that it is the same ones that stay whatever comes.
const mostAlone = 1000

// AskedAlone are rows that open questions are about alone, since there were too few like them, where decided rows are
// like them. Questions that somebody has tried to answer keep theirs. Nothing is locked.
func (o *Organization) AskedAlone(ctx context.Context, decided []decide.Decision) ([]decide.Row, error) {
	var families []string
	for _, d := range decided {
		if d.Question != nil && d.Question.Key.OfFamily() {
			families = append(families, d.Question.Key.String())
		}
	}
	if len(families) == 0 {
		return nil, nil
	}
	slices.Sort(families)
	var rows []decide.Row
	err := o.reader().SelectContext(ctx, &rows, `
		SELECT `+rowColumns+`
		FROM outstanding_issues
		CROSS JOIN LATERAL (
		  SELECT transaction_id
		  FROM issue_transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND issue_id = outstanding_issues.id
		  OFFSET 0) it
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = it.transaction_id
		  OFFSET 0) t
		JOIN accounts a ON a.organization_id = $1 AND a.id = t.account_id
		WHERE outstanding_issues.organization_id = $1
		  AND outstanding_issues.status = 'open'
		  AND outstanding_issues.family = ANY ($2::text[])
		  AND outstanding_issues.transaction_count <= $3
		  AND NOT `+tried+`
		  AND t.category_id IS NULL
		  AND t.needs_attention
		  AND t.filing_state <> 'filed'
		  AND t.transfer_id IS NULL
		  AND NOT t.is_refund
		  AND t.deleted_at IS NULL
		ORDER BY t.id
		LIMIT $3`,
		o.ID, pq.StringArray(slices.Compact(families)), mostAlone)
	if err == nil && len(rows) == mostAlone {
		return nil, nil
	}
	if err == nil && len(rows) > 0 {
		err = o.readLeftOpen(ctx, rows)
	}
	return rows, translate(ctx, err)
}

// placesOf are the places of rows by their ids, and these.
func placesOf(rows []decide.Row) (at map[uuid.UUID]int, ids []uuid.UUID) {
	at = make(map[uuid.UUID]int, len(rows))
	for i, r := range rows {
		at[r.ID], ids = i, append(ids, r.ID)
	}
	return at, ids
}

// readLeftOpen says of rows which answers left them open.
func (o *Organization) readLeftOpen(ctx context.Context, rows []decide.Row) error {
	at, ids := placesOf(rows)
	var left []struct {
		Transaction uuid.UUID `db:"transaction_id"`
		Answer      uuid.UUID `db:"answer_id"`
		Excluded    bool      `db:"excluded"`
	}
	err := o.reader().SelectContext(ctx, &left, `
		SELECT u.id AS transaction_id, a.id AS answer_id, false AS excluded
		FROM answers a
		CROSS JOIN LATERAL unnest(a.left_open) AS u (id)
		WHERE a.organization_id = $1
		  AND a.left_open IS NOT NULL
		  AND a.replaced_at IS NULL
		  AND u.id = ANY ($2::uuid[])
		UNION ALL
		SELECT u.id, a.id, true
		FROM answers a
		CROSS JOIN LATERAL unnest(a.excluded) AS u (id)
		WHERE a.organization_id = $1
		  AND a.excluded IS NOT NULL
		  AND a.replaced_at IS NULL
		  AND u.id = ANY ($2::uuid[])`,
		o.ID, uuids(ids))
	for _, l := range left {
		row := &rows[at[l.Transaction]].Line
		row.LeftOpenBy = append(row.LeftOpenBy, l.Answer)
		if l.Excluded {
			row.ExcludedBy = append(row.ExcludedBy, l.Answer)
		}
	}
	return err
}

// readSince says of rows which answer came after them, see forget.
func (o *Organization) readSince(ctx context.Context, rows []decide.Row) error {
	at, ids := placesOf(rows)
	var since []struct {
		Transaction uuid.UUID `db:"transaction_id"`
		Answer      uuid.UUID `db:"answer_id"`
	}
	err := o.reader().SelectContext(ctx, &since, `
		SELECT t.id AS transaction_id, t.answer_id
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		  LIMIT 1) t
		WHERE t.category_id IS NULL
		  AND t.suggested_id IS NULL
		  AND t.answer_id IS NOT NULL
		  AND `+unanswered,
		o.ID, uuids(ids))
	for _, s := range since {
		rows[at[s.Transaction]].Since = &s.Answer
	}
	return err
}

// readSaidOf says of rows of which counterparty an answer decided them.
func (o *Organization) readSaidOf(ctx context.Context, rows []decide.Row) error {
	at, ids := placesOf(rows)
	var said []struct {
		Transaction uuid.UUID `db:"transaction_id"`
		Key         string    `db:"key"`
	}
	err := o.reader().SelectContext(ctx, &said, `
		SELECT t.id AS transaction_id, c.key
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT *
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		  LIMIT 1) t
		JOIN answers a ON a.organization_id = (SELECT $1::uuid) AND a.id = t.answer_id
		JOIN counterparties c ON c.organization_id = (SELECT $1::uuid) AND c.id = t.counterparty_id
		WHERE t.category_source = 'user'
		  AND a.level = 1 -- all rows of a counterparty
		  AND c.key IS NOT NULL`,
		o.ID, uuids(ids))
	for _, s := range said {
		rows[at[s.Transaction]].SaidOf = s.Key
	}
	return err
}

// What was said of single rows, by answers a that hold, or one that does; and which memories b that contradicts.
const (
	otherwise = `otherwise AS (
		  SELECT coalesce(c.key, q.group_key) AS counterparty_key, t.amount > 0 AS incoming, a.category_id,
		         a.answered_at, CASE WHEN r.before_source = 'memory' THEN r.before_category END AS before_category
		  FROM answers a
		  JOIN answer_rows r ON r.organization_id = a.organization_id AND r.answer_id = a.id
		  JOIN transactions t ON t.organization_id = a.organization_id AND t.id = r.transaction_id
		  LEFT JOIN counterparties c ON c.organization_id = a.organization_id AND c.id = t.counterparty_id
		  LEFT JOIN LATERAL (
		    SELECT i.group_key
		    FROM issue_transactions it
		    JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		    WHERE c.key IS NULL
		      AND it.organization_id = $1
		      AND it.transaction_id = t.id
		      AND i.group_key IS NOT NULL
		    ORDER BY i.id
		    LIMIT 1) q ON true
		  WHERE a.organization_id = $1
		    AND a.level = 3
		    AND r.category_id IS NULL -- not of what followed it
		    AND a.category_id IS NOT NULL`
	contradicts = `(e.counterparty_key = b.counterparty_key
		             OR e.counterparty_key IS NULL AND strpos(b.counterparty_key, $2) > 0
		               AND e.before_category = b.category_id)
		           AND e.incoming = b.incoming
		           AND e.category_id <> b.category_id
		           AND (NOT b.whole OR e.answered_at > b.created_at)`
)

// remembered are the answers of the business, oldest first.
func (o *Organization) remembered(ctx context.Context) ([]questions.Answered, error) {
	var answers []questions.Answered
	err := o.reader().SelectContext(ctx, &answers, `
		WITH `+otherwise+`
		    AND a.replaced_at IS NULL),
		later_of AS (
		  SELECT r.answer_id, count(DISTINCT l.id) AS rows
		  FROM answers a
		  CROSS JOIN LATERAL unnest(a.left_open) AS l (id)
		  JOIN answer_rows r ON r.organization_id = a.organization_id AND r.transaction_id = l.id
		  JOIN answers later ON later.organization_id = r.organization_id AND later.id = r.answer_id
		  WHERE a.organization_id = $1
		    AND a.left_open IS NOT NULL
		    AND a.replaced_at IS NULL
		    AND later.replaced_at IS NULL
		    AND (later.answered_at, later.id) > (a.answered_at, a.id)
		  GROUP BY r.answer_id),
		leftover AS (
		  SELECT l.answer_id
		  FROM later_of l
		  WHERE NOT EXISTS (
		    SELECT
		    FROM answer_rows more
		    WHERE more.organization_id = $1
		      AND more.answer_id = l.answer_id
		    OFFSET l.rows))
		SELECT b.counterparty_key, b.incoming, b.amount, coalesce(b.largest, abs(b.amount)) AS largest,
		       b.category_id, b.relationship, b.note, b.mixed, b.whole, b.same_as, b.split, b.way,
		       coalesce(b.answer_id, '00000000-0000-0000-0000-000000000000') AS answer_id, b.smallest,
		       b.row_count, coalesce(array_to_string(b.account_types, ','), '') AS account_types, b.least_days,
		       b.most_days, b.newest, coalesce(array_to_string(b.reads, ','), '') AS reads,
		       b.several, EXISTS (
		         SELECT
		         FROM otherwise e
		         WHERE `+contradicts+`) AS contradicted,
		       a.id IS NOT NULL AND a.category_id IS NULL AS of_some,
		       b.answer_id IN (SELECT answer_id FROM leftover) IS TRUE AS leftover,
		       c.name AS same_as_name, c.type AS same_as_type, c.relationship AS same_as_relationship,
		       c.website AS same_as_website, c.confidence AS same_as_confidence
		FROM business_answers b
		LEFT JOIN counterparties c ON c.organization_id = b.organization_id AND c.key = b.same_as
		LEFT JOIN answers a ON a.organization_id = b.organization_id AND a.id = b.answer_id
		WHERE b.organization_id = $1
		  AND NOT EXISTS (
		    SELECT
		    FROM business_answers later
		    WHERE later.organization_id = $1
		      AND later.whole
		      AND later.counterparty_key = b.counterparty_key
		      AND later.incoming = b.incoming
		      AND b.same_as IS NULL
		      AND (later.created_at, later.answer_id)
		        > (b.created_at, coalesce(b.answer_id, '00000000-0000-0000-0000-000000000000')))
		ORDER BY b.created_at, b.answer_id NULLS FIRST, b.row_count NULLS FIRST, b.id`,
		o.ID, questions.Mark)
	return answers, err
}
