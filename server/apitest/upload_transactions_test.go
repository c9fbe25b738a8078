package apitest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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

// send uploads transactions, whatever comes of it.
func (o *office) sendTransactions(account string, transactions ...M) answer {
	o.t.Helper()
	return o.post(o.path+"/accounts/"+account+"/transactions", M{"transactions": transactions})
}

// row is the detail of a transaction.
func (o *office) row(id string) M {
	o.t.Helper()
	return o.get(o.path + "/transactions/" + id).want(200).get("transaction").(map[string]any)
}

// all are the transactions of the first page by external id.
func (o *office) all() map[string]M {
	o.t.Helper()
	list := map[string]M{}
	for _, item := range o.get(o.path + "/transactions?limit=50").want(200).get("transactions").([]any) {
		found := item.(map[string]any)
		list[found["externalId"].(string)] = found
	}
	return list
}

// generation is that of the event of an account; it rises with every accepted upload, and 0 is none.
func (o *office) generation(account string) int64 {
	o.t.Helper()
	work, err := o.rows().Events(context.Background())
	if err != nil {
		o.t.Fatal(err)
	}
	for _, w := range work {
		if w.AccountID.String() == account {
			return w.Generation
		}
	}
	return 0
}

// categoryID is the number of a category.
func categoryID(path string) int {
	category, ok := ontology.ScheduleC().ByPath(path)
	if !ok {
		panic("no category " + path)
	}
	return category.ID
}

func (a *api) must(err error) {
	a.t.Helper()
	if err != nil {
		a.t.Fatal(err)
	}
}

func TestTransactionsKeepTheirIDs(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	first := o.upload(a, transaction("t1", "1", "2026-01-01", "ONE"), transaction("t2", "2", "2026-01-02", "TWO"))
	// In another order, with one new before and one after the known ones.
	second := o.upload(a, transaction("t9", "9", "2026-01-09", "NINE"), transaction("t2", "2", "2026-01-02", "TWO"),
		transaction("t1", "-1", "2026-01-01", "ONE"), transaction("t0", "9", "2026-01-09", "ZERO"))
	if len(second) != 4 || second["t1"] != first["t1"] || second["t2"] != first["t2"] {
		t.Errorf("ids %v, want those of %v", second, first)
	}
	if got := len(o.all()); got != 4 {
		t.Errorf("%d transactions, want 4", got)
	}
}

func TestAnUnchangedReuploadChangesNothing(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	a := o.uploadAccount("a")
	batch := []M{transaction("t1", "1.50", "2026-01-01", "ONE"), transaction("t2", "2", "2026-01-02", "TWO")}
	o.upload(a, batch...)
	before := o.all()
	o.clock.Add(time.Minute)
	// the defaults, said
	batch[0]["amount"], batch[0]["pending"], batch[0]["currency"] = json.Number("1.5"), false, "USD"
	o.upload(a, batch...)
	if diff := cmp.Diff(before, o.all()); diff != "" {
		t.Errorf("changed: %s", diff)
	}
}

func TestAChangedReuploadUpdatesBankFieldsAlone(t *testing.T) {
	t.Parallel()
	o := start(t).open()
	ctx, now, rows := context.Background(), o.clock.Now(), o.rows()
	a := o.uploadAccount("a")
	id := uuid.MustParse(o.upload(a, transaction("t1", "-1", "2026-01-01", "ONE"))["t1"])
	counterparty := store.Counterparty{ID: uuid.New(), Name: "Acme", Type: "company", Relationship: "supplier",
		Confidence: 9000, LastDate: now}
	o.must(rows.SaveCounterparty(ctx, now, counterparty))
	o.must(rows.SetCounterparty(ctx, now, id, counterparty.ID))
	o.must(rows.SetCategory(ctx, now, id, store.CategoryChoice{CategoryID: categoryID("expense.meals"), Source: "user",
		Confidence: 10_000, Reason: "Chosen by you"}))
	o.must(rows.SetContext(ctx, now, id, "Lunch with Ben"))
	o.must(rows.SetFilingState(ctx, now, id, "filed"))
	o.must(rows.AddComment(ctx, now, id, "Ana", "Keep the receipt"))
	before := o.row(id.String())

	o.clock.Add(time.Minute)
	upload := transaction("t1", "2.25", "2026-02-28", "TWO")
	upload["pending"], upload["currency"] = true, "EUR"
	o.upload(a, upload)
	after := o.row(id.String())
	for field, want := range map[string]any{
		"amount": json.Number("2.25"), "currency": "EUR", "primaryDate": "2026-02-28",
		"authorizedAt": "2026-02-28T00:00:00Z",
		"processedAt":  "2026-02-28T00:00:00Z", "description": "TWO", "pending": true,
	} {
		if after[field] != want {
			t.Errorf("%s is %v, want %v", field, after[field], want)
		}
	}
	for _, field := range []string{"id", "externalId", "accountId", "category", "counterparty", "context", "comments",
		"filingState", "createdAt", "issueIds"} {
		if before[field] == nil {
			t.Errorf("%s was not filled", field)
		}
		if diff := cmp.Diff(before[field], after[field]); diff != "" {
			t.Errorf("%s changed: %s", field, diff)
		}
	}
	if before["updatedAt"] == after["updatedAt"] {
		t.Error("updatedAt did not move")
	}
}

