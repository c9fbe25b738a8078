// Package partnertoken signs and verifies partner embed tokens: JWTs (RFC 7519) that a
// partner's backend signs with HS256 for one person, listing that person's
// businesses (contract: Authentication, Business entry).
package partnertoken

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// MaxLength is the longest token that is looked at, in bytes. It leaves room for
// a person with several hundred businesses.
const MaxLength = 64 << 10

// MinSecret is the shortest signing secret that is used, in bytes: the output
// size of HS256's hash (RFC 7518, section 3.2).
const MinSecret = 32

// Leeway is how far in the future iat and nbf may lie, for clocks that differ.
// exp has none.
const Leeway = 30 * time.Second

var (
	// ErrInvalid is what every refused token matches, as an [Invalid] or [ErrExpired].
	ErrInvalid = errors.New("token is invalid")
	// ErrExpired is the [ErrInvalid] of a token with a good signature whose exp has passed.
	ErrExpired = fmt.Errorf("%w: expired", ErrInvalid)
	// ErrWeakSecret refuses a secret shorter than [MinSecret]. It is a fault of
	// the configuration, not of the token, and does not match ErrInvalid.
	ErrWeakSecret = errors.New("signing secret is shorter than 32 bytes")
)

// Invalid is an [ErrInvalid] with its reason, in fixed words: it never holds token content.
type Invalid struct {
	Reason string
	Signed bool // the signature is good: whoever made the token may be told the reason
}

func (e *Invalid) Error() string { return ErrInvalid.Error() + ": " + e.Reason }

// Is matches [ErrInvalid].
func (e *Invalid) Is(target error) bool { return target == ErrInvalid }

func invalid(reason string) error { return &Invalid{Reason: reason} }

// Expect says what a token must have been made for.
type Expect struct {
	PartnerID string    // must equal iss
	Audience  string    // must be among aud
	Secrets   [][]byte  // any of them may have signed: two are valid during a rotation
	Now       time.Time // judges exp, iat and nbf

	// AgentRequest is the id of the sign-in that the token must have been made for (claim agent_request). Where it is
	// empty the token must be for none: what says who signs in opens nothing else.
	AgentRequest string
}

// Partner is what a verified token says about a person.
type Partner struct {
	PartnerID string
	Subject   string    // the partner's stable person ID, 1 to 255 code points
	Email     string    // at most 320 code points; empty when absent
	Name      string    // at most 500 code points; empty when absent
	ID        string    // jti; empty when absent
	IssuedAt  time.Time // whole seconds in UTC; zero when absent
	ExpiresAt time.Time // whole seconds in UTC

	// Payload is one JSON value of any kind, still to be judged by [ParsePayload].
	Payload json.RawMessage
}

func checkSignature(signed, segment string, secrets [][]byte) error {
	signature, err := decodeSegment(segment)
	if err != nil {
		return err
	}
	for _, secret := range secrets {
		if jwt.SigningMethodHS256.Verify(signed, signature, secret) == nil {
			return nil
		}
	}
	return invalid("signature does not match")
}

// strictBase64 refuses padding and stray bits after the last character, so that
// one token has one spelling.
var strictBase64 = base64.RawURLEncoding.Strict()

func decodeSegment(segment string) ([]byte, error) {
	// encoding/base64 skips line ends, which a token must not have.
	if strings.ContainsAny(segment, "\r\n") {
		return nil, invalid("segment is not base64url")
	}
	data, err := strictBase64.DecodeString(segment)
	if err != nil {
		return nil, invalid("segment is not base64url")
	}
	return data, nil
}
