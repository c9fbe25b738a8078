package apitest

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/store"
)

// counterparties asks for counterparties; params are names and values in turn.
func (o *office) counterparties(params ...string) answer {
	o.t.Helper()
	return o.get(o.path + "/counterparties" + query(params...))
}

// names are the names of the counterparties of a page, in order.
func (r answer) names() []string {
	r.t.Helper()
	list := []string{}
	for i := range r.want(200).size("counterparties") {
		list = append(list, r.text("counterparties", i, "name"))
	}
	return list
}

func (o *office) saveCounterparty(c store.Counterparty) uuid.UUID {
	o.t.Helper()
	c.ID = uuid.New()
	o.must(o.rows().SaveCounterparty(context.Background(), o.clock.Now(), c))
	return c.ID
}

func on(day string) time.Time {
	at, err := time.Parse(time.DateOnly, day)
	if err != nil {
		panic(err)
	}
	return at
}

func TestCounterpartiesAreSearchedByWordsRelationshipAndType(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	site := "https://acme.example"
	o.saveCounterparty(store.Counterparty{Name: "Acme Supplies", Aliases: []string{"ACME INC", "100%_ACME"},
		Type: "company", Relationship: "supplier", Website: &site, LastDate: on("2026-01-03")})
	o.saveCounterparty(store.Counterparty{Name: "Zoë Élan", Type: "person", Relationship: "contractor",
		LastDate: on("2026-01-02")})
	o.saveCounterparty(store.Counterparty{Name: "City of Acme", Type: "government", Relationship: "tax_authority",
		LastDate: on("2026-01-01")})
	a.open().saveCounterparty(store.Counterparty{Name: "Acme of another business", Type: "company",
		Relationship: "supplier", LastDate: on("2026-01-01")})
	for _, tc := range []struct {
		want   []string
		params []string
	}{
		{[]string{"Acme Supplies", "Zoë Élan", "City of Acme"}, nil},
		{[]string{"Acme Supplies", "City of Acme"}, []string{"query", "aCME"}},
		{[]string{"Acme Supplies"}, []string{"query", "inc supplies"}},
		{[]string{"Acme Supplies"}, []string{"query", "acme.example"}},
		{[]string{"Acme Supplies"}, []string{"query", "0%_a"}},
		{[]string{}, []string{"query", "A_me"}},
		{[]string{"Zoë Élan"}, []string{"query", "ÉLAN zoË"}},
		{[]string{"Zoë Élan"}, []string{"type", "person"}},
		{[]string{"City of Acme"}, []string{"relationship", "tax_authority"}},
		{[]string{"City of Acme"}, []string{"query", "acme", "type", "government", "relationship", "tax_authority"}},
		{[]string{}, []string{"query", "acme", "type", "person"}},
	} {
		if diff := cmp.Diff(tc.want, o.counterparties(tc.params...).names()); diff != "" {
			t.Errorf("%q: %s", tc.params, diff)
		}
	}
	o.counterparties("type", "robot").want(422)
	o.counterparties("relationship", "friend").want(422)
}

func TestACounterpartyCursorWalkIsCompleteAndBoundToItsFilters(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	want := map[string]bool{}
	for i := range 45 {
		c := store.Counterparty{Name: fmt.Sprintf("Party %02d", i), Type: "company", Relationship: "client",
			LastDate: on(fmt.Sprintf("2026-01-%02d", 1+i%4))}
		o.saveCounterparty(c)
		want[c.Name] = true
	}
	seen := map[string]bool{}
	params := []string{"relationship", "client"}
	for page := 0; ; page++ {
		got := o.counterparties(append(slices.Clone(params), "limit", fmt.Sprint(7+page))...)
		for _, name := range got.names() {
			if seen[name] {
				t.Errorf("%s came twice", name)
			}
			seen[name] = true
		}
		if got.get("nextCursor") == nil {
			break
		}
		params = []string{"relationship", "client", "cursor", got.text("nextCursor")}
		o.saveCounterparty(store.Counterparty{Name: "Newer", Type: "company", Relationship: "client",
			LastDate: on("2026-02-01")})
		o.counterparties("relationship", "unknown", "cursor", params[3]).want(422)
		o.search("cursor", params[3]).want(422)
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Errorf("walked: %s", diff)
	}
}

