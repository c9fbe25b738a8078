package store

import (
	"context"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/seal"
)

// EnrolFeed enrols one account; EnrolFeeds would enrol those of other tests too.
func EnrolFeed(ctx context.Context, now time.Time, o *Organization, keys seal.Keyring, account uuid.UUID) (opened bool,
	err error) {
	return o.enrol(ctx, now, keys, account)
}

// SealAggregationToken seals a token as a snapshot does.
func SealAggregationToken(keys seal.Keyring, organization, account uuid.UUID, token string) []byte {
	return keys.Seal([]byte(token), aggregationContext(organization, account))
}
