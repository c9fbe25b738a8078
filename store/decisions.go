package store

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/decide"
	"bizfin/internal/questions"
)

// nobodysDay is the last day of counterparties without rows.
var nobodysDay = time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC)

// saveCounterparties creates the ones that are new and moves the others up the list, in the order of their keys. A row
// that is with somebody stays there, whoever its line reads like now: it moves nobody else, and is about another one
// only where it asks about that.
func (o *Organization) saveCounterparties(ctx context.Context, tx *sqlx.Tx, now time.Time,
	decided []decide.Decision) (map[string]uuid.UUID, error) {
	newest, err := o.newestWith(ctx, tx, decided)
	if err != nil {
		return nil, err
	}
	var ids, names, types, relationships, websites, days pq.StringArray
	var confidences pq.Int64Array
	keys := pq.StringArray(slices.Sorted(maps.Keys(newest)))
	for _, key := range keys {
		c := newest[key].Counterparty
		ids = append(ids, newID().String())
		names = append(names, c.Name)
		types = append(types, c.Type)
		relationships = append(relationships, c.Relationship)
		websites = append(websites, c.Website)
		days = append(days, newest[key].Row.PrimaryDate.Format(time.DateOnly))
		confidences = append(confidences, int64(c.Confidence))
	}
	var rows []struct {
		ID  uuid.UUID `db:"id"`
		Key string    `db:"key"`
	}
	err = tx.SelectContext(ctx, &rows, `
		INSERT INTO counterparties AS c (organization_id, id, key, name, type, relationship, website, confidence,
		  last_date, created_at, updated_at)
		SELECT $1, u.id, u.key, u.name, u.type, u.relationship, nullif(u.website, ''), u.confidence, u.day, $2, $2
		FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::integer[], $10::date[])
		  WITH ORDINALITY AS u (id, key, name, type, relationship, website, confidence, day, place)
		ORDER BY u.place
		ON CONFLICT (organization_id, key) WHERE key IS NOT NULL DO UPDATE
		SET last_date = greatest(c.last_date, excluded.last_date),
		    aliases = CASE
		      WHEN excluded.name = c.name OR excluded.name = ANY (c.aliases) OR cardinality(c.aliases) >= 20
		        THEN c.aliases
		      ELSE c.aliases || excluded.name
		    END,
		    updated_at = excluded.updated_at
		RETURNING id, key`,
		o.ID, now, ids, keys, names, types, relationships, websites, confidences, days)
	if err != nil {
		return nil, err
	}
	byKey := make(map[string]uuid.UUID, len(rows))
	for _, row := range rows {
		byKey[row.Key] = row.ID
	}
	return byKey, nil
}

// newestWith are the newest decisions by the key of whom their rows are with.
func (o *Organization) newestWith(ctx context.Context, tx *sqlx.Tx, decided []decide.Decision) (
	map[string]decide.Decision, error) {
	l, err := o.ledgerOf(ctx, tx)
	if err != nil {
		return nil, err
	}
	newest := map[string]decide.Decision{}
	for _, d := range decided {
		if l.before[d.Row.ID].CounterpartyID.Valid {
			if d.Question == nil || d.Question.Key.OfOneRow() {
				continue
			}
			d.Row.PrimaryDate = nobodysDay
		}
		key := d.Counterparty.Key
		if known, ok := newest[key]; key != "" && (!ok || d.Row.PrimaryDate.After(known.Row.PrimaryDate)) {
			newest[key] = d
		}
	}
	return newest, nil
}

// leaveMemories has rows that the bank changed no more follow the memory that they followed before, where their
// decision does not, and takes its words from them. What was said of a row itself stays with it. The revision stays as
// it is for saveDecisions, which follows.
func (o *Organization) leaveMemories(ctx context.Context, tx *sqlx.Tx, decided []decide.Decision) error {
	rows := make([]uuid.UUID, len(decided))
	answers := make([]uuid.UUID, len(decided))
	for i, d := range decided {
		rows[i], answers[i] = d.Row.ID, d.AnswerID
	}
	_, err := o.writeRows(ctx, tx, rows, `
		UPDATE transactions t
		SET context = `+withoutNote("was.note")+`,
		    answer_id = NULL
		FROM (
		  SELECT t.id, a.note
		  FROM unnest($2::uuid[], $3::uuid[]) AS u (id, answer)
		  CROSS JOIN LATERAL (
		    SELECT id, answer_id
		    FROM transactions
		    WHERE organization_id = (SELECT $1::uuid)
		      AND id = u.id
		      AND category_id IS NULL
		      AND answer_id <> u.answer
		    LIMIT 1) t
		  JOIN answers a ON a.organization_id = (SELECT $1::uuid) AND a.id = t.answer_id
		  WHERE `+unanswered+`
		  ORDER BY t.id) was
		WHERE t.organization_id = $1
		  AND t.id = was.id`,
		o.ID, uuids(rows), uuids(answers))
	return err
}

