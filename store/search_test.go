package store_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"pgregory.net/rapid"

	"bizfin/internal/money"
	"bizfin/store"
	"bizfin/store/storetest"
)

// line is a stored row as plain Go judges it.
type line struct {
	id                              uuid.UUID
	account, counterparty           uuid.UUID
	authorized, processed           string // days; no authorized one is empty
	amount                          int64
	currency, processing            string
	category                        int // 0 is none
	attention, deleted              bool
	description, merchant, context_ string
}

func (l line) date(field store.DateField) string {
	if field == store.Primary && l.authorized != "" {
		return l.authorized
	}
	return l.processed
}

func (l line) has(word store.Word) bool {
	if slices.Contains(word.CategoryIDs, l.category) {
		return true
	}
	for _, text := range []string{l.description, l.merchant, l.context_} {
		if strings.Contains(strings.ToLower(text), strings.ToLower(word.Text)) {
			return true
		}
	}
	return false
}

// matches is the definition of a search, apart from amounts in other currencies.
func (l line) matches(f store.TransactionFilter) bool {
	date := l.date(f.DateField)
	return !l.deleted &&
		(!f.FilterByAccount || slices.Contains(f.AccountIDs, l.account)) &&
		(f.Counterparty == nil || *f.Counterparty == l.counterparty) &&
		(!f.FilterByCategory || slices.Contains(f.CategoryIDs, l.category) || f.Uncategorized && l.category == 0) &&
		(f.From == nil || date >= f.From.Format(time.DateOnly)) &&
		(f.To == nil || date <= f.To.Format(time.DateOnly)) &&
		(f.Attention == nil || *f.Attention == l.attention) &&
		!slices.ContainsFunc(f.Words, func(w store.Word) bool { return !l.has(w) })
}

func (l line) inBounds(f store.TransactionFilter) bool {
	if f.AmountFrom == nil && f.AmountTo == nil {
		return true
	}
	return l.currency == "USD" && (f.AmountFrom == nil || l.amount >= int64(*f.AmountFrom)) &&
		(f.AmountTo == nil || l.amount <= int64(*f.AmountTo))
}

var vocabulary = []string{"coffee", "Coffee", "CAFÉ", "café", "100%", "10%_off", `a\b`, "rent", "ab", "payroll run"}

// lines stores n varied rows of a business.
func lines(t testing.TB, b tenant, n int) (stored []line, accounts, counterparties []uuid.UUID) {
	t.Helper()
	accounts = []uuid.UUID{b.uploadAccount(t, "a"), b.uploadAccount(t, "b"), b.uploadAccount(t, "c")}
	for i := range 2 {
		id := uuid.New()
		must(t, b.SaveCounterparty(t.Context(), noon, store.Counterparty{ID: id, Name: fmt.Sprint("c", i),
			Type: "company", Relationship: "client", LastDate: noon}))
		counterparties = append(counterparties, id)
	}
	pick := func(i int, list ...string) string { return list[i%len(list)] }
	for i := range n {
		if i == n/2 {
			must(t, store.IndexWordsOf(t.Context(), b.Organization))
		}
		h := i*2654435761 + i/7 // spreads the choices without chance
		if h < 0 {
			h = -h
		}
		l := line{
			id: uuid.New(), account: accounts[h%3], processed: fmt.Sprintf("2026-01-%02d", 1+h%6),
			authorized: pick(h/3, "", "2026-01-02", "2026-01-05"),
			amount:     int64(h%7-3) * 50, currency: pick(h/5, "USD", "USD", "EUR"),
			processing: pick(h/11, "queued", "processed", "limited", "processed"),
			category:   []int{0, 3250, 30801, 9700}[h/13%4], attention: h/17%3 == 0, deleted: h/19%8 == 0,
			description: pick(h/23, vocabulary...), merchant: pick(h/29, append(vocabulary, "", "", "")...),
			context_: pick(h/31, append(vocabulary, "", "", "")...),
		}
		if h/37%3 > 0 {
			l.counterparty = counterparties[h/37%3-1]
		}
		stored = append(stored, l)
		change(t, `
			INSERT INTO transactions (organization_id, id, source_id, account_id, amount, created_at, updated_at,
			  deleted_at, authorized_date,
			  processed_date, needs_attention, external_id, currency, description, processing, category_id,
			  category_confidence, category_source,
			  counterparty_id, merchant, context)
			SELECT $1, $2::uuid, $3, $4, $5, now(), now(), CASE WHEN $6 THEN now() END, nullif($7, '')::date,
			  $8::date, $9, $2::uuid::text, $10, $11, $12, nullif($13::integer, 0), CASE
			  WHEN $13::integer <> 0 THEN 1 END, CASE WHEN $13::integer <> 0 THEN 'rule' END,
			  nullif($14::uuid, '00000000-0000-0000-0000-000000000000'::uuid), nullif($15, ''), nullif($16, '')`,
			b.ID, l.id, b.source, l.account, l.amount, l.deleted, l.authorized, l.processed, l.attention, l.currency,
			l.description, l.processing,
			l.category, l.counterparty, l.merchant, l.context_)
	}
	return stored, accounts, counterparties
}

