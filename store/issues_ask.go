package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/questions"
)

// askAnew opens a question for each group, or adds its rows to the open one. The decisions have marked the rows as
// asked about; rows that were asked about before leave the questions about what they were understood as then.
func (o *Organization) askAnew(ctx context.Context, tx *sqlx.Tx, now time.Time, decided []decide.Decision,
	groups []questions.Group, counterparties map[string]uuid.UUID) error {
	var before []uuid.UUID
	for _, d := range decided {
		if d.Row.NeedsAttention { // what was asked of a changed line is over, or is asked again
			before = append(before, d.Row.ID)
		}
	}
	in, err := o.questionsOf(ctx, tx, before)
	if err != nil {
		return err
	}
	left, err := o.unask(ctx, tx, before, aboutCategory)
	if err != nil {
		return err
	}
	if err := o.closeQuestions(ctx, tx, now, before, anyKind); err != nil {
		return err
	}
	issues, err := o.openOrJoin(ctx, tx, now, groups, counterparties)
	if err != nil {
		return err
	}
	numbers, err := o.numbersGiven(ctx, tx, groups, issues)
	if err != nil {
		return err
	}
	var asked []askedRow
	var mixed []uuid.UUID // whose rows in their currency left since the groups were weighed by it
	for _, g := range groups {
		q := issues[g.Topic]
		if q.Currency != g.Currency {
			mixed = append(mixed, q.ID)
		}
		asked = append(asked, q.number(g.Rows, numbers)...)
	}
	for i := range left {
		left[i].rejoined(asked, in)
	}
	if err := o.takeBackNumbers(ctx, tx, numbers); err != nil {
		return err
	}
	if err := o.comeForward(ctx, tx, grown(asked, in), issues); err != nil {
		return err
	}
	if err := o.saveAsked(ctx, tx, asked); err != nil {
		return err
	}
	if err := o.settleAttention(ctx, tx, now, before); err != nil {
		return err
	}
	if err := o.noteAnswers(ctx, tx, now, decided); err != nil {
		return err
	}
	if err := o.discount(ctx, tx, now, left); err != nil {
		return err
	}
	if err := o.recount(ctx, tx, now, mixed); err != nil {
		return err
	}
	if err := o.reword(ctx, tx, groups, issues); err != nil {
		return err
	}
	return o.weighChanged(ctx, tx, before)
}

// rejoined notes which of the rows that left have joined the question again, among all that are asked about.
func (l *leaving) rejoined(asked []askedRow, in map[askedOf]bool) {
	var stayed int64
	for _, a := range asked {
		if a.issue != l.Issue {
			continue
		}
		l.Asked, l.AskedWorth = l.Asked+1, l.AskedWorth.Plus(a.worth)
		if in[askedOf{a.issue, a.transaction}] {
			stayed++
			l.Again, l.AgainWorth = l.Again.Plus(money.TotalOf(a.amount)), l.AgainWorth.Plus(a.worth)
		}
	}
	l.Back = stayed == l.Transactions
}

// grown is how many rows are new in each question.
func grown(asked []askedRow, in map[askedOf]bool) map[uuid.UUID]int64 {
	rows := map[uuid.UUID]int64{}
	for _, a := range asked {
		if !in[askedOf{a.issue, a.transaction}] {
			rows[a.issue]++
		}
	}
	return rows
}

