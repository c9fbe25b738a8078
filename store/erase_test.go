package store_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"bizfin/store"
	"bizfin/store/storetest"
)

// marks puts a mark into every text of every row that a column names, so far as the constraints of its table let it.
func marks(t testing.TB, where string, id uuid.UUID, mark string) (marked int) {
	t.Helper()
	db := storetest.DB(t).SQL()
	for _, column := range column(t, db, `
		SELECT c.table_name || '.' || c.column_name || '.' || c.udt_name
		FROM information_schema.columns c
		JOIN information_schema.columns k USING (table_schema, table_name)
		WHERE c.table_schema = current_schema()
		  AND k.column_name = $1
		  AND c.table_name <> 'audit'
		  AND c.udt_name IN ('text', '_text')
		  AND c.is_generated = 'NEVER'
		  AND c.column_name NOT IN ('partner_id', 'business_id', 'external_id', 'subject', 'issuer')`, where) {
		parts := strings.Split(column, ".")
		value := map[string]string{"text": "$2 || md5(coalesce(" + parts[1] + ", ''))", "_text": "ARRAY[$2]"}[parts[2]]
		result, err := db.Exec(fmt.Sprintf(`UPDATE %s SET %s = %s WHERE %s = $1`, parts[0], parts[1], value, where), id,
			mark)
		if err != nil {
			continue // a fixed vocabulary
		}
		if rows, _ := result.RowsAffected(); rows > 0 {
			marked++
		}
	}
	return marked
}

// holding lists the columns of any type that have a text in them.
func holding(t testing.TB, text string) []string {
	t.Helper()
	db := storetest.DB(t).SQL()
	var found []string
	for _, name := range column(t, db, `
		SELECT table_name || '.' || column_name
		FROM information_schema.columns
		JOIN information_schema.tables USING (table_schema, table_name)
		WHERE table_schema = current_schema()
		  AND table_type = 'BASE TABLE'`) {
		table, of, _ := strings.Cut(name, ".")
		if n := column(t, db, fmt.Sprintf(`SELECT 1 FROM %s WHERE %s::text ILIKE '%%' || $1 || '%%' LIMIT 1`, table,
			of), text); len(n) > 0 {
			found = append(found, name)
		}
	}
	return found
}

// A table that comes with a later step is not forgotten.
func TestErasureKnowsEveryTableOfABusinessAndOfAPerson(t *testing.T) {
	t.Parallel()
	db := storetest.DB(t).SQL()
	tables := func(of string, but ...string) []string {
		return slices.DeleteFunc(column(t, db, `
			SELECT DISTINCT table_name::text
			FROM information_schema.columns
			WHERE table_schema = current_schema()
			  AND column_name = $1
			ORDER BY 1`, of), func(table string) bool { return slices.Contains(but, table) })
	}
	want := slices.Sorted(slices.Values(store.ErasedTables))
	if diff := cmp.Diff(tables("organization_id", "audit"), want); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(tables("person_id", "audit", "identities"),
		slices.Sorted(slices.Values(store.PersonalTables()))); diff != "" {
		t.Error(diff)
	}
	if storetest.OnCitus() {
		return // what refers to persons is on other machines
	}
	references := column(t, db, `
		SELECT conrelid::regclass || '.' || attname
		FROM pg_constraint
		JOIN pg_attribute ON attrelid = conrelid AND attnum = conkey[1]
		WHERE confrelid = 'persons'::regclass
		  AND attname <> 'person_id'
		ORDER BY 1`)
	if diff := cmp.Diff(references, store.NamesOfPersons()); diff != "" {
		t.Error(diff)
	}
}

