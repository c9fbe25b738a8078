package answers

import "testing"

// What divides all rows is not said of those that an exception names; where it names none, nothing is said.
func TestADivisionHasExceptions(t *testing.T) {
	costco := onDays(asksOf(false, "219.99 Costco|COSTCO WHSE", "213.21 Costco|COSTCO WHSE", "95.52 Costco|COSTCO WHSE",
		"140.71 Costco|COSTCO WHSE"), "01-09", "07-09", "08-09", "09-09")
	const private, supplies = "personal.living", "expense.supplies"
	for words, want := range map[string]string{
		"40% supplies, rest personal, but July all personal":                       "2: " + private + "; parts",
		"half and half supplies and personal, except July and August all personal": "2,3: " + private + "; parts",
		"60% supplies rest personal. In August only personal.":                     "3: " + private + "; parts",
		"30% supplies, rest personal, except over 200 all supplies":                "1,2: " + supplies + "; parts",
		"30% supplies, rest personal, but sometimes all personal":                  "unclear",
		"about half of it is supplies, the other half is personal":                 "parts",
		"60% supplies, rest personal":                                              "parts",
	} {
		if got := meant(costco, words); got != want {
			t.Errorf("%q means %q, want %q", words, got, want)
		}
	}
}
