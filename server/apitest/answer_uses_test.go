package apitest

import (
	"fmt"
	"strings"
	"testing"
)

// rowsOf uploads rows of one description a month apart, which the external ids of a prefix and a number name.
func (o *office) rowsOf(account, prefix, description string, amounts ...string) {
	o.t.Helper()
	for i, amount := range amounts {
		o.upload(account, transaction(fmt.Sprint(prefix, i), amount, fmt.Sprintf("2026-%02d-14", i+1), description))
	}
}

// questionOf finds the open question of so many rows whose text names something.
func (o *office) questionOf(name string, rows int) openQuestion {
	o.t.Helper()
	for _, q := range o.questions() {
		if q.transactions == fmt.Sprint(rows) && (name == "" || strings.Contains(q.text, name)) {
			return q
		}
	}
	o.t.Fatalf("no question about %d rows of %q among %v", rows, name, o.questions())
	return openQuestion{}
}

// One counterparty takes several things, each asked about by itself: what is said of one is not said of the others,
// whose question stays open.
func TestWhatIsSaidOfOneUseIsNotSaidOfAnother(t *testing.T) {
	t.Parallel()
	ach := func(what, of string) string {
		return "ORIG CO NAME:CITY OF TOLEDO ORIG ID:1346401447 CO ENTRY DESCR:" + what + " SEC:CCD IND NAME:" + of
	}
	for _, c := range []struct {
		name, one, other      string // whom it is with, and the lines of two uses
		amounts, otherAmounts []string
		answer                string
	}{
		{"City Of Toledo", ach("UTILITY", "KOWALCZYK AUTO GLASS"), ach("TAX", "RAYMOND KOWALCZYK"),
			[]string{"-212.40", "-198.10", "-224.90", "-187.00"}, []string{"-225.00", "-225.00", "-225.00"},
			"expense.utilities.power_water"},
		{"King Soopers", "KING SOOPERS FUEL #0617 LITTLETON CO", "KING SOOPERS #0086 LITTLETON CO",
			[]string{"-61.20", "-58.10", "-64.90", "-57.00"}, []string{"-112.40", "-141.80", "-88.14"},
			"expense.car_truck.fuel"},
		{"Gusto", "GUSTO DES:TAX ID:6SEM INDN:OAKLINE CCD", "GUSTO DES:PAYROLL ID:6SEM INDN:OAKLINE CCD",
			[]string{"-428.51", "-428.51", "-431.20", "-428.51"}, []string{"-1183.05", "-1183.05", "-1140.30"},
			"1200.00 expense.taxes_licenses.payroll, rest expense.wages in 2026"},
	} {
		o, account := openPaid(t)
		o.rowsOf(account, "one", c.one, c.amounts...)
		o.rowsOf(account, "other", c.other, c.otherAmounts...)
		for i, shop := range []string{"SAFEWAY #1508 LITTLETON CO", "TRADER JOES #301 DENVER CO",
			"SPROUTS #221 DENVER CO"} {
			o.rowsOf(account, fmt.Sprint("shop", i), shop, "-92.10", "-81.15", "-104.20", "-77.40")
		}
		o.process(0)
		q := o.questionOf(c.name, len(c.amounts))
		o.answerIssue(q.id, c.answer, nil).want(200).wantAt("accepted", "status")
		o.process(0)
		rows := o.all()
		if parts, _ := rows["one0"]["parts"].([]any); rows["one0"]["category"] == nil && len(parts) == 0 {
			t.Errorf("%s: what was answered is %v", c.one, rows["one0"])
		}
		for i := range c.otherAmounts {
			if row := rows[fmt.Sprint("other", i)]; row["needsAttention"] != true {
				t.Errorf("%s is %v: nobody said so", c.other, row["category"])
			}
		}
	}
}

