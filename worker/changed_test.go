package worker_test

import (
	"testing"

	"bizfin/internal/answers"
	"bizfin/internal/questions"
	"bizfin/store"
	"bizfin/store/storetest"
	"bizfin/worker"
)

// decided uploads rows and has them processed.
func (s shop) decided(rows ...store.TransactionUpload) {
	s.t.Helper()
	must(s.t, worker.New(config(s.t, frozen)).ProcessEvent(s.t.Context(), s.upload(rows...)))
}

// only is the one row of the business.
func (s shop) only() store.Transaction {
	s.t.Helper()
	page, err := s.SearchTransactions(s.t.Context(), store.TransactionFilter{DateField: store.Primary},
		store.Page{Limit: 2})
	must(s.t, err)
	if len(page.Rows) != 1 {
		s.t.Fatalf("%d rows, want 1", len(page.Rows))
	}
	return page.Rows[0]
}

func (s shop) questions() []store.Issue {
	s.t.Helper()
	issues, err := s.Issues(s.t.Context(), store.IssueFilter{}, store.Page{Limit: 50})
	must(s.t, err)
	return issues.Rows
}

func TestAChangedLineKeepsItsCategoryAndIsAskedAbout(t *testing.T) {
	s := open(t, "paid")
	s.decided(row(1, -9000, "SHELL OIL 57444212 DALLAS TX"))
	before := s.only()
	if before.CategoryID == nil || before.NeedsAttention {
		t.Fatalf("the row is not settled to begin with: %+v", before)
	}
	s.decided(row(1, -9000, "ADOBE *CREATIVE CLOUD"))
	after := s.only()
	if after.CategoryID == nil || *after.CategoryID != *before.CategoryID {
		t.Errorf("an upload changed the category from %v to %v", before.CategoryID, after.CategoryID)
	}
	issues := s.questions()
	if !after.NeedsAttention || len(issues) != 1 || issues[0].Kind != questions.KindChanged ||
		issues[0].ObjectID != after.ID.String() || len(issues[0].Options) != 2 {
		t.Fatalf("questions about the change: %+v", issues)
	}
	must(t, storetest.Answer(s, t.Context(), noon, issues[0].ID, store.Answer{Person: s.person, Text: "Software",
		Meaning: answers.Meaning{CategoryID: 32901}}))
	if got := s.only(); *got.CategoryID != 32901 || got.NeedsAttention {
		t.Errorf("the answer was not applied: %+v", got)
	}
}

// Each check may be for something else, so an answer may name exceptions.
func TestChecksAreOneQuestion(t *testing.T) {
	s := open(t, "paid")
	s.decided(row(1, -90000, "CHECK 1234"), row(2, -80000, "CHECK 1235"), row(3, -1500, "CHECK 1236"))
	issues := s.questions()
	if len(issues) != 1 || issues[0].TransactionCount != 3 {
		t.Fatalf("questions about three checks: %+v", issues)
	}
}

func TestAQuestionAboutAChangedLineSaysWhatTheLineIsAboutNow(t *testing.T) {
	s := open(t, "paid")
	s.decided(row(1, -9000, "SHELL OIL 57444212 DALLAS TX"))
	s.decided(row(1, -5000, "ADOBE *CREATIVE CLOUD"))
	s.decided(row(1, -7500, "ADOBE *CREATIVE CLOUD"))
	issues := s.questions()
	if len(issues) != 1 || issues[0].ImpactAmount.String() != "75.00" || issues[0].TransactionCount != 1 {
		t.Errorf("the question about a row of 75.00 is %+v", issues)
	}
	s.decided(row(1, -90000, "CHECK 1234")) // it would be asked about alone
	issues = s.questions()
	if len(issues) != 1 || issues[0].ImpactAmount.String() != "900.00" || issues[0].TransactionCount != 1 {
		t.Errorf("the question about a row of 900.00 is %+v", issues)
	}
}

// What the owner said of one firm's money is not said of the person whom the bank names in its place.
func TestARowThatIsWithSomebodyElseNowIsAskedAbout(t *testing.T) {
	for name, line := range map[string]string{
		"a person":     "ZELLE TO PETRA NOVAK",
		"another firm": "QUORVANE TRADING LLC",
		"the same one": "POS PURCHASE BLANTVIK PARTS 0099",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, "paid")
			s.decided(row(1, -9000, "POS PURCHASE BLANTVIK PARTS 0012"))
			asked := s.questions()
			if len(asked) != 1 {
				t.Fatalf("questions to begin with: %+v", asked)
			}
			must(t, storetest.Answer(s, t.Context(), noon, asked[0].ID, store.Answer{Person: s.person,
				Text: "Software", Meaning: answers.Meaning{CategoryID: 32901}}))
			s.decided(row(1, -9000, line))
			after, changed := s.only(), s.questions()
			if after.CategoryID == nil || *after.CategoryID != 32901 {
				t.Errorf("an upload changed the category to %v", after.CategoryID)
			}
			want := name != "the same one"
			if got := len(changed) == 1 && changed[0].Kind == questions.KindChanged; got != want ||
				after.NeedsAttention != want {
				t.Errorf("needs attention %v, questions %+v", after.NeedsAttention, changed)
			}
		})
	}
}