func TestSearchFindsWhatItsDefinitionFinds(t *testing.T) {
	t.Parallel()
	b := connect(t)
	stored, accounts, counterparties := lines(t, b, 240)
	days := []string{"2026-01-01", "2026-01-02", "2026-01-04", "2026-01-06"}
	rapid.Check(t, func(rt *rapid.T) {
		may := func(name string) bool { return rapid.IntRange(0, 3).Draw(rt, name) == 0 }
		day := func(name string) *time.Time {
			at, _ := time.Parse(time.DateOnly, rapid.SampledFrom(days).Draw(rt, name))
			return &at
		}
		f := store.TransactionFilter{DateField: rapid.SampledFrom([]store.DateField{store.Primary,
			store.Processed}).Draw(rt, "field")}
		for range rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(rt, "words") {
			word := store.Word{Text: rapid.SampledFrom([]string{"coffee", "FÉ", "%", "_", `\`, "re", "b", "payroll",
				"none"}).Draw(rt, "word")}
			if may("word of a category") {
				word.CategoryIDs = []int{3250, 30801}
			}
			f.Words = append(f.Words, word)
		}
		if may("accounts") {
			f.FilterByAccount = true
			f.AccountIDs = rapid.SliceOfNDistinct(rapid.SampledFrom(append(slices.Clone(accounts), uuid.Max)), 0, 4,
				rapid.ID).Draw(rt, "ids")
		}
		if may("counterparty") {
			f.Counterparty = &counterparties[rapid.IntRange(0, 1).Draw(rt, "which")]
		}
		if may("category") {
			f.FilterByCategory = true
			f.CategoryIDs = rapid.SliceOfNDistinct(rapid.SampledFrom([]int{3250, 30801, 9700, 1000}), 1, 4,
				rapid.ID).Draw(rt, "categories")
			f.Uncategorized = rapid.Bool().Draw(rt, "uncategorized")
		}
		if may("from") {
			f.From = day("first")
		}
		if may("to") {
			f.To = day("last")
		}
		if may("attention") {
			attention := rapid.Bool().Draw(rt, "needs it")
			f.Attention = &attention
		}
		if may("amount from") {
			amount := money.Amount(rapid.IntRange(-3, 3).Draw(rt, "least") * 50)
			f.AmountFrom = &amount
		}
		if may("amount to") {
			amount := money.Amount(rapid.IntRange(-3, 3).Draw(rt, "most") * 50)
			f.AmountTo = &amount
		}

		var want []line
		var others int64
		for _, l := range stored {
			if l.matches(f) && l.inBounds(f) {
				want = append(want, l)
			}
			if l.matches(f) && l.currency != "USD" {
				others++
			}
		}
		slices.SortFunc(want, func(x, y line) int {
			if d := strings.Compare(y.date(f.DateField), x.date(f.DateField)); d != 0 {
				return d
			}
			return bytes.Compare(y.id[:], x.id[:])
		})
		limit, few := rapid.SampledFrom([]int{7, 50}).Draw(rt, "limit"),
			rapid.SampledFrom([]int{0, len(stored)}).Draw(rt, "few")
		summed := rapid.Bool().Draw(rt, "summed")
		var got []uuid.UUID
		for page := (store.Page{Limit: limit}); ; {
			found, err := store.SearchTransactionsOf(t.Context(), b.Organization, f, page, few, summed)
			if err != nil {
				rt.Fatal(err)
			}
			for _, row := range found.Rows {
				got = append(got, row.ID)
			}
			if found.TotalIsExact && found.TotalMatched != int64(len(want)) || found.TotalMatched > int64(len(want)) {
				rt.Fatalf("it counts %d, exact %t, want %d", found.TotalMatched, found.TotalIsExact, len(want))
			}
			if found.Sums != nil && (!summed || !found.TotalIsExact) {
				rt.Fatalf("it sums up %v unasked, or of a count that is not exact", found.Sums)
			}
			// nil: they were not added up in time
			if diff := gocmp.Diff(byCurrency(want), found.Sums, exactly); found.Sums != nil && diff != "" {
				rt.Fatalf("its sums: %s", diff)
			}
			bounded := f.AmountFrom != nil || f.AmountTo != nil
			// nil: it was not counted in time
			if excluded := found.ExcludedOtherCurrencies; excluded != nil && (!bounded || *excluded != others) {
				rt.Fatalf("it excludes %v, want %d", found.ExcludedOtherCurrencies, others)
			}
			if found.NextCursor == "" {
				break
			}
			if page.Cursor = found.NextCursor; len(got) > len(want) {
				rt.Fatalf("more rows than the %d that match", len(want))
			}
		}
		if !slices.EqualFunc(got, want, func(id uuid.UUID, l line) bool { return id == l.id }) {
			rt.Fatalf("it found %d rows, want %d, or in another order", len(got), len(want))
		}
	})
}

// byCurrency adds up lines by currency, those with most lines first.
func byCurrency(lines []line) []store.CurrencySum {
	by := map[string]*store.CurrencySum{}
	for _, l := range lines {
		sum := by[l.currency]
		if sum == nil {
			sum = &store.CurrencySum{Currency: l.currency}
			by[l.currency] = sum
		}
		sum.TransactionCount++
		if l.amount > 0 {
			sum.Inflow = sum.Inflow.Plus(money.TotalOf(money.Amount(l.amount)))
		} else {
			sum.Outflow = sum.Outflow.Minus(money.TotalOf(money.Amount(l.amount)))
		}
	}
	sums := []store.CurrencySum{}
	for _, sum := range by {
		sums = append(sums, *sum)
	}
	slices.SortFunc(sums, func(a, b store.CurrencySum) int {
		return cmp.Or(cmp.Compare(b.TransactionCount, a.TransactionCount), strings.Compare(a.Currency, b.Currency))
	})
	return sums
}

func TestSplitWordsCountsEqualWordsOnce(t *testing.T) {
	t.Parallel()
	for query, want := range map[string][]string{
		"":                      nil,
		" \t\n ":                nil,
		"one":                   {"one"},
		"b a b":                 {"b", "a"},
		"Café café CAFÉ":        {"Café"},
		"no\u00a0break\u2003em": {"no", "break", "em"},
		`100% a_b "quoted" \`:   {"100%", "a_b", `"quoted"`, `\`},
	} {
		if got := store.SplitWords(query); !slices.Equal(got, want) {
			t.Errorf("%q splits into %q, want %q", query, got, want)
		}
	}
}

// What a count may take is no time for its commit: one that ran out meanwhile would fail whatever the connection is
// asked next.
func TestTheTimeOfACountEndsBeforeItsCommit(t *testing.T) {
	if storetest.OnCitus() {
		t.Skip("nobody makes tables on a node")
	}
	business := connect(t)
	inTime, err := store.InBudget(t.Context(), business.Organization, time.Minute/2,
		`CREATE TABLE commits (timeout text)`,
		`CREATE FUNCTION look_at_commit() RETURNS trigger LANGUAGE plpgsql AS $$
		 BEGIN
		   UPDATE commits SET timeout = current_setting('statement_timeout');
		   RETURN NULL;
		 END $$`,
		`CREATE CONSTRAINT TRIGGER looks AFTER INSERT ON commits DEFERRABLE INITIALLY DEFERRED
		 FOR EACH ROW EXECUTE FUNCTION look_at_commit()`,
		`INSERT INTO commits VALUES ('not seen')`)
	must(t, err)
	t.Cleanup(func() {
		_, err := storetest.DB(t).SQL().Exec(`DROP TABLE commits; DROP FUNCTION look_at_commit`)
		must(t, err)
	})
	var atCommit string
	must(t, storetest.DB(t).SQL().QueryRow(`SELECT timeout FROM commits`).Scan(&atCommit))
	if !inTime || atCommit != "1min" {
		t.Errorf("in time: %t; at the commit a statement may take %s, want what any may: 1min", inTime, atCommit)
	}
}
