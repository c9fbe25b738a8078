package oauth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/MicahParks/keyfunc/v3"
	"golang.org/x/time/rate"
)

// Issuer is an authorization server.
type Issuer struct {
	URL  string // exactly as in the iss of its tokens
	JWKS string // where its keys are; empty: as its metadata says (RFC 8414, or OpenID Connect Discovery)
}

var (
	// ErrInvalid: the token is none of a trusted issuer for this service. The wrapped text is for the log.
	ErrInvalid = errors.New("access token is invalid")
	// ErrExpired is the ErrInvalid of a genuine token whose exp has passed.
	ErrExpired = fmt.Errorf("%w: expired", ErrInvalid)
	// ErrUnavailable: the issuer's keys have never been fetched, so nobody can say what the token is.
	ErrUnavailable = errors.New("issuer is unavailable")
)

// trusted reports whether what an address answers cannot have been changed on the way.
func trusted(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && Loopback(u.Host)
}

// issuer knows the keys of one authorization server.
type issuer struct {
	Issuer
	client *http.Client
	log    *slog.Logger
	turn   chan struct{}   // holds one token: whoever has it may read and change what follows
	keys   keyfunc.Keyfunc // nil until they have been fetched
	failed time.Time       // the last try to fetch them first
	cause  error           // why it failed
}

const (
	// retryAfter is how long an issuer that could not be asked is left alone.
	retryAfter = 5 * time.Second
	// Keys are fetched again at this interval, and for an unknown key id, which is how a rotation shows. The ids are
	// the caller's text, so that is limited to a few times a minute.
	refreshInterval = time.Hour
	unknownInterval = 20 * time.Second
	unknownBurst    = 3
)

func newIssuer(i Issuer, client *http.Client, log *slog.Logger) *issuer {
	return &issuer{Issuer: i, client: client, log: log, turn: make(chan struct{}, 1)}
}

// ready returns the issuer's keys; the first time it finds and fetches them. ErrUnavailable.
func (i *issuer) ready(ctx context.Context, now time.Time) (keyfunc.Keyfunc, error) {
	select {
	case i.turn <- struct{}{}:
		defer func() { <-i.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if i.keys != nil {
		return i.keys, nil
	}
	if i.cause != nil && now.Before(i.failed.Add(retryAfter)) {
		return nil, i.cause
	}
	keys, err := i.fetch(ctx)
	if err != nil {
		i.failed, i.cause = now, fmt.Errorf("%w: %s: %w", ErrUnavailable, i.URL, err)
		return nil, i.cause
	}
	i.keys, i.cause = keys, nil
	return keys, nil
}

func (i *issuer) fetch(ctx context.Context) (keyfunc.Keyfunc, error) {
	address := i.JWKS
	if address == "" {
		var err error
		if address, err = i.discover(ctx); err != nil {
			return nil, err
		}
	}
	// The context of a request must not end the refreshing of keys; the client bounds each fetch.
	storage, err := jwkset.NewStorageFromHTTP(address, jwkset.HTTPClientStorageOptions{
		Client:          i.client,
		Storage:         newKept(time.Now),
		Ctx:             context.WithoutCancel(ctx),
		HTTPTimeout:     fetchTime,
		RefreshInterval: refreshInterval,
		RefreshErrorHandler: func(_ context.Context, err error) {
			i.log.Warn("keys of an issuer could not be fetched", slog.String("issuer", i.URL), slog.Any("error", err))
		},
	})
	if err != nil {
		return nil, err
	}
	set, err := jwkset.NewHTTPClient(jwkset.HTTPClientOptions{
		HTTPURLs:          map[string]jwkset.Storage{address: storage},
		RateLimitWaitMax:  fetchTime,
		RefreshUnknownKID: rate.NewLimiter(rate.Every(unknownInterval), unknownBurst),
	})
	if err != nil {
		return nil, err
	}
	return keyfunc.New(keyfunc.Options{Storage: set, UseWhitelist: []jwkset.USE{jwkset.UseSig, ""}})
}

// discover finds where the issuer's keys are.
func (i *issuer) discover(ctx context.Context) (string, error) {
	var failures []error
	for _, address := range metadataURLs(i.URL) {
		jwks, err := i.metadata(ctx, address)
		if err == nil {
			return jwks, nil
		}
		failures = append(failures, err)
	}
	return "", errors.Join(failures...)
}

// metadataURLs are where an issuer's metadata may stand: RFC 8414, section 3, with both suffixes, and OpenID Connect
// Discovery 1.0, section 4.
func metadataURLs(issuer string) []string {
	u, err := url.Parse(issuer)
	if err != nil {
		return nil
	}
	origin, path := u.Scheme+"://"+u.Host, strings.TrimSuffix(u.EscapedPath(), "/")
	addresses := []string{
		origin + "/.well-known/oauth-authorization-server" + path,
		origin + "/.well-known/openid-configuration" + path,
	}
	if path != "" {
		addresses = append(addresses, origin+path+"/.well-known/openid-configuration")
	}
	return addresses
}

// metadata reads one metadata document. It must name the issuer it was asked for (RFC 8414, section 3.3).
func (i *issuer) metadata(ctx context.Context, address string) (jwks string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	response, err := i.client.Do(r)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	var document struct {
		Issuer string `json:"issuer"`
		JWKS   string `json:"jwks_uri"`
	}
	switch {
	case response.StatusCode != http.StatusOK:
		return "", fmt.Errorf("%s answers %d", address, response.StatusCode)
	case json.NewDecoder(response.Body).Decode(&document) != nil:
		return "", fmt.Errorf("%s is no metadata", address)
	case document.Issuer != i.URL:
		return "", fmt.Errorf("%s is the metadata of another issuer", address)
	case !trusted(document.JWKS):
		return "", fmt.Errorf("%s names no trusted jwks_uri", address)
	}
	return document.JWKS, nil
}

// Loopback reports whether a host, with or without port, is this machine.
func Loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

const (
	fetchTime  = 5 * time.Second // for one answer of an issuer
	fetchBytes = 1 << 20         // of one answer
)
