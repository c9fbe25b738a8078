package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	client "bizfin.example/client"
	"bizfin/internal/partnertoken"
	"bizfin/server"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// startWorker runs what `bizfin work` runs and returns the address of its metrics.
func startWorker(t *testing.T) string {
	t.Helper()
	s := settings{DatabaseURL: storetest.DatabaseURL(t), RedisURL: storetest.RedisURL(t), DatabaseConnections: 4,
		RequestTimeout: time.Second,
		MemoryLimit:    64 << 20, SecretKey: storetest.SecretKey(t), MetricsAddr: "127.0.0.1:0", FreeMonthly: 1000}
	if err := s.check(needDatabase, needRedis, needKeys); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	listening, stopped := make(chan net.Addr, 1), make(chan error, 1)
	go func() {
		stopped <- work(ctx, s, slog.New(slog.DiscardHandler), worker.NewMetrics(),
			func(addr net.Addr) { listening <- addr })
	}()
	t.Cleanup(func() {
		stop()
		if err := <-stopped; err != nil {
			t.Errorf("the worker did not stop cleanly: %v", err)
		}
	})
	select {
	case addr := <-listening:
		return "http://" + addr.String()
	case err := <-stopped:
		stopped <- err
		t.Fatalf("the worker did not start: %v", err)
		return ""
	}
}

func read(t *testing.T, url string) string {
	t.Helper()
	response, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != 200 {
		t.Fatalf("%s: %s %v", url, response.Status, err)
	}
	return string(text)
}

// until fails the test where something does not become true in time.
func until(t *testing.T, what string, isTrue func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !isTrue(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("not within 2 min: %s", what)
		}
	}
}

// uploadUnder uploads a row in a trace of the sender's, and one upload that is refused. It returns the trace's id.
func uploadUnder(t *testing.T, f *flow) trace.TraceID {
	t.Helper()
	id := trace.TraceID(uuid.New())
	c := f.as("ana", partnertoken.Business{ID: uuid.NewString(), Name: "Traced", Role: "owner"})
	connected := f.connect(c)
	accounts, err := c.UploadAccountsWithResponse(t.Context(), *connected.OrganizationId, nil,
		client.AccountUpload{SourceId: *connected.SourceId, Accounts: []client.UploadedAccount{
			{ExternalId: "a", Name: "A", Type: client.AccountTypeDepository, Currency: "USD", CurrentBalance: "0"},
		}})
	if err != nil || accounts.JSON200 == nil {
		t.Fatalf("accounts: %v %s", err, accounts.Body)
	}
	inTrace := func(_ context.Context, r *http.Request) error {
		r.Header.Set("traceparent", fmt.Sprintf("00-%s-00f067aa0ba902b7-01", id))
		return nil
	}
	answer, err := c.UploadTransactionsWithResponse(t.Context(), *connected.OrganizationId,
		accounts.JSON200.Accounts[0].Id, nil, client.TransactionUpload{Transactions: []client.UploadedTransaction{
			{ExternalId: "1", Amount: json.Number("-12.99"), Date: "2026-01-01",
				Description: "ADOBE *CREATIVE CLOUD 408-536-6000 CA"},
		}}, inTrace)
	if err != nil || answer.JSON200 == nil {
		t.Fatalf("upload: %v %s", err, answer.Body)
	}
	refused, err := c.UploadTransactionsWithResponse(t.Context(), *connected.OrganizationId,
		accounts.JSON200.Accounts[0].Id, nil, client.TransactionUpload{})
	if err != nil || refused.JSON422 == nil {
		t.Fatalf("an upload of nothing: %v %s", err, refused.Body)
	}
	return id
}

// recorded are the spans of the process from now on; it is done once, because tracers keep their first provider.
var recorded = sync.OnceValue(func() *tracetest.InMemoryExporter {
	spans := tracetest.NewInMemoryExporter()
	if _, err := traceTo(context.Background(), "bizfin-test", sdk.WithSyncer(spans)); err != nil {
		panic(err)
	}
	return spans
})

