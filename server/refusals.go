package server

import (
	"cmp"
	"context"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"bizfin/server/limit"
)

// So many requests a second of one partner or agent are refused at once, and so many of all those together that have
// shown no credential or want what is not there. One that took longer than a refusal does, such as a megabyte in which
// all is wrong, counts as several. Refusals beyond it come later: whoever waits for them sends no more, and what is
// served waits for nobody's refusals.
const (
	usualRefusals   = 300
	refusedPatience = time.Second // the longest that a refusal is late
	refusedQuickly  = time.Millisecond
	dearestRefusal  = 50 // a slow body, or a slow database, is nobody's fault beyond this
)

// priceOf is as how many refusals one counts that took so long.
func priceOf(took time.Duration) int { return min(max(int(took/refusedQuickly), 1), dearestRefusal) }

// refusals let refusals go, for each of whom requests count.
type refusals struct {
	perSecond int
	mu        sync.Mutex
	of        map[string]*rate.Limiter
	swept     time.Time
}

func newRefusals(perSecond int) *refusals {
	return &refusals{perSecond: cmp.Or(perSecond, usualRefusals), of: map[string]*rate.Limiter{}}
}

// find returns the limiter of somebody; those that refused nothing for a while are forgotten.
func (r *refusals) find(holder string) *rate.Limiter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if now := time.Now(); now.Sub(r.swept) > time.Minute {
		r.swept = now
		for key, known := range r.of {
			if known.Tokens() >= float64(r.perSecond) {
				delete(r.of, key)
			}
		}
	}
	known, ok := r.of[holder]
	if !ok {
		known = rate.NewLimiter(rate.Limit(r.perSecond), r.perSecond)
		r.of[holder] = known
	}
	return known
}

// wait waits for the turn of a refusal that took so long. One that would be late for too long comes after
// refusedPatience, whatever the others do.
func (r *refusals) wait(ctx context.Context, holder limit.Subject, took time.Duration) {
	now := time.Now()
	turn := r.find(holder.Kind+" "+holder.ID).ReserveN(now, priceOf(took))
	late := turn.DelayFrom(now)
	if late > refusedPatience {
		turn.Cancel()
		late = refusedPatience
	}
	if late <= 0 {
		return
	}
	timer := time.NewTimer(late)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// countedFor is where count leaves for whom a request counts, the widest of them.
const countedFor = "counted for"
