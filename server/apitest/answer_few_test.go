package apitest

import (
	"fmt"
	"testing"
)

// What is said of one row takes nothing from others with the same that stand by themselves.
func TestAnAnswerAboutOneRowLeavesTheOthersKnown(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"expense.car_truck.fuel", "personal.living"} {
		o, account := openPaid(t)
		for i, amount := range []string{"-60.00", "-61.00", "-62.00", "-95.00"} {
			o.upload(account, transaction(fmt.Sprint("f", i), amount, fmt.Sprintf("2026-0%d-03", i+1),
				"SPACE AGE FUEL 20"))
		}
		o.process(0)
		before := standingIn(o.search("limit", "50").want(200))
		if len(before) == 0 {
			t.Fatal("no row stands by itself")
		}
		q := o.questionAbout("Space Age")
		o.answerIssue(q.id, "1: "+said, nil).want(200).wantAt("partly", "status")
		o.process(0)
		after := standingIn(o.search("limit", "50").want(200))
		for row, path := range before {
			if after[row] != path {
				t.Errorf("%s of one row: %s is %q, want %q", said, row, after[row], path)
			}
		}
		if len(after) != len(before)+1 {
			t.Errorf("%s of one row: %v stand, want those and one more than %v", said, after, before)
		}
	}
}
