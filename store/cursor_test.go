package store_test

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/google/uuid"
	"pgregory.net/rapid"

	"bizfin/internal/money"
	"bizfin/store"
)

func TestAnyOtherTextIsNoCursor(t *testing.T) {
	t.Parallel()
	ctx, b := t.Context(), furnished(t)
	b.upload(t, b.account, "t2", "t3")
	filter := store.TransactionFilter{DateField: store.Primary}
	page, err := b.SearchTransactions(ctx, filter, store.Page{Limit: 1})
	must(t, err)
	good, err := base64.RawURLEncoding.DecodeString(page.NextCursor)
	must(t, err)
	const late = 0x80 // a list's last part; it may stand beside any version
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.OneOf(
			rapid.String(),
			rapid.Custom(func(t *rapid.T) string { // right in length, version and filters; the place may be anywhere
				raw := append([]byte(nil), good[:9]...)
				raw = append(raw, rapid.SliceOfN(rapid.Byte(), 24, 24).Draw(t, "place")...)
				return base64.RawURLEncoding.EncodeToString(raw)
			}),
			rapid.Custom(func(t *rapid.T) string {
				raw := append([]byte(nil), good...)
				raw[rapid.IntRange(0, 8).Draw(t, "at")] ^= byte(rapid.IntRange(1, 255).Draw(t, "bits"))
				return base64.RawURLEncoding.EncodeToString(raw)
			}),
		).Filter(func(text string) bool { return text != "" }).Draw(t, "cursor")
		_, err := b.SearchTransactions(ctx, filter, store.Page{Limit: 1, Cursor: text})
		raw, bad := base64.RawURLEncoding.Strict().DecodeString(text)
		wellFormed := bad == nil && len(raw) == len(good) && raw[0]&^late == good[0] &&
			string(raw[1:9]) == string(good[1:9])
		if err != nil && !errors.Is(err, store.ErrCursor) {
			t.Fatalf("cursor %q: %v", text, err)
		}
		if err == nil && !wellFormed {
			t.Fatalf("cursor %q was taken", text)
		}
	})
}

func TestACursorAtTheEndsOfTimeIsAPlaceOrNone(t *testing.T) {
	t.Parallel()
	ctx, b := t.Context(), connect(t)
	b.upload(t, b.uploadAccount(t, "a"), "t1", "t2")
	filter := store.TransactionFilter{DateField: store.Processed}
	page, err := b.SearchTransactions(ctx, filter, store.Page{Limit: 1})
	must(t, err)
	good, err := base64.RawURLEncoding.DecodeString(page.NextCursor)
	must(t, err)
	for _, tc := range []struct {
		micros int64
		id     uuid.UUID
		rows   int // -1: no cursor
	}{
		{253402300799_999999, uuid.Max, 2},  // 9999-12-31
		{-62135596800_000000, uuid.Nil, 0},  // 0001-01-01
		{253402300800_000000, uuid.Nil, -1}, // the year 10000
		{-62135596800_000001, uuid.Nil, -1}, // the year 0
		{1<<63 - 1, uuid.Nil, -1},
		{-1 << 63, uuid.Nil, -1},
	} {
		raw := binary.BigEndian.AppendUint64(append([]byte(nil), good[:9]...), uint64(tc.micros))
		raw = append(raw, tc.id[:]...)
		page, err := b.SearchTransactions(ctx, filter, store.Page{Limit: 5,
			Cursor: base64.RawURLEncoding.EncodeToString(raw)})
		if tc.rows < 0 {
			if !errors.Is(err, store.ErrCursor) {
				t.Errorf("%d: %v, want ErrCursor", tc.micros, err)
			}
		} else if err != nil || len(page.Rows) != tc.rows {
			t.Errorf("%d: %d rows, %v, want %d", tc.micros, len(page.Rows), err, tc.rows)
		}
	}
}

func TestCursorsOfOneListAreNotThoseOfAnother(t *testing.T) {
	t.Parallel()
	ctx, b := t.Context(), furnished(t)
	b.upload(t, b.account, "t2")
	must(t, b.SaveCounterparty(ctx, noon, store.Counterparty{ID: uuid.New(), Name: "Two", Type: "company",
		Relationship: "client", LastDate: noon}))
	must(t, b.OpenIssue(ctx, issue(uuid.New(), b.counterparty), nil))
	page, err := b.SearchTransactions(ctx, store.TransactionFilter{DateField: store.Primary}, store.Page{Limit: 1})
	must(t, err)
	ofCounterparties, err := b.SearchCounterparties(ctx, store.CounterpartyFilter{}, store.Page{Limit: 1})
	must(t, err)
	ofIssues, err := b.Issues(ctx, store.IssueFilter{}, store.Page{Limit: 1})
	must(t, err)
	for _, other := range []string{ofCounterparties.NextCursor, ofIssues.NextCursor} {
		if _, err := b.SearchTransactions(ctx, store.TransactionFilter{DateField: store.Primary},
			store.Page{Limit: 1, Cursor: other}); !errors.Is(err, store.ErrCursor) {
			t.Errorf("transactions: %v, want ErrCursor", err)
		}
	}
	for _, other := range []string{page.NextCursor, ofIssues.NextCursor} {
		if _, err := b.SearchCounterparties(ctx, store.CounterpartyFilter{},
			store.Page{Limit: 1, Cursor: other}); !errors.Is(err, store.ErrCursor) {
			t.Errorf("counterparties: %v, want ErrCursor", err)
		}
	}
	for _, other := range []string{page.NextCursor, ofCounterparties.NextCursor} {
		if _, err := b.Issues(ctx, store.IssueFilter{}, store.Page{Limit: 1, Cursor: other}); !errors.Is(err,
			store.ErrCursor) {
			t.Errorf("issues: %v, want ErrCursor", err)
		}
	}
}

// TestCursorsOutliveAnUpgrade: these were given out by an earlier build. Names and order of a filter's fields are a
// part of what a cursor is bound to.
func TestCursorsOutliveAnUpgrade(t *testing.T) {
	t.Parallel()
	ctx, b := t.Context(), connect(t)
	id := uuid.MustParse("01a1f987-9231-770e-89a2-63834b477a68")
	day, amount, yes := date(2026, 1, 2), money.Amount(500), true
	_, err := b.SearchTransactions(ctx, store.TransactionFilter{
		Words: []store.Word{{Text: "coffee", CategoryIDs: []int{3250}}}, AccountIDs: []uuid.UUID{id}, Counterparty: &id,
		CategoryIDs: []int{1000}, From: &day, To: &day,
		DateField: store.Primary, AmountFrom: &amount, AmountTo: &amount, Attention: &yes, FilterByAccount: true,
		FilterByCategory: true, Uncategorized: true,
	}, store.Page{Limit: 1, Cursor: "AYqPgRlP7GkeAAZMJ4BJgAABofmHkjF3DomiY4NLR3po"})
	must(t, err)
	_, err = b.SearchCounterparties(ctx, store.CounterpartyFilter{Words: []string{"a"}, Relationship: "client",
		Type: "company"},
		store.Page{Limit: 1, Cursor: "AVPdQc_g_vZQAAZMJ4BJgAABofmHkjF3DomiY4NLR3po"})
	must(t, err)
	_, err = b.Issues(ctx, store.IssueFilter{ObjectType: "company", ObjectID: "x"},
		store.Page{Limit: 1, Cursor: "AbKJJcG3IZljAAZMJ4BJgAABofmHkjF3DomiY4NLR3po"})
	must(t, err)
}