func TestNothingOfAnErasedBusinessIsInAnyTable(t *testing.T) {
	ctx, db := t.Context(), storetest.DB(t)
	b, other := furnished(t), furnished(t)
	b.leaveTraces(t)
	mark := "mark" + strings.ReplaceAll(uuid.NewString(), "-", "")
	if n := marks(t, "organization_id", b.ID, mark); n < 10 {
		t.Fatalf("only %d columns were marked", n)
	}
	_, err := db.SQL().Exec(`UPDATE organizations SET name = $2, business_id = $2 WHERE id = $1`, b.ID, mark)
	must(t, err)
	before := dump(t, other.ID)
	if found := holding(t, mark); len(found) < 10 {
		t.Fatalf("the mark is in %v alone", found)
	}
	counted, err := db.CountOrganization(ctx, b.ID)
	must(t, err)
	if counted["transactions"] != 1 || counted["accounts"] != 1 {
		t.Errorf("a dry run counts %v", counted)
	}
	if len(holding(t, mark)) == 0 {
		t.Error("counting erases")
	}
	_, err = db.EraseOrganization(ctx, noon, b.ID)
	must(t, err)
	if found := holding(t, mark); len(found) > 0 {
		t.Errorf("of an erased business something is left in %v", found)
	}
	if found := slices.DeleteFunc(holding(t, b.ID.String()), func(in string) bool {
		return strings.HasPrefix(in, "audit.") || strings.HasPrefix(in, "erasures.")
	}); len(found) > 0 {
		t.Errorf("its id is left in %v", found)
	}
	if diff := cmp.Diff(before, dump(t, other.ID)); diff != "" {
		t.Errorf("another business changed: %s", diff)
	}
	again, err := db.EraseOrganization(ctx, noon, b.ID)
	if err != nil || len(again) > 0 {
		t.Errorf("erasing again: %v, %v", again, err)
	}
	if _, err := db.EraseOrganization(ctx, noon, uuid.New()); err != store.ErrNotFound {
		t.Errorf("erasing what never was: %v", err)
	}
	if _, err := b.UploadTransactions(ctx, noon, b.account, rowsOf("late")); err != store.ErrNotFound {
		t.Errorf("a late upload: %v", err)
	}
}

func TestAKilledErasureGoesOnWhereItWas(t *testing.T) {
	ctx, db := t.Context(), storetest.DB(t)
	b := furnished(t)
	_, err := db.BeginErasing(ctx, noon, b.ID)
	must(t, err)
	if _, err := b.UploadTransactions(ctx, noon, b.account, rowsOf("late")); err != store.ErrSourceUnavailable {
		t.Errorf("an upload into a business that is being erased: %v", err)
	}
	if _, err := db.PersonAccess(ctx, b.person, b.ID); err != store.ErrNoAccess {
		t.Errorf("access to a business that is being erased: %v", err)
	}
	if _, err := db.EraseOrganization(ctx, noon, b.ID); err != nil {
		t.Error(err)
	}
	if left := holding(t, b.account.String()); len(left) != 1 || left[0] != "audit.object_id" {
		t.Errorf("left: %v", left)
	}
}

// What a worker writes in the middle of a round, to questions about rows that are to go, ends no erasure: it is taken
// in the next.
func TestAnErasureGoesOnWhereAQuestionRefersToARow(t *testing.T) {
	ctx, db := t.Context(), storetest.DB(t)
	b := furnished(t)
	if again, err := db.EraseRows(ctx, "transactions", b.ID); err == nil || !again {
		t.Errorf("rows that a question is about: %v, and another round: %v", err, again)
	}
	if _, err := db.EraseOrganization(ctx, noon, b.ID); err != nil {
		t.Error(err)
	}
}

func TestAnErasedPersonsAddressIsInNoBusinessOfOthers(t *testing.T) {
	ctx, db := t.Context(), storetest.DB(t)
	b := furnished(t)
	email := "ana." + strings.ReplaceAll(uuid.NewString(), "-", "")[:12] + "@example.com"
	_, err := db.SQL().Exec(`UPDATE persons SET email = $2 WHERE id = $1`, b.person, email)
	must(t, err)
	must(t, b.SetContext(ctx, noon, b.transaction, "ask "+strings.ToUpper(email)+", not x"+email))
	must(t, b.AddComment(ctx, noon, b.transaction, email, "by "+email))
	_, err = db.ErasePerson(ctx, noon, b.person)
	must(t, err)
	for _, in := range holding(t, email) {
		if in != "transactions.context" && in != "transaction_words.texts" { // another's address, which ends like it
			t.Errorf("the address is left in %s", in)
		}
	}
	found, err := b.Transaction(ctx, b.transaction)
	must(t, err)
	if got := *found.Context; strings.Contains(got, strings.ToUpper(email)) || !strings.Contains(got, "not x"+email) {
		t.Errorf("the context is %q", got)
	}
	if left := slices.DeleteFunc(holding(t, b.person.String()), func(in string) bool {
		return strings.HasPrefix(in, "audit.") || strings.HasPrefix(in, "erasures.")
	}); len(left) > 0 {
		t.Errorf("the person is left in %v", left)
	}
	if again, err := db.ErasePerson(ctx, noon, b.person); err != nil || len(again) > 0 {
		t.Errorf("erasing again: %v, %v", again, err)
	}
	if _, err := db.ErasePerson(ctx, noon, uuid.New()); err != store.ErrNotFound {
		t.Errorf("erasing nobody: %v", err)
	}
}

