package worker

import (
	"context"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"bizfin/store"
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

// startTurn begins the span of a turn.
func startTurn(ctx context.Context, turn store.Turn) (context.Context, trace.Span) {
	return tracer.Start(ctx, "worker.process", trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
		attribute.String("bizfin.organization_id", turn.OrganizationID.String()),
		attribute.Int64("bizfin.turn", turn.Number),
	))
}

// endTurn says how much it was. The cause of a failure is in the log; a trace may be read by more people.
func endTurn(span trace.Span, did work, err error) {
	span.SetAttributes(attribute.Int("bizfin.rows", did.rows), attribute.Int("bizfin.batches", did.batches))
	if err != nil {
		span.SetStatus(codes.Error, "not processed")
	}
	span.End()
}
