package apitest

import (
	"fmt"
	"testing"
)

// Rows of a part that is not understood stay open: the others are what was said of them.
func TestAPartThatIsNotUnderstoodLeavesItsRowsOpen(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG")...)
	o.process(0)
	q := o.questionAbout("people")
	o.answerIssue(q.id, "JEFF: zebra; MARIA: personal.living; rest: expense.contract_labor", nil).want(200).
		wantAt("partly", "status")
	o.process(0)
	o.wantCategories(map[string]string{"z0": "", "z1": "personal.living", "z2": "expense.contract_labor"})
}

// A row may be named by its place in the list, where words say so: the first one in time may be another.
func TestOnlyTheFirstRowIsWhatIsSaidOfIt(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, bills("first", 3, "-480.00", blantvik)...)
	o.process(0)
	asked := o.questionAbout("Blantvik").id
	o.answerIssue(asked, "only the first one is rent", nil).want(200).wantAt("unclear", "status")
	o.answerIssue(asked, "only the first line is rent", nil).want(200).wantAt("partly", "status")
	o.process(0)
	open, rent := 0, 0
	page := o.search("limit", "50").want(200)
	for i := range page.size("transactions") {
		if page.get("transactions", i, "category") == nil {
			open++
		} else if page.text("transactions", i, "category", "categoryPath") == "expense.rent.property" {
			rent++
		}
	}
	if open != 2 || rent != 1 {
		t.Errorf("%d rows are open and %d rent", open, rent)
	}
}

// What an owner says of some rows in sentences is said of these alone.
func TestSentencesSayOfEachRowWhatItIs(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG")...)
	o.process(0)
	q := o.questionAbout("people")
	o.answerIssue(q.id, "Some were for my kids, some for work", nil).want(200).wantAt("unclear", "status")
	o.answerIssue(q.id, "Maria Lopez is private", nil).want(200).wantAt("partly", "status")
	o.process(0)
	o.wantCategories(map[string]string{"z0": "", "z1": "personal.living", "z2": ""})
	o.answerIssue(q.id, "contract labor, except Maria Lopez, that was private", nil).want(200).
		wantAt("accepted", "status")
	o.process(0)
	o.wantCategories(map[string]string{"z0": "expense.contract_labor", "z1": "personal.living",
		"z2": "expense.contract_labor"})
}

// What an answer says of some rows of a family is no guess of those that it leaves open.
func TestWhatIsSaidOfSomeRowsIsNoGuessOfTheOthers(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	for i, amount := range []string{"-950.00", "-410.00", "-2250.00", "-75.00"} {
		o.upload(account, transaction(fmt.Sprint("c", i), amount, fmt.Sprintf("2026-03-%02d", i+2),
			fmt.Sprintf("CHECK # %d", 2450+i)))
	}
	o.process(0)
	suggested := func() map[string]string {
		got := map[string]string{}
		page := o.search("limit", "50").want(200)
		for i := range page.size("transactions") {
			if page.get("transactions", i, "suggestion") != nil {
				got[page.text("transactions", i, "externalId")] = page.text("transactions", i, "suggestion",
					"categoryPath")
			}
		}
		return got
	}
	was := suggested()
	q := o.questionAbout("checks")
	for _, words := range []string{"#2451: expense.legal_professional.accounting", "2451 was the tax preparer",
		"#2451: expense.legal_professional.accounting; rest: not sure"} {
		o.answerIssue(q.id, words, nil).want(200).wantAt("partly", "status")
		o.process(0)
		is := suggested()
		for row, path := range was {
			if row != "c1" && path != is[row] {
				t.Errorf("%q: %s seems to be %s, want %s", words, row, is[row], path)
			}
		}
		o.answerIssue(q.id, "undo", nil).want(200)
		o.process(0)
	}
}

