package store

import (
	"context"
	"net"
	"time"
)

// steadyDialer makes connections to PostgreSQL that give up where the other side falls silent in the middle of a statement.
// A server that hangs, or a network that swallows everything, sends no error: without a deadline the driver waits for ever,
// and with it whoever wants the connection, its slot or its answer.
type steadyDialer struct {
	net.Dialer
	silence time.Duration // longer than a statement may take
}

// Dial is that of pq.Dialer.
func (d steadyDialer) Dial(network, address string) (net.Conn, error) {
	return d.DialContext(context.Background(), network, address)
}

// DialTimeout is that of pq.Dialer.
func (d steadyDialer) DialTimeout(network, address string, timeout time.Duration) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	return d.DialContext(ctx, network, address)
}

// DialContext is that of pq.DialerContext.
func (d steadyDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := d.Dialer.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	return &steadyConn{Conn: conn, silence: d.silence}, nil
}

// steadyConn bounds each read and write. The driver reads only while a statement is under way, so an idle connection has no
// deadline.
type steadyConn struct {
	net.Conn
	silence time.Duration
}

func (c *steadyConn) Read(into []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	return c.Conn.Read(into)
}

func (c *steadyConn) Write(data []byte) (int, error) {
	if err := c.SetWriteDeadline(time.Now().Add(c.silence)); err != nil {
		return 0, err
	}
	return c.Conn.Write(data)
}