// What was said of one use holds for its next row, also where another use was answered since.
func TestEachUseOfACounterpartyIsRemembered(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	const fuel, groceries = "KING SOOPERS FUEL #0617 LITTLETON CO", "KING SOOPERS #0086 LITTLETON CO"
	o.rowsOf(account, "fuel", fuel, "-61.20", "-58.10", "-64.90", "-57.00")
	o.rowsOf(account, "food", groceries, "-112.40", "-141.80", "-88.14")
	for i, shop := range []string{"SAFEWAY #1508 LITTLETON CO", "TRADER JOES #301 DENVER CO"} {
		o.rowsOf(account, fmt.Sprint("shop", i), shop, "-92.10", "-81.15", "-104.20", "-77.40")
	}
	o.process(0)
	o.answerIssue(o.questionOf("King Soopers", 4).id, "expense.car_truck.fuel", nil).want(200)
	o.process(0)
	o.answerIssue(o.questionAbout("shops and firms").id, "personal.living", nil).want(200)
	o.process(0)
	o.upload(account, transaction("later", "-60.40", "2026-07-02", fuel), transaction("more", "-99.10", "2026-07-03",
		groceries))
	o.process(0)
	for id, path := range map[string]string{"later": "expense.car_truck.fuel", "more": "personal.living"} {
		category, _ := o.all()[id]["category"].(map[string]any)
		if category["categoryPath"] != path {
			t.Errorf("%s is %v, want %s", id, category["categoryPath"], path)
		}
	}
}

// What small purchases of a firm are is not known of one that is so large that it may be equipment.
func TestWhatSmallPurchasesAreIsNotSaidOfALargeOne(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.rowsOf(account, "small", "US AUTOFORCE TIRE PMT 16924850", "-2088.95", "-2055.83", "-1980.10", "-1822.16")
	o.rowsOf(account, "large", "US AUTOFORCE TIRE PMT 16924850", "-3192.46", "-2826.36", "-3508.41")
	o.process(0)
	small := o.questionOf("Us Autoforce Tire", 4)
	o.answerIssue(small.id, "expense.car_truck.repairs", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	for i := range 3 {
		if row := o.all()[fmt.Sprint("large", i)]; row["category"] != nil {
			t.Errorf("a large one is %v: nobody said so", row["category"])
		}
	}
}

// What an answer left open is asked about again; what is then said of that alone is not what the next row is.
func TestWhatIsSaidOfTheLeftoversIsNotSaidOfTheNext(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		line           string
		amounts        []string
		next           string
		first, left    string
		never, suggest string
	}{
		{"ATM CASH DEPOSIT", []string{"220.00", "240.00", "180.00", "260.00", "205.00"}, "230.00",
			"revenue.sales.cash_deposits; 2: not sure", "personal.income", "personal.income",
			"revenue.sales.cash_deposits"},
		{"SAFEWAY #1508 LITTLETON CO", []string{"-22.10", "-24.00", "-18.90", "-26.70", "-20.50"}, "-23.00",
			"expense.supplies; 2: not sure", "personal.living", "personal.living", "expense.supplies"},
	} {
		o, account := openPaid(t)
		o.rowsOf(account, "row", c.line, c.amounts...)
		o.process(0)
		o.answerIssue(o.questionOf("", len(c.amounts)).id, c.first, nil).want(200)
		o.process(0)
		o.answerIssue(o.questionOf("", 1).id, c.left, nil).want(200).wantAt("accepted", "status")
		o.process(0)
		o.upload(account, transaction("next", c.next, "2026-08-02", c.line))
		o.process(0)
		next := o.all()["next"]
		if category, _ := next["category"].(map[string]any); category != nil && category["categoryPath"] == c.never {
			t.Errorf("%s: the next row is %v", c.line, category)
		}
		if suggestion, _ := next["suggestion"].(map[string]any); suggestion == nil ||
			suggestion["categoryPath"] != c.suggest {
			t.Errorf("%s: the next row is suggested to be %v, and is %v", c.line, suggestion, next["category"])
		}
	}
}
