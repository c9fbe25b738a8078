package main

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"bizfin/cmd/bizfin/demo"
	"bizfin/internal/money"
)

// agent is a program that knows the business by the tools alone. It counts what it was told.
type agent struct {
	t            *testing.T
	session      *sdk.ClientSession
	organization string
	calls        int
	characters   int
}

// bearing sends a token with every request.
type bearing string

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

// newAgent runs the demo and signs an agent of its owner in.
func newAgent(t *testing.T) *agent {
	t.Helper()
	dev := startDemoStack(t)
	printed, err := bizfin(t.Context(), "demo", "--year", "2025", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var shown struct {
		Organization string `json:"organization_id"`
		Profile      struct{ User struct{ ID string } }
	}
	if err := json.Unmarshal([]byte(printed), &shown); err != nil {
		t.Fatal(err)
	}
	token, err := bizfin(t.Context(), "token", "oauth", "--user", shown.Profile.User.ID)
	if err != nil {
		t.Fatal(err)
	}
	client := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), &sdk.StreamableClientTransport{
		Endpoint: strings.TrimSuffix(dev.BaseURL, "/") + "/mcp", HTTPClient: &http.Client{Transport: bearing(token)},
		DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return &agent{t: t, session: session, organization: shown.Organization}
}

// toolArguments of a tool, without the organization.
type toolArguments = map[string]any

// call calls a tool and answers its text.
func (a *agent) call(tool string, given toolArguments) (text string, isError bool) {
	a.t.Helper()
	all := toolArguments{"organization_id": a.organization}
	for name, value := range given {
		all[name] = value
	}
	result, err := a.session.CallTool(a.t.Context(), &sdk.CallToolParams{Name: tool, Arguments: all})
	if err != nil {
		a.t.Fatal(err)
	}
	text = result.Content[0].(*sdk.TextContent).Text
	a.calls, a.characters = a.calls+1, a.characters+utf8.RuneCountInString(text)
	return text, result.IsError
}

// read calls a tool that succeeds and reads its answer.
func (a *agent) read(tool string, given toolArguments, into any) (characters int) {
	a.t.Helper()
	text, isError := a.call(tool, given)
	if isError {
		a.t.Fatalf("%s: %s", tool, text)
	}
	if err := json.Unmarshal([]byte(text), into); err != nil {
		a.t.Fatal(err)
	}
	return utf8.RuneCountInString(text)
}

// TestTheAnswersOfToolsAreCheap measures each tool on a year of a small business, as an agent asks for it.
func TestTheAnswersOfToolsAreCheap(t *testing.T) {
	a := newAgent(t)
	short := func(more toolArguments) toolArguments {
		given := toolArguments{"detail": "summary"}
		for name, value := range more {
			given[name] = value
		}
		return given
	}
	year := toolArguments{"startDate": "2025-01-01", "endDate": "2025-12-31"}
	byMonth := toolArguments{"startDate": "2025-01-01", "endDate": "2025-12-31", "periodGrouping": "month"}
	var page struct {
		Transactions []struct{ ID string }
		Summary      struct{ Rows []json.RawMessage }
	}
	for _, c := range []struct {
		tool  string
		given toolArguments
		most  int // characters
	}{
		{"getProfile", nil, 1500},
		{"listAccounts", nil, 3000},
		{"listCategories", short(nil), 8000},
		{"searchTransactions", short(nil), 6000},
		{"searchTransactions", short(toolArguments{"limit": 50}), 13_500},
		{"searchCounterparties", short(nil), 6000},
		{"getCashflowReport", short(year), 6000},
		{"getCashflowReport", short(byMonth), 6000},
		{"getPnlReport", short(year), 4000},
		{"listOutstandingIssues", short(nil), 5000},
		{"getAgentConnectionInfo", nil, 20_000},
		{"getBillingStatus", nil, 500},
	} {
		characters := a.read(c.tool, c.given, &page)
		if t.Logf("%s %v: %d characters", c.tool, c.given, characters); characters > c.most {
			t.Errorf("%s %v: %d characters, at most %d", c.tool, c.given, characters, c.most)
		}
		for _, row := range page.Summary.Rows {
			if n := utf8.RuneCount(row); c.tool == "searchTransactions" && n > 250 {
				t.Errorf("a row of %d characters: %s", n, row)
			}
		}
	}
}

// TestAnAgentSaysWhatWasSpentOnSoftwareAndWhatIsUnclear asks as somebody would who knows the tools by their names: the
// first guess of a category is none, and what is suggested instead is taken.
func TestAnAgentSaysWhatWasSpentOnSoftwareAndWhatIsUnclear(t *testing.T) {
	a := newAgent(t)
	quarter := toolArguments{"startDate": "2025-10-01", "endDate": "2025-12-31", "detail": "summary"}
	quarter["categoryNames"] = []string{"software"}
	refused, isError := a.call("getPnlReport", quarter)
	_, suggested, said := strings.Cut(refused, "nearest: ")
	if !isError || !said {
		t.Fatalf("a category that is none: %s", refused)
	}
	quarter["categoryNames"] = []string{suggested[:strings.Index(suggested, ",")]}

	var report struct {
		Basis struct {
			OutsideFilter struct {
				TransactionCount int
				SuggestedWithin  struct{ TransactionCount int }
			}
		}
		Summary struct {
			Categories []struct {
				CategoryPath     string
				Amount           money.Amount
				TransactionCount int
			}
		}
	}
	a.read("getPnlReport", quarter, &report)
	var unclear struct {
		TotalOpen int
		Summary   struct {
			Rows []struct {
				Question string
				Options  []string
			}
		}
	}
	a.read("listOutstandingIssues", toolArguments{"detail": "summary"}, &unclear)
	t.Logf("%d calls, %d characters", a.calls, a.characters)
	if a.calls > 3 || a.characters > 6000 {
		t.Errorf("%d calls and %d characters; it takes 3 and 6,000", a.calls, a.characters)
	}

	lines := report.Summary.Categories
	if len(lines) != 1 || lines[0].CategoryPath != "expense.other.software" {
		t.Fatalf("the lines are %+v", lines)
	}
	var want money.Amount
	bought, software := 0, []string{"ADOBE", "SHOPIFY*", "CANVA", "GSUITE", "DROPBOX", "QBOOKS", "SLACK", "ZOOM"}
	for _, account := range demo.Year(1, 2025) {
		for _, row := range account.Rows {
			isSoftware := slices.ContainsFunc(software,
				func(name string) bool { return strings.Contains(row.Description, name) })
			if isSoftware && row.Currency == "USD" && row.Day.Month() >= 10 {
				want, bought = want-row.Amount, bought+1
			}
		}
	}
	if lines[0].Amount != want || lines[0].TransactionCount != bought {
		t.Errorf("spent %s in %d rows, want %s in %d", lines[0].Amount, lines[0].TransactionCount, want, bought)
	}
	if report.Basis.OutsideFilter.TransactionCount == 0 || len(unclear.Summary.Rows) == 0 ||
		unclear.Summary.Rows[0].Question == "" || len(unclear.Summary.Rows[0].Options) == 0 {
		t.Errorf("nothing is unclear: %+v, %+v", report.Basis, unclear)
	}
}
