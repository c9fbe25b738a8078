// Package oauth verifies JWT access tokens (RFC 9068) of the authorization servers that this resource server trusts.
// It fetches their metadata and keys over HTTP, when the first token of each arrives.
package oauth

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"strings"
)

// ParseIssuers reads issuers separated by commas, each as URL or as URL=JWKS-URL. Addresses are https, or http on a
// loopback address.
func ParseIssuers(text string) ([]Issuer, error) {
	var issuers []Issuer
	for entry := range strings.SplitSeq(text, ",") {
		entry = strings.TrimSpace(entry)
		if entry == "" {
			continue
		}
		issuer, jwks, direct := strings.Cut(entry, "=")
		switch {
		case !trusted(issuer) || strings.ContainsAny(issuer, "?#"):
			return nil, fmt.Errorf("oauth: %q is no issuer: it must be an https URL without query, or http on a "+
				"loopback address", issuer)
		case direct && !trusted(jwks):
			return nil, fmt.Errorf("oauth: the keys of %s must be at an https URL, or http on a loopback address",
				issuer)
		case slices.ContainsFunc(issuers, func(i Issuer) bool { return i.URL == issuer }):
			return nil, fmt.Errorf("oauth: %s is listed twice", issuer)
		}
		issuers = append(issuers, Issuer{URL: issuer, JWKS: jwks})
	}
	return issuers, nil
}

// Config is what a verifier needs.
type Config struct {
	Issuers   []Issuer
	Audiences []string // a token must name one of them
	Log       *slog.Logger
}

// Verifier verifies the tokens of some issuers. It is safe for concurrent use.
type Verifier struct {
	issuers   map[string]*issuer
	urls      []string
	audiences []string
}

// New makes a verifier. It asks no issuer anything yet: one that is down delays only its own tokens.
func New(c Config) *Verifier {
	v := &Verifier{issuers: map[string]*issuer{}, audiences: c.Audiences}
	client := &http.Client{
		Timeout:   fetchTime,
		Transport: capped{http.DefaultTransport},
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return errors.New("oauth: an issuer must not redirect")
		},
	}
	for _, i := range c.Issuers {
		v.issuers[i.URL] = newIssuer(i, client, c.Log)
		v.urls = append(v.urls, i.URL)
	}
	return v
}

// Issuers are the URLs of the issuers, in the order they were given.
func (v *Verifier) Issuers() []string { return slices.Clone(v.urls) }

// capped bounds what is read of an answer.
type capped struct{ http.RoundTripper }

func (c capped) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := c.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	response.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(response.Body, fetchBytes), response.Body}
	return response, nil
}
