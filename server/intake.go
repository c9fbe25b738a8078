package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// How a body must arrive. The connection's own clock measures it: these are deadlines of a socket.
const (
	bodyStart = 5 * time.Second  // until its first byte
	bodyPause = 10 * time.Second // until any further byte
	leastRate = 16 << 10         // bytes a second on average, once it has begun and for bodyStart is forgiven
	bodyStep  = 64 << 10         // memory is reserved so much at first, and then as much again as has arrived
)

// Any number of clients may send bodies at once. So much of what has arrived is in memory in this process: nothing is
// reserved for a byte that has not come, and callers who have shown no credential have memory of their own.
const (
	heldOfCallers   = 64 * MaxBody
	heldOfStrangers = 16 * MaxBody
	atWorkBytes     = 6 * MaxBody // so much is decoded and stored at a time
)

// A credential's share of what is held, a partner's for all its persons, and of what is at work. Those beyond it wait
// for their own, whatever the others do.
const (
	heldByCredential = 16 * MaxBody
	heldByPartner    = 32 * MaxBody
	atWorkByHolder   = 3 * MaxBody
)

// turnPatience is how long a request waits for memory or its turn before it is asked to come again.
const turnPatience = 10 * time.Second

// intake is what bodies of this process may take.
type intake struct {
	callers, strangers              *pool
	heldByCredential, heldByPartner *shares
	atWork, atWorkByHolder          *shares
}

func newIntake() intake {
	return intake{
		callers:          newPool(heldOfCallers),
		strangers:        newPool(heldOfStrangers),
		heldByCredential: newShares(heldByCredential),
		heldByPartner:    newShares(heldByPartner),
		atWork:           newShares(atWorkBytes),
		atWorkByHolder:   newShares(atWorkByHolder),
	}
}

// pool is memory for bodies as they arrive. Where it runs out, the slowest sender gives way: whoever holds memory and
// sends little never stops those who send. So of several that wait, one can always go on.
type pool struct {
	mu       sync.Mutex
	free     int64
	arriving map[*arrival]bool
	freed    chan struct{} // closed when memory has come back
}

func newPool(size int64) *pool {
	return &pool{free: size, arriving: map[*arrival]bool{}, freed: make(chan struct{})}
}

// arrival is one body and its memory. The pool's lock guards all of it that changes.
type arrival struct {
	pool       *pool
	connection *http.ResponseController
	began      time.Time // its first byte, later by what it had to wait
	held, got  int64
	gaveWay    bool
}

// rate is in bytes a second; a moment is forgiven those that have only begun.
func (a *arrival) rate(now time.Time) float64 {
	return float64(a.got) / (now.Sub(a.began) + time.Second/10).Seconds()
}

// reserve waits for n more bytes of memory.
func (a *arrival) reserve(ctx context.Context, n int64) error {
	p, start := a.pool, time.Now()
	ctx, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	for {
		p.mu.Lock()
		if a.gaveWay {
			p.mu.Unlock()
			return errBusy
		}
		if p.free >= n {
			p.free -= n
			a.held += n
			a.began = a.began.Add(time.Since(start))
			p.arriving[a] = true
			p.mu.Unlock()
			return nil
		}
		p.dismissSlowest(a)
		freed := p.freed
		p.mu.Unlock()
		select {
		case <-freed:
		case <-ctx.Done():
			return errBusy
		}
	}
}

// dismissSlowest ends the slowest body that is slower than one which waits. One at a time: its memory may be enough.
func (p *pool) dismissSlowest(waiting *arrival) {
	now := time.Now()
	slowest := waiting
	for a := range p.arriving {
		if a.gaveWay {
			return
		}
		if a.rate(now) < slowest.rate(now) {
			slowest = a
		}
	}
	if slowest == waiting {
		return
	}
	slowest.gaveWay = true
	_ = slowest.connection.SetReadDeadline(now)
	p.tell() // it may be waiting too
}

