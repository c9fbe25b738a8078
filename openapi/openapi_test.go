package openapi

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

func load(t *testing.T) *openapi3.T {
	t.Helper()
	doc, err := Load()
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

const organization = "/organizations/{organization_id}"

// theContracts are the operations that the contract asks for. Others may stand beside them: the table of
// server/apitest has all, with the scope and the persons of each.
var theContracts = map[string]string{
	"connectPartner":         "POST /auth/partner",
	"uploadAccounts":         "POST " + organization + "/accounts",
	"uploadTransactions":     "POST " + organization + "/accounts/{account_id}/transactions",
	"deleteAccount":          "DELETE " + organization + "/accounts/{account_id}",
	"deleteTransaction":      "DELETE " + organization + "/transactions/{transaction_id}",
	"getProfile":             "GET " + organization + "/profile",
	"listAccounts":           "GET " + organization + "/accounts",
	"listCategories":         "GET " + organization + "/categories",
	"searchTransactions":     "GET " + organization + "/transactions",
	"getTransaction":         "GET " + organization + "/transactions/{transaction_id}",
	"searchCounterparties":   "GET " + organization + "/counterparties",
	"getCounterparty":        "GET " + organization + "/counterparties/{counterparty_id}",
	"getCashflowReport":      "GET " + organization + "/reports/cashflow",
	"getPnlReport":           "GET " + organization + "/reports/pnl",
	"listOutstandingIssues":  "GET " + organization + "/outstanding-issues",
	"answerOutstandingIssue": "POST " + organization + "/outstanding-issues/{id}/answers",
	"getAgentConnectionInfo": "GET " + organization + "/agent-connection",
	"getBillingStatus":       "GET " + organization + "/billing",
	"receiveAccountSnapshot": "POST /webhooks/{partner_id}/accounts",
}

func TestTheOperationsOfTheContractAreThere(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, o := range operations(load(t)) {
		if theContracts[o.OperationID] != "" {
			got[o.OperationID] = o.String()
		}
	}
	if diff := cmp.Diff(theContracts, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryOrganizationRouteDeclaresTheContractsResponses(t *testing.T) {
	t.Parallel()
	for _, o := range operations(load(t)) {
		if !o.onOrganization() {
			continue
		}
		want := map[string]string{
			"200": "", "400": "BadRequest", "401": "Unauthorized", "403": "Forbidden", "404": "NotFound", "413": "TooLarge",
			"415": "UnsupportedMediaType", "422": "Unprocessable", "500": "Failed",
			"429": "TooMany", "503": "Busy", // ours, beside the contract's
		}
		if o.RequestBody != nil {
			want["408"] = "TooSlow" // ours too
		}
		got := map[string]string{}
		for status, response := range o.Responses.Map() {
			got[status] = strings.TrimPrefix(response.Ref, "#/components/responses/")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", o, diff)
		}
	}
}

func TestEveryErrorHasTheOneErrorBody(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for name, response := range doc.Components.Responses {
		media := response.Value.Content.Get("application/json")
		if media == nil || media.Schema.Ref != "#/components/schemas/ErrorBody" {
			t.Errorf("%s has another body", name)
		}
		if response.Value.Description == nil || *response.Value.Description == "" {
			t.Errorf("%s has no description", name)
		}
	}
	for _, o := range operations(doc) {
		for status, response := range o.Responses.Map() {
			if response.Value.Description == nil || *response.Value.Description == "" {
				t.Errorf("%s %s has no description", o, status)
			}
			if media := response.Value.Content.Get("application/json"); media == nil || media.Schema.Ref == "" {
				t.Errorf("%s %s has no named JSON body", o, status)
			}
		}
	}
}

func TestEveryOperationIsTaggedDescribedAndScoped(t *testing.T) {
	t.Parallel()
	doc := load(t)
	tags := map[string]bool{}
	for _, tag := range doc.Tags {
		if tags[tag.Name] = true; tag.Description == "" {
			t.Errorf("tag %s has no description", tag.Name)
		}
	}
	for _, o := range operations(doc) {
		if len(o.Tags) != 1 || !tags[o.Tags[0]] {
			t.Errorf("%s has tags %v", o, o.Tags)
		}
		if o.Summary == "" || o.Description == "" {
			t.Errorf("%s has no summary or description", o)
		}
		scope, _ := o.Extensions["x-scope"].(string)
		if o.onOrganization() != slices.Contains([]string{"org:read", "org:write", "org:answer"}, scope) {
			t.Errorf("%s has the scope %q", o, scope)
		}
	}
}

func TestDemoPersonsChangeNothing(t *testing.T) {
	t.Parallel()
	for _, o := range operations(load(t)) {
		allowed, given := o.Extensions["x-demo-allowed"].(bool)
		if changes := o.Extensions["x-scope"] == "org:write"; changes != (given && !allowed) {
			t.Errorf("%s: x-demo-allowed is %v", o, o.Extensions["x-demo-allowed"])
		}
	}
}

func TestEveryParameterIsDescribedAndHasAnExample(t *testing.T) {
	t.Parallel()
	for _, o := range operations(load(t)) {
		for _, p := range o.parameters() {
			at := o.OperationID + " " + p.In + " " + p.Name
			if p.Description == "" {
				t.Errorf("%s has no description", at)
			}
			s := schemaOf(p)
			example := p.Example
			if example == nil {
				example = s.Value.Example
			}
			if example == nil {
				t.Errorf("%s has no example", at)
			} else if err := s.Value.VisitJSON(example); err != nil {
				t.Errorf("%s: its example: %v", at, err)
			}
		}
	}
}

func TestEveryOrganizationRouteTakesTheOptionalPartnerHeader(t *testing.T) {
	t.Parallel()
	for _, o := range operations(load(t)) {
		if !o.onOrganization() {
			continue
		}
		at := slices.IndexFunc(o.parameters(), func(p *openapi3.Parameter) bool { return p.In == "header" && p.Name == "X-Service-Partner" })
		if at < 0 || o.parameters()[at].Required {
			t.Errorf("%s: X-Service-Partner is missing or required", o)
		}
	}
}

func TestArrayParametersAreJSON(t *testing.T) {
	t.Parallel()
	var arrays []string
	for _, o := range operations(load(t)) {
		for _, p := range o.parameters() {
			isArray := schemaOf(p).Value.Type.Is("array")
			if isArray && theContracts[o.OperationID] != "" {
				arrays = append(arrays, o.OperationID+"."+p.Name)
			}
			if isArray != (len(p.Content) > 0) {
				t.Errorf("%s %s: array %v, content %v", o, p.Name, isArray, p.Content)
			}
		}
	}
	want := []string{
		"getCashflowReport.categoryNames", "getCashflowReport.categoryPaths", "getCashflowReport.counterpartyIds",
		"getPnlReport.categoryNames", "getPnlReport.categoryPaths", "searchTransactions.accountIds",
	}
	slices.Sort(arrays)
	if diff := cmp.Diff(want, arrays); diff != "" {
		t.Error(diff)
	}
}

func TestTheParametersAreTheContracts(t *testing.T) {
	t.Parallel()
	report := []string{"startDate!", "endDate!", "dateField", "periodGrouping", "periodLimit", "categoryNames", "categoryPaths"}
	want := map[string][]string{
		"listAccounts":          {"includeInactive", "limit", "cursor"}, // pages are ours, beside the contract
		"searchTransactions":    {"query", "accountIds", "counterpartyId", "categoryPath", "dateFrom", "dateTo", "dateField", "amountFrom", "amountTo", "needsAttention", "limit", "cursor", "detail"},
		"searchCounterparties":  {"query", "relationship", "type", "limit", "cursor", "detail"},
		"listOutstandingIssues": {"objectType", "status", "limit", "cursor", "detail"},
		"listCategories":        {"detail"}, // ours too
		"getPnlReport":          slices.Concat(report, []string{"detail"}),
		"getCashflowReport":     slices.Concat(report, []string{"ontologyId", "ontologyKey", "counterpartyIds", "detail"}),
	}
	got := map[string][]string{}
	for _, o := range operations(load(t)) {
		for _, p := range o.parameters() {
			if p.In != "query" || theContracts[o.OperationID] == "" {
				continue
			}
			name := p.Name
			if p.Required {
				name += "!"
			}
			got[o.OperationID] = append(got[o.OperationID], name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

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
		if diff := cmp.Diff([]string{"application/json"}, slices.Collect(maps.Keys(body.Content))); diff != "" || !body.Required {
			t.Errorf("%s: required %v, %s", o, body.Required, diff)
		}
		webhook := o.OperationID == "receiveAccountSnapshot"
		var walk func(at string, ref *openapi3.SchemaRef)
		walk = func(at string, ref *openapi3.SchemaRef) {
			s := ref.Value
			if closed := s.AdditionalProperties.Has != nil && !*s.AdditionalProperties.Has; s.Type.Is("object") && closed == webhook {
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

func TestVocabulariesAreTheContracts(t *testing.T) {
	t.Parallel()
	doc := load(t)
	for name, want := range map[string]string{
		"Relationship": "client, service, partner, contractor, investor, owner, lifestyle, supplier, utility, landlord, lender, insurer, payment_processor, " +
			"marketplace, regulator, tax_authority, donation_recipient, payroll, unknown",
		"CounterpartyType": "company, person, government, non-profit, educational, financial, healthcare, religious, charity, association, cooperative, " +
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
	if diff := cmp.Diff([]any{"active", "disabled"}, doc.Components.Schemas["SnapshotAccount"].Value.Properties["status"].Value.Enum); diff != "" {
		t.Error(diff)
	}
}

func TestEnumsAreUsedByTheParametersThatTheContractNames(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"searchTransactions.dateField": "TransactionDateField", "searchCounterparties.relationship": "Relationship", "searchCounterparties.type": "CounterpartyType",
		"getCashflowReport.dateField": "ReportDateField", "getPnlReport.dateField": "ReportDateField",
		"getCashflowReport.periodGrouping": "PeriodGrouping", "getPnlReport.periodGrouping": "PeriodGrouping", "listOutstandingIssues.objectType": "IssueObjectType", "listOutstandingIssues.status": "IssueStatus",
	}
	for _, ours := range []string{"listCategories", "searchTransactions", "searchCounterparties", "listOutstandingIssues", "getCashflowReport", "getPnlReport"} {
		want[ours+".detail"] = "Detail"
	}
	got := map[string]string{}
	for _, o := range operations(load(t)) {
		for _, p := range o.parameters() {
			if s := schemaOf(p); len(s.Value.Enum) > 0 {
				got[o.OperationID+"."+p.Name] = strings.TrimPrefix(s.Ref, "#/components/schemas/")
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
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
			t.Errorf("%s.%s has %d to %v characters, trimmed %v", test.schema, test.name, s.MinLength, s.MaxLength, trim)
		}
	}
	for schema, name := range map[string]string{"AccountUpload": "accounts", "TransactionUpload": "transactions"} {
		s := field(schema, name)
		if s.MinItems != 1 || s.MaxItems == nil || *s.MaxItems != 500 || s.Extensions["x-unique-by"] != "external_id" {
			t.Errorf("%s.%s has %d to %v items, unique by %v", schema, name, s.MinItems, s.MaxItems, s.Extensions["x-unique-by"])
		}
	}
	for schema, name := range map[string]string{"UploadedAccount": "current_balance", "UploadedTransaction": "amount"} {
		s := field(schema, name)
		if *s.Min != -9999999999999.99 || *s.Max != 9999999999999.99 || s.MultipleOf != nil || s.Extensions["x-decimals"] != 2.0 || s.Format != "decimal" {
			t.Errorf("%s.%s is from %v to %v with %v decimals", schema, name, *s.Min, *s.Max, s.Extensions["x-decimals"])
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
				t.Errorf("%s: limit is from %v to %v", o, *s.Min, *s.Max)
			case p.Name == "periodLimit" && (!s.Type.Is("integer") || *s.Min != 1 || s.Max != nil):
				t.Errorf("%s: periodLimit is from %v to %v", o, *s.Min, s.Max)
			case strings.HasSuffix(strings.ToLower(p.Name), "limit") && s.Default == nil:
				t.Errorf("%s: %s has no default", o, p.Name)
			case p.Name == "limit" && !strings.Contains(p.Description, usual), p.Name == "periodLimit" && !strings.Contains(p.Description, "Default 12"):
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
		"0190f2a4-7c1e-1d3a-8f10-2b6f0c9a1d11": true, "0190f2a4-7c1e-8d3a-bf10-2b6f0c9a1d11": true, "0190F2A4-7C1E-7D3A-9F10-2B6F0C9A1D11": true,
		"00000000-0000-0000-0000-000000000000": true, "ffffffff-ffff-ffff-ffff-ffffffffffff": true,
		"0190f2a4-7c1e-9d3a-8f10-2b6f0c9a1d11": false, "0190f2a4-7c1e-0d3a-8f10-2b6f0c9a1d11": false, "0190f2a4-7c1e-7d3a-cf10-2b6f0c9a1d11": false, "0190f2a47c1e7d3a9f102b6f0c9a1d11": false,
	} {
		if err := s.VisitJSONString(text); (err == nil) != ok {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, o := range operations(doc) {
		for _, p := range o.parameters() {
			typed := p.Name == "organization_id" || p.Name == "account_id" || p.Name == "transaction_id" && o.method == "DELETE"
			if p.In == "path" && typed != (schemaOf(p).Ref == "#/components/schemas/Uuid") {
				t.Errorf("%s: %s is typed as a UUID: %v", o, p.Name, !typed)
			}
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
		"SnapshotAccount":       {{"id", "name", "currency"}, {"number", "type", "plaid_token", "current_balance", "status"}},
		"SnapshotReceipt":       {{"received"}, nil},
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
