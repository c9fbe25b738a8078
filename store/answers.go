package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// Hook is what an answer can be given to at any time: a question, a row, or all rows of a counterparty in one
// direction. One of the ids is set.
type Hook struct {
	Issue        uuid.UUID
	Transaction  uuid.UUID
	Counterparty uuid.UUID
	Incoming     bool // the direction of the rows of a counterparty
}

// ParseHook reads the id of a hook. ErrNotFound for what is none.
func ParseHook(text string) (Hook, error) {
	kind, rest, standing := strings.Cut(text, ":")
	if !standing {
		id, err := canonicalID(text)
		return Hook{Issue: id}, err
	}
	switch kind {
	case "t":
		id, err := canonicalID(rest)
		return Hook{Transaction: id}, err
	case "c":
		of, direction, _ := strings.Cut(rest, ":")
		id, err := canonicalID(of)
		if direction != "in" && direction != "out" {
			err = ErrNotFound
		}
		return Hook{Counterparty: id, Incoming: direction == "in"}, err
	default:
		return Hook{}, ErrNotFound
	}
}

func canonicalID(text string) (uuid.UUID, error) {
	id, err := uuid.Parse(text)
	if err != nil || id.String() != text {
		return uuid.Nil, ErrNotFound
	}
	return id, nil
}

// Standing is whether the hook is that of a row or a counterparty, whatever is asked.
func (h Hook) Standing() bool { return h.Issue == uuid.Nil }

// String is the id of the hook.
func (h Hook) String() string {
	switch {
	case h.Transaction != uuid.Nil:
		return "t:" + h.Transaction.String()
	case h.Counterparty != uuid.Nil && h.Incoming:
		return "c:" + h.Counterparty.String() + ":in"
	case h.Counterparty != uuid.Nil:
		return "c:" + h.Counterparty.String() + ":out"
	default:
		return h.Issue.String()
	}
}

// The outcomes of answers. Only the first two decide rows.
const (
	AnswerAccepted = "accepted"
	AnswerPartly   = "partly" // some of its rows are filed, and stayed what they were
	AnswerUnclear  = "unclear"
	AnswerSkipped  = "skipped"
	AnswerUndone   = "undone"
)

// Who gave an answer.
const (
	ViaPerson = "person"
	ViaAgent  = "agent"
)

// GivenAnswer is one answer of the history.
type GivenAnswer struct {
	Of              string      `db:"of"` // what it was asked for with: a hook, an issue or a transaction
	ID              uuid.UUID   `db:"id"`
	Hook            string      `db:"hook"`
	Status          string      `db:"status"`
	Answer          string      `db:"answer"`
	SelectedOption  *string     `db:"selected_option"`
	By              *string     `db:"by"` // the name of the person, or the e-mail or id of one without
	Via             string      `db:"via"`
	At              time.Time   `db:"answered_at"`
	ReplacedAt      *time.Time  `db:"replaced_at"`
	Rows            int64       `db:"row_count"`
	NetProfitEffect money.Total `db:"net_profit_effect"` // in USD, of its rows
}

const givenColumns = `a.id, a.hook, a.status, a.answer, a.selected_option,
	coalesce(nullif(p.name, ''), nullif(p.email, ''), p.id::text) AS by, a.via, a.answered_at, a.replaced_at,
	a.row_count, a.net_profit_effect`

// mostAnswers are so many of the newest answers that a detail shows.
const mostAnswers = 50

// AnswersOfTransaction is what was answered about a row, alone or among others, the newest of them, oldest first.
func (o *Organization) AnswersOfTransaction(ctx context.Context, id uuid.UUID) ([]GivenAnswer, error) {
	return o.given(ctx, `
		a.hook = 't:' || $2::text
		OR a.id IN (
		  SELECT answer_id
		  FROM answer_rows
		  WHERE organization_id = $1
		    AND transaction_id = $2::text::uuid)`, id.String())
}

// AnswersOfCounterparty is what was answered about a counterparty in one direction, likewise.
func (o *Organization) AnswersOfCounterparty(ctx context.Context, id uuid.UUID,
	incoming bool) ([]GivenAnswer, error) {
	return o.given(ctx, `
		a.hook = $2
		OR a.incoming = $3 AND a.group_key = (
		  SELECT key
		  FROM counterparties
		  WHERE organization_id = $1
		    AND id = $4)`, Hook{Counterparty: id, Incoming: incoming}.String(), incoming, id)
}

func (o *Organization) given(ctx context.Context, which string, args ...any) ([]GivenAnswer, error) {
	var list []GivenAnswer
	err := o.db.db.SelectContext(ctx, &list, fmt.Sprintf(`
		SELECT *
		FROM (
		  SELECT '' AS of, %s
		  FROM answers a
		  LEFT JOIN persons p ON p.id = a.answered_by
		  WHERE a.organization_id = $1
		    AND (%s)
		  ORDER BY a.answered_at DESC, a.id DESC
		  LIMIT %d) newest
		ORDER BY answered_at, id`, givenColumns, which, mostAnswers), append([]any{o.ID}, args...)...)
	return list, translate(ctx, err)
}

