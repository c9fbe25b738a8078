package apitest

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sync/errgroup"

	"bizfin/server"
)

// soon is what an honest request may take beside an attack: far less than what the attack lasts.
const soon = 3 * time.Second

// socket is a connection that sends what the test says and no more.
type socket struct {
	t testing.TB
	net.Conn
}

// announce opens a socket, sends the head of a POST with a body of size bytes, and then what there is of the body.
func (a *api) announce(path string, header http.Header, size int, begun string) socket {
	a.t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(a.url, "http://"))
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = connection.Close() })
	var head bytes.Buffer
	fmt.Fprintf(&head, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: "+
		"%d\r\n", path, size)
	if err := header.Write(&head); err != nil {
		a.t.Fatal(err)
	}
	head.WriteString("\r\n")
	if _, err := connection.Write(head.Bytes()); err != nil {
		a.t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(connection, begun) }() // the server may not want it
	return socket{a.t, connection}
}

// status waits for the answer.
func (s socket) status(within time.Duration) (int, http.Header) {
	s.t.Helper()
	if err := s.SetReadDeadline(time.Now().Add(within)); err != nil {
		s.t.Fatal(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(s), nil)
	if err != nil {
		s.t.Fatalf("no answer within %v: %v", within, err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		s.t.Fatal(err)
	}
	return response.StatusCode, response.Header
}

// uploadsOf is the address of uploads to an account.
func (o *office) uploadsOf(account string) string {
	return server.BasePath + o.path + "/accounts/" + account + "/transactions"
}

// swift fails the test where something takes longer than an attack may make it.
func swift(t testing.TB, what string, do func()) {
	t.Helper()
	start := time.Now()
	do()
	if took := time.Since(start); took > soon {
		t.Errorf("%s took %v beside the attack", what, took)
	}
}

// works sends one upload, one tool call and one snapshot of a partner who has nothing to do with an attack.
func works(t testing.TB, h *hook, o *office, account string) {
	t.Helper()
	swift(t, "an upload", func() { o.upload(account, transaction("honest", "-1.00", "2026-03-30", "COFFEE")) })
	swift(t, "a tool call", func() {
		h.rpc(bearing(h.oauth(o.person)), "tools/call", M{"name": "getProfile",
			"arguments": M{"organization_id": o.organization}}).want(200)
	})
	body := []byte(`{"type":"accounts.changed","sub":"someone","payload":{"tier":"free","accounts":[]}}`)
	swift(t, "a snapshot", func() {
		h.deliver(h.partner, body, http.Header{"X-Service-Signature": {signature(h.secret, body)}}).want(200)
	})
}

func TestSocketsWithoutACredentialStopNobody(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	o := h.open()
	account := o.uploadAccount("a")
	unsigned := http.Header{"X-Service-Signature": {strings.Repeat("0", 64)}}
	for i := range 300 {
		begun := ""
		if i%2 == 1 {
			begun = strings.Repeat(" ", 400<<10) // more than strangers may hold
		}
		h.announce("/webhooks/"+h.partner+"/accounts", unsigned, server.MaxBody, begun)
	}
	works(t, h, o, account)
}

func TestAnUnknownPartnersSnapshotIsRefusedBeforeItsBody(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	idle := h.announce("/webhooks/nobody/accounts", http.Header{"X-Service-Signature": {strings.Repeat("0", 64)}},
		server.MaxBody, "")
	if status, _ := idle.status(soon); status != http.StatusUnauthorized {
		t.Errorf("status %d", status)
	}
}

func TestOneCredentialsUploadsStopNoOthers(t *testing.T) {
	t.Parallel()
	for name, begun := range map[string]string{"announced": "", "begun": `{"transactions":[`,
		"half sent": strings.Repeat(" ", server.MaxBody/2)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := startHook(t)
			hostile, honest := h.open(), h.open()
			account := hostile.uploadAccount("a")
			for range 100 {
				h.announce(hostile.uploadsOf(account), hostile.header, server.MaxBody, begun)
			}
			works(t, h, honest, honest.uploadAccount("b"))
		})
	}
}

