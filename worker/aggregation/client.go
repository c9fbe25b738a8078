// Package aggregation speaks to the bank-aggregation provider: Plaid's API, version 2020-09-14, of which it needs
// POST /transactions/sync alone.
package aggregation

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Config says where the provider is and who asks. Both credentials are the provider's.
type Config struct {
	URL      string // as ParseURL accepts it
	ClientID string
	Secret   string
}

// Client asks the provider. It is safe for concurrent use, and holds nothing of an account.
type Client struct {
	address  string
	clientID string
	secret   string
	http     *http.Client
}

// What one answer may take, and what it may hold: 500 transactions come to about a megabyte.
const (
	answerTime  = time.Minute
	answerBytes = 16 << 20
)

// ErrURL: the address is not one that may be told secrets.
var ErrURL = errors.New("aggregation: must be an https URL without user, query or fragment, or http on a " +
	"loopback address")

// ParseURL checks the base address of the provider. It fails with ErrURL.
func ParseURL(base string) error {
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" || u.User != nil || strings.ContainsAny(base, "?#") {
		return ErrURL
	}
	ip := net.ParseIP(u.Hostname())
	loopback := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	if u.Scheme != "https" && !(u.Scheme == "http" && loopback) {
		return ErrURL
	}
	return nil
}

// New makes a client. It does not connect.
func New(c Config) *Client {
	return &Client{
		address:  strings.TrimRight(c.URL, "/") + "/transactions/sync",
		clientID: c.ClientID,
		secret:   c.Secret,
		http: &http.Client{
			Timeout: answerTime,
			// A redirect is an answer like any other wrong one: nobody else is told a token.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// Error is the provider's refusal, without its words: they may speak of a person.
type Error struct {
	Status    int    // of HTTP
	Type      string // error_type, such as ITEM_ERROR; empty where the answer is not in the provider's form
	Code      string // error_code, such as ITEM_LOGIN_REQUIRED; likewise
	RequestID string // what the provider's support asks for
}

func (e *Error) Error() string {
	return fmt.Sprintf("aggregation: refused with status %d, %s %s, request %s", e.Status, e.Type, e.Code, e.RequestID)
}

// ErrAnswer: an answer of status 200 is not what the provider says, or is too large.
var ErrAnswer = errors.New("aggregation: the answer is not one of the provider")

// request is the body of POST /transactions/sync.
type request struct {
	ClientID    string  `json:"client_id"`
	Secret      string  `json:"secret"`
	AccessToken string  `json:"access_token"`
	Cursor      string  `json:"cursor,omitempty"`
	Count       int     `json:"count"` // of updates in a page; the most there may be
	Options     options `json:"options"`
}

type options struct {
	OriginalDescription bool `json:"include_original_description"`
}

// page is the answer. What must be there is a pointer: an address that answers something else is no empty page.
type page struct {
	Accounts   []account         `json:"accounts"`
	Added      []json.RawMessage `json:"added"`
	Modified   []json.RawMessage `json:"modified"`
	Removed    []removed         `json:"removed"`
	NextCursor *string           `json:"next_cursor"`
	HasMore    *bool             `json:"has_more"`
	Status     string            `json:"transactions_update_status"`
	RequestID  string            `json:"request_id"`
}

type account struct {
	ID   string  `json:"account_id"`
	Mask *string `json:"mask"`
}

type removed struct {
	ID string `json:"transaction_id"`
}

// page asks for one page of updates after a cursor.
func (c *Client) page(ctx context.Context, token, cursor string) (page, error) {
	var p page
	body, err := json.Marshal(request{c.clientID, c.secret, token, cursor, 500, options{true}})
	if err != nil {
		return p, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.address, bytes.NewReader(body))
	if err != nil {
		return p, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Plaid-Version", "2020-09-14")
	answer, err := c.http.Do(r)
	if err != nil {
		return p, err // it names the address, which has no secret
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, answerBytes+1))
	if err != nil {
		return p, err
	}
	if answer.StatusCode != http.StatusOK {
		return p, refusal(answer.StatusCode, text)
	}
	if len(text) > answerBytes || json.Unmarshal(text, &p) != nil || p.NextCursor == nil || p.HasMore == nil {
		return p, ErrAnswer
	}
	if *p.HasMore && *p.NextCursor == cursor {
		return p, fmt.Errorf("%w: it does not advance", ErrAnswer)
	}
	return p, nil
}

// refusal reads the codes of an error. What is not a code is left out, so that nothing else can reach a log.
func refusal(status int, text []byte) *Error {
	var body struct {
		Type      string `json:"error_type"`
		Code      string `json:"error_code"`
		RequestID string `json:"request_id"`
	}
	_ = json.Unmarshal(text, &body) // another form says nothing
	return &Error{Status: status, Type: code(body.Type), Code: code(body.Code), RequestID: code(body.RequestID)}
}

func code(text string) string {
	const most = 100
	odd := strings.IndexFunc(text, func(r rune) bool {
		return r != '_' && r != '-' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	})
	if odd >= 0 || len(text) > most {
		return ""
	}
	return text
}
