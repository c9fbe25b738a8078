// The whole flow through a client that oapi-codegen has made from the served document.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"os"
	"reflect"

	"github.com/google/uuid"

	"partner/bizfin"
	"partner/sign"
)

func main() {
	ctx, partner := context.Background(), os.Getenv("BIZFIN_PARTNER_ID")
	client, err := bizfin.NewClientWithResponses(os.Getenv("API"), bizfin.WithRequestEditorFn(func(_ context.Context, r *http.Request) error {
		token, err := sign.PartnerToken("user-1", "biz-1", []sign.Business{{ID: "biz-1", Name: "Bakery", Role: "owner"}})
		r.Header.Set("Authorization", "Bearer "+token)
		r.Header.Set("X-Service-Partner", partner)
		return err
	}))
	check(err)

	connected, err := client.ConnectPartnerWithResponse(ctx, &bizfin.ConnectPartnerParams{XServicePartner: partner})
	check(err)
	organization, source := *connected.JSON200.OrganizationId, *connected.JSON200.SourceId

	var accounts []bizfin.UploadedAccount
	for _, id := range []string{"checking", "card"} {
		accounts = append(accounts, bizfin.UploadedAccount{ExternalId: id, Name: "Account " + id, Type: bizfin.AccountTypeDepository, Currency: "USD", CurrentBalance: "1200.50"})
	}
	saved, err := client.UploadAccountsWithResponse(ctx, organization, nil, bizfin.AccountUpload{SourceId: source, Accounts: accounts})
	check(err)
	account := idsOf(saved.JSON200.Accounts)

	var rows []bizfin.UploadedTransaction
	for i := range 600 { // more than one batch
		rows = append(rows, bizfin.UploadedTransaction{
			ExternalId: fmt.Sprint("row-", i), Amount: json.Number(fmt.Sprintf("-%d.%02d", 1+i/100, i%100)), Date: fmt.Sprintf("2026-0%d-15", 1+i%9), Description: fmt.Sprint("FLOUR MILL ", i),
		})
	}
	upload := func(account uuid.UUID, rows ...bizfin.UploadedTransaction) map[string]uuid.UUID {
		answer, err := client.UploadTransactionsWithResponse(ctx, organization, account, nil, bizfin.TransactionUpload{Transactions: rows})
		check(err)
		return idsOf(answer.JSON200.Transactions)
	}
	first := upload(account["checking"], rows[:500]...)
	upload(account["checking"], rows[500:]...)
	want(upload(account["checking"], rows[:500]...), first)
	upload(account["card"], bizfin.UploadedTransaction{ExternalId: "lunch", Amount: "-12.30", Date: "2026-05-01", Description: "LUNCH"})

	search := func(cursor *string, ids ...string) *bizfin.TransactionPage {
		answer, err := client.SearchTransactionsWithResponse(ctx, organization, &bizfin.SearchTransactionsParams{AccountIds: &ids, Cursor: cursor})
		check(err)
		return answer.JSON200
	}
	one := search(nil, account["card"].String())
	want(len(one.Transactions), 1)
	want(one.Transactions[0].Amount, json.Number("-12.30"))
	both := search(nil, account["card"].String(), account["checking"].String())
	want(len(search(both.NextCursor, account["card"].String(), account["checking"].String()).Transactions), 20)

	names, paths := []string{"Expenses"}, [][]string{{"Expenses", "Advertising"}}
	cash, err := client.GetCashflowReportWithResponse(ctx, organization, &bizfin.GetCashflowReportParams{StartDate: "2026-01-01", EndDate: "2026-12-31", CategoryNames: &names})
	check(err)
	want(cash.JSON200.Basis.Filters.CategoryNames, names)
	pnl, err := client.GetPnlReportWithResponse(ctx, organization, &bizfin.GetPnlReportParams{StartDate: "2026-01-01", EndDate: "2026-12-31", CategoryPaths: &paths})
	check(err)
	want(pnl.JSON200.Basis.Filters.CategoryPaths, paths)

	open, err := client.ListOutstandingIssuesWithResponse(ctx, organization, nil)
	check(err)
	issue := open.JSON200.Issues[0]
	answered, err := client.AnswerOutstandingIssueWithResponse(ctx, organization, issue.Id, nil, bizfin.Answer{Answer: "Meals", SelectedOption: &issue.Options[0].Value})
	check(err)
	want(string(answered.JSON200.Status), "accepted")

	accounts[0].Currency = "usd"
	wrong, err := client.UploadAccountsWithResponse(ctx, organization, nil, bizfin.AccountUpload{SourceId: source, Accounts: accounts[:1]})
	check(err)
	want((*wrong.JSON422.Issues)[0].Path, "/accounts/0/currency")
	absent, err := client.GetTransactionWithResponse(ctx, organization, "x", nil)
	check(err)
	want(absent.JSON404.Error != "", true)
	fmt.Println("done")
}

func idsOf(records []bizfin.UploadedRecord) map[string]uuid.UUID {
	ids := map[string]uuid.UUID{}
	for _, r := range records {
		ids[r.ExternalId] = r.Id
	}
	return ids
}

func want(got, want any) {
	if !reflect.DeepEqual(got, want) {
		log.Panicf("got %v, want %v", got, want)
	}
}

func check(err error) {
	if err != nil {
		log.Panic(err)
	}
}
