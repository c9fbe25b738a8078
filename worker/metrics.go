package worker

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"bizfin/store"
)

// Metrics count what one process of workers does. They are a prometheus.Collector, to be registered by whoever serves
// them. No label holds anything of a business.
type Metrics struct {
	rows      prometheus.Counter
	asked     prometheus.Counter
	decisions *prometheus.CounterVec // by source
	snapshots *prometheus.CounterVec // by result
	failures  *prometheus.CounterVec // by task
	removed   *prometheus.CounterVec // by kind
	batch     prometheus.Histogram
	lag       prometheus.Histogram
}

// The values of labels beside the sources of categories.
const (
	sourceNone = "none" // left without a category
	sourceKept = "kept" // it had one, which stays

	snapshotApplied = "applied"
	snapshotSkipped = "skipped"
	snapshotDead    = "dead"

	taskTurn      = "organization:turn" // the queue's own word: it has a business processed for a turn
	taskRelay     = "relay"
	taskSnapshots = "snapshots"
	taskRollUp    = "rollup"
	taskWords     = "words"
	taskCounts    = "counts"
	taskStanding  = "standing"
	taskFeeds     = "feeds"
	taskRetention = "retention"
	taskBilling   = "billing"
)

// The kinds of what is removed.
const (
	removedSnapshots = "snapshots"
	removedTokens    = "tokens"
	removedQuestions = "questions"
	removedAnswered  = "answered"
	removedTexts     = "texts"
	removedAudit     = "audit"
	removedDeleted   = "deleted"
	removedBusiness  = "businesses"
	removedGrants    = "grants"
	removedSignIns   = "sign-ins"
	removedClients   = "clients"
)

// NewMetrics makes counters that stand at zero, with every value a label can have.
func NewMetrics() *Metrics {
	m := &Metrics{
		rows: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bizfin_processed_rows_total",
			Help: "Transactions whose processing was stored; one that is queued again counts again.",
		}),
		asked: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "bizfin_doubtful_rows_total",
			Help: "Processed transactions that give reason for a question. Many share one question, and a small " +
				"one alone is not asked about.",
		}),
		decisions: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bizfin_decisions_total",
			Help: "Stored decisions by what gave the category: rule, memory, merchant, model; none left the row " +
				"without one, kept left the one it had.",
		}, []string{"source"}),
		snapshots: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bizfin_snapshots_processed_total",
			Help: "Account snapshots of the webhook by result: applied, skipped because the person has no " +
				"mapping, or dead: given up after many attempts.",
		}, []string{"result"}),
		failures: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bizfin_task_failures_total",
			Help: "Attempts that failed, by task; all are tried again.",
		}, []string{"task"}),
		removed: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "bizfin_removed_total",
			Help: "What was removed because it had ended, by kind: snapshots of the webhook, tokens, questions " +
				"that closed by themselves, and texts that rows had before.",
		}, []string{"kind"}),
		batch: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "bizfin_processing_batch_duration_seconds",
			Help:    "What it took to read, decide and store one batch of rows of an account.",
			Buckets: []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10},
		}),
		lag: prometheus.NewHistogram(prometheus.HistogramOpts{
			Name:    "bizfin_processing_lag_seconds",
			Help:    "From the acceptance of an upload until all its effects were stored.",
			Buckets: []float64{0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600},
		}),
	}
	for _, source := range []string{"rule", "memory", "merchant", "model", sourceNone, sourceKept} {
		m.decisions.WithLabelValues(source)
	}
	for _, result := range []string{snapshotApplied, snapshotSkipped, snapshotDead} {
		m.snapshots.WithLabelValues(result)
	}
	for _, task := range []string{taskTurn, taskRelay, taskSnapshots, taskRollUp, taskWords, taskCounts, taskStanding,
		taskFeeds, taskRetention, taskBilling} {
		m.failures.WithLabelValues(task)
	}
	for _, kind := range []string{removedSnapshots, removedTokens, removedQuestions, removedTexts} {
		m.removed.WithLabelValues(kind)
	}
	return m
}

func (m *Metrics) all() []prometheus.Collector {
	return []prometheus.Collector{m.rows, m.asked, m.decisions, m.snapshots, m.failures, m.removed, m.batch, m.lag}
}

// Describe is that of prometheus.Collector.
func (m *Metrics) Describe(descriptions chan<- *prometheus.Desc) {
	for _, c := range m.all() {
		c.Describe(descriptions)
	}
}

// Collect is that of prometheus.Collector.
func (m *Metrics) Collect(metrics chan<- prometheus.Metric) {
	for _, c := range m.all() {
		c.Collect(metrics)
	}
}

// processed counts what became of a batch and how long it took.
func (m *Metrics) processed(result store.BatchResult, took time.Duration) {
	m.batch.Observe(took.Seconds())
	if result.Ended {
		m.lag.Observe(max(0, result.Waited.Seconds()))
	}
	m.rows.Add(float64(len(result.Rows)))
	for _, d := range result.Rows {
		if d.Question != nil {
			m.asked.Inc()
		}
		switch {
		case d.Row.CategoryID != nil:
			m.decisions.WithLabelValues(sourceKept).Inc()
		case !d.Established:
			m.decisions.WithLabelValues(sourceNone).Inc()
		default:
			m.decisions.WithLabelValues(d.Source).Inc()
		}
	}
}
