package server

import (
	"database/sql"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"bizfin/server/limit"
	"bizfin/server/validate"
)

// metrics count what the API answers. No label holds a caller's text or anything of a business.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	uploads  *prometheus.CounterVec // by kind and result
	rows     *prometheus.CounterVec // by kind
	problems *prometheus.CounterVec // by code
	limited  *prometheus.CounterVec // by partner, kind and limit
}

// The kinds of uploads.
const (
	kindAccounts     = "accounts"
	kindTransactions = "transactions"
	kindSnapshots    = "snapshots" // of the legacy webhook
)

// uploadRoutes are where uploads come in.
var uploadRoutes = map[string]string{
	BasePath + "/organizations/:organization_id/accounts":                          kindAccounts,
	BasePath + "/organizations/:organization_id/accounts/:account_id/transactions": kindTransactions,
	webhookRoute: kindSnapshots,
}

func newMetrics(db *sql.DB, limits *limit.Limiter, others []prometheus.Collector) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bizfin_http_requests_total",
			Help: "Answered requests by method, route and status.",
		}, []string{"method", "route", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "bizfin_http_request_duration_seconds",
			Help:    "What requests took, by method and route.",
			Buckets: []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30},
		}, []string{"method", "route"}),
		uploads: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bizfin_uploads_total",
			Help: "Uploads by kind (accounts, transactions, snapshots) and result: accepted, refused as the " +
				"sender's mistake, or failed.",
		}, []string{"kind", "result"}),
		rows: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bizfin_uploaded_rows_total",
			Help: "Records in accepted uploads, by kind; unchanged ones count too.",
		}, []string{"kind"}),
		problems: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bizfin_validation_issues_total",
			Help: "Issues told to callers, by code.",
		}, []string{"code"}),
		limited: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bizfin_limited_requests_total",
			Help: "Requests answered 429, by whose limit it was (partner, organization, agent, address), which " +
				"(rate, in_flight), and the partner; empty where there is none.",
		}, []string{"of", "limit", "partner"}),
	}
	for _, kind := range uploadRoutes {
		for _, result := range []string{"accepted", "refused", "failed"} {
			m.uploads.WithLabelValues(kind, result)
		}
		m.rows.WithLabelValues(kind)
	}
	shared := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "bizfin_limits_shared",
		Help: "1 while limits are counted in Redis by all processes, 0 while this one counts alone.",
	}, func() float64 {
		if limits.Shared() {
			return 1
		}
		return 0
	})
	m.registry.MustRegister(m.requests, m.duration, m.uploads, m.rows, m.problems, m.limited, shared,
		collectors.NewDBStatsCollector(db, "bizfin"),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.registry.MustRegister(others...)
	return m
}

// observe counts one answer, and err behind it. A method that no operation has is the caller's text, so it is not kept.
func (m *metrics) observe(method, route string, status int, took time.Duration, err error) {
	if !methods[method] || route == "none" {
		method = "any"
	}
	m.requests.WithLabelValues(method, route, strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(method, route).Observe(took.Seconds())
	if kind, ok := uploadRoutes[route]; ok && method == http.MethodPost {
		m.uploads.WithLabelValues(kind, resultOf(err)).Inc()
	}
}

// methods are those of the routes.
var methods = map[string]bool{http.MethodGet: true, http.MethodPost: true, http.MethodDelete: true,
	http.MethodOptions: true}

// resultOf goes by the outcome and not by the status: to an invalid snapshot the contract answers 500.
func resultOf(err error) string {
	switch {
	case err == nil:
		return "accepted"
	case failureOf(err) == errFailed:
		return "failed"
	default:
		return "refused"
	}
}

// told counts the problems of an answer.
func (m *metrics) told(problems []validate.Problem) {
	for _, problem := range problems {
		m.problems.WithLabelValues(problem.Code).Inc()
	}
}

// refusedByLimit counts a request beyond a limit, for the partner whose business it was about.
func (m *metrics) refusedByLimit(refused *limit.Refusal, partner string) {
	which := "rate"
	if refused.InFlight {
		which = "in_flight"
	}
	m.limited.WithLabelValues(refused.Kind, which, partner).Inc()
}

// received counts the records of an accepted upload.
func (m *metrics) received(kind string, records int) {
	m.rows.WithLabelValues(kind).Add(float64(records))
}
