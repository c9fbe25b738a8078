package aggregation

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
)

// Transaction is a transaction in the provider's own terms. Texts that are missing or null are empty.
type Transaction struct {
	ID        string `json:"transaction_id"`
	AccountID string `json:"account_id"`
	// of a posted one: the pending one that it replaces
	PendingID string `json:"pending_transaction_id"`
	// a number in currency units; positive is outgoing
	Amount             json.RawMessage `json:"amount"`
	Currency           string          `json:"iso_currency_code"`
	UnofficialCurrency string          `json:"unofficial_currency_code"` // where there is no ISO code
	// when it posted, or occurred while it is pending
	Date                string `json:"date"`
	AuthorizedDate      string `json:"authorized_date"`
	OriginalDescription string `json:"original_description"` // the bank's own
	Name                string `json:"name"`                 // the provider's reading of it
	MerchantName        string `json:"merchant_name"`
	Pending             bool   `json:"pending"`
}

// Account is an account of an update.
type Account struct {
	ID   string
	Mask string // 2 to 4 characters; may be empty
}

// Update is everything that happened to a token's accounts between two cursors, in its last state.
type Update struct {
	Whole        bool // from the start: all that the provider has
	Transactions []Transaction
	Removed      []string // ids of transactions
	Unreadable   []string // ids of transactions that are not in the provider's form
	Nameless     int      // how many of these have not even an id
	Accounts     []Account
	Cursor       string // empty where the provider has not prepared anything yet
	Ready        bool   // the provider has all of the history; more comes only as it happens
}

// The bounds of one update. What is larger is refused: an update is stored whole.
const (
	mostTransactions = 500_000
	mostRestarts     = 5
)

// ErrTooMuch: the update is too large to be held.
var ErrTooMuch = errors.New("aggregation: the update has too many transactions")

// Pull fetches all pages after a cursor, from the start where it is empty. Where the data changes between two pages,
// the provider asks to begin again at the first of them. A cursor that the provider does not know any more (it keeps
// them for a year) is the start. It fails with *Error, ErrAnswer, ErrTooMuch or what the network says.
func (c *Client) Pull(ctx context.Context, token, cursor string) (Update, error) {
	for restarts := 0; ; restarts++ {
		u, err := c.pages(ctx, token, cursor)
		switch {
		case isCode(err, codeMutation) && restarts < mostRestarts:
		case isCode(err, codeInvalidField) && cursor != "" && restarts < mostRestarts:
			cursor = ""
		default:
			return u, err
		}
	}
}

func (c *Client) pages(ctx context.Context, token, cursor string) (Update, error) {
	g := gathered{rows: map[string]Transaction{}, removed: map[string]bool{}, unreadable: map[string]bool{}}
	u := Update{Whole: cursor == ""}
	for more := true; more; {
		p, err := c.page(ctx, token, cursor)
		if err != nil {
			return Update{}, err
		}
		g.add(p)
		if len(g.rows) > mostTransactions {
			return Update{}, ErrTooMuch
		}
		cursor, more = *p.NextCursor, *p.HasMore
		u.Ready = p.Status == "" || p.Status == "HISTORICAL_UPDATE_COMPLETE" // older answers have no status
	}
	u.Cursor = cursor
	u.Accounts, u.Nameless = g.accounts, g.nameless
	for _, id := range g.order {
		if t, ok := g.rows[id]; ok {
			u.Transactions = append(u.Transactions, t)
			delete(g.rows, id)
		}
	}
	u.Removed, u.Unreadable = keys(g.removed), keys(g.unreadable)
	return u, nil
}

func keys(set map[string]bool) []string {
	var list []string
	for key := range set {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

// gathered are the pages of an update so far: of each transaction its last state.
type gathered struct {
	rows       map[string]Transaction
	order      []string
	removed    map[string]bool
	unreadable map[string]bool
	nameless   int
	accounts   []Account
}

func (g *gathered) add(p page) {
	for _, raw := range slices.Concat(p.Added, p.Modified) {
		g.row(raw)
	}
	for _, r := range p.Removed {
		if r.ID != "" {
			delete(g.rows, r.ID)
			delete(g.unreadable, r.ID)
			g.removed[r.ID] = true
		}
	}
	for _, a := range p.Accounts {
		mask := ""
		if a.Mask != nil {
			mask = *a.Mask
		}
		g.account(Account{a.ID, mask})
	}
}

// row takes a transaction by itself: one that cannot be read is not to hold up all others for ever.
func (g *gathered) row(raw json.RawMessage) {
	var t Transaction
	if json.Unmarshal(raw, &t) == nil && t.ID != "" && t.AccountID != "" {
		delete(g.removed, t.ID)
		delete(g.unreadable, t.ID)
		g.rows[t.ID] = t
		g.order = append(g.order, t.ID)
		g.account(Account{ID: t.AccountID})
		return
	}
	var named removed
	if _ = json.Unmarshal(raw, &named); named.ID == "" {
		g.nameless++
		return
	}
	delete(g.removed, named.ID)
	g.unreadable[named.ID] = true
}

// account remembers an account, and its digits where any page tells them.
func (g *gathered) account(a Account) {
	at := slices.IndexFunc(g.accounts, func(known Account) bool { return known.ID == a.ID })
	switch {
	case a.ID == "":
	case at < 0:
		g.accounts = append(g.accounts, a)
	case g.accounts[at].Mask == "":
		g.accounts[at].Mask = a.Mask
	}
}
