package categorize_test

import (
	"encoding/csv"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/ontology"
)

// labelled is one line with what people say it is.
type labelled struct {
	line     categorize.Line
	expected string
	accepted []string // expected, acceptable, and those of a second labeller
	ask      bool
	name     string // the counterparty, "" where not labelled
	kind     string
	relation string
}

// readLabelled reads lines by the names in the file's head; columns it does not know are left alone.
func readLabelled(t testing.TB, path string) []labelled {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	rows, err := csv.NewReader(file).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	column := map[string]int{}
	for i, name := range rows[0] {
		column[name] = i
	}
	var list []labelled
	for _, row := range rows[1:] {
		get := func(name string) string {
			if i, ok := column[name]; ok {
				return row[i]
			}
			return ""
		}
		amount, err := money.Parse(get("amount"))
		if err != nil {
			t.Fatalf("%q: %v", row, err)
		}
		l := labelled{
			line: categorize.Line{Description: get("description"), Amount: amount,
				AccountType: get("account_type")},
			expected: get("expected_category"), ask: get("ask_expected") == "yes",
			name: get("expected_counterparty"), kind: get("counterparty_type"), relation: get("relationship"),
		}
		l.accepted = append(l.accepted, l.expected)
		for _, name := range []string{"acceptable_categories", "second_category", "second_acceptable"} {
			for path := range strings.SplitSeq(get(name), ";") {
				if path != "" {
					l.accepted = append(l.accepted, path)
				}
			}
		}
		list = append(list, l)
	}
	return list
}

// result are the figures of one set.
type result struct {
	lines, silent, silentStrict, silentLine, silentAccepted int
	strict, line, accepted                                  int
	onForm, offForm                                         int // silent: P&L taken for non-P&L, and the reverse
	asks, asksExpected, asksRight                           int
	named, nameRight                                        int
	calibration                                             float64
	tiers                                                   map[money.Ratio][2]int
}

func path(o *ontology.Ontology, id int, amount money.Amount) string {
	if c, ok := o.ByID(id); ok {
		return c.Path
	}
	if amount > 0 {
		return "uncategorized.in"
	}
	return "uncategorized.out"
}

// sameLine reports whether two categories stand on the same line of the form, or are both off it in one branch.
func sameLine(o *ontology.Ontology, a, b string) bool {
	x, ok1 := o.ByPath(a)
	y, ok2 := o.ByPath(b)
	if !ok1 || !ok2 {
		return false
	}
	if x.ScheduleCLine != "" || y.ScheduleCLine != "" {
		return x.ScheduleCLine == y.ScheduleCLine
	}
	return x.Kind == y.Kind
}

func evaluate(t *testing.T, set []labelled) result {
	o, e := ontology.ScheduleC(), categorize.New()
	r := result{tiers: map[money.Ratio][2]int{}}
	verbose := os.Getenv("BIZFIN_EVAL_VERBOSE") != ""
	for _, l := range set {
		d := e.Decide(l.line, categorize.NewMemory())
		got := path(o, d.CategoryID, l.line.Amount)
		strict, line, accepted := got == l.expected, sameLine(o, got, l.expected), slices.Contains(l.accepted, got)
		for _, a := range l.accepted { // a newer category below an accepted one
			accepted = accepted || strings.HasPrefix(got, a+".")
		}
		r.lines++
		count(&r.strict, strict)
		count(&r.line, line)
		count(&r.accepted, accepted || line)
		count(&r.asks, d.Ask)
		count(&r.asksExpected, l.ask)
		count(&r.asksRight, d.Ask && l.ask)
		if l.name != "" {
			r.named++
			count(&r.nameRight, strings.EqualFold(d.Counterparty.Name, l.name))
		}
		tier := r.tiers[d.Confidence]
		tier[0]++
		count(&tier[1], accepted || line)
		r.tiers[d.Confidence] = tier
		mark := " "
		if d.Silent() {
			r.silent++
			count(&r.silentStrict, strict)
			count(&r.silentLine, line)
			count(&r.silentAccepted, accepted || line)
			want, _ := o.ByPath(l.expected)
			have, _ := o.ByPath(got)
			if want != nil && !accepted {
				count(&r.onForm, want.Kind.OnForm() && !have.Kind.OnForm())
				count(&r.offForm, !want.Kind.OnForm() && have.Kind.OnForm())
			}
			mark = "S"
		}
		if verbose {
			verdict := "wrong"
			if strict {
				verdict = "right"
			} else if accepted || line {
				verdict = "near"
			}
			fmt.Printf("%s\t%s\t%d\t%s\t%s\t%s\t%s\t%s|%s|%s|%s\n", mark, verdict, d.Confidence, got, l.expected,
				l.line.Description, l.line.Amount, d.Reason, d.Counterparty.Name, d.Counterparty.Type,
				d.Counterparty.Relationship)
		}
	}
	for confidence, tier := range r.tiers {
		gap := float64(confidence)/10_000 - float64(tier[1])/float64(tier[0])
		if gap < 0 {
			gap = -gap
		}
		r.calibration += gap * float64(tier[0]) / float64(r.lines)
	}
	return r
}

