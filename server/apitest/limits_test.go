package apitest

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/redis/go-redis/v9"

	"bizfin/server"
	"bizfin/server/limit"
	"bizfin/store"
	"bizfin/store/storetest"
)

// plenty are rules that no test of others reaches.
var plenty = limit.Rule{PerSecond: 1_000_000, InFlight: 10_000}

// ruled changes the rules of a server that counts by itself.
func ruled(change func(*server.Rules)) func(*server.Config) {
	return func(c *server.Config) {
		c.Rules = server.Rules{Partner: plenty, Organization: plenty, Agent: plenty}
		change(&c.Rules)
	}
}

// refusedAsLimited fails the test unless an answer is a 429 that says whose limit it was and when to come again.
func (r answer) refusedAsLimited(of string) {
	r.t.Helper()
	r.want(http.StatusTooManyRequests)
	after, err := strconv.Atoi(r.header.Get("Retry-After"))
	if err != nil || after < 1 || !strings.Contains(r.text("error"), "this "+of) {
		r.t.Errorf("Retry-After %q, %s", r.header.Get("Retry-After"), r.body)
	}
}

func TestARequestBeyondARateIsRefusedAndOthersAreNot(t *testing.T) {
	t.Parallel()
	for of, change := range map[string]func(*server.Rules){
		"partner":      func(r *server.Rules) { r.Partner.PerSecond = 1 },
		"organization": func(r *server.Rules) { r.Organization.PerSecond = 1 },
		"agent":        func(r *server.Rules) { r.Agent.PerSecond = 1 },
	} {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			a := start(t, ruled(change))
			o := a.open()
			caller := o.caller
			if of == "agent" {
				caller = a.withOAuth(a.oauth(o.person))
			}
			var last answer
			for range 10 {
				last = caller.get(o.path + "/accounts")
				if last.status != 200 {
					break
				}
			}
			last.refusedAsLimited(of)
			if !strings.Contains(last.header.Get("RateLimit-Policy"), `"`+of+`";q=1;w=1`) ||
				!strings.Contains(last.header.Get("RateLimit"), `"`+of+`";r=0;t=1`) {
				t.Errorf("RateLimit-Policy %q, RateLimit %q", last.header.Get("RateLimit-Policy"),
					last.header.Get("RateLimit"))
			}
			partner := a.partner
			a.partner, a.secret = a.newPartner()
			other := a.open()
			eventually(t, func() bool { return other.get(other.path+"/accounts").status == 200 })
			if of == "agent" {
				o.get(o.path + "/accounts").want(200)
				partner = ""
			}
			series := `bizfin_limited_requests_total{limit="rate",of="` + of + `",partner="`
			if of == "organization" || of == "partner" || partner == "" {
				found := false
				for name := range a.scrape() {
					found = found || strings.HasPrefix(name, series)
				}
				if !found {
					t.Errorf("no %s", series)
				}
			}
		})
	}
}

// What one business of a partner is refused costs its other businesses nothing.
func TestARefusedBusinessDoesNotUseUpItsPartnersRate(t *testing.T) {
	t.Parallel()
	a := start(t, ruled(func(r *server.Rules) { r.Organization.PerSecond, r.Partner.PerSecond = 1, 40 }))
	floods, other := a.open(), a.open()
	for range 200 {
		floods.get(floods.path + "/accounts")
	}
	other.get(other.path + "/accounts").want(200)
}

// eventually waits for a condition that comes about by itself.
func eventually(t testing.TB, holds func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatal("it did not come about in a minute")
		}
	}
}

func TestALimitedUploadIsRefusedBeforeItsBody(t *testing.T) {
	t.Parallel()
	a := start(t, ruled(func(r *server.Rules) { r.Organization.PerSecond = 2 }))
	o := a.open()
	account := o.uploadAccount("a")
	for o.get(o.path+"/accounts").status == 200 {
	}
	idle := o.announce(o.uploadsOf(account), o.header, server.MaxBody, "")
	if status, _ := idle.status(3 * time.Second); status != http.StatusTooManyRequests {
		t.Errorf("status %d", status)
	}
}

func TestEachMessageOfABatchIsCounted(t *testing.T) {
	t.Parallel()
	a := start(t, ruled(func(r *server.Rules) { r.Agent.PerSecond = 6 }))
	o := a.open()
	got := o.postMCP(bearing(o.oauth(o.person)), batched(pings(10)...)).want(200)
	var answers []struct {
		Error *struct {
			Code int
			Data struct{ RetryAfter int }
		}
	}
	if err := json.Unmarshal(got.body, &answers); err != nil {
		t.Fatal(err)
	}
	for i, one := range answers {
		if limited := one.Error != nil; limited != (i >= 6) {
			t.Errorf("message %d: %+v", i, one.Error)
		} else if limited && (one.Error.Code != 429 || one.Error.Data.RetryAfter < 1) {
			t.Errorf("message %d: %+v", i, *one.Error)
		}
	}
	o.postMCP(bearing(o.oauth(o.person)), batched(pings(1)...)).want(200) // another token
}

// Whoever floods with requests that are refused waits for the refusals, and nobody else does.
func TestAFloodOfRefusalsIsSlowed(t *testing.T) {
	t.Parallel()
	const perSecond, side = 20, 64 // few, so that the slowest machine would send more
	for name, flood := range map[string]func(a *api, floods *office) func() int{
		"without a token": func(a *api, _ *office) func() int {
			return func() int {
				return (&caller{api: a, header: http.Header{}}).get(
					"/organizations/x/accounts").status
			}
		},
		"of no access": func(a *api, floods *office) func() int {
			other := a.open()
			return func() int { return floods.get(other.path + "/accounts").status }
		},
		"of broken parameters": func(_ *api, floods *office) func() int {
			return func() int { return floods.get(floods.path + "/transactions?limit=x").status }
		},
		"of broken bodies": func(_ *api, floods *office) func() int {
			return func() int { return floods.post(floods.path+"/accounts", `{}`).status }
		},
		"of broken messages": func(a *api, floods *office) func() int {
			header, raw := bearing(a.oauth(floods.person)), []byte(strings.Repeat("[", 100))
			return func() int { return a.postMCP(header, raw).status }
		},
		"at the token endpoint": func(a *api, _ *office) func() int {
			form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:jwt-bearer"}, "assertion": {"x.y.z"}}
			return func() int { return a.token(form, "X-Service-Partner", a.partner).status }
		},
		"of unknown programs": func(a *api, _ *office) func() int {
			return func() int { return a.outside("GET", "/oauth/consent?agent_request=x", nil, nil).status }
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := start(t, func(c *server.Config) { c.RefusedPerSecond, c.SignIn = perSecond, &server.SignIn{} })
			ask := flood(a, a.open())
			a.partner, a.secret = a.newPartner()
			neighbour := a.open()
			var refused atomic.Int64
			var floods sync.WaitGroup
			began, over := time.Now(), make(chan struct{})
			for range side {
				floods.Go(func() {
					for {
						select {
						case <-over:
							return
						default:
						}
						if status := ask(); status < 400 || status >= 500 {
							t.Errorf("status %d", status)
						}
						refused.Add(1)
					}
				})
			}
			eventually(t, func() bool {
				neighbour.get(neighbour.path + "/accounts").want(200)
				return time.Since(began) > 3*time.Second
			})
			n, took := refused.Load(), time.Since(began)
			close(over)
			floods.Wait()
			if most := perSecond + int64((perSecond+side)*took.Seconds()) + side; n > most {
				t.Errorf("%d were refused in %v, at most %d should be", n, took, most)
			}
		})
	}
}

// A message alone beyond the rate is refused as JSON-RPC has it, with its id where its body is small and there. The
// code is none of those that MCP keeps for itself, and an id is never null (revision 2026-07-28, Error Responses and
// Error Codes).
func TestAMessageBeyondARateIsAnsweredWithItsID(t *testing.T) {
	t.Parallel()
	a := start(t, ruled(func(r *server.Rules) { r.Agent.PerSecond = 1 }))
	o := a.open()
	header := bearing(o.oauth(o.person))
	refused := func(raw string) answer {
		t.Helper()
		var got answer
		for range 20 {
			if got = o.postMCP(header, []byte(raw)); got.status == http.StatusTooManyRequests {
				break
			}
		}
		got.want(http.StatusTooManyRequests)
		if after, err := strconv.Atoi(got.header.Get("Retry-After")); err != nil || after < 1 ||
			got.header.Get("RateLimit") == "" ||
			!strings.Contains(got.header.Get("RateLimit-Policy"), `"agent";q=1;w=1`) {
			t.Errorf("headers %v", got.header)
		}
		if got.text("jsonrpc") != "2.0" || got.text("error", "code") != "429" ||
			got.text("error", "data", "retryAfter") == "" ||
			!strings.Contains(got.text("error", "message"), "this agent may send 1 a second") {
			t.Errorf("answered %s", got.body)
		}
		return got
	}
	for id, raw := range map[any]string{
		json.Number("7"): `{"jsonrpc":"2.0","id":7,"method":"ping"}`,
		"seven":          `{"jsonrpc":"2.0","id":"seven","method":"tools/call","params":{"name":"getProfile","arguments":{}}}`,
	} {
		if got := refused(raw).get("id"); got != id {
			t.Errorf("%s: the id is %v", raw, got)
		}
	}
	for _, raw := range []string{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, string(batched(pings(2)...)),
		"7",
		`{"jsonrpc":"2.0","id":7,"method":"` + strings.Repeat("x", 20_000) + `"}`} {
		if got, has := refused(raw).get().(map[string]any)["id"]; has {
			t.Errorf("%.40s: the id is %v", raw, got)
		}
	}
}

// The official client fails the one call that was too many, and goes on afterwards.
func TestAClientThatWasLimitedGoesOn(t *testing.T) {
	t.Parallel()
	a := start(t, ruled(func(r *server.Rules) { r.Agent.PerSecond = 4 }))
	o := a.open()
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		session := a.agent(a.oauth(o.person), revision)
		call := func() error {
			_, err := session.CallTool(t.Context(), &sdk.CallToolParams{Name: "getProfile",
				Arguments: M{"organization_id": o.organization}})
			return err
		}
		var refused error
		for range 50 {
			if refused = call(); refused != nil {
				break
			}
		}
		if refused == nil || !strings.Contains(refused.Error(), "Too Many Requests") {
			t.Errorf("%s: fifty calls at once end with %v", revision, refused)
		}
		eventually(t, func() bool { return call() == nil })
	}
}

// A tool call counts for its organization, and once for its token.
func TestAToolCallIsLimitedLikeItsOperation(t *testing.T) {
	t.Parallel()
	a := start(t, ruled(func(r *server.Rules) { r.Organization.PerSecond, r.Agent.PerSecond = 3, 1000 }))
	o := a.open()
	session := a.agent(a.oauth(o.person), "2025-11-25")
	for range 10 {
		result, text := callTool(t, session, "listAccounts", M{"organization_id": o.organization})
		if result.IsError {
			if !strings.Contains(text, "this organization may send 3 a second") {
				t.Errorf("%s", text)
			}
			return
		}
	}
	t.Error("ten calls in a moment, and none was refused")
}

func TestRequestsInFlightAreLimitedAndFreeAgainWhenClientsGo(t *testing.T) {
	t.Parallel()
	a := start(t, ruled(func(r *server.Rules) { r.Organization.InFlight = 3 }))
	o, other := a.open(), a.open()
	account := o.uploadAccount("a")
	var sockets []socket
	eventually(t, func() bool {
		// Again and again: a body that does not come is given up after seconds, which are few on a slow machine.
		for range 10 {
			sockets = append(sockets, o.announce(o.uploadsOf(account), o.header, server.MaxBody, "{"))
		}
		got := o.get(o.path + "/accounts")
		if got.status == 429 {
			got.refusedAsLimited("organization")
		}
		return got.status == 429
	})
	other.get(other.path + "/accounts").want(200)
	for _, s := range sockets {
		s.Close()
	}
	eventually(t, func() bool { return o.get(o.path+"/accounts").status == 200 })
}

