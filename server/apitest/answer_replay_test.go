package apitest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestAnswersThatHoldGiveTheSameBooksElsewhere answers a random book at random, takes some of it back, and gives what
// still holds to another business with the same rows, in the same order: both have the same books. BIZFIN_TEST_ANSWERS
// and BIZFIN_TEST_ANSWERS_SEED are as for TestAnswersAtRandomKeepTheBooks.
func TestAnswersThatHoldGiveTheSameBooksElsewhere(t *testing.T) {
	t.Parallel()
	ofRandomBooks(t, func(t *testing.T, seed uint64) {
		m := modelOf(t, seed)
		defer m.tell(t)
		m.settle()
		given := m.answerOnce(12)
		twin := modelOf(t, seed)
		twin.settle()
		for _, s := range given {
			if strings.Contains(s.words, ":") {
				t.Skip("the numbers of lines that an exception names are those of its question alone")
			}
			hook := twin.hookLike(s)
			if hook == "" {
				t.Skipf("the other business does not ask what was answered by %+v", s.saying)
			}
			given := len(twin.given)
			if twin.say(saying{hook, s.words, s.option}); len(twin.given) == given {
				t.Skipf("the question there does not take %+v: its options are those of the row that it began with",
					s.saying)
			}
			twin.settle()
		}
		if diff := cmp.Diff(m.byExternal(), twin.byExternal()); diff != "" {
			t.Errorf("the books differ where the answers were given again (-first +again): %s", diff)
		}
	})
}

// saidOf is a saying and what it was about: the external ids of its rows.
type saidOf struct {
	saying
	rows []string
}

// answerOnce answers questions and rows at random, and takes some back of which one answer holds. It returns what
// holds.
func (m *model) answerOnce(times int) (holding []saidOf) {
	m.t.Helper()
	again := map[string]bool{} // hooks that were answered before
	for range times {
		if i := m.random.IntN(max(len(holding), 1)); len(holding) > 0 && m.random.IntN(4) == 0 &&
			!again[holding[i].hook] {
			m.say(saying{hook: holding[i].hook, words: "undo"})
			m.settle()
			holding = slices.Delete(holding, i, i+1)
			continue
		}
		before, rows := len(m.given), m.rowsByHook()
		if m.random.IntN(4) == 0 {
			m.answerHook()
		} else {
			m.answerQuestion()
		}
		if len(m.given) == before {
			continue
		}
		s := m.given[before]
		m.settle()
		again[s.hook] = slices.ContainsFunc(m.given[:before], func(g saying) bool { return g.hook == s.hook })
		holding = slices.DeleteFunc(holding, func(h saidOf) bool { return h.hook == s.hook })
		holding = append(holding, saidOf{s, rows[s.hook]})
	}
	return holding
}

// rowsByHook are the external ids of the rows that a hook is about: a question, a row or a counterparty.
func (m *model) rowsByHook() map[string][]string {
	rows := map[string][]string{}
	for external, id := range m.ids {
		row := m.now.Rows[id]
		hooks := []string{"t:" + id}
		for _, q := range row["issueIds"].([]any) {
			hooks = append(hooks, q.(string))
		}
		if party, is := row["counterparty"].(M); is {
			direction := ":in"
			if strings.HasPrefix(fmt.Sprint(row["amount"]), "-") {
				direction = ":out"
			}
			hooks = append(hooks, "c:"+party["id"].(string)+direction)
		}
		for _, hook := range hooks {
			rows[hook] = append(rows[hook], external)
		}
	}
	return rows
}

// hookLike is the hook of the same kind that is about the most of the rows of what was said; empty where none is.
func (m *model) hookLike(s saidOf) (like string) {
	most := 0
	for hook, rows := range m.rowsByHook() {
		if strings.IndexByte(hook, ':') != strings.IndexByte(s.hook, ':') || hook[:2] != s.hook[:2] && hook[1] == ':' {
			continue
		}
		both := len(slices.DeleteFunc(rows, func(external string) bool { return !slices.Contains(s.rows, external) }))
		if both > most || both == most && both > 0 && hook < like {
			most, like = both, hook
		}
	}
	return like
}

// byExternal are the categories of rows and of their parts, by the rows' external ids.
func (m *model) byExternal() map[string][]string {
	known := map[string][]string{}
	for external, id := range m.ids {
		row := m.now.Rows[id]
		if category, is := row["category"].(M); is {
			known[external] = append(known[external], fmt.Sprint(category["categoryPath"]))
		}
		for _, part := range row["parts"].([]any) {
			known[external] = append(known[external], fmt.Sprint(part.(M)["categoryPath"], part.(M)["amount"]))
		}
	}
	return known
}