// comeForward has questions that nobody knew the answer of asked in their turn again where rows are new there; one that
// came apart stays last.
func (o *Organization) comeForward(ctx context.Context, tx *sqlx.Tx, grown map[uuid.UUID]int64,
	issues map[questions.Topic]numberedQuestion) error {
	var ids []uuid.UUID
	for _, q := range issues {
		if q.Last && grown[q.ID] > 0 {
			ids = append(ids, q.ID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues
		SET skipped = false
		WHERE organization_id = $1
		  AND id = ANY ($2::uuid[])`,
		o.ID, uuids(ids))
	return err
}

// weighChanged has the questions whether a row is still what it was say what the row is about now. Each is about one
// row, and what was asked about this row alone has joined it. Nobody answers them meanwhile: who does is alone with the
// business.
func (o *Organization) weighChanged(ctx context.Context, tx *sqlx.Tx, transactions []uuid.UUID) error {
	if len(transactions) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		WITH asked AS (
		  SELECT t.id, t.amount, t.currency, it.issue_id
		  FROM unnest($2::uuid[]) AS u (id)
		  CROSS JOIN LATERAL (
		    SELECT id, abs(amount) AS amount, currency
		    FROM transactions
		    WHERE organization_id = (SELECT $1::uuid)
		      AND id = u.id
		    LIMIT 1) t
		  CROSS JOIN LATERAL (
		    SELECT i.id AS issue_id
		    FROM issue_transactions it
		    JOIN outstanding_issues i ON i.organization_id = it.organization_id AND i.id = it.issue_id
		    WHERE it.organization_id = (SELECT $1::uuid)
		      AND it.transaction_id = t.id
		      AND i.kind = $3
		      AND i.status = 'open') it),
		weighed AS (
		  UPDATE issue_transactions it
		  SET amount = a.amount
		  FROM asked a
		  WHERE it.organization_id = $1
		    AND it.transaction_id = a.id
		    AND it.issue_id = a.issue_id)
		UPDATE outstanding_issues i
		SET impact_amount = a.amount,
		    worth = a.amount,
		    impact_currency = a.currency,
		    transaction_count = 1
		FROM asked a
		WHERE i.organization_id = $1
		  AND i.id = a.issue_id`,
		o.ID, uuids(transactions), questions.KindChanged)
	return err
}

// noteAnswers gives rows that are not asked about, since that was answered in words before, these words as context.
func (o *Organization) noteAnswers(ctx context.Context, tx *sqlx.Tx, now time.Time, decided []decide.Decision) error {
	var rows []uuid.UUID
	var ids, notes pq.StringArray
	for _, d := range decided {
		if d.Note != "" {
			rows = append(rows, d.Row.ID)
			ids, notes = append(ids, d.Row.ID.String()), append(notes, d.Note)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := o.writeRows(ctx, tx, rows, `
		UPDATE transactions t
		SET context = with_line(t.context, u.note),
		    revision = t.revision + 1,
		    updated_at = $2
		FROM unnest($3::uuid[], $4::text[]) AS u (id, note)
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = u.id
		  AND array_position(string_to_array(t.context, E'\n'), u.note) IS NULL`,
		o.ID, now, ids, notes)
	return err
}

// saveAsked makes rows those of their questions.
func (o *Organization) saveAsked(ctx context.Context, tx *sqlx.Tx, asked []askedRow) error {
	if len(asked) == 0 {
		return nil
	}
	var issues, transactions []uuid.UUID
	var amounts, numbers pq.Int64Array
	for _, a := range asked {
		issues, transactions = append(issues, a.issue), append(transactions, a.transaction)
		amounts, numbers = append(amounts, int64(a.amount)), append(numbers, int64(a.n))
	}
	_, err := tx.ExecContext(ctx, `
		INSERT INTO issue_transactions (organization_id, transaction_id, issue_id, amount, n)
		SELECT $1, u.id, u.issue, u.amount, u.n
		FROM unnest($2::uuid[], $3::uuid[], $4::bigint[], $5::integer[]) AS u (issue, id, amount, n)
		ON CONFLICT DO NOTHING`,
		o.ID, uuids(issues), uuids(transactions), amounts, numbers)
	return err
}

// openOrJoin opens the questions of groups that have none, and adds to the others. It returns them by group. One worker
// of a business does this at a time.
func (o *Organization) openOrJoin(ctx context.Context, tx *sqlx.Tx, now time.Time, groups []questions.Group,
	counterparties map[string]uuid.UUID) (map[questions.Topic]numberedQuestion, error) {
	if len(groups) == 0 {
		return nil, nil
	}
	var ids, objectTypes, objects, kinds, texts, reasons, currencies, options, keys, families pq.StringArray
	var impacts, worths []money.Total
	var counts pq.Int64Array
	var incoming pq.BoolArray
	for _, g := range groups {
		choices, err := json.Marshal(g.Question.Options)
		if err != nil {
			return nil, fmt.Errorf("store: options: %w", err)
		}
		objectType, objectID := "company", o.ID.String()
		id, ok := counterparties[g.Counterparty.Key]
		switch {
		case g.Question.Key.OfCompany():
		case ok && !g.Question.Key.OfOneRow():
			objectType, objectID = "counterparty", id.String()
		default:
			objectType, objectID = "transaction", g.First.String()
		}
		ids = append(ids, newID().String())
		objectTypes, objects = append(objectTypes, objectType), append(objects, objectID)
		kinds, texts, reasons = append(kinds, g.Question.Kind), append(texts, g.Question.Text), append(reasons,
			g.Question.Why)
		impacts, currencies, worths = append(impacts, g.Amount), append(currencies, g.Currency), append(worths, g.Worth)
		counts = append(counts, int64(len(g.Rows)))
		options = append(options, string(choices))
		keys, incoming = append(keys, g.Key), append(incoming, g.Incoming)
		families = append(families, g.Family.String())
	}
	var rows []struct {
		numberedQuestion
		Key      string `db:"group_key"`
		Incoming bool   `db:"incoming"`
	}
	err := tx.SelectContext(ctx, &rows, `
		INSERT INTO outstanding_issues AS i (organization_id, id, object_type, object_id, kind, question, why,
		  impact_amount,
		  impact_currency, transaction_count, options, allows_free_text, created_at, group_key, incoming, worth,
		  numbered, family)
		SELECT $1::uuid, u.id, u.object_type, u.object_id, u.kind, u.question, u.why, u.impact, u.currency,
		       u.transactions, u.options, true, $2::timestamptz,
		       u.group_key, u.incoming, u.worth, u.transactions, nullif(u.family, '')
		FROM unnest($3::uuid[], $4::text[], $5::text[], $6::text[], $7::text[], $8::numeric[], $9::text[],
		  $10::bigint[], $11::jsonb[],
		  $12::text[], $13::boolean[], $14::text[], $15::numeric[], $16::text[]) WITH ORDINALITY
		  AS u (id, object_type, object_id, kind, question, impact, currency, transactions, options, group_key,
		    incoming, why, worth, family, place)
		ORDER BY u.place
		ON CONFLICT (organization_id, group_key, incoming) WHERE status = 'open' AND group_key IS NOT NULL DO UPDATE
		SET object_id = CASE WHEN i.object_type = 'transaction' AND excluded.object_type = 'transaction'
		      THEN least(i.object_id::uuid, excluded.object_id::uuid)::text ELSE i.object_id END,
		    impact_amount = i.impact_amount + excluded.impact_amount,
		    transaction_count = i.transaction_count + excluded.transaction_count,
		    worth = i.worth + excluded.worth,
		    numbered = i.numbered + excluded.numbered,
		    family = coalesce(i.family, excluded.family)
		RETURNING id, group_key, incoming, impact_currency, numbered, skipped AND NOT apart AS last`,
		o.ID, now, ids, objectTypes, objects, kinds, texts, pq.Array(impacts), currencies, counts, options, keys,
		incoming, reasons, pq.Array(worths), families)
	if err != nil {
		return nil, err
	}
	issues := make(map[questions.Topic]numberedQuestion, len(rows))
	for _, row := range rows {
		issues[questions.Topic{Key: row.Key, Incoming: row.Incoming}] = row.numberedQuestion
	}
	return issues, nil
}

// reword gives questions that were open the words that fit since rows joined them and others left: those about lines
// speak of the first, or of the one that is left, or where that is one no more of those that joined it, and those about
// a year say that it is asked again.
func (o *Organization) reword(ctx context.Context, tx *sqlx.Tx, groups []questions.Group,
	issues map[questions.Topic]numberedQuestion) error {
	var ids, firsts []uuid.UUID
	var texts, ofOne, reasons []*string
	var rows pq.Int64Array
	for _, g := range groups {
		reworded := g.Question.Key.OfLines() || g.Question.OfOne != ""
		if !reworded && !g.Question.Lapsed {
			continue
		}
		var text, one, why *string
		if reworded {
			text = &g.Question.Text
		}
		if g.Question.OfOne != "" {
			one = &g.Question.OfOne
		}
		if g.Question.Lapsed {
			why = &g.Question.Why
		}
		ids, firsts, texts = append(ids, issues[g.Topic].ID), append(firsts, g.First), append(texts, text)
		ofOne, reasons, rows = append(ofOne, one), append(reasons, why), append(rows, int64(len(g.Rows)))
	}
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.ExecContext(ctx, `
		UPDATE outstanding_issues i
		SET question = coalesce(CASE WHEN i.transaction_count = 1 THEN u.of_one END,
		      CASE WHEN i.object_id = u.first OR i.transaction_count = u.rows + 1 THEN u.question END, i.question),
		    why = coalesce(u.why, i.why)
		FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[])
		  AS u (id, question, of_one, why, first, rows)
		WHERE i.organization_id = $1
		  AND i.id = u.id`,
		o.ID, uuids(ids), pq.Array(texts), pq.Array(ofOne), pq.Array(reasons), uuids(firsts), rows)
	return err
}
