package apitest

import (
	"fmt"
	"testing"
	"time"
)

// BenchmarkAnswersOfALargeShop answers about a shop of which much was bought and half as much came back, in equal and
// in other amounts: for the first time, then otherwise, and then takes that back. It reports the time of each answer,
// and of what the worker has to decide anew after it.
func BenchmarkAnswersOfALargeShop(b *testing.B) {
	for _, purchases := range []int{1_000, 5_000} {
		b.Run(fmt.Sprintf("purchases=%d", purchases), func(b *testing.B) {
			for b.Loop() {
				o := start(b).openTier("paid")
				account := o.uploadAccount("a")
				var rows []M
				for i := range purchases {
					day := time.Date(2026, 1, 1+i%200, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
					amount := fmt.Sprintf("%d.%02d", 20+i%10, i%5)
					rows = append(rows, transaction(fmt.Sprint("p", i), "-"+amount, day, stationer))
					if i%2 == 0 {
						rows = append(rows, transaction(fmt.Sprint("r", i), amount, day, stationer+" RETURN"))
					}
				}
				for len(rows) > 0 {
					n := min(500, len(rows))
					o.upload(account, rows[:n]...)
					rows = rows[n:]
				}
				o.process(0)
				hook := "c:" + o.search("limit", "1").want(200).text("transactions", 0, "counterparty", "id") + ":out"
				for _, words := range []string{"expense.meals", "personal.living", "undo"} {
					began := time.Now()
					o.answerIssue(hook, words, nil).want(200).wantAt("accepted", "status")
					answered := time.Now()
					o.process(0)
					b.ReportMetric(answered.Sub(began).Seconds(), words+"-s")
					b.ReportMetric(time.Since(answered).Seconds(), words+"-worker-s")
				}
			}
		})
	}
}
