package worker_test

import (
	"fmt"
	"testing"

	"bizfin/internal/money"
	"bizfin/store"
)

// Whoever uploads each day sends one or two rows at a time: each alone is too small for a question.
func TestSmallRowsAreAskedAboutHoweverTheyCome(t *testing.T) {
	for name, line := range map[string]string{
		"checks":             "CHECK 20%02d",
		"an app":             "VENMO PAYMENT 77%02d",
		"deposits":           "DEPOSIT",
		"nobody's, unlike":   "SELLER TRANSACTION FEE - %02d",
		"a firm's, in cents": "POS PURCHASE QUORVANE HOLDINGS 88%02d",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			amount := money.Amount(-4500)
			if name == "deposits" {
				amount = 9000
			}
			if name == "a firm's, in cents" {
				amount = -400
			}
			of := func(n int) store.TransactionUpload {
				words := line
				if line != "DEPOSIT" {
					words = fmt.Sprintf(line, n)
				}
				return row(n, amount, words)
			}
			daily, once := open(t, "paid"), open(t, "paid")
			var all []store.TransactionUpload
			for n := range 6 {
				all = append(all, of(n))
				daily.decided(of(n))
			}
			once.decided(all...)
			want := int64(0)
			for _, q := range once.questions() {
				want += q.TransactionCount
			}
			got := int64(0)
			for _, q := range daily.questions() {
				got += q.TransactionCount
			}
			if want != 6 || got != want {
				t.Errorf("of six rows %d are asked about that come at once, %d that come one by one", want, got)
			}
		})
	}
}

func TestASmallRowJoinsTheQuestionThatComesLater(t *testing.T) {
	s := open(t, "paid")
	s.decided(row(1, -1, "POS PURCHASE QUORVANE HOLDINGS 8852"))
	if n := len(s.questions()); n != 0 {
		t.Fatalf("%d questions about a cent", n)
	}
	s.decided(row(2, -3333, "POS PURCHASE QUORVANE HOLDINGS 8852"),
		row(3, -10001, "POS PURCHASE QUORVANE HOLDINGS 8852"))
	if q := s.questions(); len(q) != 1 || q[0].TransactionCount != 3 {
		t.Errorf("questions about three rows of one firm: %+v", q)
	}
}
