package agentclient

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// What this service is made to fetch must be what everybody can fetch.
func TestNobodyIsAskedWhoIsNotPublic(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.8.8.8", "169.254.169.254", "172.16.0.1",
		"172.31.255.255",
		"192.0.0.8", "192.0.2.1", "192.88.99.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1",
		"224.0.0.1",
		"240.0.0.1", "255.255.255.255",
		"::", "::1", "::7f00:1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1",
		"2001::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "fc00::1", "fd00:ec2::254", "fe80::1",
		"fe80::1%eth0", "fec0::1", "ff02::1",
	} {
		if public(netip.MustParseAddr(text)) {
			t.Errorf("%s is public", text)
		}
	}
	for _, text := range []string{"8.8.8.8", "1.1.1.1", "100.128.0.1", "172.32.0.1",
		"2606:4700::1111", "2a00:1450::1"} {
		if !public(netip.MustParseAddr(text)) {
			t.Errorf("%s is not public", text)
		}
	}
}

// The address is looked at when it is connected to: whatever a name leads to by then.
func TestTheTransportConnectsToPublicAddressesAlone(t *testing.T) {
	t.Parallel()
	listening, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listening.Close()
	_, port, _ := net.SplitHostPort(listening.Addr().String())
	outward := outward()
	if outward.Proxy != nil {
		t.Error("a proxy of the environment would connect for it")
	}
	for _, to := range []string{listening.Addr().String(), "localhost:" + port, "127.0.0.1:443",
		"localhost:443", "[::1]:443", "8.8.8.8:80"} {
		connection, err := outward.DialContext(t.Context(), "tcp", to)
		if err == nil {
			connection.Close()
		}
		if !errors.Is(err, errNotPublic) {
			t.Errorf("%s: %v", to, err)
		}
	}
}

func TestTheFormOfADocumentsAddress(t *testing.T) {
	t.Parallel()
	for id, good := range map[string]bool{
		"https://claude.ai/oauth/mcp-oauth-client-metadata": true,
		"https://a.example/client.json?x=1":                 true,
		"https://a.example":                                 false,
		"https://a.example/":                                false,
		"http://a.example/client.json":                      false,
		"https://a.example:8443/client.json":                false,
		"https://user@a.example/client.json":                false,
		"https://a.example/client.json#x":                   false,
		"https://127.0.0.1/client.json":                     false,
		"https://[::1]/client.json":                         false,
		"https://2130706433/client.json":                    false,
		"https://0x7f.1/client.json":                        false,
		"https://localhost/client.json":                     false,
		"https://A.example/client.json":                     false,
		"https://a.example./client.json":                    false,
		`https://a.example\@b.example/client.json`:          false,
		"https://a.example/../client.json":                  false,
		"https://a.example/client json":                     false,
		"https://a.example/" + strings.Repeat("x", 512):     false,
		"": false,
	} {
		if IsAddress(id) != good {
			t.Errorf("%q: %v", id, !good)
		}
	}
}

const id = "https://client.example/client.json"

// site answers in place of the internet.
type site struct {
	handler http.HandlerFunc
	asked   atomic.Int32
	wait    chan struct{}
}

func (s *site) RoundTrip(r *http.Request) (*http.Response, error) {
	s.asked.Add(1)
	if end, ok := r.Context().Deadline(); !ok || time.Until(end) > fetchTime {
		return nil, errors.New("it would wait without end")
	}
	if s.wait != nil {
		<-s.wait
	}
	w := httptest.NewRecorder()
	s.handler(w, r)
	return w.Result(), nil
}

const document200 = `{"client_id":"` + id + `","client_name":"Agent",` +
	`"redirect_uris":["http://127.0.0.1/x","https://evil.example/x"]}`

