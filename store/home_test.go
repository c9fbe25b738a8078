package store_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/uuid"

	"bizfin/store"
	"bizfin/store/storetest"
)

// What reads a business asks its node for pieces of tables, as long as the node has them and answers, and else the
// coordinator.
func TestABusinessIsReadOnItsNodeUntilItMoves(t *testing.T) {
	t.Parallel()
	if storetest.OnCitus() {
		t.Skip("NOT TRIED: it takes one machine for a node")
	}
	business := connect(t)
	schema := "node_" + strings.ReplaceAll(uuid.NewString(), "-", "")
	direct := func(statement string) {
		t.Helper()
		_, err := storetest.DB(t).SQL().Exec(strings.ReplaceAll(statement, "node.", schema+"."))
		must(t, err)
	}
	direct(`CREATE SCHEMA ` + schema)
	t.Cleanup(func() { direct(`DROP SCHEMA ` + schema + ` CASCADE`) })
	direct(`CREATE TABLE node.pending_work_7 (LIKE pending_work INCLUDING DEFAULTS)`)
	direct(`INSERT INTO node.pending_work_7 (organization_id, account_id, next_at)
		VALUES ('` + business.ID.String() + `', gen_random_uuid(), now())`)
	direct(`CREATE TABLE node.pg_dist_placement (shardid bigint, groupid integer)`)
	direct(`INSERT INTO node.pg_dist_placement VALUES (7, 1)`)
	address, err := url.Parse(storetest.DatabaseURL(t))
	must(t, err)
	query := address.Query()
	query.Set("search_path", schema+",public")
	address.RawQuery = query.Encode()
	open := func(node string) *store.DB {
		db, err := store.Open(address.String(), store.Options{MaxConnections: 2})
		must(t, err)
		t.Cleanup(func() { db.Close() })
		must(t, store.LiveAt(db, business.ID, node, 1, 7, map[string]string{"pending_work": "pending_work_7"}))
		return db
	}
	wantEvents := func(db *store.DB, want int, when string) {
		t.Helper()
		events, err := db.Organization(business.ID).Events(t.Context())
		must(t, err)
		if len(events) != want {
			t.Errorf("%s: %d events, want %d", when, len(events), want)
		}
	}
	db := open("here")
	wantEvents(db, 1, "its node has it")
	wantEvents(open(store.NobodyThere), 0, "its node is away")
	direct(`UPDATE node.pg_dist_placement SET groupid = 2`)
	wantEvents(db, 0, "it has moved")
	direct(`DROP TABLE node.pending_work_7`)
	wantEvents(open("here"), 0, "what its node had is gone")
}
