package openapi

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
	report := []string{"startDate!", "endDate!", "dateField", "periodGrouping", "periodLimit", "categoryNames",
		"categoryPaths"}
	want := map[string][]string{
		"listAccounts": {"includeInactive", "limit", "cursor"}, // pages are ours, beside the contract
		"searchTransactions": {"query", "accountIds", "counterpartyId", "categoryPath", "dateFrom", "dateTo",
			"dateField", "amountFrom", "amountTo", "needsAttention", "limit", "cursor", "detail"},
		"searchCounterparties":  {"query", "relationship", "type", "limit", "cursor", "detail"},
		"listOutstandingIssues": {"objectType", "status", "waiting", "limit", "cursor", "detail"},
		"listCategories":        {"detail"}, // ours too
		"getPnlReport":          slices.Concat(report, []string{"detail"}),
		"getCashflowReport": slices.Concat(report, []string{"ontologyId", "ontologyKey", "counterpartyIds",
			"detail"}),
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

func TestEnumsAreUsedByTheParametersThatTheContractNames(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"searchTransactions.dateField": "TransactionDateField", "searchCounterparties.relationship": "Relationship",
		"searchCounterparties.type":   "CounterpartyType",
		"getCashflowReport.dateField": "ReportDateField", "getPnlReport.dateField": "ReportDateField",
		"getCashflowReport.periodGrouping": "PeriodGrouping", "getPnlReport.periodGrouping": "PeriodGrouping",
		"listOutstandingIssues.objectType": "IssueObjectType", "listOutstandingIssues.status": "IssueStatus",
	}
	for _, ours := range []string{"listCategories", "searchTransactions", "searchCounterparties",
		"listOutstandingIssues", "getCashflowReport", "getPnlReport"} {
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
