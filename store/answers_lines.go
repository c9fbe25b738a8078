package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/answers"
	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/split"
)

// mostNamed are up to how many rows of a question an answer can name.
const mostNamed = 2000

// AskedLines are the rows of a question as an answer can name them, with those that the answer to it left; none for a
// standing hook.
func (o *Organization) AskedLines(ctx context.Context, hook Hook) ([]answers.AskedLine, error) {
	var rows []struct {
		N            int          `db:"n"`
		Transaction  uuid.UUID    `db:"id"`
		Amount       money.Amount `db:"amount"`
		Currency     string       `db:"currency"`
		Description  string       `db:"description"`
		Counterparty string       `db:"name"`
		Reads        int          `db:"reads"`
		Date         time.Time    `db:"primary_date"`
		By           uuid.UUID    `db:"by"` // the answer to the question that it only seems to be something by
	}
	err := o.reader().SelectContext(ctx, &rows, `
		SELECT coalesce(it.n, 0) AS n, t.id, t.amount, t.currency, t.description, coalesce(c.name, '') AS name,
		       coalesce(t.suggested_id, 0) AS reads, t.primary_date,
		       coalesce(CASE WHEN t.category_id IS NULL THEN (
		         SELECT id
		         FROM answers
		         WHERE organization_id = $1
		           AND id = t.answer_id
		           AND issue_id = $2
		           AND replaced_at IS NULL) END, '00000000-0000-0000-0000-000000000000') AS by
		FROM (
		  SELECT transaction_id, n
		  FROM issue_transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND issue_id = $2
		  UNION
		  SELECT it.transaction_id, it.n
		  FROM `+leftWaiting+`
		  UNION
		  SELECT gone.transaction_id, gone.n
		  FROM `+wentElsewhere+`
		  ORDER BY n
		  LIMIT $3) it
		CROSS JOIN LATERAL (
		  SELECT id, amount, currency, description, counterparty_id, category_id, suggested_id, answer_id,
		         primary_date
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = it.transaction_id
		    AND deleted_at IS NULL
		  LIMIT 1) t
		LEFT JOIN counterparties c ON c.organization_id = $1 AND c.id = t.counterparty_id
		ORDER BY it.n, t.id`,
		o.ID, hook.Issue, mostNamed)
	if err != nil {
		return nil, translate(ctx, err)
	}
	lines := make([]answers.AskedLine, len(rows))
	seem := map[uuid.UUID][]uuid.UUID{}
	for i, r := range rows {
		lines[i] = answers.AskedLine{N: r.N, Transaction: r.Transaction, Amount: r.Amount, Currency: r.Currency,
			Description: r.Description, Counterparty: r.Counterparty, Reads: r.Reads, Date: r.Date}
		if r.By != uuid.Nil {
			seem[r.By] = append(seem[r.By], r.Transaction)
		}
	}
	for answer, of := range seem {
		if err := o.readWithout(ctx, lines, answer, of); err != nil {
			return nil, translate(ctx, err)
		}
	}
	return lines, nil
}

// HookedRows are the newest rows of a standing hook, by which it is known whether words are about others; none for a
// question.
func (o *Organization) HookedRows(ctx context.Context, hook Hook) (rows []answers.AskedLine, err error) {
	of, args := `t.id = $2`, []any{o.ID, hook.Transaction, mostNamed}
	switch {
	case hook.Counterparty != uuid.Nil:
		of, args = `t.counterparty_id = $2
		  AND (t.amount > 0) = $4`, []any{o.ID, hook.Counterparty, mostNamed, hook.Incoming}
	case hook.Transaction == uuid.Nil:
		return nil, nil
	}
	var found []struct {
		ID           uuid.UUID    `db:"id"`
		Amount       money.Amount `db:"amount"`
		Currency     string       `db:"currency"`
		Description  string       `db:"description"`
		Counterparty string       `db:"name"`
		Date         time.Time    `db:"primary_date"`
	}
	err = o.reader().SelectContext(ctx, &found, `
		SELECT t.id, t.amount, t.currency, t.description, coalesce(c.name, '') AS name, t.primary_date
		FROM transactions t
		LEFT JOIN counterparties c ON c.organization_id = t.organization_id AND c.id = t.counterparty_id
		WHERE t.organization_id = $1
		  AND t.deleted_at IS NULL
		  AND `+of+`
		ORDER BY t.primary_date DESC, t.id DESC
		LIMIT $3`, args...)
	for i, r := range found {
		rows = append(rows, answers.AskedLine{N: i + 1, Transaction: r.ID, Amount: r.Amount, Currency: r.Currency,
			Description: r.Description, Counterparty: r.Counterparty, Date: r.Date})
	}
	return rows, translate(ctx, err)
}

