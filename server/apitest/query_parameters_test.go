package apitest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
)

func TestQueryParametersAreJudgedByTheirLiteralText(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	id := o.uploadAccount("a1")
	o.upload(id, transaction("t1", "-12.30", "2026-03-31", "COFFEE"))
	long := strings.Repeat("x", 513)
	for _, test := range []struct {
		query string   // after the question mark
		want  []string // issues; none means 200
	}{
		{"", nil},
		{"&&", nil},
		{"limit=1", nil},
		{"limit=50", nil},
		{"limit=0", []string{"query /limit minimum"}},
		{"limit=-0", []string{"query /limit minimum"}},
		{"limit=-1", []string{"query /limit minimum"}},
		{"limit=51", []string{"query /limit maximum"}},
		{"limit=99999999999999999999", []string{"query /limit maximum"}},
		{"limit=1e1", []string{"query /limit type"}},
		{"limit=2.0", []string{"query /limit type"}},
		{"limit=+5", []string{"query /limit type"}},
		{"limit=%2B5", []string{"query /limit type"}},
		{"limit=%205", []string{"query /limit type"}},
		{"limit=5%20", []string{"query /limit type"}},
		{"limit=020", []string{"query /limit type"}},
		{"limit=0x10", []string{"query /limit type"}},
		{"limit=1_0", []string{"query /limit type"}},
		{"limit=%D9%A5", []string{"query /limit type"}},
		{"limit=", []string{"query /limit type"}},
		{"limit", []string{"query /limit type"}},
		{"limit=null", []string{"query /limit type"}},
		{"limit=%2220%22", []string{"query /limit type"}},
		{"limit=1&limit=1", []string{"query /limit repeated"}},
		{"limit=1&%6Cimit=2", []string{"query /limit repeated"}},
		{"limit=1&limit=1&limit=1", []string{"query /limit repeated"}},

		{"needsAttention=true", nil},
		{"needsAttention=false", nil},
		{"needsAttention=TRUE", []string{"query /needsAttention type"}},
		{"needsAttention=1", []string{"query /needsAttention type"}},
		{"needsAttention=t", []string{"query /needsAttention type"}},
		{"needsAttention=%22true%22", []string{"query /needsAttention type"}},
		{"needsAttention=", []string{"query /needsAttention type"}},

		{"amountFrom=-100", nil},
		{"amountFrom=0", nil},
		{"amountFrom=-0", nil},
		{"amountFrom=1.10", nil},
		{"amountFrom=1e2", nil},
		{"amountTo=9999999999999.99", nil},
		{"amountTo=9999999999999.991", []string{"query /amountTo decimal"}},
		{"amountTo=1e400", []string{"query /amountTo maximum"}},
		{"amountTo=1e-400", []string{"query /amountTo decimal"}},
		{"amountFrom=10000000000000", []string{"query /amountFrom maximum"}},
		{"amountFrom=%2B1", []string{"query /amountFrom type"}},
		{"amountFrom=01", []string{"query /amountFrom type"}},
		{"amountFrom=.5", []string{"query /amountFrom type"}},
		{"amountFrom=NaN", []string{"query /amountFrom type"}},
		{"amountFrom=Infinity", []string{"query /amountFrom type"}},
		{"amountFrom=1,00", []string{"query /amountFrom type"}},
		{"amountFrom=%221%22", []string{"query /amountFrom type"}},
		{"amountFrom=", []string{"query /amountFrom type"}},
		{"amountFrom=2&amountTo=1", []string{"query /amountTo minimum"}},
		{"amountFrom=1&amountTo=1", nil},

		{"accountIds=[]", nil},
		{"accountIds=%5B%22" + id + "%22%5D", nil},
		{`accountIds=["` + id + `"]`, nil},
		{`accountIds=["` + id + `","` + id + `"]`, nil},
		{`accountIds=["unknown"]`, nil},
		{"accountIds=" + id, []string{"query /accountIds format"}},
		{"accountIds=" + id + "," + id, []string{"query /accountIds format"}},
		{`accountIds="` + id + `"`, []string{"query /accountIds format"}},
		{"accountIds=", []string{"query /accountIds format"}},
		{"accountIds=null", []string{"query /accountIds format"}},
		{"accountIds={}", []string{"query /accountIds format"}},
		{`accountIds=["a"`, []string{"query /accountIds format"}},
		{`accountIds=["a"]x`, []string{"query /accountIds format"}},
		{`accountIds=["a",]`, []string{"query /accountIds format"}},
		{`accountIds=[1,null,"a",["b"]]`, []string{"query /accountIds/0 type", "query /accountIds/1 nullable",
			"query /accountIds/3 type"}},
		{`accountIds=["\u0000"]`, []string{"query /accountIds/0 pattern"}},
		{`accountIds=["\ud800"]`, []string{"query /accountIds format"}},
		{`accountIds=["%FF"]`, []string{"query /accountIds format"}},
		{"accountIds[0]=a", []string{"query /accountIds[0] unknown"}},
		{"accountIds[]=a&accountIds[]=b", []string{"query /accountIds[] unknown"}},
		{`accountIds=["a"]&accountIds=["b"]`, []string{"query /accountIds repeated"}},
		{"accountIds=" + strings.Repeat("[", 100), []string{"query /accountIds format"}},

		{"query=coffee", nil},
		{"query=%22coffee%22", nil},
		{"query=%25_%5C'%3B--", nil},
		{"query=%20", nil},
		{"query=a%26b%3Dc", nil},
		{"query=", []string{"query /query minLength"}},
		{"query=" + long, []string{"query /query maxLength"}},
		{"query=a%00b", []string{"query /query pattern"}},
		{"query=%FF", []string{"query /query format"}},
		{"query=%ED%A0%80", []string{"query /query format"}},
		{"query=a&query=a", []string{"query /query repeated"}},
		{"query=" + words(32), nil},
		{"query=" + words(33), []string{"query /query maxItems"}},
		{"query=" + strings.Repeat("a+", 40), nil}, // one word, forty times

		{"counterpartyId=" + uuid.NewString(), nil},
		{"counterpartyId=nope", nil},
		{"counterpartyId=", []string{"query /counterpartyId minLength"}},
		{"counterpartyId=%00", []string{"query /counterpartyId pattern"}},
		{"categoryPath=expense", nil},
		{"categoryPath=uncategorized", nil},
		{"categoryPath=expense.nonsense", []string{"query /categoryPath enum"}},
		{"categoryPath=%22expense%22", []string{"query /categoryPath enum"}},

		{"dateField=primary", nil},
		{"dateField=authorized", nil},
		{"dateField=processed", nil},
		{"dateField=authorized_at", []string{"query /dateField enum"}},
		{"dateField=Primary", []string{"query /dateField enum"}},
		{"dateField=", []string{"query /dateField enum"}},
		{"dateFrom=2026-01-01&dateTo=2026-12-31", nil},
		{"dateFrom=2026-01-01&dateTo=2026-01-01", nil},
		{"dateFrom=2026-01-02&dateTo=2026-01-01", []string{"query /dateTo minimum"}},
		{"dateFrom=2026-03-31T00:00:00Z", nil},
		{"dateFrom=2026-03-31T00:00", nil},
		{"dateFrom=2026-03-31T00:00:00.123456789Z", nil},
		{"dateFrom=2026-03-31T00:00:00%2B02:00", nil},
		{"dateFrom=2026-03-31T00:00:00+02:00", []string{"query /dateFrom format"}}, // + is a space
		{"dateFrom=2024-02-29", nil},
		{"dateFrom=0001-01-01&dateTo=9999-12-31", nil},
		{"dateFrom=9999-12-31T23:59:59.999999999Z", nil},
		{"dateTo=9999-12-31T23:59:59.999999999Z", nil},
		{"dateTo=0001-01-01T00:00:00Z", nil},
		{"dateFrom=9999-12-31T23:59:59-01:00", []string{"query /dateFrom format"}},
		{"dateFrom=0001-01-01T00:00:00%2B01:00", []string{"query /dateFrom format"}},
		{"dateFrom=2025-02-29", []string{"query /dateFrom format"}},
		{"dateFrom=2026-1-1", []string{"query /dateFrom format"}},
		{"dateFrom=20260101", []string{"query /dateFrom format"}},
		{"dateFrom=2026-01", []string{"query /dateFrom format"}},
		{"dateFrom=2026-01-01%2000:00:00", []string{"query /dateFrom format"}},
		{"dateFrom=2026-01-01T24:00:00Z", []string{"query /dateFrom format"}},
		{"dateFrom=%222026-01-01%22", []string{"query /dateFrom format"}},
		{"dateFrom=1767225600", []string{"query /dateFrom format"}},
		{"dateFrom=infinity", []string{"query /dateFrom format"}},
		{"dateFrom=", []string{"query /dateFrom format"}},

		{"cursor=", []string{"query /cursor minLength"}},
		{"cursor=x", []string{"query /cursor format"}},
		{"cursor=%00", []string{"query /cursor pattern"}},
		{"cursor=" + strings.Repeat("A", 44), []string{"query /cursor format"}},

		{"Limit=1", []string{"query /Limit unknown"}},
		{"page=2", []string{"query /page unknown"}},
		{"=1", []string{"query / unknown"}},
		{"filter[z]=q", []string{"query /filter[z] unknown"}},
		{"a/b~c=1", []string{"query /a~1b~0c unknown"}},
		{"limit=0&page=2&query=", []string{"query /limit minimum", "query /page unknown", "query /query minLength"}},

		{"limit=%zz", []string{"query  format"}},
		{"%zz=1", []string{"query  format"}},
		{"limit=%", []string{"query  format"}},
		{"limit=1;query=a", []string{"query  format"}},
		{"limit=1&query=a;b", []string{"query  format"}},
		{"query=a%3Bb", nil},
	} {
		got := o.get(o.path + "/transactions?" + test.query)
		if test.want == nil {
			if got.status != 200 {
				t.Errorf("?%s: %d %s", test.query, got.status, got.body)
			}
			continue
		}
		if got.status != 422 {
			t.Errorf("?%s: %d %s", test.query, got.status, got.body)
			continue
		}
		if diff := cmp.Diff(test.want, got.issues()); diff != "" {
			t.Errorf("?%s: %s", test.query, diff)
		}
	}
}

