package server

import (
	"errors"
	"net/netip"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"bizfin/server/limit"
	"bizfin/store"
)

// What those who have shown no credential may do, by their address. Programs of many people may come from few.
var (
	authorizeRule = limit.Rule{PerSecond: 60, Per: time.Minute, InFlight: 32}
	pageRule      = limit.Rule{PerSecond: 300, Per: time.Minute, InFlight: 64}
	tokenRule     = limit.Rule{PerSecond: 300, Per: time.Minute, InFlight: 64}
	registerRule  = limit.Rule{PerSecond: 30, Per: time.Hour, InFlight: 4}
)

// grantRule is what the program of one grant may ask of the token endpoint, from wherever: its processes share a token.
var grantRule = limit.Rule{PerSecond: 60, Per: time.Minute}

// holdAddress counts a request for the address it comes from. What a host has many of counts as one.
func (s *Server) holdAddress(what string, rule limit.Rule) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			leave, refused := s.Limits.Enter(subjectOf(c, what, rule))
			if refused == nil {
				defer leave()
				_, refused = s.Limits.Take(subjectOf(c, what, rule))
			}
			if refused != nil {
				c.Set(limitedSubject, refused.Kind)
				return s.limited(refused, nil)
			}
			return next(c)
		}
	}
}

// holdShown counts a request for the grant whose code or refresh token it shows: a hosted program asks for all its
// people from a few addresses, and one of them may not use up what is the others'. What shows none counts for its
// address.
func (s *Server) holdShown(values url.Values, next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		counted := subjectOf(c, "token", tokenRule)
		leave, refused := s.Limits.Enter(counted)
		if refused == nil {
			defer leave()
			grant, err := s.Store.GrantShown(c.Request().Context(), shownIn(values))
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			if err == nil {
				counted = limit.Subject{Kind: limit.Agent, ID: "grant " + grant.String(), Rule: grantRule}
			}
			_, refused = s.Limits.Take(counted)
		}
		if refused != nil {
			c.Set(limitedSubject, refused.Kind)
			return s.limited(refused, nil)
		}
		return next(c)
	}
}

// shownIn is the code or the refresh token that a program asks with.
func shownIn(values url.Values) string {
	if values.Get("grant_type") == grantRefresh {
		return values.Get("refresh_token")
	}
	return values.Get("code")
}

func subjectOf(c echo.Context, what string, rule limit.Rule) limit.Subject {
	from := c.RealIP()
	if at, err := netip.ParseAddr(from); err == nil && at.Is6() && !at.Is4In6() {
		network, _ := at.Prefix(64) // of one customer
		from = network.String()
	}
	return limit.Subject{Kind: limit.Address, ID: what + " " + from, Rule: rule}
}
