package server

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
	"golang.org/x/sync/semaphore"

	"bizfin/server/mcp"
	"bizfin/server/validate"
)

// MaxBody is the size of a request body, 1 MiB (contract, Limits).
const MaxBody = 1 << 20

// Any number of clients may send bodies at once; this much of them is in memory, and this much is decoded and stored
// at a time. The others wait for their turn.
const (
	heldBytes   = 80 * MaxBody
	atWorkBytes = 6 * MaxBody
)

// checkMediaType refuses a body that is not plain JSON in UTF-8.
func (s *Server) checkMediaType(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		header := c.Request().Header
		for _, encoding := range header.Values(echo.HeaderContentEncoding) {
			if encoding != "" && !strings.EqualFold(encoding, "identity") {
				return errMediaType
			}
		}
		media, params, err := mime.ParseMediaType(header.Get(echo.HeaderContentType))
		if err != nil || media != echo.MIMEApplicationJSON || len(header.Values(echo.HeaderContentType)) > 1 {
			return errMediaType
		}
		if charset, given := params["charset"]; given && !strings.EqualFold(charset, "utf-8") {
			return errMediaType
		}
		return next(c)
	}
}

// readBody takes the body into memory, however it is sent, up to MaxBody.
func (s *Server) readBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		size := r.ContentLength
		if size > MaxBody {
			discard(c.Response(), r.Body)
			return errTooLarge
		}
		if size < 0 {
			size = MaxBody // sent in chunks
		}
		if err := s.acquire(r.Context(), s.held, size); err != nil {
			return err
		}
		defer s.release(r.Context(), s.held, size)
		raw, err := readAll(http.MaxBytesReader(c.Response(), r.Body, MaxBody), r.ContentLength)
		var tooLarge *http.MaxBytesError
		switch {
		case errors.As(err, &tooLarge):
			discard(c.Response(), r.Body)
			return errTooLarge
		case errors.Is(err, io.ErrUnexpectedEOF):
			return errBodyNotRead
		case err != nil && r.Context().Err() != nil:
			return r.Context().Err()
		case err != nil:
			return errBodyNotRead
		}
		if err := s.acquire(r.Context(), s.atWork, int64(len(raw))); err != nil {
			return err
		}
		defer s.release(r.Context(), s.atWork, int64(len(raw)))
		c.SetRequest(r.WithContext(context.WithValue(r.Context(), bodyKey{}, raw)))
		return next(c)
	}
}

// acquire waits for a share of a limit. The inner request of a tool call has the share of the one that carries it: with
// one of its own, those that hold all shares could wait for each other.
func (s *Server) acquire(ctx context.Context, limit *semaphore.Weighted, size int64) error {
	if mcp.Inner(ctx) {
		return nil
	}
	return limit.Acquire(ctx, size)
}

func (s *Server) release(ctx context.Context, limit *semaphore.Weighted, size int64) {
	if !mcp.Inner(ctx) {
		limit.Release(size)
	}
}

// discard reads on for a while, so that a client which sends before it reads gets to see the answer. One that has
// stopped sending is not waited for.
func discard(w http.ResponseWriter, body io.Reader) {
	const patience = time.Second
	if http.NewResponseController(w).SetReadDeadline(time.Now().Add(patience)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, body, 4*MaxBody)
}

// hasUnreadBody is whether a request came with a body that was not read to its end.
func hasUnreadBody(r *http.Request) bool {
	_, read := r.Context().Value(bodyKey{}).([]byte)
	return r.ContentLength != 0 && !read
}

func readAll(body io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		return io.ReadAll(body)
	}
	raw := make([]byte, length)
	_, err := io.ReadFull(body, raw)
	return raw, err
}

type bodyKey struct{}

// validateBody judges the parameters and the body together, so that all problems are told at once, and leaves the
// accepted text for the binder.
func (op *operation) validateBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		raw := c.Request().Context().Value(bodyKey{}).([]byte)
		text, problems, err := op.judge.Body(raw)
		if errors.Is(err, validate.ErrMalformed) {
			return errMalformedJSON
		}
		if err != nil {
			return err
		}
		params, err := pathParams(c)
		if err != nil {
			return err
		}
		others, err := op.judge.Parameters(c.Request(), params)
		if err != nil {
			return err
		}
		if problems = append(others, problems...); len(problems) > 0 {
			return unprocessable(problems...)
		}
		c.Set(acceptedBody, text)
		return next(c)
	}
}

// validateParameters judges the request of an operation without a body.
func (op *operation) validateParameters(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		params, err := pathParams(c)
		if err != nil {
			return err
		}
		problems, err := op.judge.Parameters(c.Request(), params)
		if err != nil {
			return err
		}
		if len(problems) > 0 {
			return unprocessable(problems...)
		}
		return next(c)
	}
}

// acceptedBody is where validateBody leaves the text that it has accepted.
const acceptedBody = "accepted body"

// binder gives the generated code the text that was judged, instead of a second and laxer decoding.
type binder struct{}

func (binder) Bind(into any, c echo.Context) error {
	text, ok := c.Get(acceptedBody).([]byte)
	if !ok {
		return errors.New("server: the body was not validated")
	}
	return validate.Bind(text, into)
}
