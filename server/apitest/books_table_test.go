package apitest

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"bizfin/internal/books"
)

// figure is a line of the table: a share of something, or a plain number where there is no whole.
type figure struct {
	label string
	of    func(f bookFigures) (part, whole int64)
	high  bool // more is better
}

// share is a part of a whole in percent.
func share[A, B ~int | ~int64](part A, whole B) (int64, int64) { return int64(part), int64(whole) }

// figuresOf are the lines of the table about so many answers; the last moment is after all of them.
func figuresOf(at int, label string) []figure {
	moment := func(f bookFigures) bookMoment { return f.moments[min(at, len(f.moments)-1)] }
	standing := func(f bookFigures) books.Standing { return moment(f).standing }
	return []figure{
		{label + ": rows established", func(f bookFigures) (int64, int64) {
			return share(standing(f).Established,
				standing(f).Rows)
		}, true},
		{"  dollars established", func(f bookFigures) (int64, int64) {
			return share(standing(f).Decided,
				standing(f).Dollars)
		}, true},
		{"  of the rows on the right line", func(f bookFigures) (int64,
			int64) {
			return share(standing(f).Right, standing(f).Established)
		}, true},
		{"    or payouts named after their fees", func(f bookFigures) (int64, int64) {
			return share(standing(f).Right+standing(f).Net, standing(f).Established)
		}, true},
		{"    or on these lines in other shares", func(f bookFigures) (int64, int64) {
			return share(standing(f).Right+standing(f).Net+standing(f).Shares, standing(f).Established)
		}, true},
		{"  silent error of profit / receipts", func(f bookFigures) (int64,
			int64) {
			return share(standing(f).Silent, f.receipts)
		}, false},
		{"  misfiled by line / receipts", func(f bookFigures) (int64, int64) {
			return share(standing(f).Misfiled,
				f.receipts)
		}, false},
		{"  error if suggestions hold / receipts", func(f bookFigures) (int64,
			int64) {
			return share(moment(f).held, f.receipts)
		}, false},
		{"  months whose truth is in the range", func(f bookFigures) (int64,
			int64) {
			return share(moment(f).covered, moment(f).months)
		}, true},
		{"  width of the range / the widest", func(f bookFigures) (int64,
			int64) {
			return share(moment(f).width, moment(f).widest)
		}, false},
	}
}

// tableOf prints the figures of books, a column each unless only their sums are wanted, then all together and the
// worst.
func tableOf(all []bookFigures, sumsOnly bool) string {
	var lines []figure
	for i, answers := range asking {
		lines = append(lines, figuresOf(i, fmt.Sprintf("after %d answers", answers))...)
	}
	lines = append(lines, figuresOf(len(asking), "after all answers")...)
	last := func(f bookFigures) bookMoment { return f.moments[len(f.moments)-1] }
	lines = append(lines, []figure{
		{"lines of the form off by over 2 %", func(f bookFigures) (int64, int64) { return share(len(f.lines), 0) },
			false},
		{"questions", func(f bookFigures) (int64, int64) { return share(last(f).answers, 0) }, false},
		{"questions that no answer is true of", func(f bookFigures) (int64,
			int64) {
			return share(f.cannot, last(f).answers)
		}, false},
		{"memory: rows of the last quarter", func(f bookFigures) (int64,
			int64) {
			return share(f.memory.Established, 0)
		}, true},
		{"memory: of these on the right line", func(f bookFigures) (int64,
			int64) {
			return share(f.memory.Right, f.memory.Established)
		}, true},
		{"memory: silent error / receipts", func(f bookFigures) (int64,
			int64) {
			return share(f.memory.Silent, f.receipts)
		}, false},
		{"words: rows left open", func(f bookFigures) (int64, int64) {
			return share(f.wordsOpen, f.wordsOpen+f.wordsRight+f.wordsWrong)
		}, false},
		{"words: rows read wrongly", func(f bookFigures) (int64, int64) {
			return share(f.wordsWrong, f.wordsOpen+f.wordsRight+f.wordsWrong)
		}, false},
		{"words: silent error of these / receipts", func(f bookFigures) (int64,
			int64) {
			return share(f.wordsSilent, f.receipts)
		}, false},
	}...)

	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "in percent, or a number\t")
	if !sumsOnly {
		for _, f := range all {
			fmt.Fprintf(w, "%.12s\t", f.name)
		}
	}
	fmt.Fprintln(w, "together\tworst")
	for _, line := range lines {
		fmt.Fprintf(w, "%s\t", line.label)
		var parts, wholes int64
		worst, seen := 0.0, false
		for _, f := range all {
			part, whole := line.of(f)
			parts, wholes = parts+part, wholes+whole
			is, ok := inPercent(part, whole)
			if ok && (!seen || line.high && is < worst || !line.high && is > worst) {
				worst, seen = is, true
			}
			if !sumsOnly {
				fmt.Fprintf(w, "%s\t", shareText(part, whole))
			}
		}
		fmt.Fprintf(w, "%s\t%.2f\n", shareText(parts, wholes), worst)
	}
	w.Flush()
	return text.String()
}

// inPercent is a figure to print; nothing is worked out with it.
func inPercent(part, whole int64) (value float64, ok bool) {
	if whole == 0 {
		return float64(part), true
	}
	return 100 * float64(part) / float64(whole), true
}

func shareText(part, whole int64) string {
	value, _ := inPercent(part, whole)
	if whole == 0 {
		return fmt.Sprint(part)
	}
	return fmt.Sprintf("%.2f", value)
}
