package categorize

import (
	"encoding/csv"
	"os"
	"testing"

	"bizfin/internal/money"
)

// TestEachRuleFitsItsLine has one line for every rule, and a rule for one
// direction never fits the same line in the other.
func TestEachRuleFitsItsLine(t *testing.T) {
	t.Parallel()
	file, err := os.Open("testdata/rules.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	d := load()
	untested := map[string]bool{}
	for _, r := range d.flows {
		untested[r.name] = true
	}
	for _, r := range d.fallbacks {
		untested[r.name] = true
	}
	for _, row := range rows[1:] {
		amount, err := money.Parse(row[2])
		if err != nil {
			t.Fatal(err)
		}
		delete(untested, row[0])
		t.Run(row[0], func(t *testing.T) {
			t.Parallel()
			line := Line{Description: row[1], Amount: amount, AccountType: row[3],
				Business: BusinessOf("Quillfeather Trading LLC")}
			if row[3] == "service" {
				line.Service = "PayPal"
			}
			got := fitting(d, line)
			if got == nil || got.name != row[0] {
				t.Fatalf("%q: rule %v, want %s", row[1], got, row[0])
			}
			line.Amount = -amount
			back := fitting(d, line)
			if back != nil && back.dir != unknown && back.name == row[0] {
				t.Errorf("%q: rule %s fits both directions", row[1], back.name)
			}
		})
	}
	for name := range untested {
		t.Errorf("rule %s has no line", name)
	}
}

// fitting is the rule that decides a line, and nil where none does.
func fitting(d *data, l Line) *rule {
	var c subject
	c.understand(d, l)
	if r := match(d.flows, &c.set, c.dir); r != nil {
		return r
	}
	return match(d.fallbacks, &c.set, c.dir)
}
