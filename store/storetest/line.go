package storetest

import (
	"net"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
)

// Line is a network to a server that can be frozen: nothing passes, and nobody is told.
type Line struct {
	Address string // where it listens
	mu      sync.Mutex
	thawed  chan struct{} // closed while it is not frozen
}

// LineToDatabase makes a line to the tests' database that is not frozen, and the database's URL over it.
func LineToDatabase(t testing.TB) (l *Line, databaseURL string) {
	t.Helper()
	address, err := url.Parse(stack.DatabaseURL)
	if err != nil {
		t.Fatal(err)
	}
	network, target, query := "tcp", address.Host, address.Query()
	if folder := query.Get("host"); folder != "" { // the tests' own server listens on a socket
		network, target = "unix", filepath.Join(folder, ".s.PGSQL.5432")
		query.Del("host")
		query.Del("port")
	}
	l = NewLine(t, network, target)
	address.Host, address.RawQuery = l.Address, query.Encode()
	return l, address.String()
}

// NewLine makes a line to a server that is not frozen.
func NewLine(t testing.TB, network, target string) *Line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Line{Address: listener.Addr().String(), thawed: make(chan struct{})}
	close(l.thawed)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			to, err := net.Dial(network, target)
			if err != nil {
				from.Close()
				continue
			}
			go l.pass(from, to)
			go l.pass(to, from)
		}
	}()
	return l
}

func (l *Line) pass(from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	chunk := make([]byte, 32<<10)
	for {
		n, err := from.Read(chunk)
		l.mu.Lock()
		thawed := l.thawed
		l.mu.Unlock()
		<-thawed
		if _, broken := to.Write(chunk[:n]); err != nil || broken != nil {
			return
		}
	}
}

// Freeze lets nothing pass any more, until Thaw.
func (l *Line) Freeze() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.thawed = make(chan struct{})
}

// Thaw lets pass what waits, and all that comes.
func (l *Line) Thaw() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.thawed)
}
