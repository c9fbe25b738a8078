package apitest

import "testing"

// Whether money came back from a shop is what its line and the purchases say, whatever was answered of it, and before
// which answer it came.
func TestMoneyThatCameBackIsARefundWhateverWasAnsweredOfIt(t *testing.T) {
	t.Parallel()
	for name, shop := range map[string]string{"by its line": depot, "by its purchase": quorvane} {
		for _, answers := range [][]string{
			{},
			{"revenue.sales"},
			{"revenue.sales", "equity.owner_contribution"},
			{"", "equity.owner_contribution"},
			{"revenue.sales", "undo"},
		} {
			o, account := openPaid(t)
			o.upload(account, transaction("bought", "-200.00", "2026-03-01", shop),
				transaction("bought too", "-60.00", "2026-03-02", shop),
				transaction("first", "200.00", "2026-03-05", shop))
			o.process(0)
			hook := "c:" + o.search().want(200).text("transactions", 0, "counterparty", "id") + ":in"
			for i, words := range append(answers, "") {
				if i == 1 || len(answers) == 0 {
					o.upload(account, transaction("back", "60.00", "2026-03-09", shop),
						transaction("not all", "33.00", "2026-03-10", shop))
					o.process(0)
				}
				if words != "" {
					o.answerIssue(hook, words, nil).want(200)
					o.process(0)
				}
			}
			for row, want := range map[string]bool{"bought": false, "first": true, "back": true,
				"not all": name == "by its line"} {
				if o.all()[row]["isRefund"] != want {
					t.Errorf("%s, %q: whether %s is a refund: %v", name, answers, row, o.all()[row]["isRefund"])
				}
			}
		}
	}
}
