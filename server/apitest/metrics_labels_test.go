package apitest

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/uuid"

	"bizfin/server"
)

// scrape reads /metrics: what stands before each value, and the value.
func (a *api) scrape() map[string]string {
	a.t.Helper()
	response, err := http.Get(a.url + "/metrics")
	if err != nil {
		a.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		a.t.Fatalf("metrics: %d %v", response.StatusCode, err)
	}
	series := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), "} "); ok {
			series[name+"}"] = value
		} else if name, value, ok := strings.Cut(strings.TrimSpace(line), " "); ok && name != "#" {
			series[name] = value
		}
	}
	return series
}

func TestUploadsAreCountedByKindAndResult(t *testing.T) {
	t.Parallel()
	h := startHook(t)
	o := h.open()
	a := o.uploadAccount("a1")
	o.upload(a, transaction("t1", "-1", "2026-01-01", "X"), transaction("t2", "-1", "2026-01-01", "X"))
	o.upload(a, transaction("t1", "-1", "2026-01-01", "X"))
	o.post(o.path+"/accounts/"+a+"/transactions",
		M{"transactions": []M{transaction("t3", "-1", "2026-01-01", strings.Repeat("x", 5000)),
			{"external_id": "t4"}}}).want(422)
	o.post(o.path+"/accounts/"+uuid.NewString()+"/transactions",
		M{"transactions": []M{transaction("t5", "-1", "2026-01-01", "X")}}).want(404)
	o.get(o.path + "/accounts").want(200) // the same path, and no upload
	h.signed(`{"sub": "ana"`).want(500)
	h.snapshot("ana", M{"id": "s1", "name": "S1", "currency": "USD"}, M{"id": "s2", "name": "S2", "currency": "USD"})
	got := h.scrape()
	for series, want := range map[string]string{
		`bizfin_uploads_total{kind="accounts",result="accepted"}`:                                          "1",
		`bizfin_uploads_total{kind="accounts",result="refused"}`:                                           "0",
		`bizfin_uploads_total{kind="transactions",result="accepted"}`:                                      "2",
		`bizfin_uploads_total{kind="transactions",result="refused"}`:                                       "2",
		`bizfin_uploads_total{kind="transactions",result="failed"}`:                                        "0",
		`bizfin_uploads_total{kind="snapshots",result="accepted"}`:                                         "1",
		`bizfin_uploads_total{kind="snapshots",result="refused"}`:                                          "1",
		`bizfin_uploads_total{kind="snapshots",result="failed"}`:                                           "0",
		`bizfin_uploaded_rows_total{kind="accounts"}`:                                                      "1",
		`bizfin_uploaded_rows_total{kind="transactions"}`:                                                  "3",
		`bizfin_uploaded_rows_total{kind="snapshots"}`:                                                     "2",
		`bizfin_validation_issues_total{code="maxLength"}`:                                                 "1",
		`bizfin_validation_issues_total{code="required"}`:                                                  "3",
		`go_sql_max_open_connections{db_name="bizfin"}`:                                                    "16",
		`bizfin_http_request_duration_seconds_count{method="POST",route="/webhooks/:partner_id/accounts"}`: "2",
	} {
		if got[series] != want {
			t.Errorf("%s is %q, want %s", series, got[series], want)
		}
	}
}

// What a caller makes up is in no label, so that nobody can fill the memory of whoever keeps the numbers.
func TestNoCallerMakesLabels(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	strange := func(i int) {
		made := fmt.Sprintf("made-%d-up", i)
		for _, path := range []string{"/" + made, server.BasePath + "/" + made, "/mcp",
			server.BasePath + o.path + "/accounts/" + made} {
			r, err := http.NewRequest(strings.ToUpper(made), o.url+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
		}
		o.get(o.path + "/transactions?" + made + "=1").want(422)
		o.get(o.path + "/transactions/" + made).want(404)
		o.post(o.path+"/accounts", M{made: made}).want(422)
		o.with("X-Service-Partner", made).get(o.path + "/accounts").want(401)
	}
	strange(0)
	o.scrape()
	before := o.scrape()
	for i := range 5 {
		strange(1 + i)
	}
	for series := range o.scrape() {
		if _, known := before[series]; !known {
			t.Errorf("a new series: %s", series)
		}
		if strings.Contains(strings.ToLower(series), "made-") {
			t.Errorf("a caller's text is a label: %s", series)
		}
	}
}
