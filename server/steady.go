package server

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"bizfin/server/mcp"
)

// How an answer must be taken: each writeStep within writePause. Whoever reads less is not waited for, and what was
// kept for the answer is free again.
const (
	writeStep  = 64 << 10
	writePause = 10 * time.Second
)

// sendSteadily gives up clients that do not read their answer.
func (s *Server) sendSteadily(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !mcp.Inner(c.Request().Context()) {
			writer := c.Response().Writer
			c.Response().Writer = &steadyWriter{ResponseWriter: writer, connection: http.NewResponseController(writer)}
		}
		return next(c)
	}
}

// steadyWriter sets the deadline of each step as it begins.
type steadyWriter struct {
	http.ResponseWriter
	connection *http.ResponseController
}

func (w *steadyWriter) Write(data []byte) (written int, err error) {
	for {
		step := data[written:min(len(data), written+writeStep)]
		if err := w.connection.SetWriteDeadline(time.Now().Add(writePause)); err != nil {
			return written, err
		}
		n, err := w.ResponseWriter.Write(step)
		written += n
		if err != nil || written == len(data) {
			return written, err
		}
	}
}

// Unwrap gives http.ResponseController the writer underneath.
func (w *steadyWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }
