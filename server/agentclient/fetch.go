package agentclient

import (
	"context"
	"errors"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"
)

// How documents are fetched and kept.
const (
	fetchTime  = 5 * time.Second
	fetchBytes = 10 << 10
	keepLeast  = 5 * time.Minute
	keepMost   = time.Hour
	keepFailed = 30 * time.Second
	keepStale  = 24 * time.Hour // the last good one, while there is no newer: vendors' documents fail at times
	mostKept   = 1000
	// Anybody makes this service fetch: so much a minute, all together.
	fetchesPerMinute = 60
)

// ErrUnknown: there is no document at the address that says who the program is. Why is told to nobody: it would tell
// what answers where.
var ErrUnknown = errors.New("agentclient: no metadata document")

// Fetcher finds programs by their documents, as anybody on the internet sees them.
type Fetcher struct {
	hosts  []string // where people may be sent to beside those that are well known
	now    func() time.Time
	client *http.Client
	budget *rate.Limiter
	flight singleflight.Group

	mu   sync.Mutex
	kept map[string]kept
}

type kept struct {
	client Client
	good   time.Time // when it was fetched; zero where it never was
	until  time.Time
}

// NewFetcher makes a fetcher. Its connections go to addresses that everybody reaches, and to no other. A transport that
// is not nil is a test's, which answers in place of the internet.
func NewFetcher(hosts []string, now func() time.Time, transport http.RoundTripper) *Fetcher {
	if transport == nil {
		transport = outward()
	}
	return &Fetcher{
		hosts: hosts,
		now:   now,
		client: &http.Client{
			Timeout:       fetchTime,
			Transport:     transport,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		budget: rate.NewLimiter(rate.Every(time.Minute/fetchesPerMinute), fetchesPerMinute),
		kept:   map[string]kept{},
	}
}

// outward connects to public addresses alone. It looks at the address that is connected to, after the name was looked
// up: no second look can give another.
func outward() *http.Transport {
	dialer := &net.Dialer{Timeout: fetchTime, Control: func(_, to string, _ syscall.RawConn) error {
		at, err := netip.ParseAddrPort(to)
		if err != nil || at.Port() != 443 || !public(at.Addr()) {
			return errNotPublic
		}
		return nil
	}}
	return &http.Transport{DialContext: dialer.DialContext, DisableKeepAlives: true, ForceAttemptHTTP2: true,
		TLSHandshakeTimeout: fetchTime, ResponseHeaderTimeout: fetchTime, MaxResponseHeaderBytes: 16 << 10}
}

var errNotPublic = errors.New("agentclient: not a public address")

// special are networks that are somebody's own, or lead to those by another way (RFC 6890 and its registries).
var special = func() (list []netip.Prefix) {
	for _, text := range []string{
		"0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
		"192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
		"224.0.0.0/4", "240.0.0.0/4",
		"::/96", "::ffff:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "100::/64", "2001::/23", "2001:db8::/32",
		"2002::/16", "3fff::/20", "5f00::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8",
	} {
		list = append(list, netip.MustParsePrefix(text))
	}
	return list
}()

func public(at netip.Addr) bool {
	return at.IsGlobalUnicast() && !at.Is4In6() && at.Zone() == "" &&
		!slices.ContainsFunc(special, func(net netip.Prefix) bool { return net.Contains(at) })
}

// named is the form of an id that is an address: https, a host name with a letter at its end, no port, and a path.
var named = regexp.MustCompile(`^https://(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]/[!-~]+$`)

const maxID = 512

// IsAddress reports whether an id is the address of a document.
func IsAddress(id string) bool {
	return len(id) <= maxID && named.MatchString(id) && !strings.ContainsAny(id, `\#"<>`) &&
		!strings.Contains(id, "/../") && !strings.Contains(id, "/./")
}

// Find is the program whose document stands at id. ErrUnknown.
func (f *Fetcher) Find(ctx context.Context, id string) (Client, error) {
	if !IsAddress(id) {
		return Client{}, ErrUnknown
	}
	now := f.now()
	known := f.look(id)
	if now.Before(known.until) {
		return known.answer(now)
	}
	if !slices.Contains(wellKnownDocuments, id) && !f.budget.Allow() {
		return known.answer(now)
	}
	fetched, err, _ := f.flight.Do(id, func() (any, error) { return f.fetch(context.WithoutCancel(ctx), id, known) })
	if err != nil {
		return Client{}, err
	}
	return fetched.(kept).answer(now)
}

// answer is the last good document, unless it is too old.
func (k kept) answer(now time.Time) (Client, error) {
	if k.good.IsZero() || now.Sub(k.good) > keepStale {
		return Client{}, ErrUnknown
	}
	return k.client, nil
}

func (f *Fetcher) look(id string) kept {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.kept[id]
}

// fetch asks for a document and keeps what came of it.
func (f *Fetcher) fetch(ctx context.Context, id string, last kept) (kept, error) {
	now := f.now()
	client, age, ok := f.get(ctx, id)
	found := kept{client: last.client, good: last.good, until: now.Add(keepFailed)}
	if ok {
		found = kept{client: client, good: now, until: now.Add(age)}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.kept) >= mostKept {
		for other, k := range f.kept {
			if now.After(k.until) {
				delete(f.kept, other)
			}
		}
		if len(f.kept) >= mostKept {
			clear(f.kept)
		}
	}
	f.kept[id] = found
	return found, nil
}

// get asks for a document, and how long it may be kept.
func (f *Fetcher) get(ctx context.Context, id string) (c Client, age time.Duration, ok bool) {
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, id, nil)
	if err != nil {
		return c, 0, false
	}
	r.Header.Set("Accept", "application/json")
	r.Header.Set("User-Agent", "bizfin")
	response, err := f.client.Do(r)
	if err != nil {
		return c, 0, false
	}
	defer response.Body.Close()
	media, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil || response.StatusCode != http.StatusOK ||
		media != "application/json" && !strings.HasSuffix(media, "+json") {
		return c, 0, false
	}
	raw, err := io.ReadAll(io.LimitReader(response.Body, fetchBytes+1))
	if err != nil || len(raw) > fetchBytes {
		return c, 0, false
	}
	c, ok = document(id, raw, f.hosts)
	return c, maxAge(response.Header.Get("Cache-Control")), ok
}

var maxAgeOf = regexp.MustCompile(`(?:^|[,\s])max-age=([0-9]{1,9})`)

func maxAge(header string) time.Duration {
	found := maxAgeOf.FindStringSubmatch(strings.ToLower(header))
	if found == nil {
		return keepLeast
	}
	seconds, _ := strconv.Atoi(found[1])
	return min(max(time.Duration(seconds)*time.Second, keepLeast), keepMost)
}