func TestADeletedTransactionStaysDeletedAndTakesTheUpdate(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	id := o.upload(a, transaction("t1", "-1", "2026-01-01", "ONE"))["t1"]
	o.delete(o.path + "/transactions/" + id).want(200)
	if got := o.upload(a, transaction("t1", "-7", "2026-01-01", "ONE"))["t1"]; got != id {
		t.Errorf("id %s, want %s", got, id)
	}
	o.get(o.path + "/transactions/" + id).want(404)
	if got := len(o.all()); got != 0 {
		t.Errorf("%d transactions, want none", got)
	}
	got := o.scalar(`SELECT amount || ' ' || (deleted_at IS NOT NULL) FROM transactions WHERE organization_id = $1 AND id = $2`, o.organization, id)
	if got != "-700 true" {
		t.Errorf("stored as %q, want -700 true", got)
	}
}

func TestPendingIsFalseUnlessSaidAtEachUpload(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	for _, tc := range []struct {
		said any
		want bool
	}{{nil, false}, {true, true}, {false, false}, {true, true}, {nil, false}} {
		upload := transaction("t1", "1", "2026-01-01", "ONE")
		if tc.said != nil {
			upload["pending"] = tc.said
		}
		o.upload(a, upload)
		if got := o.all()["t1"]["pending"]; got != tc.want {
			t.Errorf("pending said %v is %v, want %t", tc.said, got, tc.want)
		}
	}
}

func TestCurrencyIsTheAccountsAtTheTimeOfTheUploadUnlessSaid(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	said := transaction("said", "1", "2026-01-01", "ONE")
	said["currency"] = "CAD"
	o.upload(a, transaction("silent", "1", "2026-01-01", "ONE"), said)
	currencies := func(silent, said string) {
		t.Helper()
		rows := o.all()
		if rows["silent"]["currency"] != silent || rows["said"]["currency"] != said {
			t.Errorf("currencies %v and %v, want %s and %s", rows["silent"]["currency"], rows["said"]["currency"],
				silent, said)
		}
	}
	currencies("USD", "CAD")

	changed := account("a")
	changed["currency"] = "EUR"
	o.sendAccounts(changed).want(200)
	currencies("USD", "CAD") // stored as given, never converted

	o.upload(a, transaction("silent", "1", "2026-01-01", "ONE"), said)
	currencies("EUR", "CAD") // the complete current record, in the account's present currency
}

func TestAmountsAreExactAtBothEnds(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	for literal, want := range map[string]string{
		"9999999999999.99": "9999999999999.99", "-9999999999999.99": "-9999999999999.99", "0": "0.00", "-0": "0.00",
		"0.1": "0.10", "-0.01": "-0.01", "1.10e1": "11.00", "9007199254740.93": "9007199254740.93",
	} {
		upload := transaction("t1", "0", "2026-01-01", "ONE")
		upload["amount"] = json.RawMessage(literal)
		o.upload(a, upload)
		if got := o.all()["t1"]["amount"]; got != json.Number(want) {
			t.Errorf("%s is read back as %v, want %s", literal, got, want)
		}
	}
}

func TestTextIsStoredAsSent(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	for i, text := range []string{
		"  spaces stay  ", "tab\tand\nnewline\r\n", `quotes " ' \ {}`, "\\N", "\\.", "émoji 🥐 ünï", "NULL", ",",
		"{a,b}",
		strings.Repeat("é", 4096), "\u2028\u0001\u007f",
	} {
		externalID := fmt.Sprintf("%d-%.100s", i, text)
		id := o.upload(a, transaction(externalID, "1", "2026-01-01", text))[externalID]
		if got := o.row(id); got["description"] != text || got["externalId"] != externalID {
			t.Errorf("%q is read back as %q of %q", text, got["description"], got["externalId"])
		}
	}
}