func TestADocumentThatBreaksARuleIsNone(t *testing.T) {
	t.Parallel()
	answer := func(status int, media, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", media)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
	change := func(from, to string) string { return strings.Replace(document200, from, to, 1) }
	const media = "application/json"
	const secretly = `{"token_endpoint_auth_method":"client_secret_post",`
	spaces := strings.Repeat(" ", fetchBytes+1-len(document200))
	for what, c := range map[string]struct {
		handler http.HandlerFunc
		good    bool
	}{
		"a good one":        {answer(200, media, document200), true},
		"with its charset":  {answer(200, "application/json; charset=utf-8", document200), true},
		"without secrets":   {answer(200, media, change(`{`, `{"token_endpoint_auth_method":"none",`)), true},
		"not found":         {answer(404, media, document200), false},
		"HTML":              {answer(200, "text/html", document200), false},
		"no JSON":           {answer(200, media, "x"), false},
		"another's":         {answer(200, media, change(id, "https://other.example/client.json")), false},
		"no name":           {answer(200, media, change("Agent", " \u200b ")), false},
		"no addresses":      {answer(200, media, change("redirect_uris", "other")), false},
		"foreign addresses": {answer(200, media, change("http://127.0.0.1/x", "https://other.example/x")), false},
		"a secret":          {answer(200, media, change(`{`, secretly)), false},
		"10 KiB and a byte": {answer(200, media, document200+spaces), false},
		"sent somewhere else": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://169.254.169.254/latest", http.StatusFound)
		}, false},
		"sent to a good one": {func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/good" {
				answer(200, media, document200)(w, r)
				return
			}
			http.Redirect(w, r, "https://client.example/good", http.StatusFound)
		}, false},
	} {
		s := &site{handler: c.handler}
		found, err := NewFetcher(nil, time.Now, s).Find(t.Context(), id)
		if (err == nil) != c.good || err != nil && !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %+v, %v", what, found, err)
		}
		if c.good && (found.Name != "Agent" || len(found.RedirectURIs) != 1 || found.Registered) {
			t.Errorf("%s: %+v", what, found)
		}
		if s.asked.Load() != 1 {
			t.Errorf("%s: asked %d times", what, s.asked.Load())
		}
	}
}

func TestADocumentIsFetchedByOneAtATimeAndNotWithoutEnd(t *testing.T) {
	t.Parallel()
	now := time.Now()
	s := &site{wait: make(chan struct{}), handler: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(document200))
	}}
	f := NewFetcher(nil, func() time.Time { return now }, s)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() { _, _ = f.Find(t.Context(), id) })
	}
	for s.asked.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	close(s.wait)
	all.Wait()
	if n := s.asked.Load(); n > 2 { // one that came right after the first was done finds it kept
		t.Errorf("fetched %d times", n)
	}
	for i := range 200 {
		_, _ = f.Find(t.Context(), "https://client.example/"+strings.Repeat("x", i+1))
	}
	if n := s.asked.Load(); n > fetchesPerMinute+10 {
		t.Errorf("strangers made it fetch %d times", n)
	}
	if _, err := f.Find(t.Context(), id); err != nil {
		t.Errorf("a known one, meanwhile: %v", err)
	}
	for _, document := range wellKnownDocuments {
		before := s.asked.Load()
		_, _ = f.Find(t.Context(), document)
		_, _ = f.Find(t.Context(), document)
		if s.asked.Load() != before+1 {
			t.Errorf("%s was fetched %d times, meanwhile", document, s.asked.Load()-before)
		}
	}
}

func TestANameIsShownWithoutTricks(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"Claude":                    "Claude",
		" a \t\n b ":                "a b",
		"gn\u202ep.exe\u200b":       "gnp.exe",
		"\x00\x1b[31m":              "[31m",
		"\xff":                      "",
		strings.Repeat("é", 100):    strings.Repeat("é", 80) + "…",
		"\u2066x\u2069\ufeff\u00ad": "x",
	} {
		if got := Shown(name); got != want {
			t.Errorf("%q is shown as %q", name, got)
		}
	}
}

func TestWhereAPersonIsSentBackIsShown(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]string{
		"http://127.0.0.1:1/x": "127.0.0.1:1", "https://claude.ai/x": "claude.ai",
		"cursor://anysphere.cursor-mcp/oauth/callback": "cursor://",
	} {
		if got := Where(uri); got != want {
			t.Errorf("%s is shown as %s", uri, got)
		}
	}
}
