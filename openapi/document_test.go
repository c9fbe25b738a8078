package openapi

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

var loaded = sync.OnceValues(Load)

// load is the document, which all tests read and none changes.
func load(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := loaded()
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// described is an operation with where it stands.
type described struct {
	method, path string
	item         *openapi3.PathItem
	*openapi3.Operation
}

// operations lists the operations of the document by path and method.
func operations(doc *openapi3.T) []described {
	var list []described
	for path, item := range doc.Paths.Map() {
		for method, o := range item.Operations() {
			list = append(list, described{method, path, item, o})
		}
	}
	slices.SortFunc(list, func(a, b described) int { return strings.Compare(a.path+" "+a.method, b.path+" "+b.method) })
	return list
}

func (o described) String() string { return o.method + " " + o.path }

func (o described) onOrganization() bool {
	return strings.HasPrefix(o.path, organization+"/")
}

// parameters are those of the path and the operation.
func (o described) parameters() []*openapi3.Parameter {
	var list []*openapi3.Parameter
	for _, ref := range slices.Concat(o.item.Parameters, o.Parameters) {
		list = append(list, ref.Value)
	}
	return list
}

// schemaOf is the schema of a parameter, whichever way it is written.
func schemaOf(p *openapi3.Parameter) *openapi3.SchemaRef {
	if media := p.Content.Get("application/json"); media != nil {
		return media.Schema
	}
	return p.Schema
}

// place is a schema with the way to it.
type place struct {
	at  string
	ref *openapi3.SchemaRef
}

// schemas lists every schema of the document once: where it is defined, and not where it is referred to.
func schemas(doc *openapi3.T) []place {
	var list []place
	var walk func(at string, ref *openapi3.SchemaRef)
	walk = func(at string, ref *openapi3.SchemaRef) {
		list = append(list, place{at, ref})
		if ref.Ref != "" {
			return
		}
		for _, name := range slices.Sorted(maps.Keys(ref.Value.Properties)) {
			walk(at+"."+name, ref.Value.Properties[name])
		}
		if ref.Value.Items != nil {
			walk(at+"[]", ref.Value.Items)
		}
		for _, inner := range ref.Value.AllOf {
			walk(at, inner)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		walk(name, doc.Components.Schemas[name])
	}
	for _, o := range operations(doc) {
		for _, p := range o.parameters() {
			walk(o.OperationID+"?"+p.Name, schemaOf(p))
		}
	}
	return list
}

func TestTheVersionsAreTheContracts(t *testing.T) {
	t.Parallel()
	doc := load(t)
	// From 3.1 on, kin-openapi validates with another engine, and generators differ.
	if doc.OpenAPI != "3.0.3" || doc.Info.Version != "1.0.0" || doc.Info.Title == "" {
		t.Errorf("openapi %s, version %s, title %q", doc.OpenAPI, doc.Info.Version, doc.Info.Title)
	}
	if diff := cmp.Diff("/api/v1", doc.Servers[0].URL); diff != "" {
		t.Error(diff)
	}
}
