package server

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/labstack/echo/v4"

	"bizfin/openapi"
	"bizfin/server/docs"
	"bizfin/server/limit"
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
	serve := func(media string, body docs.Packed) echo.HandlerFunc {
		return func(c echo.Context) error {
			c.Response().Header().Set(echo.HeaderContentType, media)
			body.Write(c.Response(), c.Request())
			return nil
		}
	}
	serveJSON := serve(echo.MIMEApplicationJSON, asJSON)
	held := s.holdAddress("documents", documentsRule)
	const pages = BasePath + "/docs"
	get := func(path string, h echo.HandlerFunc, m ...echo.MiddlewareFunc) { // and HEAD (RFC 9110, section 9.1)
		e.Match([]string{http.MethodGet, http.MethodHead}, path, h, m...)
	}
	get(BasePath, func(c echo.Context) error {
		if prefersHTML(c.Request()) {
			return c.Redirect(http.StatusSeeOther, pages+"/")
		}
		return serveJSON(c)
	}, held, mayBeKept)
	get("/", func(c echo.Context) error {
		if prefersHTML(c.Request()) {
			return c.Redirect(http.StatusSeeOther, pages+"/")
		}
		return echo.ErrNotFound
	}, mayBeKept)
	get(BasePath+"/openapi.json", serveJSON, held, mayBeKept)
	// Beside the contract, for generators that cannot read all of it.
	get(BasePath+"/openapi.simple.json", serve(echo.MIMEApplicationJSON, simpleAsJSON), held, mayBeKept)
	get(BasePath+"/openapi.yaml", serve("application/yaml", contractAsYAML()), held, mayBeKept)
	get(pages, func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, pages+"/") })
	get(pages+"/*", func(c echo.Context) error {
		site, err := documentation()
		if err != nil {
			return err
		}
		site.ServeHTTP(c.Response(), c.Request())
		return nil
	}, held, mayBeKept)
	return nil
}

// documentsRule is for anybody who can reach the address: the answers are large, and whoever keeps them asks seldom.
var documentsRule = limit.Rule{PerSecond: 300, Per: time.Minute, InFlight: 16}

// The contract and its forms are the same for every server of a process: they are read once, and nobody changes them.
var (
	contract       = sync.OnceValues(openapi.Load)
	contractAsJSON = sync.OnceValues(func() (docs.Packed, error) { return marshalled(contract()) })
	contractAsYAML = sync.OnceValue(func() docs.Packed { return docs.Pack(openapi.YAML) })
	simpleAsJSON   = sync.OnceValues(func() (docs.Packed, error) { return marshalled(openapi.Simple()) })
)

func marshalled(doc *openapi3.T, err error) (docs.Packed, error) {
	if err != nil {
		return docs.Packed{}, fmt.Errorf("server: document: %w", err)
	}
	asJSON, err := doc.MarshalJSON()
	if err != nil {
		return docs.Packed{}, fmt.Errorf("server: document as JSON: %w", err)
	}
	return docs.Pack(asJSON), nil
}

// documentation is rendered when it is first asked for, so that no start waits for it.
var documentation = sync.OnceValues(func() (*docs.Site, error) { return docs.New(BasePath) })

// prefersHTML tells a browser from a program.
func prefersHTML(r *http.Request) bool {
	return strings.Contains(r.Header.Get(echo.HeaderAccept), echo.MIMETextHTML)
}