// One upload, seen from outside: its trace goes through the queue to the worker, and both processes show their numbers.
func TestAnUploadIsOneTraceAndIsCountedByBothProcesses(t *testing.T) {
	spans := recorded()
	f, worked := startService(t), startWorker(t)
	theirs := uploadUnder(t, f)
	var request tracetest.SpanStub // in a trace of its own, which names the sender's
	name := "POST " + server.BasePath + "/organizations/:organization_id/accounts/:account_id/transactions"
	for _, span := range spans.GetSpans() {
		if span.Name == name && len(span.Links) == 1 && span.Links[0].SpanContext.TraceID() == theirs {
			request = span
		}
	}
	if !request.SpanContext.IsValid() || request.SpanContext.TraceID() == theirs || request.Parent.IsValid() {
		t.Fatalf("the request has no trace of its own with a link to its sender's: %v", spans.GetSpans().Snapshots())
	}
	find := func(name string) (found tracetest.SpanStub, ok bool) {
		for _, span := range spans.GetSpans() {
			if span.SpanContext.TraceID() == request.SpanContext.TraceID() && span.Name == name {
				return span, true
			}
		}
		return found, false
	}
	until(t, "the worker's span is in the upload's trace", func() bool { _, ok := find("worker.process"); return ok })
	processed, _ := find("worker.process")
	if processed.Parent.SpanID() != request.SpanContext.SpanID() {
		t.Error("the worker's span does not follow from the request's")
	}
	attributes := map[string]string{}
	for _, a := range processed.Attributes {
		attributes[string(a.Key)] = a.Value.String()
	}
	if attributes["bizfin.rows"] != "1" || attributes["bizfin.batches"] != "1" ||
		attributes["bizfin.organization_id"] == "" {
		t.Errorf("the worker's span says %v", attributes)
	}
	if service, _ := processed.Resource.Set().Value("service.name"); service.AsString() != "bizfin-test" {
		t.Errorf("the service is called %q", service.AsString())
	}

	api, background := read(t, strings.TrimSuffix(f.url, server.BasePath)+"/metrics"), read(t, worked+"/metrics")
	build := thisBuild()
	info := fmt.Sprintf(`bizfin_build_info{goversion=%q,revision=%q,version=""} 1`, build.compiler, build.revision)
	for _, shown := range []string{api, background} {
		if !strings.Contains(shown, info) {
			t.Errorf("no %s", info)
		}
	}
	for text, in := range map[string]string{
		`bizfin_uploads_total{kind="transactions",result="accepted"} 1`: api,
		`bizfin_uploaded_rows_total{kind="transactions"} 1`:             api,
		`bizfin_pending_events `:                                        api + background,
		`bizfin_decisions_total{source="merchant"} 1`:                   background,
		`bizfin_processing_lag_seconds_count `:                          background,
		`go_sql_open_connections{db_name="bizfin"}`:                     background,
	} {
		if !strings.Contains(in, text) {
			t.Errorf("no %s in\n%s", text, in)
		}
	}
	if got := read(t, worked+"/healthz"); got != "{\"status\":\"ok\"}\n" {
		t.Errorf("health is %s", got)
	}
	for _, shown := range []string{api, background} {
		problems, err := promlint.New(strings.NewReader(shown)).Lint()
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range problems {
			if strings.HasPrefix(p.Metric, "bizfin_") {
				t.Errorf("%s: %s", p.Metric, p.Text)
			}
		}
	}
	checkDashboardAndAlerts(t, api+background)
}

// A sender's trace is named and neither gone on with nor asked whether it is sampled: whoever may send a header does
// not choose what operators see.
func TestASenderChoosesNoTraceAndNoSampling(t *testing.T) {
	spans := recorded()
	listening := httptest.NewServer(traced(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})))
	defer listening.Close()
	for _, flags := range []string{"00", "01"} {
		theirs := trace.TraceID(uuid.New())
		r, err := http.NewRequestWithContext(t.Context(), "GET", listening.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("traceparent", fmt.Sprintf("00-%s-00f067aa0ba902b7-%s", theirs, flags))
		answerOf(t, r)
		var seen []tracetest.SpanStub
		until(t, "the request's span is there", func() bool {
			seen = slices.DeleteFunc(spans.GetSpans(), func(s tracetest.SpanStub) bool {
				return len(s.Links) != 1 || s.Links[0].SpanContext.TraceID() != theirs
			})
			return len(seen) == 1
		})
		if c := seen[0].SpanContext; c.TraceID() == theirs || !c.IsSampled() || seen[0].Parent.IsValid() {
			t.Errorf("with the flags %s the span is %+v", flags, seen[0])
		}
	}
}

