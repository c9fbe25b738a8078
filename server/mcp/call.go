package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	jsonv2 "github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bizfin/gen/api"
	"bizfin/server/validate"
)

// call runs a tool as the HTTP request of its operation, through everything that such a request passes. Of the
// caller's headers only the credential and the request id travel along.
func (h *Handler) call(ctx context.Context, tool Tool, request *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	header := request.Extra.Header
	r, refused := tool.request(request.Params.Arguments, h.config.BasePath)
	if refused != nil {
		return h.refuse(ctx, header, refused)
	}
	for _, name := range []string{"Authorization", "X-Request-Id"} {
		if values := header.Values(name); len(values) > 0 {
			r.Header[name] = values
		}
	}
	answer := newRecorder()
	h.config.Dispatch.ServeHTTP(answer, r.WithContext(context.WithValue(ctx, innerKey{}, true)))
	body := bytes.TrimSpace(answer.body.Bytes())
	text := []sdk.Content{&sdk.TextContent{Text: string(body)}}
	if answer.status >= http.StatusBadRequest {
		// Without structured content: clients judge that by the output schema even on an error, and hide the error.
		return &sdk.CallToolResult{Content: text, IsError: true}, nil
	}
	if !knowsStructure(header) {
		return &sdk.CallToolResult{Content: text}, nil
	}
	// Twice here, and once to a model. The revisions from 2025-06-18 on ask for the text beside the structure (SHOULD;
	// Tools, Structured Content), and clients show their model one of the two, by what was reported of them until
	// September 2026: Claude Code, ChatGPT, VS Code, Copilot CLI and Codex the structure where there is one; Claude's
	// apps, Cursor, Gemini CLI and Kimi Code the text. Two that showed both stopped in August, since it cost twice.
	// Without the text half of them would see nothing, and without the structure hosts that compute with results would
	// have none. As one stands for the other, both are the same bytes: the shortest JSON there is of it.
	return &sdk.CallToolResult{Content: text, StructuredContent: json.RawMessage(body)}, nil
}

// refusal is why arguments make no request: they are no JSON object, or they break the input schema in a way that a
// path or a query could not show.
type refusal struct {
	problems []api.Issue // none: the arguments are malformed
}

func (r *refusal) add(in, name, code, message string) {
	r.problems = append(r.problems, api.Issue{In: api.IssueIn(in), Path: "/" + name, Code: code, Message: message})
}

// names reports whether a problem is about an argument.
func (r *refusal) names(argument string) bool {
	for _, problem := range r.problems {
		if problem.Path == "/"+argument {
			return true
		}
	}
	return false
}

// refuse tells the problems in the form of every other error. An agent that does not know its organization is told.
func (h *Handler) refuse(ctx context.Context, header http.Header, broken *refusal) (*sdk.CallToolResult, error) {
	answer := api.ErrorBody{Error: "The arguments must be one JSON object in UTF-8, without repeated names."}
	if len(broken.problems) == 1 {
		answer = api.ErrorBody{Error: "The request has 1 problem; see issues.", Issues: &broken.problems}
	} else if len(broken.problems) > 1 {
		answer = api.ErrorBody{Error: fmt.Sprintf("The request has %d problems; see issues.", len(broken.problems)),
			Issues: &broken.problems}
	}
	if broken.names(organizationID) {
		reach, err := h.config.Reach(ctx, header)
		if err != nil {
			return nil, errInternal
		}
		answer.Error += " " + reach
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		return nil, errInternal
	}
	return &sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: string(raw)}}, IsError: true}, nil
}

const organizationID = "organization_id"

// request makes the HTTP request of a call. Strings travel as raw text, other values as the JSON they came as, so that
// no number passes through a float.
func (t *Tool) request(arguments json.RawMessage, basePath string) (*http.Request, *refusal) {
	given, ok := members(arguments)
	if !ok {
		return nil, &refusal{}
	}
	var broken refusal
	path, query := basePath+t.path, url.Values{}
	for _, p := range t.parameters {
		value, sent := given[p.name]
		delete(given, p.name)
		sent = sent && value.Kind() != 'n' // null is how some clients leave an argument out
		text := ""
		if sent {
			text = p.literal(value)
		}
		if p.isText && sent {
			if value.Kind() != '"' {
				broken.add(p.in, p.name, validate.CodeType, "must be a string")
				continue
			}
			unquoted, err := jsontext.AppendUnquote(nil, value)
			if err != nil {
				return nil, &refusal{}
			}
			text = string(unquoted)
		}
		switch {
		case p.in == validate.InPath && text == "":
			broken.add(p.in, p.name, validate.CodeRequired, "is required")
		case p.in == validate.InPath:
			path = strings.ReplaceAll(path, "{"+p.name+"}", url.PathEscape(text))
		case sent:
			query.Set(p.name, text)
		}
	}
	if len(broken.problems) > 0 {
		return nil, &broken
	}
	var body io.Reader = http.NoBody
	header := http.Header{}
	if t.hasBody {
		body = bytes.NewReader(joined(given))
		header.Set("Content-Type", contentJSON)
	} else {
		for name, value := range given {
			query.Set(name, string(value)) // is refused there as unknown
		}
	}
	target := path
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	r, err := http.NewRequest(t.method, target, body)
	if err != nil {
		return nil, &refusal{}
	}
	r.Header = header
	return r, nil
}

// wholeDouble is a whole number as programs write it that know floating point alone.
var wholeDouble = regexp.MustCompile(`^(-?[0-9]+)\.0+$`)

// literal is a value as it travels: its JSON, of an integer without a fraction that is none.
func (p parameter) literal(value jsontext.Value) string {
	if whole := wholeDouble.FindSubmatch(value); p.isInt && whole != nil {
		return string(whole[1])
	}
	return string(value)
}

// members reads the arguments of a call, which must not repeat a name; none are an empty object.
func members(arguments json.RawMessage) (given map[string]jsontext.Value, ok bool) {
	if len(bytes.TrimSpace(arguments)) == 0 {
		return nil, true
	}
	return given, jsonv2.Unmarshal(arguments, &given) == nil
}

// joined writes members as an object, each value as it came.
func joined(given map[string]jsontext.Value) []byte {
	raw := make(map[string]json.RawMessage, len(given))
	for name, value := range given {
		raw[name] = json.RawMessage(value)
	}
	body, err := json.Marshal(raw)
	if err != nil {
		panic(err) // the values are valid JSON, and marshaling a map of them cannot fail
	}
	return body
}

// Inner reports whether a request is the inner one of a tool call. What is counted, logged or limited for each request
// has been for the one that carries it.
func Inner(ctx context.Context) bool {
	inner, _ := ctx.Value(innerKey{}).(bool)
	return inner
}
