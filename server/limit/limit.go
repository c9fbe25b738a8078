// Package limit holds callers to a rate of requests, which all processes count together in Redis, and to a number of
// requests in flight, which each process counts by itself: what a request in flight holds are the memory and the
// connections of its process, and they end with it. So nothing is left behind by a process that dies.
package limit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"golang.org/x/time/rate"
)

// The kinds of subjects; they name policies in headers and metrics.
const (
	Partner      = "partner"
	Organization = "organization"
	Agent        = "agent"
	Address      = "address" // of those who have shown no credential
)

// Rule is what one subject may do.
type Rule struct {
	PerSecond int           // requests a second, and so many at once after a pause
	InFlight  int           // requests at a time, of one process
	Per       time.Duration // another time than the second, for what is seldom; 0 is the second
}

// period is what PerSecond is counted over.
func (r Rule) period() time.Duration {
	if r.Per > 0 {
		return r.Per
	}
	return time.Second
}

func (r Rule) rate() rate.Limit { return rate.Limit(float64(r.PerSecond) / r.period().Seconds()) }

// Subject is who requests are counted for.
type Subject struct {
	Kind string // Partner, Organization or Agent
	ID   string
	Rule
}

func (s Subject) key() string { return "bizfin:limit:" + s.Kind + ":" + s.ID }

// Refusal says whose limit is used up.
type Refusal struct {
	Subject
	InFlight bool          // the number in flight; otherwise the rate
	After    time.Duration // when there is room again, as far as is known
}

// Seconds are those of Retry-After, at least one.
func (r Refusal) Seconds() int { return max(1, int(math.Ceil(r.After.Seconds()))) }

func (r Refusal) Error() string {
	if r.InFlight {
		return fmt.Sprintf("Too many requests at a time: this %s may have %d. Send the next when one is answered, or "+
			"after %d s.", r.Kind, r.Rule.InFlight, r.Seconds())
	}
	return fmt.Sprintf("Too many requests: this %s may send %d %s. Send it again after %d s.", r.Kind,
		r.PerSecond, each(r.Per), r.Seconds())
}

// each is a period in words.
func each(period time.Duration) string {
	switch period {
	case 0, time.Second:
		return "a second"
	case time.Minute:
		return "a minute"
	case time.Hour:
		return "an hour"
	default:
		return "in " + period.String()
	}
}

// Patience is how long a request waits for Redis. Nobody waits for one that has once been slower, until it answers in
// that time again.
const Patience = 5 * time.Millisecond

const (
	// What is taken from Redis at a time, for the requests that follow: a twentieth of a second's worth. It lapses.
	share  = 20
	lapses = time.Second
	// A subject without room is not asked about again before this has passed.
	leastPause = 10 * time.Millisecond
	// How often a Redis that was away is looked for.
	lookAgain = time.Second
	// Subjects that sent nothing for so long are forgotten; their buckets are full.
	forgotten = time.Minute
)

// Limiter counts. Its clock is that of the machine: what it measures is load, and no fact of a business.
type Limiter struct {
	shared   *redis_rate.Limiter // nil: this process alone
	patience time.Duration
	log      *slog.Logger

	mu       sync.Mutex
	subjects map[string]*subject
	swept    time.Time
	away     bool // Redis is, as far as is known
}

// Alone makes a limiter of this process alone.
func Alone() *Limiter { return &Limiter{subjects: map[string]*subject{}, swept: time.Now()} }

// New makes a limiter of all processes that use the same Redis; patience is usually Patience.
func New(client redis.UniversalClient, patience time.Duration, log *slog.Logger) *Limiter {
	l := Alone()
	l.shared, l.patience, l.log = redis_rate.NewLimiter(client), patience, log
	return l
}

// subject is what is known of one. Those who ask Redis for it hold its lock, for no longer than patience.
type subject struct {
	inFlight int       // guarded by the Limiter
	used     time.Time // guarded by the Limiter
	per      time.Duration

	mu      sync.Mutex
	alone   *rate.Limiter // counts while Redis is away
	granted int           // taken from Redis and not used yet
	until   time.Time     // when that lapses
	by      Rule          // what that was taken by
	empty   time.Time     // there is no room before
	left    int           // in Redis, as it last said
}

// find returns what is known of a subject. The lock is the caller's.
func (l *Limiter) find(s Subject, now time.Time) *subject {
	if now.Sub(l.swept) > forgotten {
		l.swept = now
		for key, known := range l.subjects {
			if known.inFlight == 0 && now.Sub(known.used) > max(forgotten, known.per) {
				delete(l.subjects, key)
			}
		}
	}
	known, ok := l.subjects[s.key()]
	if !ok {
		known = &subject{alone: rate.NewLimiter(s.rate(), s.PerSecond), per: s.period()}
		l.subjects[s.key()] = known
	}
	known.used = now
	return known
}

// Enter counts a request in flight for all subjects or for none. leave ends it, and is called once.
func (l *Limiter) Enter(subjects ...Subject) (leave func(), refused *Refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	entered := make([]*subject, len(subjects))
	for i, s := range subjects {
		entered[i] = l.find(s, now)
		if entered[i].inFlight >= s.InFlight {
			return nil, &Refusal{Subject: s, InFlight: true}
		}
	}
	for _, known := range entered {
		known.inFlight++
	}
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		for _, known := range entered {
			known.inFlight--
		}
	}, nil
}

