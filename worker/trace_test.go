package worker_test

import (
	"testing"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"bizfin/store/storetest"
)

// An event keeps no trace in the database, so the relay begins one: it covers the processing through the queue and
// without it.
func TestARelayedEventHasATraceOfItsOwn(t *testing.T) {
	spans := tracetest.NewInMemoryExporter()
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithSyncer(spans)))
	otel.SetTextMapPropagator(propagation.TraceContext{})
	for _, address := range []string{storetest.RedisURL(t), nowhere} {
		spans.Reset()
		s, now := open(t, "paid"), &clock{}
		c := config(t, now.Now)
		c.Redis = redisOf(t, address)
		s.upload(books(3)...)
		now.Add(6 * time.Second)
		run(t, c)
		byName := map[string]tracetest.SpanStub{}
		eventually(t, "both spans have ended with Redis at "+address, func() bool {
			for _, span := range spans.GetSpans() {
				byName[span.Name] = span
			}
			return len(byName) == 2
		})
		relay, process := byName["worker.relay"], byName["worker.process"]
		if relay.Parent.IsValid() || process.Parent.SpanID() != relay.SpanContext.SpanID() {
			t.Errorf("with Redis at %s the processing follows from %v, the relay from %v", address, process.Parent.SpanID(), relay.Parent.SpanID())
		}
	}
}
