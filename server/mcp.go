package server

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"bizfin/server/mcp"
)

// messagesAtOnce are those of one agent's person that are answered at a time. A batch is as many as there may be, and
// so is a message that calls no tool: what tools read has its turn besides, but a list of them is two milliseconds of a
// core and two more for its compression, and while all cores are busy Go looks at the network last.
const messagesAtOnce = 4

// shareMessages keeps one agent from taking all cores.
func (s *Server) shareMessages(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		raw := ctx.Value(bodyKey{}).([]byte)
		weight := int64(1)
		if mcp.IsBatch(raw) || len(mcp.Called(raw)) == 0 {
			weight = messagesAtOnce
		}
		release, err := s.messages.acquire(ctx, holderOf(ctx).credential, weight)
		if err != nil {
			return err
		}
		defer release()
		return next(c)
	}
}

// serveMCP mounts the tools. What a message passes through before it is read is, as for an operation, who is calling.
func (s *Server) serveMCP(e *echo.Echo) {
	handler := mcp.New(mcp.Config{
		Tools:    s.tools,
		Version:  s.doc.Info.Version,
		BasePath: BasePath,
		Dispatch: e,
		MaxBody:  MaxBody,
		Reach:    s.reachOfHeader,
		Refuse:   s.countMessage,
	})
	allow := s.allowOrigins(http.MethodPost)
	e.OPTIONS(mcpPath, preflight, allow)
	e.POST(mcpPath, func(c echo.Context) error {
		r := c.Request()
		raw := r.Context().Value(bodyKey{}).([]byte)
		c.Response().Before(func() { // the SDK has its own
			c.Response().Header().Set(echo.HeaderCacheControl, "no-store")
		})
		forward := r.Clone(r.Context())
		forward.Body = io.NopCloser(bytes.NewReader(raw))
		forward.Header.Set(echo.HeaderXRequestID, requestIDOf(c))
		handler.ServeHTTP(c.Response(), forward)
		return nil
	}, allow, s.refuseRebinding, s.authenticateAgent, s.holdAgent, s.checkMediaType, s.readBody, s.awaitTurn, s.stepUp,
		s.shareMessages, compress)
	s.serveResourceMetadata(e)
}

// authenticateAgent takes an OAuth token alone: a partner token is a backend's, with its header and without.
func (s *Server) authenticateAgent(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if len(r.Header.Values(echo.HeaderAuthorization)) == 0 {
			return s.challenge(errNoAgentToken, "", readScope)
		}
		raw, ok := bearer(r)
		if !ok || len(r.Header.Values(headerPartner)) > 0 {
			return s.challenge(errNoAgentToken, "invalid_token", readScope)
		}
		found, err := s.oauthToken(r.Context(), raw)
		if f := failureOf(err); err != nil && f.status == http.StatusUnauthorized {
			return because(s.challenge(f, "invalid_token", readScope), reasonOf(err))
		}
		if err != nil {
			return err
		}
		shown := credential{oauth: &found, token: nameOfToken(raw)}
		c.SetRequest(r.WithContext(context.WithValue(by(c, shown, uuid.Nil), credentialKey{}, shown)))
		return next(c)
	}
}

// calledTools is where stepUp leaves the names of the tools a message calls, for the log.
const calledTools = "called tools"

// stepUp refuses a call whose scope the token lacks as the HTTP answer that makes a client ask for more (MCP,
// Authorization, step-up). It names what the token has too, so that the new token does not lose it.
func (s *Server) stepUp(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		granted := credentialOf(ctx).oauth.Scopes
		wanted := slices.Clone(granted)
		missing, called := "", []string{}
		for _, name := range mcp.Called(ctx.Value(bodyKey{}).([]byte)) {
			i := slices.IndexFunc(s.tools, func(t mcp.Tool) bool { return t.Name == name })
			if i < 0 {
				continue
			}
			called = append(called, name)
			if scope := s.tools[i].Scope; !slices.Contains(granted, scope) {
				missing, wanted = scope, append(wanted, scope)
			}
		}
		if len(called) > 0 {
			c.Set(calledTools, called)
		}
		if missing == "" {
			return next(c)
		}
		wanted = slices.DeleteFunc(slices.Clone(Scopes), func(scope string) bool {
			return !slices.Contains(wanted,
				scope)
		})
		return s.challenge(insufficientScope(missing), "insufficient_scope", strings.Join(wanted, " "))
	}
}

var errNoAgentToken = &failure{status: http.StatusUnauthorized,
	message: "Send an OAuth access token: Authorization: Bearer <token>, without X-Service-Partner."}

// challenge is a failure with what a client needs to obtain the right token (RFC 6750, section 3; RFC 9728, section
// 5.1).
func (s *Server) challenge(f *failure, code, scope string) *failure {
	challenged := *f
	challenged.challenge = `Bearer realm="bizfin"`
	if code != "" {
		challenged.challenge += fmt.Sprintf(", error=%q", code)
	}
	challenged.challenge += fmt.Sprintf(", scope=%q", scope)
	if len(s.authorizationServers()) > 0 {
		challenged.challenge += fmt.Sprintf(", resource_metadata=%q", s.PublicURL+metadataPath+mcpPath)
	}
	return &challenged
}