func TestAPartnersOwnLimitsTakeEffectWithoutARestart(t *testing.T) {
	t.Parallel()
	a := start(t)
	o := a.open()
	one, usual := 1, store.PartnerLimits{PartnerID: a.partner}
	limited := usual
	limited.OrganizationPerSecond = &one
	policy := func() string { return o.get(o.path + "/accounts").header.Get("RateLimit-Policy") }
	if err := a.db.LimitPartner(t.Context(), time.Now(), limited); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return strings.Contains(policy(), `"organization";q=1;`) })
	if err := a.db.LimitPartner(t.Context(), time.Now(), usual); err != nil {
		t.Fatal(err)
	}
	eventually(t, func() bool { return strings.Contains(policy(), `"organization";q=5000;`) })
}

// hangsFor is how long the tests' client waits for a Redis that hangs.
const hangsFor = 30 * time.Second

// throughRedis are the settings of a server that counts in Redis, behind a line that can freeze.
func throughRedis(t *testing.T, patience time.Duration, change func(*server.Rules)) (configure func(*server.Config),
	network *storetest.Line) {
	t.Helper()
	options, err := redis.ParseURL(storetest.RedisURL(t))
	if err != nil {
		t.Fatal(err)
	}
	network = storetest.NewLine(t, "tcp", options.Addr)
	return func(c *server.Config) {
		ruled(change)(c)
		own := *options
		own.Dialer, own.Addr, own.ReadTimeout = nil, network.Address, hangsFor
		client := redis.NewClient(&own)
		t.Cleanup(func() { _ = client.Close() })
		c.Limits = limit.New(client, patience, slog.New(slog.DiscardHandler))
	}, network
}

// The rate is one that a busy machine asks more often than.
func TestProcessesCountARateTogether(t *testing.T) {
	t.Parallel()
	const rate = 10
	configure, _ := throughRedis(t, time.Minute, func(r *server.Rules) { r.Organization.PerSecond = rate })
	one, two := start(t, configure), start(t, configure)
	o := one.open()
	there := &caller{api: two, header: o.header}
	passed := 0
	begun := time.Now()
	for _, c := range []*caller{o.caller, there} {
		for c.get(o.path+"/accounts").status == 200 {
			passed++
		}
	}
	if most := rate + int(rate*time.Since(begun).Seconds()) + 2; passed > most {
		t.Errorf("%d passed in %v, and two alone let twice %d pass", passed, time.Since(begun), rate)
	}
}

// The first request waits for Redis as long as it may, which is far less than Redis's client would; those after it do
// not wait. They are held against it, since a busy machine slows all of them.
func TestARedisThatHangsSlowsNobodyAndTheRateHolds(t *testing.T) {
	t.Parallel()
	configure, network := throughRedis(t, time.Second, func(r *server.Rules) { r.Organization.PerSecond = 5 })
	a := start(t, configure)
	o := a.open()
	shared := func() bool { return a.scrape()["bizfin_limits_shared"] == "1" }
	o.get(o.path + "/accounts").want(200)
	eventually(t, shared)
	network.Freeze()
	var took []time.Duration
	eventually(t, func() bool {
		began := time.Now()
		got := o.get(o.path + "/accounts")
		took = append(took, time.Since(began))
		return got.status == 429 && len(took) > 3
	})
	if first, swiftest := took[0], slices.Min(took[1:]); first > hangsFor/2 || swiftest > first/2 {
		t.Errorf("while Redis hangs a request took %v, and the fastest of those after it %v", first, swiftest)
	}
	if shared() {
		t.Error("the metric says that Redis counts")
	}
	network.Thaw()
	eventually(t, func() bool { o.get(o.path + "/accounts"); return shared() })
}
