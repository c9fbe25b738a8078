package main

import (
	"bytes"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"bizfin/store/storetest"
	"bizfin/worker"
)

func TestTheQueueConsoleNeedsTheOperatorsPassword(t *testing.T) {
	t.Parallel()
	const right = "the operators password"
	queue, err := worker.ParseRedis(storetest.RedisURL(t))
	if err != nil {
		t.Fatal(err)
	}
	api := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	for name, c := range map[string]struct {
		password, path, given string
		want                  int
	}{
		"no console without a password": {"", "/queues/", "", http.StatusTeapot},
		"refused without one":           {right, "/queues/", "", http.StatusUnauthorized},
		"refused with a wrong one":      {right, "/queues/api/queues", "guess", http.StatusUnauthorized},
		"shown with the right one":      {right, "/queues/api/queues", right, http.StatusOK},
		"the API is beside it":          {right, "/api/v1/queues", "", http.StatusTeapot},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			if c.given != "" {
				r.SetBasicAuth("operator", c.given)
			}
			w := httptest.NewRecorder()
			withConsole(api, queue, c.password, slog.New(slog.DiscardHandler)).ServeHTTP(w, r)
			if w.Code != c.want {
				t.Errorf("status %d, want %d: %s", w.Code, c.want, w.Body)
			}
		})
	}
}

func TestGuessingTheOperatorsPasswordIsSlowAndLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	const pause = 200 * time.Millisecond
	d := newDoor("the operators password", pause, slog.New(slog.NewTextHandler(&log, nil)))
	try := func(from, password string) (int, time.Duration) {
		r := httptest.NewRequest(http.MethodGet, "/queues/", nil)
		r.RemoteAddr = from + ":1"
		r.SetBasicAuth("operator", password)
		w, began := httptest.NewRecorder(), time.Now()
		if d.opens(w, r) {
			return http.StatusOK, time.Since(began)
		}
		return w.Code, time.Since(began)
	}
	if status, took := try("10.0.0.1", "guess"); status != http.StatusUnauthorized || took < pause {
		t.Errorf("a guess is answered %d after %v", status, took)
	}
	done := make(chan int)
	const tries = 20
	for range tries {
		go func() {
			status, _ := try("10.0.0.1", "guess")
			done <- status
		}()
	}
	count := map[int]int{}
	for range tries {
		count[<-done]++
	}
	compared, refused := count[http.StatusUnauthorized], count[http.StatusTooManyRequests]
	if compared > wrongAtOnce || compared+refused != tries {
		t.Errorf("answers to %d guesses at once: %v", tries, count)
	}
	if status, _ := try("10.0.0.2", "the operators password"); status != http.StatusOK {
		t.Errorf("the operator, meanwhile, from elsewhere: %d", status)
	}
	if !strings.Contains(log.String(), "10.0.0.1") {
		t.Errorf("the log says %q", log.String())
	}
}
