package partnertoken

import (
	"errors"
	"strings"

	"github.com/golang-jwt/jwt/v5"
)

// Verify checks a token's signature and claims against want. It fails with an
// error that matches [ErrInvalid], [ErrExpired] (which matches ErrInvalid too)
// or [ErrWeakSecret].
//
// The signature is checked before any claim is read. An exp may lie as far ahead
// as a date can be written (the year 9999): the contract sets no longest lifetime.
func Verify(raw string, want Expect) (Partner, error) {
	if want.PartnerID == "" || want.Audience == "" || len(want.Secrets) == 0 || want.Now.IsZero() {
		return Partner{}, invalid("nothing to verify against")
	}
	for _, secret := range want.Secrets {
		if len(secret) < MinSecret {
			return Partner{}, ErrWeakSecret
		}
	}
	if len(raw) > MaxLength {
		return Partner{}, invalid("too long")
	}
	header, rest, _ := strings.Cut(raw, ".")
	claims, signature, ok := strings.Cut(rest, ".")
	if !ok {
		return Partner{}, invalid("not three segments")
	}
	if err := checkHeader(header); err != nil {
		return Partner{}, err
	}
	if err := checkSignature(raw[:len(header)+1+len(claims)], signature, want.Secrets); err != nil {
		return Partner{}, err
	}
	verified, err := readClaims(claims, want)
	var refusal *Invalid
	if errors.As(err, &refusal) {
		refusal.Signed = true
	}
	return verified, err
}

// checkHeader admits HS256 alone and reads nothing else that could steer the
// verification: kid, jku and an embedded jwk have no effect.
func checkHeader(segment string) error {
	data, err := decodeSegment(segment)
	if err != nil {
		return err
	}
	header, err := readObject(data)
	if err != nil {
		return err
	}
	if alg, ok := text(header["alg"]); !ok || alg != jwt.SigningMethodHS256.Alg() {
		return invalid("alg is not HS256")
	}
	if typ := header["typ"]; typ != nil {
		if s, ok := text(typ); !ok || !strings.EqualFold(s, "JWT") {
			return invalid("typ is not JWT")
		}
	}
	// An extension marked critical must be understood, and none is (RFC 7515, section 4.1.11).
	if header["crit"] != nil {
		return invalid("crit header")
	}
	return nil
}
