package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/ontology"
	"bizfin/store"
	"bizfin/store/storetest"
)

// report asks for one of the reports: cashflow or pnl.
func (o *office) report(kind string, params url.Values) answer {
	o.t.Helper()
	return o.get(o.path + "/reports/" + kind + "?" + params.Encode())
}

// asked are query parameters, name and value in turn.
func asked(pairs ...string) url.Values {
	values := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		values.Set(pairs[i], pairs[i+1])
	}
	return values
}

// sql runs a statement on the business's rows that no part of the product runs; $1 is the organization.
func (o *office) sql(statement string, args ...any) {
	o.t.Helper()
	o.must(storetest.Exec(o.t.Context(), o.db.SQL(), statement, append([]any{o.organization}, args...)...))
}

// categorize stores the user's choice of a category.
func (o *office) categorize(transaction, path string) {
	o.t.Helper()
	category, ok := ontology.ScheduleC().ByPath(path)
	if !ok {
		o.t.Fatalf("no category %s", path)
	}
	err := o.rows().SetCategory(context.Background(), o.clock.Now(), uuid.MustParse(transaction),
		store.CategoryChoice{CategoryID: category.ID, Source: "user", Confidence: 10_000})
	if err != nil {
		o.t.Fatal(err)
	}
}

// counterparty stores a counterparty and gives it to transactions.
func (o *office) counterparty(name string, transactions ...string) string {
	o.t.Helper()
	id := uuid.Must(uuid.NewV7()).String()
	o.sql(`INSERT INTO counterparties (organization_id, id, name, type, relationship, confidence, last_date, created_at, updated_at)
		VALUES ($1, $2, $3, 'company', 'unknown', 9000, '2026-01-01', now(), now())`, id, name)
	for _, transaction := range transactions {
		o.sql(`UPDATE transactions SET counterparty_id = $2 WHERE organization_id = $1 AND id = $3`, id, transaction)
	}
	return id
}

// split divides a row into parts with amounts of either sign, as an answer does.
func (o *office) split(random *rand.Rand, transaction string) {
	category := func() (id int) {
		all := ontology.ScheduleC().All()
		if random.IntN(4) == 0 {
			transfer, _ := ontology.ScheduleC().ByPath("transfer")
			return transfer.Children[random.IntN(len(transfer.Children))].ID
		}
		for c := all[random.IntN(len(all))]; ; c = all[random.IntN(len(all))] {
			if !c.Is(ontology.Uncategorized) {
				return c.ID
			}
		}
	}
	o.sql(`UPDATE transactions SET category_id = -1, category_source = 'user', category_confidence = 10000
		WHERE organization_id = $1 AND id = $2`, transaction)
	const part = `INSERT INTO transaction_parts (organization_id, transaction_id, ordinal, category_id, amount, answer_id) `
	for i := range 1 + random.IntN(3) {
		o.sql(part+`VALUES ($1, $2, $3, $4, $5, $1)`, transaction, i+1, category(), random.IntN(2_000_00)-1_000_00)
	}
	o.sql(part+`SELECT $1, id, 5, $3, amount - (SELECT sum(amount) FROM transaction_parts WHERE organization_id = $1 AND transaction_id = $2), $1
		FROM transactions WHERE organization_id = $1 AND id = $2`, transaction, category())
}

