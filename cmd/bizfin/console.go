package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/hibiken/asynq"
	"github.com/hibiken/asynqmon"
)

// consolePath is where operators look at the queues.
const consolePath = "/queues"

// leastPassword is the fewest characters of the operator's password.
const leastPassword = 16

// withConsole shows the queues beside other routes, read-only, to whoever knows the operator's password; without a
// password there is no console.
func withConsole(others http.Handler, queue asynq.RedisConnOpt, password string, log *slog.Logger) http.Handler {
	if password == "" {
		return others
	}
	queues := asynqmon.New(asynqmon.Options{RootPath: consolePath, RedisConnOpt: queue, ReadOnly: true})
	door := newDoor(password, time.Second, log)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != consolePath && !strings.HasPrefix(r.URL.Path, consolePath+"/") {
			others.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Cache-Control", "no-store")
		w.Header().Set("X-Content-Type-Options", "nosniff")
		if door.opens(w, r) {
			queues.ServeHTTP(w, r)
		}
	})
}

// door lets in who knows a password. A wrong one is answered late, and meanwhile its address may try one more.
type door struct {
	want  [sha256.Size]byte
	pause time.Duration
	log   *slog.Logger
	mu    sync.Mutex
	wrong map[string]int // by address, for as long as each pause
}

const wrongAtOnce = 2

func newDoor(password string, pause time.Duration, log *slog.Logger) *door {
	return &door{want: sha256.Sum256([]byte(password)), pause: pause, log: log, wrong: map[string]int{}}
}

// opens reports whether the request may pass; otherwise it has been answered.
func (d *door) opens(w http.ResponseWriter, r *http.Request) bool {
	_, given, tried := r.BasicAuth()
	if tried {
		from, _, _ := net.SplitHostPort(r.RemoteAddr)
		right, busy := d.try(from, given)
		if right {
			return true
		}
		if busy {
			w.Header().Set("Retry-After", "1")
			http.Error(w, "Too many wrong passwords. Try again in a second.", http.StatusTooManyRequests)
			return false
		}
		d.log.Warn("a wrong password at the queue console", slog.String("from", from))
		select {
		case <-time.After(d.pause):
		case <-r.Context().Done():
		}
	}
	w.Header().Set("WWW-Authenticate", `Basic realm="bizfin operators", charset="UTF-8"`)
	http.Error(w, "The operator's password is needed.", http.StatusUnauthorized)
	return false
}

// try compares a password, unless its address has given too many wrong ones: then an answer would tell too soon. A
// wrong one counts for the whole pause, also when its sender does not wait.
func (d *door) try(from, given string) (right, busy bool) {
	got := sha256.Sum256([]byte(given))
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.wrong[from] >= wrongAtOnce {
		return false, true
	}
	if subtle.ConstantTimeCompare(got[:], d.want[:]) == 1 {
		return true, false
	}
	d.wrong[from]++
	time.AfterFunc(d.pause, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.wrong[from]--; d.wrong[from] == 0 {
			delete(d.wrong, from)
		}
	})
	return false, false
}
