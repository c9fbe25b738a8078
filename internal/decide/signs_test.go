package decide_test

import (
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bizfin/internal/books"
	"bizfin/internal/money"
	"bizfin/internal/odds"
)

var from = flag.String("from", "fresh/*,tune/*", "the labelled books that -fit learns from")

// seenRow is a row that is asked about, with what its owner knows.
type seenRow struct {
	odds.Row
	book   string
	counts float64 // how much of it counts in the profit
	size   float64 // in percent of the book's receipts, the largest as two
}

// seenIn are the rows of labelled books that are asked about before anybody answered anything.
func seenIn(t *testing.T, patterns string) (rows []seenRow) {
	t.Helper()
	for pattern := range strings.SplitSeq(patterns, ",") {
		folders, err := filepath.Glob(filepath.Join("../books/testdata", pattern))
		if err != nil || len(folders) == 0 {
			t.Fatalf("no books are %q, %v", pattern, err)
		}
		for _, folder := range folders {
			book, err := books.Load(folder)
			if err != nil {
				t.Fatal(err)
			}
			for i, d := range decided(t, book) {
				row, seen := book.Rows[i], d.Seen()
				if d.Question == nil || seen.Suggested == nil || row.Amount == 0 {
					continue
				}
				rows = append(rows, seenRow{
					Row: seen, book: book.Name,
					counts: min(max(float64(books.Profit(row.Truth))/float64(row.Amount), 0), 1),
					size:   min(percent(max(row.Amount, -row.Amount), book.GrossReceipts()), 2),
				})
			}
		}
	}
	return rows
}

// learned are the weights of signs that rows show: of a logistic regression that leaves those out that tell nothing
// (L1), by coordinate descent, where a row weighs as much as the root of its size.
func learned(rows []seenRow) map[string]float64 {
	const (
		leastBooks = 3
		strength   = 0.7 // of the rows, beside what a weight costs
		rounds     = 60
	)
	in := map[string][]int{"": nil} // of each sign, the rows that have it
	seen := map[string]map[string]bool{}
	for i, r := range rows {
		in[""] = append(in[""], i)
		for _, sign := range r.Signs() {
			in[sign] = append(in[sign], i)
			if seen[sign] == nil {
				seen[sign] = map[string]bool{}
			}
			seen[sign][r.book] = true
		}
	}
	weights, sums := map[string]float64{}, make([]float64, len(rows))
	for range rounds {
		for _, sign := range slices.Sorted(maps.Keys(in)) {
			if sign != "" && len(seen[sign]) < leastBooks {
				continue
			}
			slope, bend, cost := 0.0, 1e-9, 1.0
			if sign == "" {
				cost = 0
			}
			for _, i := range in[sign] {
				p, w := 1/(1+math.Exp(-sums[i])), strength*math.Sqrt(rows[i].size)
				slope += w * (p - rows[i].counts)
				bend += w * p * (1 - p)
			}
			was := weights[sign]
			step := -was
			switch {
			case slope+cost < bend*was:
				step = -(slope + cost) / bend
			case slope-cost > bend*was:
				step = -(slope - cost) / bend
			}
			if step = min(max(step, -1), 1); step == 0 {
				continue
			}
			weights[sign] = was + step
			for _, i := range in[sign] {
				sums[i] += step
			}
		}
	}
	return weights
}

// TestSignsTellWhatCounts holds the weights of signs.csv to the labelled books that may be read: by them rows are
// nearer to what they turn out to be than by the odds of what is suggested alone, by a tenth. -fit learns them anew.
func TestSignsTellWhatCounts(t *testing.T) {
	if *fit {
		writeSigns(t, learned(seenIn(t, *from)))
	}
	var bySigns, byOdds, all float64
	for _, r := range seenIn(t, "tune/*") {
		counts := 100 * r.counts
		now := 0
		if r.Suggested.Kind.OnForm() {
			now = 100
		}
		expected := math.Abs(float64(now - odds.Of(r.Suggested, r.Amount > 0).Change(now)))
		bySigns += r.size * math.Pow(counts-float64(r.Counts()), 2)
		byOdds += r.size * math.Pow(counts-expected, 2)
		all += r.size
	}
	signs, alone := math.Sqrt(bySigns/all), math.Sqrt(byOdds/all)
	t.Logf("rows miss what they turn out to be by %.2f percent of them, and by %.2f by the odds alone", signs, alone)
	if signs > 0.9*alone {
		t.Error("want a tenth less; learn them anew with -args -fit")
	}
}

// writeSigns writes weights below what the file says of them.
func writeSigns(t *testing.T, weights map[string]float64) {
	t.Helper()
	const file, hundredths = "../odds/signs.csv", 100
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(old), "sign,weight\n")
	var text strings.Builder
	text.WriteString(head + "sign,weight\n")
	for _, sign := range slices.Sorted(maps.Keys(weights)) {
		if w := money.Ratio(math.Round(hundredths * weights[sign])); w != 0 || sign == "" {
			fmt.Fprintf(&text, "%q,%d\n", sign, w)
		}
	}
	if err := os.WriteFile(file, []byte(text.String()), 0o644); err != nil {
		t.Fatal(err)
	}
}
