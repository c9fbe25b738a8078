package apitest

import (
	"fmt"
	"slices"
	"testing"
)

// What an owner uses at home, too, is one question: the telephone, the internet, power, the car. Its answer says the
// business's share of each, which is what its line reads; the rest may be the business's, each as its line reads.
func TestWhatIsUsedAtHomeTooIsOneQuestion(t *testing.T) {
	t.Parallel()
	lines := map[string]string{"phone": "VERIZON WIRELESS PAYMENTS", "internet": "COMCAST XFINITY 800-266-2278 PA",
		"car": "GEICO *AUTO 800-841-3000 DC", "power": "DUKE ENERGY BILL PAY 800-777-9898 NC"}
	for words, want := range map[string]map[string][]string{
		"Verizon: 60% business, rest personal; Geico: personal; rest: business": {
			"phone":    {"user", "expense.utilities.phone -60.00", "personal.living -40.00"},
			"internet": {"user", "expense.utilities.internet"}, "car": {"user", "personal.living"},
			"power": {"user", "expense.utilities.power_water"},
		},
		"25% business, rest personal": {
			"phone":    {"user", "expense.utilities.phone -25.00", "personal.living -75.00"},
			"internet": {"user", "expense.utilities.internet -25.00", "personal.living -75.00"},
			"car":      {"user", "expense.car_truck.insurance -25.00", "personal.living -75.00"},
			"power":    {"user", "expense.utilities.power_water -25.00", "personal.living -75.00"},
		},
		"None: each is the business's": {
			"phone": {"user", "expense.utilities.phone"}, "internet": {"user", "expense.utilities.internet"},
			"car": {"user", "expense.car_truck.insurance"}, "power": {"user", "expense.utilities.power_water"},
		},
		"none": {
			"phone": {"user", "expense.utilities.phone"}, "internet": {"user", "expense.utilities.internet"},
			"car": {"user", "expense.car_truck.insurance"}, "power": {"user", "expense.utilities.power_water"},
		},
		"All of it is private": {"phone": {"user", "personal.living"}, "power": {"user", "personal.living"}},
	} {
		o, account := openPaid(t)
		var rows []M
		for id, line := range lines {
			rows = append(rows, transaction(id, "-100.00", "2026-03-05", line))
		}
		ids := o.upload(account, rows...)
		o.process(0)
		q := o.questionAbout("used at home")
		if q.transactions != "4" {
			t.Fatalf("%s rows are asked about together, want 4", q.transactions)
		}
		o.answerIssue(q.id, words, nil).want(200).wantAt("accepted", "status")
		for id, parts := range want {
			o.wantParts(ids[id], parts...)
		}
		o.upload(account, transaction("another", "-90.00", "2026-04-06", "T-MOBILE PCS SVC"),
			transaction("next", "-100.00", "2026-04-05", lines["phone"]))
		o.process(0)
		o.search("query", "mobile").want(200).wantAt(nil, "transactions", 0, "category")
		if got, want := o.partsOf(o.search("query", "verizon", "dateFrom", "2026-04-01").want(200).
			text("transactions", 0, "id"))[1:], want["phone"][1:]; !slices.Equal(got, want) {
			t.Errorf("after %q the next bill is %q, want %q", words, got, want)
		}
	}
}

// What is answered of meals and trips says of the next line only what is true of whatever it reads: that it is private.
func TestARuleOfMealsAndTripsIsNotSaidOfWhatReadsOtherwise(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		"50% expense.meals, rest expense.travel": "expense.travel.lodging",
		"expense.meals":                          "expense.travel.lodging",
		"personal.living":                        "personal.living",
	} {
		o, account := openPaid(t)
		o.upload(account, transaction("a", "-212.00", "2026-03-05", "OLIVE GARDEN 0021 TULSA OK"),
			transaction("b", "-320.00", "2026-03-06", "MARRIOTT DENVER CO"),
			transaction("c", "-280.00", "2026-03-07", "UNITED AIRLINES 0162 HOUSTON TX"))
		o.process(0)
		o.answerIssue(o.questionAbout("restaurants").id, answer, nil).want(200)
		ids := o.upload(account, transaction("next", "-233.00", "2026-04-05", "HYATT REGENCY CHICAGO IL"))
		o.process(0)
		o.wantParts(ids["next"], "suggested", want)
	}
}

// What is asked of a row that follows no answer, as it is much larger than what was divided, goes by what that mostly
// was.
func TestALargerRowOfWhatWasDividedIsAskedAboutAsMostOfIt(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	ids := o.upload(account, transaction("a", "-212.00", "2026-03-05", "MARRIOTT DENVER CO"))
	o.process(0)
	o.answerIssue(o.hookOf(ids["a"]), "60% expense.travel.lodging, rest expense.meals", nil).want(200)
	ids = o.upload(account, transaction("b", "-1500.00", "2026-04-05", "MARRIOTT DENVER CO"))
	o.process(0)
	o.wantParts(ids["b"], "suggested", "expense.travel.lodging")
	q := o.questionAbout("Marriott")
	if !slices.Contains(q.options, "expense.travel.lodging") {
		t.Errorf("the question about it offers %v", q.options)
	}
}

// A question that shows some of its lines shows one of each counterparty, however small.
func TestAQuestionShowsALineOfEachCounterparty(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	var rows []M
	for i := range 60 {
		rows = append(rows, transaction(fmt.Sprint("verizon", i), fmt.Sprintf("-%d.17", 300+i),
			fmt.Sprintf("2026-%02d-%02d", 1+i/20, 1+i%20), "VERIZON WIRELESS PAYMENTS"))
	}
	small := []string{"COX COMM PHX AUTOPAY", "DUKE ENERGY BILL PAY", "GEICO AUTO PAYMENT"}
	for i, description := range small {
		rows = append(rows, transaction(fmt.Sprint("small", i), fmt.Sprintf("-2%d.40", i), "2026-01-09", description))
	}
	o.upload(account, rows...)
	o.process(0)
	q := o.questionAbout("used at home")
	page := o.get(o.path + "/outstanding-issues").want(200)
	shown := map[string]bool{}
	for i := range page.size("issues") {
		if page.text("issues", i, "id") == q.id {
			for k := range page.size("issues", i, "lines") {
				shown[page.text("issues", i, "lines", k, "description")] = true
			}
		}
	}
	for _, description := range small {
		if !shown[description] {
			t.Errorf("%s is not among the lines: %v", description, shown)
		}
	}
}