// What is for operators is not at the address of callers, not even as a door to knock at.
func TestMetricsAndTheConsoleAreAtTheirOwnAddressAlone(t *testing.T) {
	const password = "the operators own password"
	elsewhere := "http://" + freeAddress(t)
	f := startServiceWith(t, storetest.RedisURL(t), func(s *settings) {
		s.MetricsAddr, s.OperatorPassword = strings.TrimPrefix(elsewhere, "http://"), password
	})
	together := startServiceWith(t, storetest.RedisURL(t), func(s *settings) { s.OperatorPassword = password })
	own, one := strings.TrimSuffix(f.url, server.BasePath), strings.TrimSuffix(together.url, server.BasePath)
	for _, c := range []struct {
		at, path string
		operator bool
		want     int
	}{
		{own, "/healthz", false, 200}, {own, "/readyz", false, 200}, {own, "/metrics", false, 404},
		{own, "/queues", true, 404}, {own, "/queues/", false, 404}, {own, "/queues/api/queues", true, 404},
		{elsewhere, "/metrics", false, 200}, {elsewhere, "/healthz", false, 200},
		{elsewhere, "/queues/api/queues", false, 401}, {elsewhere, "/queues/api/queues", true, 200},
		{elsewhere, "/", false, 404}, {elsewhere, server.BasePath + "/openapi.json", false, 404},
		{elsewhere, "/mcp", false, 404}, {elsewhere, "/debug/pprof/", false, 404},
		{one, "/metrics", false, 200}, {one, "/healthz", false, 200}, {one, "/queues/api/queues", false, 401},
		{one, "/queues/api/queues", true, 200},
	} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", c.at+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.operator {
			r.SetBasicAuth("operator", password)
		}
		if got := answerOf(t, r); !strings.HasPrefix(got, fmt.Sprint(c.want)) {
			t.Errorf("%s at %v as operator %v is answered %.200s, want %d", c.path, c.at, c.operator, got, c.want)
		}
	}
	counted := `bizfin_http_requests_total{method="GET",route="/healthz"`
	if shown := read(t, elsewhere+"/metrics"); !strings.Contains(shown, counted) {
		t.Errorf("of the API's own numbers it shows %.2000s", shown)
	}
}

var (
	quoted     = regexp.MustCompile(`"(\\.|[^"\\])*"|\$__\w+`)
	metricName = regexp.MustCompile(`\b[a-z]+_[a-z0-9_]+\b`)
	grouping   = regexp.MustCompile(`\b(by|without)\s*\([^)]*\)`)
	function   = regexp.MustCompile(`\b[a-z_]+\s*\(`)
	matchers   = regexp.MustCompile(`\{[^}]*\}`)
)

// checkDashboardAndAlerts fails the test where an expression names a metric that no process shows.
func checkDashboardAndAlerts(t *testing.T, shown string) {
	t.Helper()
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "deploy", "grafana", "bizfin.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &dashboard); err != nil {
		t.Fatal(err)
	}
	exprs := alertExpressions(t)
	for _, panel := range dashboard.Panels {
		for _, target := range panel.Targets {
			exprs[panel.Title] += " " + target.Expr
		}
	}
	if len(exprs) < 20 {
		t.Fatalf("only %d expressions were found", len(exprs))
	}
	for title, expr := range exprs {
		for _, cut := range []*regexp.Regexp{quoted, matchers, grouping, function} {
			expr = cut.ReplaceAllString(expr, " ")
		}
		names := metricName.FindAllString(expr, -1)
		if len(names) == 0 {
			t.Errorf("%s names no metric", title)
		}
		for _, name := range names {
			if !strings.Contains(shown, "\n"+name+" ") && !strings.Contains(shown, "\n"+name+"{") {
				t.Errorf("%s: nobody shows %s", title, name)
			}
		}
	}
}