// randomBusiness uploads rows of all kinds around the ends of years, quarters, months, ISO weeks and a leap day.
func randomBusiness(t *testing.T, random *rand.Rand, rows int) *office {
	t.Helper()
	o := shared(t).open()
	account := o.uploadAccount("a")
	edges := []string{"2023-12-25", "2023-12-31", "2024-01-01", "2024-02-28", "2024-02-29", "2024-03-01", "2024-03-31",
		"2024-04-01",
		"2024-06-30", "2024-09-29", "2024-09-30", "2024-10-01", "2024-12-29", "2024-12-30", "2024-12-31", "2025-01-01",
		"2025-01-05", "2025-01-06"}
	var uploaded []M
	for i := range rows {
		row := transaction(fmt.Sprintf("t%d", i), money.Amount(random.IntN(2_000_00)-1_000_00).String(),
			edges[random.IntN(len(edges))], "ROW")
		switch random.IntN(12) {
		case 0:
			row["pending"] = true
		case 1:
			row["currency"] = []string{"EUR", "JPY"}[random.IntN(2)]
		case 2:
			row["amount"] = json.Number("0")
		case 3:
			row["amount"] = json.Number([]string{"9999999999999.99", "-9999999999999.99", "0.01",
				"-0.01"}[random.IntN(4)])
		}
		uploaded = append(uploaded, row)
	}
	ids := o.upload(account, uploaded...)
	var parties []string
	for i := range 4 {
		parties = append(parties, o.counterparty(fmt.Sprintf("Party %d", i)))
	}
	all := ontology.ScheduleC().All()
	for i := range rows {
		id := ids[fmt.Sprintf("t%d", i)]
		if random.IntN(3) == 0 { // a suggestion counts where there is no category
			o.sql(`UPDATE transactions SET suggested_id = $3, suggested_confidence = $4, suggested_reason = 'so it seems', processing = 'processed'
				WHERE organization_id = $1 AND id = $2`, id, all[random.IntN(len(all))].ID, random.IntN(10_001))
		}
		// whose parts would be beyond what an amount is
		largest := len(uploaded[i]["amount"].(json.Number)) > len("-99999.99")
		switch chance := random.IntN(6); {
		case chance == 0: // none
		case chance == 1 && !largest:
			o.split(random, id)
		default:
			o.categorize(id, all[random.IntN(len(all))].Path)
		}
		if random.IntN(3) > 0 {
			o.sql(`UPDATE transactions SET counterparty_id = $3 WHERE organization_id = $1 AND id = $2`, id,
				parties[random.IntN(len(parties))])
		}
		switch random.IntN(4) {
		case 0:
			o.sql(`UPDATE transactions SET authorized_date = processed_date - $3::int WHERE organization_id = $1 AND id = $2`, id, random.IntN(9))
		case 1:
			o.sql(`UPDATE transactions SET authorized_date = NULL WHERE organization_id = $1 AND id = $2`, id)
		}
		o.sql(`UPDATE transactions SET processing = $3 WHERE organization_id = $1 AND id = $2`, id,
			[]string{"queued", "limited", "processed", "processed"}[random.IntN(4)])
		if random.IntN(10) == 0 { // who is divided is no leg
			o.sql(`UPDATE transactions SET transfer_id = $3 WHERE organization_id = $1 AND id = $2 AND category_id IS DISTINCT FROM -1`, id, ids[fmt.Sprintf("t%d", random.IntN(rows))])
		}
		if random.IntN(10) == 0 {
			o.delete(o.path + "/transactions/" + id).want(200)
		}
	}
	return o
}

