package store

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/jmoiron/sqlx"
	"github.com/lib/pq"

	"bizfin/internal/bankfeed"
	"bizfin/internal/money"
)

// TransactionUpload is the complete current record of a transaction as a partner sends it.
type TransactionUpload struct {
	ExternalID  string
	Amount      money.Amount // in Currency; positive is incoming
	Date        string       // YYYY-MM-DD, a real day in UTC; both authorized and processed
	Description string
	Pending     bool
	Currency    string // empty for the account's
}

// Uploaded is what an upload made: the row behind each record, and the event that has them processed.
type Uploaded struct {
	Records []UploadedRecord
	Event   Event
}

// storedTransaction is what an upload must know of a row that exists.
type storedTransaction struct {
	ID         uuid.UUID
	ExternalID string
	Here       bool   // it belongs to the account of the upload
	Bank       string // what an upload can change, as bankText writes it
	TransferID uuid.NullUUID
}

// bankText is what an upload says of a row.
func (t TransactionUpload) bankText() string {
	return bankfeed.BankText(t.Amount, t.Date, t.Date, t.Pending, t.Currency, t.Description)
}

// uploadTarget is the account an upload goes to.
type uploadTarget struct {
	SourceID uuid.UUID `db:"source_id"`
	Currency string    `db:"currency"`
	TakesIt  bool      `db:"takes_it"` // its source is a connected API source
	Known    bool      `db:"known"`    // the batch's first external id exists
	KeptBy   string    `db:"kept_by"`
}

// UploadTransactions creates or updates transactions of an account, all or none, together with the event that has them
// processed; each external id may occur once. An unchanged row is not written, its event is sent all the same. What
// people and the service know about a row, its deletion included, stays as it is. ErrNotFound for the account,
// ErrSourceUnavailable, *MovedError.
//
// Uploads to one account follow each other, because each begins by locking the account; new rows are written in the
// order of their external ids, so that batches to different accounts of a source never wait for each other in a circle.
func (o *Organization) UploadTransactions(ctx context.Context, now time.Time, account uuid.UUID,
	batch []TransactionUpload) (Uploaded, error) {
	const tries = 5
	sorted := slices.Clone(batch)
	slices.SortFunc(sorted, func(a, b TransactionUpload) int { return strings.Compare(a.ExternalID, b.ExternalID) })
	if err := o.db.prepare(ctx, lockUploadTarget, touchTarget, aboutTarget, selectStored, acceptNew,
		acceptKnown, insertEvent, insertOneAct, countUploaded); err != nil {
		return Uploaded{}, translate(ctx, err)
	}
	at, err := o.db.homeOf(ctx, o.ID)
	if err != nil {
		return Uploaded{}, translate(ctx, err)
	}
	for try := 1; ; try++ {
		var uploaded Uploaded
		err := o.inTxLocking(ctx, func(tx *sqlx.Tx, locked []uuid.UUID) (err error) {
			uploaded, err = o.upload(ctx, tx, now, at, locked, account, sorted, try > 1)
			return err
		})
		// A row that was not expected to exist is read before writing; one that got another leg meanwhile is read
		// again.
		if try == tries || !breaks(err, "transactions_external_id_key") && !errors.Is(err, errStale) {
			return uploaded, err
		}
	}
}

// upload writes a batch that is new at once, and reads one that seems to be a retry first; readFirst settles it.
func (o *Organization) upload(ctx context.Context, tx *sqlx.Tx, now time.Time, at *home, locked []uuid.UUID,
	account uuid.UUID, sorted []TransactionUpload, readFirst bool) (Uploaded, error) {
	target, err := o.lockUploadTarget(ctx, tx, now, at, account, sorted[0].ExternalID)
	if err != nil {
		return Uploaded{}, err
	}
	batch := inCurrency(sorted, target.Currency)
	var known []storedTransaction
	if readFirst || target.Known {
		if known, err = o.storedTransactions(ctx, tx, at, target.SourceID, account, batch); err != nil {
			return Uploaded{}, err
		}
	}
	if err := refuseMoves(known); err != nil {
		return Uploaded{}, err
	}
	changed := changedOf(batch, known)
	if err := having(account, o.correct(ctx, tx, now, locked, account, changed)); err != nil {
		return Uploaded{}, err
	}
	fresh := without(batch, known)
	records, err := o.copyTransactions(ctx, tx, now, target.SourceID, account, fresh)
	if err != nil {
		return Uploaded{}, err
	}
	for _, row := range known {
		records = append(records, UploadedRecord{ID: row.ID, ExternalID: row.ExternalID})
	}
	event, err := o.acceptUpload(ctx, tx, now, at, account, quantities{"new": int64(len(records) - len(known)),
		"changed": int64(len(changed)), "unchanged": int64(len(known) - len(changed))}, pendingOf(fresh))
	return Uploaded{Records: records, Event: event}, err
}