// tell wakes those who wait.
func (p *pool) tell() {
	close(p.freed)
	p.freed = make(chan struct{})
}

// arrived ends the arrival: its memory stays, and it gives way no more.
func (a *arrival) arrived() {
	a.pool.mu.Lock()
	defer a.pool.mu.Unlock()
	delete(a.pool.arriving, a)
}

// release gives all memory back.
func (a *arrival) release() {
	p := a.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.arriving, a)
	p.free += a.held
	a.held = 0
	p.tell()
}

// moveTo makes memory of another pool of what is held, at once or not at all.
func (a *arrival) moveTo(to *pool) bool {
	to.mu.Lock()
	enough := to.free >= a.held
	if enough {
		to.free -= a.held
	}
	to.mu.Unlock()
	if enough {
		held := a.held
		a.release()
		a.pool, a.held = to, held
	}
	return enough
}

// expect sets how long the next byte may take.
func (a *arrival) expect() error {
	a.pool.mu.Lock()
	defer a.pool.mu.Unlock()
	if a.gaveWay {
		return errBusy
	}
	deadline := a.began.Add(bodyStart + time.Duration(a.got)*time.Second/leastRate)
	if pause := time.Now().Add(bodyPause); pause.Before(deadline) {
		deadline = pause
	}
	return a.connection.SetReadDeadline(deadline)
}

// read takes a body of length bytes, or of any length up to MaxBody where length is negative. The first byte has begun it.
func (a *arrival) read(ctx context.Context, body io.Reader, first []byte, length int64) ([]byte, error) {
	defer a.arrived()
	most := length
	if most < 0 {
		most = MaxBody + 1 // one more shows that it is too long
	}
	var raw []byte
	take := func(next []byte) { // into memory that is reserved
		raw = append(raw, next...)
		a.pool.mu.Lock()
		a.got = int64(len(raw))
		a.pool.mu.Unlock()
	}
	for size := int64(0); ; {
		if int64(len(raw)) == size {
			next := min(max(2*size, bodyStep), most)
			if err := a.reserve(ctx, next-size); err != nil {
				return nil, err
			}
			size = next
			raw = append(make([]byte, 0, size), raw...)
		}
		if first != nil {
			take(first)
			first = nil
		}
		if int64(len(raw)) == length {
			return raw, nil
		}
		if err := a.expect(); err != nil {
			return nil, err
		}
		n, err := body.Read(raw[len(raw):size])
		take(raw[len(raw) : len(raw)+n])
		if errors.Is(err, io.EOF) {
			return raw, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// shares give each holder the same share of something, and keep nothing of holders that have none.
type shares struct {
	size int64
	mu   sync.Mutex
	of   map[string]*share
}

type share struct {
	*semaphore.Weighted
	users int
}

func newShares(size int64) *shares { return &shares{size: size, of: map[string]*share{}} }

// acquire waits for n of a holder's own share, in the order of asking.
func (s *shares) acquire(ctx context.Context, holder string, n int64) (release func(), err error) {
	own := s.enter(holder)
	ctx, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	if own.Acquire(ctx, n) != nil {
		s.leave(holder, own)
		return nil, errBusy
	}
	return func() { own.Release(n); s.leave(holder, own) }, nil
}

// tryAcquire takes n of a holder's own share at once or not at all.
func (s *shares) tryAcquire(holder string, n int64) (release func(), err error) {
	own := s.enter(holder)
	if !own.TryAcquire(n) {
		s.leave(holder, own)
		return nil, errBusy
	}
	return func() { own.Release(n); s.leave(holder, own) }, nil
}

func (s *shares) enter(holder string) *share {
	s.mu.Lock()
	defer s.mu.Unlock()
	own, known := s.of[holder]
	if !known {
		own = &share{Weighted: semaphore.NewWeighted(s.size)}
		s.of[holder] = own
	}
	own.users++
	return own
}

func (s *shares) leave(holder string, own *share) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(s.of, holder)
	}
}
