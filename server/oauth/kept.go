package oauth

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/MicahParks/jwkset"
)

// keepFor is how long the last good keys of an issuer stay when it answers none.
const keepFor = 24 * time.Hour

var errNoKeys = errors.New("the issuer answers no keys; its last ones are kept")

// kept are the keys of an issuer. A set without any is more likely a mistake of the issuer than its end, so it does not
// replace the last good one before keepFor has passed.
type kept struct {
	jwkset.Storage
	now func() time.Time

	mu   sync.Mutex
	some bool      // there are keys
	at   time.Time // when they were last answered
}

func newKept(now func() time.Time) *kept { return &kept{Storage: jwkset.NewMemoryStorage(), now: now} }

// KeyReplaceAll takes what the issuer answers. It fails where that is no keys, and the last ones are kept.
func (k *kept) KeyReplaceAll(ctx context.Context, keys []jwkset.JWK) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	now := k.now()
	if len(keys) == 0 && k.some && now.Before(k.at.Add(keepFor)) {
		return errNoKeys
	}
	k.some, k.at = len(keys) > 0, now
	return k.Storage.KeyReplaceAll(ctx, keys)
}
