package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	client "bizfin.example/client"
	"bizfin/cmd/bizfin/demo"
	"bizfin/internal/partnertoken"
	"bizfin/server"
	"bizfin/store"
)

const (
	uploadBatch = 500 // rows, the most of one request
	askEvery    = 50 * time.Millisecond
	patience    = 30 * time.Second // with processing that does not move
)

// bookAPI is a partner's server as it uses the API: it signs a token for a person at each request.
type bookAPI struct {
	*client.ClientWithResponses
	dev          devFileContent
	organization uuid.UUID
	source       uuid.UUID
	patience     time.Duration
	elsewhere    bool // it is not the one that "make run" started in this folder
}

// dialDemo makes the client of the owner of a business. Each business has an owner of its own, since a connection
// replaces the list of all businesses of a person.
func dialDemo(dev devFileContent, business string) (*bookAPI, error) {
	return dialOwner(dev, demo.Owner, partnertoken.Business{ID: business, Name: demo.Name, Role: store.RoleOwner})
}

func dialOwner(dev devFileContent, owner string, business partnertoken.Business) (*bookAPI, error) {
	claims := partnertoken.Claims{
		PartnerID: dev.PartnerID, Audience: dev.Audience, Subject: demoSubject(business.ID), Email: "ana@example.com",
		Name: owner,
		Payload: partnertoken.Payload{BusinessID: &business.ID, Tier: "paid",
			Businesses: []partnertoken.Business{business}},
	}
	return dial(dev, func(_ context.Context, r *http.Request) error {
		claims := claims
		claims.IssuedAt, claims.ExpiresAt = time.Now(), time.Now().Add(time.Minute)
		signed, err := partnertoken.Sign(claims, []byte(dev.PartnerSecret))
		r.Header.Set("Authorization", "Bearer "+signed)
		r.Header.Set("X-Service-Partner", dev.PartnerID)
		return err
	})
}

func dial(dev devFileContent, sign client.RequestEditorFn) (*bookAPI, error) {
	c, err := client.NewClientWithResponses(dev.BaseURL+server.BasePath, client.WithRequestEditorFn(sign),
		client.WithHTTPClient(&http.Client{Timeout: time.Minute}))
	if err != nil {
		return nil, fmt.Errorf("the address in %s is none; start \"make run\" again", devFile(devFolder))
	}
	return &bookAPI{ClientWithResponses: c, dev: dev, patience: patience}, nil
}

func demoSubject(business string) string { return "owner-of-" + business }

// ok returns what an operation answers, or says why it could not.
func ok[T any](api *bookAPI, doing string, r interface {
	GetJSON200() *T
	GetBody() []byte
	StatusCode() int
}, err error) (*T, error) {
	if errors.Is(err, context.Canceled) {
		return nil, err
	}
	if err != nil && api.elsewhere {
		return nil, &failure{fmt.Sprintf("%s: nothing answers at %s", doing, api.dev.BaseURL), "correct --url"}
	}
	if err != nil {
		return nil, &failure{fmt.Sprintf("%s: nothing answers at %s", doing, api.dev.BaseURL),
			"start it in another terminal, in this folder: make run"}
	}
	if answer := r.GetJSON200(); answer != nil {
		return answer, nil
	}
	var refusal client.ErrorBody
	if json.Unmarshal(r.GetBody(), &refusal) != nil || refusal.Error == "" {
		return nil, &failure{fmt.Sprintf("%s: what answers %d at %s is not bizfin", doing, r.StatusCode(),
			api.dev.BaseURL), "start \"make run\" again, with another PORT"}
	}
	if api.elsewhere {
		return nil, fmt.Errorf("%s: %s (%d)%s", doing, refusal.Error, r.StatusCode(), problemsOf(refusal))
	}
	if r.StatusCode() == http.StatusUnauthorized {
		return nil, &failure{doing + ": " + refusal.Error, devFile(devFolder) +
			" may be of an earlier run: start \"make run\" again"}
	}
	return nil, &failure{fmt.Sprintf("%s: %s (%d)%s", doing, refusal.Error, r.StatusCode(), problemsOf(refusal)),
		"\"bizfin doctor\" looks for the cause"}
}

