package store_test

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"bizfin/store/storetest"
)

func TestThePackageCommentListsEveryTrigger(t *testing.T) {
	t.Parallel()
	if storetest.OnCitus() {
		t.Skip("a spread database has no triggers")
	}
	source, err := os.ReadFile("store.go")
	must(t, err)
	comment, _, _ := strings.Cut(string(source), "\npackage store\n")
	var listed []string
	for _, match := range regexp.MustCompile(`(?m)^//   - (transactions_\w+)`).FindAllStringSubmatch(comment, -1) {
		listed = append(listed, match[1])
	}
	slices.Sort(listed)
	triggers := column(t, storetest.DB(t).SQL(), `
		SELECT tgname
		FROM pg_trigger
		WHERE NOT tgisinternal
		  AND tgname <> 'no_event_is_lost' -- the tests' own
		  AND tgrelid = ANY (ARRAY (
		    SELECT oid
		    FROM pg_class
		    WHERE relnamespace = 'public'::regnamespace))
		ORDER BY tgname COLLATE "C"`)
	if diff := cmp.Diff(triggers, listed); diff != "" {
		t.Errorf("(-database +comment): %s", diff)
	}
}