func TestEveryCentOfAReportIsOfTheRowsThatSearchReturns(t *testing.T) {
	t.Parallel()
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(seed, 20261120))
			o := randomBusiness(t, random, 120)
			rows := o.everyRow()
			pick := func(list ...string) string { return list[random.IntN(len(list))] }
			for range 40 {
				params := asked(
					"startDate", pick("2023-12-01", "2023-12-31", "2024-01-01", "2024-02-29", "2024-02-28T12:00:00Z",
						"2023-12-31T00:00:00Z", "2024-01-01T01:00:00+02:00", "2024-09-30"),
					"endDate", pick("2024-12-31", "2025-01-05", "2024-12-31T00:00:00Z", "2024-12-30T23:59:59.999Z",
						"2024-12-31T23:30:00-01:00", "2025-03-01", "2024-09-30"),
					"periodGrouping", pick("quarter", "month", "week", "day"),
					"dateField", pick("processed_at", "authorized_at"),
					"periodLimit", pick("1", "2", "12", "60", "4000", "9000000000"),
				)
				switch random.IntN(4) {
				case 0:
					params.Set("categoryNames", pick(`["Expenses"]`, `["Income","Uncategorized"]`, `["advertising"]`,
						`["EXPENSE.Travel"," Income "]`, `["Transfers between own accounts"]`, `[]`))
				case 1:
					params.Set("categoryPaths", pick(`[["Expenses","Advertising"]]`, `[["revenue"],["uncategorized"]]`,
						`[["expense","travel"],["Income"]]`, `[["uncategorized.in"]]`, `[["advertising"],["expense.travel"]]`, `[]`))
				case 2:
					params.Set("categoryNames", `["Income"]`)
					params.Set("categoryPaths", `[["Expenses"],["revenue","returns"]]`)
				}
				pnl := o.report("pnl", params).want(200)
				expectReport(t, pnl, "pnl", params, rows)
				o.expectSummary(t, "pnl", params, pnl)
				if random.IntN(3) == 0 {
					chosen := []string{rows[random.IntN(len(rows))].counterparty,
						rows[random.IntN(len(rows))].counterparty, "no id"}
					list, err := json.Marshal(chosen[:1+random.IntN(3)])
					if err != nil {
						t.Fatal(err)
					}
					params.Set("counterpartyIds", string(list))
				}
				cashflow := o.report("cashflow", params).want(200)
				expectReport(t, cashflow, "cashflow", params, rows)
				o.expectSummary(t, "cashflow", params, cashflow)
				if t.Failed() {
					t.Fatalf("with %v", params)
				}
			}
		})
	}
}

func TestReportsGroupByMonthOfTheProcessedDateUnlessTold(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	for _, kind := range []string{"cashflow", "pnl"} {
		got := o.report(kind, asked("startDate", "2024-01-01", "endDate", "2025-01-31")).want(200)
		for name, want := range map[string]string{"dateField": "processed_at", "periodGrouping": "month",
			"periodLimit": "12", "periodCount": "13",
			"startDate": "2024-01-01", "endDate": "2025-01-31", "currency": "USD", "timezone": "UTC", "method": "cash",
			"generatedAt": o.clock.Now().Format(time.RFC3339Nano)} {
			if got := got.text("basis", name); got != want {
				t.Errorf("%s: basis.%s is %s, want %s", kind, name, got, want)
			}
		}
		if got := got.get("basis", "truncated"); got != true {
			t.Errorf("%s of 13 months is not truncated", kind)
		}
		if size, first := got.size("periods"), got.text("periods", 0, "key"); size != 12 || first != "2024-02" {
			t.Errorf("%s has %d periods from %s", kind, size, first)
		}
		if id := got.text("basis", "ontology", "id"); id != ontology.DefaultID {
			t.Errorf("%s is on ontology %s", kind, id)
		}
	}
}

func TestReportRefusesWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	for name, test := range map[string]struct {
		params  url.Values
		kinds   string
		issues  []string
		message string // part of the first issue's
	}{
		"start after end": {asked("startDate", "2026-02-01", "endDate", "2026-01-31"), "cashflow pnl",
			[]string{"query /endDate minimum"}, "startDate"},
		"start an instant after": {asked("startDate", "2026-02-01T00:00:00.000000001Z", "endDate",
			"2026-02-01T00:00:00Z"), "cashflow pnl", []string{"query /endDate minimum"}, ""},
		"no range": {asked(), "cashflow pnl", []string{"query /endDate required",
			"query /startDate required"}, ""},
		"not a date": {asked("startDate", "2026-02-29", "endDate", "2026-03-31"), "cashflow pnl",
			[]string{"query /startDate format"}, ""},
		"too many days": {asked("startDate", "2000-01-01", "endDate", "2026-12-31", "periodGrouping", "day",
			"periodLimit", "5000"), "cashflow pnl", []string{"query /periodGrouping maximum"}, "use week"},
		"too many quarters": {asked("startDate", "0001-01-01", "endDate", "9999-12-31", "periodGrouping",
			"quarter", "periodLimit", "4001"), "cashflow pnl", []string{"query /periodGrouping maximum"},
			"a periodLimit of at most 4000"},
		"unknown grouping": {asked("startDate", "2026-01-01", "endDate", "2026-12-31", "periodGrouping",
			"year"), "cashflow pnl", []string{"query /periodGrouping enum"}, ""},
		"unknown date field": {asked("startDate", "2026-01-01", "endDate", "2026-12-31", "dateField", "primary"),
			"cashflow pnl", []string{"query /dateField enum"}, ""},
		"no periods": {asked("startDate", "2026-01-01", "endDate", "2026-12-31", "periodLimit", "0"),
			"cashflow pnl", []string{"query /periodLimit minimum"}, ""},
		"unknown name": {asked("startDate", "2026-01-01", "endDate", "2026-12-31", "categoryNames",
			`["Income","Advertisng"]`), "cashflow pnl", []string{"query /categoryNames/1 enum"}, "nearest: expense.advertising"},
		"unknown path": {asked("startDate", "2026-01-01", "endDate", "2026-12-31", "categoryPaths",
			`[["Expenses","Advertisng"]]`), "cashflow pnl", []string{"query /categoryPaths/0 enum"}, `nearest: ["Expenses","Advertising"]`},
		"unknown ontology id": {asked("startDate", "2026-01-01", "endDate", "2026-12-31", "ontologyId",
			uuid.NewString()), "cashflow", []string{"query /ontologyId enum"}, ontology.DefaultID},
		"unknown ontology key": {asked("startDate", "2026-01-01", "endDate", "2026-12-31", "ontologyKey",
			"us.schedule_f"), "cashflow", []string{"query /ontologyKey enum"}, ontology.DefaultKey},
		"cash-flow parameters": {asked("startDate", "2026-01-01", "endDate", "2026-12-31", "counterpartyIds",
			"[]"), "pnl", []string{"query /counterpartyIds unknown"}, ""},
		"all problems are reported": {asked("startDate", "2026-02-01", "endDate", "2026-01-31", "categoryNames",
			`["Nothing"]`), "cashflow pnl", []string{"query /categoryNames/0 enum", "query /endDate minimum"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, kind := range strings.Fields(test.kinds) {
				got := o.report(kind, test.params).want(422)
				issues := got.issues()
				slices.Sort(issues)
				if diff := cmp.Diff(test.issues, issues); diff != "" {
					t.Errorf("%s: %s", kind, diff)
				}
				if message := got.text("issues", 0, "message"); !strings.Contains(message, test.message) {
					t.Errorf("%s: %q does not say %q", kind, message, test.message)
				}
			}
		})
	}
}

func TestReportKnowsItsOntology(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	o.report("cashflow", asked("startDate", "2026-01-01", "endDate", "2026-12-31", "ontologyId", ontology.DefaultID,
		"ontologyKey", ontology.DefaultKey)).want(200)
}

func TestCounterpartyIdsThatAreNoneMatchNothing(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	o.upload(o.uploadAccount("a"), transaction("t", "10.00", "2026-03-01", "ROW"))
	count := func(ids string) string {
		return o.report("cashflow", asked("startDate", "2026-01-01", "endDate", "2026-12-31", "counterpartyIds",
			ids)).want(200).text("basis", "transactionCount")
	}
	if got := count(`["nobody"]`); got != "0" {
		t.Errorf("a filter by no counterparty's id counts %s rows, want 0", got)
	}
	if got := count(`[]`); got != "1" {
		t.Errorf("no filter counts %s rows, want 1", got)
	}
}

