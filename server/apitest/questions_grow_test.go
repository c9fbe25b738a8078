package apitest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// asked are the open questions, each with what it is about and offers.
func (o *office) asked() (all []string) {
	o.t.Helper()
	for _, q := range o.questions() {
		all = append(all, fmt.Sprint(q.text, " ", q.transactions, " of ", q.amount, " ", q.options))
	}
	slices.Sort(all)
	return all
}

// Whoever uploads each day has one question about what is alike, as if all had come at once: what was asked about
// alone, as there was too little like it, joins the others when they come.
func TestQuestionsAreTheSameHoweverTheirRowsCome(t *testing.T) {
	t.Parallel()
	for name, line := range map[string]string{
		"people paid":    "-%d.00 ZELLE PAYMENT TO %s",
		"people who pay": "%d.00 ZELLE FROM %s",
		"checks":         "-%d.50 CHECK %[3]d",
		"checks alike":   "-450.00 CHECK %[3]d",
		"loans alike":    "-486.27 Withdrawal Transfer To Loan 0041 AUTO LOAN PAYMENT",
		"wires":          "%d000.00 WIRE TYPE:WIRE IN DATE:260105 TRN:%[3]d",
		"restaurants":    "-%d.12 POS PURCHASE %s RESTAURANT",
		"customers":      "%d.00 ACH CREDIT %s GARDENS LLC",
		"moves":          "-%d.00 ONLINE TRANSFER TO SAV XXXXX%[3]d",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rows []M
			for i, who := range []string{"JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "DANA WHITFORD", "MARIA LOPEZ"} {
				amount, words, _ := strings.Cut(strings.Split(fmt.Sprintf(line, 310+i*45, who, 2001+i), "%!")[0], " ")
				rows = append(rows, transaction(fmt.Sprint("r", i), amount, fmt.Sprintf("2026-01-%02d", 5+i), words))
			}
			once, account := openPaid(t)
			once.upload(account, rows...)
			once.process(0)
			daily, account := openPaid(t)
			for _, row := range rows {
				daily.upload(account, row)
				daily.process(0)
			}
			if want, got := once.asked(), daily.asked(); len(want) == 0 || !slices.Equal(got, want) {
				t.Errorf("asked day by day\n%s\nat once\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// A question that somebody has put off, has not been understood about, or has taken an answer back of stays what it is.
func TestAQuestionThatSomebodyTriedToAnswerKeepsItsRows(t *testing.T) {
	t.Parallel()
	for name, words := range map[string][]string{
		"put off":    {"skip"},
		"unclear":    {"the usual thing, as every year"},
		"taken back": {"contract labor", "undo"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, account := openPaid(t)
			rows := zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "DANA WHITFORD")
			o.upload(account, rows[0])
			o.process(0)
			q := o.questionAbout("Jeff Yount")
			for _, said := range words {
				o.answerIssue(q.id, said, nil).want(200)
			}
			o.upload(account, rows[1:]...)
			o.process(0)
			if now := o.questionAbout("Jeff Yount"); now.id != q.id || now.transactions != "1" {
				t.Errorf("the question was %+v and is %+v", q, now)
			}
			if people := o.questionAbout("people"); people.transactions != "3" {
				t.Errorf("asked %v", slices.Collect(maps.Keys(o.questions())))
			}
		})
	}
}

// What joined others is answered with them, and its first question with its id is over.
func TestRowsThatJoinOthersAreAnsweredWithThem(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "DANA WHITFORD")
	for _, row := range rows {
		o.upload(account, row)
		o.process(0)
	}
	closed := o.get(o.path + "/outstanding-issues" + query("status", "closed")).want(200)
	if closed.size("issues") != 2 {
		t.Errorf("%d questions closed by themselves: those about the first two", closed.size("issues"))
	}
	q := o.questionAbout("people")
	o.answerIssue(q.id, "contract labor; Per Solberg: owner draw", nil).want(200).wantAt("accepted", "status")
	o.wantCategories(map[string]string{"z0": "expense.contract_labor", "z1": "expense.contract_labor",
		"z2": "equity.owner_draw", "z3": "expense.contract_labor"})
	o.wantNoQuestions()
}

// Whoever still has a question before them whose rows have joined others answers it as ever: it is about the same.
func TestAQuestionWhoseRowsJoinedOthersTakesItsAnswer(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	rows := zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "DANA WHITFORD")
	o.upload(account, rows[0])
	o.process(0)
	shown := o.questionAbout("Jeff Yount")
	o.upload(account, rows[1:]...)
	o.process(0)
	if people := o.questionAbout("people"); people.transactions != "4" {
		t.Fatalf("asked %v", o.asked())
	}
	o.answerIssue(shown.id, "rent", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantCategories(map[string]string{"z0": "expense.rent.property", "z1": "", "z2": "", "z3": ""})
	if people := o.questionAbout("people"); people.transactions != "3" {
		t.Errorf("asked %v", o.asked())
	}
	o.answerIssue(shown.id, "undo", nil).want(200)
	o.process(0)
	o.wantCategories(map[string]string{"z0": "", "z1": "", "z2": "", "z3": ""})
}

// The same of one about a row that names nobody: of large wires each is asked about alone until there are three.
func TestAQuestionAboutOneWireThatJoinedOthersTakesItsAnswer(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	var ids []string
	for n, amount := range []string{"21400.00", "38100.00", "17200.00"} {
		id := fmt.Sprint("w", n)
		line := fmt.Sprintf("WIRE TYPE:WIRE IN DATE:2601%02d TRN:20260105%04d", 5+n, 17+n)
		o.upload(account, transaction(id, amount, fmt.Sprintf("2026-01-%02d", 5+n), line))
		o.process(0)
		if n == 0 {
			for _, q := range o.questions() {
				ids = append(ids, q.id)
			}
		}
	}
	if len(ids) != 1 || len(o.asked()) != 1 {
		t.Fatalf("asked %v", o.asked())
	}
	o.answerIssue(ids[0], "liability.loan_proceeds", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantCategories(map[string]string{"w0": "liability.loan_proceeds", "w1": "", "w2": ""})
}

// Another business's rows are not among those that are alike, however many they are.
func TestWhatIsAlikeIsLookedForInOneBusiness(t *testing.T) {
	t.Parallel()
	rows := zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG", "DANA WHITFORD")
	one, account := openPaid(t)
	one.upload(account, rows[:2]...)
	one.process(0)
	other, account := openPaid(t)
	other.upload(account, rows[2:]...)
	other.process(0)
	for _, o := range []*office{one, other} {
		if asked := o.asked(); len(asked) != 2 {
			t.Errorf("asked %v", asked)
		}
	}
}

// In whatever order rows come, alone or together, the same are asked about together.
func TestTheOrderOfUploadsMakesNoOtherQuestions(t *testing.T) {
	t.Parallel()
	for name, lines := range map[string][]string{
		"checks of one amount among others": {"-700.00 CHECK 2001", "-800.00 CHECK 2002", "-900.00 CHECK 2003",
			"-450.00 CHECK 2004", "-450.00 CHECK 2005", "-450.00 CHECK 2006"},
		"a deposit that names nobody beside cash": {"2896.10 MOBILE DEPOSIT", "1788.74 DEPOSIT"},
		"a person paid in two ways": {"-250.00 ZELLE PAYMENT TO NORA LINDGREN", "-250.00 ZELLE PAYMENT TO HANA SATO",
			"-260.00 ZELLE PAYMENT TO OWEN PRICE", "-75.00 PAYMENT TO NORA LINDGREN",
			"-240.00 ZELLE PAYMENT TO NORA LINDGREN"},
		"a person paid otherwise first": {"-75.00 PAYMENT TO NORA LINDGREN", "-240.00 ZELLE PAYMENT TO NORA LINDGREN",
			"-250.00 ZELLE PAYMENT TO HANA SATO", "-260.00 ZELLE PAYMENT TO OWEN PRICE"},
		"small sums months apart":  {"-8.06 CHECK 612", "-47.26 CHECK 276", "-211.00 CHECK 401", "-350.00 CHECK 402"},
		"a small sum months later": {"-211.00 CHECK 401", "-350.00 CHECK 402", "-470.00 CHECK 403", "-8.06 CHECK 612"},
		"what payroll is and what its service costs": {"-160.00 ADP PAYROLL FEES ADP FEES",
			"-3863.65 ADP WAGE PAY WAGE PAY", "-900.00 ADP TAX ADP TAX"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var rows []M
			for i, line := range lines {
				amount, words, _ := strings.Cut(line, " ")
				rows = append(rows, transaction(fmt.Sprint("r", i), amount, fmt.Sprintf("2026-%02d-05", 1+i), words))
			}
			once, account := openPaid(t)
			once.upload(account, rows...)
			once.process(0)
			want := once.together()
			backwards := slices.Clone(rows)
			slices.Reverse(backwards)
			for _, order := range [][]M{rows, backwards} {
				o, account := openPaid(t)
				for _, row := range order {
					o.upload(account, row)
					o.process(0)
				}
				if got := o.together(); len(want) == 0 || !slices.Equal(got, want) {
					t.Errorf("asked one by one about\n%s\nat once\n%s", strings.Join(got, "\n"),
						strings.Join(want, "\n"))
				}
			}
		})
	}
}

// together are the rows of each open question, by their external ids.
func (o *office) together() (all []string) {
	o.t.Helper()
	of := map[string][]string{}
	for external, row := range o.all() {
		detail := o.get(fmt.Sprint(o.path, "/transactions/", row["id"])).want(200)
		for i := range detail.size("transaction", "issueIds") {
			id := detail.text("transaction", "issueIds", i)
			of[id] = append(of[id], external)
		}
	}
	for _, rows := range of {
		slices.Sort(rows)
		all = append(all, strings.Join(rows, " "))
	}
	slices.Sort(all)
	return all
}

// An answer to a question that is over is about the rows that it was about, and not about others of the same firm or
// person that came to the question which these joined.
func TestAQuestionWhoseRowsJoinedOthersIsAboutThese(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		first  M
		others []M
		says   string
		want   map[string]string
	}{
		"another use of a firm": {
			transaction("fee", "-160.00", "2026-01-05", "ADP PAYROLL FEES ADP FEES"),
			[]M{transaction("pay", "-3863.65", "2026-01-06", "ADP WAGE PAY WAGE PAY"),
				transaction("tax", "-900.00", "2026-01-06", "ADP TAX ADP TAX")},
			"expense.legal_professional.payroll_service",
			map[string]string{"fee": "expense.legal_professional.payroll_service", "pay": "", "tax": ""},
		},
		"a much larger sum": {
			transaction("small", "-60.00", "2026-01-05", "ZELLE PAYMENT TO JEFF YOUNT"),
			[]M{transaction("z1", "-300.00", "2026-01-06", "ZELLE PAYMENT TO MARIA LOPEZ"),
				transaction("z2", "-310.00", "2026-01-07", "ZELLE PAYMENT TO PER SOLBERG"),
				transaction("large", "-9000.00", "2026-01-08", "ZELLE PAYMENT TO JEFF YOUNT")},
			"contract labor",
			map[string]string{"small": "expense.contract_labor", "large": "", "z1": "", "z2": ""},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o, account := openPaid(t)
			o.upload(account, test.first)
			o.process(0)
			var shown string
			for _, q := range o.questions() {
				shown = q.id
			}
			for _, row := range test.others {
				o.upload(account, row)
				o.process(0)
			}
			if len(o.questions()) != 1 {
				t.Fatalf("asked %v", o.asked())
			}
			o.answerIssue(shown, test.says, nil).want(200).wantAt("accepted", "status")
			o.process(0)
			o.wantCategories(test.want)
		})
	}
}

