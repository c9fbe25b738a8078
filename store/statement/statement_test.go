package statement_test

import (
	"slices"
	"testing"
	"testing/fstest"

	"bizfin/store/statement"
)

func TestANameWithoutAValueIsNoStatement(t *testing.T) {
	t.Parallel()
	texts := statement.Texts(fstest.MapFS{"a.sql.tmpl": {Data: []byte("SELECT {{.column}}")}})
	if got := statement.Filled(texts, "a.sql.tmpl", map[string]any{"column": "id"}); got != "SELECT id" {
		t.Errorf("it is %q", got)
	}
	defer func() {
		if recover() == nil {
			t.Error("a name without a value was filled in")
		}
	}()
	statement.Filled(texts, "a.sql.tmpl", map[string]any{})
}

func TestEachConditionTakesTheNextPlaces(t *testing.T) {
	t.Parallel()
	args := statement.Arguments{"before"}
	w := statement.Where{Args: &args}
	w.And("a")
	w.And("b BETWEEN ? AND ?", 1, 2)
	if got := w.String(); got != "a\n  AND b BETWEEN $2 AND $3" {
		t.Errorf("it is %q", got)
	}
	if !slices.Equal(args, statement.Arguments{"before", 1, 2}) {
		t.Errorf("the arguments are %v", args)
	}
}

func TestAPatternReadsTheCharactersOfAWordLiterally(t *testing.T) {
	t.Parallel()
	if got := statement.LikePattern(`10%_\`); got != `%10\%\_\\%` {
		t.Errorf("it is %s", got)
	}
}
