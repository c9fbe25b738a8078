package apitest

import (
	"fmt"
	"testing"
)

// A new business is asked about itself where its rows show that it matters, however these come. What it says decides
// nothing, and suggestions follow from it; taken back, they do not.
func TestANewBusinessIsAskedAboutItself(t *testing.T) {
	t.Parallel()
	for name, size := range map[string]int{"at once": 110, "day by day": 10, "in two": 55} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			isAskedAboutItself(t, size)
		})
	}
}

func isAskedAboutItself(t *testing.T, size int) {
	t.Helper()
	o, account := openPaid(t)
	var rows []M
	for i := range 110 {
		rows = append(rows, transaction(fmt.Sprint("shop", i), fmt.Sprintf("-%d.25", 20+i%40),
			fmt.Sprintf("2026-%02d-%02d", i%12+1, i%27+1), "COSTCO WHSE #1020 ST LOUIS PARK MN"))
	}
	for first := 0; first < len(rows); first += size {
		if first < 100 {
			o.wantNoQuestionAbout("business sell")
		}
		o.upload(account, rows[first:first+size]...)
		o.process(0)
	}
	q := o.questionAbout("business sell")
	if q.objectType != "company" || q.transactions != "0" {
		t.Errorf("asked %+v", q)
	}
	suggested := func(want string) {
		t.Helper()
		got := o.search("query", "costco").want(200)
		got.wantAt(want, "transactions", 0, "suggestion", "categoryPath")
		got.wantAt(nil, "transactions", 0, "category")
	}
	before := o.search("query", "costco").want(200).text("transactions", 0, "suggestion", "categoryPath")
	o.answerIssue(q.id, "zebra", nil).want(200).wantAt("unclear", "status")
	o.answerIssue(q.id, "we run a taco food truck", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	suggested("cogs.purchases")
	o.answerIssue(q.id, "undo", nil).want(200)
	o.process(0)
	suggested(before)
	o.answerIssue(o.questionAbout("business sell").id, "skip", nil).want(200)
	o.answerIssue(o.questionAbout("private things").id, "no", nil).want(200)
	o.process(0)
	suggested("expense.supplies")
}

// What was spent in such shops before the hundredth row counts with what comes after it.
func TestABusinessIsAskedAboutItselfWhateverComesFirst(t *testing.T) {
	t.Parallel()
	shops, others := []M{}, []M{}
	for i := range 110 {
		if i < 8 {
			shops = append(shops, transaction(fmt.Sprint("shop", i), fmt.Sprintf("-%d.25", 70+i),
				fmt.Sprintf("2026-01-%02d", 1+i), "COSTCO WHSE #1020 ST LOUIS PARK MN"))
		}
		others = append(others, transaction(fmt.Sprint("other", i), "-12.99",
			fmt.Sprintf("2026-%02d-%02d", 2+i/27, 1+i%27), "ADOBE INC ADOBE SUBSC"))
	}
	for _, order := range [][][]M{{shops, others}, {others, shops}} {
		o, account := openPaid(t)
		for _, rows := range order {
			o.upload(account, rows...)
			o.process(0)
		}
		o.questionAbout("business sell")
	}
}
