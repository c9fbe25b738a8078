package openapi

import (
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
)

// What a released document does not have is news to those who built on it: operations, and members of what it has.
func TestWhatIsNewIsInTheChangelog(t *testing.T) {
	t.Parallel()
	told, err := os.ReadFile("../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	released, err := openapi3.NewLoader().LoadFromFile("released/1.0.0.yaml")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, o := range operations(released) {
		known[o.OperationID] = true
	}
	for _, o := range operations(load(t)) {
		if !known[o.OperationID] && !strings.Contains(string(told), "`"+o.OperationID+"`") {
			t.Errorf("CHANGELOG.md says nothing of `%s` (%s)", o.OperationID, o)
		}
	}
	for name, schema := range load(t).Components.Schemas {
		before, ok := released.Components.Schemas[name]
		for member := range schema.Value.Properties {
			if ok && before.Value.Properties[member] == nil && !strings.Contains(string(told), "`"+member+"`") {
				t.Errorf("CHANGELOG.md says nothing of `%s` of %s", member, name)
			}
		}
	}
}
