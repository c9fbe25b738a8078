package store

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
)

const (
	piecesRest  = time.Minute // of a business that failed, before it is tried again
	piecesAgain = 4           // businesses that failed are tried again at once: each may wait for a lock
)

// resting are businesses that failed at something, and until when each is left alone.
type resting struct {
	mu    sync.Mutex
	until map[string]map[uuid.UUID]time.Time
	rest  time.Duration // piecesRest, but for tests
}

func (r *resting) begin(what string, business uuid.UUID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.until == nil {
		r.until = map[string]map[uuid.UUID]time.Time{}
	}
	if r.until[what] == nil {
		r.until[what] = map[uuid.UUID]time.Time{}
	}
	r.until[what][business] = time.Now().Add(cmp.Or(r.rest, piecesRest))
}

func (r *resting) end(what string, business uuid.UUID) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.until[what], business)
}

// all are those that failed and did not succeed since.
func (r *resting) all(what string) []uuid.UUID {
	r.mu.Lock()
	defer r.mu.Unlock()
	return inOrder(slices.Collect(maps.Keys(r.until[what])))
}

// over are some of those that have rested, the longest first.
func (r *resting) over(what string) []uuid.UUID {
	r.mu.Lock()
	defer r.mu.Unlock()
	until := r.until[what]
	list := slices.SortedFunc(maps.Keys(until), func(a, b uuid.UUID) int { return until[a].Compare(until[b]) })
	rested := func(business uuid.UUID) bool { return until[business].Before(time.Now()) }
	list = slices.DeleteFunc(list, func(business uuid.UUID) bool { return !rested(business) })
	return list[:min(len(list), piecesAgain)]
}
