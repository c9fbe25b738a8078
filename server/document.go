package server

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"
	"github.com/swaggest/swgui/v5emb"

	"bizfin/openapi"
)

// serveDocument serves the contract: as JSON, as YAML exactly as it stands in the tree, and as a page to read and try.
func (s *Server) serveDocument(e *echo.Echo) error {
	asJSON, err := s.doc.MarshalJSON()
	if err != nil {
		return fmt.Errorf("server: document as JSON: %w", err)
	}
	serveJSON := func(c echo.Context) error {
		return c.Blob(http.StatusOK, echo.MIMEApplicationJSON, asJSON)
	}
	const docs = BasePath + "/docs"
	e.GET(BasePath, func(c echo.Context) error {
		if prefersHTML(c.Request()) {
			return c.Redirect(http.StatusSeeOther, docs+"/")
		}
		return serveJSON(c)
	})
	e.GET(BasePath+"/openapi.json", serveJSON)
	e.GET(BasePath+"/openapi.yaml", func(c echo.Context) error {
		return c.Blob(http.StatusOK, "application/yaml", openapi.YAML)
	})
	reference := echo.WrapHandler(v5emb.New(s.doc.Info.Title, BasePath+"/openapi.json", docs+"/"))
	e.GET(docs, func(c echo.Context) error { return c.Redirect(http.StatusSeeOther, docs+"/") })
	e.GET(docs+"/*", reference)
	return nil
}

// prefersHTML tells a browser from a program.
func prefersHTML(r *http.Request) bool {
	return strings.Contains(r.Header.Get(echo.HeaderAccept), echo.MIMETextHTML)
}
