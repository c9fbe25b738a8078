package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"bizfin/gen/api"
)

// message is what a JSON-RPC message shows at a glance.
type message struct {
	ID      json.RawMessage `json:"id"`
	Version string          `json:"jsonrpc"`
	Method  string          `json:"method"`
	Params  struct {
		Name string `json:"name"`
	} `json:"params"`
}

// unknownCall reports whether the message is a request for a method that is not declared.
func (m message) unknownCall() bool {
	return m.Version == "2.0" && m.Method != "" && len(m.ID) > 0 && string(m.ID) != "null" &&
		!slices.Contains(declared, m.Method)
}

// largestID is the largest number that every reader of JSON takes exactly (RFC 8259, section 6).
const largestID = 1<<53 - 1

// strangeID reports whether the message has an id that is neither a text nor such a whole number: the SDK would answer
// another one, and nobody would know to what (MCP, Requests: a string or an integer).
func (m message) strangeID() bool {
	id := string(m.ID)
	if id == "" || id == "null" || id[0] == '"' {
		return false
	}
	n, err := strconv.ParseInt(id, 10, 64)
	return err != nil || n > largestID || n < -largestID
}

// IsBatch reports whether a body holds several messages.
func IsBatch(raw []byte) bool { return isBatch(raw) }

// peek reads a message, or the messages of a batch. What it cannot read is left to the SDK to refuse.
func peek(raw []byte) []message {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '[' {
		var batch []message
		_ = json.Unmarshal(raw, &batch)
		return batch
	}
	var one message
	if json.Unmarshal(raw, &one) != nil && one.Method == "" {
		return nil
	}
	return []message{one}
}

// Called are the names of the tools that a message calls, as it claims.
func Called(raw []byte) []string {
	var names []string
	for _, m := range peek(raw) {
		if m.Method == "tools/call" {
			names = append(names, m.Params.Name)
		}
	}
	return names
}

// plainErrors turns the SDK's errors in plain text into the JSON of all other errors.
type plainErrors struct {
	http.ResponseWriter
	refused bool
	written bool
}

func (p *plainErrors) WriteHeader(status int) {
	p.written = true
	header := p.Header()
	if status >= http.StatusBadRequest && strings.HasPrefix(header.Get("Content-Type"), "text/plain") {
		p.refused = true
		header.Set("Content-Type", contentJSON)
		header.Del("Content-Length")
	}
	p.ResponseWriter.WriteHeader(status)
}

func (p *plainErrors) Write(data []byte) (int, error) {
	p.written = true
	if !p.refused {
		return p.ResponseWriter.Write(data)
	}
	raw, err := json.Marshal(api.ErrorBody{Error: strings.TrimSpace(string(data))})
	if err != nil {
		return 0, err
	}
	if _, err := p.ResponseWriter.Write(raw); err != nil {
		return 0, err
	}
	return len(data), nil
}

// Unwrap gives http.ResponseController the writer underneath.
func (p *plainErrors) Unwrap() http.ResponseWriter { return p.ResponseWriter }