// readWithout has lines read what their rows read without an answer to their question, by which these seem to be
// something: an answer in place of it is as if it had never been given.
func (o *Organization) readWithout(ctx context.Context, lines []answers.AskedLine, answer uuid.UUID,
	of []uuid.UUID) error {
	var rows []decide.Row
	err := o.reader().SelectContext(ctx, &rows, `
		SELECT `+rowColumns+`
		FROM transactions t
		JOIN accounts a ON a.organization_id = $1 AND a.id = t.account_id
		WHERE t.organization_id = $1
		  AND t.id = ANY ($2::uuid[])`,
		o.ID, uuids(of))
	if err != nil {
		return err
	}
	answers, err := o.remembered(ctx)
	if err != nil {
		return err
	}
	reads := make(map[uuid.UUID]int, len(rows))
	for _, d := range decide.New().Decide(rows, questions.Remember(answers).Without(answer)) {
		reads[d.Row.ID] = d.Suggestion()
	}
	for i, l := range lines {
		if category, is := reads[l.Transaction]; is {
			lines[i].Reads = category
		}
	}
	return nil
}

// AnsweredSo reports whether the answer of a hook was given in the same words and holds for all of its rows, and its
// outcome.
func (o *Organization) AnsweredSo(ctx context.Context, hook Hook, words string) (status string, again bool, err error) {
	err = o.reader().GetContext(ctx, &status, `
		SELECT status
		FROM answers a
		WHERE organization_id = $1
		  AND hook = $2
		  AND replaced_at IS NULL
		  AND status IN ('accepted', 'partly')
		  AND selected_option IS NULL
		  AND answer = $3
		  AND NOT `+lapsed+`
		  AND NOT EXISTS (`+lostRows+`)
		LIMIT 1`,
		o.ID, hook.String(), words)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return status, err == nil, translate(ctx, err)
}

// split tells the rows of a target apart: those that an answer says something of, with what it says of each that is an
// exception, and those that it leaves open.
func (t target) split(a Answer) (said []uuid.UUID, exceptions map[uuid.UUID]int, open []uuid.UUID) {
	exceptions = map[uuid.UUID]int{}
	for _, e := range a.Exceptions {
		for _, row := range e.Transactions {
			exceptions[row] = e.CategoryID
		}
	}
	for _, row := range t.rows {
		if category, named := exceptions[row]; named && category == 0 || !named && a.Partial {
			open = append(open, row)
			continue
		}
		said = append(said, row)
	}
	return said, exceptions, open
}

// divided are the rows of a target that an answer divides in one of its ways.
func (t target) divided(a Answer, way int) []uuid.UUID {
	said, exceptions, _ := t.split(a)
	return slices.DeleteFunc(said, func(row uuid.UUID) bool {
		return cmp.Or(exceptions[row], a.CategoryID) != -way
	})
}

// unseen are the rows of a question, open or answered before, that an answer does not speak for, as they were not
// shown: of what a person looked through whole, and of the sums of a year, none.
func (o *Organization) unseen(ctx context.Context, tx *sqlx.Tx, t target, a Answer,
	exceptions map[uuid.UUID]int) (rows []uuid.UUID, err error) {
	if t.Issue == uuid.Nil || t.question.Kind != questions.KindCategory || t.question.GroupKey == nil ||
		len(t.rows) <= mostLines || a.CategoryID == 0 || a.Splits.yearly() {
		return nil, nil
	}
	issue := []Issue{t.question.Issue}
	if err := o.addLines(ctx, tx, issue); err != nil {
		return nil, err
	}
	shown := map[uuid.UUID]bool{}
	for _, l := range issue[0].Lines {
		shown[l.Transaction] = true
	}
	var asked []questions.AskedRow
	err = tx.SelectContext(ctx, &asked, `
		SELECT t.id, coalesce(t.counterparty_id::text, '') AS party, t.amount
		FROM unnest($2::uuid[]) AS u (id)
		CROSS JOIN LATERAL (
		  SELECT id, counterparty_id, amount
		  FROM transactions
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = u.id
		    AND filing_state <> 'filed'
		  LIMIT 1) t`,
		o.ID, uuids(t.rows))
	for i, r := range asked {
		category, named := exceptions[r.Transaction]
		asked[i].Shown, asked[i].Apart = shown[r.Transaction], named && category != a.CategoryID
	}
	return questions.Unseen(questions.ParseKey(*t.question.GroupKey), asked), err
}