// correct writes the rows that are something else now, and what follows from them.
func (o *Organization) correct(ctx context.Context, tx *sqlx.Tx, now time.Time, locked []uuid.UUID, account uuid.UUID,
	changed []changedTransaction) error {
	if len(changed) == 0 {
		return nil
	}
	if err := o.shareBusinessLate(ctx, tx); err != nil {
		return err
	}
	if err := o.lockChanged(ctx, tx, changed); err != nil {
		return err
	}
	if err := o.dissolve(ctx, tx, now, locked, account, legsOf(changed)); err != nil {
		return err
	}
	if err := o.updateTransactions(ctx, tx, now, changed); err != nil {
		return err
	}
	return o.refundsLeft(ctx, tx, now, locked, storedIDs(changed))
}

// inCurrency gives the rows without a currency the account's.
func inCurrency(batch []TransactionUpload, currency string) []TransactionUpload {
	batch = slices.Clone(batch)
	for i := range batch {
		if batch[i].Currency == "" {
			batch[i].Currency = currency
		}
	}
	return batch
}

// touchTarget says that something came for the account of an upload, and locks it by that.
const touchTarget = `
	UPDATE accounts
	SET last_upload_at = $3
	WHERE organization_id = $1
	  AND id = $2
	RETURNING source_id, currency`

const lockUploadTarget = `
	WITH a AS (` + touchTarget + `)
	SELECT a.source_id, a.currency, s.kind = 'api' AND s.state = 'connected' AS takes_it,
	       ` + keptByProgram + ` AS kept_by,
	       EXISTS (
	         SELECT
	         FROM transactions t
	         WHERE t.organization_id = $1
	           AND t.source_id = a.source_id
	           AND t.external_id = $4) AS known
	FROM a
	JOIN sources s ON s.organization_id = $1 AND s.id = a.source_id`

// aboutTarget is the rest of lockUploadTarget where touchTarget is a statement of its own.
const aboutTarget = `
	SELECT s.kind = 'api' AND s.state = 'connected' AS takes_it,
	       EXISTS (
	         SELECT t.id
	         FROM transactions t
	         WHERE t.organization_id = $1
	           AND t.source_id = $2
	           AND t.external_id = $3) AS known
	FROM sources s
	WHERE s.organization_id = $1
	  AND s.id = $2`

func (o *Organization) lockUploadTarget(ctx context.Context, tx *sqlx.Tx, now time.Time, at *home, account uuid.UUID,
	firstExternalID string) (target uploadTarget, err error) {
	if at == nil {
		err = o.db.getIn(ctx, tx, &target, lockUploadTarget, o.ID, account, now, firstExternalID)
	} else {
		err = o.db.getIn(ctx, tx, &target, touchTarget, o.ID, account, now)
		if err == nil {
			err = o.readHeld(ctx, tx, at, aboutTarget, func(statement *sqlx.Stmt) error {
				return statement.GetContext(ctx, &target, o.ID, target.SourceID, firstExternalID)
			})
		}
	}
	if err != nil {
		return target, err
	}
	if !target.TakesIt {
		return target, ErrSourceUnavailable
	}
	o.openLedger(tx)
	return target, nil
}

// readHeld reads rows of an account that the transaction holds, before it has written any of them. So another
// connection finds the same: that of their node, where it has one.
func (o *Organization) readHeld(ctx context.Context, tx *sqlx.Tx, at *home, query string,
	read func(*sqlx.Stmt) error) error {
	if at != nil {
		err, ok := o.db.nodes.askHome(ctx, at, func(db *DB, on func(string) string) error {
			statement, err := db.prepared(ctx, on(query))
			if err != nil {
				return err
			}
			return read(statement)
		})
		if ok {
			return err
		}
	}
	statement, err := o.db.preparedIn(ctx, tx, query)
	if err != nil {
		return err
	}
	return read(statement)
}

const selectStored = `
	SELECT t.id, t.external_id, t.account_id = $4 AS here,
	       ` + bankText + ` AS bank,
	       t.transfer_id
	FROM unnest($3::text[]) AS u (external_id)
	CROSS JOIN LATERAL (
	  SELECT id, external_id, account_id, amount, authorized_date, processed_date, description, pending, currency,
	    transfer_id
	  FROM transactions
	  WHERE organization_id = (SELECT $1::uuid)
	    AND source_id = $2
	    AND external_id = u.external_id
	  LIMIT 1) t`