// saveDecisions writes each decision only over the revision it was made for, and no category over one that is there:
// what an upload changed is asked about instead. What is not established is suggested, to rows without a category; so
// is all of a row that was filed without one. What an answer is remembered for, the row follows. errStale where a row
// has another revision.
//
// The rows are looked up one by one and then written where they stand: in a business that grew since the statistics of
// the table were made, a join would read all of its rows for every batch.
func (o *Organization) saveDecisions(ctx context.Context, tx *sqlx.Tx, now time.Time, decided []decide.Decision,
	counterparties map[string]uuid.UUID, groups []questions.Group) error {
	rows := make([]uuid.UUID, len(decided))
	for i, d := range decided {
		rows[i] = d.Row.ID
	}
	columns, err := decisionColumns(decided, counterparties, groups)
	if err != nil {
		return err
	}
	written, err := o.writeRows(ctx, tx, rows, `
		WITH u AS MATERIALIZED (
		  SELECT t.tableoid AS part, t.ctid AS place, u.established AND t.moves AS stands, u.*
		  FROM unnest($3::uuid[], $4::integer[], $5::integer[], $6::text[], $7::integer[], $8::text[], $9::text[],
		    $10::text[], $11::boolean[], $12::text[], $13::boolean[], $14::boolean[], $15::text[], $16::integer[],
		    $17::text[])
		    AS u (id, revision, category, source, confidence, reason, alternatives, merchant, refund, counterparty,
		      attention, established, destination, suggested, answer)
		  CROSS JOIN LATERAL (
		    SELECT tableoid, ctid, filing_state <> 'filed' OR category_id IS NOT NULL AS moves
		    FROM transactions
		    WHERE organization_id = (SELECT $1::uuid)
		      AND id = u.id
		      AND revision = u.revision
		    LIMIT 1) t)
		UPDATE transactions t
		SET category_id = CASE WHEN t.category_id IS NOT NULL THEN t.category_id WHEN u.stands
		      THEN u.category END,
		    category_source = CASE WHEN t.category_id IS NOT NULL THEN t.category_source WHEN u.stands
		      THEN u.source END,
		    category_confidence = CASE WHEN t.category_id IS NOT NULL THEN t.category_confidence
		      WHEN u.stands THEN u.confidence END,
		    category_reason = CASE WHEN t.category_id IS NOT NULL THEN t.category_reason WHEN u.stands
		      THEN u.reason END,
		    answer_id = CASE WHEN t.category_id IS NULL THEN coalesce(nullif(u.answer, '')::uuid, t.answer_id)
		      ELSE t.answer_id END,
		    suggested_id = CASE WHEN NOT u.stands THEN u.suggested END,
		    suggested_confidence = CASE WHEN NOT u.stands THEN u.confidence END,
		    suggested_reason = CASE WHEN NOT u.stands THEN u.reason END,
		    destination = nullif(u.destination, ''),
		    alternatives = u.alternatives::jsonb,
		    merchant = nullif(u.merchant, ''),
		    counterparty_id = coalesce(t.counterparty_id, nullif(u.counterparty, '')::uuid),
		    is_refund = u.refund,
		    needs_attention = t.needs_attention OR u.attention,
		    processing = 'processed',
		    revision = t.revision + 1,
		    updated_at = $2
		FROM u
		WHERE t.ctid = u.place
		  AND t.tableoid = u.part -- of a table in partitions each has such a place
		  /*spread: AND t.organization_id = $1 */`,
		append([]any{o.ID, now, uuids(rows)}, columns...)...)
	if err == nil && written != int64(len(decided)) {
		err = errStale
	}
	return err
}

// decisionColumns are what saveDecisions writes, from the revision on, in the order in which it names them.
func decisionColumns(decided []decide.Decision, counterparties map[string]uuid.UUID,
	groups []questions.Group) ([]any, error) {
	asked := map[uuid.UUID]bool{}
	for _, g := range groups {
		for _, row := range g.Rows {
			asked[row.Transaction] = true
		}
	}
	var sources, reasons, merchants, others, considered, destinations, answers pq.StringArray
	var revisions, categories, suggested, confidences pq.Int64Array
	var refunds, attention, established pq.BoolArray
	for _, d := range decided {
		text, err := json.Marshal(storedAlternatives(d.Alternatives))
		if err != nil {
			return nil, fmt.Errorf("store: alternatives: %w", err)
		}
		other, answer := "", ""
		if d.AnswerID != uuid.Nil {
			answer = uuid.UUID(d.AnswerID).String()
		}
		if id, ok := counterparties[d.Counterparty.Key]; ok {
			other = id.String()
		}
		revisions = append(revisions, int64(d.Row.Revision))
		categories = append(categories, int64(d.CategoryID))
		suggested = append(suggested, int64(d.Suggestion()))
		sources = append(sources, d.Source)
		confidences = append(confidences, int64(d.Confidence))
		reasons = append(reasons, d.Reason)
		considered = append(considered, string(text))
		merchants = append(merchants, d.Merchant)
		refunds = append(refunds, d.Refund)
		attention = append(attention, asked[d.Row.ID] && !d.Question.Kept)
		established = append(established, d.Established)
		destinations = append(destinations, d.Destination)
		others, answers = append(others, other), append(answers, answer)
	}
	return []any{revisions, categories, sources, confidences, reasons, considered, merchants, refunds, others,
		attention, established, destinations, suggested, answers}, nil
}