// problemsOf says what was wrong with a request, the first of it.
func problemsOf(refusal client.ErrorBody) string {
	if refusal.Issues == nil || len(*refusal.Issues) == 0 {
		return ""
	}
	first := (*refusal.Issues)[0]
	return fmt.Sprintf(": %s %s", first.Path, first.Message)
}

func (api *bookAPI) connect(ctx context.Context) (uuid.UUID, error) {
	r, err := api.ConnectPartnerWithResponse(ctx, &client.ConnectPartnerParams{XServicePartner: api.dev.PartnerID})
	connection, err := ok(api, "connect", r, err)
	if err != nil {
		return uuid.Nil, err
	}
	api.organization, api.source = *connection.OrganizationId, *connection.SourceId
	return api.organization, nil
}

// uploadAccounts returns the ids of the accounts by their external ids.
func (api *bookAPI) uploadAccounts(ctx context.Context, accounts []demo.Account) (map[string]uuid.UUID, error) {
	upload := client.AccountUpload{SourceId: api.source}
	for _, a := range accounts {
		upload.Accounts = append(upload.Accounts, client.UploadedAccount{
			ExternalId: a.ExternalID, Name: a.Name, Type: client.AccountType(a.Type), Currency: a.Currency,
			CurrentBalance: json.Number(a.Balance.String()),
		})
	}
	r, err := api.UploadAccountsWithResponse(ctx, api.organization, nil, upload)
	uploaded, err := ok(api, "upload the accounts", r, err)
	if err != nil {
		return nil, err
	}
	ids := map[string]uuid.UUID{}
	for _, a := range uploaded.Accounts {
		ids[a.ExternalId] = a.Id
	}
	return ids, nil
}

func (api *bookAPI) uploadRows(ctx context.Context, account uuid.UUID, rows []demo.Row) error {
	upload := client.TransactionUpload{}
	for _, row := range rows {
		upload.Transactions = append(upload.Transactions, client.UploadedTransaction{
			ExternalId: row.ExternalID, Amount: json.Number(row.Amount.String()), Date: row.Day.Format(time.DateOnly),
			Description: row.Description, Currency: &row.Currency,
		})
	}
	r, err := api.UploadTransactionsWithResponse(ctx, api.organization, account, nil, upload)
	_, err = ok(api, "upload transactions", r, err)
	return err
}

// processed waits until the effects of all uploads are stored, and shows how far it is.
func (api *bookAPI) processed(ctx context.Context, show func(done, all int64)) (*client.Profile, error) {
	moved, before := time.Now(), client.TransactionCounts{}
	for {
		r, err := api.GetProfileWithResponse(ctx, api.organization, nil)
		profile, err := ok(api, "wait for processing", r, err)
		if err != nil {
			return nil, err
		}
		counts := profile.Coverage.Transactions
		if profile.Processing.Pending == 0 {
			return profile, nil
		}
		if counts != before {
			moved, before = time.Now(), counts
		}
		if time.Since(moved) > api.patience {
			return nil, &failure{fmt.Sprintf("processing has not moved for %s; %d of %d transactions wait",
				api.patience, counts.Queued, counts.Total),
				"see that the worker runs (\"make run\" has it, else \"bizfin work\"); \"bizfin doctor\" " +
					"looks at the " +
					"database and the queue"}
		}
		show(counts.Total-counts.Queued, counts.Total)
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(askEvery):
		}
	}
}

