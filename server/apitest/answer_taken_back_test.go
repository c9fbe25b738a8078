package apitest

import (
	"strings"
	"testing"
)

// Rows that name nobody, and were not asked about since words said before what such rows are, are asked about when these
// words are taken back, and follow those that replace them.
func TestARowThatWordsKeptFromBeingAskedAboutFollowsThem(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][2]string{
		"a transfer": {"-300.00", "ONLINE TRANSFER TO SAV ...1234"}, "a transfer back": {"310.00", "ONLINE TRANSFER FROM SAV ...1234"},
		"a line that names nobody": {"-300.00", "DEPOSIT"},
	} {
		for _, last := range []string{"undo", "personal.living"} {
			o, account := openPaid(t)
			first := lines[1]
			if name == "a transfer back" {
				first = "ONLINE TRANSFER TO SAV ...1234"
			}
			ids := o.upload(account, transaction("first", "-300.00", "2026-04-04", first))
			o.process(0)
			hook := o.get(o.path+"/transactions/"+ids["first"]).want(200).text("transaction", "issueIds", 0)
			o.answerIssue(hook, "half personal half business", nil).want(200)
			later := o.upload(account, transaction("later", lines[0], "2026-04-20", lines[1]))["later"]
			o.process(0)
			row := func() answer { return o.get(o.path + "/transactions/" + later).want(200) }
			row().wantAt("A mix: half personal half business", "transaction", "context")
			o.answerIssue(hook, last, nil).want(200)
			o.process(0)
			got := row()
			asked := got.size("transaction", "issueIds") == 1
			decided := got.get("transaction", "category") != nil && got.text("transaction", "category", "categoryPath") == last
			if !asked && !decided || got.get("transaction", "context") != nil {
				t.Errorf("%s, %s: %s", name, last, strings.TrimSpace(string(got.body)))
			}
		}
	}
}