func TestCounterpartyStatsAreExactForEachCurrency(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	id := o.saveCounterparty(store.Counterparty{Name: "Huge", Type: "company", Relationship: "client", Confidence: 9700,
		LastDate: on("2026-03-31")})
	o.insertRows(a, 10_000) // each the largest outgoing amount; together more than an int64 of cents
	euro := transaction("euro", "0.01", "2026-02-01", "EURO")
	euro["currency"] = "EUR"
	more := transaction("euro2", "-0.02", "2026-02-03", "EURO")
	more["currency"] = "EUR"
	o.upload(a, transaction("in", "0.05", "2025-12-31", "IN"), euro, more,
		transaction("gone", "7", "2030-01-01", "GONE"))
	o.exec(`UPDATE transactions SET counterparty_id = $2 WHERE organization_id = $1`, o.organization, id)
	o.delete(o.path + "/transactions/" +
		o.scalar(`SELECT id FROM transactions WHERE organization_id = $1 AND external_id = 'gone'`,
			o.organization)).want(200)

	want := []M{
		{"currency": "EUR", "transactionCount": 2, "inflow": json.Number("0.01"), "outflow": json.Number("0.02"),
			"net":           json.Number("-0.01"),
			"averageAmount": json.Number("0.00"), "firstDate": "2026-02-01", "lastDate": "2026-02-03",
			"recurring": nil},
		{"currency": "USD", "transactionCount": 10_001, "inflow": json.Number("0.05"),
			"outflow": json.Number("99999999999999900.00"),
			"net":     json.Number("-99999999999999899.95"), "averageAmount": json.Number("-9999000099989.99"),
			"firstDate": "2025-12-31", "lastDate": "2026-03-31", "recurring": nil},
	}
	o.counterparties().want(200).wantAt(want, "counterparties", 0, "stats")
	o.get(o.path+"/counterparties/"+id.String()).want(200).wantAt(want, "counterparty", "stats")
}

func TestCounterpartyDetailShowsWhatSurroundsIt(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	ctx, now, account := context.Background(), a.clock.Now(), o.uploadAccount("a")
	site := "https://acme.example"
	id := o.saveCounterparty(store.Counterparty{Name: "Acme", Aliases: []string{"B", "A"}, Type: "non-profit",
		Relationship: "donation_recipient", Website: &site, Confidence: 9701, LastDate: on("2026-01-12")})
	var want []string
	for i := range 12 {
		externalID := fmt.Sprintf("t%02d", i)
		row := uuid.MustParse(o.upload(account, transaction(externalID, "-1", fmt.Sprintf("2026-01-%02d", i+1),
			"ACME"))[externalID])
		o.must(o.rows().SetCounterparty(ctx, now, row, id))
		if i < 8 {
			o.must(o.rows().SetCategory(ctx, now, row,
				store.CategoryChoice{CategoryID: categoryID([]string{"expense.meals", "personal"}[i%4/3]),
					Source: "rule"}))
		}
		if i >= 2 {
			want = append([]string{externalID}, want...)
		}
	}
	issue := question("counterparty", id.String(), now)
	o.must(o.rows().OpenIssue(ctx, issue, nil))
	o.must(o.rows().OpenIssue(ctx, question("counterparty", uuid.NewString(), now), nil))

	got := o.get(o.path + "/counterparties/" + id.String()).want(200)
	for field, wanted := range map[string]any{
		"id": id, "name": "Acme", "aliases": []string{"B", "A"}, "type": "non-profit",
		"relationship": "donation_recipient", "website": site, "confidence": json.Number("0.9701"),
		"topCategories": []M{
			{"categoryPath": "expense.meals", "name": "Meals", "transactionCount": 6},
			{"categoryPath": "uncategorized", "name": "Uncategorized", "transactionCount": 4},
			{"categoryPath": "personal", "name": got.text("counterparty", "topCategories", 2, "name"),
				"transactionCount": 2},
		},
	} {
		got.wantAt(wanted, "counterparty", field)
	}
	var recent []string
	for i := range got.size("counterparty", "recentTransactions") {
		recent = append(recent, got.text("counterparty", "recentTransactions", i, "externalId"))
	}
	if diff := cmp.Diff(want, recent); diff != "" {
		t.Errorf("recent transactions: %s", diff)
	}
	if got.size("counterparty", "openIssues") != 1 || got.text("counterparty", "openIssues", 0,
		"id") != issue.ID.String() {
		t.Errorf("open issues: %s", got.body)
	}
	for _, unknown := range []string{uuid.NewString(), "x", id.String()[1:], account} {
		o.get(o.path + "/counterparties/" + unknown).want(404)
	}
}

func TestACounterpartyWithoutTransactionsHasNoStats(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	id := o.saveCounterparty(store.Counterparty{Name: "New", Type: "company", Relationship: "unknown",
		LastDate: on("2026-01-01")})
	got := o.get(o.path + "/counterparties/" + id.String()).want(200)
	for _, list := range []string{"stats", "topCategories", "recentTransactions", "openIssues", "aliases"} {
		got.wantAt([]any{}, "counterparty", list)
	}
	got.wantAt(nil, "counterparty", "website")
}