// questions lists all open questions, those about the most rows first, and says how many more wait behind them.
func (api *bookAPI) questions(ctx context.Context) (all []client.OutstandingIssue, waiting int64, err error) {
	limit := 50
	all = []client.OutstandingIssue{}
	for cursor := (*string)(nil); ; {
		r, err := api.ListOutstandingIssuesWithResponse(ctx, api.organization, &client.ListOutstandingIssuesParams{
			Limit: &limit, Cursor: cursor,
		})
		page, err := ok(api, "list the questions", r, err)
		if err != nil {
			return nil, 0, err
		}
		all, waiting = append(all, page.Issues...), page.TotalWaiting
		if cursor = page.NextCursor; cursor == nil {
			break
		}
	}
	slices.SortStableFunc(all, func(a, b client.OutstandingIssue) int {
		return int(b.Impact.TransactionCount - a.Impact.TransactionCount)
	})
	return all, waiting, nil
}

// answer answers the question about a counterparty in words that name a category. Where the question is not open, an
// earlier run answered it.
func (api *bookAPI) answer(ctx context.Context, open []client.OutstandingIssue,
	known demo.Known) (*answeredQuestion, error) {
	answered := &answeredQuestion{Question: known.Counterparty, CategoryPath: known.CategoryPath, Answer: known.Words,
		Earlier: true}
	i := slices.IndexFunc(open, func(q client.OutstandingIssue) bool {
		return strings.Contains(q.Question,
			known.Counterparty)
	})
	if i < 0 {
		return answered, nil
	}
	answered.Question, answered.Earlier = open[i].Question, false
	r, err := api.AnswerOutstandingIssueWithResponse(ctx, api.organization, open[i].Id, nil,
		client.Answer{Answer: known.Words})
	_, err = ok(api, "answer", r, err)
	return answered, err
}

// following counts the rows that have the answer's category.
func (api *bookAPI) following(ctx context.Context, known demo.Known) (int64, error) {
	limit := 50 // a list that fits on a page is counted exactly
	r, err := api.SearchTransactionsWithResponse(ctx, api.organization,
		&client.SearchTransactionsParams{Query: &known.Counterparty, CategoryPath: &known.CategoryPath, Limit: &limit})
	page, err := ok(api, "search", r, err)
	if err != nil {
		return 0, err
	}
	return page.TotalMatched, nil
}

// span are the days of a report, YYYY-MM-DD, both included.
type span struct{ from, to string }

func spanOfYear(year int) span {
	return span{fmt.Sprintf("%04d-01-01", year), fmt.Sprintf("%04d-12-31", year)}
}

// allMonths is a limit of periods that leaves none out.
var allMonths client.PeriodLimit = 4000

func (api *bookAPI) pnl(ctx context.Context, s span) (*client.PnlReport, error) {
	r, err := api.GetPnlReportWithResponse(ctx, api.organization,
		&client.GetPnlReportParams{StartDate: s.from, EndDate: s.to, PeriodLimit: &allMonths})
	return ok(api, "profit and loss", r, err)
}

func (api *bookAPI) cashFlow(ctx context.Context, s span) (*client.CashflowReport, error) {
	r, err := api.GetCashflowReportWithResponse(ctx, api.organization,
		&client.GetCashflowReportParams{StartDate: s.from, EndDate: s.to, PeriodLimit: &allMonths})
	return ok(api, "cash flow", r, err)
}

// answeredQuestion is a question with the answer it got and what followed.
type answeredQuestion struct {
	Question     string            `json:"question"`
	CategoryPath string            `json:"category_path"`
	Answer       string            `json:"answer"`
	Followed     int64             `json:"transactions"` // the rows that now have the answer's category
	Earlier      bool              `json:"earlier"`      // an earlier run gave the answer
	GoodsBefore  client.MoneyTotal `json:"cost_of_goods_sold_before"`
	GoodsAfter   client.MoneyTotal `json:"cost_of_goods_sold_after"`
}

// noServer says what to do where there is nothing to talk to.
func noServer(err error) error {
	if !errors.Is(err, os.ErrNotExist) {
		return &failure{devFile(devFolder) + " cannot be read", "delete it, and start \"make run\" again"}
	}
	return &failure{"no bizfin runs in this folder",
		"start one here, in another terminal: make run; when it is ready, again: make demo"}
}
