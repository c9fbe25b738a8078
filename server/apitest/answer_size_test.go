package apitest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/store"
)

// nextCursor is "" on the last page.
func (r answer) nextCursor() string {
	r.t.Helper()
	next, _ := r.get("nextCursor").(string)
	return next
}

func TestAccountsComeInPages(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	for batch := range 3 {
		var accounts []M
		for i := range 400 {
			accounts = append(accounts, account(fmt.Sprintf("%d-%03d", batch, i)))
		}
		o.post(o.path+"/accounts", M{"source_id": o.source, "accounts": accounts}).want(200)
	}
	whole := o.get(o.path + "/accounts").want(200)
	if whole.size("accounts") != 1000 || whole.nextCursor() == "" {
		t.Fatalf("%d accounts, next %q", whole.size("accounts"), whole.nextCursor())
	}
	seen, query := map[string]bool{}, "?limit=500"
	for query != "" {
		got := o.get(o.path + "/accounts" + query).want(200)
		for _, account := range got.get("accounts").([]any) {
			seen[account.(map[string]any)["externalId"].(string)] = true
		}
		query = ""
		if next := got.nextCursor(); next != "" {
			query = "?limit=500&cursor=" + next
		}
	}
	if len(seen) != 1200 {
		t.Errorf("the pages have %d accounts", len(seen))
	}
	o.get(o.path + "/accounts?limit=1001").want(422)
	o.get(o.path + "/accounts?includeInactive=true&cursor=" + whole.nextCursor()).want(422)
}

// busy is a business with a row of another counterparty every few days of ten years.
func busy(a *api) *office {
	a.t.Helper()
	o := a.open()
	account := o.uploadAccount("a")
	var rows []M
	for i := range 480 {
		day := time.Date(2016, 1, 1, 0, 0, 0, 0, time.UTC).AddDate(0, 0, 7*i)
		rows = append(rows, transaction(fmt.Sprint(i), "-1.00", day.Format(time.DateOnly), "COFFEE"))
	}
	ids := o.upload(account, rows...)
	for i := range 60 {
		party := uuid.New()
		o.must(o.rows().SaveCounterparty(context.Background(), o.clock.Now(), store.Counterparty{
			ID: party, Name: fmt.Sprint("Party ", i), Type: "company", Relationship: "supplier",
			LastDate: on("2026-03-30"),
		}))
		for row := i; row < 480; row += 60 {
			o.must(o.rows().SetCounterparty(context.Background(), o.clock.Now(), uuid.MustParse(ids[fmt.Sprint(row)]),
				party))
		}
	}
	return o
}

func TestAReportHasAtMostFiftyThousandSums(t *testing.T) {
	t.Parallel()
	o := busy(start(t))
	days := "/reports/cashflow?startDate=2016-01-01&endDate=2025-12-31&periodLimit=4000&periodGrouping="
	refused := o.get(o.path + days + "day").want(422)
	if got := refused.issues(); len(got) != 1 || got[0] != "query /periodGrouping maximum" ||
		!strings.Contains(refused.text("issues", 0, "message"), "use week, or") {
		t.Errorf("refused with %s", refused.body)
	}
	if got := o.get(o.path + days + "week").want(200); len(got.body) > 4<<20 {
		t.Errorf("an answer of %d bytes", len(got.body))
	}
	o.get(o.path + "/reports/cashflow?startDate=2016-01-01&endDate=2025-12-31&periodLimit=365&periodGrouping=day").want(
		200)
}

