package server

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/stripe/stripe-go/v85"
	"github.com/stripe/stripe-go/v85/webhook"

	"bizfin/store"
)

// BillingRoute is where the payment processor sends its events.
const BillingRoute = "/webhooks/billing/stripe"

// serveBilling routes the events of the payment processor, where its signing secret is known.
func (s *Server) serveBilling(e *echo.Echo) {
	if len(s.BillingSecrets) > 0 {
		e.POST(BillingRoute, s.receiveBillingEvent, s.readBody)
	}
}

// receiveBillingEvent stores that there is something new of a customer. What it is, the worker asks the processor:
// so an event that comes late, twice or in an old form does no harm.
func (s *Server) receiveBillingEvent(c echo.Context) error {
	ctx := store.By(c.Request().Context(), store.Actor{Kind: store.ActorService, RequestID: requestIDOf(c)})
	event, err := s.signedEvent(c.Request().Header.Values("Stripe-Signature"), ctx.Value(bodyKey{}).([]byte))
	if err != nil {
		return err
	}
	customer, person, err := aboutWhom(event)
	if err != nil {
		return errMalformedEvent
	}
	if customer != "" {
		linked, err := s.Store.NoticeCustomer(ctx, s.Now(), customer, person)
		if err != nil {
			return err
		}
		about := []any{slog.String("event", event.ID), slog.String("customer", customer)}
		switch {
		case linked == nil:
			s.Log.InfoContext(ctx, "customer is linked to nobody yet", about...)
		case person != nil && *linked != *person:
			s.Log.WarnContext(ctx, "customer stays with the person it was linked to first", about...)
		}
	}
	return c.JSON(http.StatusOK, map[string]bool{"received": true})
}

var errMalformedEvent = &failure{status: http.StatusBadRequest,
	message: "The event is not one of the payment processor."}

// signedEvent is the event if one of our secrets signed it, not long ago.
func (s *Server) signedEvent(signatures []string, raw []byte) (stripe.Event, error) {
	if len(signatures) == 0 {
		return stripe.Event{}, errMissingSignature
	}
	for _, secret := range s.BillingSecrets {
		header := strings.Join(signatures, ",")
		if webhook.ValidatePayload(raw, header, secret) != nil {
			continue
		}
		event, err := webhook.ConstructEventWithOptions(raw, header, secret,
			webhook.ConstructEventOptions{IgnoreAPIVersionMismatch: true})
		if err != nil || event.Data == nil {
			return event, errMalformedEvent
		}
		return event, nil
	}
	return stripe.Event{}, errInvalidSignature
}

// aboutWhom is the customer of whom an event gives reason to ask, if any, and the person that a checkout was for.
// Events of accounts that are connected to the processor's are about other people's customers.
func aboutWhom(event stripe.Event) (customer string, person *uuid.UUID, err error) {
	var about struct { // what all versions of the processor's API have
		ID        string          `json:"id"`
		Customer  json.RawMessage `json:"customer"`
		Reference string          `json:"client_reference_id"`
	}
	if err := json.Unmarshal(event.Data.Raw, &about); err != nil || event.Account != "" {
		return "", nil, err
	}
	switch kind := string(event.Type); {
	case strings.HasPrefix(kind, "customer.subscription."):
		customer, err = customerOf(about.Customer)
	case kind == "customer.created", kind == "customer.updated", kind == "customer.deleted":
		customer = about.ID
	case kind == "checkout.session.completed", kind == "checkout.session.async_payment_succeeded":
		if string(about.Customer) == "null" { // a guest's
			return "", nil, nil
		}
		if id, err := uuid.Parse(about.Reference); err == nil {
			person = &id
		}
		customer, err = customerOf(about.Customer)
	default:
		return "", nil, nil
	}
	const maxID = 255
	if err == nil && (customer == "" || len(customer) > maxID || strings.ContainsRune(customer, 0)) {
		err = errMalformedEvent
	}
	return customer, person, err
}

// customerOf reads an id that stands alone or in its object.
func customerOf(raw json.RawMessage) (string, error) {
	if id, alone := stripe.ParseID(raw); alone {
		return id, nil
	}
	var whole struct {
		ID string `json:"id"`
	}
	err := json.Unmarshal(raw, &whole)
	return whole.ID, err
}
