package worker_test

import (
	"sync"
	"testing"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"bizfin/store/storetest"
)

// recorded are the spans of the process from now on; it is done once, because tracers keep their first provider.
var recorded = sync.OnceValue(func() *tracetest.InMemoryExporter {
	spans := tracetest.NewInMemoryExporter()
	otel.SetTracerProvider(trace.NewTracerProvider(trace.WithSyncer(spans)))
	otel.SetTextMapPropagator(propagation.TraceContext{})
	return spans
})

// An event keeps no trace in the database, so the relay begins one: it covers the processing through the queue and
// without it.
func TestARelayedEventHasATraceOfItsOwn(t *testing.T) {
	for way, address := range map[string]string{"queue": storetest.RedisURL(t), "no queue": nowhere} {
		t.Run(way, func(t *testing.T) {
			wipe(t)
			recorded().Reset()
			s := open(t, "paid")
			c := config(t, frozen)
			c.Redis = redisOf(t, address)
			s.upload(books(3)...)
			late(t)
			run(t, c)
			byName := map[string]tracetest.SpanStub{}
			eventually(t, "both spans have ended", func() bool {
				for _, span := range recorded().GetSpans() {
					byName[span.Name] = span
				}
				return len(byName) == 2
			})
			relay, process := byName["worker.relay"], byName["worker.process"]
			if relay.Parent.IsValid() || process.Parent.SpanID() != relay.SpanContext.SpanID() {
				t.Errorf("the processing follows from %v, the relay from %v", process.Parent.SpanID(),
					relay.Parent.SpanID())
			}
		})
	}
}
