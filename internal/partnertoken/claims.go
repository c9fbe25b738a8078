package partnertoken

import (
	"crypto/subtle"
	"errors"
	"math"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/golang-jwt/jwt/v5"
)

// The longest claims, in code points.
const (
	maxSubject = 255
	maxEmail   = 320
	maxName    = 500
)

// readClaims judges the claims of a token whose signature is good. Claims it
// does not know have no effect.
func readClaims(segment string, want Expect) (Partner, error) {
	data, err := decodeSegment(segment)
	if err != nil {
		return Partner{}, err
	}
	claims, err := readObject(data)
	if err != nil {
		return Partner{}, err
	}
	registered, err := registeredClaims(claims)
	if err != nil {
		return Partner{}, err
	}
	if !want.Now.Before(registered.ExpiresAt.Time) {
		return Partner{}, ErrExpired
	}
	// Its leeway holds for exp too, which is why exp is judged above.
	validator := jwt.NewValidator(
		jwt.WithIssuer(want.PartnerID),
		jwt.WithAudience(want.Audience),
		jwt.WithIssuedAt(),
		jwt.WithLeeway(Leeway),
		jwt.WithTimeFunc(func() time.Time { return want.Now }),
	)
	if err := validator.Validate(registered); err != nil {
		return Partner{}, invalid(standardReason(err))
	}
	if err := checkAgentRequest(claims["agent_request"], want.AgentRequest); err != nil {
		return Partner{}, err
	}
	email, ok := optionalText(claims["email"], maxEmail)
	if !ok {
		return Partner{}, invalid("email is not a string of at most 320 characters")
	}
	name, ok := optionalText(claims["name"], maxName)
	if !ok {
		return Partner{}, invalid("name is not a string of at most 500 characters")
	}
	payload := claims["payload"]
	if payload == nil {
		return Partner{}, invalid("payload is missing")
	}
	p := Partner{
		PartnerID: registered.Issuer,
		Subject:   registered.Subject,
		Email:     email,
		Name:      name,
		ID:        registered.ID,
		ExpiresAt: registered.ExpiresAt.UTC(),
		Payload:   []byte(payload),
	}
	if registered.IssuedAt != nil {
		p.IssuedAt = registered.IssuedAt.UTC()
	}
	return p, nil
}

// checkAgentRequest holds a token that says who signs in for an agent to that one sign-in.
func checkAgentRequest(claim jsontext.Value, want string) error {
	if want == "" {
		if claim != nil {
			return invalid("agent_request makes it a token for accepting a sign-in alone")
		}
		return nil
	}
	got, ok := text(claim)
	if !ok || subtle.ConstantTimeCompare([]byte(got), []byte(want)) != 1 {
		return invalid("agent_request is not this sign-in")
	}
	return nil
}

// registeredClaims reads the claims of RFC 7519, section 4.1, with their types.
func registeredClaims(claims object) (jwt.RegisteredClaims, error) {
	var r jwt.RegisteredClaims
	var ok bool
	if r.Issuer, ok = text(claims["iss"]); !ok {
		return r, invalid("iss is not a string")
	}
	if r.Audience, ok = audience(claims["aud"]); !ok {
		return r, invalid("aud is not a string or an array of strings")
	}
	r.Subject, ok = text(claims["sub"])
	if !ok || r.Subject == "" || utf8.RuneCountInString(r.Subject) > maxSubject {
		return r, invalid("sub is not a string of 1 to 255 characters")
	}
	if jti := claims["jti"]; jti != nil {
		if r.ID, ok = text(jti); !ok {
			return r, invalid("jti is not a string")
		}
	}
	if r.ExpiresAt, ok = numericDate(claims["exp"]); !ok {
		return r, invalid("exp is not a date")
	}
	if iat := claims["iat"]; iat != nil {
		if r.IssuedAt, ok = numericDate(iat); !ok {
			return r, invalid("iat is not a date")
		}
	}
	if nbf := claims["nbf"]; nbf != nil {
		if r.NotBefore, ok = numericDate(nbf); !ok {
			return r, invalid("nbf is not a date")
		}
	}
	return r, nil
}

// standardReason names the claim in fixed words, since the library's own text is
// not under our control.
func standardReason(err error) string {
	switch {
	case errors.Is(err, jwt.ErrTokenInvalidIssuer):
		return "iss is another partner"
	case errors.Is(err, jwt.ErrTokenInvalidAudience):
		return "aud is another audience"
	case errors.Is(err, jwt.ErrTokenUsedBeforeIssued):
		return "iat is in the future"
	case errors.Is(err, jwt.ErrTokenNotValidYet):
		return "nbf is in the future"
	default:
		return "a required claim is empty"
	}
}

// text decodes a JSON string. NUL, which PostgreSQL cannot store, and lone
// surrogates make it no string.
func text(value jsontext.Value) (string, bool) {
	if value.Kind() != '"' {
		return "", false
	}
	s, err := jsontext.AppendUnquote(nil, value)
	if err != nil || slices.Contains(s, 0) {
		return "", false
	}
	return string(s), true
}

// optionalText is text of at most limit code points; absent and null are "".
func optionalText(value jsontext.Value, limit int) (string, bool) {
	if value == nil || value.Kind() == 'n' {
		return "", true
	}
	s, ok := text(value)
	return s, ok && utf8.RuneCountInString(s) <= limit
}

func audience(value jsontext.Value) (jwt.ClaimStrings, bool) {
	if value.Kind() != '[' {
		s, ok := text(value)
		return jwt.ClaimStrings{s}, ok
	}
	var items []jsontext.Value
	if err := json.Unmarshal(value, &items, jsontext.AllowInvalidUTF8(true)); err != nil {
		return nil, false
	}
	list := make(jwt.ClaimStrings, len(items))
	for i, item := range items {
		var ok bool
		if list[i], ok = text(item); !ok {
			return nil, false
		}
	}
	return list, true
}

// lastDate is the end of the year 9999, the last that RFC 3339 can write.
const lastDate = 253402300799

// numericDate reads seconds since 1970, without their fraction (RFC 7519, section 2).
func numericDate(value jsontext.Value) (*jwt.NumericDate, bool) {
	if value.Kind() != '0' {
		return nil, false
	}
	seconds, err := strconv.ParseFloat(string(value), 64)
	if err != nil || math.Abs(seconds) > lastDate {
		return nil, false
	}
	return jwt.NewNumericDate(time.Unix(int64(math.Floor(seconds)), 0)), true
}
