package bizfin

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"time"
)

// Signer signs tokens of one partner. It belongs on the partner's server: the secret never leaves it.
type Signer struct {
	Partner  string // the partner's id
	Audience string // of the environment, given together with the secret
	Secret   []byte
	Lifetime time.Duration    // of a token; 0 is five minutes
	Now      func() time.Time // nil is the machine's clock
}

// Person is whom a token is for, with all of the person's businesses.
type Person struct {
	ID         string // stable, 1 to 255 characters
	Email      string // optional
	Name       string // optional
	Selected   string // the id of one of the businesses; empty only where there are none
	Businesses []Business
	Tier       string // free or paid, for each of the businesses; optional

	// AgentRequest makes the token one that accepts this sign-in of an agent, and is good for nothing else.
	AgentRequest string
}

// Business is one of a person's businesses by the partner's own id; the role is owner or member.
type Business struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	Role string `json:"role"`
}

type claims struct {
	Issuer   string  `json:"iss"`
	Audience string  `json:"aud"`
	Subject  string  `json:"sub"`
	Email    string  `json:"email,omitempty"`
	Name     string  `json:"name,omitempty"`
	IssuedAt int64   `json:"iat"`
	Expires  int64   `json:"exp"`
	ID       string  `json:"jti"`
	Payload  payload `json:"payload"`
	Request  string  `json:"agent_request,omitempty"`
}

type payload struct {
	BusinessID *string    `json:"business_id"`
	Businesses []Business `json:"businesses"`
	Tier       string     `json:"tier,omitempty"`
}

// Token is a new token for a person (HS256).
func (s Signer) Token(person Person) (string, error) {
	now := time.Now
	if s.Now != nil {
		now = s.Now
	}
	lifetime := s.Lifetime
	if lifetime == 0 {
		lifetime = 5 * time.Minute
	}
	at := now()
	c := claims{
		Issuer: s.Partner, Audience: s.Audience, Subject: person.ID, Email: person.Email, Name: person.Name,
		IssuedAt: at.Unix(), Expires: at.Add(lifetime).Unix(), ID: rand.Text(), Request: person.AgentRequest,
		Payload: payload{Businesses: person.Businesses, Tier: person.Tier},
	}
	if c.Payload.Businesses == nil {
		c.Payload.Businesses = []Business{}
	}
	if person.Selected != "" {
		c.Payload.BusinessID = &person.Selected
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	encode := base64.RawURLEncoding.EncodeToString
	signed := encode([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + encode(raw)
	return signed + "." + encode(digest(s.Secret, []byte(signed))), nil
}

// as puts a new token for the person into requests.
func (s Signer) as(person Person) func(*http.Request) error {
	return func(r *http.Request) error {
		token, err := s.Token(person)
		r.Header.Set("X-Service-Partner", s.Partner)
		r.Header.Set("Authorization", "Bearer "+token)
		return err
	}
}

// SnapshotSignature is the x-service-signature of a webhook's body, exactly as it is sent.
func SnapshotSignature(secret, body []byte) string {
	return hex.EncodeToString(digest(secret, body))
}

// SnapshotSigned tells whether a signature is that of the body, in a time that says nothing of the secret.
func SnapshotSigned(secret, body []byte, signature string) bool {
	given, err := hex.DecodeString(signature)
	return err == nil && hmac.Equal(given, digest(secret, body))
}

func digest(secret, message []byte) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write(message)
	return h.Sum(nil)
}