// answersOfIssues is what was answered to questions, likewise, by the question.
func (o *Organization) answersOfIssues(ctx context.Context, ids []uuid.UUID) (map[string][]GivenAnswer, error) {
	of := map[string][]GivenAnswer{}
	if len(ids) == 0 {
		return of, nil
	}
	var list []GivenAnswer
	err := o.db.db.SelectContext(ctx, &list, fmt.Sprintf(`
		SELECT u.id::text AS of, a.*
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT %s
		  FROM answers a
		  LEFT JOIN persons p ON p.id = a.answered_by
		  WHERE a.organization_id = (SELECT $1::uuid)
		    AND (a.hook = u.id::text OR a.issue_id = u.id)
		  ORDER BY a.answered_at DESC, a.id DESC
		  LIMIT %d) a
		ORDER BY a.answered_at, a.id`, givenColumns, mostAnswers), o.ID, uuids(ids))
	for _, a := range list {
		of[a.Of] = append(of[a.Of], a)
	}
	return of, translate(ctx, err)
}

// Adjustment is a filed row that stayed what it was filed as, though an answer says otherwise.
type Adjustment struct {
	TransactionID   uuid.UUID    `db:"transaction_id"`
	PrimaryDate     time.Time    `db:"primary_date"`
	Amount          money.Amount `db:"amount"`
	Currency        string       `db:"currency"`
	Filed           *int         `db:"filed"`             // the category; nil for none
	Believed        *int         `db:"believed"`          // the category by the answer; nil where no one fits
	NetProfitEffect money.Total  `db:"net_profit_effect"` // of changing it, in USD; 0 in another currency
	Answer          string       `db:"answer"`
	AnsweredAt      time.Time    `db:"answered_at"`
}

// Adjustments lists the filed rows of a range of days, by a date field, that answers say something else of, the oldest
// up to limit, and says how many there are. Of several answers about a row the one that would decide it counts.
func (o *Organization) Adjustments(ctx context.Context, field DateField, from, to time.Time,
	limit int) (list []Adjustment, total int64, err error) {
	day := "t.processed_date"
	if field == Primary {
		day = "t.primary_date"
	}
	var rows []struct {
		Adjustment
		Total int64 `db:"total"`
	}
	err = o.db.db.SelectContext(ctx, &rows, fmt.Sprintf(`
		SELECT count(*) OVER () AS total, t.id AS transaction_id, t.primary_date, t.amount, t.currency,
		       t.category_id AS filed,
		       a.category_id AS believed, a.answer, a.answered_at,
		       CASE WHEN t.currency = 'USD' AND NOT t.pending
		         THEN (coalesce(a.category_id = ANY ($4), false)::integer
		           - coalesce(t.category_id = ANY ($4), false)::integer) * t.amount::numeric
		         ELSE 0 END AS net_profit_effect
		FROM (
		  SELECT DISTINCT ON (r.transaction_id) r.transaction_id,
		         coalesce(r.category_id, nullif(a.category_id, 0)) AS category_id, a.answer,
		         a.answered_at
		  FROM answer_rows r
		  JOIN answers a ON a.organization_id = r.organization_id AND a.id = r.answer_id
		  WHERE r.organization_id = $1
		    AND r.filed
		    AND a.replaced_at IS NULL
		  ORDER BY r.transaction_id, a.level DESC, a.answered_at DESC, a.id DESC) a
		JOIN transactions t ON t.organization_id = $1 AND t.id = a.transaction_id
		WHERE t.filing_state = 'filed'
		  AND t.deleted_at IS NULL
		  AND t.category_id IS DISTINCT FROM a.category_id
		  AND %s BETWEEN $2 AND $3
		ORDER BY t.primary_date, t.id
		LIMIT $5`, day),
		o.ID, from.Format(time.DateOnly), to.Format(time.DateOnly), onForm(), limit)
	for _, row := range rows {
		list, total = append(list, row.Adjustment), row.Total
	}
	return list, total, translate(ctx, err)
}

// netProfitOf is what rows add to the net profit: those in USD that are posted, in categories of the form.
func (o *Organization) netProfitOf(ctx context.Context, tx *sqlx.Tx, rows []uuid.UUID) (money.Total, error) {
	var total money.Total
	err := tx.GetContext(ctx, &total, `
		SELECT coalesce(sum(t.amount), 0)
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT amount
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		    AND category_id = ANY ($3)
		    AND currency = 'USD'
		    AND NOT pending
		    AND deleted_at IS NULL
		  LIMIT 1) t`,
		o.ID, uuids(rows), onForm())
	return total, err
}

// onForm are the categories whose amounts make up the net profit.
func onForm() pq.Int64Array {
	var ids pq.Int64Array
	for _, c := range ontology.ScheduleC().All() {
		if c.Kind.OnForm() {
			ids = append(ids, int64(c.ID))
		}
	}
	return ids
}
