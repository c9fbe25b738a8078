package ontology

import "testing"

const head = "version: \"2025.1\"\nkey: us.schedule_c\nname: Test\ncategories:\n" +
	"  - {id: 1, key: expense, name: Expenses, assignable: false, description: All costs.}\n"

const last = "  - {id: 9, key: uncategorized, name: Uncategorized, assignable: false, description: Unknown.}\n"

func TestParse_AcceptsASoundFile(t *testing.T) {
	t.Parallel()
	sound := "form_year: 2025\n" + head + "  - {id: 2, key: expense.ads, name: Ads, line: \"8\", description: Ads.}\n" +
		last
	if _, err := parse([]byte(sound)); err != nil {
		t.Fatal(err)
	}
}

func TestParse_RefusesAFileThatBreaksARule(t *testing.T) {
	t.Parallel()
	for name, node := range map[string]string{
		"unknown field":         `{id: 2, key: expense.ads, name: Ads, line: "8", description: Ads., side: out}`,
		"unknown branch":        `{id: 2, key: costs, name: Ads, assignable: false, description: Ads.}`,
		"repeated id":           `{id: 1, key: expense.ads, name: Ads, line: "8", description: Ads.}`,
		"id zero":               `{id: 0, key: expense.ads, name: Ads, line: "8", description: Ads.}`,
		"repeated key":          `{id: 2, key: expense, name: Ads, assignable: false, description: Ads.}`,
		"repeated name":         `{id: 2, key: expense.ads, name: EXPENSES, line: "8", description: Ads.}`,
		"missing parent":        `{id: 2, key: expense.ads.online, name: Ads, line: "8", description: Ads.}`,
		"missing name":          `{id: 2, key: expense.ads, line: "8", description: Ads.}`,
		"missing description":   `{id: 2, key: expense.ads, name: Ads, line: "8"}`,
		"line not on the form":  `{id: 2, key: expense.ads, name: Ads, line: "16", description: Ads.}`,
		"line off the form":     `{id: 2, key: personal, name: Ads, line: "8", assignable: false, description: Ads.}`,
		"assignable to no line": `{id: 2, key: expense.ads, name: Ads, description: Ads.}`,
		"assignable to a total": `{id: 2, key: expense.ads, name: Ads, line: "28", description: Ads.}`,
		"assignable branch":     `{id: 2, key: personal, name: Ads, description: Ads.}`,
		"deductible over 100":   `{id: 2, key: expense.ads, name: Ads, line: "8", deductible: 101, description: Ads.}`,
		"deductible negative":   `{id: 2, key: expense.ads, name: Ads, line: "8", deductible: -1, description: Ads.}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := parse([]byte("form_year: 2025\n" + head + "  - " + node + "\n" + last)); err == nil {
				t.Error("accepted")
			}
		})
	}
	for name, text := range map[string]string{
		"not YAML":                "categories: [",
		"another form year":       "form_year: 2026\n" + head + last,
		"uncategorized not last":  "form_year: 2025\n" + head,
		"no category and no head": "{}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := parse([]byte(text)); err == nil {
				t.Error("accepted")
			}
		})
	}
}
