package wording

import (
	"encoding/csv"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"bizfin/internal/categorize"
	"bizfin/internal/ontology"
	"bizfin/internal/questions"
	"bizfin/internal/questions/questionstest"
)

var learn = flag.Bool("learn", false, "learn data/weights.tsv and data/regression.tsv anew")

// TestLearn learns the weights of all labelled answers and writes them: "make words".
func TestLearn(t *testing.T) {
	if !*learn {
		t.Skip(`this is "make words"`)
	}
	answers := labelled(t)
	l := taught(answers)
	l.trust = trustOf(crossRead(answers, 100))
	for name, file := range map[string][]byte{"weights": l.file(), "regression": l.regression} {
		if err := os.WriteFile("data/"+name+".tsv", file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// answered is an answer with its label.
type answered struct {
	file     string
	author   string
	asked    Context
	words    string
	truths   []string
	features []string // of the answer to this question
	alone    []string // of the words without it
}

func (a answered) direction() Direction { return a.asked.Direction() }

// labelled are all answers that may be learned from: owners' words in testdata, and the names of the books.
func labelled(t testing.TB) []answered {
	t.Helper()
	var names []string
	for _, pattern := range []string{"../answers/testdata/owners*", "../answers/testdata/fresh/owners*",
		"testdata/strangers*", "testdata/notes*"} {
		files, err := filepath.Glob(pattern + ".csv")
		if err != nil || len(files) == 0 {
			t.Fatalf("files %v, %v", files, err)
		}
		names = append(names, files...)
	}
	engine := categorize.New()
	var all []answered
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(file).ReadAll()
		file.Close()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		author := filepath.Base(name)
		switch {
		case strings.HasPrefix(author, "owners"): // by hands that knew each other
			author = "owners"
		case strings.HasPrefix(author, ofNotes):
			author = ofNotes
		}
		for _, row := range rows[1:] {
			a := answered{file: filepath.Base(name), author: author, words: row[4], truths: strings.Split(row[5], "|")}
			a.asked = askedAbout(engine, row[1] == "in", row[2], row[3])
			s := listen(a.words)
			a.features = a.asked.featuresOf(s, a.direction())
			a.alone = Context{}.featuresOf(s, a.direction())
			all = append(all, a)
		}
	}
	return slices.Concat(all, ofTheBooks(), ofIdeas(t))
}

// ofTheBooks are the names of categories and what describes them, as if an owner had said them.
func ofTheBooks() (all []answered) {
	for _, c := range ontology.ScheduleC().All() {
		for _, incoming := range []bool{true, false} {
			otherWay := incoming && c.Kind.Cost() || !incoming && c.Kind.Earned() && !c.Is("revenue.returns")
			if !c.Assignable || c.Is(ontology.Uncategorized) || otherWay {
				continue
			}
			for _, words := range []string{c.Name, c.Description} {
				a := answered{file: ofBooks, author: ofBooks, words: words, truths: []string{c.Path},
					asked: Context{Incoming: &incoming}}
				a.features = a.asked.featuresOf(listen(words), a.direction())
				all = append(all, a)
			}
		}
	}
	return all
}

// ofIdeas are what ideas mean together, by testdata/meanings.tsv: lessons without words.
func ofIdeas(t testing.TB) (all []answered) {
	t.Helper()
	file, err := os.ReadFile("testdata/meanings.tsv")
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range RowsOf(string(file), 3) {
		for i, incoming := range []bool{false, true} {
			if row[1+i] == "" {
				continue
			}
			a := answered{file: ofBooks, author: ofBooks, truths: strings.Split(row[1+i], "|"),
				asked: Context{Incoming: &incoming}}
			s := sentence{}
			for _, name := range strings.Split(row[0], " + ") {
				s.yes = append(s.yes, heard{ideas: []idea{idea(name)}, at: len(s.words)})
				s.words, s.stems = append(s.words, ""), append(s.stems, "")
				s.parts, s.strange = append(s.parts, 0), append(s.strange, false)
			}
			f := features{way: wayOf(a.direction())}
			f.add("", "")
			f.ideas(s)
			a.features = f.all
			all = append(all, a)
		}
	}
	return all
}

// The authors of the names of categories, and of what owners noted beside rows of labelled books: these explain a line
// to who reads it, and say less than an answer does, so they count for half, and no trust is measured by them.
const (
	ofBooks = "the books"
	ofNotes = "notes"
)

// askedAbout is what the service asks about a counterparty; of one that was made up it knows nothing.
func askedAbout(engine *categorize.Engine, incoming bool, counterparty, question string) Context {
	c := Context{Incoming: &incoming}
	if counterparty != "" && counterparty != "Quorvane" {
		c.Question, c.Options = question, questionstest.About(engine, incoming, counterparty).Options
	}
	return c
}

// How the weights are learned: in so many turns over all answers, in small steps that become smaller the more a weight
// was moved. Every third time an answer is shown without its very words, so that what they are about is learned too;
// and each time without some of its features, so that no few of them are relied on.
const (
	turns      = 4
	step       = 0.1
	towardZero = 0.002
	wordless   = 0.3
	seldom     = 1   // features of so few answers are left out
	missed     = 0.1 // of the features of an answer, each time
)

// lesson is an answer as it is learned from.
type lesson struct {
	features []int
	options  [][2]int // a class, and how it stands to the options
	truths   []int
	counts   float32
}

// learning is a model whose weights are fractions.
type learning struct {
	*model
	times    map[string]int // of how many answers each feature is
	ids      map[string]int
	names    []string
	very     []bool    // whether a feature is of the very words
	weights  []float32 // of each feature, for each node
	moved    []float32 // how far, squared
	byOption [len(optionKinds)]float32
	movedBy  [len(optionKinds)]float32

	regression []byte // the file of the second learner
}

// of are the weights of a feature, or how far they were moved.
func (l *learning) of(feature int, all []float32) []float32 {
	return all[feature*len(l.nodes) : (feature+1)*len(l.nodes)]
}

// taught is the model that answers teach. The same answers make the same model.
func taught(answers []answered) *learning {
	l := &learning{model: blank(), times: map[string]int{}, ids: map[string]int{}}
	l.regression = regressed(l.model, answers)
	for _, a := range answers {
		for _, f := range a.features {
			l.times[f]++
		}
	}
	var lessons []lesson
	for _, a := range answers {
		if a.asked.Question == "" {
			counts := float32(1)
			if a.author == ofNotes {
				counts = 0.5
			}
			lessons = l.add(lessons, a, a.features, nil, counts)
			continue
		}
		lessons = l.add(lessons, a, a.features, a.asked.Options, 0.5)
		lessons = l.add(lessons, a, a.alone, nil, 0.5)
	}
	for _, name := range l.names {
		l.very = append(l.very, slices.Contains([]string{"w ", "b ", "p "}, name[2:min(4, len(name))]))
	}
	l.weights = make([]float32, len(l.names)*len(l.nodes))
	l.moved = slices.Repeat([]float32{0.1}, len(l.weights))
	for i := range l.byOption {
		l.byOption[i], l.movedBy[i] = 0.5, 0.1
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range turns {
		random.Shuffle(len(lessons), func(i, j int) { lessons[i], lessons[j] = lessons[j], lessons[i] })
		for _, of := range lessons {
			without := random.Float64() < wordless
			of.features = slices.DeleteFunc(slices.Clone(of.features), func(f int) bool {
				return without && l.very[f] || random.Float64() < missed
			})
			l.take(of)
		}
	}
	return l
}

// add adds a lesson, if its truth is one that can be meant.
func (l *learning) add(
	lessons []lesson,
	a answered,
	features []string,
	options []questions.Option,
	counts float32,
) []lesson {
	of := lesson{counts: counts}
	for _, truth := range a.truths {
		if class, ok := l.nodes[truth]; ok {
			of.truths = append(of.truths, class)
		}
	}
	if len(of.truths) == 0 {
		return lessons
	}
	for _, f := range features {
		if l.times[f] <= seldom {
			continue
		}
		id, ok := l.ids[f]
		if !ok {
			id = len(l.names)
			l.ids[f], l.names = id, append(l.names, f)
		}
		of.features = append(of.features, id)
	}
	l.eachOption(options, func(class, kind int) { of.options = append(of.options, [2]int{class, kind}) })
	return append(lessons, of)
}

// take moves the weights towards what an answer means.
func (l *learning) take(of lesson) {
	off := l.sure(of)
	right := float32(1e-6)
	for _, class := range of.truths {
		right += off[class]
	}
	for i := range off {
		off[i] *= of.counts
	}
	for _, class := range of.truths {
		off[class] -= off[class] / right
	}
	nodes := make([]float32, len(l.nodes))
	for class, above := range l.above {
		for _, n := range above {
			nodes[n] += off[class]
		}
	}
	move := func(weight, moved *float32, by float32) {
		by += towardZero * *weight
		*moved += by * by
		*weight -= step * by / float32(math.Sqrt(float64(*moved)))
	}
	for _, f := range of.features {
		weights, moved := l.of(f, l.weights), l.of(f, l.moved)
		for n, by := range nodes {
			if by >= 1e-4 || by <= -1e-4 {
				move(&weights[n], &moved[n], by)
			}
		}
	}
	var byOption [len(optionKinds)]float32
	for _, o := range of.options {
		byOption[o[1]] += off[o[0]]
	}
	for kind, by := range byOption {
		if by != 0 {
			move(&l.byOption[kind], &l.movedBy[kind], by)
		}
	}
}

// sure is how sure each class is while it is learned.
func (l *learning) sure(of lesson) []float32 {
	nodes := make([]float32, len(l.nodes))
	for _, f := range of.features {
		for n, w := range l.of(f, l.weights) {
			nodes[n] += w
		}
	}
	sums := make([]float32, len(l.classes))
	for class, above := range l.above {
		for _, n := range above {
			sums[class] += nodes[n]
		}
	}
	for _, o := range of.options {
		sums[o[0]] += l.byOption[o[1]]
	}
	most, all := slices.Max(sums), float32(0)
	for i := range sums {
		sums[i] = float32(math.Exp(float64(sums[i] - most)))
		all += sums[i]
	}
	for i := range sums {
		sums[i] /= all
	}
	return sums
}

// whole is the model with weights that are integers, as the file has them.
func (l *learning) whole() *model { return modelOf(string(l.file()), string(l.regression)) }

// file is data/weights.tsv.
func (l *learning) file() []byte {
	rounded := func(w float32) int { return int(math.Round(float64(w) * weightOne)) }
	var b strings.Builder
	b.WriteString("# Learned by \"make words\" from the labelled answers in testdata; not to be written by hand.\n")
	names := make([]string, len(l.nodes))
	for name, n := range l.nodes {
		names[n] = name
	}
	fmt.Fprintf(&b, "nodes\t%s\noptions\t", strings.Join(names, " "))
	for i, w := range l.byOption {
		fmt.Fprintf(&b, "%s%d", strings.Repeat(" ", min(i, 1)), rounded(w))
	}
	b.WriteString("\ntrust\t")
	for i, w := range l.trust {
		fmt.Fprintf(&b, "%s%d", strings.Repeat(" ", min(i, 1)), w)
	}
	b.WriteByte('\n')
	for _, name := range slices.Sorted(slices.Values(l.names)) {
		between := name + "\t"
		for n, w := range l.of(l.ids[name], l.weights) {
			if value := rounded(w); value != 0 {
				fmt.Fprintf(&b, "%s%d:%d", between, n, value)
				between = " "
			}
		}
		if between == " " {
			b.WriteByte('\n')
		}
	}
	return []byte(b.String())
}
