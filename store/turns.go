package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

// Turn is the right to process a business for a while. Nobody else has it meanwhile, and who lost it can store nothing.
type Turn struct {
	OrganizationID uuid.UUID
	Number         int64
}

// Waiting is a business in line for its next turn.
type Waiting struct {
	OrganizationID uuid.UUID `db:"organization_id"`
	Turn           int64     `db:"turn"`     // the last one that was taken: who comes for an earlier one comes too late
	Behind         bool      `db:"behind"`   // it had a turn and was not done
	Attempts       int       `db:"attempts"` // how often a relay has sent it
	Again          int       // turns it had since somebody put it in line
}

// AnyTurn is for who comes for a business that nobody knows to be in line.
const AnyTurn int64 = -1

// ErrTurnTaken: somebody else has the business's turn, had the one that was asked for, or took this one over.
var ErrTurnTaken = errors.New("store: the turn is somebody else's")

// turnLease is how long a turn lasts without a sign of life. Each batch that is stored is one.
const turnLease = 10 * time.Second

// TakeTurn takes the next turn of the business after a number, or after any. It does not wait: ErrTurnTaken where
// somebody else has it. ErrNotFound for no business.
func (o *Organization) TakeTurn(ctx context.Context, after int64) (Turn, error) {
	turn := Turn{OrganizationID: o.ID}
	err := o.db.inTxRelaxed(ctx, func(tx *sqlx.Tx) error {
		err := tx.GetContext(ctx, &turn.Number, `
			UPDATE turns t
			SET number = t.number + 1,
			    leased_until = now() + $3 * interval '1 second'
			FROM (
			  SELECT organization_id
			  FROM turns
			  WHERE organization_id = $1
			    AND ($2 < 0 OR number = $2)
			    AND (leased_until IS NULL OR leased_until <= now())
			  FOR NO KEY UPDATE SKIP LOCKED) free
			WHERE t.organization_id = free.organization_id /*spread: AND t.organization_id = $1 */
			RETURNING t.number`,
			o.ID, after, turnLease.Seconds())
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		return tx.GetContext(ctx, &turn.Number, `
			INSERT INTO turns (organization_id, number, leased_until)
			VALUES ($1, 1, now() + $2 * interval '1 second')
			ON CONFLICT ON CONSTRAINT turns_pkey DO NOTHING
			RETURNING number`,
			o.ID, turnLease.Seconds())
	})
	if errors.Is(err, ErrNotFound) {
		return turn, ErrTurnTaken
	}
	if breaks(err, "turns_organization_fkey") {
		return turn, ErrNotFound
	}
	return turn, err
}

// Line is how things stand at the end of a turn.
type Line struct {
	Left   bool `db:"left"`   // the business has events left
	Others bool `db:"others"` // other businesses wait, and nobody works on them
}

// EndTurn gives a turn back. What is left is looked for afterwards: whoever brings more meanwhile either finds the turn
// free, or is seen here.
func (o *Organization) EndTurn(ctx context.Context, turn Turn) (Line, error) {
	var line Line
	err := o.db.inTxRelaxed(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `
			UPDATE turns
			SET leased_until = NULL,
			    failures = 0
			WHERE organization_id = $1
			  AND number = $2`,
			o.ID, turn.Number)
		return err
	})
	if err != nil {
		return line, err
	}
	lines, err := askLiving[Line](ctx, o.db, `
		SELECT EXISTS (
		         SELECT account_id
		         FROM pending_work
		         WHERE organization_id = $1) AS left,
		       EXISTS (
		         SELECT w.account_id
		         FROM pending_work w
		         LEFT JOIN turns t ON t.organization_id = w.organization_id
		         WHERE w.organization_id <> $1
		           AND (t.leased_until IS NULL OR t.leased_until <= now())
		         LIMIT 1) AS others`,
		o.ID)
	for _, on := range slices.Concat(lines...) { // each node
		line.Left, line.Others = line.Left || on.Left, line.Others || on.Others
	}
	return line, err
}

// FailTurn keeps the business from being worked on for a while, longer with every failure; a relay takes it up again.
// What is the database's fault is none of the business: it rests for a second.
func (o *Organization) FailTurn(ctx context.Context, turn Turn, cause error) error {
	return o.db.inTxRelaxed(ctx, func(tx *sqlx.Tx) error {
		_, err := tx.ExecContext(ctx, `
			WITH failed AS (
			  UPDATE turns t
			  SET failures = rests.failures,
			      leased_until = rests.until
			  FROM (
			    SELECT CASE WHEN $3 THEN failures ELSE failures + 1 END AS failures,
			           now() + CASE WHEN $3 THEN 1 ELSE least(power(2, least(failures, 10)), 300) END
			             * interval '1 second' AS until
			    FROM turns
			    WHERE organization_id = $1
			      AND number = $2
			    FOR NO KEY UPDATE) rests
			  WHERE t.organization_id = $1
			  RETURNING t.leased_until)
			UPDATE pending_work w
			SET next_at = f.leased_until
			FROM failed f
			WHERE w.ctid = ANY (ARRAY (
			  SELECT ctid
			  FROM pending_work
			  WHERE organization_id = $1
			  FOR NO KEY UPDATE SKIP LOCKED)) /*spread: AND w.organization_id = $1 */`,
			o.ID, turn.Number, isOutage(cause))
		return err
	})
}

// holdTurn keeps a turn until the end of the transaction, and for a whole lease from when it is asked. It returns how
// many answers the business has given. ErrTurnTaken.
func (o *Organization) holdTurn(ctx context.Context, tx *sqlx.Tx, turn Turn) (answers int64, err error) {
	err = tx.GetContext(ctx, &answers, `
		UPDATE turns
		SET leased_until = statement_timestamp() + $3 * interval '1 second'
		WHERE organization_id = $1
		  AND number = $2
		RETURNING answers`,
		o.ID, turn.Number, turnLease.Seconds())
	if errors.Is(err, sql.ErrNoRows) {
		return 0, ErrTurnTaken
	}
	return answers, err
}

// answered makes stale what was decided without an answer. The transaction is alone with the business.
func (o *Organization) answered(ctx context.Context, tx *sqlx.Tx) error {
	_, err := tx.ExecContext(ctx, `
		UPDATE turns
		SET answers = answers + 1
		WHERE organization_id = $1`,
		o.ID)
	return err
}

// answersGiven counts the answers of the business.
func (o *Organization) answersGiven(ctx context.Context) (n int64, err error) {
	err = o.reader().GetContext(ctx, &n, `
		SELECT coalesce(max(answers), 0)
		FROM turns
		WHERE organization_id = $1`,
		o.ID)
	return n, err
}