func TestSumsOfAReportGoBeyondInt64(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	id := o.upload(o.uploadAccount("a"), transaction("t", "9999999999999.99", "2026-03-01", "ROW"))["t"]
	o.categorize(id, "revenue.sales")
	o.sql(`INSERT INTO transactions (organization_id, id, source_id, account_id, external_id, amount, currency, authorized_date, processed_date, description, created_at, updated_at, category_id, category_source, category_confidence)
		SELECT organization_id, gen_random_uuid(), source_id, account_id, 'copy ' || n, amount, currency,
		  authorized_date, processed_date, description, created_at, updated_at, category_id, category_source,
		  category_confidence
		FROM transactions, generate_series(1, 9999) n
		WHERE organization_id = $1`)
	const want = "99999999999999900.00" // 10,000 times 9,999,999,999,999.99; in cents more than 2^63
	params := asked("startDate", "2026-01-01", "endDate", "2026-12-31")
	cashflow := o.report("cashflow", params).want(200)
	for _, path := range [][]any{{"totals", "net"}, {"series", 2, "inflow"},
		{"categories", 0, "children", 0, "byPeriod", 2, "net"}, {"counterparties", 0, "net"}} {
		if got := cashflow.text(path...); got != want {
			t.Errorf("cash flow %v is %s, want %s", path, got, want)
		}
	}
	pnl := o.report("pnl", params).want(200)
	for _, path := range [][]any{{"totals", "netProfit"}, {"series", 2, "grossReceipts"}, {"categories", 0, "amount"},
		{"scheduleC", 0, "deductibleAmount"}} {
		if got := pnl.text(path...); got != want {
			t.Errorf("P&L %v is %s, want %s", path, got, want)
		}
	}
	if got := pnl.text("margins", "net"); got != "1.0000" {
		t.Errorf("net margin is %s, want 1.0000", got)
	}
}

func TestTheFiftyLargestCounterpartiesAreListedAndTheRestIsOneRow(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	account := o.uploadAccount("a")
	var rows []M
	for i := range 60 {
		sign := []string{"", "-"}[i%2]
		rows = append(rows, transaction(fmt.Sprint(i), fmt.Sprintf("%s%d.00", sign, i+1), "2026-03-01", "ROW"))
	}
	rows = append(rows, transaction("none", "1000.00", "2026-02-01", "ROW"))
	ids := o.upload(account, rows...)
	for i := range 60 {
		o.counterparty(fmt.Sprintf("Party %d", i+1), ids[fmt.Sprint(i)])
	}
	got := o.report("cashflow", asked("startDate", "2026-02-01", "endDate", "2026-03-31")).want(200)
	if size := got.size("counterparties"); size != 51 {
		t.Fatalf("%d rows, want 51", size)
	}
	if id, name := got.get("counterparties", 0, "id"), got.text("counterparties", 0, "net"); id != nil ||
		name != "1000.00" {
		t.Errorf("first is %v with %s, want rows without a counterparty with 1000.00", id, name)
	}
	for i := 1; i < 50; i++ {
		if got, want := got.text("counterparties", i, "name"), fmt.Sprintf("Party %d", 61-i); got != want {
			t.Errorf("place %d is %s, want %s", i, got, want)
		}
	}
	// The others are parties 1 to 11: odd ones in, 1+3+5+7+9+11 = 36, even ones out, 2+4+6+8+10 = 30.
	other := func(path ...any) string { return got.text(append([]any{"counterparties", 50}, path...)...) }
	if got.get("counterparties", 50, "other") != true || other("inflow") != "36.00" || other("outflow") != "30.00" ||
		other("net") != "6.00" ||
		other("transactionCount") != "11" || other("byPeriod", 1, "inflow") != "36.00" ||
		other("byPeriod", 0, "inflow") != "0.00" {
		t.Errorf("the others are %v", got.get("counterparties", 50))
	}
	// The sizes of all nets are 1000 and 1 to 60: 1000 + 1830 = 2830. 1000/2830 = 0.3534, 60/2830 = 0.0212, 6/2830 =
	// 0.0021.
	for i, want := range map[int]string{0: "0.3534", 1: "0.0212", 50: "0.0021"} {
		if got := got.text("counterparties", i, "share"); got != want {
			t.Errorf("share at %d is %s, want %s", i, got, want)
		}
	}
}

