package store_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/lib/pq"

	"bizfin/internal/ontology"
	"bizfin/store/storetest"
)

// Where it fails, the ontology has another branch than the function: a step of the schema must change the function and
// count the rows anew.
func TestTheDatabaseKnowsWhichCategoriesCountAsNone(t *testing.T) {
	t.Parallel()
	var all []int
	for _, c := range ontology.ScheduleC().All() {
		all = append(all, c.ID)
	}
	var none pq.Int64Array
	must(t, storetest.DB(t).SQL().QueryRow(`
		SELECT array_agg(id ORDER BY id)
		FROM unnest($1::integer[]) AS c (id)
		WHERE NOT is_categorized(id)`, pq.Array(all)).Scan(&none))
	uncategorized, _ := ontology.ScheduleC().ByPath(ontology.Uncategorized)
	var want []int64
	for _, id := range uncategorized.Descendants() {
		want = append(want, int64(id))
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, []int64(none)); diff != "" {
		t.Errorf("(-ontology +database): %s", diff)
	}
}
