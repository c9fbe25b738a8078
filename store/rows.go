package store

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/decide"
	"bizfin/internal/money"
	"bizfin/internal/questions"
)

// The states of rows that are to be decided.
const (
	newlyQueued = "processing = 'queued' AND never_decided(alternatives)"
	heldBack    = "processing = 'limited' AND never_decided(alternatives)" // by the month's limit
	queuedAgain = "processing = 'queued' AND NOT never_decided(alternatives)"
)

// unanswered is whether no answer was about a row t: none decided it, or one by its memory.
const unanswered = `NOT EXISTS (
		    SELECT
		    FROM answer_rows r
		    WHERE r.organization_id = $1
		      AND r.transaction_id = t.id
		      AND r.answer_id = t.answer_id
		    OFFSET 0)` // row by row: of an answer that was just given a plan expects one row, and reads all for each

// withoutNote is the context of a row t without what an answer added to it.
func withoutNote(note string) string {
	return `without_line(t.context, ` + note + `)`
}

// mayStandAsked is whether a row t is a payout, of which it may be asked what was kept while it stands and needs no
// attention.
var mayStandAsked = `coalesce(t.category_id = ANY (` + arrayOf(questions.Payouts()) + `), false)`

// standsAsked is whether a row t is a payout that stands as it came, which nobody answered.
var standsAsked = mayStandAsked + ` AND t.category_source IN ('rule', 'merchant')`

// arrayOf are whole numbers as SQL has them.
func arrayOf(ids []int) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.Itoa(id)
	}
	return "ARRAY[" + strings.Join(words, ", ") + "]"
}

// rowColumns are those of a decide.Row, of a transaction t and its account a.
var rowColumns = `t.id, t.revision, t.amount, t.currency, t.description, t.primary_date,
		       t.needs_attention OR ` + mayStandAsked + ` AS needs_attention,
		       t.category_id, t.suggested_id, t.filing_state = 'filed' AS filed,
		       CASE WHEN t.category_source = 'user' THEN t.category_id END AS user_category,
		       t.account_id, a.name AS account_name, a.type AS account_type, a.mask AS account_mask`

// valuesOf are where rowColumns go.
func valuesOf(r *decide.Row) []any {
	return []any{&r.ID, &r.Revision, &r.Amount, &r.Currency, &r.Description, &r.PrimaryDate, &r.NeedsAttention,
		&r.CategoryID, &r.SuggestedID, &r.Filed, &r.UserCategory, &r.AccountID, &r.AccountName, &r.AccountType,
		&r.AccountMask}
}

// notEstablished sets the category of a row t to none. What was kept of a payout may be asked: it stands no more.
var notEstablished = `needs_attention = t.needs_attention OR ` + mayStandAsked + `,
		    category_id = NULL,
		    category_source = NULL,
		    category_confidence = NULL,
		    category_reason = NULL`

// bankText is bankfeed.BankText of a stored transaction t, byte for byte.
const bankText = `t.amount || ' ' || coalesce(t.authorized_date::text, '') || ' ' || t.processed_date || ' '
	         || t.pending || ' ' || t.currency || ' ' || t.description`

// row is what a transaction is: what is locked of it, and what something is kept of beside it.
type row struct {
	ID           uuid.UUID
	Revision     int
	NeverDecided bool
	said
	understood
}

// said is what the bank says of a row, and whether it is deleted.
type said struct {
	AccountID     uuid.UUID
	Deleted       bool
	Pending       bool
	Amount        money.Amount // in Currency
	Currency      string
	PrimaryDate   day
	ProcessedDate day
}

// understood is what was made of a row; 0 is no category.
type understood struct {
	Processing     string
	NeedsAttention bool
	Category       int
	Suggested      int
	CounterpartyID uuid.NullUUID
	TransferID     uuid.NullUUID  // its other leg
	Text           sql.NullString // that words are looked for in; of processed rows that are not deleted
}

// rowAt is a row with its place, and what its money is.
type rowAt struct {
	ID       uuid.UUID `db:"id"`
	Account  uuid.UUID `db:"account_id"`
	Currency string    `db:"currency"`
	Day      time.Time `db:"primary_date"`
}

// day is a date, as days since 1970 in UTC.
type day int64

func (d day) date() time.Time { return time.Unix(int64(d)*24*60*60, 0).UTC() }

// understoodValues are those of a transaction t. They are scanned by hand: sqlx takes longer than all the rest of what
// is done with them, and every row that is decided passes here twice.
const understoodValues = `t.processing, t.needs_attention, coalesce(t.category_id, 0), coalesce(t.suggested_id, 0),
	       t.counterparty_id, t.transfer_id,
	       CASE WHEN t.processing = 'processed' AND t.deleted_at IS NULL
	         THEN searched_text(t.merchant, t.description, t.context) END`

func (u *understood) values() []any {
	return []any{&u.Processing, &u.NeedsAttention, &u.Category, &u.Suggested, &u.CounterpartyID, &u.TransferID, &u.Text}
}

// isOpen is whether it is to be decided.
func (r row) isOpen() bool { return r.Processing != "processed" }

// isNew is whether it is to be decided for the first time, and not held back.
func (r row) isNew() bool { return r.Processing == "queued" && r.NeverDecided }

func storedAlternatives(list []categorize.Alternative) []Alternative {
	out := make([]Alternative, 0, len(list))
	for _, a := range list {
		if a.CategoryID > 0 { // others are answers that divide rows
			out = append(out, Alternative{CategoryID: a.CategoryID, Parts: int(a.Confidence)})
		}
	}
	return out
}

// Alternative is a category that was considered.
type Alternative struct {
	CategoryID int         `json:"category"`
	Confidence money.Ratio `json:"-"`
	Parts      int         `json:"confidence"` // the confidence in ten-thousandths
}

type alternatives []Alternative

// Scan reads the column; NULL is none.
func (a *alternatives) Scan(src any) error {
	*a = nil
	raw, ok := src.([]byte)
	if !ok {
		return nil
	}
	if err := json.Unmarshal(raw, a); err != nil {
		return fmt.Errorf("store: alternatives: %w", err)
	}
	for i := range *a {
		(*a)[i].Confidence = money.Ratio((*a)[i].Parts)
	}
	return nil
}