func count(n *int, when bool) {
	if when {
		*n++
	}
}

func (r result) log(t *testing.T, name string) {
	share := func(a, b int) string {
		if b == 0 {
			return "-"
		}
		return fmt.Sprintf("%.3f (%d/%d)", float64(a)/float64(b), a, b)
	}
	t.Logf("%s: %d lines", name, r.lines)
	t.Logf("  applied without asking  %s", share(r.silent, r.lines))
	t.Logf("    accepted              %s", share(r.silentAccepted, r.silent))
	t.Logf("    Schedule C line       %s", share(r.silentLine, r.silent))
	t.Logf("    strict                %s", share(r.silentStrict, r.silent))
	t.Logf("    P&L taken for other   %d, other taken for P&L %d", r.onForm, r.offForm)
	t.Logf("  all lines: accepted     %s", share(r.accepted, r.lines))
	t.Logf("    Schedule C line       %s", share(r.line, r.lines))
	t.Logf("    strict                %s", share(r.strict, r.lines))
	t.Logf("  calibration error       %.3f", r.calibration)
	t.Logf("  asked                   %s, of them expected %s", share(r.asks, r.lines), share(r.asksRight, r.asks))
	t.Logf("  counterparty name       %s", share(r.nameRight, r.named))
	var tiers []money.Ratio
	for c := range r.tiers {
		tiers = append(tiers, c)
	}
	sort.Slice(tiers, func(i, j int) bool { return tiers[i] > tiers[j] })
	for _, c := range tiers {
		t.Logf("    confidence %s: %s", c, share(r.tiers[c][1], r.tiers[c][0]))
	}
}

// TestEvaluation holds the project's own lines and the tuning half to floors, and
// only reports on the file that BIZFIN_EVAL_LINES names. testdata/heldback.csv is
// left alone, so that it can judge later versions.
func TestEvaluation(t *testing.T) {
	own := evaluate(t, readLabelled(t, "testdata/lines.csv"))
	own.log(t, "testdata/lines.csv")
	for _, floor := range []struct {
		what    string
		of, all int
		percent int
	}{
		{"applied without asking", own.silent, own.lines, 70},
		{"applied without asking and accepted", own.silentAccepted, own.silent, 97},
		{"applied without asking on the right line", own.silentLine, own.silent, 97},
		{"Schedule C line of all", own.line, own.lines, 95},
		{"counterparty name", own.nameRight, own.named, 95},
		{"asked where a person should be", own.asksRight, own.asks, 90},
	} {
		if floor.of*100 < floor.percent*floor.all {
			t.Errorf("%s: %d of %d, want at least %d %%", floor.what, floor.of, floor.all, floor.percent)
		}
	}
	if own.onForm+own.offForm > 0 {
		t.Errorf("%d lines were moved between profit and loss and the rest without asking", own.onForm+own.offForm)
	}
	if own.calibration > 0.2 {
		t.Errorf("calibration error %.3f", own.calibration)
	}
	tuning := evaluate(t, readLabelled(t, "testdata/tuning.csv"))
	tuning.log(t, "testdata/tuning.csv")
	if tuning.silentAccepted*100 < 97*tuning.silent || tuning.silent*100 < 70*tuning.lines ||
		tuning.line*100 < 90*tuning.lines {
		t.Error("testdata/tuning.csv: want 70 % applied without asking, 97 % of them accepted, and the line " +
			"of 90 % of all")
	}
	if tuning.onForm+tuning.offForm > 0 {
		t.Errorf("testdata/tuning.csv: %d lines were moved between profit and loss and the rest without asking",
			tuning.onForm+tuning.offForm)
	}
	if other := os.Getenv("BIZFIN_EVAL_LINES"); other != "" {
		evaluate(t, readLabelled(t, other)).log(t, "BIZFIN_EVAL_LINES")
	}
}