// words are n different words as a query value.
func words(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("w%d", i))
	}
	return strings.Join(list, "+")
}

func TestEveryOperationRefusesQueryParametersThatItDoesNotHave(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	for _, op := range o.calls() {
		op.more = url.Values{"notAParameter": {"1"}}
		got := o.call(op)
		if got.status != 422 {
			t.Errorf("%s: %d %s", op, got.status, got.body)
			continue
		}
		if diff := cmp.Diff([]string{"query /notAParameter unknown"}, got.issues()); diff != "" {
			t.Errorf("%s: %s", op, diff)
		}
	}
	if diff := cmp.Diff([]string{"query /x unknown"}, o.post("/auth/partner?x=1", nil).want(422).issues()); diff != "" {
		t.Error(diff)
	}
}

func TestTheOtherListsJudgeTheirParameters(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	for path, want := range map[string][]string{
		"/accounts?includeInactive=true":  nil,
		"/accounts?includeInactive=false": nil,
		"/accounts?includeInactive=yes": {
			"query /includeInactive type"},
		"/accounts?includeInactive=": {
			"query /includeInactive type"},
		"/accounts?includeInactive=true&includeInactive=true": {
			"query /includeInactive repeated"},
		"/accounts?limit=1000": nil,
		"/accounts?limit=1001": {"query /limit maximum"},
		"/counterparties?relationship=supplier&type=company&limit=50": nil,
		"/counterparties?relationship=tax_authority&type=non-profit":  nil,
		"/counterparties?relationship=vendor&type=corp&limit=51": {
			"query /relationship enum", "query /type enum", "query /limit maximum"},
		"/counterparties?relationship=%5B%22supplier%22%5D": {
			"query /relationship enum"},
		"/counterparties?cursor=x": {
			"query /cursor format"},
		"/counterparties?query=%00": {
			"query /query pattern"},
		"/counterparties?query=" + words(33): {
			"query /query maxItems"},
		"/outstanding-issues?objectType=company&limit=1": nil,
		"/outstanding-issues?objectType=account": {
			"query /objectType enum"},
		"/outstanding-issues?objectType=": {
			"query /objectType enum"},
		"/outstanding-issues?limit=0": {
			"query /limit minimum"},
		"/outstanding-issues?cursor=x": {
			"query /cursor format"},
		"/reports/cashflow": {
			"query /endDate required", "query /startDate required"},
		"/reports/cashflow?startDate=x&endDate=": {
			"query /startDate format", "query /endDate format"},
		"/reports/pnl?startDate=2026-01-01": {
			"query /endDate required"},
		"/reports/pnl?startDate=2026-01-01&endDate=2026-02-01&x=": {
			"query /x unknown"},
		"/reports/pnl?startDate=2026-01-01&endDate=2026-02-01&periodLimit=0": {
			"query /periodLimit minimum"},
		"/reports/pnl?startDate=2026-01-01&endDate=2026-02-01&periodLimit=1.0": {
			"query /periodLimit type"},
		"/reports/pnl?startDate=2026-01-01&endDate=2026-02-01&periodGrouping=year": {
			"query /periodGrouping enum"},
		"/reports/pnl?startDate=2026-01-01&endDate=2026-02-01&dateField=primary": {
			"query /dateField enum"},
		"/reports/pnl?startDate=2026-01-01&endDate=2026-02-01&counterpartyIds=[]": {
			"query /counterpartyIds unknown"},
		"/reports/pnl?startDate=2026-01-01&endDate=2026-02-01&ontologyKey=us.schedule_c": {
			"query /ontologyKey unknown"},
		"/reports/pnl?startDate=2026-01-01&endDate=2026-02-01&categoryNames=Advertising": {
			"query /categoryNames format"},
		`/reports/pnl?startDate=2026-01-01&endDate=2026-02-01&categoryPaths=["expense.advertising"]`: {"query /categoryPaths/0 type"},
		`/reports/cashflow?startDate=2026-01-01&endDate=2026-02-01&counterpartyIds=[1]`:              {"query /counterpartyIds/0 type"},
	} {
		got := o.get(o.path + path)
		if want == nil {
			if got.status != 200 {
				t.Errorf("%s: %d %s", path, got.status, got.body)
			}
			continue
		}
		if got.status != 422 {
			t.Errorf("%s: %d %s", path, got.status, got.body)
			continue
		}
		if diff := cmp.Diff(want, got.issues()); diff != "" {
			t.Errorf("%s: %s", path, diff)
		}
	}
}