func TestATransactionNeverMovesToAnotherAccount(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a, b := o.uploadAccount("a"), o.uploadAccount("b")
	o.upload(a, transaction("of a", "1", "2026-01-01", "ONE"))
	o.upload(b, transaction("of b", "1", "2026-01-01", "ONE"))
	before, generation := o.all(), o.generation(b)
	for _, first := range []string{"a new one", "zz", "of b"} { // before, after and instead of a known one
		got := o.sendTransactions(b, transaction(first, "5", "2026-01-01", "NEW"),
			transaction("of a", "5", "2026-01-01", "NEW")).want(400)
		if message := got.text("error"); !strings.Contains(message, `"of a"`) {
			t.Errorf("the error does not name the transaction: %s", message)
		}
	}
	if diff := cmp.Diff(before, o.all()); diff != "" {
		t.Errorf("a refused batch saved something: %s", diff)
	}
	if got := o.generation(b); got != generation {
		t.Errorf("a refused batch left an event: %d, want %d", got, generation)
	}
}

func TestADeletedTransactionDoesNotMoveEither(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a, b := o.uploadAccount("a"), o.uploadAccount("b")
	id := o.upload(a, transaction("t1", "1", "2026-01-01", "ONE"))["t1"]
	o.delete(o.path + "/transactions/" + id).want(200)
	o.sendTransactions(b, transaction("t1", "1", "2026-01-01", "ONE")).want(400)
}

func TestTheSameExternalIDIsAnotherTransactionInAnotherSource(t *testing.T) {
	t.Parallel()
	api := shared(t)
	o := api.open()
	csv := o.insertAccount(o.otherSource("csv"), "c")
	other := uuid.NewString()
	o.insertTransaction(csv, other, "t1")
	foreign := api.open()
	ids := map[string]bool{
		other: true,
		o.upload(o.uploadAccount("a"), transaction("t1", "1", "2026-01-01", "ONE"))["t1"]:             true,
		foreign.upload(foreign.uploadAccount("a"), transaction("t1", "1", "2026-01-01", "ONE"))["t1"]: true,
	}
	if len(ids) != 3 {
		t.Errorf("only %d transactions", len(ids))
	}
}

// insertTransaction makes a row in any account, without an authorized date.
func (o *office) insertTransaction(account, id, externalID string) {
	o.t.Helper()
	o.exec(`INSERT INTO transactions (organization_id, id, source_id, account_id, amount, created_at, updated_at, processed_date, external_id, currency, description)
		SELECT organization_id, $3, source_id, id, -100, now(), now(), '2026-01-01', $4, 'USD', 'OLDER ROW'
		FROM accounts WHERE organization_id = $1 AND id = $2`, o.organization, account, id, externalID)
}

func TestTransactionsGoOnlyToAnAccountOfAConnectedAPISource(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o, foreign := a.open(), a.open()
	gone := o.uploadAccount("gone")
	o.delete(o.path + "/accounts/" + gone).want(200) // the last one: the source is revoked
	for what, tc := range map[string]struct {
		account string
		status  int
	}{
		"unknown":             {uuid.NewString(), 404},
		"of another business": {foreign.uploadAccount("a"), 404},
		"a source":            {o.source, 404},
		"of a revoked source": {gone, 400},
		"legacy":              {o.insertAccount(o.otherSource("legacy"), "l"), 400},
		"csv":                 {o.insertAccount(o.otherSource("csv"), "l"), 400},
		"aggregator":          {o.insertAccount(o.otherSource("aggregator"), "l"), 400},
	} {
		if got := o.sendTransactions(tc.account, transaction("t1", "1", "2026-01-01", "ONE")); got.status != tc.status {
			t.Errorf("account %s: status %d, want %d: %s", what, got.status, tc.status, got.body)
		}
	}
	if got := len(o.all()) + len(foreign.all()); got != 0 {
		t.Errorf("%d transactions were saved", got)
	}
	if work, err := o.rows().Events(context.Background()); err != nil || len(work) != 0 {
		t.Errorf("refused uploads left events: %v, %v", work, err)
	}
}

func TestADisconnectedAccountOfAConnectedSourceStillTakesTransactions(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	o.uploadAccount("b")
	o.delete(o.path + "/accounts/" + a).want(200)
	o.upload(a, transaction("t1", "1", "2026-01-01", "ONE"))
	if got := o.accounts()["a"]["status"]; got != "disconnected" {
		t.Errorf("status %v, want disconnected", got)
	}
}

