package terminal_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/jedib0t/go-pretty/v6/table"

	"bizfin/cmd/bizfin/terminal"
	"bizfin/internal/money"
)

func of(cents int64) money.Total { return money.TotalOf(money.Amount(cents)) }

func TestMoneyHasItsThousandsApart(t *testing.T) {
	t.Parallel()
	for cents, want := range map[int64]string{
		0: "0.00", 5: "0.05", -5: "-0.05", 99999: "999.99", 100000: "1,000.00", -123456789: "-1,234,567.89",
	} {
		if got := terminal.Money(of(cents)); got != want {
			t.Errorf("%d cents are written %s, want %s", cents, got, want)
		}
	}
	wide := of(int64(money.Max))
	for range 20 {
		wide = wide.Plus(wide)
	}
	if got, want := terminal.Money(wide), "10,485,759,999,989,514,240.00"; strings.ReplaceAll(got, ",",
		"") != wide.String() || len(got) != len(want) {
		t.Errorf("a sum beyond an int64 is written %s", got)
	}
}

func TestPercentIsRounded(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		part, whole int64
		want        string
	}{{1, 3, "33.3 %"}, {2, 3, "66.7 %"}, {-1, 3, "-33.3 %"}, {0, 3, "0.0 %"}, {3, 3, "100.0 %"}, {1, 0, ""}} {
		if got := terminal.Percent(of(c.part), of(c.whole)); got != c.want {
			t.Errorf("%d of %d is %q, want %q", c.part, c.whole, got, c.want)
		}
	}
}

func TestABarIsAsLongAsItsShare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value int64
		want  string
	}{{0, ""}, {1, "▏"}, {25_00, "██▌"}, {50_00, "█████"}, {100_00, "██████████"}, {-50_00, "█████"}} {
		if got := terminal.Bar(of(c.value), of(100_00), 10); got != c.want {
			t.Errorf("%d of 10000 is %q, want %q", c.value, got, c.want)
		}
	}
	if got := terminal.Bar(of(0), of(0), 10); got != "" {
		t.Errorf("nothing of nothing is %q", got)
	}
}

func TestLossesGoToTheLeftOfTheMiddle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		value, least, most int64
		want               string
	}{
		{30_00, -10_00, 30_00, "   ███████▌"}, {-10_00, -10_00, 30_00, "▒▒▒"}, {-3_00, -10_00, 30_00, "  ▒"},
		{0, -10_00, 30_00, "   "},
		{30_00, 10_00, 30_00, "██████████"}, {-30_00, -30_00, -10_00, "▒▒▒▒▒▒▒▒▒▒"}, {0, 0, 0, ""},
	} {
		if got := terminal.Balance(of(c.value), of(c.least), of(c.most), 10); got != c.want {
			t.Errorf("%d between %d and %d is %q, want %q", c.value, c.least, c.most, got, c.want)
		}
	}
}

// What is no terminal gets neither colours nor lines that are drawn over.
func TestOutputThatIsNoTerminalIsPlain(t *testing.T) {
	var out bytes.Buffer
	s := terminal.On(&out)
	s.Heading("Title", "remark")
	sums := s.NewTable("name", ">sum", "")
	sums.AppendRow(table.Row{"a", s.Paint(terminal.Good, "1.00"), "x"})
	sums.AppendFooter(table.Row{"longer", "1,000.00"})
	s.Table(sums)
	nameless := s.NewTable("", "")
	nameless.AppendRow(table.Row{"one", "two"})
	s.Table(nameless)
	p := s.Begin("Done", time.Unix(0, 0))
	p.Show(1, 2)
	p.End(time.Unix(1, 260_000_000), "all of %d", 2)
	want := `
Title                                                                     remark
` + strings.Repeat("─", 80) + `
  name         sum
  a           1.00  x
  ─────────────────────
  longer  1,000.00
  one  two
  Done        all of 2                                                     1.3 s
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

// A business is called what its owner likes.
func TestNamesDoNotDriveTheTerminal(t *testing.T) {
	t.Parallel()
	const name = "a\x1b[8mhidden\x1b[2J\x1b]0;title\x07\rb\u202ec\u009b1A\x1b[1;31md"
	for _, colour := range []bool{false, true} {
		var out bytes.Buffer
		s := &terminal.Screen{Writer: &out, Color: colour, Width: 80}
		t1 := s.NewTable("name", "id")
		t1.AppendRow(table.Row{name, "1"})
		s.Table(t1)
		s.Line("%s is %s", name, s.Paint(terminal.Good, "well"))
		s.Paragraph(terminal.Warn, name)
		s.Heading(name, name)
		s.Line("%s", name+"\x1b[32m")
		for line := range strings.Lines(out.String()) {
			line = strings.TrimSuffix(line, "\n")
			for _, allowed := range []string{"\x1b[1m", "\x1b[2m", "\x1b[32m", "\x1b[33m", "\x1b[36m", "\x1b[0m"} {
				if colour {
					line = strings.ReplaceAll(line, allowed, "")
				}
			}
			if i := strings.IndexFunc(line, func(r rune) bool {
				return r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 || r >= 0x202a && r <= 0x202e
			}); i >= 0 {
				t.Errorf("with colours %v it writes %q", colour, line)
			}
		}
		if last := out.String(); colour && !strings.HasSuffix(last, "\x1b[0m\n") {
			t.Errorf("a colour goes on after the line: %q", last[len(last)-20:])
		}
	}
}

func TestColoursAndProgressAreForTerminals(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := &terminal.Screen{Writer: &out, Live: true, Color: true, Width: 80}
	p := s.Begin("Done", time.Unix(0, 0))
	p.Show(1, 4)
	drawn := out.String()
	for _, want := range []string{"\x1b[32mDone", "████████░░░░░░░░░░░░░░░░░░░░░░░░", "(1/4)"} {
		if !strings.Contains(drawn, want) || strings.Contains(drawn, "\n") {
			t.Errorf("the progress is drawn as %q, without %q", drawn, want)
		}
	}
	out.Reset()
	p.Abandon()
	if out.String() != "\x1b[2K\r" {
		t.Errorf("an abandoned progress leaves %q", out.String())
	}
	s.Color = false
	if got := s.Paint(terminal.Good, "x"); got != "x" {
		t.Errorf("without colours it paints %q", got)
	}
}

func TestColumnsStandOnTheirScale(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := terminal.On(&out)
	s.Columns([]terminal.Group{
		{Label: "Jan", Left: of(7_000_00), Right: of(2_500_00)}, {Label: "Feb", Left: of(0), Right: of(8_000_00)},
	}, 4, terminal.Good, terminal.Bad)
	want := `  8,000 ┤ ▄▄     ██
        ┤ ██     ██
  4,000 ┤ ██▂▂   ██
        ┤ ████   ██
      0 └──────────
          Jan  Feb
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Error(diff)
	}
}

func TestWordsAreWrappedWithinTheScreen(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	s := &terminal.Screen{Writer: &out, Width: 12}
	s.Paragraph(terminal.Plain, "one two three four")
	if got := out.String(); got != "  one two\n  three four\n" {
		t.Errorf("%q", got)
	}
	if got := terminal.Cut("Königsberg", 5); got != "Köni…" {
		t.Errorf("%q", got)
	}
}
