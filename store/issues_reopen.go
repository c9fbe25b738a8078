package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/decide"
	"bizfin/internal/questions"
)

// lockTaken locks the questions that closed by themselves and that decided rows open again by their ids, and adds them
// to the open ones: those of their topics, and of what each is asked about alone by where theirs came apart. These are
// looked for once theirs is known: of one that did not come apart nobody is asked about alone.
func (o *Organization) lockTaken(ctx context.Context, tx *sqlx.Tx, decided []decide.Decision,
	open map[questions.Topic]questions.Open) error {
	var wide, narrow []taken
	for _, d := range decided {
		if d.Question != nil && !d.Question.Key.OfOneRow() {
			wide = append(wide, taken{d.Row.ID, d.Ask().Topic(), d.Question.Text})
		}
	}
	if err := o.lockTakenFrom(ctx, tx, wide, open); err != nil {
		return err
	}
	for _, d := range decided {
		if d.Question == nil || d.Question.Narrow == nil || d.Question.Narrow.Key.OfOneRow() {
			continue
		}
		ask := d.Ask()
		if of, is := open[ask.Topic()]; !is || of.Apart {
			ask.Question = ask.Question.Narrow
			narrow = append(narrow, taken{d.Row.ID, ask.Topic(), ask.Question.Text})
		}
	}
	return o.lockTakenFrom(ctx, tx, narrow, open)
}

// taken is a row that is asked about again, and what it is asked about by.
type taken struct {
	row   uuid.UUID
	topic questions.Topic
	text  string
}

// lockTakenFrom locks the questions that closed by themselves when answers to standing hooks, or to the questions about
// each of whom one about a family was about, took rows out of them that are asked about again: they were taken back
// since. So are those that asked the same and that somebody answered before they closed, as another answer changed what
// their rows read. Where none like it is open, the rows open the first again: by its id, with its history, and some of
// them alone would not show that they are of a family.
func (o *Organization) lockTakenFrom(ctx context.Context, tx *sqlx.Tx, from []taken,
	open map[questions.Topic]questions.Open) error {
	var rows []uuid.UUID
	var keys, texts pq.StringArray
	var incoming pq.BoolArray
	for _, t := range from {
		if _, is := open[t.topic]; !is {
			rows, keys = append(rows, t.row), append(keys, t.topic.Key)
			incoming, texts = append(incoming, t.topic.Incoming), append(texts, t.text)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	var closed []lockedQuestion
	err := tx.SelectContext(ctx, &closed, `
		SELECT id, group_key, incoming, impact_currency, coalesce(options #>> '{0,value}', '') AS guess, apart,
		       `+tried+` AS tried
		FROM outstanding_issues
		WHERE organization_id = $1
		  AND id = ANY (ARRAY (
		    SELECT i.id
		    FROM unnest($2::uuid[], $3::text[], $4::boolean[]) AS u (id, group_key, incoming)
		    CROSS JOIN LATERAL (
		      SELECT answer_id
		      FROM answer_rows
		      WHERE organization_id = (SELECT $1::uuid)
		        AND transaction_id = u.id
		      OFFSET 0) r
		    JOIN answers a ON a.organization_id = (SELECT $1::uuid) AND a.id = r.answer_id
		    JOIN outstanding_issues i ON i.organization_id = a.organization_id AND i.group_key = u.group_key
		      AND i.incoming = u.incoming
		    WHERE (a.hook IS DISTINCT FROM a.issue_id::text OR i.apart)
		      AND a.replaced_at IS NOT NULL
		      AND i.status = 'closed'
		      AND a.answered_at BETWEEN i.created_at AND i.ended_at
		    UNION
		    SELECT i.id
		    FROM (
		      SELECT DISTINCT *
		      FROM unnest($3::text[], $4::boolean[], $5::text[])) AS u (group_key, incoming, question)
		    JOIN answers a ON a.organization_id = (SELECT $1::uuid) AND a.group_key = u.group_key
		      AND a.incoming = u.incoming
		    JOIN outstanding_issues i ON i.organization_id = a.organization_id AND i.id = a.issue_id
		      AND i.group_key = u.group_key AND i.incoming = u.incoming AND i.question = u.question
		    WHERE i.status = 'closed'
		      AND a.answered_at BETWEEN i.created_at AND i.ended_at))
		  AND status = 'closed'
		ORDER BY id
		FOR NO KEY UPDATE`,
		o.ID, uuids(rows), keys, incoming, texts)
	for topic, q := range byTopic(closed) {
		q.Closed = true
		open[topic] = q
	}
	return err
}

// openTaken opens the questions again that closed and that groups join.
func (o *Organization) openTaken(ctx context.Context, tx *sqlx.Tx, groups []questions.Group,
	open map[questions.Topic]questions.Open) error {
	var ids, about []uuid.UUID
	for _, g := range groups {
		if q := open[g.Topic]; q.Closed {
			ids, about = append(ids, q.ID), append(about, g.First)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues i
		SET status = 'open',
		    ended_at = NULL,
		    object_id = CASE WHEN i.object_type = 'transaction' THEN u.about::text ELSE i.object_id END
		FROM unnest($2::uuid[], $3::uuid[]) AS u (id, about)
		WHERE i.organization_id = $1
		  AND i.id = u.id`,
		o.ID, uuids(ids), uuids(about))
	return err
}
