package oauth_test

import (
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"bizfin/server/oauth"
	"bizfin/server/oauth/oauthtest"
)

var noon = time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)

func atNoon() time.Time { return noon }

const audience = "https://api.example.com"

func verifier(issuers ...oauth.Issuer) *oauth.Verifier {
	return oauth.New(oauth.Config{Issuers: issuers, Audiences: []string{audience, audience + "/mcp"},
		Log: slog.New(slog.DiscardHandler)})
}

func TestATokenOfAnIssuerIsVerified(t *testing.T) {
	t.Parallel()
	i := oauthtest.Start(t, atNoon)
	for name, issuer := range map[string]oauth.Issuer{"discovery": {URL: i.URL},
		"direct": {URL: i.URL, JWKS: i.URL + "/jwks"}} {
		for _, aud := range []any{audience, audience + "/mcp", []string{"other", audience}} {
			claims := i.Claims("ana", "", "org:read org:answer")
			claims["aud"] = aud
			got, err := verifier(issuer).Verify(t.Context(), noon, i.Sign(claims, nil))
			if err != nil {
				t.Fatalf("%s, %v: %v", name, aud, err)
			}
			want := oauth.Token{Issuer: i.URL, Subject: "ana", ClientID: "agent",
				Scopes: []string{"org:read", "org:answer"}, ExpiresAt: noon.Add(5 * time.Minute)}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %v: %s", name, aud, diff)
			}
		}
	}
}