// The list of texts is held by somebody when the description is changed, and is not there any more when it is erased
// there: without the new text in another list the row would never be found again.
func TestARowIsFoundAfterAnAddressWasTakenOutOfIt(t *testing.T) {
	ctx, db := t.Context(), storetest.DB(t)
	b, other := connect(t), connect(t)
	email := "bo." + strings.ReplaceAll(uuid.NewString(), "-", "")[:12] + "@example.com"
	change(t, `UPDATE persons SET email = $2 WHERE id = $1`, other.person, email)
	uploaded, err := b.UploadTransactions(ctx, noon, b.uploadAccount(t, "a"), []store.TransactionUpload{
		{ExternalID: "1", Amount: -100, Description: "GARDENHOSE " + email, Date: "2026-01-01"}})
	must(t, err)
	must(t, b.SetCategory(ctx, noon, uploaded.Records[0].ID, store.CategoryChoice{CategoryID: transferCategories()[0],
		Source: "user", Confidence: 1}))
	find := func() int64 {
		page, err := b.SearchTransactions(ctx, store.TransactionFilter{DateField: store.Primary,
			Words: []store.Word{{Text: "gardenhose"}}}, store.Page{Limit: 5})
		must(t, err)
		return int64(page.TotalMatched)
	}
	if n := find(); n != 1 {
		t.Fatalf("found %d rows before", n)
	}
	holder, err := db.SQL().Begin()
	must(t, err)
	defer holder.Rollback()
	_, err = holder.Exec(`SELECT FROM transaction_words WHERE organization_id = $1 FOR UPDATE`, b.ID)
	must(t, err)
	if _, err := db.ErasePerson(ctx, noon, other.person); err == nil {
		t.Fatal("the list was not waited for")
	}
	must(t, holder.Rollback())
	for place, done := (store.TextPlace{}), false; !done; {
		_, place, done, err = db.RemoveTexts(ctx, place)
		must(t, err)
	}
	_, err = db.ErasePerson(ctx, noon, other.person)
	must(t, err)
	if n := find(); n != 1 {
		t.Errorf("found %d rows after", n)
	}
}

// A person may stand in the books of a business that they were never in.
func TestAnErasedPersonsAddressIsInNoBusinessTheyWereNeverIn(t *testing.T) {
	ctx, db := t.Context(), storetest.DB(t)
	b, other := furnished(t), furnished(t)
	email, name := "Bo."+strings.ReplaceAll(uuid.NewString(), "-", "")[:12]+"@example.com", "Bo "+uuid.NewString()
	_, err := db.SQL().Exec(`UPDATE persons SET email = $2, name = $3 WHERE id = $1`, b.person, email, name)
	must(t, err)
	must(t, other.SetContext(ctx, noon, other.transaction, "paid to "+strings.ToLower(email)+" in cash"))
	must(t, other.AddComment(ctx, noon, other.transaction, name, "by a namesake"))
	must(t, b.AddComment(ctx, noon, b.transaction, name, "by "+strings.ToUpper(email)))
	counted, err := db.CountPerson(ctx, b.person)
	must(t, err)
	if n := counted["organizations whose texts have their e-mail"]; n != 2 {
		t.Errorf("a dry run finds the address in %d businesses", n)
	}
	_, err = db.ErasePerson(ctx, noon, b.person)
	must(t, err)
	if left := slices.DeleteFunc(holding(t, email),
		func(in string) bool { return in == "transaction_words.texts" }); len(left) > 0 {
		t.Errorf("the address is left in %v", left)
	}
	found, err := other.Transaction(ctx, other.transaction)
	must(t, err)
	if got := *found.Context; !strings.HasPrefix(got, "paid to erased-") || !strings.HasSuffix(got, " in cash") ||
		!slices.ContainsFunc(found.Comments, func(c store.Comment) bool { return c.Author == name }) {
		t.Errorf("the other business has the context %q, and comments %v", got, found.Comments)
	}
	if authors := column(t, db.SQL(),
		`SELECT author FROM transaction_comments WHERE organization_id = $1 ORDER BY author`, b.ID); len(authors) != 2 ||
		!strings.HasPrefix(authors[1], "erased-") {
		t.Errorf("their own comment is by %v", authors)
	}
}