func TestOneAgentsMessagesStopNoOthers(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	hostile, honest := h.open(), h.open()
	token := h.oauth(hostile.person)
	for range 100 {
		h.announce("/mcp", bearing(token), server.MaxBody, "{")
	}
	works(t, h, honest, honest.uploadAccount("b"))
}

// trickle sends a byte now and then until the connection ends.
func (s socket) trickle() {
	every := time.NewTicker(200 * time.Millisecond)
	defer every.Stop()
	for range every.C {
		if _, err := s.Write([]byte(" ")); err != nil {
			return
		}
	}
}

// What begins with 96 KiB may take six seconds longer at the least rate than what does not begin. Which of the two is
// given up first does not depend on how busy the machine is.
func TestABodyThatDoesNotBeginIsRefusedAfterFiveSecondsAndOneThatTricklesLater(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	path := o.uploadsOf(o.uploadAccount("a"))
	slow := o.announce(path, o.header, server.MaxBody, strings.Repeat(" ", 96<<10))
	go slow.trickle()
	idle := o.announce(path, o.header, server.MaxBody, "")
	begun := time.Now()
	ended := make(chan time.Duration, 1)
	go func() {
		defer close(ended)
		if status, _ := slow.status(time.Minute); status != http.StatusRequestTimeout {
			t.Errorf("status %d", status)
		}
		ended <- time.Since(begun)
	}()
	status, _ := idle.status(time.Minute)
	if took := time.Since(begun); status != http.StatusRequestTimeout || took < 4*time.Second {
		t.Errorf("status %d after %v", status, took)
	}
	select {
	case <-ended:
		t.Error("what trickles was given up first")
	default:
		<-ended
	}
}

// paced gives at most so many bytes every 100 milliseconds, as a slow link does.
type paced struct {
	from  io.Reader
	every *time.Ticker
	bytes int
}

func (p paced) Read(into []byte) (int, error) {
	<-p.every.C
	return p.from.Read(into[:min(len(into), p.bytes)])
}

// A request's time does not begin before its body is here, so a slow link does not use it up.
func TestAnUploadOverASlowLinkIsTaken(t *testing.T) {
	t.Parallel()
	o := start(t, func(c *server.Config) { c.RequestTimeout = 2 * time.Second }).open()
	account := o.uploadAccount("a")
	body := transactionBody(object(transactionMembers)) + strings.Repeat(" ", 400<<10)
	every := time.NewTicker(100 * time.Millisecond)
	defer every.Stop()
	r, err := http.NewRequest("POST", o.url+o.uploadsOf(account), paced{strings.NewReader(body), every, 5000})
	if err != nil {
		t.Fatal(err)
	}
	r.Header = o.header.Clone()
	r.Header.Set("Content-Type", "application/json")
	r.ContentLength = int64(len(body))
	o.do(r).want(200)
}

// More bodies of one credential than its share may hold: they take turns, and none is refused.
func TestManyWholeBodiesOfOneCredentialTakeTurns(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	account := o.uploadAccount("a")
	answers := make(chan answer)
	const clients = 40
	for range clients {
		go func() {
			id := uuid.NewString()
			body := transactionBody(object(transactionMembers, "external_id", `"`+id+`"`))
			answers <- o.post(o.path+"/accounts/"+account+"/transactions",
				body+strings.Repeat(" ", server.MaxBody-len(body)))
		}()
	}
	for range clients {
		(<-answers).want(200)
	}
}

