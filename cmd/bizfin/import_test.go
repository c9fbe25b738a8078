package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/uuid"

	client "bizfin.example/client"
	"bizfin/internal/money"
	"bizfin/server"
	"bizfin/store"
	"bizfin/store/storetest"
)

const februaryFile = `Details,Posting Date,Description,Amount,Type,Balance,Check or Slip #
DEBIT,02/27/2026,"ADOBE CREATIVE CLOUD",-54.99,ACH_DEBIT,1890.03,,
DEBIT,02/26/2026,"STARBUCKS STORE 0123",-4.50,DEBIT_CARD,1945.02,,
DEBIT,02/26/2026,"STARBUCKS STORE 0123",-4.50,DEBIT_CARD,1949.52,,
CREDIT,02/20/2026,"STRIPE TRANSFER ST-A1B2",954.02,ACH_CREDIT,1954.02,,
`

// broughtIn is what is looked at of an import.
type broughtIn struct {
	OrganizationID *uuid.UUID `json:"organization_id"`
	Accounts       []struct {
		Rows int `json:"rows"`
	} `json:"accounts"`
	New *int64            `json:"new"`
	PnL *client.PnlReport `json:"pnl"`
}

// importing runs it for a business of the test's own.
func importing(t *testing.T, args ...string) (broughtIn, string, error) {
	t.Helper()
	out, err := bizfin(t.Context(), append([]string{"import"}, args...)...)
	var done broughtIn
	if err == nil && strings.HasPrefix(out, "{") {
		if err := json.Unmarshal([]byte(out), &done); err != nil {
			t.Fatalf("it prints %s", out)
		}
	}
	return done, out, err
}

