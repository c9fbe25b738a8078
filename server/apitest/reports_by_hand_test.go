package apitest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// goldenYear is a small business in 2026, quarter by quarter. A row is external id, amount, date, category,
// counterparty.
//
// Checked by hand:
//
//	                        Q1          Q2          Q3          Q4        year
//	services           4000.00     5000.00        0.00     3000.00    12000.00
//	products            250.00                                          250.00   gross receipts 12250.00 (line 1)
//	refunds                        -500.00                             -500.00   returns 500.00 (2), net 11750.00 (3)
//	interest              1.23                               1.27         2.50   other income (6)
//	purchases          -600.00                  -400.00               -1000.00
//	freight in          -50.00                                          -50.00   COGS 1050.00 (4), gross profit
//	                                                                    10700.00 (5), income 10702.50 (7)
//	advertising (own)  -100.00                                         -100.00
//	online ads         -200.00     +20.00                              -180.00   advertising 280.00 (8)
//	software            -30.00      -30.00      -30.00     -30.00      -120.00   (27b)
//	meals               -10.01                               -0.04      -10.05   (24b); half is 5.025, to even 5.02
//	home office                                             -300.00     -300.00   (30)
//	uncategorized                  +75.00                   -15.00       60.00   of these +75.00 have no category
//	owner draw                               -1000.00                 -1000.00
//	income tax                     -700.00                             -700.00
//	transfer to savings -500.00                                        -500.00   matched with +500.00 in the other
//	from savings       +500.00                                         +500.00
//	card payment                              -250.00                  -250.00   no other leg
//
// Expenses: 280.00 + 120.00 + 10.05 = 410.05 (28), with the home office 710.05. Net profit 10702.50 - 710.05 = 9992.45
// (31); on the form meals count 5.02, so 28 is 405.02, 29 is 10297.48, 31 is 9997.48.
// Margins: 10700.00 / 11750.00 = 0.9106; (10700.00 - 710.05) / 11750.00 = 0.8502; 9992.45 / 11752.50 = 0.8502.
// Cash flow: in 12250.00 + 2.50 + 20.00 + 75.00 = 12347.50; out 500.00 + 1050.00 + 300.00 + 120.00 + 10.05 + 300.00 +
// 15.00 + 1000.00 + 700.00 = 3995.05; net 8352.45 = 9992.45 - 1700.00 (equity, tax) + 60.00 (uncategorized).
// Transfers: in 500.00, out 750.00, net -250.00, unmatched out 250.00. All rows: 8352.45 - 250.00 = 8102.45.
// Beside it: one pending row of -9.99, one of 80.00 EUR, one of 2025 and one deleted row.
var goldenYear = []struct{ id, amount, date, category, counterparty string }{
	{"s1", "4000.00", "2026-01-15", "revenue.sales.services", "Client"},
	{"s2", "5000.00", "2026-06-30", "revenue.sales.services", "Client"},
	{"s3", "3000.00", "2026-12-31", "revenue.sales.services", "Client"},
	{"s4", "250.00", "2026-03-31", "revenue.sales.products", ""},
	{"r1", "-500.00", "2026-04-01", "revenue.returns.refunds", "Client"},
	{"i1", "1.23", "2026-03-31", "revenue.other.interest", ""},
	{"i2", "1.27", "2026-12-31", "revenue.other.interest", ""},
	{"p1", "-600.00", "2026-02-01", "cogs.purchases", "Supplier"},
	{"p2", "-400.00", "2026-07-01", "cogs.purchases", "Supplier"},
	{"f1", "-50.00", "2026-02-02", "cogs.other.freight_in", ""},
	{"a1", "-100.00", "2026-01-01", "expense.advertising", ""},
	{"a2", "-200.00", "2026-01-02", "expense.advertising.digital", "Ads"},
	{"a3", "20.00", "2026-04-15", "expense.advertising.digital", "Ads"},
	{"w1", "-30.00", "2026-03-01", "expense.other.software", ""},
	{"w2", "-30.00", "2026-06-01", "expense.other.software", ""},
	{"w3", "-30.00", "2026-09-30", "expense.other.software", ""},
	{"w4", "-30.00", "2026-10-01", "expense.other.software", ""},
	{"m1", "-10.01", "2026-03-10", "expense.meals", ""},
	{"m2", "-0.04", "2026-11-10", "expense.meals", ""},
	{"h1", "-300.00", "2026-12-01", "expense.home_office", ""},
	{"u1", "75.00", "2026-05-05", "", ""},
	{"u2", "-15.00", "2026-10-10", "uncategorized.out", ""},
	{"d1", "-1000.00", "2026-08-01", "equity.owner_draw", "Owner"},
	{"t1", "-700.00", "2026-04-15", "tax.estimated_income", ""},
	{"x1", "-500.00", "2026-01-20", "transfer.internal", ""},
	{"x2", "500.00", "2026-01-21", "transfer.internal", ""},
	{"x3", "-250.00", "2026-08-20", "transfer.credit_card_payment", ""},
	{"pending", "-9.99", "2026-05-01", "expense.meals", ""},
	{"euro", "80.00", "2026-05-01", "revenue.sales", ""},
	{"before", "1.00", "2025-12-31", "revenue.sales", ""},
	{"deleted", "1.00", "2026-05-01", "revenue.sales", ""},
}

func TestReportsOfASmallYearAreThoseWorkedOutByHand(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	var uploaded []M
	for _, r := range goldenYear {
		row := transaction(r.id, r.amount, r.date, "ROW")
		switch r.id {
		case "pending":
			row["pending"] = true
		case "euro":
			row["currency"] = "EUR"
		}
		uploaded = append(uploaded, row)
	}
	ids := o.upload(o.uploadAccount("a"), uploaded...)
	of := map[string][]string{}
	for _, r := range goldenYear {
		if r.category != "" {
			o.categorize(ids[r.id], r.category)
		}
		if r.counterparty != "" {
			of[r.counterparty] = append(of[r.counterparty], ids[r.id])
		}
	}
	o.sql(`UPDATE transactions SET transfer_id = CASE WHEN id = $2::uuid THEN $3::uuid ELSE $2::uuid END WHERE organization_id = $1 AND id IN ($2::uuid, $3::uuid)`, ids["x1"], ids["x2"])
	o.delete(o.path + "/transactions/" + ids["deleted"]).want(200)
	names := map[string]string{o.source: "source"}
	for _, name := range []string{"Client", "Supplier", "Ads", "Owner"} {
		names[o.counterparty(name, of[name]...)] = "counterparty " + name
	}
	for _, kind := range []string{"cashflow", "pnl"} {
		got := o.report(kind, asked("startDate", "2026-01-01", "endDate", "2026-12-31", "periodGrouping",
			"quarter")).want(200)
		golden(t, filepath.Join("testdata", kind+".golden.json"), names, got.body)
	}
}

// golden compares an answer with a file, after it has replaced what differs from run to run.
func golden(t *testing.T, file string, names map[string]string, body []byte) {
	t.Helper()
	for id, name := range names {
		body = bytes.ReplaceAll(body, []byte(id), []byte(name))
	}
	decoder := json.NewDecoder(bytes.NewReader(body))
	decoder.UseNumber()
	var report M
	if err := decoder.Decode(&report); err != nil {
		t.Fatal(err)
	}
	report["basis"].(M)["generatedAt"] = "now"
	for _, source := range report["basis"].(M)["sources"].([]any) {
		source.(M)["lastUploadAt"] = "then"
	}
	report["basis"].(M)["ontology"].(M)["version"] = "version"
	got, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
