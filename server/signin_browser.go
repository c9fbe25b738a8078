package server

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"net/http"
	"strings"
	"time"

	"github.com/labstack/echo/v4"
)

// newSecret makes 256 random bits as text for an address, a cookie or a header.
func newSecret() string {
	raw := make([]byte, 32)
	rand.Read(raw)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// ownedBy makes, of what a browser alone holds, a text for one purpose in one sign-in. Whoever sees it learns nothing
// of any other.
func ownedBy(browser, purpose, request string) string {
	mac := hmac.New(sha256.New, []byte(browser))
	mac.Write([]byte(purpose + " " + request))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// hmacEqual compares two texts in a time that does not depend on them.
func hmacEqual(a, b string) bool { return hmac.Equal([]byte(a), []byte(b)) }

// cookieName is another for each sign-in, so that two of them in one browser do not take each other's place.
func (s *Server) cookieName(request string) string {
	sum := sha256.Sum256([]byte(request))
	name := "agent_" + hex.EncodeToString(sum[:8])
	if s.secure() {
		return "__Host-" + name
	}
	return name
}

// secure is whether browsers come by https. Otherwise this is a machine that somebody develops on.
func (s *Server) secure() bool { return strings.HasPrefix(s.PublicURL, "https://") }

func (s *Server) setCookie(c echo.Context, request, browser string, age time.Duration) {
	c.SetCookie(&http.Cookie{Name: s.cookieName(request), Value: browser, Path: "/", MaxAge: int(age.Seconds()),
		HttpOnly: true, Secure: s.secure(), SameSite: http.SameSiteLaxMode})
}

// browserOf is the secret of the browser that began a sign-in; empty for another one.
func (s *Server) browserOf(c echo.Context, request string) string {
	cookie, err := c.Cookie(s.cookieName(request))
	if err != nil {
		return ""
	}
	return cookie.Value
}
