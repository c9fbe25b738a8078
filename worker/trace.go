package worker

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/propagation"
)

// tracer is the one of the process; without an exporter its spans cost nothing.
var tracer = otel.Tracer("bizfin/worker")

// headersOf are what a task carries beside its ids, those of W3C Trace Context: one trace leads from an upload to its
// effects, and nothing of its processing depends on them.
func headersOf(ctx context.Context) map[string]string {
	headers := propagation.MapCarrier{}
	otel.GetTextMapPropagator().Inject(ctx, headers)
	return headers
}

// fromHeaders is the way back. What cannot be read is left out.
func fromHeaders(ctx context.Context, headers map[string]string) context.Context {
	return otel.GetTextMapPropagator().Extract(ctx, propagation.MapCarrier(headers))
}
