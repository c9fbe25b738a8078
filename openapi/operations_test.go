package openapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

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
			"200": "", "400": "BadRequest", "401": "Unauthorized", "403": "Forbidden", "404": "NotFound",
			"413": "TooLarge",
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

func TestEveryOrganizationRouteTakesTheOptionalPartnerHeader(t *testing.T) {
	t.Parallel()
	for _, o := range operations(load(t)) {
		if !o.onOrganization() {
			continue
		}
		at := slices.IndexFunc(o.parameters(), func(p *openapi3.Parameter) bool {
			return p.In == "header" &&
				p.Name == "X-Service-Partner"
		})
		if at < 0 || o.parameters()[at].Required {
			t.Errorf("%s: X-Service-Partner is missing or required", o)
		}
	}
}
