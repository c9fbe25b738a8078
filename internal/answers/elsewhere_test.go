package answers

import "testing"

// Words about others than whom the rows are with, about other amounts or another time decide nothing of them.
func TestWordsAboutOtherRowsDecideNothing(t *testing.T) {
	ben := onDays(asksOf(false, "500.00 Ben Ashby|ZELLE TO BEN ASHBY", "350.00 Ben Ashby|ZELLE TO BEN ASHBY",
		"275.00 Ben Ashby|ZELLE TO BEN ASHBY"), "08-12", "03-05", "06-17")
	august := onDays(asksOf(false, "500.00 Ben Ashby|ZELLE TO BEN ASHBY"), "08-12")
	lease := onDays(asksOf(false, "512.90 Tajima|TAJIMA LEASE", "512.90 Tajima|TAJIMA LEASE"), "08-12", "09-12")
	net := asksOf(false, "1262.07 Gusto|GUSTO NET 0001", "1246.01 Gusto|GUSTO NET 0002")
	const ads, labor = "expense.advertising", "expense.contract_labor"
	for _, c := range []struct {
		of          Asked
		words, want string
	}{
		{ben, "Dolores Quint is contract labor", "unclear"},
		{ben, "Dolores: contract labor", "unclear"},
		{ben, "Ben is contract labor", labor},
		{ben, "1275 is shop rent", "unclear"},
		{ben, "over 600 advertising", "unclear"},
		{ben, "350s are advertising", "2: " + ads},
		{august, "the 350s are advertising", "unclear"},
		{august, "275 was a donation", "unclear"},
		{august, "over 600 advertising", "unclear"},
		{august, "the July one was advertising", "unclear"},
		{august, "in July: advertising", "unclear"},
		{august, "advertising until July", "unclear"},
		{august, "advertising from September on", "unclear"},
		{august, "advertising since June", ads},
		{net, "NET is net pay. TAX: employer taxes 1,975.28 in 2025, rest wages. FEE is their charge", "unclear"},
		{net, "NET is net pay", "expense.wages.net_pay"},
		{lease, "the 600s are equipment lease", "unclear"},
		{lease, "the 512s are equipment lease", "expense.rent.vehicles_equipment"},
	} {
		if got := meant(c.of, c.words); got != c.want {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
	hook := Asked{Context: ben.Context, About: ben.Lines}
	one := Asked{Context: august.Context, About: august.Lines}
	for words, of := range map[string]Asked{
		"contract labor, in June personal": hook, "the 350s are advertising": hook, "Dolores is contract labor": hook,
		"Quorvane is personal": hook, "advertising, but July was personal": one, "July personal": one,
		"contract labor until July": one,
	} {
		if got := meant(of, words); got != "unclear" {
			t.Errorf("of a hook %q means %q", words, got)
		}
	}
	for words, of := range map[string]Asked{"contract labor": hook, "Ben is contract labor": one,
		"contract labor in August": one} {
		if got := meant(of, words); got != labor {
			t.Errorf("of a hook %q means %q", words, got)
		}
	}
}
