package wording

import (
	_ "embed"
	"math"
	"slices"
	"strings"
	"sync"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// The model is a linear one: each feature has learned weights for categories and for what stands above them, and what
// speaks for a category is the sum. Weights are integers, so that the same words mean the same on every machine.

//go:embed data/weights.tsv
var weightsTSV string

// Meanings of words beside the categories.
const (
	meansUnclear = "unclear" // no single category is right
	meansSplit   = "split"   // several are, each for a part
	meansSkip    = "skip"    // the owner does not know yet
)

// sureOne is certainty.
const sureOne = 1 << 16

// model is data/weights.tsv as it is read, or as it is being learned.
type model struct {
	classes []string                // what an answer can mean
	nodes   map[string]int          // classes, and what stands above them, which starts with "@"
	order   []int16                 // of the nodes as the file counts them
	above   [][]int                 // of each class, the nodes whose weights it has: its own and those above
	related [][]bool                // of two classes, whether they are one or one stands above the other
	of      []*ontology.Category    // of each class; nil of those that are no category
	weights *index                  // by feature
	options [len(optionKinds)]int32 // by how a class is among the options of a question
	trust   [signs]int              // of what a reading is trusted by
	second  *regression             // another opinion
}

// optionKinds are how a class stands to the options of a question, the likeliest of which comes first.
var optionKinds = [...]string{"first option", "near the first option", "option", "near an option"}

// blank is a model that knows what can be meant, and nothing of words.
func blank() *model {
	m := &model{nodes: map[string]int{}, weights: indexOf("")}
	for _, c := range ontology.ScheduleC().All() {
		if c.Assignable && !c.Is(ontology.Uncategorized) {
			m.classes, m.of = append(m.classes, c.Path), append(m.of, c)
		}
	}
	for _, other := range []string{meansUnclear, meansSplit, meansSkip} {
		m.classes, m.of = append(m.classes, other), append(m.of, nil)
	}
	for i, c := range m.classes {
		m.nodes[c] = i
	}
	m.above = make([][]int, len(m.classes))
	m.related = make([][]bool, len(m.classes))
	for i, c := range m.classes {
		m.above[i] = []int{i}
		for path, _, ok := cutLast(c); ok; path, _, ok = cutLast(path) {
			m.above[i] = append(m.above[i], m.node("@"+path))
		}
	}
	for i := range m.classes { // a category that takes in others shares what they share
		if n, ok := m.nodes["@"+m.classes[i]]; ok {
			m.above[i] = append(m.above[i], n)
		}
		m.related[i] = make([]bool, len(m.classes))
		for j := range m.classes {
			m.related[i][j] = i == j || m.of[i] != nil && m.of[j] != nil && Related(m.of[i], m.of[j])
		}
	}
	return m
}

func (m *model) node(name string) int {
	n, ok := m.nodes[name]
	if !ok {
		n = len(m.nodes)
		m.nodes[name] = n
	}
	return n
}

// learned reads the file once; a fault of it panics, which the package's tests rule out.
var learned = sync.OnceValue(func() *model { return modelOf(weightsTSV, regressionTSV) })

// modelOf is the model of its files. The first has its nodes, the weights of the options, and then a line for each
// feature.
func modelOf(file, second string) *model {
	m := blank()
	m.second = regressionOf(second, m.nodes)
	for line := range strings.Lines(file) {
		name, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		switch {
		case name == "nodes":
			for node := range strings.SplitSeq(rest, " ") {
				m.order = append(m.order, int16(m.node(node)))
			}
		case name == "options":
			for i, n := range numbers(rest) {
				m.options[i] = int32(n)
			}
		case name == "trust":
			copy(m.trust[:], numbers(rest))
		case !strings.HasPrefix(name, "#"):
			m.weights = indexOf(file[strings.Index(file, line):])
			return m
		}
	}
	return m
}

// speaks calls with each node that a feature has a weight for.
func (m *model) speaks(feature string, of func(node int16, value int32)) {
	eachWeight(m.weights.line(feature), func(at int, value int32) { of(m.order[at], value) })
}

// belief is a class with how sure it is, of sureOne.
type belief struct {
	class int
	sure  int
}

// weigh is how sure each class is, of sureOne.
func (m *model) weigh(features []string, options []questions.Option, d Direction) []int {
	nodes := make([]int32, len(m.nodes))
	for _, f := range features {
		m.speaks(f, func(node int16, value int32) { nodes[node] += value })
	}
	return m.sureOf(nodes, options, d)
}

// sureOf is how sure each class is by what speaks for each node, of sureOne.
func (m *model) sureOf(nodes []int32, options []questions.Option, d Direction) []int {
	sums := make([]int32, len(m.classes))
	for i, above := range m.above {
		for _, n := range above {
			sums[i] += nodes[n]
		}
	}
	m.eachOption(options, func(class, kind int) { sums[class] += m.options[kind] })
	return m.certain(sums, d)
}

// certain is how sure each class is by what speaks for it, of sureOne; it changes what it is given.
func (m *model) certain(sums []int32, d Direction) []int {
	most := int32(math.MinInt32)
	for i := range sums {
		if !m.fits(i, d) {
			sums[i] = math.MinInt32
		}
		most = max(most, sums[i])
	}
	sure := make([]int, len(sums))
	all := 0
	for i, n := range sums {
		if less := int(most) - int(n); less < len(shrinks()) {
			sure[i] = shrinks()[less]
			all += sure[i]
		}
	}
	for i := range sure {
		sure[i] = sure[i] * sureOne / all
	}
	return sure
}

// fits is whether money of a direction can be a class: nobody earns what they pay out.
func (m *model) fits(class int, d Direction) bool {
	c := m.of[class]
	return c == nil || d == In || !c.Kind.Earned() || c.Is("revenue.returns")
}

// eachOption calls with each class that is among the options, or near one.
func (m *model) eachOption(options []questions.Option, is func(class, kind int)) {
	const first, near, other, nearOther = 0, 1, 2, 3
	for i, o := range options {
		class, ok := m.nodes[o.Value]
		if !ok || m.of[class] == nil {
			continue
		}
		for j := range m.of {
			switch {
			case j == class && i == 0:
				is(j, first)
			case j == class:
				is(j, other)
			case m.related[class][j] && i == 0:
				is(j, near)
			case m.related[class][j]:
				is(j, nearOther)
			}
		}
	}
}

// shrinks are what is left of certainty by how much less speaks for a class than for the best.
var shrinks = sync.OnceValue(func() []int {
	var left []int
	for less := 0; ; less++ {
		n := int(math.Round(sureOne * math.Exp(-float64(less)/weightOne)))
		if n == 0 {
			return left
		}
		left = append(left, n)
	}
})

// best is the class that most speaks for, with all that is related to it: where that is clearly more, what takes it in.
func (m *model) best(sure []int) belief {
	const clearly = sureOne * 3 / 100
	top := 0
	for i, n := range sure {
		if n > sure[top] {
			top = i
		}
	}
	b := belief{top, m.with(sure, top)}
	if m.of[top] == nil {
		return b
	}
	for i, c := range m.of {
		if i == top || c == nil || !m.of[top].Is(c.Path) || slices.Contains(sayNothing, c.Path) {
			continue
		}
		if n := m.with(sure, i); n > b.sure+clearly {
			b = belief{i, n}
		}
	}
	return b
}

// with is how sure a class is with all that is related to it.
func (m *model) with(sure []int, class int) (n int) {
	for j, related := range m.related[class] {
		if related {
			n += sure[j]
		}
	}
	return n
}

// otherwise is how sure a portion of an answer says something else than the one category of the whole.
func (m *model) otherwise(q Context, s sentence, whole belief) int {
	if m.of[whole.class] == nil {
		return 0
	}
	most := 0
	for _, portion := range s.portions() {
		sure := m.weigh(q.featuresOf(portion, q.Direction()), q.Options, q.Direction())
		for i, n := range sure {
			if m.of[i] != nil && !m.related[whole.class][i] {
				most = max(most, n)
			}
		}
	}
	return most
}

// likeliest are the categories that most speaks for.
func (m *model) likeliest(sure []int, most int) []*ontology.Category {
	order := make([]int, 0, len(sure))
	for i := range sure {
		if m.of[i] != nil && sure[i] > sureOne/100 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return sure[b] - sure[a] })
	var all []*ontology.Category
	for _, i := range order[:min(most, len(order))] {
		all = append(all, m.of[i])
	}
	return all
}

// sayNothing are categories that take in too much to be an answer.
var sayNothing = []string{"expense.other", "expense.legal_professional", "expense.commissions_fees",
	"expense.depreciation", "revenue.other", "revenue.returns"}

func cutLast(path string) (above, last string, ok bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

// Related reports whether two categories are one, or one takes the other in.
func Related(a, b *ontology.Category) bool { return a.Is(b.Path) || b.Is(a.Path) }
