package server

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"bizfin/openapi"
	"bizfin/server/docs"
)

// serveDocument serves the contract: as JSON, as YAML exactly as it stands in the tree, and as pages to read and try.
func (s *Server) serveDocument(e *echo.Echo) error {
	asJSON, err := s.doc.MarshalJSON()
	if err != nil {
		return fmt.Errorf("server: document as JSON: %w", err)
	}
	serveJSON := func(c echo.Context) error {
		return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, asJSON)
	}
	const pages = BasePath + "/docs"
	e.GET(BasePath, func(c echo.Context) error {
		if prefersHTML(c.Request()) {
			return c.Redirect(http.StatusSeeOther, pages+"/")
		}
		return serveJSON(c)
	})
	e.GET(BasePath+"/openapi.json", serveJSON)
	e.GET(BasePath+"/openapi.yaml", func(c echo.Context) error {
		return c.Blob(http.StatusOK, "application/yaml", openapi.YAML)
	})
	site, err := docs.New(s.doc, BasePath)
	if err != nil {
		return fmt.Errorf("server: %w", err)
	}
	e.GET(pages, func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, pages+"/") })
	e.GET(pages+"/*", echo.WrapHandler(site), middleware.Gzip())
	return nil
}

// prefersHTML tells a browser from a program.
func prefersHTML(r *http.Request) bool {
	return strings.Contains(r.Header.Get(echo.HeaderAccept), echo.MIMETextHTML)
}