func TestATokenThatBreaksARuleIsInvalid(t *testing.T) {
	t.Parallel()
	i, other := oauthtest.Start(t, atNoon), oauthtest.Start(t, atNoon)
	v := verifier(oauth.Issuer{URL: i.URL}, oauth.Issuer{URL: other.URL})
	good := func() jwt.MapClaims { return i.Claims("ana", audience, "org:read") }
	claims := func(change func(jwt.MapClaims)) string {
		c := good()
		change(c)
		return i.Sign(c, nil)
	}
	header := func(name string, value any) string { return i.Sign(good(), map[string]any{name: value}) }
	set := func(name string, value any) string { return claims(func(c jwt.MapClaims) { c[name] = value }) }
	without := func(name string) string { return claims(func(c jwt.MapClaims) { delete(c, name) }) }
	byHMAC := jwt.NewWithClaims(jwt.SigningMethodHS256, good())
	byHMAC.Header["typ"], byHMAC.Header["kid"] = "at+jwt", "k"
	confused, err := byHMAC.SignedString(i.PublicKey())
	if err != nil {
		t.Fatal(err)
	}
	unsigned := jwt.NewWithClaims(jwt.SigningMethodNone, good())
	unsigned.Header["typ"], unsigned.Header["kid"] = "at+jwt", "k"
	none, err := unsigned.SignedString(jwt.UnsafeAllowNoneSignatureType)
	if err != nil {
		t.Fatal(err)
	}
	valid := i.Sign(good(), nil)
	segments := strings.Split(valid, ".")
	for name, raw := range map[string]string{
		"empty":                      "",
		"no JWT":                     "mcp_something",
		"HS256 with the public key":  confused,
		"no signature":               none,
		"signature of another token": segments[0] + "." + segments[1] + "." + strings.Split(set("sub", "eve"), ".")[2],
		"signature cut off":          segments[0] + "." + segments[1] + ".",
		"trailing newline":           valid + "\n",
		"padding":                    valid + "=",
		"key of another issuer":      other.Sign(good(), nil),
		"issuer not trusted":         set("iss", "https://evil.example"),
		"issuer with a slash":        set("iss", i.URL+"/"),
		"issuer of another case":     claims(func(c jwt.MapClaims) { delete(c, "iss"); c["ISS"] = i.URL }),
		"two issuers":                claims(func(c jwt.MapClaims) { c["iss"] = other.URL; c["ISS"] = i.URL }),
		"no issuer":                  without("iss"),
		"another audience":           set("aud", "https://other.example"),
		"audience with a slash":      set("aud", audience+"/"),
		"no audience":                without("aud"),
		"expired":                    set("exp", noon.Unix()),
		"exp as text":                set("exp", "9999999999"),
		"no exp":                     without("exp"),
		"issued in the future":       set("iat", noon.Add(time.Minute).Unix()),
		"not yet valid":              set("nbf", noon.Add(time.Minute).Unix()),
		"no sub":                     without("sub"),
		"empty sub":                  set("sub", ""),
		"sub with NUL":               set("sub", "a\x00"),
		"sub as number":              set("sub", 7),
		"no client_id":               without("client_id"),
		"scope as list":              set("scope", []string{"org:read"}),
		"bound to a key":             set("cnf", map[string]any{"jkt": "x"}),
		"ID token":                   header("typ", "JWT"),
		"no typ":                     header("typ", nil),
		"no kid":                     header("kid", nil),
		"empty kid":                  header("kid", ""),
		"crit":                       header("crit", []string{"x"}),
		"longer than anyone reads":   set("padding", strings.Repeat("x", oauth.MaxLength)),
	} {
		if _, err := v.Verify(t.Context(), noon, raw); !errors.Is(err, oauth.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := v.Verify(t.Context(), noon, valid); err != nil {
		t.Errorf("the valid one: %v", err)
	}
	if _, err := v.Verify(t.Context(), noon.Add(5*time.Minute), valid); !errors.Is(err, oauth.ErrExpired) {
		t.Errorf("at its exp: %v", err)
	}
	if _, err := v.Verify(t.Context(), noon, i.Sign(good(), map[string]any{"typ": "application/AT+JWT"})); err != nil {
		t.Errorf("the long media type: %v", err)
	}
	if _, err := v.Verify(t.Context(), noon.Add(-20*time.Second), valid); err != nil {
		t.Errorf("a clock that is behind: %v", err)
	}
}

func TestANewKeyIsFoundAndTheOldOneForgotten(t *testing.T) {
	t.Parallel()
	i := oauthtest.Start(t, atNoon)
	v := verifier(oauth.Issuer{URL: i.URL})
	before := i.Sign(i.Claims("ana", audience, ""), nil)
	if _, err := v.Verify(t.Context(), noon, before); err != nil {
		t.Fatal(err)
	}
	i.Rotate()
	if _, err := v.Verify(t.Context(), noon, i.Sign(i.Claims("ana", audience, ""), nil)); err != nil {
		t.Fatal(err)
	}
	if got := i.Fetched(); got != 2 {
		t.Errorf("the keys were fetched %d times", got)
	}
	if _, err := v.Verify(t.Context(), noon, before); !errors.Is(err, oauth.ErrInvalid) {
		t.Errorf("the old key: %v", err)
	}
}

func TestAnIssuerThatAnswersNoKeysLocksNobodyOut(t *testing.T) {
	t.Parallel()
	i := oauthtest.Start(t, atNoon)
	v := verifier(oauth.Issuer{URL: i.URL})
	valid := i.Sign(i.Claims("ana", audience, ""), nil)
	if _, err := v.Verify(t.Context(), noon, valid); err != nil {
		t.Fatal(err)
	}
	i.SetEmpty(true)
	unknown := i.Sign(i.Claims("ana", audience, ""), map[string]any{"kid": "made up"})
	if _, err := v.Verify(t.Context(), noon, unknown); !errors.Is(err, oauth.ErrInvalid) {
		t.Fatalf("an unknown key: %v", err)
	}
	if i.Fetched() != 2 {
		t.Fatalf("the keys were fetched %d times", i.Fetched())
	}
	if _, err := v.Verify(t.Context(), noon, valid); err != nil {
		t.Errorf("a valid token: %v", err)
	}
}

func TestUnknownKeysFetchOnlyAFewTimes(t *testing.T) {
	t.Parallel()
	i := oauthtest.Start(t, atNoon)
	v := verifier(oauth.Issuer{URL: i.URL})
	for range 20 {
		raw := i.Sign(i.Claims("ana", audience, ""), map[string]any{"kid": "made up"})
		if _, err := v.Verify(t.Context(), noon, raw); !errors.Is(err, oauth.ErrInvalid) {
			t.Fatal(err)
		}
	}
	if got := i.Fetched(); got > 5 {
		t.Errorf("the keys were fetched %d times", got)
	}
}

func TestAnIssuerThatIsDownIsAskedAgainLater(t *testing.T) {
	t.Parallel()
	i, up := oauthtest.Start(t, atNoon), oauthtest.Start(t, atNoon)
	v := verifier(oauth.Issuer{URL: i.URL}, oauth.Issuer{URL: up.URL})
	raw := i.Sign(i.Claims("ana", audience, ""), nil)
	i.SetDown(true)
	for range 2 {
		if _, err := v.Verify(t.Context(), noon, raw); !errors.Is(err, oauth.ErrUnavailable) ||
			errors.Is(err, oauth.ErrInvalid) {
			t.Fatalf("down: %v", err)
		}
	}
	if _, err := v.Verify(t.Context(), noon, up.Sign(up.Claims("ana", audience, ""), nil)); err != nil {
		t.Errorf("the other issuer: %v", err)
	}
	i.SetDown(false)
	if _, err := v.Verify(t.Context(), noon, raw); !errors.Is(err, oauth.ErrUnavailable) {
		t.Errorf("at once: %v", err)
	}
	if _, err := v.Verify(t.Context(), noon.Add(10*time.Second), raw); err != nil {
		t.Errorf("later: %v", err)
	}
	i.SetDown(true)
	if _, err := v.Verify(t.Context(), noon.Add(11*time.Second), raw); err != nil {
		t.Errorf("down again, with known keys: %v", err)
	}
}

func TestIssuersAreSecureAddresses(t *testing.T) {
	t.Parallel()
	got, err := oauth.ParseIssuers("https://a.example, http://127.0.0.1:9/x " +
		",https://b.example/t=https://b.example/jwks,")
	if err != nil {
		t.Fatal(err)
	}
	want := []oauth.Issuer{{URL: "https://a.example"}, {URL: "http://127.0.0.1:9/x"},
		{URL: "https://b.example/t", JWKS: "https://b.example/jwks"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"http://a.example", "a.example", "https://a.example?x", "https://u:p@a.example",
		"https://a.example=http://a.example/jwks", "https://a.example,https://a.example", "https://"} {
		if _, err := oauth.ParseIssuers(text); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}
