package server

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"
)

// MaxBody is the size of a request body, 1 MiB (contract, Limits).
const MaxBody = 1 << 20

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

// chunkedRate is how many bytes a second are read of the bodies that a partner, or all who have shown no credential,
// send in chunks: what takes time is the chunk, which can be as small as a byte (51 ms of a core for a MiB of those).
const (
	chunkedRate  = 4 * MaxBody
	chunkedBurst = MaxBody + 1
	paceStep     = 16 << 10 // bytes after which it is looked at
)

// paceChunks has the body of a request that is sent in chunks read at its sender's rate, until it is left.
func (in *intake) paceChunks(r *http.Request) (leave func()) {
	if r.ContentLength >= 0 {
		return func() {}
	}
	sender := ""
	if from := holderOf(r.Context()); from != nil {
		sender = from.partner
	}
	pace, leave := in.chunked.enter(sender)
	r.Body = &pacedBody{ReadCloser: r.Body, ctx: clientOf(r.Context()), pace: pace}
	// Who sends one body after the other has one burst, and not one for each: it is forgotten once it is whole again.
	return func() { time.AfterFunc(time.Second*chunkedBurst/chunkedRate, leave) }
}

// pacedBody is a body that is read at a rate.
type pacedBody struct {
	io.ReadCloser
	ctx  context.Context // of its client
	pace *rate.Limiter
	owed int // bytes that were read since it last waited
}

func (b *pacedBody) Read(into []byte) (n int, err error) {
	if b.owed >= paceStep {
		if err := b.pace.WaitN(b.ctx, b.owed); err != nil {
			return 0, err
		}
		b.owed = 0
	}
	n, err = b.ReadCloser.Read(into[:min(len(into), paceStep)])
	b.owed += n
	return n, err
}

// turnPatience is how long a request waits for memory or its turn before it is asked to come again.
const turnPatience = 10 * time.Second

// intake is what bodies of this process may take.
type intake struct {
	callers, strangers              *pool
	heldByCredential, heldByPartner *shares
	atWork, atWorkByHolder          *shares
	chunked                         *perHolder[*rate.Limiter]
}

func newIntake() intake {
	return intake{
		callers:          newPool(heldOfCallers),
		strangers:        newPool(heldOfStrangers),
		heldByCredential: newShares(heldByCredential),
		heldByPartner:    newShares(heldByPartner),
		atWork:           newShares(atWorkBytes),
		atWorkByHolder:   newShares(atWorkByHolder),
		chunked:          newPerHolder(func() *rate.Limiter { return rate.NewLimiter(chunkedRate, chunkedBurst) }),
	}
}

// pool is memory for bodies as they arrive. Where it runs out, those who have nothing yet come first and then the
// fastest, and the slowest sender gives way: whoever holds memory and sends little never stops those who send. So of
// several that wait, one can always go on.
type pool struct {
	mu       sync.Mutex
	free     int64
	arriving map[*arrival]bool // those that hold memory and may give way
	waiting  map[*arrival]bool
	looking  bool // it will settle again: those who stop become slow
}

func newPool(size int64) *pool {
	return &pool{free: size, arriving: map[*arrival]bool{}, waiting: map[*arrival]bool{}}
}

// arrival is one body and its memory. The pool's lock guards all of it that changes.
type arrival struct {
	pool       *pool
	connection *http.ResponseController
	began      time.Time // its first byte, later by what it had to wait
	held, got  int64
	needed     int64         // what it waits for
	asked      time.Time     // since when
	decided    chan struct{} // closed when it has that, or gave way
	gaveWay    bool
}

// presumedRate is that of a body which has only begun, since there is nothing to measure yet.
const (
	presumedRate = 1 << 20
	presumedFor  = time.Second / 2
)

// rate is in bytes a second.
func (a *arrival) rate(now time.Time) float64 {
	took := now.Sub(a.began)
	if a.held == 0 || took < presumedFor {
		return presumedRate
	}
	return float64(a.got) / took.Seconds()
}

