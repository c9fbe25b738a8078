package wording

import (
	_ "embed"
	"math"
	"strings"
)

// A second learner reads the same features in another way: each category has a regression of its own, which the rare
// features of an answer count most in. It is no better than the model, but errs elsewhere, so that a reading is trusted
// more which both agree on. Its weights are integers too.

//go:embed data/regression.tsv
var regressionTSV string

// regression is data/regression.tsv as it is read, or as it is being learned.
type regression struct {
	order   []int  // the class of each number in the file
	weights *index // by feature: first how rare it is, then a class and its weight each
}

const (
	rareOne    = 10 // a rarity of one: features that are e times as rare have one more
	regressOne = 20 // a score of one, which is what the right category is to have; others have -1
	sharpness  = 4  // what a score of one counts among the odds
)

// regressionOf is the regression of a file, whose first line names the classes; nodes are the numbers that these have.
func regressionOf(file string, nodes map[string]int) *regression {
	first, rest, _ := strings.Cut(file, "\n")
	r := &regression{weights: indexOf(rest)}
	for name := range strings.FieldsSeq(first) {
		class, ok := nodes[name]
		if !ok {
			panic("wording: no class: " + name)
		}
		r.order = append(r.order, class)
	}
	return r
}

// sums are what speaks for each of so many classes, as the model weighs it. An answer of many features speaks no louder
// than one of few.
func (r *regression) sums(features []string, classes int) []int32 {
	spoken, length := make([]int, classes), 0
	for _, f := range features {
		rarity, rest, _ := strings.Cut(r.weights.line(f), " ")
		if rarity == "" {
			continue
		}
		rare := numbers(rarity)[0]
		length += rare * rare
		eachWeight(rest, func(at int, value int32) { spoken[r.order[at]] += rare * int(value) })
	}
	sums := make([]int32, classes)
	if length == 0 {
		return sums
	}
	for i, n := range spoken {
		sums[i] = int32(math.Round(sharpness * weightOne * float64(n) / (regressOne * math.Sqrt(float64(length)))))
	}
	return sums
}
