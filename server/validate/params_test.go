package validate_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"bizfin/server/validate"
)

func request(query string) *http.Request {
	return &http.Request{Method: "GET", Header: http.Header{}, URL: &url.URL{Path: "/", RawQuery: query}}
}

func judgeQuery(t *testing.T, query string) []validate.Problem {
	t.Helper()
	problems, err := operation(t, "GET", transactionsPath).Parameters(request(query), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range problems {
		if problem.In != validate.InQuery || problem.Message == "" {
			t.Errorf("incomplete problem %+v", problem)
		}
	}
	return problems
}

func TestQueryProblems(t *testing.T) {
	t.Parallel()
	const start = "startDate=2026-01-01"
	for _, test := range []struct {
		query string // to which the required startDate is added
		want  []string
	}{
		{"", nil},
		{"&&", nil},

		// Strings are raw text.
		{"query=coffee+beans", nil},
		{"query=%22coffee%22", nil},
		{"query=null", nil},
		{"query=5", nil},
		{"query=a=b", nil},
		{"query=", []string{"/query minLength"}},
		{"query", []string{"/query minLength"}},
		{"query=a%00b", []string{"/query pattern"}},
		{"query=%ff", []string{"/query format"}},
		{"query=" + url.QueryEscape(strings.Repeat("😀", 40)), nil},
		{"query=" + url.QueryEscape(strings.Repeat("😀", 41)), []string{"/query maxLength"}},
		{"dateField=authorized", nil},
		{"dateField=%22authorized%22", []string{"/dateField enum"}},
		{"dateField=Authorized", []string{"/dateField enum"}},
		{"dateField=", []string{"/dateField enum"}},

		// Integers are one literal.
		{"limit=1", nil},
		{"limit=50", nil},
		{"limit=51", []string{"/limit maximum"}},
		{"limit=0", []string{"/limit minimum"}},
		{"limit=-1", []string{"/limit minimum"}},
		{"limit=", []string{"/limit type"}},
		{"limit", []string{"/limit type"}},
		{"limit=1e1", []string{"/limit type"}},
		{"limit=20.0", []string{"/limit type"}},
		{"limit=020", []string{"/limit type"}},
		{"limit=%2B5", []string{"/limit type"}},
		{"limit=+5", []string{"/limit type"}},
		{"limit=5%20", []string{"/limit type"}},
		{"limit=null", []string{"/limit type"}},
		{"limit=%225%22", []string{"/limit type"}},
		{"limit=5%00", []string{"/limit type"}},
		{"limit=-", []string{"/limit type"}},
		{"limit=99999999999999999999", []string{"/limit maximum"}},
		{"periodLimit=9223372036854775807", nil},
		{"periodLimit=9223372036854775808", []string{"/periodLimit maximum"}},
		{"periodLimit=0", []string{"/periodLimit minimum"}},

		// Booleans and amounts too.
		{"needsAttention=true", nil},
		{"needsAttention=false", nil},
		{"needsAttention=True", []string{"/needsAttention type"}},
		{"needsAttention=1", []string{"/needsAttention type"}},
		{"needsAttention=%22true%22", []string{"/needsAttention type"}},
		{"needsAttention=", []string{"/needsAttention type"}},
		{"amountFrom=-12.50", nil},
		{"amountFrom=9999999999999.991", []string{"/amountFrom decimal"}},
		{"amountFrom=1e400", []string{"/amountFrom maximum"}},
		{"amountFrom=-1e400", []string{"/amountFrom minimum"}},
		{"amountFrom=1,000", []string{"/amountFrom type"}},
		{"amountFrom=%2012", []string{"/amountFrom type"}},
		{"amountFrom=NaN", []string{"/amountFrom type"}},
		{"amountFrom=", []string{"/amountFrom type"}},

		// Arrays are JSON.
		{"accountIds=%5B%22a%22,%22b%22%5D", nil},
		{"accountIds=%5B%5D", nil},
		{"accountIds=%20%5B%20%22a%22%20%5D%20", nil},
		{"accountIds=a,b", []string{"/accountIds format"}},
		{"accountIds=%22a%22", []string{"/accountIds format"}},
		{"accountIds=null", []string{"/accountIds format"}},
		{"accountIds=", []string{"/accountIds format"}},
		{"accountIds=%5B%22a%22", []string{"/accountIds format"}},
		{"accountIds=%5B%22a%22%5D%5D", []string{"/accountIds format"}},
		{"accountIds=%5B1,%5B%5D%5D%5D", []string{"/accountIds format"}},
		{"accountIds=%5B%7B%22a%22:1,%22a%22:1%7D%5D", []string{"/accountIds format"}},
		{"accountIds=%5B%22a%22,1,%22%22,null,%22%5Cu0000%22%5D", []string{
			"/accountIds/1 type", "/accountIds/2 minLength", "/accountIds/3 nullable", "/accountIds/4 pattern",
		}},
		{"accountIds=%5B1,1,1,1,1,1%5D", []string{"/accountIds maxItems"}},
		{"categoryPaths=%5B%5B%22a%22,%22b%22%5D,%5B%5D,%22c%22%5D",
			[]string{"/categoryPaths/1 minItems", "/categoryPaths/2 type"}},

		// Names.
		{"Limit=5", []string{"/Limit unknown"}},
		{"lim%69t=5", nil},
		{"a/b=1&a/b=2&=3", []string{"/a~1b unknown", "/ unknown"}},
		{"%ff=1", []string{"/\ufffd unknown"}},
		{strings.Repeat("n", 100) + "=1", []string{"/" + strings.Repeat("n", 64) + " unknown"}},
		{"limit=5&limit=5&limit=6", []string{"/limit repeated"}},
		{"limit=x&limit=5", []string{"/limit type", "/limit repeated"}},
		{"accountIds=%5B%5D&accountIds=%5B%5D", []string{"/accountIds repeated"}},
		{"limit=0&x=1&needsAttention=2", []string{"/limit minimum", "/x unknown", "/needsAttention type"}},

		// What url.ParseQuery would drop.
		{"limit=5;query=a", []string{" format"}},
		{"limit=%zz", []string{" format"}},
		{"limit=5&%", []string{" format"}},
	} {
		if diff := cmp.Diff(test.want, brief(judgeQuery(t, test.query+"&"+start))); diff != "" {
			t.Errorf("%s: %s", test.query, diff)
		}
	}
}

func TestAMissingQueryParameterIsReported(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff([]string{"/x unknown", "/startDate required"}, brief(judgeQuery(t, "x=1"))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/startDate required"}, brief(judgeQuery(t, ""))); diff != "" {
		t.Error(diff)
	}
}

func TestQueryMessagesSayWhatIsExpected(t *testing.T) {
	t.Parallel()
	const known = "is not a known query parameter; known are: " +
		"accountIds, amountFrom, categoryPaths, dateField, limit, needsAttention, periodLimit, query, startDate"
	for query, want := range map[string]string{
		"x=1":                   known,
		"accountIds%5B0%5D=a":   known + `; an array is one JSON value such as ["a","b"], given as accountIds`,
		"ids[]=a":               known + `; an array is one JSON value such as ["a","b"]`,
		"accountIds=a":          `must be a JSON array such as ["a","b"]`,
		"categoryPaths=a":       `must be a JSON array such as [["a","b"],["c"]]`,
		"limit=a":               "must be an integer, without fraction, exponent or quotes",
		"limit=0":               "must be at least 1",
		"needsAttention=yes":    "must be true or false, without quotes",
		"amountFrom=%221.00%22": "must be a number such as 12.50, without quotes",
		"dateField=x":           "must be one of: primary, authorized, processed",
	} {
		problems := judgeQuery(t, query+"&startDate=2026-01-01")
		if len(problems) != 1 || problems[0].Message != want {
			t.Errorf("%s: got %+v, want %q", query, problems, want)
		}
	}
}

func TestAnOperationWithoutQueryParametersRefusesAny(t *testing.T) {
	t.Parallel()
	path := map[string]string{"organization_id": sourceID}
	problems, err := operation(t, "GET", accountsPath).Parameters(request("a=1"), path)
	if diff := cmp.Diff([]string{"/a unknown"}, brief(problems)); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

func TestManyParametersAreLimited(t *testing.T) {
	t.Parallel()
	var query strings.Builder
	for i := range 200_000 {
		query.WriteString(string(rune('\u4e00'+i%20_000)) + "=1&")
	}
	problems := judgeQuery(t, query.String())
	if len(problems) != validate.MaxProblems || problems[99].Code != validate.CodeTruncated {
		t.Errorf("%d problems, the last %+v", len(problems), problems[len(problems)-1])
	}
}

func TestPathAndHeaderParameters(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, method, path string
		params             map[string]string
		header             http.Header
		want               []string
	}{
		{"valid", "GET", accountsPath, map[string]string{"organization_id": sourceID},
			http.Header{"X-Service-Partner": {"acme"}}, nil},
		{"absent header", "GET", accountsPath, map[string]string{"organization_id": sourceID}, nil, nil},
		{"header of the operation over that of the path", "GET", accountsPath,
			map[string]string{"organization_id": sourceID}, http.Header{"X-Service-Partner": {strings.Repeat("p", 30)}},
			nil},
		{"longer than that of the operation", "GET", accountsPath, map[string]string{"organization_id": sourceID},
			http.Header{"X-Service-Partner": {strings.Repeat("p", 31)}},
			[]string{"header /X-Service-Partner maxLength"}},
		{"header of the path", "POST", accountsPath, map[string]string{"organization_id": sourceID},
			http.Header{"X-Service-Partner": {strings.Repeat("p", 21)}},
			[]string{"header /X-Service-Partner maxLength"}},
		{"bad uuid", "GET", accountsPath, map[string]string{"organization_id": "nope"}, nil,
			[]string{"path /organization_id pattern"}},
		{"NUL in the path", "POST", answersPath, map[string]string{"id": "a\x00"}, http.Header{"X-Trace": {"full"}},
			[]string{"path /id pattern"}},
		{"invalid UTF-8 in the path", "POST", answersPath, map[string]string{"id": "\xff"},
			http.Header{"X-Trace": {"full"}}, []string{"path /id format"}},
		{"empty header", "GET", accountsPath, map[string]string{"organization_id": sourceID},
			http.Header{"X-Service-Partner": {""}}, []string{"header /X-Service-Partner minLength"}},
		{"repeated header", "GET", accountsPath, map[string]string{"organization_id": sourceID},
			http.Header{"X-Service-Partner": {"a", "a"}}, []string{"header /X-Service-Partner repeated"}},
		{"missing header", "POST", answersPath, map[string]string{"id": "1"}, nil,
			[]string{"header /X-Trace required"}},
		{"all at once", "POST", answersPath, map[string]string{"id": strings.Repeat("i", 257)},
			http.Header{"X-Trace": {"some"}}, []string{"path /id maxLength", "header /X-Trace enum"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			r := request("")
			r.Header = test.header
			problems, err := operation(t, test.method, test.path).Parameters(r, test.params)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, problem := range problems {
				got = append(got, problem.In+" "+problem.Path+" "+problem.Code)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAPathParameterThatTheCallerForgotIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := operation(t, "GET", accountsPath).Parameters(request(""), nil); err == nil {
		t.Error("accepted")
	}
}

func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"startDate=2026-01-01", "startDate=2026-01-01T00:00:00%2B02:00&limit=5&accountIds=%5B%22a%22%5D",
		"amountFrom=-1.5&amountFrom=1&x[0]=1", "a;b", "%zz", "%ff=%00", "categoryPaths=[[\"a\"],[]]&startDate=",
	} {
		f.Add(seed)
	}
	o := operation(f, "GET", transactionsPath)
	f.Fuzz(func(t *testing.T, query string) {
		problems, err := o.Parameters(request(query), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(problems) > validate.MaxProblems {
			t.Errorf("%d problems", len(problems))
		}
		for _, problem := range problems {
			if !utf8.ValidString(problem.Path) || problem.Message == "" {
				t.Errorf("%+v", problem)
			}
		}
		if len(problems) == 0 {
			checkAcceptedQuery(t, query)
		}
	})
}