// storedTransactions finds the rows behind external ids. Looked up one by one: with stale statistics the planner
// would read the whole source for `= ANY`.
func (o *Organization) storedTransactions(ctx context.Context, tx *sqlx.Tx, at *home, source, account uuid.UUID,
	batch []TransactionUpload) (rows []storedTransaction, err error) {
	externalIDs := make(pq.StringArray, len(batch))
	for i, t := range batch {
		externalIDs[i] = t.ExternalID
	}
	err = o.readHeld(ctx, tx, at, selectStored, func(statement *sqlx.Stmt) error {
		rows, err = readStored(statement.QueryContext(ctx, o.ID, source, externalIDs, account))
		return err
	})
	return rows, err
}

func readStored(found *sql.Rows, err error) (rows []storedTransaction, _ error) {
	if err != nil {
		return nil, err
	}
	defer found.Close()
	for found.Next() {
		var r storedTransaction
		if err := found.Scan(&r.ID, &r.ExternalID, &r.Here, &r.Bank, &r.TransferID); err != nil {
			return nil, err
		}
		rows = append(rows, r)
	}
	return rows, found.Err()
}

// inCopy writes a text as the lines of COPY have it.
var inCopy = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// copyTransactions writes new rows the quickest way there is. One that exists already breaks the unique key.
func (o *Organization) copyTransactions(ctx context.Context, tx *sqlx.Tx, now time.Time, source,
	account uuid.UUID, batch []TransactionUpload) ([]UploadedRecord, error) {
	if len(batch) == 0 {
		return nil, nil
	}
	copying, err := tx.PrepareContext(ctx, `
		COPY transactions (organization_id, source_id, account_id, created_at, updated_at,
		  id, external_id, amount, authorized_date, processed_date, description, pending, currency)
		FROM STDIN`)
	if err != nil {
		return nil, err
	}
	defer copying.Close()
	records := make([]UploadedRecord, len(batch))
	at := now.UTC().Format(time.RFC3339Nano)
	all := strings.Join([]string{o.ID.String(), source.String(), account.String(), at, at}, "\t")
	lines := make([]byte, 0, len(batch)*(len(all)+200))
	for i, t := range batch {
		records[i] = UploadedRecord{ID: newID(), ExternalID: t.ExternalID}
		if i > 0 {
			lines = append(lines, '\n')
		}
		lines = append(lines, all...)
		for _, column := range []string{records[i].ID.String(), inCopy.Replace(t.ExternalID),
			strconv.FormatInt(int64(t.Amount), 10), t.Date, t.Date, inCopy.Replace(t.Description),
			strconv.FormatBool(t.Pending), inCopy.Replace(t.Currency)} {
			lines = append(append(lines, '\t'), column...)
		}
	}
	if _, err := copying.ExecContext(ctx, string(lines)); err != nil {
		return nil, err
	}
	if _, err := copying.ExecContext(ctx); err != nil {
		return nil, err
	}
	return records, nil
}

func pendingOf(batch []TransactionUpload) (n int) {
	for _, t := range batch {
		if t.Pending {
			n++
		}
	}
	return n
}

// changedTransaction is a stored row and what an upload says of it, which is something else.
type changedTransaction struct {
	stored storedTransaction
	now    TransactionUpload
}

func changedOf(batch []TransactionUpload, known []storedTransaction) []changedTransaction {
	byExternalID := make(map[string]storedTransaction, len(known))
	for _, row := range known {
		byExternalID[row.ExternalID] = row
	}
	var changed []changedTransaction
	for _, t := range batch {
		if row, ok := byExternalID[t.ExternalID]; ok && row.Bank != t.bankText() {
			changed = append(changed, changedTransaction{row, t})
		}
	}
	return changed
}

// lockChanged locks the rows that are to be written and the other legs of those that are one. errStale where a worker
// gave a row another leg since it was read.
func (o *Organization) lockChanged(ctx context.Context, tx *sqlx.Tx, changed []changedTransaction) error {
	var ids []uuid.UUID
	for _, c := range changed {
		ids = append(ids, c.stored.ID)
		if c.stored.TransferID.Valid {
			ids = append(ids, c.stored.TransferID.UUID)
		}
	}
	rows, err := o.lockRows(ctx, tx, ids)
	if err != nil {
		return err
	}
	for _, c := range changed {
		if rows[c.stored.ID].TransferID != c.stored.TransferID {
			return errStale
		}
	}
	return nil
}