// reserve waits for n more bytes of memory.
func (a *arrival) reserve(ctx context.Context, n int64) error {
	ctx, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	p := a.pool
	p.mu.Lock()
	a.needed, a.asked, a.decided = n, time.Now(), make(chan struct{})
	decided := a.decided
	p.waiting[a] = true
	p.settle()
	p.mu.Unlock()
	select {
	case <-decided:
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.waiting, a)
	if a.needed > 0 || a.gaveWay {
		return errBusy
	}
	return nil
}

// settle gives the free memory to those who wait.
func (p *pool) settle() {
	now := time.Now()
	for len(p.waiting) > 0 {
		var next *arrival
		for a := range p.waiting {
			if next == nil || before(a, next, now) {
				next = a
			}
		}
		if p.free < next.needed {
			p.dismissSlowest(next.rate(now), now)
			return
		}
		p.free -= next.needed
		next.held += next.needed
		next.needed = 0
		next.began = next.began.Add(now.Sub(next.asked))
		p.arriving[next] = true
		delete(p.waiting, next)
		close(next.decided)
	}
}

func (p *pool) lookAgain() {
	if p.looking {
		return
	}
	p.looking = true
	time.AfterFunc(time.Second/10, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.looking = false
		p.settle()
	})
}

// before is the order of those who wait: those who have nothing, the smallest first, and then the fastest.
func before(a, b *arrival, now time.Time) bool {
	switch {
	case (a.held == 0) != (b.held == 0):
		return a.held == 0
	case a.held == 0 && a.needed != b.needed:
		return a.needed < b.needed
	case a.held == 0:
		return a.asked.Before(b.asked)
	default:
		return a.rate(now) > b.rate(now)
	}
}

// dismissSlowest ends the slowest body below a rate. One at a time: its memory may be enough.
func (p *pool) dismissSlowest(below float64, now time.Time) {
	var slowest *arrival
	for a := range p.arriving {
		if a.gaveWay {
			return
		}
		if rate := a.rate(now); rate < below {
			slowest, below = a, rate
		}
	}
	if slowest == nil {
		p.lookAgain()
		return
	}
	slowest.gaveWay = true
	if p.waiting[slowest] {
		delete(p.waiting, slowest)
		close(slowest.decided)
	}
	_ = slowest.connection.SetReadDeadline(now)
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
	p.settle()
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

// read takes a body of length bytes, or of any length up to MaxBody where length is negative; first has begun it.
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

// shares give each holder the same share of something.
type shares struct {
	of *perHolder[*semaphore.Weighted]
}

func newShares(size int64) *shares {
	return &shares{newPerHolder(func() *semaphore.Weighted { return semaphore.NewWeighted(size) })}
}

// acquire waits for n of a holder's own share, in the order of asking.
func (s *shares) acquire(ctx context.Context, holder string, n int64) (release func(), err error) {
	own, leave := s.of.enter(holder)
	ctx, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	if own.Acquire(ctx, n) != nil {
		leave()
		return nil, errBusy
	}
	return func() { own.Release(n); leave() }, nil
}

// tryAcquire takes n of a holder's own share at once or not at all.
func (s *shares) tryAcquire(holder string, n int64) (release func(), err error) {
	own, leave := s.of.enter(holder)
	if !own.TryAcquire(n) {
		leave()
		return nil, errBusy
	}
	return func() { own.Release(n); leave() }, nil
}

// perHolder has one thing for each holder that is there, and nothing of those that are not.
type perHolder[T any] struct {
	begin func() T
	mu    sync.Mutex
	of    map[string]*used[T]
}

type used[T any] struct {
	thing T
	users int
}

func newPerHolder[T any](begin func() T) *perHolder[T] {
	return &perHolder[T]{begin: begin, of: map[string]*used[T]{}}
}

func (k *perHolder[T]) enter(holder string) (thing T, leave func()) {
	k.mu.Lock()
	defer k.mu.Unlock()
	own, known := k.of[holder]
	if !known {
		own = &used[T]{thing: k.begin()}
		k.of[holder] = own
	}
	own.users++
	return own.thing, func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if own.users--; own.users == 0 {
			delete(k.of, holder)
		}
	}
}
