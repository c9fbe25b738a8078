package oauth

import (
	"crypto/ed25519"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"
)

func TestTheLastKeysAreKeptForADay(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 4, 1, 12, 0, 0, 0, time.UTC)
	k := newKept(func() time.Time { return now })
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := jwkset.NewJWKFromKey(public, jwkset.JWKOptions{Metadata: jwkset.JWKMetadataOptions{KID: "1"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, step := range []struct {
		after time.Duration
		keys  []jwkset.JWK
		known bool
	}{
		{0, nil, false}, // an issuer that never had any
		{0, []jwkset.JWK{key}, true},
		{keepFor - time.Second, nil, true},
		{2 * time.Second, nil, false},
		{0, []jwkset.JWK{key}, true},
	} {
		now = now.Add(step.after)
		_ = k.KeyReplaceAll(t.Context(), step.keys)
		if _, err := k.KeyRead(t.Context(), "1"); (err == nil) != step.known {
			t.Errorf("%d keys %v later: %v", len(step.keys), step.after, err)
		}
	}
}
