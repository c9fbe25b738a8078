package mcp

import (
	"bytes"
	"net/http"
)

// recorder keeps the answer of an inner request in memory.
type recorder struct {
	header  http.Header
	status  int
	written bool
	body    bytes.Buffer
}

func newRecorder() *recorder { return &recorder{header: http.Header{}, status: http.StatusOK} }

func (r *recorder) Header() http.Header { return r.header }

func (r *recorder) WriteHeader(status int) {
	if !r.written {
		r.status, r.written = status, true
	}
}

func (r *recorder) Write(data []byte) (int, error) {
	r.written = true
	return r.body.Write(data)
}
