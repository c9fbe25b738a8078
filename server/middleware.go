package server

import (
	"context"
	"log/slog"
	"net/http"
	"regexp"
	"runtime/debug"
	"time"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"bizfin/server/limit"
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

// delayRefusals keeps a flood of requests that are refused from taking the cores from those that are served.
func (s *Server) delayRefusals(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		began, ctx := time.Now(), c.Request().Context() // what stands within may leave one that has ended
		err := next(c)
		took := time.Since(began)
		if err == nil || mcp.Inner(ctx) || failureOf(err).status >= http.StatusInternalServerError {
			return err
		}
		holder, _ := c.Get(countedFor).(limit.Subject) // nobody in particular where it counts for none
		s.refusals.wait(clientOf(ctx), holder, took)
		return err
	}
}
