package server

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"bizfin/server/oauth"
)

// allowOrigins lets the pages of the configured origins read the answers.
func (s *Server) allowOrigins(method string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			header := c.Response().Header()
			header.Add(echo.HeaderVary, echo.HeaderOrigin)
			if origin := c.Request().Header.Get(echo.HeaderOrigin); slices.Contains(s.CORSOrigins, origin) {
				header.Set(echo.HeaderAccessControlAllowOrigin, origin)
				header.Set(echo.HeaderAccessControlAllowMethods, method)
				header.Set(echo.HeaderAccessControlAllowHeaders,
					"Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, "+
						"Mcp-Session-Id, X-Request-Id")
				header.Set(echo.HeaderAccessControlExposeHeaders,
					"WWW-Authenticate, X-Request-Id, Retry-After, RateLimit, RateLimit-Policy")
				header.Set(echo.HeaderAccessControlMaxAge, "600")
			}
			return next(c)
		}
	}
}

// anyOrigin lets every page read the answers, and sends no credentials of the browser: programs in pages sign in too.
func anyOrigin(method string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			header := c.Response().Header()
			header.Set(echo.HeaderAccessControlAllowOrigin, "*")
			header.Set(echo.HeaderAccessControlAllowMethods, method)
			header.Set(echo.HeaderAccessControlAllowHeaders,
				"Authorization, Content-Type, Accept, Mcp-Protocol-Version")
			header.Set(echo.HeaderAccessControlExposeHeaders, "WWW-Authenticate, X-Request-Id, Retry-After")
			header.Set(echo.HeaderAccessControlMaxAge, "600")
			return next(c)
		}
	}
}

func preflight(c echo.Context) error { return c.NoContent(http.StatusNoContent) }

var errForeignOrigin = &failure{status: http.StatusForbidden,
	message: "This origin or host is not one of this service."}

// refuseRebinding refuses a request that a page of another site made: one with an Origin that is neither this service
// nor configured, and on a loopback connection one with a Host that is not this service (MCP, Transports, security).
func (s *Server) refuseRebinding(next echo.HandlerFunc) echo.HandlerFunc {
	public, _ := url.Parse(s.PublicURL)
	return func(c echo.Context) error {
		r := c.Request()
		local := r.Host == public.Host || oauth.Loopback(r.Host)
		if address, ok := r.Context().Value(http.LocalAddrContextKey).(fmt.Stringer); ok &&
			oauth.Loopback(address.String()) && !local {
			return errForeignOrigin
		}
		if origin := r.Header.Get(echo.HeaderOrigin); origin != "" && !slices.Contains(s.CORSOrigins, origin) {
			if from, err := url.Parse(origin); err != nil || from.Host != r.Host && from.Host != public.Host {
				return errForeignOrigin
			}
		}
		return next(c)
	}
}

// addressBehind is where a request comes from: the address of the connection, or what the proxies before this server
// say of it. Nobody else is believed.
func addressBehind(proxies []*net.IPNet) echo.IPExtractor {
	if len(proxies) == 0 {
		return echo.ExtractIPDirect()
	}
	trust := []echo.TrustOption{echo.TrustLoopback(false), echo.TrustLinkLocal(false), echo.TrustPrivateNet(false)}
	for _, network := range proxies {
		trust = append(trust, echo.TrustIPRange(network))
	}
	return echo.ExtractIPFromXFFHeader(trust...)
}
