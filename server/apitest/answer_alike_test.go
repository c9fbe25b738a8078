package apitest

import (
	"fmt"
	"testing"
)

// valeros are three purchases of fuel, of which the largest stands by itself, beside other things that are used at
// home, too, where others is true.
func valeros(others bool) (rows []M) {
	for i, amount := range []string{"-56.10", "-57.97", "-81.53"} {
		rows = append(rows, transaction(fmt.Sprint("v", i), amount, fmt.Sprintf("2025-0%d-09", i+1), "VALERO 2215"))
	}
	if !others {
		return rows
	}
	for i, description := range []string{"VERIZON WIRELESS PAYMENTS", "COMCAST CABLE", "GEICO *AUTO"} {
		for m := 1; m <= 2; m++ {
			rows = append(rows, transaction(fmt.Sprint("o", i, m), fmt.Sprintf("-%d.50", 61+20*i),
				fmt.Sprintf("2025-0%d-2%d", m, i), description))
		}
	}
	return rows
}

// What is said of whom a row is with is true of it whether it came before or after, and whether it stood by itself.
func TestARowIsWhatIsSaidWheneverItCame(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		others bool
		answer string
	}{
		{false, "personal.living"},
		{false, "expense.supplies"},
		{true, "personal.living"},
		{true, "60% business, rest personal"},
		{true, "Valero: 60% business, rest personal; rest: personal.living"},
		{true, "Valero: 60% expense.car_truck.fuel, rest personal.living; rest: personal.living"},
		{true, "Valero: expense.supplies; rest: personal.living"},
	} {
		o, account := openPaid(t)
		ids := o.upload(account, valeros(c.others)...)
		o.process(0)
		about := "Valero"
		if c.others {
			about = "used at home"
		}
		o.answerIssue(o.questionAbout(about).id, c.answer, nil).want(200).wantAt("accepted", "status")
		o.process(0)
		later := o.upload(account, transaction("later", "-81.53", "2025-04-10", "VALERO 2215"))["later"]
		o.process(0)
		of := func(id string) string {
			row := o.get(o.path + "/transactions/" + id).want(200)
			said := fmt.Sprint(row.get("transaction", "category") != nil)
			for i := range row.size("transaction", "parts") {
				said += " " + row.text("transaction", "parts", i, "categoryPath")
			}
			if row.get("transaction", "category") != nil {
				said += " " + row.text("transaction", "category", "categoryPath")
			}
			return said
		}
		if was, is := of(ids["v2"]), of(later); was != is {
			t.Errorf("%q: the row before is %s, the row after %s", c.answer, was, is)
		}
	}
}

// What is said of some rows in a question about many is said of all rows with the same ones that nothing else was said
// of, those of their own question, too: an answer to another one that is taken back changes nothing.
func TestWhatIsSaidOfSomeRowsReachesAllThatAreWithTheSame(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	var rows []M
	for i, amount := range []string{"-324.86", "-289.12", "-412.70", "-447.93"} {
		rows = append(rows, transaction(fmt.Sprint("d", i), amount, fmt.Sprintf("2025-0%d-17", i+1),
			"DAVINES NORTH AMERICA NEW YORK NY"))
	}
	for i, description := range []string{"OLIVE GARDEN #1234 RALEIGH NC", "BOJANGLES 4411 RALEIGH NC",
		"PANERA BREAD #5510 RALEIGH NC", "CHILI S 114 RALEIGH NC"} {
		rows = append(rows, transaction(fmt.Sprint("r", i), fmt.Sprintf("-%d.20", 22+5*i),
			fmt.Sprintf("2025-02-0%d", i+1), description))
	}
	ids := o.upload(account, rows...)
	o.process(0)
	o.answerIssue(o.questionAbout("restaurants").id, "personal.living; 324.86: cogs.purchases; "+
		"289.12: cogs.purchases", nil).want(200)
	o.process(0)
	said := func() string {
		return fmt.Sprint(o.asked(), string(o.year("pnl").want(200).body))
	}
	before := said()
	for _, row := range []string{"d2", "d3", "r0"} {
		o.answerIssue("t:"+ids[row], "expense.meals", nil).want(200)
		o.process(0)
		o.answerIssue("t:"+ids[row], "undo", nil).want(200)
		o.process(0)
		if after := said(); after != before {
			t.Errorf("after an answer to %s was taken back: %s, want %s", row, after, before)
		}
	}
}

// An answer to what another one left is taken back, and everything is as before it.
func TestAnAnswerToWhatIsLeftIsTakenBackExactly(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, valeros(true)...)
	o.process(0)
	first := o.questionAbout("used at home")
	o.answerIssue(first.id, "56.10: expense.car_truck.fuel", nil).want(200).wantAt("partly", "status")
	o.process(0)
	said := func() string {
		return fmt.Sprint(o.asked(), string(o.year("pnl").want(200).body))
	}
	before := said()
	for _, words := range []string{"personal.living", "60% expense.car_truck.fuel, rest personal.living"} {
		q := o.questionAbout("used at home")
		o.answerIssue(q.id, words, nil).want(200)
		o.process(0)
		o.answerIssue(q.id, "undo", nil).want(200)
		o.process(0)
		if after := said(); after != before {
			t.Errorf("after %q was taken back: %s, want %s", words, after, before)
		}
	}
}