func TestAnImportedFileIsInTheProfitAndLoss(t *testing.T) {
	dev := startDemoStack(t)
	file := func(text string) string {
		if err := os.WriteFile("statement.csv", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return "statement.csv"
	}
	business := "--business=shop-" + uuid.NewString() + "=Shop"

	_, said, err := importing(t, file(februaryFile), "--dry-run", "--account", "Checking")
	for _, want := range []string{"Chase CSV", `date is "posting date"`, "dates have the month first",
		"4 rows, 954.02 in, 63.99 out",
		"STARBUCKS"} {
		if err != nil || !strings.Contains(said, want) {
			t.Errorf("a dry run says not %q: %s, %v", want, said, err)
		}
	}
	if _, _, err = importing(t, file(februaryFile), business); err == nil || !strings.Contains(err.Error(),
		"--account") {
		t.Errorf("a file of no account: %v", err)
	}
	first, _, err := importing(t, file(februaryFile), business, "--account", "Checking", "--json")
	if err != nil || *first.New != 4 || first.PnL.Basis.StartDate != "2026-02-20" ||
		first.PnL.Basis.TransactionCount != 4 {
		t.Fatalf("%+v, %v", first, err)
	}
	// The next download begins in the middle of what there is: only what is new comes to it.
	march := strings.Replace(februaryFile, "\nDEBIT,02/27",
		"\nDEBIT,03/02/2026,\"STARBUCKS STORE 0123\",-4.50,DEBIT_CARD,1885.53,,\nDEBIT,02/27", 1)
	march = march[:strings.Index(march, "CREDIT,")]
	again, _, err := importing(t, file(march), business, "--account", "checking ", "--json")
	if err != nil || *again.New != 1 || len(again.Accounts) != 1 || again.Accounts[0].Rows != 4 {
		t.Fatalf("%+v, %v", again, err)
	}
	// Another account has ids of its own, and needs a balance where the file has none.
	card := "Date,Description,Amount\n2026-02-26,STARBUCKS STORE 0123,4.50\n"
	if _, _, err = importing(t, file(card), business, "--account", "Card"); err == nil ||
		!strings.Contains(err.Error(), "--charges") {
		t.Errorf("a card's file: %v", err)
	}
	args := []string{file(card), business, "--account", "Card", "--type", "credit", "--charges", "positive", "--json"}
	if _, _, err = importing(t, args...); err == nil || !strings.Contains(err.Error(), "--balance") {
		t.Errorf("a file without a balance: %v", err)
	}
	other, _, err := importing(t, append(args, "--balance=-4.50")...)
	if err != nil || *other.New != 1 {
		t.Fatalf("%+v, %v", other, err)
	}
	if _, _, err = importing(t, args...); err != nil { // it is known by now
		t.Errorf("the balance that is stored: %v", err)
	}

	// The same over another address, with a token of the person.
	var person uuid.UUID
	err = storetest.DB(t).SQL().QueryRow(`SELECT person_id FROM memberships WHERE organization_id = $1`,
		first.OrganizationID).Scan(&person)
	if err != nil {
		t.Fatal(err)
	}
	minted := server.OAuthTokenPrefix + uuid.NewString()
	err = storetest.DB(t).SaveOAuthToken(t.Context(), time.Now(), minted,
		store.OAuthToken{PersonID: person, Scopes: server.Scopes, ExpiresAt: time.Now().Add(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("BIZFIN_TOKEN", minted)
	there := []string{"--url", dev.BaseURL + "/", "--organization", first.OrganizationID.String()}
	twice, _, err := importing(t, append([]string{file(februaryFile), "--account", "Checking", "--json"}, there...)...)
	if err != nil || *twice.New != 0 {
		t.Errorf("%+v, %v", twice, err)
	}
	reportsOfAnImport(t, there)
}

func TestRowsThatAreThereUnderOtherIDsAreNotAddedUnasked(t *testing.T) {
	startDemoStack(t)
	save := func(name, text string) string {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	const rows = "01/15/2026,COFFEE SHOP,-4.50\n01/16/2026,CLIENT ACME,1200.00\n01/17/2026,PAPER MILL,-20.00\n"
	plain := save("plain.csv", "Date,Description,Amount\n"+rows)
	withIDs := save("ids.csv", "Date,Description,Amount,Transaction ID\n"+
		strings.NewReplacer("4.50\n", "4.50,X1\n", "\n01/17", ",X2\n01/17").Replace(strings.TrimSpace(rows))+",X3\n"+
		"01/18/2026,RENT,-900.00,X4\n")
	const entry = "<STMTTRN><DTPOSTED>%s<TRNAMT>%s<FITID>%s<NAME>%s</STMTTRN>"
	ofx := save("statement.qfx", "OFXHEADER:100\n<OFX><STMTRS><CURDEF>USD<ACCTID>11112222<BANKTRANLIST>"+
		fmt.Sprintf(entry, "20260115", "-4.50", "F1", "Coffee Shop")+
		fmt.Sprintf(entry, "20260116", "1200.00", "F2", "CLIENT ACME INVOICE 7")+
		fmt.Sprintf(entry, "20260117", "-20.00", "F3", "ACH CREDIT")+
		"</BANKTRANLIST><LEDGERBAL><BALAMT>100.00</LEDGERBAL></STMTRS></OFX>\n")

	business := "--business=twice-" + uuid.NewString() + "=Twice"
	run := func(file string, args ...string) (broughtIn, error) {
		done, _, err := importing(t, append([]string{file, business, "--json"}, args...)...)
		return done, err
	}
	asks := func(err error, count string) {
		t.Helper()
		if err == nil || !strings.Contains(err.Error(), count) || !strings.Contains(err.Error(), "--alike skip") {
			t.Errorf("it does not ask about %s: %v", count, err)
		}
	}
	account := []string{"--account", "Chk", "--balance", "0"}
	if first, err := run(plain, account...); err != nil || *first.New != 3 {
		t.Fatalf("%+v, %v", first, err)
	}
	_, err := run(withIDs, account...)
	asks(err, "3 of 4 rows")
	_, err = run(ofx, account...)
	asks(err, "3 of 3 rows")
	_, err = run(ofx) // an account of the bank's number
	asks(err, `--account "Chk"`)
	if skipped, err := run(withIDs, append(account, "--alike", "skip")...); err != nil || *skipped.New != 1 {
		t.Fatalf("%+v, %v", skipped, err)
	}
	if nothing, err := run(ofx, append(account, "--alike", "skip")...); err != nil || *nothing.New != 0 {
		t.Fatalf("%+v, %v", nothing, err)
	}
	if again, err := run(plain, account...); err != nil || *again.New != 0 {
		t.Fatalf("the same file again: %+v, %v", again, err)
	}
	if added, err := run(ofx, append(account, "--alike", "add")...); err != nil || *added.New != 3 {
		t.Fatalf("%+v, %v", added, err)
	}
	if again, err := run(ofx, account...); err != nil || *again.New != 0 {
		t.Fatalf("what was added is known by now: %+v, %v", again, err)
	}
}

func TestOnlyARegularFileIsImported(t *testing.T) {
	pipe := t.TempDir() + "/pipe"
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/dev/zero", pipe, t.TempDir()} {
		if _, _, err := importing(t, path, "--dry-run", "--account", "A"); err == nil ||
			!strings.Contains(err.Error(), "no regular file") {
			t.Errorf("%s: %v", path, err)
		}
	}
	file := t.TempDir() + "/statement.csv"
	if err := os.WriteFile(file, []byte(februaryFile), 0o600); err != nil {
		t.Fatal(err)
	}
	interrupted, stop := context.WithCancel(t.Context())
	stop()
	if _, err := bizfin(interrupted, "import", file, "--account", "A", "--dry-run"); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupt: %v", err)
	}
}

func TestThePlanAddsUpEachCurrencyAlone(t *testing.T) {
	file := t.TempDir() + "/statement.csv"
	text := "Date,Description,Amount,Currency\n01/15/2026,A,-4.50,USD\n01/16/2026,B,-5,EUR\n01/17/2026,C,-5,eur\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	_, said, err := importing(t, file, "--account", "A", "--dry-run")
	if want := "3 rows, 0.00 in, 10.00 out in EUR, 0.00 in, 4.50 out in USD"; err != nil ||
		!strings.Contains(said, want) {
		t.Errorf("a dry run says not %q: %s, %v", want, said, err)
	}
}

// reportsOfAnImport holds the lines of the reports against each other.
func reportsOfAnImport(t *testing.T, there []string) {
	t.Helper()
	days := append([]string{"--from", "2026-02-01", "--to", "2026-03-31"}, there...)
	for report, column := range map[string]int{"pnl": 2, "cashflow": 3} {
		out, err := bizfin(t.Context(), append([]string{"report", report, "--csv"}, days...)...)
		lines, wrong := csv.NewReader(strings.NewReader(out)).ReadAll()
		if err != nil || wrong != nil || len(lines) < 4 || strings.Join(lines[0][column:],
			" ") != "total 2026-02 2026-03" {
			t.Fatalf("%s prints %s, %v, %v", report, out, err, wrong)
		}
		for _, line := range lines[1:] {
			amount := func(i int) money.Amount {
				a, err := money.Parse(line[column+i])
				if err != nil {
					t.Errorf("%v: %v", line, err)
				}
				return a
			}
			if amount(0) != amount(1)+amount(2) {
				t.Errorf("the months of %v do not come to their total", line)
			}
		}
		if report == "cashflow" && strings.Join(lines[3][:4], " ") != "total All categories net 881.03" {
			t.Errorf("the net cash flow is %v", lines[3])
		}
		said, err := bizfin(t.Context(), append([]string{"report", report, "--json"}, days...)...)
		if err != nil || !strings.Contains(said, `"basis":{`) {
			t.Errorf("%s --json prints %s, %v", report, said, err)
		}
		if said, err = bizfin(t.Context(), append([]string{"report", report}, days...)...); err != nil ||
			!strings.Contains(said, "Feb") {
			t.Errorf("%s prints %s, %v", report, said, err)
		}
	}
	if _, err := bizfin(t.Context(), "report", "pnl", "--from", "yesterday"); err == nil ||
		!strings.Contains(err.Error(), "2026-03-31") {
		t.Errorf("a wrong day: %v", err)
	}
}
