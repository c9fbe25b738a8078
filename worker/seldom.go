package worker

import (
	"sync"
	"time"
)

// seldom keeps what is said again and again from filling the log: while the database or the queue is away, every loop
// fails every second with the same words.
type seldom struct {
	mu   sync.Mutex
	said map[string]*saying
}

type saying struct {
	at     time.Time // it was last said
	unsaid int       // how often it was not, since
}

const (
	saidAgain = time.Minute
	mostSaid  = 1000 // different things that are remembered
)

// again reports whether something is to be said now, and how often it was kept back since it was said last.
func (s *seldom) again(now time.Time, what string) (say bool, unsaid int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if before, ok := s.said[what]; ok {
		if now.Sub(before.at) < saidAgain && !now.Before(before.at) {
			before.unsaid++
			return false, 0
		}
		unsaid = before.unsaid
	}
	if s.said == nil || len(s.said) >= mostSaid {
		s.said = map[string]*saying{}
	}
	s.said[what] = &saying{at: now}
	return true, unsaid
}
