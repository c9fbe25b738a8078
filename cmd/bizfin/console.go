package main

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"

	"github.com/hibiken/asynq"
	"github.com/hibiken/asynqmon"
)

// consolePath is where operators look at the queues.
const consolePath = "/queues"

// withConsole shows the queues beside the API, read-only, to whoever knows the operator's password; without a password
// there is no console.
func withConsole(api http.Handler, queue asynq.RedisConnOpt, password string) http.Handler {
	if password == "" {
		return api
	}
	queues := asynqmon.New(asynqmon.Options{RootPath: consolePath, RedisConnOpt: queue, ReadOnly: true})
	want := sha256.Sum256([]byte(password))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != consolePath && !strings.HasPrefix(r.URL.Path, consolePath+"/") {
			api.ServeHTTP(w, r)
			return
		}
		_, given, _ := r.BasicAuth()
		got := sha256.Sum256([]byte(given))
		if subtle.ConstantTimeCompare(got[:], want[:]) != 1 {
			w.Header().Set("WWW-Authenticate", `Basic realm="bizfin operators", charset="UTF-8"`)
			http.Error(w, "The operator's password is needed.", http.StatusUnauthorized)
			return
		}
		queues.ServeHTTP(w, r)
	})
}
