package oauth

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/golang-jwt/jwt/v5"
)

// MaxLength is the longest token that is looked at, in bytes.
const MaxLength = 16 << 10

// leeway is how far in the future iat and nbf may lie, for clocks that differ. exp has none.
const leeway = 30 * time.Second

// Reason is why a token is invalid, without anything it holds.
func Reason(err error) string {
	var r *refusal
	if errors.As(err, &r) {
		return r.reason
	}
	return "the token does not verify"
}

// refusal is an ErrInvalid with its reason.
type refusal struct{ reason string }

func (r *refusal) Error() string { return ErrInvalid.Error() + ": " + r.reason }

func (r *refusal) Is(target error) bool { return target == ErrInvalid }

func invalid(reason string) error { return &refusal{reason} }

// Token is what a verified access token says.
type Token struct {
	Issuer    string
	Subject   string // the person at the issuer
	ClientID  string
	Scopes    []string
	ExpiresAt time.Time
}

// methods are the signatures that are taken: those of a private key alone, so that nobody signs with a public one.
var methods = []string{"RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA"}

// Verify checks an access token by RFC 9068, section 4: at+jwt, signed with a named key of the issuer, for one of the
// audiences, with sub, client_id and exp. ErrInvalid, ErrExpired (an ErrInvalid too), ErrUnavailable.
func (v *Verifier) Verify(ctx context.Context, now time.Time, raw string) (Token, error) {
	from, err := v.read(raw)
	if err != nil {
		return Token{}, err
	}
	keys, err := from.ready(ctx, now)
	if err != nil {
		return Token{}, err
	}
	// A deadline, because looking for an unknown key waits for its turn to fetch.
	fetching, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	claims := jwt.MapClaims{}
	parser := jwt.NewParser(jwt.WithValidMethods(methods), jwt.WithStrictDecoding(), jwt.WithoutClaimsValidation())
	if _, err := parser.ParseWithClaims(raw, claims, keys.KeyfuncCtx(fetching)); err != nil {
		if ctx.Err() != nil {
			return Token{}, ctx.Err()
		}
		return Token{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return v.judge(claims, now)
}

// read finds the issuer that a token claims to be of, and refuses what the library would let pass.
func (v *Verifier) read(raw string) (*issuer, error) {
	segments := strings.Split(raw, ".")
	// encoding/base64 skips line ends, which a token must not have.
	if len(raw) > MaxLength || len(segments) != 3 || strings.ContainsAny(raw, "\r\n") {
		return nil, invalid("no JWT")
	}
	// Maps, because a struct would also take a member whose name differs in case, which the library does not see.
	var header, claims map[string]any
	if !decode(segments[0], &header) || !decode(segments[1], &claims) {
		return nil, invalid("no JSON objects")
	}
	kind, _ := header["typ"].(string)
	keyID, _ := header["kid"].(string)
	_, critical := header["crit"]
	name, _ := claims["iss"].(string)
	from, known := v.issuers[name]
	switch {
	case !strings.EqualFold(kind, "at+jwt") && !strings.EqualFold(kind, "application/at+jwt"):
		return nil, invalid("typ is not at+jwt")
	case keyID == "":
		return nil, invalid("no kid")
	case critical:
		return nil, invalid("crit header")
	case !known:
		return nil, invalid("issuer is not trusted")
	}
	return from, nil
}

var strictBase64 = base64.RawURLEncoding.Strict()

// decode reads a segment as one JSON object in UTF-8 without repeated names.
func decode(segment string, into *map[string]any) bool {
	raw, err := strictBase64.DecodeString(segment)
	return err == nil && json.Unmarshal(raw, into) == nil && *into != nil
}

func (v *Verifier) judge(claims jwt.MapClaims, now time.Time) (Token, error) {
	expires, err := claims.GetExpirationTime()
	if err != nil || expires == nil {
		return Token{}, invalid("no exp")
	}
	if !expires.After(now) {
		return Token{}, ErrExpired
	}
	validator := jwt.NewValidator(jwt.WithIssuedAt(), jwt.WithLeeway(leeway),
		jwt.WithTimeFunc(func() time.Time { return now }))
	if err := validator.Validate(claims); err != nil {
		return Token{}, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	audience, err := claims.GetAudience()
	if err != nil || !slices.ContainsFunc(audience, func(a string) bool { return slices.Contains(v.audiences, a) }) {
		return Token{}, invalid("for another audience")
	}
	// A token that is bound to a key of its client is no bearer token (RFC 7800).
	if _, bound := claims["cnf"]; bound {
		return Token{}, invalid("bound to a key")
	}
	token := Token{ExpiresAt: expires.Time}
	token.Issuer, _ = text(claims, "iss")
	var hasSubject, hasClient bool
	token.Subject, hasSubject = text(claims, "sub")
	token.ClientID, hasClient = text(claims, "client_id")
	if !hasSubject || !hasClient {
		return Token{}, invalid("no sub or no client_id")
	}
	if _, given := claims["scope"]; given {
		scope, ok := claims["scope"].(string)
		if !ok {
			return Token{}, invalid("scope is no string")
		}
		token.Scopes = strings.Fields(scope)
	}
	return token, nil
}

// text is a claim that must be a string which a database can keep.
func text(claims jwt.MapClaims, name string) (string, bool) {
	value, ok := claims[name].(string)
	return value, ok && value != "" && len(value) <= 1024 && utf8.ValidString(value) && !strings.ContainsRune(value, 0)
}
