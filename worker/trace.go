package worker

import (
	"context"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"bizfin/store"
)

// tracer is the one of the process; without an exporter its spans cost nothing.
var tracer = otel.Tracer("bizfin/worker")

// headerAccepted is when the event of a task came. Beside it stand those of W3C Trace Context, so that one trace leads
// from an upload to its effects.
const headerAccepted = "accepted"

// headersOf are what a task carries beside its ids: nothing that its processing depends on.
func headersOf(ctx context.Context, w store.Work) map[string]string {
	headers := propagation.MapCarrier{}
	if !w.AcceptedAt.IsZero() {
		headers[headerAccepted] = w.AcceptedAt.UTC().Format(time.RFC3339Nano)
	}
	otel.GetTextMapPropagator().Inject(ctx, headers)
	return headers
}

// fromHeaders is the way back. What cannot be read is left out.
func fromHeaders(ctx context.Context, headers map[string]string, w store.Work) (context.Context, store.Work) {
	w.AcceptedAt, _ = time.Parse(time.RFC3339Nano, headers[headerAccepted])
	return otel.GetTextMapPropagator().Extract(ctx, propagation.MapCarrier(headers)), w
}

// startProcessing begins the span of an event's processing.
func startProcessing(ctx context.Context, w store.Work) (context.Context, trace.Span) {
	return tracer.Start(ctx, "worker.process", trace.WithSpanKind(trace.SpanKindConsumer), trace.WithAttributes(
		attribute.String("bizfin.organization_id", w.OrganizationID.String()),
		attribute.String("bizfin.account_id", w.AccountID.String()),
		attribute.Int64("bizfin.generation", w.Generation),
	))
}

// endProcessing says how much it was. The cause of a failure is in the log; a trace may be read by more people.
func endProcessing(span trace.Span, rows, batches int, err error) {
	span.SetAttributes(attribute.Int("bizfin.rows", rows), attribute.Int("bizfin.batches", batches))
	if err != nil {
		span.SetStatus(codes.Error, "not processed")
	}
	span.End()
}
