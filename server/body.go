package server

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"bizfin/server/mcp"
	"bizfin/server/validate"
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

// readBody takes the body into memory, however it is sent, up to MaxBody. How long it takes is not part of what the
// request may take: that begins when it is here.
func (s *Server) readBody(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if mcp.Inner(r.Context()) {
			raw, err := io.ReadAll(http.MaxBytesReader(c.Response(), r.Body, MaxBody))
			if err != nil {
				return bodyFailure(err)
			}
			return next(withBody(c, r.Context(), raw))
		}
		if r.ContentLength > MaxBody {
			discard(c.Response(), r.Body)
			return errTooLarge
		}
		held, raw, err := s.receive(c)
		defer held.leave()
		if err != nil {
			err = bodyFailure(err)
			if errors.Is(err, errTooLarge) {
				discard(c.Response(), r.Body)
			}
			return err
		}
		ctx, cancel := s.afresh(r.Context())
		defer cancel()
		return next(withBody(c, context.WithValue(ctx, holdingKey{}, held), raw))
	}
}

// afresh is ctx with all its time before it.
func (s *Server) afresh(ctx context.Context) (context.Context, context.CancelFunc) {
	fresh, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.RequestTimeout)
	stop := context.AfterFunc(clientOf(ctx), cancel)
	return fresh, func() { stop(); cancel() }
}

// refuseLargeBody is for the one operation that takes a POST without a body: what is sent all the same is not read, but
// a large one is refused like any other, however it is sent.
func (op *operation) refuseLargeBody(next echo.HandlerFunc) echo.HandlerFunc {
	if !op.connects {
		return next
	}
	return func(c echo.Context) error {
		r := c.Request()
		if r.ContentLength < 0 && !mcp.Inner(r.Context()) {
			defer op.paceChunks(r)()
			deadline := time.Now().Add(bodyStart + MaxBody/leastRate*time.Second)
			if err := http.NewResponseController(c.Response()).SetReadDeadline(deadline); err != nil {
				return err
			}
			if n, err := io.Copy(io.Discard, io.LimitReader(r.Body, MaxBody+1)); err != nil {
				return bodyFailure(err)
			} else if n <= MaxBody {
				return next(c)
			}
		}
		if r.ContentLength < 0 || r.ContentLength > MaxBody {
			discard(c.Response(), r.Body)
			return errTooLarge
		}
		return next(c)
	}
}

func withBody(c echo.Context, ctx context.Context, raw []byte) echo.Context {
	c.SetRequest(c.Request().WithContext(context.WithValue(ctx, bodyKey{}, raw)))
	return c
}

// bodyFailure is what is wrong with a body that could not be read.
func bodyFailure(err error) error {
	var known *failure
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &tooLarge):
		return errTooLarge
	case errors.Is(err, os.ErrDeadlineExceeded):
		return errTooSlow
	case errors.Is(err, context.Canceled):
		return err
	default:
		return errBodyNotRead
	}
}

// holding is the memory of a body, and the shares of those who hold it.
type holding struct {
	arrival *arrival
	shares  []func()
}

func (h *holding) leave() {
	h.arrival.release()
	for _, release := range h.shares {
		release()
	}
}

type holdingKey struct{}

// receive reads the body. Before its first byte it holds nothing, and waits for nobody.
func (s *Server) receive(c echo.Context) (*holding, []byte, error) {
	r := c.Request()
	from := holderOf(r.Context())
	held := &holding{
		arrival: &arrival{pool: s.strangers, connection: http.NewResponseController(c.Response())},
		shares:  []func(){s.paceChunks(r)},
	}
	body := http.MaxBytesReader(c.Response(), r.Body, MaxBody)
	first := make([]byte, 512)
	if err := held.arrival.connection.SetReadDeadline(time.Now().Add(bodyStart)); err != nil {
		return held, nil, err
	}
	n, err := io.ReadAtLeast(body, first, 1)
	if err != nil && !errors.Is(err, io.EOF) {
		return held, nil, err
	}
	if from != nil {
		held.arrival.pool = s.callers
		if err := s.shareHeld(c, held, *from, r.ContentLength); err != nil {
			return held, nil, err
		}
	}
	held.arrival.began = time.Now()
	raw := []byte{}
	if n > 0 {
		if raw, err = held.arrival.read(clientOf(r.Context()), body, first[:n], r.ContentLength); err != nil {
			return held, nil, err
		}
	}
	return held, raw, held.arrival.connection.SetReadDeadline(time.Time{})
}

// shareHeld waits for the holder's shares of what is held, for all that a body announces.
func (s *Server) shareHeld(c echo.Context, held *holding, from holder, length int64) error {
	if length < 0 {
		length = MaxBody // sent in chunks
	}
	ctx := clientOf(c.Request().Context())
	release, err := s.heldByCredential.acquire(ctx, from.credential, length)
	if err != nil {
		return err
	}
	held.shares = append(held.shares, release)
	if release, err = s.heldByPartner.acquire(ctx, from.partner, length); err != nil {
		return err
	}
	held.shares = append(held.shares, release)
	return nil
}

// awaitTurn lets so much be decoded and stored at a time, and of each partner or agent no more than its share.
func (s *Server) awaitTurn(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		ctx := c.Request().Context()
		if mcp.Inner(ctx) {
			return next(c) // it has the turn of the one that carries it
		}
		size := int64(len(ctx.Value(bodyKey{}).([]byte)))
		const everybody = ""
		leaveOwn, err := s.atWorkByHolder.acquire(ctx, holderOf(ctx).partner, size)
		if err != nil {
			return err
		}
		defer leaveOwn()
		leave, err := s.atWork.acquire(ctx, everybody, size)
		if err != nil {
			return err
		}
		defer leave()
		return next(c)
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
