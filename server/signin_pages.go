package server

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"strings"

	"github.com/google/uuid"
	"github.com/labstack/echo/v4"

	"bizfin/store"
)

// The pages of a sign-in are for people who may have come here by a trick. They need no script, load nothing, may stand
// in no frame, and tell nobody where their reader was.

//go:embed pages/*.html pages/style.css
var pageFiles embed.FS

var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"style": func() template.CSS { return pageStyle },
}).ParseFS(pageFiles, "pages/*.html"))

var pageStyle = func() template.CSS {
	style, err := pageFiles.ReadFile("pages/style.css")
	if err != nil {
		panic(err)
	}
	return template.CSS(style)
}()

// pagePolicy names no form-action: it would hold for where a form's answer leads too, which is the program.
var pagePolicy = func() string {
	sum := sha256.Sum256([]byte(pageStyle))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; base-uri " +
		"'none'; frame-ancestors 'none'"
}()

// partnerPage asks which partner knows the person. Without a program they want to see what they let in.
type partnerPage struct {
	Client, Request, Token string
	Partners               []store.SignInPartner
}

// consentPage asks the person what the program may do.
type consentPage struct {
	Problem        string
	Request, Token string
	Client         string // its name
	Registered     bool   // the name is the program's own word
	Host           string // who says so where it is not
	Where          string // where the person is sent back to
	Local          bool   // that is on their own computer
	Person, Email  string
	Partner        string
	PartnerID      string
	Businesses     []consentBusiness
	Scopes         []consentScope
	All            bool // the businesses begin chosen
}

type consentBusiness struct {
	ID   uuid.UUID
	Name string
	Role string
}

type consentScope struct{ Name, Words string }

// donePage is for a person who comes back after they decided.
type donePage struct{ Client string }

// failedPage says what went wrong.
type failedPage struct{ Title, Message, RequestID string }

// page answers a page.
func (s *Server) page(c echo.Context, status int, name string, content any) error {
	var body bytes.Buffer
	if err := pages.ExecuteTemplate(&body, name+".html", content); err != nil {
		return err
	}
	return c.HTMLBlob(status, body.Bytes())
}

// asPage keeps what a page may do, and answers failures to people: under a title, where it was they who could not go
// on.
func (s *Server) asPage(refused string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			header := c.Response().Header()
			header.Set(echo.HeaderContentSecurityPolicy, pagePolicy)
			header.Set(echo.HeaderXFrameOptions, "DENY")
			header.Set(echo.HeaderReferrerPolicy, "no-referrer")
			err := next(c)
			if err == nil || c.Response().Committed {
				return err
			}
			f, title := failureOf(err), "This did not work"
			tellFailure(c, f)
			if f.status < http.StatusInternalServerError && f.status != http.StatusTooManyRequests {
				title = refused
			}
			return errors.Join(err, s.page(c, f.status, "failed", failedPage{title, forPeople(f), requestIDOf(c)}))
		}
	}
}

// forPeople is a failure's message where it was not written for them.
func forPeople(f *failure) string {
	switch {
	case f.status == http.StatusTooManyRequests:
		return strings.Split(f.message, ":")[0] + ". Wait a minute, then begin again."
	case f.status >= http.StatusInternalServerError:
		return "The service could not answer. Begin again in a minute where you came from."
	default:
		return f.message
	}
}