// The list says what is newest, not what was: a row with a mistyped year, one that is deleted.
func TestACounterpartyComesAsLateInTheListAsItsNewestRowThatIsLeft(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	account := o.uploadAccount("checking")
	ids := o.upload(account,
		transaction("insured", "-80.00", "9999-12-31", "STATE FARM INSURANCE"),
		transaction("ink", "-20.00", "2026-03-30", "ADOBE *CREATIVE CLOUD 408-536-6000 CA"),
		transaction("more ink", "-20.00", "2026-02-28", "ADOBE *CREATIVE CLOUD 408-536-6000 CA"),
		transaction("seat", "-30.00", "2026-03-15", "DELTA AIR LINES ATLANTA"),
	)
	o.process(1000)
	o.wantParties("State Farm", "Adobe", "Delta Air Lines")
	o.upload(account, transaction("insured", "-80.00", "2026-03-01", "STATE FARM INSURANCE"))
	o.wantParties("Adobe", "Delta Air Lines", "State Farm")
	o.upload(account, transaction("insured", "-80.00", "2026-04-01", "STATE FARM INSURANCE"))
	o.wantParties("State Farm", "Adobe", "Delta Air Lines")
	o.upload(account, transaction("insured", "-80.00", "2026-03-01", "STATE FARM INSURANCE"))
	o.wantParties("Adobe", "Delta Air Lines", "State Farm")
	o.delete(o.path + "/transactions/" + ids["ink"]).want(200)
	o.wantParties("Delta Air Lines", "State Farm", "Adobe")
	o.delete(o.path + "/transactions/" + ids["seat"]).want(200)
	o.wantParties("State Farm", "Adobe", "Delta Air Lines")
	o.upload(account, transaction("flight", "-31.00", "2026-04-02", "DELTA AIR LINES ATLANTA"))
	o.process(1000)
	o.wantParties("Delta Air Lines", "State Farm", "Adobe")
}

// A line that the bank corrects may read like somebody else's: the row stays with whom it is with, and moves nobody
// else.
func TestACorrectedLineMovesNobodyUpTheListThatItsRowIsNotWith(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	account := o.uploadAccount("checking")
	o.upload(account,
		transaction("old fuel", "-30.00", "2024-07-04", "SHELL OIL 57444"),
		transaction("fuel", "-30.00", "2026-02-26", "SHELL OIL 57444"),
		transaction("paper", "-30.00", "2024-07-05", "STAPLES 0011"),
		transaction("phone", "-50.00", "2025-05-05", "VERIZON WRLS"),
	)
	o.process(1000)
	o.wantParties("Shell", "Verizon", "Staples")
	o.upload(account, transaction("fuel", "-30.00", "2026-02-26", "STAPLES 0011"))
	o.process(1000)
	o.wantParties("Shell", "Verizon", "Staples")
	o.upload(account, transaction("fuel", "-30.00", "2026-02-26", "ADOBE *CREATIVE CLOUD"))
	o.process(1000)
	o.wantParties("Shell", "Verizon", "Staples")
}

// Rows that were taken for somebody's go back with the answer that said so.
func TestACounterpartyThatGivesRowsBackIsListedByThoseItKeeps(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account,
		transaction("fuel", "-30.00", "2024-03-04", "SHELL OIL 57444"),
		transaction("bill-0", "-350.00", "2025-04-05", quorvane),
		transaction("bill-1", "-350.00", "2025-05-05", quorvane),
		transaction("phone", "-50.00", "2025-01-05", "VERIZON WRLS"),
		transaction("check", "-350.00", "2025-08-05", "WITHDRAWAL 00412"),
	)
	o.process(0)
	o.wantParties("Quorvane Holdings", "Verizon", "Shell")
	for _, name := range []string{"Quorvane", "WITHDRAWAL", "Verizon"} {
		for range 2 {
			id := o.questionAbout(name).id
			o.answerIssue(id, "Shell", nil).want(200)
			o.process(0)
			if got := o.counterparties().names(); got[0] != "Shell" && name != "Verizon" {
				t.Errorf("counterparties are %q", got)
			}
			o.answerIssue(id, "undo", nil).want(200)
			o.process(0)
			o.wantParties("Quorvane Holdings", "Verizon", "Shell")
		}
	}
}

// wantParties are the counterparties in the order of their list, once a worker has added up what changed.
func (o *office) wantParties(want ...string) {
	o.t.Helper()
	for more := true; more; {
		var err error
		more, err = o.db.AddUpCounts(o.t.Context(), time.Now().Add(time.Hour))
		o.must(err)
	}
	if got := o.counterparties().names(); !slices.Equal(got, want) {
		o.t.Errorf("counterparties are %q, not %q", got, want)
	}
}
