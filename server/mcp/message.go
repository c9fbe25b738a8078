package mcp

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

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

// unknownNotification reports whether the message is a notification of a method that is not declared: nobody waits for
// an answer, and who does not know it passes over it (JSON-RPC 2.0, section 4.1).
func (m message) unknownNotification() bool {
	return m.Version == "2.0" && m.Method != "" && m.ID == nil && !slices.Contains(declared, m.Method)
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

// wrongWith is what is wrong with a message, in words; empty where it is one, and of batches, which are taken apart
// elsewhere. The SDK would drop what stands behind a message, take the last of two members of one name, and tell of the
// rest what its own types are called.
func wrongWith(raw []byte) string {
	if isBatch(raw) && json.Valid(raw) {
		return ""
	}
	switch members, wrong := membersOf(raw); {
	case wrong != "":
		return wrong
	case len(peek(raw)) != 1 || string(members["jsonrpc"]) != `"2.0"` || members["method"] == nil &&
		(members["id"] == nil || members["result"] == nil && members["error"] == nil):
		return noMessage
	default:
		return ""
	}
}

const (
	noMessage = `The body is no JSON-RPC message: one object with jsonrpc "2.0", a method that is a string, and no ` +
		"member twice. An answer has an id, and a result or an error, in place of a method."
	notOneValue = "The body is not one JSON value with nothing behind it."
	tooDeep     = "The message is nested too deeply."
)

// mostNested is how deep a message may be, as the SDK reads it.
const mostNested = 1000

// membersOf are the members of a message by their names, and else what is wrong with it. It has none whose names differ
// in their case alone, or not at all: its readers would not agree on which of them counts.
func membersOf(raw []byte) (members map[string]json.RawMessage, wrong string) {
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if !json.Valid(raw) {
		return nil, notOneValue
	}
	if open, err := d.ReadToken(); err != nil || open.Kind() != '{' {
		return nil, noMessage
	}
	members, seen := map[string]json.RawMessage{}, map[string]bool{}
	for d.PeekKind() == '"' {
		token, err := d.ReadToken()
		if err != nil {
			return nil, noMessage
		}
		name := token.String()
		if seen[strings.ToLower(name)] {
			return nil, noMessage
		}
		seen[strings.ToLower(name)] = true
		value, err := d.ReadValue()
		if err != nil {
			return nil, noMessage
		}
		if nested(value) > mostNested-1 {
			return nil, tooDeep
		}
		members[name] = json.RawMessage(bytes.Clone(value))
	}
	return members, ""
}

// nested is how deep a valid value is.
func nested(value []byte) (most int) {
	depth, quoted := 0, false
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			most = max(most, depth)
		case c == '}' || c == ']':
			depth--
		}
	}
	return most
}

// strangeParameters reports whether a message has parameters that are not of the types of its method.
func strangeParameters(method string, raw []byte) bool {
	var message struct {
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(raw, &message); err != nil || message.Params == nil {
		return err != nil
	}
	var into any
	switch method {
	case "initialize":
		into = &sdk.InitializeParams{}
	case "server/discover":
		into = &sdk.DiscoverParams{}
	case "ping":
		into = &sdk.PingParams{}
	case "tools/list":
		into = &sdk.ListToolsParams{}
	case "tools/call":
		into = &sdk.CallToolParamsRaw{}
	default:
		return false
	}
	return json.Unmarshal(message.Params, into) != nil
}

func errParameters(method string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
		Message: "invalid params: they are not those of " + method + " in the Model Context Protocol"}
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

func isBatch(raw []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(raw), []byte("[")) }

// declared are the methods of the capabilities that are declared. The SDK would answer others with empty lists.
var declared = []string{
	"initialize", "notifications/initialized", "ping", "server/discover",
	"tools/list", "tools/call",
	"notifications/cancelled", "notifications/progress", "notifications/roots/list_changed",
}
