package apitest

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"bizfin/server"
	"bizfin/store/storetest"
)

// Whatever the number of processes that come with one token, they hold one connection to the database, and get one
// answer. The server has four connections; the grant of the many is held here meanwhile.
func TestManyWithOneTokenLeaveTheConnectionsToOthers(t *testing.T) {
	t.Parallel()
	s := startSignInAlone(t)
	many, other := s.grant(), s.grant()
	held, err := s.db.SQL().BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = held.Rollback() }()
	var database string
	err = held.QueryRow(`SELECT current_database() FROM agent_grants WHERE client_id = $1 FOR UPDATE`,
		many.client).Scan(&database)
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	var mu sync.Mutex
	got := map[string]int{}
	for range 16 {
		all.Go(func() {
			answered := s.token(refreshing(many.client, many.refresh))
			mu.Lock()
			defer mu.Unlock()
			if answered.status != 200 {
				t.Errorf("status %d: %s", answered.status, answered.body)
				return
			}
			got[answered.text("refresh_token")]++
		})
	}
	for waiting := 0; waiting == 0; {
		err := storetest.DB(t).SQL().QueryRow(
			`SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND wait_event_type = 'Lock'`, database).Scan(&waiting)
		if err != nil {
			t.Fatal(err)
		}
	}
	for range 5 { // side by side with the many, and through
		other.refresh = s.token(refreshing(other.client, other.refresh)).want(200).text("refresh_token")
	}
	if err := held.Rollback(); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	if len(got) != 1 {
		t.Errorf("the many got %d different tokens", len(got))
	}
}

// A hosted program asks for all its people from one address. What one of them does too much of is not the others' to
// pay, and neither is what strangers there try.
func TestOneProgramUsesUpItsOwnLimitAlone(t *testing.T) {
	t.Parallel()
	s := startSignIn(t)
	loud, quiet := s.grant(), s.grant()
	refused := func(ask func() answer) (n int) {
		for n < 400 {
			got := ask()
			if got.status == 429 {
				got.wantAt("temporarily_unavailable", "error")
				if got.header.Get("Retry-After") == "" {
					t.Errorf("without Retry-After: %v", got.header)
				}
				return n
			}
			n++
		}
		return n
	}
	kept := ""
	if n := refused(func() answer {
		got := s.token(refreshing(loud.client, loud.refresh))
		if got.status == 200 {
			kept, loud.refresh = loud.refresh, got.text("refresh_token")
		}
		return got
	}); n < 50 || n > 200 {
		t.Errorf("one program renewed %d times before it was refused", n)
	}
	if n := refused(func() answer { return s.token(refreshing(loud.client, kept)) }); n > 60 {
		t.Errorf("and %d more times by the token before", n)
	}
	s.token(refreshing(quiet.client, quiet.refresh)).want(200)
	var strangers sync.WaitGroup // at once, so that they are faster than their limit grows
	for range 4 {
		strangers.Go(func() { refused(func() answer { return s.token(refreshing(quiet.client, "mcpr_none")) }) })
	}
	strangers.Wait()
	fresh := s.register()
	s.token(redeeming(fresh, s.agree(fresh))).want(200)
	s.rpc(bearing(loud.access), "tools/list", M{}).want(200) // what it has goes on
}

// letInProgram is one with access, from an address of its own. Its code may not be redeemed yet.
type letInProgram struct{ client, address, code, refresh, access string }

func (s *signIn) programs(n int) []letInProgram {
	s.t.Helper()
	list := make([]letInProgram, n)
	for i := range list {
		p, v := &list[i], s.newVisitor()
		p.address, p.client = fmt.Sprintf("10.1.%d.%d", i/250, i%250+1), s.register()
		v.client.Transport = fromAddress{v.client.Transport, p.address}
		at := s.arrive(v, accessFor(p.client))
		p.code = codeOf(s.t, v.decide(at.form(), "allow"))
	}
	return list
}

// fromAddress sends requests as a proxy would that they came to from an address.
type fromAddress struct {
	http.RoundTripper
	address string
}

func (f fromAddress) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("X-Forwarded-For", f.address)
	return f.RoundTripper.RoundTrip(r)
}

func (s *signIn) redeem(p *letInProgram) time.Duration {
	return s.takes(p, redeeming(p.client, p.code))
}

func (s *signIn) renew(p *letInProgram) time.Duration {
	return s.takes(p, refreshing(p.client, p.refresh))
}

// takes has a program take tokens, and goes on with them.
func (s *signIn) takes(p *letInProgram, form url.Values) time.Duration {
	begun := time.Now()
	got := s.token(form, "X-Forwarded-For", p.address)
	took := time.Since(begun)
	if got.status != 200 {
		s.t.Errorf("status %d: %s", got.status, got.body)
		return took
	}
	p.access, p.refresh = got.text("access_token"), got.text("refresh_token")
	return took
}