// A question about many that is over, as each of its rows was answered alone, is about all of them still.
func TestAQuestionAboutManyThatIsOverIsAboutAllOfThem(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	o.upload(account, zelle("JEFF YOUNT", "MARIA LOPEZ", "PER SOLBERG")...)
	o.process(0)
	people := o.questionAbout("people")
	for _, row := range []string{"z0", "z1", "z2"} {
		hook := o.get(fmt.Sprint(o.path, "/transactions/", o.all()[row]["id"])).want(200).
			text("transaction", "counterparty", "id")
		o.answerIssue("c:"+hook+":out", "rent", nil).want(200).wantAt("accepted", "status")
		o.process(0)
	}
	o.wantNoQuestions()
	o.answerIssue(people.id, "contract labor", nil).want(200).wantAt("accepted", "status")
	o.process(0)
	o.wantCategories(map[string]string{"z0": "expense.contract_labor", "z1": "expense.contract_labor",
		"z2": "expense.contract_labor"})
	o.answerIssue(people.id, "undo", nil).want(200)
	o.process(0)
	o.wantCategories(map[string]string{"z0": "expense.rent.property", "z1": "expense.rent.property",
		"z2": "expense.rent.property"})
}

// Rows that joined others keep the numbers that their first question gave them, and an answer to it names them so.
func TestLinesOfAQuestionWhoseRowsJoinedOthersKeepTheirNumbers(t *testing.T) {
	t.Parallel()
	o, account := openPaid(t)
	var rows []M
	for n := range 3 {
		rows = append(rows, transaction(fmt.Sprint("g", n), fmt.Sprintf("-%d.40", 130+n),
			fmt.Sprintf("2026-%02d-05", 1+n), "GEICO AUTO INS PREM"))
	}
	o.upload(account, rows...)
	o.process(0)
	shown := o.questionAbout("GEICO")
	o.upload(account, transaction("c", "-89.00", "2026-04-05", "COMCAST CABLE INTERNET"),
		transaction("d", "-140.00", "2026-04-06", "DUKE ENERGY BILL PAY"))
	o.process(0)
	if home := o.questionAbout("at home"); home.transactions != "5" {
		t.Fatalf("asked %v", o.asked())
	}
	o.answerIssue(shown.id, "1: personal.living; rest: expense.car_truck.insurance", nil).want(200).
		wantAt("accepted", "status")
	o.process(0)
	got := map[string]int{}
	for external, row := range o.all() {
		detail := o.get(fmt.Sprint(o.path, "/transactions/", row["id"])).want(200)
		if external[0] == 'g' {
			got[detail.text("transaction", "category", "categoryPath")]++
		}
	}
	if got["personal.living"] != 1 || got["expense.car_truck.insurance"] != 2 {
		t.Errorf("the three are %v", got)
	}
}
