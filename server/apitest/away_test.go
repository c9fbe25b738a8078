package apitest

import (
	"fmt"
	"strings"
	"testing"

	"bizfin/store/storetest"
)

// A database that is spread says by its SQLSTATE that it does not reach a business. It is answered 503 and when to come
// again, for nothing was stored, and others go on. At a commit nobody knows, so 503 would say too much.
func TestABusinessOutOfReachIsAnsweredWhenToComeAgain(t *testing.T) {
	if storetest.OnCitus() {
		t.Skip("it has no triggers; TestCitus loses a node")
	}
	t.Parallel()
	for timing, want := range map[string]int{"BEFORE": 503, "DEFERRED": 500} {
		o, other := start(t).open(), start(t).open()
		name := "away_" + strings.ReplaceAll(o.organization, "-", "_")
		kind, when := "TRIGGER", "BEFORE INSERT ON accounts"
		if timing == "DEFERRED" {
			kind, when = "CONSTRAINT TRIGGER", "AFTER INSERT ON accounts DEFERRABLE INITIALLY DEFERRED"
		}
		_, err := o.db.SQL().Exec(fmt.Sprintf(`
			CREATE FUNCTION %[1]s() RETURNS trigger LANGUAGE plpgsql AS $$
			BEGIN
			  RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006';
			END $$;
			CREATE %[2]s %[1]s %[3]s
			FOR EACH ROW WHEN (NEW.organization_id = '%[4]s') EXECUTE FUNCTION %[1]s()`, name, kind, when,
			o.organization))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { o.db.SQL().Exec(fmt.Sprintf(`DROP FUNCTION %s CASCADE`, name)) })
		got := o.post(o.path+"/accounts", M{"source_id": o.source, "accounts": []M{account("a")}}).want(want)
		if retry := got.header.Get("Retry-After"); (retry != "") != (want == 503) {
			t.Errorf("%s: Retry-After is %q", timing, retry)
		}
		if n := o.get(o.path + "/accounts").want(200).size("accounts"); n != 0 {
			t.Errorf("%s: %d accounts were stored", timing, n)
		}
		other.uploadAccount("a")
	}
}