// Lists inside an answer say when they are cut.
func TestACounterpartysPartsAreBounded(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	account := o.uploadAccount("a")
	party := uuid.New()
	var aliases []string
	for i := range 80 {
		aliases = append(aliases, fmt.Sprint("ALIAS ", i))
	}
	o.must(o.rows().SaveCounterparty(context.Background(), o.clock.Now(), store.Counterparty{
		ID: party, Name: "Bank", Aliases: aliases, Type: "company", Relationship: "supplier",
		LastDate: on("2026-03-30"),
	}))
	var rows []M
	for i := range 60 {
		row := transaction(fmt.Sprint(i), "-1.00", "2026-03-30", "FEE")
		row["currency"] = fmt.Sprintf("X%c%c", 'A'+i/26, 'A'+i%26)
		rows = append(rows, row)
	}
	rows = append(rows, transaction("usd-1", "-1.00", "2026-03-30", "FEE"),
		transaction("usd-2", "-1.00", "2026-03-30", "FEE"))
	for _, id := range o.upload(account, rows...) {
		o.must(o.rows().SetCounterparty(context.Background(), o.clock.Now(), uuid.MustParse(id), party))
	}
	got := o.get(o.path + "/counterparties/" + party.String()).want(200)
	for member, want := range map[string]string{"aliasCount": "80", "currencyCount": "61", "openIssueCount": "0"} {
		if n := got.text("counterparty", member); n != want {
			t.Errorf("%s is %s, want %s", member, n, want)
		}
	}
	if a, s := got.size("counterparty", "aliases"), got.size("counterparty", "stats"); a != 50 || s != 20 {
		t.Errorf("%d aliases and %d currencies", a, s)
	}
	if first := got.text("counterparty", "stats", 0, "currency"); first != "USD" {
		t.Errorf("the first currency is %s", first)
	}
}

// A client that does not read keeps its answers, and what they are made of, in memory.
func TestAClientThatDoesNotReadIsGivenUp(t *testing.T) {
	t.Parallel()
	a := start(t)
	connection, err := net.Dial("tcp", strings.TrimPrefix(a.url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer connection.Close()
	if err := connection.SetWriteDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	request := []byte(strings.Repeat("GET /api/v1/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n", 1000))
	for err == nil {
		_, err = connection.Write(request)
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		t.Error("the server waits for a client that reads nothing")
	}
}

func TestWhatAnAnswerLeavesOutIsCounted(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	account := o.uploadAccount("a")
	var rows []M
	for i := range 60 { // each in a currency of its own, some with more rows
		for j := range 1 + i%2 {
			row := transaction(fmt.Sprint(i, "-", j), "-1.00", "2026-01-01", "COFFEE")
			row["currency"] = fmt.Sprintf("X%c%c", 'A'+i/26, 'A'+i%26)
			rows = append(rows, row)
		}
	}
	id := o.upload(account, rows...)["0-0"]
	basis := o.get(o.path + "/reports/pnl?startDate=2026-01-01&endDate=2026-12-31").want(200)
	if basis.size("basis", "otherCurrencies") != 50 || basis.text("basis", "otherCurrencyCount") != "60" {
		t.Errorf("%d of %s currencies", basis.size("basis", "otherCurrencies"),
			basis.text("basis", "otherCurrencyCount"))
	}
	with := 0
	for i := range 50 {
		if basis.text("basis", "otherCurrencies", i, "transactionCount") == "2" {
			with++
		}
	}
	if with != 30 {
		t.Errorf("%d of the 30 currencies with the most rows", with)
	}
	now := o.clock.Now()
	for i := range 60 {
		o.must(o.rows().AddComment(t.Context(), now.Add(time.Duration(i)*time.Second), uuid.MustParse(id), "Ana",
			fmt.Sprint(i)))
	}
	got := o.get(o.path + "/transactions/" + id).want(200)
	if got.size("transaction", "comments") != 50 || got.text("transaction", "commentCount") != "60" ||
		got.text("transaction", "comments", 0, "text") != "10" || got.text("transaction", "comments", 49,
		"text") != "59" {
		t.Errorf("%d of %s comments: %s", got.size("transaction", "comments"), got.text("transaction", "commentCount"),
			got.body)
	}
	o.exec(`
		WITH reached AS (
		  INSERT INTO organizations (id, name, created_at)
		  SELECT gen_random_uuid(), 'Reached ' || i, now() FROM generate_series(1, 1100) i
		  RETURNING id)
		INSERT INTO memberships (organization_id, person_id, role, created_at)
		SELECT id, $1, 'member', now() FROM reached`, o.person)
	profile := o.withOAuth(o.oauth(o.person)).get(o.path + "/profile").want(200)
	if profile.size("organizations") != 1000 || profile.text("organizationCount") != "1101" {
		t.Errorf("%d of %s organizations", profile.size("organizations"), profile.text("organizationCount"))
	}
}
