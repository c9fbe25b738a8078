package server

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

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
	e.GET(pages, func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, pages+"/") })
	e.GET(pages+"/*", func(c echo.Context) error {
		site, err := documentation()
		if err != nil {
			return err
		}
		site.ServeHTTP(c.Response(), c.Request())
		return nil
	}, middleware.Gzip())
	return nil
}

// documentation is rendered when it is first asked for, so that no start waits for it.
var documentation = sync.OnceValues(func() (*docs.Site, error) { return docs.New(BasePath) })

// prefersHTML tells a browser from a program.
func prefersHTML(r *http.Request) bool {
	return strings.Contains(r.Header.Get(echo.HeaderAccept), echo.MIMETextHTML)
}
