package apitest

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
)

// A handler that forgets a member answers the zero value of its type, which the document allows. So all tests together
// must show every member of every answer with something in it.

// shown are the members of answers, as Account.mask, that some test was answered with something in them.
var shown = struct {
	sync.Mutex
	members map[string]bool
}{members: map[string]bool{}}

// show remembers the members of an answer that have something in them.
func show(op *openapi3.Operation, body []byte) {
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var value any
	if decoder.Decode(&value) != nil {
		return // the document has no JSON for it, or conforms says so
	}
	shown.Lock()
	defer shown.Unlock()
	var walk func(at string, ref *openapi3.SchemaRef, value any)
	walk = func(at string, ref *openapi3.SchemaRef, value any) {
		for member, child := range membersOf(at, ref) {
			object, _ := value.(map[string]any)
			one := object[child.name]
			shown.members[member] = shown.members[member] || !isNothing(one)
			walk(member, child.SchemaRef, one)
		}
		if list, ok := value.([]any); ok {
			for _, item := range list {
				walk(at, ref.Value.Items, item)
			}
		}
	}
	walk(op.OperationID, answered(op), value)
}

// answered is the schema of an operation's answer when all is well.
func answered(op *openapi3.Operation) *openapi3.SchemaRef {
	return op.Responses.Status(200).Value.Content.Get("application/json").Schema
}

type member struct {
	name string
	*openapi3.SchemaRef
}

// membersOf are the members of an object by the schema that has them and their name.
func membersOf(at string, ref *openapi3.SchemaRef) map[string]member {
	if name, ok := strings.CutPrefix(ref.Ref, "#/components/schemas/"); ok {
		at = name
	}
	members := map[string]member{}
	for name, child := range ref.Value.Properties {
		members[at+"."+name] = member{name, child}
	}
	for _, part := range ref.Value.AllOf {
		maps.Copy(members, membersOf(at, part))
	}
	return members
}

// isNothing says whether a value is what a handler answers that forgot it.
func isNothing(value any) bool {
	switch v := value.(type) {
	case nil:
		return true
	case json.Number:
		f, _ := v.Float64()
		return f == 0
	case string:
		return v == "" || v == "0001-01-01T00:00:00Z" || v == "0001-01-01" ||
			v == "00000000-0000-0000-0000-000000000000"
	case bool:
		return !v
	case []any:
		return len(v) == 0
	default:
		return false
	}
}

// everyMemberWasShown says after a run of all tests which members of answers none has seen with something in them.
func everyMemberWasShown() bool {
	for _, part := range []string{"test.run", "test.skip", "test.list", "test.fuzz"} {
		if flag.Lookup(part).Value.String() != "" {
			return true
		}
	}
	want := map[string]bool{}
	var walk func(at string, ref *openapi3.SchemaRef)
	walk = func(at string, ref *openapi3.SchemaRef) {
		for member, child := range membersOf(at, ref) {
			if !want[member] {
				want[member] = true
				walk(member, child.SchemaRef)
			}
		}
		if ref.Value.Items != nil {
			walk(at, ref.Value.Items)
		}
	}
	for _, op := range documented() {
		if !op.elsewhere {
			walk(op.OperationID, answered(op.Operation))
		}
	}
	complete := true
	for _, member := range slices.Sorted(maps.Keys(want)) {
		if !shown.members[member] {
			fmt.Fprintf(os.Stderr, "no test was answered with anything in %s\n", member)
			complete = false
		}
	}
	return complete
}
