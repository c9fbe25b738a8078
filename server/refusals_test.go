package server

import (
	"context"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/server/limit"
)

// Whoever makes the service work for its refusals is refused fewer of them at once.
func TestADearRefusalCountsAsSeveral(t *testing.T) {
	t.Parallel()
	const perSecond = 1000
	r := newRefusals(perSecond)
	for took, price := range map[time.Duration]float64{
		0: 1, refusedQuickly: 1, 20 * refusedQuickly: 20, time.Hour: dearestRefusal,
	} {
		holder := limit.Subject{Kind: limit.Partner, ID: uuid.NewString()}
		began := time.Now()
		r.wait(context.Background(), holder, took)
		used := perSecond - r.find(holder.Kind+" "+holder.ID).Tokens()
		if back := perSecond * time.Since(began).Seconds(); used > price || used < price-back {
			t.Errorf("one that took %v counts as %v, want %v", took, used, price)
		}
	}
}
