package store

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// dialer makes connections that do not wait for ever: PostgreSQL ends a statement in time and says so, and from a
// connection that hangs nothing comes at all.
type dialer struct {
	patience time.Duration // with an answer
	open     *sync.Map     // of *connection: those that can be hung up
}

// hangUp ends all connections: whoever waits for an answer is told. One that is made meanwhile, by who was told and
// tries again, is let be.
func (d dialer) hangUp() {
	var all []*connection
	d.open.Range(func(c, _ any) bool {
		all = append(all, c.(*connection))
		return true
	})
	for _, c := range all {
		_ = c.Close()
	}
}

// answerSlack is how much later than a statement ends its answer may come, at most; a tenth of its time where that is
// less.
const answerSlack = 3 * time.Second

func (d dialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

func (d dialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return d.DialContext(ctx, network, address)
}

func (d dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	var plain net.Dialer
	c, err := plain.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	made := &connection{Conn: c, dialer: d}
	made.connectBy, _ = ctx.Deadline()
	if by, ok := ctx.Value(connectingKey{}).(*connecting); ok {
		by.line, made.connected = made, hungUp(by.ctx, made)
	}
	d.open.Store(made, nil)
	return made, nil
}

// connecting is who dials, and what they are given. The driver has another context for each step of it.
type connecting struct {
	ctx  context.Context
	line net.Conn
}

type connectingKey struct{}

// connection has a deadline for each read and write, unless the driver sets one for all, as it does while it connects.
type connection struct {
	net.Conn
	dialer
	connectBy time.Time   // of who dialed; zero for none
	connected func() bool // ends what hangs up while it connects; nil for nothing
	bounded   atomic.Bool
}

// SetDeadline is called by the driver with its own time for connecting, and with none when that is done. Who waits for
// the connection may have less.
func (c *connection) SetDeadline(t time.Time) error {
	c.bounded.Store(!t.IsZero())
	if t.IsZero() && c.connected != nil {
		c.connected()
	}
	if !t.IsZero() && !c.connectBy.IsZero() && c.connectBy.Before(t) {
		t = c.connectBy
	}
	return c.Conn.SetDeadline(t)
}

func (c *connection) Close() error {
	c.open.Delete(c)
	return c.Conn.Close()
}

func (c *connection) Read(b []byte) (int, error) {
	if !c.bounded.Load() {
		if err := c.SetReadDeadline(time.Now().Add(c.patience)); err != nil {
			return 0, err
		}
	}
	return c.Conn.Read(b)
}

func (c *connection) Write(b []byte) (int, error) {
	if !c.bounded.Load() {
		if err := c.SetWriteDeadline(time.Now().Add(c.patience)); err != nil {
			return 0, err
		}
	}
	return c.Conn.Write(b)
}
