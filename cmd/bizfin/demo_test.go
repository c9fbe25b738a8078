package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"

	"bizfin/cmd/bizfin/demo"
	"bizfin/cmd/bizfin/terminal"
	"bizfin/internal/money"
	"bizfin/server"
	"bizfin/store/storetest"
)

// startDemoStack runs the API with its worker, and tells a new folder about it as `bizfin dev` does.
func startDemoStack(t *testing.T) devFileContent {
	t.Helper()
	s := settings{
		DatabaseURL: storetest.DatabaseURL(t), RedisURL: storetest.RedisURL(t), DatabaseConnections: 8,
		Addr:      "127.0.0.1:0",
		PublicURL: "http://127.0.0.1", Audience: "demo", RequestTimeout: 30 * time.Second, FreeMonthly: 1000,
		MemoryLimit: 192 << 20,
		SecretKey:   storetest.SecretKey(t),
		SignIn:      true,
	}
	if err := s.check(needDatabase, needRedis, needKeys, needAudience, needPublicURL); err != nil {
		t.Fatal(err)
	}
	partner, err := createPartner(t.Context(), storetest.DB(t), s.keys, "demo-"+uuid.NewString()[:8], "", s.PublicURL)
	if err != nil {
		t.Fatal(err)
	}
	s.PublicURL = startWithWorker(t, s)
	dev := devFileOf(s, partner)
	t.Chdir(t.TempDir())
	inFolder(t, dev)
	return dev
}

// inFolder writes what `bizfin dev` tells other commands.
func inFolder(t *testing.T, dev devFileContent) {
	t.Helper()
	if err := os.MkdirAll(devFolder, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := writeDevFile(devFolder, dev); err != nil {
		t.Fatal(err)
	}
}

// TestTheDemoShowsAYear runs it as a new user does, twice: the first time it answers the question, and the second time
// nothing changes.
func TestTheDemoShowsAYear(t *testing.T) {
	startDemoStack(t)
	started := time.Now()
	text, err := bizfin(t.Context(), "demo", "--year", "2025")
	if err != nil {
		t.Fatal(err)
	}
	const patience = 30 * time.Second
	if took := time.Since(started); took > patience {
		t.Errorf("it took %s", took)
	}
	for _, want := range []string{
		"Connected   organization ", "Uploaded    1,510 transactions in 4 accounts", "Processed   1,510 transactions",
		"Business Checking 4471",
		"? What do you pay Hollis Marr for?", "> Production materials and supplies",
		"24 transactions follow the answer",
		"Profit and loss", "Net profit", "If suggestions hold", "Nine chances in ten",
		"What does Gusto take: pay, the taxes on it",
		"████", "Cash flow", "█ in, left   █ out, right", "Jan  Feb  Mar",
		"From profit to cash", "Not understood yet", "rows in EUR", "4 rows in GBP",
		"bin/bizfin token partner --sub owner-of-juniper-2025-1",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q", want)
		}
	}
	for _, line := range strings.Split(text, "\n") {
		if n := len([]rune(line)); n > 80 || strings.ContainsAny(line, "\x1b\r") {
			t.Errorf("a line of %d columns, or with colours: %q", n, line)
		}
	}

	again, err := bizfin(t.Context(), "demo", "--year", "2025", "--json")
	if err != nil {
		t.Fatal(err)
	}
	var shown shownDemo
	if err := json.Unmarshal([]byte(again), &shown); err != nil {
		t.Fatal(err)
	}
	if !shown.Answered.Earlier || shown.Answered.Followed != 24 ||
		shown.Answered.GoodsBefore != shown.Answered.GoodsAfter {
		t.Errorf("the second run answers %+v", shown.Answered)
	}
	if n := shown.Profile.Coverage.Transactions.Total; n != 1510 {
		t.Errorf("after the second run there are %d transactions", n)
	}
	var rows money.Total // in USD, as made up
	for _, a := range demo.Year(1, 2025) {
		for _, r := range a.Rows {
			if r.Currency == "USD" {
				rows = rows.Plus(money.TotalOf(r.Amount))
			}
		}
	}
	if got := total(shown.CashFlow.Totals.Net).Plus(total(shown.CashFlow.InternalTransfers.Net)); got != rows {
		t.Errorf("the cash flow and the transfers are %s, the rows are %s", got, rows)
	}
	if u := shown.CashFlow.InternalTransfers; u.Unmatched.TransactionCount != 0 || total(u.Net).Sign() != 0 ||
		u.TransactionCount != 52 {
		t.Errorf("the transfers are %+v", u)
	}
	profit := total(shown.PnL.Totals.NetProfit)
	held, between := total(shown.PnL.IfSuggestionsHold.Totals.NetProfit), shown.PnL.Range
	if held.Sign() <= 0 || held.Compare(money.TotalOf(200_000_00)) > 0 || shown.PnL.Basis.Complete {
		t.Errorf("the net profit is %s if suggestions hold, and all is known: %t", held, shown.PnL.Basis.Complete)
	}
	if between == nil || total(between.Low).Compare(held) > 0 || total(between.High).Compare(held) < 0 {
		t.Errorf("the net profit of %s is not in its range: %+v", held, between)
	}
	unknown := shown.CashFlow.Basis.Uncategorized
	bridge := profit.Plus(total(unknown.Inflow)).Minus(total(unknown.Outflow))
	for _, branch := range shown.PnL.NotOnForm {
		bridge = bridge.Plus(total(branch.Net))
	}
	if bridge != total(shown.CashFlow.Totals.Net) || bridge == profit {
		t.Errorf("the way from the profit %s leads to %s, the cash flow is %s", profit, bridge,
			shown.CashFlow.Totals.Net)
	}
	if lines := shown.PnL.Totals; !strings.Contains(text, "is "+groupedForTest(total(lines.CostOfGoodsSold))+" now") ||
		total(lines.Returns).Sign() <= 0 {
		t.Errorf("the profit and loss has no cost of goods or no returns: %+v", lines)
	}
}

