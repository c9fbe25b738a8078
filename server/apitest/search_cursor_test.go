package apitest

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/google/uuid"
)

// walk reads a whole list page by page. between is called after each page.
func (o *office) walk(params []string, limits []string, between func(page int)) (externalIDs []string) {
	o.t.Helper()
	cursor := ""
	for page := 0; page < 200; page++ {
		asked := append(slices.Clone(params), "limit", limits[page%len(limits)])
		if cursor != "" {
			asked = append(asked, "cursor", cursor)
		}
		got := o.search(asked...)
		externalIDs = append(externalIDs, got.found()...)
		if got.get("nextCursor") == nil {
			return externalIDs
		}
		cursor = got.text("nextCursor")
		if between != nil {
			between(page)
		}
	}
	o.t.Fatal("the list has no end")
	return nil
}

func TestACursorWalkNeitherLosesNorRepeatsARow(t *testing.T) {
	t.Parallel()
	const rows = 137
	for what, params := range map[string][]string{
		"everything":   nil,
		"by processed": {"dateField", "processed"},
		"words":        {"query", "walk"},
		"accounts":     {"accountIds", "both"},
		"amounts":      {"amountTo", "0"},
		"uncategorized": {
			"categoryPath", "uncategorized"},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			o := shared(t).open()
			accounts := []string{o.uploadAccount("a"), o.uploadAccount("b")}
			if params != nil && params[1] == "both" {
				params = []string{"accountIds", list(accounts...)}
			}
			ids := map[string]string{}
			batches := make([][]M, len(accounts))
			for i := range rows { // few days, so that ids decide often
				batches[i%2] = append(batches[i%2], transaction(fmt.Sprintf("t%03d", i), "-1",
					fmt.Sprintf("2026-02-%02d", 1+i%9), "WALK"))
			}
			for i, batch := range batches {
				maps.Copy(ids, o.upload(accounts[i], batch...))
			}
			o.exec(`UPDATE transactions SET processing = 'processed', processed_date = processed_date + (amount % 3)::integer
				WHERE organization_id = $1 AND external_id < 't070'`, o.organization)

			deleted := map[string]bool{}
			got := o.walk(params, []string{"20", "7", "1", "50"}, func(page int) {
				// Rows arrive before and after the place, and some that were not yet read go.
				o.upload(accounts[0], transaction(fmt.Sprintf("new%d", page), "-1", "2026-03-01", "WALK"),
					transaction(fmt.Sprintf("old%d", page), "-1", "2026-01-01", "WALK"))
				gone := fmt.Sprintf("t%03d", page*9)
				o.delete(o.path + "/transactions/" + ids[gone]).want(200)
				deleted[gone] = true
			})
			seen := map[string]bool{}
			for _, externalID := range got {
				if seen[externalID] {
					t.Errorf("%s came twice", externalID)
				}
				seen[externalID] = true
			}
			for externalID := range ids {
				if !seen[externalID] && !deleted[externalID] {
					t.Errorf("%s was lost", externalID)
				}
			}
			for page := range 3 {
				if !seen[fmt.Sprintf("old%d", page)] {
					t.Errorf("old%d arrived after the place and was not read", page)
				}
				if seen[fmt.Sprintf("new%d", page)] {
					t.Errorf("new%d arrived before the place and was read", page)
				}
			}
		})
	}
}

func TestACursorBelongsToItsFilters(t *testing.T) {
	t.Parallel()
	a := shared(t)
	o := a.open()
	account := o.uploadAccount("a")
	for i := range 3 {
		o.upload(account, transaction(fmt.Sprint(i), "-1", "2026-01-01", "ROW"))
	}
	cursor := o.search("limit", "1", "query", "row").want(200).text("nextCursor")
	if got := o.search("limit", "2", "query", "row", "cursor", cursor).found(); !slices.Equal(got, []string{"1", "0"}) {
		t.Errorf("with another limit it goes on to %v, want 1 and 0", got)
	}
	for _, params := range [][]string{
		nil, {"query", "rows"}, {"query", "row", "dateField", "processed"}, {"query", "row", "needsAttention", "false"},
		{"query", "row", "amountTo", "0"}, {"query", "row", "dateFrom", "2026-01-01"},
		{"query", "row", "accountIds", list(account)},
		{"query", "row", "counterpartyId", uuid.NewString()}, {"query", "row", "categoryPath", "uncategorized"},
	} {
		got := o.search(append(params, "cursor", cursor)...).want(422)
		if issues := got.issues(); !slices.Equal(issues, []string{"query /cursor format"}) {
			t.Errorf("%q: issues %v", params, issues)
		}
	}
	raw, _ := base64.RawURLEncoding.DecodeString(cursor)
	raw[0]++
	for _, forged := range []string{"x", cursor + "A", cursor[1:], "====", base64.RawURLEncoding.EncodeToString(raw),
		base64.RawURLEncoding.EncodeToString(make([]byte, 33)), "é"} {
		o.search("query", "row", "cursor", forged).want(422)
	}
	o.search("query", "row", "cursor", "").want(422)

	a.open().search("query", "row", "cursor", cursor).want(422)
}
