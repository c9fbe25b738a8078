package split_test

import (
	"fmt"
	"strings"
	"testing"

	"bizfin/internal/money"
	"bizfin/internal/split"
)

// known are names of categories.
var known = map[string]int{
	"car": 1, "personal": 2, "supplies": 3, "meals": 4, "owner draw": 5, "interest": 6, "principal": 7, "wages": 8, "taxes": 9,
	"fees": 10, "expense.rent.property": 11, "equipment, electronics and furniture": 12, "line 9": 13, "car and truck expenses": 14,
	"1099 work": 15,
}

func named(words string, _ split.Context) (int, bool) {
	id, ok := known[strings.ToLower(words)]
	return id, ok
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
	for text, want := range map[string]string{
		"60% car, rest personal":                                  "1 60.00%, 2 rest",
		"60% Car; rest Personal.":                                 "1 60.00%, 2 rest",
		"60 percent car and 40 percent personal":                  "1 60.00%, 2 40.00%",
		"60% car 40% personal":                                    "1 60.00%, 2 40.00%",
		"car 60%, personal 40%":                                   "1 60.00%, 2 40.00%",
		"60% for the car, the rest is personal":                   "1 60.00%, 2 rest",
		"33.33% car, 33.33% personal, 33.34% meals":               "1 33.33%, 2 33.33%, 4 33.34%",
		"120.50 supplies; 30 meals; rest owner draw":              "3 120.50, 4 30.00, 5 rest",
		"$1,234.56 supplies\nrest owner draw":                     "3 1234.56, 5 rest",
		"- $12 supplies\n- rest: meals":                           "3 12.00, 4 rest",
		"100.00 supplies; 20.00 meals":                            "3 100.00, 4 20.00",
		"10 fees, 50% car, rest personal":                         "10 10.00, 1 50.00%, 2 rest",
		"interest 4,210.33 a year":                                "6 4210.33, 7 rest a year[]",
		"Interest 1480.00 in 2025":                                "6 1480.00, 7 rest a year[2025]",
		"interest $4,210.33 a year, rest principal":               "6 4210.33, 7 rest a year[]",
		"4,210.33 interest per year; rest principal":              "6 4210.33, 7 rest a year[]",
		"interest 45.10":                                          "6 45.10, 7 rest",
		"payroll 52,000 wages, 3,978 taxes a year, rest fees":     "8 52000.00, 9 3978.00, 10 rest a year[]",
		"payroll 52,000.00 wages; 3,978.00 taxes in 2025":         "8 52000.00, 9 3978.00 a year[2025]",
		"70% expense.rent.property; rest personal":                "11 70.00%, 2 rest",
		"60% equipment, electronics and furniture, rest personal": "12 60.00%, 2 rest",
		"80% line 9, rest personal":                               "13 80.00%, 2 rest",
		"50% car and truck expenses and 50% personal":             "14 50.00%, 2 50.00%",
		"60% car, 50% personal":                                   "wrong: has percentages that come to 110 %, more than 100",
		"60% car, 40% meals, rest personal":                       "wrong: has percentages that come to 100 %, and then a rest, for which nothing is left",
		"60% car, 20.5% meals":                                    "wrong: has percentages that come to 80.5 %; say what the rest is, as in: rest personal",
		"60% car":                                                 "wrong: has percentages that come to 60 %; say what the rest is, as in: rest personal",
		"60% car, rest personal, rest meals":                      "wrong: says rest twice; only one part takes what the others leave",
		"33.333% car, rest personal":                              `wrong: has the share "33.333%"; a percentage has at most two decimals`,
		"0% car, rest personal":                                   `wrong: has the share "0%"; a percentage is more than 0 and at most 100`,
		"101% car, rest personal":                                 `wrong: has the share "101%"; a percentage is more than 0 and at most 100`,
		"12.345 car, rest personal":                               `wrong: has the share "12.345"; an amount is more than 0, with at most two decimals, as in 1,234.56`,
		"60% zebra, rest personal":                                `wrong: says "zebra", which names no category that transactions are assigned to`,
		"60%, rest personal":                                      `wrong: does not say what "60%" is for`,
		"60% car, rest personal a year":                           "wrong: names a year and no amount of that year; percentages are of every payment",
		"rest personal":                                           "no split",
		"car":                                                     "no split",
		"about 60 % is for the shop":                              "no split",
		"60 % is for the shop":                                    "no split",
		"2 lunches, 1 dinner":                                     "no split",
		"deposit 35%, work started in July":                       "no split",
		"3: expense.rent.property; rest: personal":                "no split",
		"1-4: car; rest: personal":                                "no split",
		"about 500 a year for the car":                            "no split",
		"paid off the rest of the loan":                           "no split",
		"payroll":                                                 "no split",
		"":                                                        "no split",
		strings.Repeat("1.00 car;", 21) + "rest personal":         "wrong: has 22 parts, and a split has at most 20",
		"40% went for materials that we used at the church, I do not know about the others": "no split",
	} {
		if got := said(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// Whatever is written, a split that is read has shares that divide money exactly.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"60% car, rest personal", "120.50 supplies; 30 meals; rest owner draw", "interest 4,210.33 a year",
		"payroll 52,000 wages, 3,978 taxes a year, rest fees", "car 60%; personal 40%", "-1 car, rest", "9,99 car\nrest: x", "٪60 car",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, ok, problem := split.Parse(text, func(words string, _ split.Context) (int, bool) { return len(words)%7 + 1, words != "" })
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
