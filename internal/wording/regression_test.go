package wording

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// How the regressions are learned: in so many turns over all answers, in steps that become smaller with each turn.
const (
	regressTurns = 6
	regressStep  = 0.5
	regressLeast = 4 // smaller weights are left out: four fifths of the file, and 0.2 of 66 points
)

// regressing are regressions while they are learned.
type regressing struct {
	classes int
	names   []string
	ids     map[string]int
	rare    []float32
	weights []float32 // of each feature, for each class
}

// example is an answer as they learn from it.
type example struct {
	features []int
	counts   []float32 // of each feature: how rare it is, where all are one long together
	truths   []int
}

// regressed is data/regression.tsv by what answers teach. Each regression is to be at least 1 of what is its class, and
// at most -1 of all else; what falls short of that counts squared.
func regressed(m *model, answers []answered) []byte {
	r := &regressing{classes: len(m.classes), ids: map[string]int{}}
	times := map[string]int{}
	for _, a := range answers {
		for _, f := range a.features {
			times[f]++
		}
	}
	for _, f := range slices.Sorted(maps.Keys(times)) {
		if rare := math.Log(float64(len(answers)) / float64(times[f])); times[f] > seldom && rare*rareOne >= 1 {
			r.ids[f] = len(r.names)
			r.names, r.rare = append(r.names, f), append(r.rare, float32(rare))
		}
	}
	r.weights = make([]float32, len(r.names)*r.classes)
	var examples []example
	for _, a := range answers {
		if e := r.example(m, a); len(e.truths) > 0 {
			examples = append(examples, e)
		}
	}
	random := rand.New(rand.NewPCG(3, 4))
	for turn := range regressTurns {
		random.Shuffle(len(examples), func(i, j int) { examples[i], examples[j] = examples[j], examples[i] })
		for _, e := range examples {
			r.take(e, regressStep/float32(1+turn))
		}
	}
	return r.file(m)
}

func (r *regressing) example(m *model, a answered) (e example) {
	for _, truth := range a.truths {
		if class, ok := m.nodes[truth]; ok {
			e.truths = append(e.truths, class)
		}
	}
	length := float32(0)
	for _, f := range a.features {
		if id, ok := r.ids[f]; ok {
			e.features, e.counts = append(e.features, id), append(e.counts, r.rare[id])
			length += r.rare[id] * r.rare[id]
		}
	}
	for i := range e.counts {
		e.counts[i] /= float32(math.Sqrt(float64(length)))
	}
	return e
}

// of are the weights of a feature.
func (r *regressing) of(feature int) []float32 {
	return r.weights[feature*r.classes : (feature+1)*r.classes]
}

// take moves the weights of the classes that an answer is not clear about.
func (r *regressing) take(e example, step float32) {
	scores := make([]float32, r.classes)
	for i, f := range e.features {
		for class, w := range r.of(f) {
			scores[class] += e.counts[i] * w
		}
	}
	for class, score := range scores {
		wanted := float32(-1)
		if slices.Contains(e.truths, class) {
			wanted = 1
		}
		short := 1 - wanted*score
		if short <= 0 {
			continue
		}
		for i, f := range e.features {
			r.of(f)[class] += step * short * wanted * e.counts[i]
		}
	}
}

func (r *regressing) file(m *model) []byte {
	var b strings.Builder
	b.WriteString(strings.Join(m.classes, " ") + "\n")
	for _, f := range r.names {
		line := ""
		for class, w := range r.of(r.ids[f]) {
			if value := math.Round(float64(w) * regressOne); math.Abs(value) >= regressLeast {
				line += fmt.Sprintf(" %d:%d", class, int(value))
			}
		}
		if line != "" {
			fmt.Fprintf(&b, "%s\t%d%s\n", f, int(math.Round(float64(r.rare[r.ids[f]])*rareOne)), line)
		}
	}
	return []byte(b.String())
}
