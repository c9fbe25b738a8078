package answers

import (
	"strings"
	"testing"
)

var (
	friends = onDays(asksOf(false, "1000.00 Carlos Ruiz|ZELLE CARLOS RUIZ", "900.00 Carlos Ruiz|ZELLE CARLOS RUIZ",
		"800.00 Carlos Ruiz|ZELLE CARLOS RUIZ", "440.00 Ann Lee|ZELLE ANN LEE", "420.00 Ann Lee|ZELLE ANN LEE",
		"150.00 Kim Park|VENMO *KIM-PARK-3"), "03-12", "05-12", "07-12", "04-05", "08-05", "06-20")
	tony = onDays(asksOf(false, "700.00 Tony Valdez|CASH APP*TONY VALDEZ", "610.00 Tony Valdez|CASH APP*TONY VALDEZ",
		"520.00 Tony Valdez|CASH APP*TONY VALDEZ", "300.00 Tony Valdez|CASH APP*TONY VALDEZ"),
		"06-06", "03-06", "01-06", "04-06")
	orders = onDays(asksOf(false, "2899.00 Amazon|AMAZON.COM", "640.20 Amazon|AMAZON.COM", "210.00 Amazon|AMAZON.COM",
		"89.99 Amazon|AMAZON.COM"), "07-12", "05-12", "09-12", "01-12")
	paidIn = onDays(asksOf(true, "3000.00 |DEPOSIT", "2200.00 |DEPOSIT", "2000.00 |DEPOSIT", "1500.00 |DEPOSIT"),
		"07-20", "05-20", "01-20", "03-20")
)

// Each of these had decided a row as what nobody had said of it: an outsider wrote them to be misread. What takes back
// or doubts a statement, behind it or by its verb, or says it of another, or of some of several, decides nothing.
func TestWhatIsTakenBackOrSaidOfAnotherDecidesNothing(t *testing.T) {
	for of, words := range map[*Asked]string{
		&friends: `Carlos is labor, Kim is rent. Disregard that.
			Carlos is labor, Kim is rent. Or vice versa.
			Carlos is labor, Kim is rent. Hmm no.
			Carlos is labor, Kim is rent. I could be wrong.
			Carlos labor and Kim rent, at least that's what I think
			Carlos is labor. Kim is rent. Switch those.
			Carlos is labor, Kim is rent, I got those two backwards
			Carlos is labor. Maybe not.
			Carlos is labor. Not!
			Carlos is labor. Probably.
			Carlos's wife is my landlord
			Kim pays Carlos for labor
			the last payment to Carlos was a loan`,
		&tony: `I wouldn't say personal
			couldn't be personal
			in no way personal
			stop calling it labor
			might've been labor
			may be labor
			prolly labor
			labor afaik
			instead of rent I had him work for me
			labor less tax I withheld
			labor but once it was for my own house
			3 of 4 are personal, rest labor
			4x rent, rest labor
			labor but I got it all refunded
			half of it was for my house`,
		&orders: `the camera was personal
			my daughter's stuff is personal
			what my wife ordered is personal
			the first two orders were personal
			from $200 on office supplies, rest personal`,
		&paidIn: `2 of 4 are loans, rest sales
			3000 is sales. Or not.
			3000 is sales if the client's check clears
			3000 is sales, but it bounced
			my own money before I had clients`,
	} {
		for said := range strings.SplitSeq(words, "\n") {
			m := Understand(*of, strings.TrimSpace(said), nil)
			for _, l := range of.Lines {
				if got := saidOf(t, m, l); got != "" {
					t.Errorf("%q says of %s that it is %s", strings.TrimSpace(said), l.Amount, got)
				}
			}
		}
	}
}

// What is first or last in time is not what stands first in a list by amounts; what is said of somebody up to a day, or
// from one on, is not said of their other rows; a share of a row is a part of it.
func TestRowsAreNamedByTheirTime(t *testing.T) {
	const labor, rent, own, sold = "expense.contract_labor", "expense.rent.property", "personal.living", "revenue.sales"
	for _, c := range []struct {
		of          Asked
		words, want string
	}{
		{friends, "Carlos is a contractor since May", "2,3: " + labor},
		{friends, "Carlos is a contractor from May on, before that it was shop rent", "2,3: " + labor + "; 1: " + rent},
		{friends, "Carlos was a contractor through May. After that it's personal.", "1,2: " + labor + "; 3: " + own},
		{friends, "Kim, not Ann, is a contractor", "6: " + labor},
		{friends, "Kim contract labor, Ann personal", "6: " + labor + "; 4,5: " + own},
		{friends, "Ann's first one was shop rent", "4: " + rent},
		{tony, "contract labor till 4/30/2025", "2,3,4: " + labor},
		{tony, "Up to 500 is personal, the rest is contract labor", "4: " + own + "; " + labor},
		{orders, "my two latest are personal", "1,3: " + own},
		{orders, "2899 personal, rest office supplies", "1: " + own + "; expense.office.supplies"},
		{ledger, "shop rent until the end of March", "2,3,7,8: " + rent},
		{ledger, "before check 1003 it was shop rent", "3,7: " + rent},
		{ledger, "checks up to 1003 were shop rent", "2,3,7: " + rent},
		{ledger, "1003 and later are shop rent", "1,2,4,5,6,8: " + rent},
		{paidIn, "my first two deposits were my own money, rest sales", "3,4: equity.owner_contribution; " + sold},
	} {
		if got := meant(c.of, c.words); !sameParts(got, c.want) {
			t.Errorf("%q means %q, want %q", c.words, got, c.want)
		}
	}
}

// sameParts reports whether two answers have the same parts, in whichever order.
func sameParts(a, b string) bool {
	is := func(s string) map[string]bool {
		all := map[string]bool{}
		for part := range strings.SplitSeq(s, "; ") {
			all[part] = true
		}
		return all
	}
	x, y := is(a), is(b)
	if len(x) != len(y) {
		return false
	}
	for part := range x {
		if !y[part] {
			return false
		}
	}
	return true
}
