package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"bizfin/store/storetest"
	"bizfin/worker"
)

func TestTheQueueConsoleNeedsTheOperatorsPassword(t *testing.T) {
	t.Parallel()
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
		"refused without one":           {"secret", "/queues/", "", http.StatusUnauthorized},
		"refused with a wrong one":      {"secret", "/queues/api/queues", "guess", http.StatusUnauthorized},
		"shown with the right one":      {"secret", "/queues/api/queues", "secret", http.StatusOK},
		"the API is beside it":          {"secret", "/api/v1/queues", "", http.StatusTeapot},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			if c.given != "" {
				r.SetBasicAuth("operator", c.given)
			}
			w := httptest.NewRecorder()
			withConsole(api, queue, c.password).ServeHTTP(w, r)
			if w.Code != c.want {
				t.Errorf("status %d, want %d: %s", w.Code, c.want, w.Body)
			}
		})
	}
}
