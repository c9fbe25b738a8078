package main

import (
	"context"
	"fmt"
	"io"
	"net/url"
	"sync"
	"syscall"
	"testing"
	"time"

	client "bizfin.example/client"
)

// prober sends one row after the other, each until it is acknowledged, and waits until it is processed.
type prober struct {
	honest
	mu   sync.Mutex
	rows []probed
}

// probed is a row of a prober.
type probed struct{ sent, acknowledged, processed time.Time }

// run goes on until ctx ends; the row that it then has in hand is sent and not counted.
func (p *prober) run(ctx context.Context) {
	const pause = 20 * time.Millisecond
	for number := 0; ctx.Err() == nil; number++ {
		row := probed{sent: time.Now()}
		upload := oneRow(fmt.Sprint("probe-", number))
		upload.Amount = amountOf(number)
		var id string
		for ; id == "" && ctx.Err() == nil; <-time.After(pause) {
			limited, cancel := context.WithTimeout(ctx, 5*time.Second)
			got, err := p.client.UploadTransactionsWithResponse(limited, p.organization, p.account, nil, rowOf(upload))
			cancel()
			if err == nil && got.JSON200 != nil {
				id, row.acknowledged = got.JSON200.Transactions[0].Id.String(), time.Now()
			}
		}
		for ; row.processed.IsZero() && ctx.Err() == nil; <-time.After(pause) {
			limited, cancel := context.WithTimeout(ctx, 5*time.Second)
			got, err := p.client.GetTransactionWithResponse(limited, p.organization, id, nil)
			cancel()
			if err == nil && got.JSON200 != nil &&
				got.JSON200.Transaction.ProcessingStatus == client.ProcessingStatusProcessed {
				row.processed = time.Now()
				p.mu.Lock()
				p.rows = append(p.rows, row)
				p.mu.Unlock()
			}
		}
	}
}

// between are the rows that were sent in a span.
func (p *prober) between(from, until time.Time) (rows []probed) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, row := range p.rows {
		if !row.sent.Before(from) && row.sent.Before(until) {
			rows = append(rows, row)
		}
	}
	return rows
}

// processedSince is how many rows that were sent after a moment are processed.
func (p *prober) processedSince(moment time.Time) int { return len(p.between(moment, time.Now())) }

// compare finds each row that was acknowledged, once and as it was sent.
func (p *prober) compare(f *faults) {
	for number := range p.rows {
		var n int
		err := f.db.SQL().QueryRow(`
			SELECT count(*)
			FROM transactions
			WHERE organization_id = $1
			  AND external_id = $2
			  AND amount = $3
			  AND deleted_at IS NULL
			  AND processing = 'processed'`,
			p.organization, fmt.Sprint("probe-", number), -(100*int64(1+number) + 25)).Scan(&n)
		if err != nil || n != 1 {
			f.t.Errorf("row %d of the probe was acknowledged and is stored %d times: %v", number, n, err)
		}
	}
}

// hang stops all processes of a PostgreSQL as they are, until resume.
func (b *backend) hang()   { b.signalAll(syscall.SIGSTOP) }
func (b *backend) resume() { b.signalAll(syscall.SIGCONT) }

func (b *backend) signalAll(signal syscall.Signal) {
	for _, process := range b.postgresProcesses() {
		_ = syscall.Kill(process, signal) // a connection may have ended meanwhile
	}
}

// hostIn is host and port of an address.
func hostIn(t *testing.T, address string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u.Host
}

func textOf(body io.Reader) string {
	text, _ := io.ReadAll(body)
	return string(text)
}
