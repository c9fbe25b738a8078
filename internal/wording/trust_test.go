package wording

import "math"

// trustOf are the weights by which readings are trusted, learned from answers whose authors the model had not read: a
// logistic regression on whether they are right, by Newton's method.
func trustOf(read []asRead) (weights [signs]int) {
	const rounds, towardZero = 10, 5
	var w [signs]float64
	for range rounds {
		var slope [signs]float64
		var bend [signs][signs]float64
		for i := range w {
			slope[i], bend[i][i] = -towardZero*w[i], towardZero
		}
		for _, r := range read {
			if r.named || r.means == meansUnclear {
				continue
			}
			sum, right := 0.0, 0.0
			for i, x := range r.signs {
				sum += w[i] * float64(x) / 100
			}
			if r.a.is(r.means) {
				right = 1
			}
			p := 1 / (1 + math.Exp(-sum))
			for i, x := range r.signs {
				slope[i] += (right - p) * float64(x) / 100
				for j, y := range r.signs {
					bend[i][j] += p * (1 - p) * float64(x) / 100 * float64(y) / 100
				}
			}
		}
		for i, by := range solved(bend, slope) {
			w[i] += by
		}
	}
	for i := range w {
		weights[i] = int(math.Round(w[i] * trustOne))
	}
	return weights
}

// solved is x of a*x = b, by elimination; a is positive definite.
func solved(a [signs][signs]float64, b [signs]float64) [signs]float64 {
	for i := range a {
		for j := range a {
			if j == i {
				continue
			}
			times := a[j][i] / a[i][i]
			for k := range a {
				a[j][k] -= times * a[i][k]
			}
			b[j] -= times * b[i]
		}
	}
	for i := range b {
		b[i] /= a[i][i]
	}
	return b
}
