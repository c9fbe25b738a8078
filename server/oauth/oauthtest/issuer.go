// Package oauthtest is a small OAuth authorization server for tests: discovery, keys that rotate, and the authorization
// code grant with PKCE for one person who always agrees.
package oauthtest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Issuer is a running authorization server.
type Issuer struct {
	URL string
	t   testing.TB
	now func() time.Time

	mu      sync.Mutex
	down    bool
	empty   bool // it answers no keys
	fetched int  // of the keys
	subject string
	key     *ecdsa.PrivateKey
	keyID   string
	codes   map[string]url.Values // authorization requests by their code
}

// Start runs an issuer until the test ends. Its tokens last five minutes from now.
func Start(t testing.TB, now func() time.Time) *Issuer {
	t.Helper()
	i := &Issuer{t: t, now: now, codes: map[string]url.Values{}}
	i.Rotate()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /.well-known/oauth-authorization-server", i.metadata)
	mux.HandleFunc("GET /jwks", i.keys)
	mux.HandleFunc("GET /authorize", i.authorize)
	mux.HandleFunc("POST /token", i.token)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i.mu.Lock()
		down := i.down
		i.mu.Unlock()
		if down {
			http.Error(w, "down", http.StatusServiceUnavailable)
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	i.URL = server.URL
	return i
}

// SetDown makes the issuer answer nothing but errors, or answer again.
func (i *Issuer) SetDown(down bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.down = down
}

// SetSubject is who agrees at the authorization endpoint.
func (i *Issuer) SetSubject(subject string) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.subject = subject
}

// SetEmpty makes the issuer answer a set without keys, or its key again.
func (i *Issuer) SetEmpty(empty bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.empty = empty
}

// Rotate replaces the signing key by a new one, and forgets the old one.
func (i *Issuer) Rotate() {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		i.t.Fatal(err)
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.key, i.keyID = key, rand.Text()
}

// Fetched is how often the keys have been fetched.
func (i *Issuer) Fetched() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.fetched
}

// Claims are those of a good token for an audience, for a test to change.
func (i *Issuer) Claims(subject, audience, scope string) jwt.MapClaims {
	now := i.now()
	return jwt.MapClaims{
		"iss": i.URL, "sub": subject, "aud": audience, "client_id": "agent", "scope": scope, "jti": rand.Text(),
		"iat": now.Unix(), "exp": now.Add(5 * time.Minute).Unix(),
	}
}

// Sign signs claims with the current key as an access token; header members given stand in for its own, nil removes
// one.
func (i *Issuer) Sign(claims jwt.MapClaims, header map[string]any) string {
	i.mu.Lock()
	defer i.mu.Unlock()
	token := jwt.NewWithClaims(jwt.SigningMethodES256, claims)
	token.Header["typ"], token.Header["kid"] = "at+jwt", i.keyID
	maps.Copy(token.Header, header)
	maps.DeleteFunc(token.Header, func(_ string, value any) bool { return value == nil })
	signed, err := token.SignedString(i.key)
	if err != nil {
		i.t.Fatal(err)
	}
	return signed
}

// PublicKey is the current key as a JWK in JSON.
func (i *Issuer) PublicKey() []byte {
	i.mu.Lock()
	defer i.mu.Unlock()
	raw, err := json.Marshal(i.jwk())
	if err != nil {
		i.t.Fatal(err)
	}
	return raw
}

func (i *Issuer) jwk() map[string]any {
	point, err := i.key.PublicKey.Bytes() // 4, X, Y
	if err != nil {
		i.t.Fatal(err)
	}
	encode := base64.RawURLEncoding.EncodeToString
	return map[string]any{"kty": "EC", "crv": "P-256", "alg": "ES256", "use": "sig", "kid": i.keyID,
		"x": encode(point[1:33]), "y": encode(point[33:])}
}

func (i *Issuer) metadata(w http.ResponseWriter, _ *http.Request) {
	answer(w, map[string]any{
		"issuer": i.URL, "jwks_uri": i.URL + "/jwks",
		"authorization_endpoint": i.URL + "/authorize", "token_endpoint": i.URL + "/token",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"},
	})
}

func (i *Issuer) keys(w http.ResponseWriter, _ *http.Request) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.fetched++
	if i.empty {
		answer(w, map[string]any{"keys": []any{}})
		return
	}
	answer(w, map[string]any{"keys": []any{i.jwk()}})
}

// authorize agrees and sends the browser back with a code.
func (i *Issuer) authorize(w http.ResponseWriter, r *http.Request) {
	asked := r.URL.Query()
	if asked.Get("code_challenge_method") != "S256" || asked.Get("code_challenge") == "" ||
		asked.Get("resource") == "" {
		http.Error(w, "PKCE with S256 and a resource are required", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	i.mu.Lock()
	i.codes[code] = asked
	i.mu.Unlock()
	back := url.Values{"code": {code}, "state": {asked.Get("state")}}
	http.Redirect(w, r, asked.Get("redirect_uri")+"?"+back.Encode(), http.StatusFound)
}

// token gives a token for a code, once, to whoever knows the verifier behind its challenge (RFC 7636).
func (i *Issuer) token(w http.ResponseWriter, r *http.Request) {
	if err := r.ParseForm(); err != nil {
		http.Error(w, "no form", http.StatusBadRequest)
		return
	}
	i.mu.Lock()
	asked, known := i.codes[r.Form.Get("code")]
	delete(i.codes, r.Form.Get("code"))
	subject := i.subject
	i.mu.Unlock()
	challenge := sha256.Sum256([]byte(r.Form.Get("code_verifier")))
	if !known || base64.RawURLEncoding.EncodeToString(challenge[:]) != asked.Get("code_challenge") {
		w.WriteHeader(http.StatusBadRequest)
		fmt.Fprint(w, `{"error":"invalid_grant"}`)
		return
	}
	answer(w, map[string]any{
		"access_token": i.Sign(i.Claims(subject, asked.Get("resource"), asked.Get("scope")), nil),
		"token_type":   "Bearer", "expires_in": 300, "scope": asked.Get("scope"),
	})
}

func answer(w http.ResponseWriter, body any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body)
}
