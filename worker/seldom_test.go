package worker

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

func TestAFailureThatGoesOnIsSaidOnceAMinute(t *testing.T) {
	var text bytes.Buffer
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	w := &Worker{Config: Config{Now: func() time.Time { return now }, Log: slog.New(slog.NewTextHandler(&text, nil)),
		Metrics: NewMetrics()}}
	refused := errors.New("connection refused")
	for range 300 { // five minutes
		w.failed(t.Context(), taskRelay, "late events not looked for", refused)
		now = now.Add(time.Second)
	}
	if n := strings.Count(text.String(), "late events not looked for"); n != 5 {
		t.Errorf("it is said %d times", n)
	}
	if !strings.Contains(text.String(), "repeated=59") {
		t.Errorf("it does not say how often: %s", text.String())
	}
	w.failed(t.Context(), taskRelay, "late events not looked for", errors.New("another reason"))
	if !strings.Contains(text.String(), "another reason") {
		t.Error("another failure is not said at once")
	}
	text.Reset()
	queue := quietLog{log: w.Log, now: w.Now, seldom: &w.seldom}
	for range 300 {
		queue.Error("Redis refused")
		now = now.Add(time.Second / 5)
	}
	if n := strings.Count(text.String(), "Redis refused"); n != 1 {
		t.Errorf("the queue's own line is said %d times", n)
	}
}
