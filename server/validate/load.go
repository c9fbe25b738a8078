package validate

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
)

// New compiles the parameters and request bodies of every operation. It does
// not change the document, and keeps nothing of it.
//
// It fails on a document that is not OpenAPI 3.0 (under 3.1 the same keywords
// mean other things), and on whatever it would leave unjudged: an unknown
// keyword or format, a number that is not format decimal, an array parameter
// that is not JSON. A request body is closed (additionalProperties: false) in
// all its objects, or open in all: then unknown fields are ignored.
func New(doc *openapi3.T) (*Validator, error) {
	if !doc.IsOpenAPI30() {
		return nil, fmt.Errorf("OpenAPI %s is not supported: the document must be 3.0", doc.OpenAPI)
	}
	v := &Validator{operations: map[route]*Operation{}}
	for path, item := range doc.Paths.Map() {
		for method, operation := range item.Operations() {
			o, err := newOperation(item.Parameters, operation)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", method, path, err)
			}
			v.operations[route{method, path}] = o
		}
	}
	return v, nil
}

func newOperation(shared openapi3.Parameters, operation *openapi3.Operation) (*Operation, error) {
	o := &Operation{byName: map[string]*parameter{}}
	for _, ref := range effective(shared, operation.Parameters) {
		p, err := newParameter(ref)
		if err != nil {
			return nil, fmt.Errorf("parameter %s: %w", ref.Name, err)
		}
		switch {
		case p.in == InPath:
			o.path = append(o.path, p)
		case p.in == InQuery:
			o.query = append(o.query, p)
			o.byName[p.name] = p
		case p.in == InHeader && !reservedHeader(p.name):
			o.header = append(o.header, p)
		}
	}
	slices.SortFunc(o.query, func(a, b *parameter) int { return strings.Compare(a.name, b.name) })

	if ref := operation.RequestBody; ref != nil {
		body := ref.Value
		media := body.Content[contentJSON]
		if !body.Required || media == nil || len(body.Content) != 1 {
			return nil, errors.New("a request body must be required and " + contentJSON)
		}
		var err error
		if o.body, err = compile(media.Schema, 0); err != nil {
			return nil, fmt.Errorf("request body: %w", err)
		}
		if !o.body.uniform(o.body.open) {
			return nil, errors.New("request body: additionalProperties: false is missing on some of its objects")
		}
	}
	return o, nil
}

// effective returns the parameters of an operation: those of its path, each
// replaced by the operation's own of the same place and name (OpenAPI 3.0.3, Path Item Object).
func effective(shared, own openapi3.Parameters) []*openapi3.Parameter {
	var all []*openapi3.Parameter
	for _, ref := range shared {
		if own.GetByInAndName(ref.Value.In, ref.Value.Name) == nil {
			all = append(all, ref.Value)
		}
	}
	for _, ref := range own {
		all = append(all, ref.Value)
	}
	return all
}

// reservedHeader tells whether a header parameter is to be ignored, since other
// parts of the document describe it (OpenAPI 3.0.3, Parameter Object).
func reservedHeader(name string) bool {
	switch http.CanonicalHeaderKey(name) {
	case "Accept", "Content-Type", "Authorization":
		return true
	}
	return false
}
