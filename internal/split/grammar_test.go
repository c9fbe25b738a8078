package split_test

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"bizfin/internal/money"
	"bizfin/internal/split"
)

//go:embed testdata/grammar.tsv
var grammar string

// known are names of categories.
var known = map[string]int{
	"car": 1, "personal": 2, "supplies": 3, "meals": 4, "owner draw": 5, "interest": 6, "principal": 7, "wages": 8,
	"taxes": 9, "fees": 10, "expense.rent.property": 11, "equipment, electronics and furniture": 12, "line 9": 13,
	"car and truck expenses": 14, "sales": 15, "loan payoff": 16, "closing costs": 17,
}

// oneWay are names of money of one direction, which is not taken off of the same.
var oneWay = []string{"car", "personal"}

func named(words string, of split.Context) (int, bool) {
	id, ok := known[strings.ToLower(words)]
	return id, ok && !(of.Off && slices.Contains(oneWay, strings.ToLower(words)))
}

func said(text string) string {
	s, ok, problem := split.Parse(text, named)
	switch {
	case !ok:
		return "no split"
	case problem != nil:
		return "wrong: " + problem.Text
	}
	var parts []string
	for _, p := range s.Parts {
		share := "rest"
		switch {
		case p.Cents > 0:
			share = money.Amount(p.Cents).String()
		case p.Points > 0:
			share = money.Amount(p.Points).String() + "%"
		}
		if p.Off {
			share = "less " + share
		}
		parts = append(parts, fmt.Sprint(p.Category, " ", share))
	}
	text = strings.Join(parts, ", ")
	if s.Yearly {
		text += fmt.Sprint(" a year", s.Years)
	}
	return text
}

func TestTheGrammarOfSplits(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(grammar) {
		text, want, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if !ok {
			continue // a remark
		}
		text = strings.ReplaceAll(text, `\n`, "\n")
		if got := said(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// Whatever is written, a split that is read has shares that divide money exactly.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"60% car, rest personal", "120.50 supplies; 30 meals; rest owner draw", "interest 4,210.33 a year",
		"payroll 52,000 wages, 3,978 taxes a year, rest fees", "car 60%; personal 40%", "-1 car, rest",
		"1,200.00 sales, less 34.80 fees", "less 3% fees, rest sales", "900 sales less rest fees",
		"9,99 car\nrest: x", "٪60 car",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		any := func(words string, _ split.Context) (int, bool) { return len(words)%7 + 1, words != "" }
		s, ok, problem := split.Parse(text, any)
		if !ok || problem != nil {
			return
		}
		if len(s.Parts) == 0 || len(s.Parts) > split.MostParts {
			t.Fatalf("%q has %d parts", text, len(s.Parts))
		}
		for _, amount := range []money.Amount{-1, 100_01, money.Max} {
			portions, err := s.Divide(amount)
			if s.Yearly {
				portions, err = s.OverYear([]money.Amount{amount}, nil)[0], nil
			}
			if err == nil && total(portions) != amount {
				t.Fatalf("%q divides %v into %v", text, amount, portions)
			}
		}
	})
}
