package main

import (
	"net"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"
)

// proxy stands between the programs and a server, or several alike, and freezes, delays and cuts their connections.
type proxy struct {
	listener net.Listener

	mu          sync.Mutex
	targets     []string // connections go to one after the other, past those where nobody listens
	connections map[net.Conn]bool
	lost        map[net.Conn]bool // what these say goes nowhere
	delay       time.Duration     // of each piece, in each direction
	thawed      chan struct{}     // closed while nothing is frozen
}

// startProxy makes a proxy of the server at a URL, and returns the URL that leads through it.
func startProxy(t *testing.T, server string) (*proxy, string) {
	t.Helper()
	u, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	p := newProxy(t, u.Host)
	u.Host = p.listener.Addr().String()
	return p, u.String()
}

// newProxy makes a proxy of servers at addresses.
func newProxy(t *testing.T, targets ...string) *proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{
		listener: listener, targets: targets, connections: map[net.Conn]bool{}, lost: map[net.Conn]bool{},
		thawed: make(chan struct{}),
	}
	close(p.thawed)
	go p.accept()
	t.Cleanup(func() {
		listener.Close()
		p.thaw()
		p.cut()
	})
	return p
}

// aim has new connections go to other servers, and ends those there are.
func (p *proxy) aim(targets ...string) {
	p.mu.Lock()
	p.targets = targets
	p.mu.Unlock()
	p.cut()
}

func (p *proxy) dial() (to net.Conn, err error) {
	p.mu.Lock()
	targets := slices.Clone(p.targets)
	p.targets = append(p.targets[1:], p.targets[0])
	p.mu.Unlock()
	for _, target := range targets {
		if to, err = net.DialTimeout("tcp", target, time.Second); err == nil {
			return to, nil
		}
	}
	return nil, err
}

func (p *proxy) accept() {
	for {
		from, err := p.listener.Accept()
		if err != nil {
			return
		}
		to, err := p.dial()
		if err != nil { // as if nobody listened
			p.reset(from)
			continue
		}
		p.mu.Lock()
		p.connections[from], p.connections[to] = true, true
		p.mu.Unlock()
		go p.pass(from, to)
		go p.pass(to, from)
	}
}

// pass brings what one side says to the other, as long as both are there.
func (p *proxy) pass(from, to net.Conn) {
	defer p.forget(from, to)
	piece := make([]byte, 32<<10)
	for {
		n, err := from.Read(piece)
		if err != nil {
			return
		}
		p.mu.Lock()
		delay, thawed, lost := p.delay, p.thawed, p.lost[from]
		p.mu.Unlock()
		if lost {
			continue
		}
		<-thawed
		if delay > 0 {
			<-time.After(delay)
		}
		if _, err := to.Write(piece[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) forget(connections ...net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range connections {
		c.Close()
		delete(p.connections, c)
		delete(p.lost, c)
	}
}

// reset ends a connection so that the other side hears of it at once.
func (p *proxy) reset(c net.Conn) {
	if tcp, ok := c.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	c.Close()
}

// cut ends all connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.connections {
		p.reset(c)
	}
}

// freeze lets nothing pass any more, and says nothing of it.
func (p *proxy) freeze() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.thawed = make(chan struct{})
}

// thaw lets pass what was held up, and everything after.
func (p *proxy) thaw() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.thawed:
	default:
		close(p.thawed)
	}
}

// slow delays each piece from now on; 0 for not at all.
func (p *proxy) slow(delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delay = delay
}

// lose has the connections of now hang for good; new ones pass.
func (p *proxy) lose() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for c := range p.connections {
		p.lost[c] = true
	}
}