func TestAMessageTellsHowArraysAreWritten(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	got := o.get(o.path + "/transactions?accountIds[0]=a").want(422)
	if message := got.text("issues", 0, "message"); !strings.Contains(message, `["a","b"]`) {
		t.Errorf("message is %q", message)
	}
}

func TestTwentyRowsAreTheDefaultLimit(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	var rows []M
	for i := range 51 {
		rows = append(rows, transaction(fmt.Sprintf("t%d", i), "1", "2026-01-01", "d"))
	}
	o.upload(o.uploadAccount("a1"), rows...)
	for query, want := range map[string]int{"": 20, "?limit=1": 1, "?limit=50": 50} {
		if got := o.get(o.path + "/transactions" + query).size("transactions"); got != want {
			t.Errorf("%s: %d rows, want %d", query, got, want)
		}
	}
}

func TestACursorOfOtherFiltersAnotherListOrBusinessIs422(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o, other := a.open(), a.open()
	for _, each := range []*office{o, other} {
		each.upload(each.uploadAccount("a1"), transaction("t1", "1", "2026-01-01", "word"),
			transaction("t2", "1", "2026-01-02", "word"), transaction("t3", "1", "2026-01-03", "word"))
	}
	cursor := o.get(o.path + "/transactions?limit=1&query=word").text("nextCursor")
	at := "&cursor=" + url.QueryEscape(cursor)
	o.get(o.path + "/transactions?limit=2&query=word" + at).want(200) // the limit may change
	for _, filter := range []string{"", "query=other", "query=word&dateField=processed", "query=word&amountFrom=0",
		"query=word&dateFrom=2026-01-01", "query=word&needsAttention=false", "query=word&accountIds=[\"x\"]"} {
		got := o.get(o.path + "/transactions?" + filter + at).want(422)
		if diff := cmp.Diff([]string{"query /cursor format"}, got.issues()); diff != "" {
			t.Errorf("%s: %s", filter, diff)
		}
	}
	o.get(o.path + "/counterparties?" + at[1:]).want(422)
	o.get(o.path + "/outstanding-issues?" + at[1:]).want(422)
	for _, broken := range []string{cursor[1:], cursor + "A", strings.ToLower(cursor), cursor + "=", "." + cursor,
		cursor + "!"} {
		o.get(o.path + "/transactions?query=word&cursor=" + url.QueryEscape(broken)).want(422)
	}

	o.uploadAccount("a2")
	for _, list := range []string{"accounts", "transactions"} {
		next := o.get(o.path + "/" + list + "?limit=1").want(200).text("nextCursor")
		o.get(o.path + "/" + list + "?cursor=" + url.QueryEscape(next)).want(200)
		got := other.get(other.path + "/" + list + "?cursor=" + url.QueryEscape(next)).want(422)
		if diff := cmp.Diff([]string{"query /cursor format"}, got.issues()); diff != "" {
			t.Errorf("%s of another business: %s", list, diff)
		}
	}
}

