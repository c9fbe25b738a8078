package store

import (
	"context"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
)

const (
	wordsFrom     = 2_000       // searches read so many new texts of a business one by one, in about two milliseconds
	wordsAtOnce   = 20_000      // so many rows are indexed in one transaction
	wordsPatience = time.Minute // so long rows that wait to be processed come before words
)

// IndexWords indexes the texts of one business that were added before a time, where there are enough of them. Nobody
// waits for it: a search reads new texts one by one, which is slower and finds the same. It returns false where no
// business has new texts, or none has them that is not being processed.
func (d *DB) IndexWords(ctx context.Context, before time.Time) (more bool, err error) {
	waiting := d.longest(ctx, `
		SELECT organization_id, min(at) AS since
		FROM words_added a
		WHERE at <= $1
		  AND (at <= $2 OR NOT EXISTS (
		    SELECT
		    FROM pending_work w
		    WHERE w.organization_id = a.organization_id))
		GROUP BY organization_id`,
		before, before.Add(-wordsPatience))
	take := func(tx *sqlx.Tx, p piece) (uuid.UUID, error) { return takeAdded(ctx, tx, p, before) }
	return takeOne(ctx, d, "words", waiting, take, func(tx *sqlx.Tx, organization uuid.UUID) error {
		waiting, err := newTexts(ctx, tx, organization)
		if err != nil || waiting < wordsFrom {
			return err
		}
		if err := indexTexts(ctx, tx, organization); err != nil || waiting <= wordsAtOnce {
			return err
		}
		return takeAgain(ctx, tx, organization)
	})
}

// takeAdded takes the business whose new texts have waited longest, but for those another worker has taken.
func takeAdded(ctx context.Context, tx *sqlx.Tx, p piece, before time.Time) (uuid.UUID, error) {
	var organization uuid.UUID
	err := tx.GetContext(ctx, &organization, `
		SELECT organization_id
		FROM words_added a
		WHERE at <= $1`+p.of("organization_id")+`
		  AND (at <= $2 OR NOT EXISTS (
		    SELECT
		    FROM pending_work w
		    WHERE w.organization_id = a.organization_id`+p.of("w.organization_id")+`))
		ORDER BY at
		LIMIT 1
		FOR UPDATE OF a SKIP LOCKED`,
		before, before.Add(-wordsPatience))
	if err != nil {
		return organization, err
	}
	_, err = tx.ExecContext(ctx, `
		DELETE FROM words_added
		WHERE ctid = ANY (ARRAY (
		  SELECT ctid
		  FROM words_added
		  WHERE organization_id = $1
		  FOR UPDATE SKIP LOCKED))
		  /*spread: AND organization_id = $1 */`,
		organization)
	return organization, err
}

func newTexts(ctx context.Context, tx *sqlx.Tx, organization uuid.UUID) (n int, err error) {
	err = tx.GetContext(ctx, &n, `
		SELECT coalesce(sum(cardinality(transactions)), 0)
		FROM transaction_words
		WHERE organization_id = $1
		  AND NOT indexed`,
		organization)
	return n, err
}

// indexTexts replaces new lists by indexed ones, up to wordsAtOnce rows, or the first where that has more. Like texts
// come together: they share most of their entries in the index.
func indexTexts(ctx context.Context, tx *sqlx.Tx, organization uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		WITH taken AS (
		  DELETE FROM transaction_words
		  WHERE ctid = ANY (ARRAY (
		    SELECT ctid
		    FROM (
		      SELECT ctid, sum(cardinality(transactions)) OVER (ORDER BY id) AS rows, cardinality(transactions) AS own
		      FROM transaction_words
		      WHERE organization_id = $1
		        AND NOT indexed) w
		    WHERE rows <= $2
		       OR rows = own))
		  /*spread: AND organization_id = $1 */
		  RETURNING transactions, texts)
		INSERT INTO transaction_words (organization_id, indexed, transactions, texts)
		SELECT $1, true, array_agg(id ORDER BY place), array_agg(text ORDER BY place)
		FROM (
		  SELECT u.id, u.text, row_number() OVER (ORDER BY u.text COLLATE "C") - 1 AS place
		  FROM taken
		  CROSS JOIN unnest(taken.transactions, taken.texts) AS u (id, text)) r
		GROUP BY place / 16`,
		organization, wordsAtOnce)
	return err
}

func takeAgain(ctx context.Context, tx *sqlx.Tx, organization uuid.UUID) error {
	_, err := tx.ExecContext(ctx, `
		INSERT INTO words_added (organization_id, at)
		VALUES ($1, '-infinity')`,
		organization)
	return err
}
