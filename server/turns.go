package server

import (
	"context"
	"sync"
	"time"
)

// turns let each partner have so many operations at work at a time, and fewer while another one is there too: then what
// it sends waits in its own line, and the cores and connections are free for the others. A partner that is alone has
// the whole of what turns give.
type turns struct {
	alone, among int // at work at a time
	mu           sync.Mutex
	lines        map[string]*queue
	last, before visit // the newest two holders that came
}

// lately is how long a partner counts as being there after a request.
const lately = time.Second

// queue is one holder's operations.
type queue struct {
	atWork  int
	waiting []chan struct{} // closed when it is its turn
}

type visit struct {
	holder string
	at     time.Time
}

func newTurns(alone, among int) *turns {
	return &turns{alone: alone, among: among, lines: map[string]*queue{}}
}

// take waits for a holder's turn, in the order of asking.
func (t *turns) take(ctx context.Context, holder string) (leave func(), err error) {
	t.mu.Lock()
	if t.last.holder != holder {
		t.before = t.last
	}
	t.last = visit{holder, time.Now()}
	line, ok := t.lines[holder]
	if !ok {
		line = &queue{}
		t.lines[holder] = line
	}
	mine := make(chan struct{})
	line.waiting = append(line.waiting, mine)
	t.next(holder, line)
	t.mu.Unlock()

	ctx, cancel := context.WithTimeout(ctx, turnPatience)
	defer cancel()
	select {
	case <-mine:
		return func() { t.leave(holder, line) }, nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for i, waiting := range line.waiting {
		if waiting == mine {
			line.waiting = append(line.waiting[:i], line.waiting[i+1:]...)
			t.forget(holder, line)
			return nil, errBusy
		}
	}
	return func() { t.leave(holder, line) }, nil // its turn came at the same moment
}

func (t *turns) leave(holder string, line *queue) {
	t.mu.Lock()
	defer t.mu.Unlock()
	line.atWork--
	t.next(holder, line)
	t.forget(holder, line)
}

// next lets those begin for whom there is room. Others may have come or gone since it was last called: whoever is at
// work calls it again in the end.
func (t *turns) next(holder string, line *queue) {
	most := t.alone
	other := t.last
	if other.holder == holder {
		other = t.before
	}
	if !other.at.IsZero() && time.Since(other.at) < lately {
		most = t.among
	}
	for len(line.waiting) > 0 && line.atWork < most {
		close(line.waiting[0])
		line.waiting = line.waiting[1:]
		line.atWork++
	}
}

func (t *turns) forget(holder string, line *queue) {
	if line.atWork == 0 && len(line.waiting) == 0 {
		delete(t.lines, holder)
	}
}
