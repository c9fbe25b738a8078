package bizfin

import (
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"time"
)

const attempts = 6

// passing are the answers of which the same request may have another in a moment.
var passing = []int{
	http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError, http.StatusBadGateway,
	http.StatusServiceUnavailable, http.StatusGatewayTimeout,
}

// Retrying sends requests until they are answered by something other than a passing failure, six times at most. It
// waits as long as Retry-After says, and twice as long each time, with chance in it.
type Retrying struct {
	Client *http.Client              // nil is one that gives up a request after a minute
	Sign   func(*http.Request) error // called for each attempt, so that no token is too old; nil leaves requests alone
	Wait   time.Duration             // before the second attempt; 0 is half a second
}

// Do fails with the last error, or returns the last answer.
func (c *Retrying) Do(r *http.Request) (*http.Response, error) {
	client, wait := c.Client, c.Wait
	if client == nil {
		client = &http.Client{Timeout: time.Minute}
	}
	if wait == 0 {
		wait = 500 * time.Millisecond
	}
	for attempt := 1; ; attempt++ {
		response, err := c.once(client, r)
		again := err != nil || slices.Contains(passing, response.StatusCode)
		repeatable := r.Body == nil || r.GetBody != nil
		if !again || !repeatable || attempt == attempts || r.Context().Err() != nil {
			return response, err
		}
		pause := wait/2 + rand.N(wait)
		if err == nil {
			pause = max(pause, told(response))
			io.Copy(io.Discard, io.LimitReader(response.Body, 1<<20)) // the connection can be used again
			response.Body.Close()
		}
		wait = min(2*wait, 30*time.Second)
		select {
		case <-time.After(pause):
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
}

func (c *Retrying) once(client *http.Client, r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if r.GetBody != nil {
		body, err := r.GetBody()
		if err != nil {
			return nil, err
		}
		r.Body = body
	}
	if c.Sign != nil {
		if err := c.Sign(r); err != nil {
			return nil, err
		}
	}
	return client.Do(r)
}

// told is how long the service asks to wait, at most a minute.
func told(response *http.Response) time.Duration {
	seconds, err := strconv.Atoi(response.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return time.Duration(min(seconds, 60)) * time.Second
}
