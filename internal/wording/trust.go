package wording

import (
	"math"
	"slices"
	"strings"
)

// How sure the model is says too little of whether it is right. A reading is trusted by what becomes of it without the
// words, without what they are about and so on: one that rests on all of these is rarely wrong, one that rests on
// pieces of words often is; so is one that the second learner does not share. How much each counts is learned from
// answers whose authors the model had not read.

// trustOne is a weight of one. What is weighed are hundredths.
const trustOne = 1000

// signsOf are what a reading is trusted by: what each view and the second learner say of it, how long the answer is,
// how much of it the model never learned, how sure a part of it says something else, and whether it is no category.
func (m *model) signsOf(q Context, s sentence, features []string, best belief) [signs]int {
	d := q.Direction()
	var nodes [len(views)][]int32
	for v := range nodes {
		nodes[v] = make([]int32, len(m.nodes))
	}
	for _, f := range features {
		var seen [len(views)]bool
		for v, without := range views {
			seen[v] = !slices.ContainsFunc(without, func(kind string) bool {
				return strings.HasPrefix(f[len("o:"):], kind)
			})
		}
		m.speaks(f, func(node int16, value int32) {
			for v := range nodes {
				if seen[v] {
					nodes[v][node] += value
				}
			}
		})
	}
	of := [signs]int{100}
	for v := range nodes {
		of[1+v] = logOdds(m.with(m.sureOf(nodes[v], q.Options, d), best.class))
	}
	second := m.second.sums(features, len(m.classes))
	of[1+len(views)] = logOdds(m.with(m.certain(slices.Clone(second), d), best.class))
	of[1+len(views)+1] = m.margin(second, best.class, d)
	words, unknown := len(s.words), 0
	for _, w := range s.stems {
		if m.weights.line(wayOf(d)+"w "+w) == "" {
			unknown++
		}
	}
	has := func(is bool) int {
		if is {
			return 100
		}
		return 0
	}
	copy(of[1+len(views)+signsOfSecond:], []int{20 * min(words, 10), has(words <= 1), has(words <= 2),
		has(unknown > 0), has(unknown > 1), 100 * unknown / max(words, 1),
		logOdds(m.otherwise(q, s, best)), has(m.of[best.class] == nil)})
	return of
}

// margin is how much more speaks for a class, or what is related to it, than for all else.
func (m *model) margin(sums []int32, class int, d Direction) int {
	of, other := int32(math.MinInt32), int32(math.MinInt32)
	for i, n := range sums {
		switch {
		case !m.fits(i, d):
		case m.related[class][i]:
			of = max(of, n)
		default:
			other = max(other, n)
		}
	}
	return int(of - other)
}

// trusts is how sure it is that a reading is right, of sureOne.
func (m *model) trusts(of [signs]int) int {
	sum := 0
	for i, weight := range m.trust {
		sum += weight * of[i]
	}
	return int(math.Round(sureOne / (1 + math.Exp(-float64(sum)/(100*trustOne)))))
}

// logOdds are those of a certainty, in hundredths; nothing is surer than one in 2,000.
func logOdds(sure int) int {
	p := float64(min(max(sure, sureOne/2000), sureOne-sureOne/2000)) / sureOne
	return int(math.Round(100 * math.Log(p/(1-p))))
}
