// Package payments asks the payment processor, Stripe, for the subscriptions of its customers.
package payments

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/google/uuid"
	"github.com/stripe/stripe-go/v85"

	"bizfin/store"
)

// PersonKey is where the metadata of a customer name the person it is, by the user_id.
const PersonKey = "user_id"

// Client asks the processor. It is safe for concurrent use.
type Client struct{ api *stripe.Client }

// answerTime is what one answer may take.
const answerTime = 30 * time.Second

// New makes a client of the processor's API at url, which is empty for its own. It does not connect. The key needs to
// read customers and subscriptions, and nothing else.
func New(url, key string) *Client {
	config := &stripe.BackendConfig{
		HTTPClient:      &http.Client{Timeout: answerTime},
		LeveledLogger:   &stripe.LeveledLogger{Level: stripe.LevelNull}, // its lines hold the processor's words
		EnableTelemetry: stripe.Bool(false),
	}
	if url != "" {
		config.URL = stripe.String(url)
	}
	return &Client{api: stripe.NewClient(key, stripe.WithBackends(stripe.NewBackendsWithConfig(config)))}
}

// Error is the processor's refusal, without its words: they may speak of a key or a person.
type Error struct {
	Status    int    // of HTTP
	Code      string // such as rate_limit; may be empty
	RequestID string // what the processor's support asks for
}

func (e *Error) Error() string {
	return fmt.Sprintf("payments: refused with status %d, %s, request %s", e.Status, cmp.Or(e.Code, "no code"),
		cmp.Or(e.RequestID, "unknown"))
}

// Everybody reports whether the refusal has nothing to do with the customer that was asked for.
func (e *Error) Everybody() bool {
	return e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden ||
		e.Status == http.StatusTooManyRequests || e.Status >= http.StatusInternalServerError
}

// Customer is what the processor says of one customer now. One that it does not know has no subscription. It fails with
// *Error, or as the network does.
func (c *Client) Customer(ctx context.Context, id string) (store.CustomerState, error) {
	found, err := c.list(ctx, &stripe.SubscriptionListParams{Customer: stripe.String(id)})
	var refused *Error
	if errors.As(err, &refused) && refused.Code == string(stripe.ErrorCodeResourceMissing) {
		found, err = nil, nil
	}
	if err != nil {
		return store.CustomerState{}, err
	}
	if len(found) == 0 {
		return store.CustomerState{ID: id}, nil
	}
	return found[0], nil
}

// Customers are all customers that have or had a subscription. It fails with *Error, or as the network does.
func (c *Client) Customers(ctx context.Context) ([]store.CustomerState, error) {
	return c.list(ctx, &stripe.SubscriptionListParams{})
}

// list reads subscriptions and makes one state of those of a customer.
func (c *Client) list(ctx context.Context, which *stripe.SubscriptionListParams) ([]store.CustomerState, error) {
	which.Status = stripe.String("all")
	which.Limit = stripe.Int64(100)
	which.AddExpand("data.customer")
	best := map[string]*stripe.Subscription{}
	people := map[string]*uuid.UUID{}
	var order []string
	for s, err := range c.api.V1Subscriptions.List(ctx, which).All(ctx) {
		if err != nil {
			return nil, readable(err)
		}
		if s.Customer == nil {
			continue
		}
		id := s.Customer.ID
		if _, seen := people[id]; !seen {
			order = append(order, id)
			people[id] = personOf(s.Customer)
		}
		if counts(s) && (best[id] == nil || better(s, best[id])) {
			best[id] = s
		}
	}
	states := make([]store.CustomerState, len(order))
	for i, id := range order {
		states[i] = store.CustomerState{ID: id, PersonID: people[id]}
		if s := best[id]; s != nil {
			states[i].Subscription = subscriptionOf(s)
		}
	}
	return states, nil
}

func readable(err error) error {
	var refused *stripe.Error
	if errors.As(err, &refused) {
		return &Error{Status: refused.HTTPStatusCode, Code: string(refused.Code), RequestID: refused.RequestID}
	}
	return err
}

// personOf is whom the processor's own data say the customer is.
func personOf(c *stripe.Customer) *uuid.UUID {
	id, err := uuid.Parse(c.Metadata[PersonKey])
	if err != nil {
		return nil
	}
	return &id
}

// statuses say the processor's in ours. One that waits for a payment, or for a way to pay, is past due. One whose first
// payment never came has not begun: it is none.
var statuses = map[stripe.SubscriptionStatus]string{
	stripe.SubscriptionStatusActive:   "active",
	stripe.SubscriptionStatusTrialing: "trialing",
	stripe.SubscriptionStatusPastDue:  "past_due",
	stripe.SubscriptionStatusUnpaid:   "past_due",
	stripe.SubscriptionStatusPaused:   "past_due",
	stripe.SubscriptionStatusCanceled: "canceled",
}

func counts(s *stripe.Subscription) bool { return statuses[s.Status] != "" }

// rank orders the subscriptions of a customer: what gives access counts before what does not.
var rank = map[string]int{"active": 0, "trialing": 1, "past_due": 2, "canceled": 3}

// better is the order of what counts first, and of those alike the newest.
func better(a, b *stripe.Subscription) bool {
	return cmp.Or(
		cmp.Compare(rank[statuses[a.Status]], rank[statuses[b.Status]]),
		cmp.Compare(b.Created, a.Created),
		cmp.Compare(a.ID, b.ID)) < 0
}

// subscriptionOf reads plan and period from the first item: those of one subscription renew together, or the first is
// what it is named by.
func subscriptionOf(s *stripe.Subscription) *store.CustomerSubscription {
	found := &store.CustomerSubscription{Status: statuses[s.Status], CancelAtPeriodEnd: s.CancelAtPeriodEnd}
	if s.Items == nil || len(s.Items.Data) == 0 {
		return found
	}
	item := s.Items.Data[0]
	if item.CurrentPeriodEnd > 0 {
		end := time.Unix(item.CurrentPeriodEnd, 0).UTC()
		found.CurrentPeriodEnd = &end
		found.CancelAtPeriodEnd = s.CancelAtPeriodEnd || s.CancelAt > 0 && s.CancelAt <= item.CurrentPeriodEnd
	}
	if price := item.Price; price != nil {
		name := cmp.Or(price.LookupKey, price.Nickname, price.ID)
		found.Plan = &name
		if price.Recurring != nil {
			interval := string(price.Recurring.Interval)
			if n := price.Recurring.IntervalCount; n > 1 {
				interval = fmt.Sprintf("%d %ss", n, interval)
			}
			found.Interval = &interval
		}
	}
	return found
}
