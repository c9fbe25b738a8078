package store

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/jmoiron/sqlx"
	"golang.org/x/sync/semaphore"
)

// pulse tells whether a node of several gives answers, and keeps what waits for one that gives none from whoever is
// elsewhere.
//
// A node that is gone refuses, at once, and the coordinator says so. One that hangs says nothing: whoever asks it, or
// the coordinator for something of it, would wait until its time is over, and keep a connection for as long. So what is
// done for a business is a visit to its node. One that lasts has the node be asked for a sign of life, those that come
// meanwhile wait for it, and where none comes in time, all visits end and no other begins until the node gives one.
type pulse struct {
	db     *sqlx.DB            // a connection for nothing else
	seats  *semaphore.Weighted // transactions of visits, which wait at the coordinator
	closed chan struct{}

	mu     sync.Mutex
	state  nodeState
	asked  chan struct{} // closed with the first answer; nil while all is well
	visits map[*visit]bool
}

type nodeState int

const (
	nodeAnswers nodeState = iota
	nodeRefuses           // another way to it, or its standby, may answer
	nodeSilent
)

const (
	visitLasts   = time.Second     // longer than most: then the node is asked for a sign of life
	signPatience = 3 * time.Second // with it
	signAgain    = time.Second     // the pause before it is asked again
)

// visit is what somebody does for a business.
type visit struct {
	pulse  *pulse
	end    context.CancelCauseFunc
	wonder *time.Timer
}

type visitKey struct{}

func newPulse(db *sqlx.DB, seats int) *pulse {
	return &pulse{db: db, seats: semaphore.NewWeighted(int64(seats)), closed: make(chan struct{}),
		visits: map[*visit]bool{}}
}

func (p *pulse) visit(ctx context.Context) (visiting context.Context, leave func(), err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if asked := p.asked; asked != nil && p.state == nodeAnswers {
		p.mu.Unlock()
		select {
		case <-asked:
		case <-ctx.Done():
		}
		p.mu.Lock()
	}
	if p.state == nodeSilent {
		return ctx, func() {}, fmt.Errorf("%w: %w", ErrAway, errSilent)
	}
	visiting, end := context.WithCancelCause(ctx)
	v := &visit{pulse: p, end: end}
	v.wonder = time.AfterFunc(visitLasts, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.visits[v] {
			p.ask()
			v.wonder.Reset(visitLasts)
		}
	})
	p.visits[v] = true
	return context.WithValue(visiting, visitKey{}, v), func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		v.wonder.Stop()
		delete(p.visits, v)
		end(nil)
	}, nil
}

// takeSeat waits until a transaction of a visit may begin.
func takeSeat(ctx context.Context) (leave func(), err error) {
	v, ok := ctx.Value(visitKey{}).(*visit)
	if !ok {
		return func() {}, nil
	}
	seats := v.pulse.seats
	if err := seats.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	return func() { seats.Release(1) }, nil
}

// hungUp closes a connection where a visit ends because its node stopped to answer: what waits for the node, and the
// coordinator where it does, would not be canceled before it answers. It lasts until release.
func hungUp(ctx context.Context, line net.Conn) (release func() bool) {
	if ctx.Value(visitKey{}) == nil {
		return func() bool { return true }
	}
	return context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), errSilent) {
			_ = line.Close()
		}
	})
}

// wonder has the node be asked.
func (p *pulse) wonder() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ask()
}

// ask has the node be asked, unless it is.
func (p *pulse) ask() {
	if p.asked == nil {
		p.asked = make(chan struct{})
		go p.untilItAnswers(p.asked)
	}
}

func (p *pulse) untilItAnswers(asked chan struct{}) {
	for first := true; ; first = false {
		state := p.feel()
		p.mu.Lock()
		if p.state = state; state == nodeSilent {
			for v := range p.visits {
				v.end(errSilent)
			}
		}
		if state == nodeAnswers {
			p.asked = nil
		}
		p.mu.Unlock()
		if first {
			close(asked)
		}
		if state == nodeAnswers {
			return
		}
		select {
		case <-p.closed:
			return
		case <-time.After(signAgain):
		}
	}
}

// feel asks once.
func (p *pulse) feel() nodeState {
	limited, cancel := context.WithTimeout(context.Background(), signPatience)
	defer cancel()
	began := time.Now()
	_, err := p.db.ExecContext(limited, `SELECT`)
	switch {
	case err == nil:
		return nodeAnswers
	case time.Since(began) > signPatience*9/10:
		return nodeSilent
	default:
		return nodeRefuses
	}
}

func (p *pulse) is() nodeState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.state
}

func (p *pulse) close() error {
	close(p.closed)
	return p.db.Close()
}