// Rows that stand by themselves are what was said of all that is with the same ones, as they would be if they came now.
func TestRowsThatStandFollowWhatIsSaidOfWhomTheyAreWith(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := []map[string]any{}
	for i, name := range []string{"SHELL OIL 57444", "VALERO 0312", "VERIZON WRLS MYACCT", "SPECTRUM INTERNET"} {
		for j, amount := range []string{"-41.00", "-43.50", "-96.20"} {
			rows = append(rows, transaction(fmt.Sprintf("r%d-%d", i, j), amount,
				fmt.Sprintf("2026-0%d-1%d", j+1, i), name))
		}
	}
	o.upload(account, rows...)
	o.process(0)
	before := o.search("limit", "50").want(200)
	standing := ""
	for i := range before.size("transactions") {
		if before.get("transactions", i, "category") != nil {
			standing = before.text("transactions", i, "externalId")
		}
	}
	if standing == "" {
		t.Fatal("no row stands by itself")
	}
	q := o.questionAbout("used at home")
	o.answerIssue(q.id, "personal.living", nil).want(200)
	o.process(0)
	o.wantCategories(map[string]string{standing: "personal.living"})
	o.answerIssue(q.id, "undo", nil).want(200)
	o.process(0)
	if again := o.search("limit", "50").want(200); fmt.Sprint(standingIn(again)) != fmt.Sprint(standingIn(before)) {
		t.Errorf("%v stand, want %v", standingIn(again), standingIn(before))
	}
}

// standingIn are the categories of a page's rows, by the ids that they were uploaded with.
func standingIn(page answer) map[string]string {
	of := map[string]string{}
	for i := range page.size("transactions") {
		if page.get("transactions", i, "category") != nil {
			of[page.text("transactions", i, "externalId")] = page.text("transactions", i, "category", "categoryPath")
		}
	}
	return of
}

// Nor is it of the others with the same shop: what was said of two purchases was said of these.
func TestWhatIsSaidOfSomePurchasesIsNoGuessOfTheOthers(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	for i := range 6 {
		o.upload(account, transaction(fmt.Sprint("a", i), fmt.Sprintf("-%d.17", 40+30*i),
			fmt.Sprintf("2026-0%d-12", i+1), "AMAZON MKTPL*RT4ZK81V2"))
	}
	o.process(0)
	seems := func() map[string]string {
		seem := map[string]string{}
		page := o.search("limit", "50").want(200)
		for i := range page.size("transactions") {
			if page.get("transactions", i, "suggestion") != nil {
				seem[page.text("transactions", i, "externalId")] = page.text("transactions", i, "suggestion",
					"categoryPath")
			}
		}
		return seem
	}
	before := seems()
	o.answerIssue(o.questionAbout("Amazon").id, "40.17: personal.living; 70.17: personal.living", nil).want(200).
		wantAt("partly", "status")
	o.process(0)
	after := seems()
	for _, row := range []string{"a2", "a3", "a4", "a5"} {
		if before[row] == "" || after[row] != before[row] {
			t.Errorf("%s seems to be %q, want %q", row, after[row], before[row])
		}
	}
}

// A question about what an answer left open says what of it was not understood, no longer than it is so.
func TestWhatWasNotUnderstoodIsSaid(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "AMY TRAN", "LEE KOWALSKI")...)
	o.process(0)
	first := o.questionAbout("people").id
	why, asked := o.why(first), first
	for _, c := range []struct{ words, missed string }{
		{"Maria Lopez is private. Jeff Yount is zorbing and quaffles",
			` Not understood of what you wrote: "Jeff Yount is zorbing and quaffles".`},
		{"undo", ""},
		{"Maria Lopez: private; Jeff Yount: zorbing", ` Not understood of what you wrote: "zorbing".`},
		{"1: contract labor", ""},
	} {
		if c.words == "undo" {
			asked = first
		}
		o.answerIssue(asked, c.words, nil).want(200)
		o.process(0)
		if asked = o.questionAbout("people").id; o.why(asked) != why+c.missed {
			t.Errorf("after %q it is asked as %q, want %q", c.words, o.why(asked), why+c.missed)
		}
	}
}

// why is why an open question is asked.
func (o *office) why(id string) string {
	o.t.Helper()
	list := o.get(o.path + "/outstanding-issues").want(200)
	for i := range list.size("issues") {
		if list.text("issues", i, "id") == id {
			return list.text("issues", i, "why")
		}
	}
	o.t.Fatalf("no question is %s", id)
	return ""
}
