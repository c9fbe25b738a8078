package apitest

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
)

// in are rows in a currency.
func in(currency string, rows ...M) []M {
	for _, row := range rows {
		row["currency"] = currency
	}
	return rows
}

// An amount divides payments in its currency alone: what is in another stays open, which is said, and is asked about
// again. Percentages hold for all.
func TestAnAmountDividesPaymentsInItsCurrencyAlone(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{"$40 supplies; rest meals": "USD", "40 supplies; rest meals": "EUR",
		"60% meals; rest supplies": "both"} {
		o, account := openPaid(t)
		rows := bills("b", 3, "-100.00", blantvik)
		rows[0]["currency"], rows[1]["currency"] = "EUR", "EUR"
		ids := o.upload(account, rows...)
		o.process(0)
		status := "partly"
		if want == "both" {
			status = "accepted"
		}
		o.answerIssue(o.questionAbout("Blantvik").id, words, nil).want(200).wantAt(status, "status")
		o.process(0)
		later := bills("later", 2, "-100.00", blantvik)
		later[0]["currency"] = "EUR"
		maps.Copy(ids, o.upload(account, later...))
		o.process(0)
		open := 0
		for row, currency := range map[string]string{"b-0": "EUR", "b-1": "EUR", "b-2": "USD", "later-0": "EUR",
			"later-1": "USD"} {
			got := o.partsOf(ids[row])
			divided := len(got) > 1 && got[0] != "suggested"
			if divided != (want == "both" || want == currency) || o.all()[row]["needsAttention"] == divided {
				t.Errorf("%q: %s in %s is %q: %v", words, row, currency, got, o.all()[row])
			}
			if !divided {
				open++
			}
		}
		if want != "both" {
			if again := o.questionAbout("Blantvik"); again.transactions != fmt.Sprint(open) {
				t.Errorf("%q: asked again about %s rows, want %d", words, again.transactions, open)
			}
		}
	}
}

// Who writes dollars of payments in euros is told so.
func TestDollarsOfPaymentsInAnotherCurrencyAreRefused(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := bills("b", 2, "-100.00", blantvik)
	rows[0]["currency"], rows[1]["currency"] = "EUR", "EUR"
	ids := o.upload(account, rows...)
	o.process(0)
	for _, hook := range []string{o.questionAbout("Blantvik").id, "t:" + ids["b-0"]} {
		for _, words := range []string{"$40 supplies; rest meals", "40 usd supplies; rest meals"} {
			got := o.answerIssue(hook, words, nil).want(422)
			if text := got.text("issues", 0, "message"); !strings.Contains(text, "amounts in USD") {
				t.Errorf("%q: %q", words, text)
			}
		}
		o.answerIssue(hook, "40 supplies; rest meals", nil).want(200).wantAt("accepted", "status")
	}
}

// A question says of its money what most of its rows are in.
func TestAQuestionInTwoCurrenciesIsAboutTheMoneyOfMostOfItsRows(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := append(eachMonth("l", "2025", "-1234.56", loan, 3), transaction("other", "-1234.56", "2025-06-05", loan))
	rows[3]["currency"] = "EUR"
	o.upload(account, rows...)
	o.process(0)
	got := o.get(o.path + "/outstanding-issues").want(200)
	got.wantAt(M{"amount": json.Number("3703.68"), "currency": "USD", "transactionCount": 4}, "issues", 0, "impact")
}

// When no row is left in that currency, it is about the money of those that are left.
func TestAQuestionWithoutARowOfItsCurrencyIsAboutTheMoneyItHas(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(o *office, ids map[string]string, account string){
		"deleted": func(o *office, ids map[string]string, _ string) {
			for i := range 3 {
				o.delete(o.path + "/transactions/" + ids[fmt.Sprint("b-", i)]).want(200)
			}
		},
		"answered alone": func(o *office, ids map[string]string, _ string) {
			for i := range 3 {
				o.answerIssue("t:"+ids[fmt.Sprint("b-", i)], "expense.meals", nil).want(200)
			}
		},
		"answered among others": func(o *office, ids map[string]string, _ string) {
			var lines []string
			got := o.get(o.path + "/outstanding-issues").want(200)
			for i := range got.size("issues", 0, "lines") {
				if got.text("issues", 0, "lines", i, "currency") == "USD" {
					lines = append(lines, got.text("issues", 0, "lines", i, "n"))
				}
			}
			o.answerIssue(got.text("issues", 0, "id"), strings.Join(lines, ", ")+": expense.meals", nil).want(200)
		},
		"corrected": func(o *office, _ map[string]string, account string) {
			o.upload(account, in("EUR", bills("b", 3, "-100.00", blantvik)...)...)
			o.process(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, account := openPaid(t)
			rows := append(bills("b", 3, "-100.00", blantvik), in("GBP", bills("g", 1, "-70.00", blantvik)...)...)
			ids := o.upload(account, append(rows, in("EUR", bills("e", 2, "-60.00", blantvik)...)...)...)
			o.process(0)
			leave(o, ids, account)
			got := o.get(o.path + "/outstanding-issues").want(200)
			want := M{"amount": json.Number("120.00"), "currency": "EUR", "transactionCount": 3}
			if name == "corrected" {
				want = M{"amount": json.Number("420.00"), "currency": "EUR", "transactionCount": 6}
			}
			got.wantAt(want, "issues", 0, "impact")
		})
	}
}
