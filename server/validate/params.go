package validate

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/go-json-experiment/json/jsontext"
)

func newParameter(p *openapi3.Parameter) (*parameter, error) {
	ref := p.Schema
	if media := p.Content[contentJSON]; media != nil && len(p.Content) == 1 {
		ref = media.Schema
	}
	s, err := compile(ref, 0)
	if err != nil {
		return nil, err
	}
	isContent := p.Schema == nil
	switch {
	case p.In != InPath && p.In != InQuery && p.In != InHeader:
		return nil, fmt.Errorf("in: %s is not supported", p.In)
	case p.AllowEmptyValue:
		return nil, errors.New("allowEmptyValue is not supported")
	case s.kind == kindObject:
		return nil, errors.New("an object is not supported")
	case s.kind == kindArray && !isContent:
		return nil, errors.New("an array must be content: " + contentJSON)
	case s.kind == kindString && isContent:
		return nil, errors.New("a string must be a schema: it is sent without quotes")
	case s.trim:
		return nil, errors.New(extensionTrim + " is for bodies only")
	case s.nullable:
		return nil, errors.New("nullable has no meaning for a parameter")
	}
	return &parameter{
		in: p.In, name: p.Name, pointer: string(jsontext.Pointer("").AppendToken(p.Name)),
		required: p.Required, schema: s,
	}, nil
}

// pair is one name and value of a query string.
type pair struct{ name, value string }

func (o *Operation) judgeQuery(c *collector, raw string) {
	pairs, ok := parseQuery(raw)
	if !ok {
		c.add(Problem{InQuery, "", CodeFormat, messageQuery})
		return
	}
	times := make(map[string]int, len(o.query))
	for _, given := range pairs {
		if c.more {
			return
		}
		times[given.name]++
		p := o.byName[given.name]
		switch {
		case times[given.name] == 1 && p != nil:
			p.judge(c, given.value)
		case times[given.name] == 1:
			path := jsontext.Pointer("").AppendToken(clip(given.name))
			c.add(Problem{InQuery, string(path), CodeUnknown, o.messageUnknown(given.name)})
		case times[given.name] == 2 && p != nil:
			c.add(Problem{InQuery, p.pointer, CodeRepeated, messageRepeated})
		}
	}
	for _, p := range o.query {
		if p.required && times[p.name] == 0 {
			c.add(Problem{InQuery, p.pointer, CodeRequired, messageRequired})
		}
	}
}

// Names finds the parameters of a query string that an address beside the
// document does not know, or that are there twice. What is mistyped must not be
// done without.
func Names(raw string, known ...string) []Problem {
	var c collector
	pairs, ok := parseQuery(raw)
	if !ok {
		return []Problem{{InQuery, "", CodeFormat, messageQuery}}
	}
	times := make(map[string]int, len(known))
	for _, given := range pairs {
		path := string(jsontext.Pointer("").AppendToken(clip(given.name)))
		times[given.name]++
		switch {
		case times[given.name] == 1 && !slices.Contains(known, given.name):
			c.add(Problem{InQuery, path, CodeUnknown, "is not a query parameter of this address"})
		case times[given.name] == 2 && slices.Contains(known, given.name):
			c.add(Problem{InQuery, path, CodeRepeated, messageRepeated})
		}
	}
	return c.problems()
}

// parseQuery splits a query string as [url.ParseQuery] does, but keeps its
// order and refuses what ParseQuery would drop.
func parseQuery(raw string) ([]pair, bool) {
	if strings.Contains(raw, ";") {
		return nil, false
	}
	var pairs []pair
	for part := range strings.SplitSeq(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		name, err1 := url.QueryUnescape(name)
		value, err2 := url.QueryUnescape(value)
		if err1 != nil || err2 != nil {
			return nil, false
		}
		pairs = append(pairs, pair{name, value})
	}
	return pairs, true
}

// messageUnknown says which query parameters there are, and how arrays are
// written where the name looks as if it were one of another style.
func (o *Operation) messageUnknown(name string) string {
	if len(o.query) == 0 {
		return messageEmptyQuery
	}
	names := make([]string, len(o.query))
	for i, p := range o.query {
		names[i] = p.name
	}
	message := "is not a known query parameter; known are: " + strings.Join(names, ", ")
	if base, _, ok := strings.Cut(name, "["); ok && strings.HasSuffix(name, "]") {
		message += `; an array is one JSON value such as ["a","b"]`
		if o.byName[base] != nil {
			message += ", given as " + base
		}
	}
	return message
}

// judge judges one value of the parameter.
func (p *parameter) judge(c *collector, value string) {
	w := walker{collector: *c, in: p.in, prefix: p.pointer}
	switch {
	case !utf8.ValidString(value):
		w.fail(CodeFormat, func() string { return messageUTF8 })
	case p.schema.kind == kindString:
		w.text(p.schema, []byte(value))
	case p.schema.kind == kindArray:
		w.parameterArray(p.schema, value)
	default:
		w.literal(p.schema, []byte(value))
	}
	*c = w.collector
}

// parameterArray judges a parameter that must be the text of a JSON array.
func (w *walker) parameterArray(s *schema, value string) {
	mark := w.collector
	isArray := strings.HasPrefix(strings.TrimLeft(value, " \t\r\n"), "[")
	if isArray && w.run([]byte(value), s) == nil {
		return
	}
	w.rollBack(mark)
	w.dec = nil
	w.fail(CodeFormat, s.messageArray)
}

// Parameters judges the path, query and header parameters of a request.
// pathParams holds the decoded path segments by their names in the document.
// It applies no defaults. It fails only where the caller leaves out a path
// parameter that the document has.
func (o *Operation) Parameters(r *http.Request, pathParams map[string]string) ([]Problem, error) {
	var c collector
	for _, p := range o.path {
		value, ok := pathParams[p.name]
		if !ok {
			return nil, fmt.Errorf("validate: path parameter %s was not given", p.name)
		}
		p.judge(&c, value)
	}
	if r.URL.RawQuery != "" || len(o.query) > 0 {
		o.judgeQuery(&c, r.URL.RawQuery)
	}
	for _, p := range o.header {
		switch values := r.Header.Values(p.name); {
		case len(values) > 1:
			c.add(Problem{InHeader, p.pointer, CodeRepeated, messageRepeated})
		case len(values) == 1:
			p.judge(&c, values[0])
		case p.required:
			c.add(Problem{InHeader, p.pointer, CodeRequired, messageRequired})
		}
	}
	return c.problems(), nil
}
