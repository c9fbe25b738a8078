package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"bizfin/store"
)

// caller is who a request is by, as far as that is known: for the line of the log. Each request has one of its own, and
// so has each inner one of a tool call.
type caller struct {
	partner      string
	organization uuid.UUID
	person       uuid.UUID
	token        string
}

type callerKey struct{}

// withCaller gives a request somebody to be filled in.
func withCaller(c echo.Context) *caller {
	who := &caller{}
	c.SetRequest(c.Request().WithContext(context.WithValue(c.Request().Context(), callerKey{}, who)))
	return who
}

func callerOf(ctx context.Context) *caller {
	if who, ok := ctx.Value(callerKey{}).(*caller); ok {
		return who
	}
	return &caller{}
}

// attributes are ids alone: who they are is not for logs.
func (who *caller) attributes() []slog.Attr {
	var list []slog.Attr
	add := func(key, value string) {
		if value != "" {
			list = append(list, slog.String(key, value))
		}
	}
	add("partner", who.partner)
	if who.organization != uuid.Nil {
		add("organization_id", who.organization.String())
	}
	if who.person != uuid.Nil {
		add("user_id", who.person.String())
	}
	add("token_id", who.token)
	return list
}

// by says who acts: to the line of the log, and to the record of acts through the context.
func by(c echo.Context, found credential, person uuid.UUID) context.Context {
	ctx := c.Request().Context()
	who := callerOf(ctx)
	actor := store.Actor{Kind: store.ActorPartner, PersonID: person, RequestID: requestIDOf(c)}
	switch {
	case found.oauth != nil:
		actor.Kind, actor.PersonID, actor.TokenID = store.ActorPerson, found.oauth.PersonID, found.oauth.ID
		if found.oauth.ID != "" {
			actor.Kind = store.ActorToken
		}
	case found.partner != nil:
		actor.PartnerID = found.partner.PartnerID
	default:
		actor.PartnerID = found.webhook
	}
	who.partner, who.person, who.token = actor.PartnerID, actor.PersonID, actor.TokenID
	return store.By(ctx, actor)
}

// refused is a failure with its reason: which claim, which rule. It is for the operator, never for the caller.
type refused struct {
	error
	reason string
}

func (r *refused) Error() string { return r.error.Error() + ": " + r.reason }
func (r *refused) Unwrap() error { return r.error }

// because gives a failure its reason; nil stays nil.
func because(err error, reason string) error {
	if err == nil {
		return nil
	}
	return &refused{err, reason}
}

// reasonOf says why a request was refused, in words of this program alone: nothing that the request held.
func reasonOf(err error) string {
	var told *refused
	var moved *store.MovedError
	f := failureOf(err)
	switch {
	case f.status < http.StatusBadRequest || f.status >= http.StatusInternalServerError && f.problems == nil:
		return ""
	case errors.As(err, &told):
		return told.reason
	case errors.As(err, &moved):
		return "transactions belong to another account"
	case f.problems != nil:
		var codes []string
		for _, p := range f.problems {
			codes = append(codes, p.In+" "+p.Code)
		}
		slices.Sort(codes)
		return strings.Join(slices.Compact(codes), ", ")
	default:
		return f.message
	}
}
