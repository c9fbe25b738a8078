package validate

// Validator judges requests by one OpenAPI document. It is safe for concurrent use.
type Validator struct {
	operations map[route]*Operation
}

type route struct{ method, path string }

// Operation judges the requests of one operation of the document.
type Operation struct {
	path, query, header []*parameter          // header and path in the document's order, query sorted by name
	byName              map[string]*parameter // of query
	body                *schema               // nil without a body
}

// Route finds an operation by its method and its path as written in the
// document, with the names of path parameters in braces.
func (v *Validator) Route(method, pathTemplate string) (*Operation, bool) {
	o, ok := v.operations[route{method, pathTemplate}]
	return o, ok
}

// HasBody tells whether the operation takes a request body.
func (o *Operation) HasBody() bool { return o.body != nil }

// parameter is a compiled path, query or header parameter.
//
// A string is the raw text. A number or boolean is its JSON literal. An array
// is a JSON text, which the document writes as content: application/json.
type parameter struct {
	in, name string
	pointer  string // "/" and the name
	required bool
	schema   *schema
}