func TestABodyMayHaveOneMiBHoweverItIsSent(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	good := transactionBody(object(transactionMembers))
	for name, test := range map[string]struct {
		size int
		want int
	}{
		"1 MiB":            {server.MaxBody, 200},
		"1 MiB and a byte": {server.MaxBody + 1, 413},
		"3 MiB":            {3 * server.MaxBody, 413},
	} {
		for _, chunked := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, chunked %v", name, chunked), func(t *testing.T) {
				var body io.Reader = bytes.NewReader([]byte(good + strings.Repeat(" ", test.size-len(good))))
				if chunked {
					body = struct{ io.Reader }{body}
				}
				r, err := http.NewRequest("POST", u.url+server.BasePath+u.path+"/accounts/"+u.account+"/transactions",
					body)
				if err != nil {
					t.Fatal(err)
				}
				r.Header = u.header.Clone()
				r.Header.Set("Content-Type", "application/json")
				u.in(t).do(r).want(test.want)
			})
		}
	}
}

// The attack: bodies in chunks of a byte took 51 ms of a core for each MiB, as many at a time as a partner may send.
func TestBodiesInChunksAreReadAtARate(t *testing.T) {
	t.Parallel()
	body := []byte(transactionBody(object(transactionMembers)) + strings.Repeat(" ", server.MaxBody-1000))
	for name, atOnce := range map[string]int{"at once": 4, "one after the other": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUploads(t)
			began := time.Now()
			var sending errgroup.Group
			sending.SetLimit(atOnce)
			for range 4 { // of which one MiB is read at once, and the others at four a second
				sending.Go(func() error {
					r, err := http.NewRequest("POST", u.url+server.BasePath+u.path+"/accounts/"+u.account+
						"/transactions",
						struct{ io.Reader }{bytes.NewReader(body)})
					if err != nil {
						return err
					}
					r.Header = u.header.Clone()
					r.Header.Set("Content-Type", "application/json")
					u.in(t).do(r).want(200)
					return nil
				})
			}
			if err := sending.Wait(); err != nil {
				t.Fatal(err)
			}
			if took := time.Since(began); took < 700*time.Millisecond {
				t.Errorf("four MiB in chunks were read within %v", took)
			}
		})
	}
}

func TestTheMediaTypeIsJSONInUTF8WithoutEncoding(t *testing.T) {
	t.Parallel()
	u := newUploads(t)
	good := []byte(transactionBody(object(transactionMembers)))
	path := u.path + "/accounts/" + u.account + "/transactions"
	for media, want := range map[string]int{
		"application/json": 200, "Application/JSON": 200, "application/json; charset=utf-8": 200,
		"application/json;charset=UTF-8": 200, `application/json; charset="utf-8"`: 200,
		"application/json ; charset=utf-8": 200, "application/json;": 200,
		"": 415, "text/plain": 415, "text/json": 415, "application/x-www-form-urlencoded": 415,
		"multipart/form-data; boundary=x": 415, "application/*": 415, "*/*": 415,
		"application/json; charset=latin1": 415, "application/json; charset=utf-16": 415,
		"application/json; charset=": 415, "application/json; charset=utf-8; charset=latin1": 415,
		"application/problem+json": 415, "application/json, text/plain": 415, "application/jsonx": 415, "json": 415,
	} {
		t.Run(media, func(t *testing.T) { u.in(t).send("POST", path, media, good).want(want) })
	}
	for name, test := range map[string]struct {
		header http.Header
		want   int
	}{
		"gzip":              {http.Header{"Content-Encoding": {"gzip"}}, 415},
		"br":                {http.Header{"Content-Encoding": {"br"}}, 415},
		"identity":          {http.Header{"Content-Encoding": {"identity"}}, 200},
		"identity, gzip":    {http.Header{"Content-Encoding": {"identity, gzip"}}, 415},
		"identity and gzip": {http.Header{"Content-Encoding": {"identity", "gzip"}}, 415},
		"two types":         {http.Header{"Content-Type": {"application/json", "text/plain"}}, 415},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := http.NewRequest("POST", u.url+server.BasePath+path, bytes.NewReader(good))
			if err != nil {
				t.Fatal(err)
			}
			r.Header = u.header.Clone()
			r.Header.Set("Content-Type", "application/json")
			for name, values := range test.header {
				r.Header[name] = values
			}
			u.in(t).do(r).want(test.want)
		})
	}
}
