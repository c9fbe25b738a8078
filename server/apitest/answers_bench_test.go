package apitest

import (
	"fmt"
	"testing"
	"time"
)

// What it takes to answer a question of thousands of rows in part: what is left is asked about, and decided, again.
func BenchmarkAnswersInPart(b *testing.B) {
	const rows = 5_000
	for b.Loop() {
		o := start(b).openTier("paid")
		account := o.uploadAccount("a")
		var batch []M
		for i := range rows {
			day := time.Date(2026, 1, 1+i%200, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			batch = append(batch, transaction(fmt.Sprint("p", i), fmt.Sprintf("-%d.%02d", 20+i%10, i%5), day, blantvik))
			if len(batch) == 500 {
				o.upload(account, batch...)
				batch = nil
			}
		}
		o.process(0)
		question := o.search("limit", "1").want(200).text("transactions", 0, "issueIds", 0)
		for _, step := range []struct{ name, words string }{
			{"part", "1: expense.meals; rest: not sure"},
			{"another", "2: expense.meals; rest: not sure"},
			{"undo", "undo"},
		} {
			began := time.Now()
			o.answerIssue(question, step.words, nil).want(200)
			answered := time.Now()
			o.process(0)
			b.ReportMetric(answered.Sub(began).Seconds(), step.name+"-s")
			b.ReportMetric(time.Since(answered).Seconds(), step.name+"-worker-s")
		}
	}
}
