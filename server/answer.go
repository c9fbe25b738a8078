package server

import (
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strconv"

	"github.com/klauspost/compress/gzhttp"
	"github.com/labstack/echo/v4"

	"bizfin/gen/api"
	"bizfin/store"
)

// answerError is Echo's error handler: every error becomes the document's Error. The cause of a 500 goes to the log.
func (s *Server) answerError(err error, c echo.Context) {
	f := failureOf(err)
	switch {
	case f == errFailed && errors.Is(err, context.Canceled):
		s.Log.InfoContext(c.Request().Context(), "the client went away", slog.String("request_id",
			requestIDOf(c)), slog.String("route", c.Path()))
	case f == errFailed, errors.Is(err, store.ErrSlow): // whoever runs this wants to know which statement
		s.Log.ErrorContext(c.Request().Context(), "request failed",
			slog.Any("error", err), slog.String("request_id", requestIDOf(c)), slog.String("route", c.Path()))
	}
	if c.Response().Committed {
		return
	}
	tellFailure(c, f)
	body := api.ErrorBody{Error: f.message}
	if f.problems != nil {
		s.metrics.told(f.problems)
		problems := make([]api.Issue, len(f.problems))
		for i, problem := range f.problems {
			problems[i] = api.Issue{In: api.IssueIn(problem.In), Path: problem.Path, Code: problem.Code,
				Message: problem.Message}
		}
		body.Issues = &problems
	}
	if err := c.JSON(f.status, body); err != nil {
		s.Log.WarnContext(c.Request().Context(), "answer not sent", slog.Any("error", err),
			slog.String("request_id", requestIDOf(c)))
	}
}

// tellFailure writes what a failure has beside its body.
func tellFailure(c echo.Context, f *failure) {
	header := c.Response().Header()
	if f.challenge != "" {
		header.Set(echo.HeaderWWWAuthenticate, f.challenge)
	}
	if f.retry > 0 {
		header.Set(echo.HeaderRetryAfter, strconv.Itoa(f.retry))
	}
	if r := c.Request(); hasUnreadBody(r) && r.ProtoMajor == 1 {
		// Otherwise net/http waits for the body before it sends the answer.
		header.Set("Connection", "close")
	}
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

// packed packs what is written by a handler. It takes half the time of Echo's own, which packs by the standard library,
// for a tenth less.
var packed = func() func(http.Handler) http.HandlerFunc {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(compressed), gzhttp.CompressionLevel(gzip.BestSpeed),
		gzhttp.EnableZstd(false))
	if err != nil {
		panic(err)
	}
	return wrap
}()

// compress sends large answers as gzip to those who take it. That tells nobody a secret by the length of an answer
// (BREACH): no answer holds a credential, and whoever makes a request has shown the token by itself, so that no page of
// another site can make one for somebody else.
func compress(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) (err error) {
		response := c.Response()
		plain := response.Writer
		defer func() { response.Writer = plain }()
		packed(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			response.Writer = w
			err = next(c)
		})).ServeHTTP(plain, c.Request())
		return err
	}
}

// panicked carries a panic to the log.
type panicked struct {
	value any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v\n%s", p.value, p.stack) }