// State is what is left of a subject's rate.
type State struct {
	Subject
	Left int
}

// Take counts one request against the rate of each subject, in their order, up to the first without room.
func (l *Limiter) Take(subjects ...Subject) (states []State, refused *Refusal) {
	for _, s := range subjects {
		left, after := l.take(s)
		states = append(states, State{s, left})
		if after > 0 {
			return states, &Refusal{Subject: s, After: after}
		}
	}
	return states, nil
}

// take counts one request. after is how long there is no room, and 0 where there was.
func (l *Limiter) take(s Subject) (left int, after time.Duration) {
	now := time.Now()
	l.mu.Lock()
	known, alone := l.find(s, now), l.shared == nil || l.away
	l.mu.Unlock()
	known.mu.Lock()
	defer known.mu.Unlock()
	switch {
	case now.Before(known.empty):
		return 0, known.empty.Sub(now)
	case known.granted > 0 && now.Before(known.until) && known.by == s.Rule:
		known.granted--
		return known.granted + known.left, 0
	case alone:
		return known.takeAlone(s, now)
	}
	got, ok := l.ask(s)
	if !ok {
		return known.takeAlone(s, now)
	}
	known.left = got.Remaining
	if got.Allowed == 0 {
		pause := max(got.RetryAfter, leastPause)
		known.empty = now.Add(pause)
		return 0, pause
	}
	known.granted, known.until, known.by = got.Allowed-1, now.Add(lapses), s.Rule
	return known.granted + known.left, 0
}

func (k *subject) takeAlone(s Subject, now time.Time) (left int, after time.Duration) {
	if k.alone.Limit() != s.rate() {
		k.alone.SetLimitAt(now, s.rate())
		k.alone.SetBurstAt(now, s.PerSecond)
	}
	reserved := k.alone.ReserveN(now, 1)
	if wait := reserved.DelayFrom(now); wait > 0 {
		reserved.CancelAt(now)
		return 0, wait
	}
	return int(k.alone.TokensAt(now)), 0
}

// ask takes what Redis has for the next requests of a subject, if it says so in time.
func (l *Limiter) ask(s Subject) (got *redis_rate.Result, ok bool) {
	type answer struct {
		got *redis_rate.Result
		err error
	}
	answered := make(chan answer, 1)
	go func() {
		ctx, cancel := context.WithTimeout(context.Background(), lookAgain)
		defer cancel()
		rule := redis_rate.Limit{Rate: s.PerSecond, Burst: s.PerSecond, Period: s.period()}
		got, err := l.shared.AllowAtMost(ctx, s.key(), rule, atOnce(s.Rule))
		answered <- answer{got, err}
	}()
	late := time.NewTimer(l.patience)
	defer late.Stop()
	select {
	case a := <-answered:
		if a.err == nil {
			return a.got, true
		}
		l.leave(a.err)
	case <-late.C:
		l.leave(errSlow)
	}
	return nil, false
}

// atOnce is how much is taken from Redis at a time. Of what is seldom, nothing is taken ahead and lost.
func atOnce(r Rule) int {
	if r.Per > 0 {
		return 1
	}
	return max(1, r.PerSecond/share)
}

var errSlow = errors.New("limit: Redis does not answer in time")

// leave counts alone from now on, until Redis answers again.
func (l *Limiter) leave(cause error) {
	l.mu.Lock()
	known := l.away
	l.away = true
	l.mu.Unlock()
	if known {
		return
	}
	l.log.Info("limits are counted by this process alone", slog.Any("error", cause))
	go l.comeBack()
}

// comeBack tries what requests need of Redis, since one that is full or read-only answers all else.
func (l *Limiter) comeBack() {
	for {
		time.Sleep(lookAgain)
		ctx, cancel := context.WithTimeout(context.Background(), lookAgain)
		began := time.Now()
		_, err := l.shared.Allow(ctx, "bizfin:limit:probe", redis_rate.PerSecond(1000))
		cancel()
		if err != nil || time.Since(began) > l.patience {
			continue
		}
		l.mu.Lock()
		l.away = false
		l.mu.Unlock()
		l.log.Info("limits are counted in Redis again")
		return
	}
}

// Shared reports whether all processes count together at present.
func (l *Limiter) Shared() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.shared != nil && !l.away
}

// Header writes states as the fields RateLimit-Policy and RateLimit (draft-ietf-httpapi-ratelimit-headers-10).
func Header(states []State) (policy, state string) {
	policies, now := make([]string, len(states)), make([]string, len(states))
	for i, s := range states {
		policies[i] = fmt.Sprintf("%q;q=%d;w=1", s.Kind, s.PerSecond)
		now[i] = fmt.Sprintf("%q;r=%d;t=1", s.Kind, max(0, min(s.Left, s.PerSecond)))
	}
	return strings.Join(policies, ", "), strings.Join(now, ", ")
}
