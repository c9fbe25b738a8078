package openapi

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

func TestEverySchemaIsDescribedAndEveryLeafHasAValidExample(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for _, p := range schemas(doc) {
		s := p.ref.Value
		isItems, isParameter := strings.HasSuffix(p.at, "[]"), strings.Contains(p.at, "?")
		if s.Description == "" && len(s.AllOf) == 0 && !isItems && !isParameter {
			t.Errorf("%s has no description", p.at)
		}
		leaf := len(s.AllOf) == 0 && !s.Type.Is("object") && !s.Type.Is("array")
		if leaf && s.Example == nil && !isItems && !isParameter {
			t.Errorf("%s has no example", p.at)
		}
		if s.Example != nil {
			if err := s.VisitJSON(s.Example, openapi3.MultiErrors()); err != nil {
				t.Errorf("%s: its example: %v", p.at, err)
			}
		}
	}
}

// oapi-codegen makes a float of a number without a format, and money is exact.
func TestNoNumberIsAFloat(t *testing.T) {
	t.Parallel()
	for _, p := range schemas(load(t)) {
		s := p.ref.Value
		if s.Type.Is("number") && !slices.Contains([]string{"decimal", "decimal-total", "decimal-share"}, s.Format) {
			t.Errorf("%s is a number of format %q", p.at, s.Format)
		}
		if s.Format == "decimal" && (s.Min == nil || s.Max == nil) {
			t.Errorf("%s is a decimal without bounds", p.at)
		}
	}
}

func TestRequestBodiesAreClosedButTheWebhooks(t *testing.T) {
	t.Parallel()
	for _, o := range operations(load(t)) {
		if o.RequestBody == nil {
			if o.method == "POST" && o.OperationID != "connectPartner" {
				t.Errorf("%s has no body", o)
			}
			continue
		}
		body := o.RequestBody.Value
		if diff := cmp.Diff([]string{"application/json"}, slices.Collect(maps.Keys(body.Content))); diff != "" ||
			!body.Required {
			t.Errorf("%s: required %v, %s", o, body.Required, diff)
		}
		webhook := o.OperationID == "receiveAccountSnapshot"
		var walk func(at string, ref *openapi3.SchemaRef)
		walk = func(at string, ref *openapi3.SchemaRef) {
			s := ref.Value
			if closed := s.AdditionalProperties.Has != nil && !*s.AdditionalProperties.Has; s.Type.Is("object") &&
				closed == webhook {
				t.Errorf("%s%s: closed is %v", o, at, closed)
			}
			for name, property := range s.Properties {
				walk(at+"."+name, property)
			}
			for _, inner := range s.AllOf {
				walk(at, inner)
			}
			if s.Items != nil {
				walk(at+"[]", s.Items)
			}
		}
		walk("", body.Content["application/json"].Schema)
	}
}

// What is required of an answer is written down, so that a client need not ask whether a member is there.
func TestAnswersSayWhichMembersAreAlwaysThere(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for name, ref := range doc.Components.Schemas {
		s := ref.Value
		for _, required := range s.Required {
			if s.Properties[required] == nil {
				t.Errorf("%s requires %s, which it does not have", name, required)
			}
		}
		if s.Type.Is("object") && len(s.Required) == 0 {
			t.Errorf("%s requires nothing", name)
		}
	}
}

func TestTheMembersOfUploadsAreTheContracts(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for schema, want := range map[string][2][]string{
		"AccountUpload":         {{"source_id", "accounts"}, nil},
		"UploadedAccount":       {{"external_id", "name", "type", "currency", "current_balance"}, nil},
		"TransactionUpload":     {{"transactions"}, nil},
		"UploadedTransaction":   {{"external_id", "amount", "date", "description"}, {"pending", "currency"}},
		"Answer":                {{"answer"}, {"selectedOption"}},
		"Connection":            {{"user_id", "organization_id", "source_id", "organizations"}, nil},
		"ConnectedOrganization": {{"business_id", "organization_id", "source_id", "role"}, nil},
		"UploadedRecord":        {{"id", "external_id"}, nil},
		"DeletedAccount":        {{"account_id", "deleted"}, nil},
		"DeletedTransaction":    {{"transaction_id", "deleted"}, nil},
		"ErrorBody":             {{"error"}, {"issues"}},
		"AccountSnapshot":       {{"type", "sub", "payload"}, nil},
		"SnapshotPayload":       {{"tier", "accounts"}, {"business"}},
		"SnapshotBusiness":      {{"id", "name"}, nil},
		"SnapshotAccount": {{"id", "name", "currency"}, {"number", "type", "plaid_token", "current_balance",
			"status"}},
		"SnapshotReceipt": {{"received"}, nil},
	} {
		s := doc.Components.Schemas[schema]
		if s == nil {
			t.Errorf("no %s", schema)
			continue
		}
		required := slices.Sorted(slices.Values(want[0]))
		if diff := cmp.Diff(required, slices.Sorted(slices.Values(s.Value.Required))); diff != "" {
			t.Errorf("%s: required: %s", schema, diff)
		}
		all := slices.Sorted(slices.Values(slices.Concat(want[0], want[1])))
		if diff := cmp.Diff(all, slices.Sorted(maps.Keys(s.Value.Properties))); diff != "" {
			t.Errorf("%s: %s", schema, diff)
		}
	}
}