func TestBasisSaysWhatIsNotProcessedAndNotAnswered(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	ids := o.upload(o.uploadAccount("a"), transaction("q", "1.00", "2020-01-01", "ROW"),
		transaction("l", "1.00", "2020-01-01", "ROW"), transaction("p", "1.00", "2020-01-01", "ROW"),
		transaction("d", "1.00", "2020-01-01", "ROW"))
	o.sql(`UPDATE transactions SET processing = 'limited' WHERE organization_id = $1 AND id = $2`, ids["l"])
	o.sql(`UPDATE transactions SET processing = 'processed' WHERE organization_id = $1 AND id = $2`, ids["p"])
	o.delete(o.path + "/transactions/" + ids["d"]).want(200)
	o.sql(`INSERT INTO outstanding_issues (organization_id, id, object_type, object_id, kind, question, why, impact_amount, impact_currency, transaction_count, options, allows_free_text, status, created_at, ended_at)
		SELECT $1::uuid, gen_random_uuid(), 'company', $1::uuid::text, 'k', 'q', 'w', 1, 'USD', 1, '[]', true, status,
		  now(), CASE WHEN status = 'open' THEN NULL ELSE now() END
		FROM unnest('{open,open,closed}'::text[]) status`)
	for _, kind := range []string{"cashflow", "pnl"} {
		got := o.report(kind, asked("startDate", "2026-01-01", "endDate", "2026-12-31")).want(200)
		for want, path := range map[string][]any{"1": {"basis", "processing", "limited"},
			"1 ": {"basis", "processing", "queued"}, "2": {"basis", "openIssues"}, "0": {"basis", "transactionCount"}} {
			if got := got.text(path...); got != strings.TrimSpace(want) {
				t.Errorf("%s: %v is %s, want %s", kind, path, got, want)
			}
		}
	}
}

func TestAnotherBusinessIsNotInTheReport(t *testing.T) {
	t.Parallel()
	a := shared(t)
	mine, other := a.open(), a.open()
	ids := other.upload(other.uploadAccount("a"), transaction("t", "10.00", "2026-03-01", "ROW"))
	theirs := other.counterparty("Theirs", ids["t"])
	for _, params := range []url.Values{asked("startDate", "2026-01-01", "endDate", "2026-12-31"),
		asked("startDate", "2026-01-01", "endDate", "2026-12-31", "counterpartyIds", `["`+theirs+`"]`)} {
		if got := mine.report("cashflow", params).want(200).text("basis", "transactionCount"); got != "0" {
			t.Errorf("the report counts %s rows of another business", got)
		}
	}
}

func TestATransferWhoseOtherLegIsDeletedIsUnmatched(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	account := o.uploadAccount("a")
	ids := o.upload(account, transaction("out", "-10.00", "2026-03-01", "ROW"),
		transaction("in", "10.00", "2026-03-01", "ROW"), transaction("alone", "-5.00", "2026-03-01", "ROW"))
	for _, id := range ids {
		o.categorize(id, "transfer.internal")
	}
	o.sql(`UPDATE transactions SET transfer_id = CASE WHEN id = $2 THEN $3 ELSE $2 END::uuid WHERE organization_id = $1 AND id IN ($2, $3)`, ids["out"], ids["in"])
	unmatched := func() string {
		got := o.report("cashflow", asked("startDate", "2026-01-01", "endDate", "2026-12-31")).want(200)
		return got.text("internalTransfers", "transactionCount") + " " + got.text("internalTransfers", "unmatched",
			"transactionCount") + " " + got.text("internalTransfers", "unmatched", "outflow")
	}
	if got := unmatched(); got != "3 1 5.00" {
		t.Errorf("transfers, unmatched, out: %s, want 3 1 5.00", got)
	}
	o.delete(o.path + "/transactions/" + ids["in"]).want(200)
	if got := unmatched(); got != "2 2 15.00" {
		t.Errorf("transfers, unmatched, out: %s, want 2 2 15.00", got)
	}
}
