package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/uuid"

	client "bizfin.example/client"
	"bizfin/internal/partnertoken"
	"bizfin/store"
)

// customers use a service in every way there is, and none of their requests may fail: partners upload, upload again and
// delete, people search, read reports and answer questions, and a webhook sends account lists.
type customers struct {
	t       *testing.T
	flow    *flow
	db      *store.DB // past the service
	all     []*customer
	running sync.WaitGroup
	stop    context.CancelFunc
}

// customer is a business with what it was told is stored.
type customer struct {
	*customers
	*client.ClientWithResponses
	name     string
	id       uuid.UUID
	account  uuid.UUID
	rounds   atomic.Int64
	rows     int
	cents    int64
	answered int
	list     string // the name that all accounts of the last list have
}

// customersOf connects businesses, and lets them use the service until they are stopped. A build of the program gives
// its partner an older person for each.
func customersOf(f *flow, db *store.DB, path string, env []string) *customers {
	f.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	cs := &customers{t: f.t, flow: f, db: db, stop: stop}
	f.t.Cleanup(cs.stopAll)
	for _, name := range []string{"bakery", "garage", "florist"} {
		c := &customer{customers: cs, name: name,
			ClientWithResponses: f.as(name, partnertoken.Business{ID: name, Name: name, Role: "owner"})}
		connected := f.connect(c.ClientWithResponses)
		c.id = *connected.OrganizationId
		uploaded, err := c.UploadAccountsWithResponse(ctx, c.id, nil, client.AccountUpload{
			SourceId: *connected.SourceId,
			Accounts: []client.UploadedAccount{{ExternalId: "a", Name: "A", Type: client.AccountTypeDepository,
				Currency: "USD", CurrentBalance: "0"}}})
		if err != nil || uploaded.JSON200 == nil {
			f.t.Fatalf("accounts: %v %s", err, uploaded.Body)
		}
		c.account = uploaded.JSON200.Accounts[0].Id
		commanded(f.t, path, env, "legacy", "login", "--partner", f.partner.PartnerID, "--sub", "older-"+name,
			"--email", name+"@example.com")
		cs.all = append(cs.all, c)
	}
	for _, c := range cs.all {
		cs.running.Go(func() {
			for round := 0; ctx.Err() == nil && !f.t.Failed(); round++ {
				c.round(round)
				c.rounds.Add(1)
			}
		})
	}
	return cs
}

// more waits until each of them has made so many rounds more.
func (cs *customers) more(rounds int64) {
	cs.t.Helper()
	for _, c := range cs.all {
		want := c.rounds.Load() + rounds
		for deadline := time.Now().Add(2 * time.Minute); c.rounds.Load() < want; time.Sleep(10 * time.Millisecond) {
			if cs.t.Failed() || time.Now().After(deadline) {
				cs.t.Fatalf("%s has made %d rounds, want %d", c.name, c.rounds.Load(), want)
			}
		}
	}
}

func (cs *customers) stopAll() {
	cs.stop()
	cs.running.Wait()
}

// must says which request failed, and how.
func (c *customer) must(what string, err error, status int, body []byte) bool {
	if err != nil || status != http.StatusOK {
		c.t.Errorf("round %d of %s: %s: %v %d %s", c.rounds.Load(), c.name, what, err, status, body)
		return false
	}
	return true
}

// round is one of each request.
func (c *customer) round(round int) {
	ctx := context.Background() // a request that is under way at the end ends, too
	ids := c.upload(ctx, round)
	if ids == nil || c.upload(ctx, round) == nil {
		return
	}
	for i := range ids {
		c.rows, c.cents = c.rows+1, c.cents+centsOf(round, i)
	}
	query := "flour"
	found, err := c.SearchTransactionsWithResponse(ctx, c.id, &client.SearchTransactionsParams{Query: &query})
	c.must("search", err, found.StatusCode(), found.Body)
	profile, err := c.GetProfileWithResponse(ctx, c.id, nil)
	c.must("profile", err, profile.StatusCode(), profile.Body)
	c.report(ctx)
	deleted, err := c.DeleteTransactionWithResponse(ctx, c.id, ids[0], nil)
	if c.must("delete", err, deleted.StatusCode(), deleted.Body) {
		c.rows--
		c.cents -= centsOf(round, 0)
	}
	c.answer(ctx)
	c.send(fmt.Sprint("list ", round))
}

const customerRows = 40

func centsOf(round, row int) int64 { return -int64(100*(row+1) + round%100) }