// leaveUnseen has rows of an answered question asked about again that the answer does not speak for; they seem to be
// what it says of most.
func (o *Organization) leaveUnseen(ctx context.Context, tx *sqlx.Tx, now time.Time, question, answer uuid.UUID,
	about questions.Key, rows []uuid.UUID, a Answer) error {
	left, err := o.leaveOpen(ctx, tx, now, question, rows, false, questions.WhyUnseen, "")
	if err != nil || len(rows) == 0 || a.CategoryID == split.Category {
		return err
	}
	_, err = tx.ExecContext(ctx, `
		UPDATE outstanding_issues
		SET worth = least(worth, round(impact_amount * $3 / 20000)) -- half of what is in doubt changes the profit
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, left, 10_000-int(decide.Alike))
	if err != nil {
		return err
	}
	return o.suggestUnseen(ctx, tx, now, answer, about, rows, a)
}

// suggestUnseen has rows that an answer does not speak for seem to be what it says of most: they follow it.
func (o *Organization) suggestUnseen(ctx context.Context, tx *sqlx.Tx, now time.Time, answer uuid.UUID,
	about questions.Key, rows []uuid.UUID, a Answer) error {
	said, ok := ontology.ScheduleC().ByID(a.CategoryID)
	if !ok || a.CategoryID == split.Category {
		return nil
	}
	var otherwise *int // what a row seems to be that reads something else; that, where it is nil
	if seems := about.Seems(said, nil); seems != nil {
		otherwise = &seems.ID
	}
	_, err := o.writeRows(ctx, tx, rows, `
		UPDATE transactions t
		SET suggested_id = CASE WHEN t.suggested_id = $4 THEN $4 ELSE coalesce($8, t.suggested_id) END,
		    suggested_confidence = $5,
		    suggested_reason = $6,
		    answer_id = $7,
		    revision = t.revision + 1,
		    updated_at = $3
		WHERE t.organization_id = $1
		  AND t.id = ANY ($2::uuid[])
		  AND t.category_id IS NULL`,
		o.ID, uuids(rows), now, a.CategoryID, decide.Alike, decide.AlikeAnswered, answer, otherwise)
	return err
}

// leaveOpen has rows of an answered question that the answer said nothing of asked about by a new one like it, or by
// the one that asks about what an answer before it left; last, where nobody knows what they are, and returns that one.
// An empty why is the question's.
func (o *Organization) leaveOpen(ctx context.Context, tx *sqlx.Tx, now time.Time, question uuid.UUID,
	rows []uuid.UUID, unknown bool, why, missed string) (id uuid.UUID, err error) {
	if len(rows) == 0 {
		return id, nil
	}
	rest, err := o.restOf(ctx, tx, question)
	if err != nil {
		return id, err
	}
	if rest != nil {
		id = rest.ID
	} else if id, err = o.openLike(ctx, tx, now, question, unknown, why, missed); err != nil {
		return id, err
	}
	if err := o.handOver(ctx, tx, question, id, rows); err != nil {
		return id, err
	}
	return id, o.recount(ctx, tx, now, []uuid.UUID{id})
}

// openLike opens a question like another one; an empty why is that one's, without what an answer before this missed.
// What its rows make of it is to be counted.
func (o *Organization) openLike(ctx context.Context, tx *sqlx.Tx, now time.Time, question uuid.UUID, unknown bool,
	why, missed string) (uuid.UUID, error) {
	id := newID()
	_, err := tx.ExecContext(ctx, `
		INSERT INTO outstanding_issues (organization_id, id, object_type, object_id, kind, question, why, impact_amount,
		  impact_currency, transaction_count, options, allows_free_text, created_at, group_key, incoming, worth,
		  skipped, numbered)
		SELECT organization_id, $3, object_type, object_id, kind, question,
		       ltrim(coalesce(nullif($6, ''), split_part(' ' || why, $7, 1)) || $8), impact_amount, impact_currency,
		       transaction_count, options, allows_free_text, $4, group_key, incoming, worth, $5, numbered
		FROM outstanding_issues
		WHERE organization_id = $1
		  AND id = $2`,
		o.ID, question, id, now, unknown, why, answers.NotUnderstood, missed)
	return id, err
}

// restOf is the open question about what the answers to a question left, if there is one: any other of its group.
func (o *Organization) restOf(ctx context.Context, tx *sqlx.Tx, question uuid.UUID) (*askedIssue, error) {
	return o.questionWhere(ctx, tx, `status = 'open'
		AND id <> $2
		AND object_type <> 'company'
		AND (group_key, incoming) = (
		  SELECT group_key, incoming
		  FROM outstanding_issues
		  WHERE organization_id = (SELECT $1::uuid)
		    AND id = $2)`, question)
}
