package main

import (
	"encoding/json"
	"net/http"
	"reflect"
	"time"

	"github.com/google/uuid"

	client "bizfin.example/client"
)

// compareProfile holds the counts of the profile and of the search against the rows.
func (f *faults) compareProfile(b *business) {
	var total, limited int64
	err := f.db.SQL().QueryRow(`
		SELECT count(*), count(*) FILTER (WHERE processing = 'limited')
		FROM transactions
		WHERE organization_id = $1
		  AND deleted_at IS NULL`, b.id).Scan(&total, &limited)
	if err != nil {
		f.t.Fatal(err)
	}
	f.wait("the profile is answered", time.Minute, func() bool {
		profile, err := b.GetProfileWithResponse(f.t.Context(), b.id, nil)
		if err != nil || profile.JSON200 == nil {
			return false
		}
		got := profile.JSON200
		counts := got.Coverage.Transactions
		if counts.Total != total || counts.Limited != limited || counts.Queued != 0 || got.Processing.Pending != 0 ||
			counts.Categorized+counts.Uncategorized != counts.Total {
			f.t.Errorf("%s: the profile says %+v and %+v of %d rows, %d limited", b.name, counts, got.Processing, total,
				limited)
		}
		return true
	})
	f.compareSearch(b)
}

// compareSearch walks through the pages of a day.
func (f *faults) compareSearch(b *business) {
	day, limit := "2026-03-05", 50
	want := map[uuid.UUID]bool{}
	rows, err := f.db.SQL().Query(`
		SELECT id
		FROM transactions
		WHERE organization_id = $1
		  AND deleted_at IS NULL
		  AND primary_date = $2`, b.id, day)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var id uuid.UUID
		if err := rows.Scan(&id); err != nil {
			f.t.Fatal(err)
		}
		want[id] = true
	}
	found := 0
	params := &client.SearchTransactionsParams{DateFrom: &day, DateTo: &day, Limit: &limit}
	for more := true; more; {
		f.wait("the search is answered", time.Minute, func() bool {
			page, err := b.SearchTransactionsWithResponse(f.t.Context(), b.id, params)
			if err != nil || page.JSON200 == nil {
				return false
			}
			for _, row := range page.JSON200.Transactions {
				found++
				delete(want, row.Id)
			}
			params.Cursor = page.JSON200.NextCursor
			more = params.Cursor != nil
			return true
		})
	}
	if err := rows.Err(); err != nil || len(want) > 0 {
		f.t.Errorf("%s: the search finds %d rows of a day, and not %v (%v)", b.name, found, want, err)
	}
}

// compareReports holds the reports against the rows, and against themselves without the sums of months that are kept.
func (f *faults) compareReports(b *business) {
	before := f.reports(b)
	var count int64
	var net json.Number
	err := f.db.SQL().QueryRow(`
		SELECT count(*), coalesce(sum(amount), 0)::numeric / 100
		FROM transactions
		WHERE organization_id = $1
		  AND deleted_at IS NULL
		  AND NOT pending
		  AND currency = 'USD'`, b.id).Scan(&count, &net)
	if err != nil {
		f.t.Fatal(err)
	}
	flow := before.cashflow
	agree := f.exactly(`SELECT $1::numeric + $2::numeric = $3::numeric`,
		flow.Totals.Net, flow.InternalTransfers.Net, net)
	if !agree || flow.Basis.TransactionCount != count {
		f.t.Errorf("%s: the cash flow says %v and %v of %d rows, and the rows add up to %v, %d of them", b.name,
			flow.Totals.Net, flow.InternalTransfers.Net, flow.Basis.TransactionCount, net, count)
	}
	var kept int
	if err := f.db.SQL().QueryRow(`
		WITH gone AS (DELETE FROM report_months WHERE organization_id = $1 RETURNING 1)
		SELECT count(*) FROM gone`, b.id).Scan(&kept); err != nil {
		f.t.Fatal(err)
	}
	f.t.Logf("%s: %d rows, %d months were summed", b.name, count, kept)
	if after := f.reports(b); !reflect.DeepEqual(before, after) {
		f.t.Errorf("%s: with the sums of months the reports say\n%+v\nand without\n%+v", b.name, before, after)
	}
}

// bothReports are the two reports over everything; when they were made is left out.
type bothReports struct {
	cashflow client.CashflowReport
	pnl      client.PnlReport
}

func (f *faults) reports(b *business) (both bothReports) {
	ctx := f.t.Context()
	f.wait("the reports are answered", time.Minute, func() bool {
		flow, err := b.GetCashflowReportWithResponse(ctx, b.id,
			&client.GetCashflowReportParams{StartDate: "2026-01-01", EndDate: "2026-12-31"})
		if err != nil || flow.StatusCode() != http.StatusOK {
			return false
		}
		pnl, err := b.GetPnlReportWithResponse(ctx, b.id,
			&client.GetPnlReportParams{StartDate: "2026-01-01", EndDate: "2026-12-31"})
		if err != nil || pnl.StatusCode() != http.StatusOK {
			return false
		}
		both = bothReports{*flow.JSON200, *pnl.JSON200}
		both.cashflow.Basis.GeneratedAt, both.pnl.Basis.GeneratedAt = time.Time{}, time.Time{}
		return true
	})
	return both
}

// exactly has PostgreSQL judge sums of decimals.
func (f *faults) exactly(query string, args ...any) (yes bool) {
	f.t.Helper()
	for i, a := range args {
		if text, ok := a.(json.Number); ok {
			args[i] = text.String()
		}
	}
	if err := f.db.SQL().QueryRow(query, args...).Scan(&yes); err != nil {
		f.t.Fatal(err)
	}
	return yes
}