// A business that the embedded login made is the partner's and the person's own.
func TestCountingWhatGoesWithAPartnerCountsEachRowOnce(t *testing.T) {
	ctx, db := t.Context(), storetest.DB(t)
	b := furnished(t)
	partner := column(t, db.SQL(), `SELECT partner_id FROM organizations WHERE id = $1`, b.ID)[0]
	subject := column(t, db.SQL(), `SELECT subject FROM identities WHERE partner_id = $1 AND person_id = $2`, partner,
		b.person)[0]
	_, err := db.LegacyLogin(ctx, noon, store.LegacyLogin{PartnerID: partner, Subject: subject,
		Email: "ana@example.com"})
	must(t, err)
	counted, err := db.CountPartner(ctx, partner)
	must(t, err)
	gone, err := db.ErasePartner(ctx, noon, partner)
	must(t, err)
	for _, table := range []string{"organizations", "memberships", "sources", "legacy_mappings", "accounts",
		"transactions", "persons"} {
		if counted[table] != gone[table] || gone[table] == 0 {
			t.Errorf("%s: %d were counted and %d went", table, counted[table], gone[table])
		}
	}
}

func TestTheEndOfAPartnerGoesOnAfterAKill(t *testing.T) {
	ctx, db := t.Context(), storetest.DB(t)
	b := furnished(t)
	partner := column(t, db.SQL(), `SELECT partner_id FROM organizations WHERE id = $1`, b.ID)[0]
	must(t, db.BeginErasingPartner(ctx, noon, partner))
	must(t, db.BeginErasingPartner(ctx, noon, partner))
	if acts := column(t, db.SQL(), `SELECT action FROM audit WHERE partner_id = $1 AND action LIKE '%disable%'`,
		partner); len(acts) != 1 {
		t.Errorf("begun twice it is recorded as %v", acts)
	}
	if id, err := db.UnfinishedPartner(ctx); err != nil || id == "" {
		t.Errorf("no end of a partner is unfinished: %v", err)
	}
	_, err := db.ErasePartner(ctx, noon, partner)
	must(t, err)
	if left := column(t, db.SQL(), `SELECT id FROM partners WHERE id = $1 AND erasing_at IS NOT NULL`,
		partner); len(left) > 0 {
		t.Error("its end is not over")
	}
	if left := column(t, db.SQL(), `SELECT id::text FROM organizations WHERE id = $1`, b.ID); len(left) > 0 {
		t.Error("its business is there")
	}
	if _, err := db.ErasePartner(ctx, noon, uuid.NewString()); err != store.ErrNotFound {
		t.Errorf("erasing what never was: %v", err)
	}
}

func TestEveryTableOfABusinessIsExportedOrSaidToBeLeftOut(t *testing.T) {
	t.Parallel()
	known := map[string]bool{"organizations": true, "audit": true}
	for _, table := range store.ErasedTables {
		known[table] = true
	}
	said := map[string]bool{}
	for _, p := range store.OrganizationParts {
		said[p.Table] = true
	}
	for table := range store.LeftOut {
		if said[table] {
			t.Errorf("%s is exported and left out", table)
		}
		said[table] = true
	}
	if diff := cmp.Diff(known, said); diff != "" {
		t.Error(diff)
	}
}