// sameWords is whether a row t says what it says as u, spaces aside, and numbers where a person said what it is.
const sameWords = `(t.description = u.description
		      OR regexp_replace(btrim(t.description), '\s+', ' ', 'g')
		        = regexp_replace(btrim(u.description), '\s+', ' ', 'g')
		      OR t.category_source = 'user'
		        AND regexp_replace(t.description, '[\s0-9]+', ' ', 'g')
		          = regexp_replace(u.description, '[\s0-9]+', ' ', 'g'))`

// judgedAnew is whether a row t that becomes u, of a day, is queued again: its description or direction is another; or
// its amount, by which it was established, remembered or paired, unless the user chose its category or it was filed; or
// its day, where it may find the other leg of a transfer, or its purchase.
func judgedAnew(day string) string {
	return `(NOT ` + sameWords + `
		      OR sign(t.amount) <> sign(u.amount)
		      OR (t.amount, t.currency) <> (u.amount, u.currency)
		        AND (t.needs_attention OR t.processing = 'processed' AND NOT ` + stays + `)
		      OR t.primary_date <> ` + day + `
		        AND (t.category_id IS NULL OR t.destination IS NOT NULL)
		        AND t.processing = 'processed' AND NOT ` + stays + `)`
}

// updateTransactions writes the rows that differ, and queues those that are to be understood anew. Their category stays
// until then, and for ever where the user chose it.
func (o *Organization) updateTransactions(ctx context.Context, tx *sqlx.Tx, now time.Time,
	rows []changedTransaction) error {
	if len(rows) == 0 {
		return nil
	}
	changed := make([]TransactionUpload, len(rows))
	ids := make(pq.StringArray, len(rows))
	for i, r := range rows {
		changed[i], ids[i] = r.now, r.stored.ID.String()
	}
	c := columnsOf(changed)
	err := o.writeLines(ctx, tx, storedIDs(rows), `
		UPDATE transactions t
		SET amount = u.amount,
		    authorized_date = u.day,
		    processed_date = u.day,
		    description = u.description,
		    merchant = CASE WHEN `+sameWords+` THEN t.merchant END, -- it was read in the old words
		    pending = u.pending,
		    currency = u.currency,
		    processing = CASE WHEN `+judgedAnew("u.day")+` THEN 'queued' ELSE t.processing END,
		    revision = t.revision + 1,
		    updated_at = $2
		FROM unnest($3::uuid[], $4::bigint[], $5::date[], $6::text[], $7::boolean[], $8::text[])
		  AS u (id, amount, day, description, pending, currency)
		WHERE t.organization_id = (SELECT $1::uuid)
		  AND t.id = u.id`,
		o.ID, now, ids, c.amounts, c.days, c.descriptions, c.pendings, c.currencies)
	if err != nil {
		return err
	}
	return o.redivide(ctx, tx, storedIDs(rows))
}

func storedIDs(rows []changedTransaction) []uuid.UUID {
	ids := make([]uuid.UUID, len(rows))
	for i, r := range rows {
		ids[i] = r.stored.ID
	}
	return ids
}

// legsOf are the legs of transfers among changed rows that are something else now; posting alone changes nothing.
func legsOf(changed []changedTransaction) []uuid.UUID {
	var legs []uuid.UUID
	for _, c := range changed {
		pending, posted := c.now, c.now
		pending.Pending, posted.Pending = true, false
		if c.stored.TransferID.Valid && c.stored.Bank != pending.bankText() && c.stored.Bank != posted.bankText() {
			legs = append(legs, c.stored.ID)
		}
	}
	return legs
}

func refuseMoves(known []storedTransaction) error {
	var moved []string
	for _, row := range known {
		if !row.Here {
			moved = append(moved, row.ExternalID)
		}
	}
	if len(moved) == 0 {
		return nil
	}
	slices.Sort(moved)
	return &MovedError{ExternalIDs: moved}
}

// transactionColumns is a batch turned on its side, as unnest takes it.
type transactionColumns struct {
	days, descriptions, currencies pq.StringArray
	amounts                        pq.Int64Array
	pendings                       pq.BoolArray
}

func columnsOf(batch []TransactionUpload) transactionColumns {
	var c transactionColumns
	for _, t := range batch {
		c.amounts = append(c.amounts, int64(t.Amount))
		c.days = append(c.days, t.Date)
		c.descriptions = append(c.descriptions, t.Description)
		c.pendings = append(c.pendings, t.Pending)
		c.currencies = append(c.currencies, t.Currency)
	}
	return c
}

func without(batch []TransactionUpload, known []storedTransaction) []TransactionUpload {
	have := make(map[string]bool, len(known))
	for _, row := range known {
		have[row.ExternalID] = true
	}
	return slices.DeleteFunc(slices.Clone(batch), func(t TransactionUpload) bool { return have[t.ExternalID] })
}
