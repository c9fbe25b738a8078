package server

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"

	"bizfin/openapi"
	"bizfin/server/docs"
)

// serveDocument serves the contract: as JSON, as YAML exactly as it stands in the tree, and as pages to read and try.
func (s *Server) serveDocument(e *echo.Echo) error {
	asJSON, err := contractAsJSON()
	if err != nil {
		return err
	}
	simpleAsJSON, err := simpleAsJSON()
	if err != nil {
		return err
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
	}, mayBeKept)
	e.GET("/", func(c echo.Context) error {
		if prefersHTML(c.Request()) {
			return c.Redirect(http.StatusSeeOther, pages+"/")
		}
		return echo.ErrNotFound
	}, mayBeKept)
	e.GET(BasePath+"/openapi.json", serveJSON, mayBeKept, compress)
	// Beside the contract, for generators that cannot read all of it.
	e.GET(BasePath+"/openapi.simple.json", func(c echo.Context) error {
		return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, simpleAsJSON)
	}, mayBeKept, compress)
	e.GET(BasePath+"/openapi.yaml", func(c echo.Context) error {
		return c.Blob(http.StatusOK, "application/yaml", openapi.YAML)
	}, mayBeKept, compress)
	e.GET(pages, func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, pages+"/") })
	e.GET(pages+"/*", func(c echo.Context) error {
		site, err := documentation()
		if err != nil {
			return err
		}
		site.ServeHTTP(c.Response(), c.Request())
		return nil
	}, mayBeKept, middleware.Gzip())
	return nil
}

// The contract and its forms are the same for every server of a process: they are read once, and nobody changes them.
var (
	contract       = sync.OnceValues(openapi.Load)
	contractAsJSON = sync.OnceValues(func() ([]byte, error) { return marshalled(contract()) })
	simpleAsJSON   = sync.OnceValues(func() ([]byte, error) { return marshalled(openapi.Simple()) })
)

func marshalled(doc *openapi3.T, err error) ([]byte, error) {
	if err != nil {
		return nil, fmt.Errorf("server: document: %w", err)
	}
	asJSON, err := doc.MarshalJSON()
	if err != nil {
		return nil, fmt.Errorf("server: document as JSON: %w", err)
	}
	return asJSON, nil
}

// documentation is rendered when it is first asked for, so that no start waits for it.
var documentation = sync.OnceValues(func() (*docs.Site, error) { return docs.New(BasePath) })

// prefersHTML tells a browser from a program.
func prefersHTML(r *http.Request) bool {
	return strings.Contains(r.Header.Get(echo.HeaderAccept), echo.MIMETextHTML)
}
