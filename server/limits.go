package server

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/labstack/echo/v4"

	"bizfin/server/limit"
	"bizfin/server/mcp"
)

// holdToLimits counts a request for the partner whose business it is about, for the business, and for the agent's
// token. It stands before the first byte of a body. What a tool call carries has been counted for the token.
func (op *operation) holdToLimits(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		return op.count(c, op.subjects(c.Request().Context()), next)
	}
}

// count lets a request pass where none of its subjects is beyond a limit.
func (s *Server) count(c echo.Context, subjects []limit.Subject, next echo.HandlerFunc) error {
	c.Set(countedFor, subjects[len(subjects)-1])
	leave, refused := s.Limits.Enter(subjects...)
	if refused == nil {
		defer leave()
		var states []limit.State
		states, refused = s.Limits.Take(subjects...)
		tellLimits(c.Response().Header(), states)
	}
	if refused != nil {
		c.Set(limitedSubject, refused.Kind+" "+refused.ID)
		return s.limited(refused, subjects)
	}
	return next(c)
}

// subjects are those that an operation's request counts for, the narrowest first: what is refused for a token or a
// business is not counted for its partner, whose other businesses would pay for it.
func (op *operation) subjects(ctx context.Context) []limit.Subject {
	found := credentialOf(ctx)
	var subjects []limit.Subject
	if found.oauth != nil && !mcp.Inner(ctx) {
		subjects = append(subjects, op.agent(found))
	}
	if op.connects {
		partner := found.partner.PartnerID
		return append(subjects, limit.Subject{Kind: limit.Partner, ID: partner, Rule: op.rules.find(partner).Partner})
	}
	caller := principalOf(ctx)
	partner := ""
	if caller.Partner != nil {
		partner = *caller.Partner
	}
	rules := op.rules.find(partner)
	subjects = append(subjects, limit.Subject{Kind: limit.Organization, ID: caller.organization.ID.String(),
		Rule: rules.Organization})
	if partner != "" {
		subjects = append(subjects, limit.Subject{Kind: limit.Partner, ID: partner, Rule: rules.Partner})
	}
	return subjects
}

func (s *Server) agent(found credential) limit.Subject {
	return limit.Subject{Kind: limit.Agent, ID: found.token, Rule: s.rules.usual.Agent}
}

// limitedSubject is where count leaves whose limit was used up, for the log.
const limitedSubject = "limited"

// limited is the answer to a request beyond a limit, and counts it.
func (s *Server) limited(refused *limit.Refusal, subjects []limit.Subject) *failure {
	partner := ""
	for _, subject := range subjects {
		if subject.Kind == limit.Partner {
			partner = subject.ID
		}
	}
	s.metrics.refusedByLimit(refused, partner)
	return &failure{status: http.StatusTooManyRequests, message: refused.Error(), retry: refused.Seconds()}
}

func tellLimits(header http.Header, states []limit.State) {
	policy, state := limit.Header(states)
	header.Set("RateLimit-Policy", policy)
	header.Set("RateLimit", state)
}

// prepaid is the count of the one HTTP request that carries messages: the first of them costs nothing more.
type prepaid struct{ used atomic.Bool }

type prepaidKey struct{}

// holdAgent counts a request to /mcp before its body is read, for the agent's token.
func (s *Server) holdAgent(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		subject := s.agent(credentialOf(ctx))
		c.SetRequest(c.Request().WithContext(context.WithValue(ctx, prepaidKey{}, new(prepaid))))
		began := time.Now()
		err := s.count(c, []limit.Subject{subject}, next)
		if err == nil && c.Response().Status >= http.StatusBadRequest { // no error that delayRefusals would see
			s.refusals.wait(clientOf(ctx), subject, time.Since(began))
		}
		if f := failureOf(err); err != nil && f.status == http.StatusTooManyRequests {
			s.refusals.wait(ctx, subject, 0)
			return refuseMessage(c, f)
		}
		return err
	}
}

// A message beyond a limit is looked at for its id where it is this small and comes at once: neither its memory nor its
// arrival is anybody's share.
const (
	glimpsed        = 16 << 10
	glimpsePatience = time.Second
)

// refuseMessage answers a message beyond a limit as JSON-RPC does, with the id of the message.
func refuseMessage(c echo.Context, f *failure) error {
	r, w := c.Request(), c.Response()
	var raw []byte
	if r.ContentLength > 0 && r.ContentLength <= glimpsed {
		connection := http.NewResponseController(w)
		if err := connection.SetReadDeadline(time.Now().Add(glimpsePatience)); err != nil {
			return err
		}
		if read, err := io.ReadAll(r.Body); err == nil {
			raw = read
			_ = connection.SetReadDeadline(time.Time{})
		}
	}
	if raw == nil && r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close") // the rest of the body is not waited for
	}
	w.Header().Set(echo.HeaderRetryAfter, strconv.Itoa(f.retry))
	(&mcp.Refusal{Message: f.message, RetryAfter: f.retry}).Answer(w, raw)
	return nil
}

// countMessage counts each message of a batch after the first.
func (s *Server) countMessage(ctx context.Context) *mcp.Refusal {
	if paid, ok := ctx.Value(prepaidKey{}).(*prepaid); ok && !paid.used.Swap(true) {
		return nil
	}
	subject := s.agent(credentialOf(ctx))
	_, refused := s.Limits.Take(subject)
	if refused == nil {
		return nil
	}
	return &mcp.Refusal{Message: s.limited(refused, []limit.Subject{subject}).message, RetryAfter: refused.Seconds()}
}