// upload stores the rows of a round, or finds them stored.
func (c *customer) upload(ctx context.Context, round int) []uuid.UUID {
	lines := []string{"FLOUR MILL", "ADOBE *CREATIVE CLOUD 408-536-6000 CA", "ZELLE PAYMENT TO DANA MERCER",
		"QUORVANE HOLDINGS", "MONTHLY SERVICE FEE", "SHELL OIL 57444212300 AUSTIN TX"}
	rows := make([]client.UploadedTransaction, customerRows)
	for i := range rows {
		cents := centsOf(round, i)
		rows[i] = client.UploadedTransaction{ExternalId: fmt.Sprintf("%d-%d", round, i),
			Amount: json.Number(fmt.Sprintf("-%d.%02d", -cents/100, -cents%100)),
			Date:   time.Date(2026, 1, 1+(round+i)%90, 0, 0, 0, 0, time.UTC).Format(time.DateOnly),
			// New names all the time, so that there is always something to be asked about.
			Description: fmt.Sprintf("%s %d", lines[i%len(lines)], round/4)}
	}
	answer, err := c.UploadTransactionsWithResponse(ctx, c.id, c.account, nil,
		client.TransactionUpload{Transactions: rows})
	if !c.must("upload", err, answer.StatusCode(), answer.Body) {
		return nil
	}
	ids := make([]uuid.UUID, len(rows))
	for i, r := range answer.JSON200.Transactions {
		ids[i] = r.Id
	}
	return ids
}

// report is how much went out in the year.
func (c *customer) report(ctx context.Context) json.Number {
	report, err := c.GetCashflowReportWithResponse(ctx, c.id,
		&client.GetCashflowReportParams{StartDate: "2026-01-01", EndDate: "2026-12-31"})
	if !c.must("report", err, report.StatusCode(), report.Body) {
		return ""
	}
	return json.Number(fmt.Sprint(report.JSON200.Totals.Outflow))
}

// answer answers a question, where one is open.
func (c *customer) answer(ctx context.Context) {
	open, err := c.ListOutstandingIssuesWithResponse(ctx, c.id, &client.ListOutstandingIssuesParams{})
	if !c.must("questions", err, open.StatusCode(), open.Body) || len(open.JSON200.Issues) == 0 {
		return
	}
	answer, err := c.AnswerOutstandingIssueWithResponse(ctx, c.id, open.JSON200.Issues[0].Id, nil,
		client.Answer{Answer: "advertising"})
	if answer != nil && (answer.StatusCode() == http.StatusConflict || answer.StatusCode() == http.StatusNotFound) {
		return // it closed meanwhile
	}
	if c.must("answer", err, answer.StatusCode(), answer.Body) {
		c.answered++
	}
}

// send sends the account list of an older person.
func (c *customer) send(name string) {
	body := fmt.Appendf(nil, `{"type":"accounts.changed","sub":"older-%s","payload":{"tier":"paid","accounts":[`+
		`{"id":"1","name":"%s","currency":"USD"},{"id":"2","name":"%s","currency":"USD"}]}}`, c.name, name, name)
	mac := hmac.New(sha256.New, []byte(c.flow.partner.WebhookSecret))
	mac.Write(body)
	r, err := http.NewRequest(http.MethodPost, c.flow.partner.WebhookURL, bytes.NewReader(body))
	if err != nil {
		c.t.Error(err)
		return
	}
	r.Header.Set("x-service-signature", hex.EncodeToString(mac.Sum(nil)))
	r.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		c.t.Errorf("webhook: %v", err)
		return
	}
	defer answer.Body.Close()
	if c.must("webhook", nil, answer.StatusCode, nil) {
		c.list = name
	}
}

// settled waits until all is processed, and holds what is stored against what the customers were told.
func (cs *customers) settled() {
	cs.t.Helper()
	until(cs.t, "everything is processed, summed and indexed", func() bool {
		var left int
		err := cs.db.SQL().QueryRow(`
			SELECT (SELECT count(*) FROM pending_work)
			     + (SELECT count(*) FROM account_snapshots WHERE state = 'pending')
			     + (
			       SELECT count(*)
			       FROM transactions
			       WHERE deleted_at IS NULL
			         AND processing <> 'processed')`).Scan(&left)
		return err == nil && left == 0
	})
	for _, c := range cs.all {
		c.agrees()
	}
}

func (c *customer) agrees() {
	c.t.Helper()
	var rows int
	var cents int64
	var lists string
	err := c.db.SQL().QueryRow(`
		SELECT count(*), coalesce(sum(t.amount), 0), (
		  SELECT string_agg(DISTINCT a.name, ', ')
		  FROM legacy_mappings m
		  JOIN accounts a ON a.organization_id = m.organization_id AND a.source_id = m.source_id
		  WHERE m.partner_id = $2
		    AND m.subject = 'older-' || $3)
		FROM transactions t
		WHERE t.organization_id = $1
		  AND t.deleted_at IS NULL`,
		c.id, c.flow.partner.PartnerID, c.name).Scan(&rows, &cents, &lists)
	if err != nil || rows != c.rows || cents != c.cents || lists != c.list {
		c.t.Errorf("%s has %d rows of %d cents and accounts called %q (%v), was told of %d, %d and %q", c.name, rows,
			cents, lists, err, c.rows, c.cents, c.list)
	}
}
