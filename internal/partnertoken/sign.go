package partnertoken

import (
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// Claims is what goes into a new token. A member with its zero value is left out.
type Claims struct {
	PartnerID string
	Audience  string
	Subject   string
	Email     string
	Name      string
	ID        string
	IssuedAt  time.Time // whole seconds count
	ExpiresAt time.Time // whole seconds count
	Payload   any       // a [Payload], or any value that encoding/json can write

	AgentRequest string // the sign-in of an agent that the token is to accept
}

// Sign writes the claims as a token signed with HS256. It does not judge them, so
// that tokens to be refused can be made as well. It fails with [ErrWeakSecret],
// or where the payload cannot be written as JSON.
func Sign(c Claims, secret []byte) (string, error) {
	if len(secret) < MinSecret {
		return "", ErrWeakSecret
	}
	claims := jwt.MapClaims{}
	for name, value := range map[string]string{
		"iss":   c.PartnerID,
		"aud":   c.Audience,
		"sub":   c.Subject,
		"email": c.Email,
		"name":  c.Name,
		"jti":   c.ID,

		"agent_request": c.AgentRequest,
	} {
		if value != "" {
			claims[name] = value
		}
	}
	if !c.IssuedAt.IsZero() {
		claims["iat"] = c.IssuedAt.Unix()
	}
	if !c.ExpiresAt.IsZero() {
		claims["exp"] = c.ExpiresAt.Unix()
	}
	if c.Payload != nil {
		claims["payload"] = c.Payload
	}
	return jwt.NewWithClaims(jwt.SigningMethodHS256, claims).SignedString(secret)
}
