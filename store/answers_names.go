package store

import (
	"context"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"

	"bizfin/internal/decide"
	"bizfin/internal/questions"
)

// rememberingByName is remembering of rows that were decided before their answer was noted with them; no row comes to
// these, and whatever is decided anew goes. They are found by whom the answer is about; also those whose direction the
// bank changed since, and those that stayed with somebody though their line names another now, as the bank corrected it
// or as two became one: of these, all of the answer's category, as the name that memory knew them by is not kept.
func (o *Organization) rememberingByName(ctx context.Context, tx *sqlx.Tx, answer uuid.UUID,
	which string) ([]rowAt, error) {
	var rows []rowAt
	err := tx.SelectContext(ctx, &rows, `
		WITH RECURSIVE meant (id, key) AS ( -- whom a memory is about, and whom that one became
		  SELECT id, counterparty_key
		  FROM business_answers
		  WHERE organization_id = $1
		    AND answer_id = $2
		  UNION
		  SELECT m.id, b.same_as
		  FROM meant m
		  JOIN business_answers b ON b.organization_id = $1 AND b.counterparty_key = m.key
		  WHERE b.same_as IS NOT NULL)
		SELECT DISTINCT t.id, t.account_id, t.currency, t.primary_date
		FROM business_answers b
		JOIN transactions t ON t.organization_id = b.organization_id
		LEFT JOIN counterparties c ON c.organization_id = t.organization_id AND c.id = t.counterparty_id
		WHERE b.organization_id = $1
		  AND b.answer_id = $2
		  AND t.deleted_at IS NULL
		  AND t.answer_id IS NULL
		  AND ((t.amount > 0) = b.incoming
		    OR starts_with(b.counterparty_key, $9) -- it is about both
		    OR t.category_source = 'memory' AND NOT EXISTS ( -- an answer about the other direction
		      SELECT
		      FROM business_answers other
		      WHERE other.organization_id = $1
		        AND other.counterparty_key = b.counterparty_key
		        AND other.incoming <> b.incoming))
		  AND (t.category_source = 'memory' OR t.category_id IS NULL AND t.suggested_id IS NOT NULL
		    OR b.note <> '' AND strpos(coalesce(t.context, ''), b.note) > 0)
		  AND (c.key IN (SELECT key FROM meant WHERE id = b.id)
		    OR b.category_id IN (t.category_id, t.suggested_id)
		      AND (t.needs_attention AND t.category_source = 'memory' OR t.merchant IS DISTINCT FROM c.name
		        AND strpos(' ' || upper(t.description) || ' ', ' ' || upper(c.name) || ' ') = 0)
		    OR b.counterparty_key = $3 AND t.category_reason = $4
		    OR b.counterparty_key = $5 AND t.category_reason = $6
		    OR strpos(b.counterparty_key, $10) > 0 AND (t.category_reason = $7 OR t.suggested_reason = $8
		      OR b.note <> '' AND strpos(coalesce(t.context, ''), b.note) > 0))
		  AND `+which+`
		ORDER BY t.id`,
		o.ID, answer, questions.SalesTax.String(), decide.SalesTaxAnswered, questions.Deposits.String(),
		decide.DepositsAnswered, decide.UseAnswered, decide.AlikeAnswered, questions.AboutTransfer("").String(),
		questions.Mark)
	return rows, err
}
