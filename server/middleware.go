package server

import (
	"compress/gzip"
	"context"
	"fmt"
	"log/slog"
	"regexp"
	"runtime/debug"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"bizfin/server/mcp"
)

var saneRequestID = regexp.MustCompile(`^[A-Za-z0-9._:-]{1,128}$`)

// requestID keeps the caller's X-Request-Id where it is sane, or makes one.
func (s *Server) requestID(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		id := c.Request().Header.Get(echo.HeaderXRequestID)
		if !saneRequestID.MatchString(id) {
			id = uuid.NewString()
		}
		c.Response().Header().Set(echo.HeaderXRequestID, id)
		return next(c)
	}
}

func requestIDOf(c echo.Context) string {
	return c.Response().Header().Get(echo.HeaderXRequestID)
}

// keepNowhere tells caches and browsers to keep no answer and to guess no media type: almost all hold data of a
// business.
func keepNowhere(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		header := c.Response().Header()
		header.Set(echo.HeaderCacheControl, "no-store")
		header.Set(echo.HeaderXContentTypeOptions, "nosniff")
		return next(c)
	}
}

// mayBeKept is for what everybody may see.
func mayBeKept(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Del(echo.HeaderCacheControl)
		return next(c)
	}
}

// compressed begins at so many bytes. Smaller answers are not worth the time that others wait for.
const compressed = 16 << 10

// compress sends large answers as gzip to those who take it. That tells nobody a secret by the length of an answer
// (BREACH): no answer holds a credential, and whoever makes a request has shown the token by itself, so that no page of
// another site can make one for somebody else.
var compress = middleware.GzipWithConfig(middleware.GzipConfig{Level: gzip.BestSpeed, MinLength: compressed})

// logAndMeasure writes one line a request, with what identifies it and nothing of its content.
func (s *Server) logAndMeasure(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		who := withCaller(c)
		if mcp.Inner(c.Request().Context()) {
			return next(c) // the request that carries it is logged and counted
		}
		start := s.Now()
		err := next(c)
		if err != nil {
			c.Error(err) // so that the status below is the one that was sent
		}
		took := s.Now().Sub(start)
		route := c.Path()
		if route == "" {
			route = "none"
		}
		s.metrics.observe(c.Request().Method, route, c.Response().Status, took, err)
		nameSpan(c, route)
		level := slog.LevelInfo
		if quiet[route] {
			level = slog.LevelDebug
		}
		attributes := []slog.Attr{
			slog.String("method", c.Request().Method),
			slog.String("route", route),
			slog.Int("status", c.Response().Status),
			slog.Int64("bytes", c.Response().Size),
			slog.Duration("took", took),
			slog.String("request_id", requestIDOf(c)),
		}
		attributes = append(attributes, who.attributes()...)
		if err != nil && reasonOf(err) != "" {
			attributes = append(attributes, slog.String("refused", reasonOf(err)))
		}
		if tools, ok := c.Get(calledTools).([]string); ok {
			attributes = append(attributes, slog.Any("tools", tools))
		}
		if limited, ok := c.Get(limitedSubject).(string); ok {
			attributes = append(attributes, slog.String("limited", limited))
		}
		s.Log.LogAttrs(c.Request().Context(), level, "request", attributes...)
		return nil
	}
}

// nameSpan says in the trace which operation a request was; paths hold ids, so their routes are named.
func nameSpan(c echo.Context, route string) {
	span := trace.SpanFromContext(c.Request().Context())
	if !span.IsRecording() {
		return
	}
	span.SetName(c.Request().Method + " " + route)
	span.SetAttributes(attribute.String("http.route", route), attribute.String("bizfin.request_id", requestIDOf(c)))
}

// panicked carries a panic to the log.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }

func (s *Server) recoverPanic(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		defer func() {
			if value := recover(); value != nil {
				err = &panicked{value: value, stack: debug.Stack()}
			}
		}()
		return next(c)
	}
}

// limitTime bounds what a request may take; what it was doing is canceled, and the answer is the one of a failure.
func (s *Server) limitTime(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		connection := c.Request().Context()
		ctx, cancel := context.WithTimeout(context.WithValue(connection, clientKey{}, connection), s.RequestTimeout)
		defer cancel()
		c.SetRequest(c.Request().WithContext(ctx))
		return next(c)
	}
}

type clientKey struct{}

// clientOf is the context that ends when the client goes away, and at no other time.
func clientOf(ctx context.Context) context.Context {
	return ctx.Value(clientKey{}).(context.Context)
}

// afresh is ctx with all its time before it.
func (s *Server) afresh(ctx context.Context) (context.Context, context.CancelFunc) {
	fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.RequestTimeout)
	stop := context.AfterFunc(clientOf(ctx), cancel)
	return fresh, func() { stop(); cancel() }
}
