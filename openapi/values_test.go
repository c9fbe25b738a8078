package openapi

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

func TestVocabulariesAreTheContracts(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for name, want := range map[string]string{
		"Relationship": "client, service, partner, contractor, investor, owner, lifestyle, supplier, utility, " +
			"landlord, lender, insurer, payment_processor, " +
			"marketplace, regulator, tax_authority, donation_recipient, payroll, unknown",
		"CounterpartyType": "company, person, government, non-profit, educational, financial, healthcare, " +
			"religious, charity, association, cooperative, " +
			"partnership, trust, estate",
		"IssueObjectType":      "transaction, counterparty, company",
		"ReportDateField":      "authorized_at, processed_at",
		"TransactionDateField": "primary, authorized, processed",
		"PeriodGrouping":       "quarter, month, week, day",
		"AccountType":          "depository, credit, loan, investment, brokerage, other",
		"Role":                 "owner, member",
		"Tier":                 "free, paid",
	} {
		s := doc.Components.Schemas[name]
		if s == nil {
			t.Errorf("no %s", name)
			continue
		}
		var got []string
		for _, value := range s.Value.Enum {
			got = append(got, fmt.Sprint(value))
		}
		if diff := cmp.Diff(want, strings.Join(got, ", ")); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	snapshot := doc.Components.Schemas["AccountSnapshot"].Value
	if diff := cmp.Diff([]any{"accounts.changed"}, snapshot.Properties["type"].Value.Enum); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]any{"active", "disabled"},
		doc.Components.Schemas["SnapshotAccount"].Value.Properties["status"].Value.Enum); diff != "" {
		t.Error(diff)
	}
}

func TestLimitsAreTheContracts(t *testing.T) {
	t.Parallel()
	doc := load(t)
	field := func(schema, name string) *openapi3.Schema {
		p := doc.Components.Schemas[schema].Value.Properties[name].Value
		if len(p.AllOf) == 1 {
			return p.AllOf[0].Value
		}
		return p
	}
	for _, test := range []struct {
		schema, name string
		least, most  uint64
		trim         bool
	}{
		{"UploadedAccount", "external_id", 1, 256, false},
		{"UploadedAccount", "name", 1, 256, true},
		{"UploadedTransaction", "external_id", 1, 256, false},
		{"UploadedTransaction", "description", 1, 4096, false},
	} {
		s := field(test.schema, test.name)
		trim, _ := s.Extensions["x-trim"].(bool)
		if s.MinLength != test.least || s.MaxLength == nil || *s.MaxLength != test.most || trim != test.trim {
			t.Errorf("%s.%s has %d to %v characters, trimmed %v", test.schema, test.name, s.MinLength, s.MaxLength,
				trim)
		}
	}
	for schema, name := range map[string]string{"AccountUpload": "accounts", "TransactionUpload": "transactions"} {
		s := field(schema, name)
		if s.MinItems != 1 || s.MaxItems == nil || *s.MaxItems != 500 || s.Extensions["x-unique-by"] != "external_id" {
			t.Errorf("%s.%s has %d to %v items, unique by %v", schema, name, s.MinItems, s.MaxItems,
				s.Extensions["x-unique-by"])
		}
	}
	for schema, name := range map[string]string{"UploadedAccount": "current_balance", "UploadedTransaction": "amount"} {
		s := field(schema, name)
		if *s.Min != -9999999999999.99 || *s.Max != 9999999999999.99 || s.MultipleOf != nil ||
			s.Extensions["x-decimals"] != 2.0 || s.Format != "decimal" {
			t.Errorf("%s.%s is from %v to %v with %v decimals", schema, name, *s.Min, *s.Max,
				s.Extensions["x-decimals"])
		}
	}
	for schema, name := range map[string]string{"UploadedAccount": "currency", "UploadedTransaction": "currency"} {
		if got := field(schema, name).Pattern; got != "^[A-Z]{3}$" {
			t.Errorf("%s.%s has the pattern %s", schema, name, got)
		}
	}
	for _, o := range operations(doc) {
		most, usual := 50.0, "Default 20"
		if o.OperationID == "listAccounts" {
			most, usual = 1000, "Default 1,000" // the contract has no pages there
		}
		for _, p := range o.parameters() {
			s := schemaOf(p).Value
			switch {
			case p.Name == "limit" && (!s.Type.Is("integer") || *s.Min != 1 || *s.Max != most):
				t.Errorf("%s: limit is from %v to %v: take the parameter Limit", o, *s.Min, *s.Max)
			case p.Name == "periodLimit" && (!s.Type.Is("integer") || *s.Min != 1 || s.Max != nil):
				t.Errorf("%s: periodLimit is from %v to %v", o, *s.Min, s.Max)
			case strings.HasSuffix(strings.ToLower(p.Name), "limit") && s.Default == nil:
				t.Errorf("%s: %s has no default", o, p.Name)
			case p.Name == "limit" && !strings.Contains(p.Description, usual), p.Name == "periodLimit" &&
				!strings.Contains(p.Description, "Default 12"):
				t.Errorf("%s: %s does not tell its default", o, p.Name)
			}
		}
	}
}

// A rule that a validator computes in binary floating point, as multipleOf, would refuse some of these.
func TestAValidatorTakesEveryAmount(t *testing.T) {
	t.Parallel()
	money := load(t).Components.Schemas["Money"].Value
	for cents := range 100_000 {
		amount, err := strconv.ParseFloat(fmt.Sprintf("%d.%02d", cents/100, cents%100), 64)
		if err != nil {
			t.Fatal(err)
		}
		for _, signed := range []float64{amount, -amount} {
			if err := money.VisitJSON(signed); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, place := range schemas(load(t)) {
		if place.ref.Value.MultipleOf != nil {
			t.Errorf("%s has multipleOf, which validators compute in floating point", place.at)
		}
	}
}

func TestUUIDsAreThoseTheContractAccepts(t *testing.T) {
	t.Parallel()
	doc := load(t)
	s := doc.Components.Schemas["Uuid"].Value
	for text, ok := range map[string]bool{
		"0190f2a4-7c1e-1d3a-8f10-2b6f0c9a1d11": true, "0190f2a4-7c1e-8d3a-bf10-2b6f0c9a1d11": true,
		"0190F2A4-7C1E-7D3A-9F10-2B6F0C9A1D11": true,
		"00000000-0000-0000-0000-000000000000": true, "ffffffff-ffff-ffff-ffff-ffffffffffff": true,
		"0190f2a4-7c1e-9d3a-8f10-2b6f0c9a1d11": false, "0190f2a4-7c1e-0d3a-8f10-2b6f0c9a1d11": false,
		"0190f2a4-7c1e-7d3a-cf10-2b6f0c9a1d11": false, "0190f2a47c1e7d3a9f102b6f0c9a1d11": false,
	} {
		if err := s.VisitJSONString(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, o := range operations(doc) {
		for _, p := range o.parameters() {
			typed := p.Name == "organization_id" || p.Name == "account_id" || p.Name == "transaction_id" &&
				o.method == "DELETE"
			if p.In == "path" && typed != (schemaOf(p).Ref == "#/components/schemas/Uuid") {
				t.Errorf("%s: %s is typed as a UUID: %v", o, p.Name, !typed)
			}
		}
	}
}