func behindProxy(c *server.Config) {
	_, here, _ := net.ParseCIDR("127.0.0.0/8")
	c.Proxies = []*net.IPNet{here}
}

// flood asks from 8 addresses, by 24 at a time from each, until it is ended; then it says how often it did.
func (s *signIn) flood(network string, ask func(address string)) (end func() int64) {
	over := make(chan struct{})
	var all sync.WaitGroup
	var asked atomic.Int64
	for i := range 8 * 24 {
		all.Go(func() {
			for {
				select {
				case <-over:
					return
				default:
					ask(fmt.Sprint(network, i%8+1))
					asked.Add(1)
				}
			}
		})
	}
	return func() int64 {
		close(over)
		all.Wait()
		return asked.Load()
	}
}

// BenchmarkSignIn has hundreds of programs redeem their codes and renew their tokens side by side, alone and beside a
// program whose processes flood the token endpoint with one grant, from a few addresses. No renewal is lost: each
// program goes on with what it was given last. Times are compared within one run.
func BenchmarkSignIn(b *testing.B) {
	const programs, atOnce = 200, 32
	s := startSignIn(b, behindProxy, func(c *server.Config) { c.RefusedPerSecond = 0 }) // as usual
	each := func(list []letInProgram, do func(*letInProgram) time.Duration) *took {
		t := &took{}
		begun := time.Now()
		next := make(chan *letInProgram)
		var all sync.WaitGroup
		for range atOnce {
			all.Go(func() {
				for p := range next {
					t.add(do(p))
				}
			})
		}
		for i := range list {
			next <- &list[i]
		}
		close(next)
		all.Wait()
		t.total = time.Since(begun)
		return t
	}
	p50 := func(t *took) time.Duration { slices.Sort(t.each); return t.each[len(t.each)/2] }
	report := func(what string, t *took) {
		b.ReportMetric(float64(len(t.each))/t.total.Seconds(), what+"/s")
		b.ReportMetric(float64(p50(t).Microseconds())/1000, what+"-p50-ms")
		b.ReportMetric(float64(t.p99().Microseconds())/1000, what+"-p99-ms")
	}
	redeemed, renewed, beside, flooded := &took{}, &took{}, &took{}, &took{}
	begun, begunBeside := &took{}, &took{}
	// begins is a person who comes from a program.
	begins := func(p *letInProgram) time.Duration {
		v := s.newVisitor()
		v.client.Transport = fromAddress{v.client.Transport, p.address}
		at := time.Now()
		if got := v.get(authorizeURL + accessFor(p.client).Encode()); got.status != 200 && got.status != 303 {
			b.Errorf("status %d", got.status)
		}
		return time.Since(at)
	}
	gather := func(into, t *took) {
		into.each, into.total = append(into.each, t.each...), into.total+t.total
	}
	for b.Loop() {
		list, fresh := s.programs(programs), s.programs(programs)
		gather(redeemed, each(list, s.redeem))
		gather(renewed, each(list, s.renew))
		gather(begun, each(list, begins))
		// Codes and tokens side by side.
		var both sync.WaitGroup
		both.Go(func() { each(fresh, s.redeem) })
		gather(beside, each(list, s.renew))
		both.Wait()
		// One grant from a few addresses, and strangers by whose name there is no program.
		hot, tokens, taken := fresh[0], sync.Map{}, atomic.Int64{}
		end := s.flood("10.9.9.", func(address string) {
			got := s.token(refreshing(hot.client, hot.refresh), "X-Forwarded-For", address)
			if got.status == 200 {
				tokens.Store(got.text("refresh_token"), true)
				taken.Add(1)
			}
		})
		gather(flooded, each(list, s.renew))
		b.ReportMetric(float64(end())/flooded.total.Seconds(), "flood/s")
		b.ReportMetric(float64(taken.Load()), "flood-renewed")
		end = s.flood("10.9.8.", func(address string) {
			v := s.newVisitor()
			v.client.Transport = fromAddress{v.client.Transport, address}
			v.get(authorizeURL + accessFor("bizfin-nobody").Encode())
		})
		gather(begunBeside, each(list, begins))
		end()
		different := 0
		tokens.Range(func(any, any) bool { different++; return true })
		if different != 1 {
			b.Errorf("the many got %d different tokens", different)
		}
		for _, p := range list { // nothing was lost: what each was given last is in force
			s.rpc(bearing(p.access), "tools/list", M{}).want(200)
		}
	}
	report("redeem", redeemed)
	report("refresh", renewed)
	report("refresh-beside-codes", beside)
	report("refresh-beside-flood", flooded)
	report("authorize", begun)
	report("authorize-beside-strangers", begunBeside)
	b.ReportMetric(float64(flooded.p99())/float64(renewed.p99()), "p99-beside-flood/alone")
	b.ReportMetric(float64(beside.p99())/float64(renewed.p99()), "p99-beside-codes/alone")
	b.ReportMetric(float64(begunBeside.p99())/float64(begun.p99()), "authorize-p99-beside-strangers/alone")
}
