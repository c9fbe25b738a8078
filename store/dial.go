package store

import (
	"context"
	"net"
	"sync/atomic"
	"time"
)

// dialer makes connections that do not wait for ever: PostgreSQL ends a statement in time and says so, and from a
// connection that hangs nothing comes at all.
type dialer struct {
	patience time.Duration // with an answer
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
	return &connection{Conn: c, patience: d.patience}, nil
}

// connection has a deadline for each read and write, unless the driver sets one for all, as it does while it connects.
type connection struct {
	net.Conn
	patience time.Duration
	bounded  atomic.Bool
}

func (c *connection) SetDeadline(t time.Time) error {
	c.bounded.Store(!t.IsZero())
	return c.Conn.SetDeadline(t)
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