func TestEachAcceptedUploadLeavesItsEvent(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	if got := o.generation(a); got != 0 {
		t.Fatalf("an account alone has an event: %d", got)
	}
	uploads := [][]M{
		{transaction("t1", "1", "2026-01-01", "ONE")},
		{transaction("t1", "1", "2026-01-01", "ONE")}, // unchanged
		{transaction("t1", "2", "2026-01-01", "ONE")},
		{transaction("t1", "2", "2026-01-01", "ONE"), transaction("t2", "2", "2026-01-01", "ONE")},
	}
	last := int64(0)
	for _, upload := range uploads {
		o.upload(a, upload...)
		got := o.generation(a)
		if got <= last {
			t.Errorf("generation %d after %d", got, last)
		}
		last = got
	}
	bad := transaction("t3", "2", "2026-02-30", "ONE")
	o.sendTransactions(a, transaction("t4", "2", "2026-01-01", "ONE"), bad).want(422)
	if got := o.generation(a); got != last {
		t.Errorf("a refused upload left an event: generation %d, want %d", got, last)
	}
	if got := len(o.all()); got != 2 {
		t.Errorf("%d transactions, want 2", got)
	}
}

func TestAnUploadThatIsCutOffLeavesNothing(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a, other := o.uploadAccount("a"), o.uploadAccount("b")
	o.upload(other, transaction("of b", "1", "2026-01-01", "ONE"))

	// Someone is about to save the last row of the batch in another account, so that the upload waits in the middle.
	limited, stop := context.WithTimeout(context.Background(), 20*time.Second)
	defer stop()
	tx, err := o.db.SQL().BeginTx(limited, nil)
	o.must(err)
	defer tx.Rollback()
	_, err = tx.Exec(`INSERT INTO transactions (organization_id, id, source_id, account_id, amount, created_at, updated_at, processed_date, external_id, currency, description)
		VALUES ($1, $2, $3, $4, 1, now(), now(), '2026-01-01', 'z', 'USD', 'Z')`, o.organization, uuid.NewString(),
		o.source, other)
	o.must(err)
	var holder int
	o.must(tx.QueryRow(`SELECT pg_backend_pid()`).Scan(&holder))

	ctx, cancel := context.WithCancel(limited)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		_, err := o.rows().UploadTransactions(ctx, o.clock.Now(), uuid.MustParse(a), []store.TransactionUpload{
			{ExternalID: "a", Amount: money.Amount(1), Date: "2026-01-01", Description: "A"},
			{ExternalID: "z", Amount: money.Amount(1), Date: "2026-01-01", Description: "Z"},
		})
		failed <- err
	}()
	for waiting := false; !waiting; {
		waiting, err = storetest.Waits(limited, o.db.SQL(), holder)
		o.must(err)
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want that it was canceled", err)
	}
	o.must(tx.Rollback())
	if got := o.all(); len(got) != 1 {
		t.Errorf("something was left: %v", got)
	}
	if got := o.generation(a); got != 0 {
		t.Errorf("an event was left: %d", got)
	}
	o.upload(a, transaction("a", "1", "2026-01-01", "A"), transaction("z", "1", "2026-01-01", "Z"))
}

func TestOverlappingTransactionUploadsAtOnceAgreeOnIDs(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	a := o.uploadAccount("a")
	var calls []func() answer
	for i := range 10 {
		var upload []M
		for j := range 80 {
			upload = append(upload, transaction(fmt.Sprintf("t-%03d", (i*13+j*7)%120), "1", "2026-01-01",
				fmt.Sprintf("ROW %d", i)))
		}
		calls = append(calls, func() answer { return o.sendTransactions(a, upload...) })
	}
	known := map[string]string{}
	for _, got := range together(calls...) {
		for externalID, id := range got.want(200).records("transactions") {
			if other, ok := known[externalID]; ok && other != id {
				t.Errorf("%s has two ids", externalID)
			}
			known[externalID] = id
		}
	}
	if got, want := o.scalar(`SELECT count(*) FROM transactions WHERE organization_id = $1`, o.organization),
		fmt.Sprint(len(known)); got != want {
		t.Errorf("%s rows, want %s", got, want)
	}
	if o.generation(a) == 0 {
		t.Error("no event is left")
	}
}

func TestTwoAccountsThatClaimATransactionAtOnceGiveItToOne(t *testing.T) {
	t.Parallel()
	o := shared(t).open()
	accounts := []string{o.uploadAccount("a"), o.uploadAccount("b")}
	for round := range 10 {
		var calls []func() answer
		for _, account := range accounts {
			var upload []M
			for j := range 20 {
				upload = append(upload, transaction(fmt.Sprintf("t-%d-%d", round, j), "1", "2026-01-01", "ROW"))
			}
			calls = append(calls, func() answer { return o.sendTransactions(account, upload...) })
		}
		got := together(calls...)
		if got[0].status+got[1].status != 600 || got[0].status == 500 {
			t.Fatalf("statuses %d and %d, want one 200 and one 400: %s %s", got[0].status, got[1].status, got[0].body,
				got[1].body)
		}
	}
	if got := o.scalar(`SELECT count(*) FROM transactions WHERE organization_id = $1`, o.organization); got != "200" {
		t.Errorf("%s rows, want 200", got)
	}
}