func TestPathSegmentsAreDecodedOnce(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	account := o.uploadAccount("a1")
	id := o.upload(account, transaction("t1", "1", "2026-01-01", "d"))["t1"]
	encoded := fmt.Sprintf("%%%02X%s", id[0], id[1:])
	twice := "%25" + encoded[1:]
	transactions := o.path + "/transactions/"
	for path, want := range map[string]int{
		transactions + id:      200,
		transactions + encoded: 200,
		transactions + strings.ReplaceAll(id, "-", "%2D"):     200,
		transactions + strings.ToUpper(id):                    200,
		transactions + twice:                                  404,
		transactions + "%25zz":                                404,
		transactions + "a%2Fb":                                404,
		transactions + "%2F":                                  404,
		transactions + "..%2F..%2Fprofile":                    404,
		transactions + "%20" + id:                             404,
		transactions + id + "%20":                             404,
		transactions + "%7B" + id + "%7D":                     404,
		transactions + "urn:uuid:" + id:                       404,
		transactions + strings.ReplaceAll(id, "-", ""):        404,
		transactions + "'%20OR%201=1":                         404,
		transactions + "%F0%9F%98%80":                         404,
		transactions + strings.Repeat("x", 257):               422,
		transactions + "%00":                                  422,
		transactions + id + "%00":                             422,
		transactions + "%FF":                                  422,
		o.path + "/counterparties/nope":                       404,
		o.path + "/counterparties/%2525":                      404,
		o.path + "/counterparties/%00":                        422,
		"/organizations/%7B" + o.organization + "%7D/profile": 422,
		"/organizations/" + strings.ReplaceAll(o.organization, "-", "%2D") + "/profile": 200,
		"/organizations/" + strings.ToUpper(o.organization) + "/profile":                200,
		"/organizations/%25" + o.organization + "/profile":                              422,
		"/organizations/%00/profile":                                                    422,
		"/organizations/%FF/profile":                                                    422,
		"/organizations/" + strings.ReplaceAll(o.organization, "-", "") + "/profile":    422,
		"/organizations/" + o.organization + "%2Fprofile":                               404,
	} {
		if got := o.get(path); got.status != want {
			t.Errorf("%s: %d, want %d: %s", path, got.status, want, got.body)
		}
	}
	o.delete(o.path + "/transactions/nope").want(422)
	o.delete(o.path + "/accounts/%7B" + account + "%7D").want(422)
	o.delete(transactions + twice).want(422)
	o.delete(transactions + encoded).want(200)
}

func TestAnIssueIDIsTextAndAnUnknownOneIs404(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	for id, want := range map[string]int{uuid.NewString(): 404, "nope": 404, "%2525": 404, "a%2Fb": 404, "%00": 422,
		strings.Repeat("x", 257): 422} {
		if got := o.post(o.path+"/outstanding-issues/"+id+"/answers", M{"answer": "yes"}); got.status != want {
			t.Errorf("%s: %d, want %d: %s", id, got.status, want, got.body)
		}
	}
}
