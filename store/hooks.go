package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
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
	Person          *uuid.UUID  `db:"answered_by"`
	By              *string     `db:"-"` // the name of the person, or the e-mail or id of one without
	Via             string      `db:"via"`
	At              time.Time   `db:"answered_at"`
	ReplacedAt      *time.Time  `db:"replaced_at"`
	Rows            int64       `db:"row_count"`
	NetProfitEffect money.Total `db:"net_profit_effect"` // in USD, of its rows and those of the answer before it
}

const givenColumns = `a.id, a.hook, a.status, a.answer, a.selected_option, a.answered_by, a.via, a.answered_at,
	a.replaced_at, a.row_count, a.net_profit_effect`

// mostAnswers are so many of the newest answers that a detail shows.
const mostAnswers = 50

// AnswersOfTransaction is what was answered about a row, alone or among others, the newest of them, oldest first.
func (o *Organization) AnswersOfTransaction(ctx context.Context, id uuid.UUID) ([]GivenAnswer, error) {
	return o.given(ctx, `
		a.hook = $2
		OR a.id IN (
		  SELECT answer_id
		  FROM answer_rows
		  WHERE organization_id = $1
		    AND transaction_id = $3)`, Hook{Transaction: id}.String(), id)
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
	err := o.prepared().SelectContext(ctx, &list, fmt.Sprintf(`
		SELECT *
		FROM (
		  SELECT '' AS of, %s
		  FROM answers a
		  WHERE a.organization_id = $1
		    AND (%s)
		  ORDER BY a.answered_at DESC, a.id DESC
		  LIMIT %d) newest
		ORDER BY answered_at, id`, givenColumns, which, mostAnswers), append([]any{o.ID}, args...)...)
	if err != nil {
		return nil, translate(ctx, err)
	}
	return list, o.db.nameGivers(ctx, list)
}

// nameGivers says who gave answers. Persons are of no business: they may be on another machine than the answers.
func (d *DB) nameGivers(ctx context.Context, list []GivenAnswer) error {
	var ids []uuid.UUID
	for _, a := range list {
		if a.Person != nil {
			ids = append(ids, *a.Person)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	var persons []struct {
		ID   uuid.UUID `db:"id"`
		Name string    `db:"name"`
	}
	err := d.selectPrepared(ctx, &persons, `
		SELECT id, coalesce(nullif(name, ''), nullif(email, ''), id::text) AS name
		FROM persons
		WHERE id = ANY ($1::uuid[])`,
		uuids(inOrder(ids)))
	names := map[uuid.UUID]*string{}
	for _, p := range persons {
		names[p.ID] = &p.Name
	}
	for i, a := range list {
		if a.Person != nil {
			list[i].By = names[*a.Person]
		}
	}
	return translate(ctx, err)
}

// answersOfIssues is what was answered to questions, likewise, by the question.
func (o *Organization) answersOfIssues(ctx context.Context, ids []uuid.UUID) (map[string][]GivenAnswer, error) {
	of := map[string][]GivenAnswer{}
	if len(ids) == 0 {
		return of, nil
	}
	var list []GivenAnswer
	err := o.prepared().SelectContext(ctx, &list, fmt.Sprintf(`
		SELECT u.id::text AS of, a.*
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT %s
		  FROM answers a
		  WHERE a.organization_id = (SELECT $1::uuid)
		    AND (a.hook = u.id::text OR a.issue_id = u.id)
		  ORDER BY a.answered_at DESC, a.id DESC
		  LIMIT %d) a
		ORDER BY a.answered_at, a.id`, givenColumns, mostAnswers), o.ID, uuids(ids))
	if err != nil {
		return nil, translate(ctx, err)
	}
	if err := o.db.nameGivers(ctx, list); err != nil {
		return nil, err
	}
	for _, a := range list {
		of[a.Of] = append(of[a.Of], a)
	}
	return of, nil
}