// groupedForTest writes a sum below a million as people do.
func groupedForTest(t money.Total) string {
	s := t.String()
	return s[:len(s)-6] + "," + s[len(s)-6:]
}

func TestADemoOfAnotherBusinessIsApart(t *testing.T) {
	startDemoStack(t)
	var organizations, profits []string
	for _, flags := range [][]string{{}, {"--business", "another"}, {"--seed", "2"}} {
		out, err := bizfin(t.Context(), append([]string{"demo", "--year", "2024", "--json"}, flags...)...)
		if err != nil {
			t.Fatal(err)
		}
		var shown shownDemo
		if err := json.Unmarshal([]byte(out), &shown); err != nil {
			t.Fatal(err)
		}
		organizations = append(organizations, shown.OrganizationID.String())
		profits = append(profits, shown.PnL.Totals.NetProfit.String())
	}
	if organizations[0] == organizations[1] || organizations[0] == organizations[2] {
		t.Errorf("the businesses are %v", organizations)
	}
	if profits[0] != profits[1] || profits[0] == profits[2] {
		t.Errorf("the profits are %v", profits)
	}
}

func TestADemoWithoutAServerSaysWhatToDo(t *testing.T) {
	t.Chdir(t.TempDir())
	wants := func(words ...string) {
		t.Helper()
		out, err := bizfin(t.Context(), "demo")
		if err == nil || out != "" && !strings.HasPrefix(out, demo.Name) {
			t.Fatalf("it prints %q, %v", out, err)
		}
		for _, w := range words {
			if !strings.Contains(err.Error(), w) {
				t.Errorf("it says %q, not %q", err, w)
			}
		}
	}
	wants("no bizfin runs", "make run", "make demo")
	dev := devFileContent{BaseURL: "http://" + freeAddress(t), Audience: "demo", PartnerID: "demo",
		PartnerSecret: strings.Repeat("s", 32)}
	inFolder(t, dev)
	wants("nothing answers at "+dev.BaseURL, "make run")
	if err := os.WriteFile(devFile(devFolder), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	wants("cannot be read", "make run")
}

func TestADemoWithAStaleSecretSaysWhatToDo(t *testing.T) {
	dev := startDemoStack(t)
	dev.PartnerSecret = strings.Repeat("s", 32)
	inFolder(t, dev)
	_, err := bizfin(t.Context(), "demo")
	if err == nil || !strings.Contains(err.Error(), "make run") || strings.Contains(err.Error(), dev.PartnerSecret) {
		t.Errorf("it says %v", err)
	}
}

func TestADemoWithoutAWorkerSaysSo(t *testing.T) {
	f := startService(t)
	dev := devFileContent{BaseURL: strings.TrimSuffix(f.url, server.BasePath), Audience: "flow",
		PartnerID: f.partner.PartnerID, PartnerSecret: f.partner.PartnerSecret}
	api, err := dialDemo(dev, "waits")
	if err != nil {
		t.Fatal(err)
	}
	api.patience = time.Millisecond
	shown := &shownDemo{accounts: demo.Year(1, 2025)[1:2]}
	screen := terminal.On(io.Discard)
	for _, step := range []func(context.Context, *bookAPI, *terminal.Screen, *shownDemo) error{
		connectDemo, uploadDemo, processDemo,
	} {
		err = step(t.Context(), api, screen, shown)
	}
	if err == nil || !strings.Contains(err.Error(), "26 of 26 transactions wait") ||
		!strings.Contains(err.Error(), "bizfin work") {
		t.Errorf("it says %v", err)
	}
}

func TestADemoOfAYearThatCannotBeIsRefused(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, c := range []struct{ flag, value, want string }{
		{"--year", "1969", "--year must be from 1970"}, {"--year", "12345", "--year must be from 1970"},
		{"--business", strings.Repeat("é", 201), "--business must have at most 200"},
	} {
		if _, err := bizfin(t.Context(), "demo", c.flag, c.value); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %s: %v", c.flag, c.value, err)
		}
	}
}
