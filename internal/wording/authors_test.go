package wording

import (
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"testing"

	"bizfin/internal/ontology"
)

var (
	crossed = flag.Bool("crossed", false, "read each author's answers with a model that was learned from others")
	share   = flag.Int("share", 100, "of the answers, in percent, to learn from")
)

// TestWordsOfOtherAuthors reads the answers of each author with a model that was taught by others: what is to be
// expected of words that nobody has seen. Every fourth author is left out at a time.
func TestWordsOfOtherAuthors(t *testing.T) {
	if !*crossed {
		t.Skip("this takes minutes")
	}
	sums := map[string]*readings{}
	add := func(name string, r asRead) {
		if sums[name] == nil {
			sums[name] = &readings{}
		}
		sums[name].all = append(sums[name].all, r)
	}
	read := crossRead(labelled(t), *share)
	for party := range parties {
		m := blank()
		m.trust = trustOf(slices.DeleteFunc(slices.Clone(read), func(r asRead) bool { return r.party == party }))
		for _, r := range read {
			if r.party != party {
				continue
			}
			if !r.named {
				r.sure = m.trusts(r.signs)
			}
			add(r.a.file, r)
			add("all", r)
			if strings.HasPrefix(r.a.author, "strangers") {
				add("strangers", r)
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		sums[name].report(t, name)
	}
}

const parties = 4 // every fourth author is of the same one

// crossRead are all answers, each party's as a model reads them that so much of the others' taught.
func crossRead(all []answered, share int) (read []asRead) {
	names := authors(all)
	for party := range parties {
		of := func(a answered) bool { return slices.Index(names, a.author)%parties == party }
		m := taught(slices.DeleteFunc(slices.Clone(all), func(a answered) bool {
			return of(a) || !a.among(share)
		})).whole()
		for _, a := range all {
			if of(a) && a.author != ofNotes {
				r := m.reads(a)
				r.party = party
				read = append(read, r)
			}
		}
	}
	return read
}

// among is whether an answer is one of so many in a hundred.
func (a answered) among(hundred int) bool {
	h := fnv.New32a()
	h.Write([]byte(a.words))
	return int(h.Sum32()%100) < hundred
}

func authors(all []answered) []string {
	var names []string
	for _, a := range all {
		if a.author != ofBooks && !slices.Contains(names, a.author) {
			names = append(names, a.author)
		}
	}
	return names
}

// asRead is an answer as a model reads it.
type asRead struct {
	a     answered
	means string
	sure  int
	named bool // by the name of a category
	party int
	signs [signs]int
	among bool // the truth is among the first three
	bare  bool // no word of it is evidence
}

func (m *model) reads(a answered) asRead {
	sure := m.weigh(a.features, a.asked.Options, a.direction())
	best := m.best(sure)
	s := listen(a.words)
	r := asRead{a: a, means: m.classes[best.class]}
	r.signs = m.signsOf(a.asked, s, a.features, best)
	r.sure = m.trusts(r.signs)
	r.bare = !m.evident(a.asked, s, best.class)
	for _, c := range m.likeliest(sure, 3) {
		r.among = r.among || a.is(c.Path)
	}
	if r.means == meansSkip || s.doubt {
		r.means = meansUnclear
	}
	// what is read before the model is asked
	c, named := CategoryNamed(a.words, a.direction())
	if against := named && a.direction() == In && c.Kind.Side() == ontology.SideOut; named && !against {
		r.means, r.sure, r.named = c.Path, sureOne, true
	}
	return r
}

func (a answered) is(means string) bool {
	c, one := ontology.ScheduleC().ByPath(means)
	return slices.ContainsFunc(a.truths, func(truth string) bool {
		t, too := ontology.ScheduleC().ByPath(truth)
		return truth == means || one && too && Related(c, t)
	})
}

type readings struct{ all []asRead }

// at counts what is read rightly and wrongly where only that is believed which is so sure, in percent.
func (rs *readings) at(enough int) (right, wrong float64) {
	for _, r := range rs.all {
		means := r.means
		if r.sure < enough || r.bare && !r.named {
			means = meansUnclear
		}
		switch {
		case r.a.is(means):
			right++
		case means != meansUnclear:
			wrong++
		}
	}
	n := float64(len(rs.all)) / 100
	return right / n, wrong / n
}

func (rs *readings) report(t *testing.T, name string) {
	among := 0
	for _, r := range rs.all {
		if r.among || r.a.is(meansUnclear) {
			among++
		}
	}
	line, wrong := "", map[string]int{}
	for _, r := range rs.all {
		if r.sure >= sureEnough && (r.named || !r.bare) && r.means != meansUnclear && !r.a.is(r.means) {
			wrong[kindOf(r)]++
		}
	}
	for _, percent := range []int{50, 60, 70, 75, 80, 85, 87, 90, 93, 95, 97, 98, 99} {
		r, w := rs.at(sureOne * percent / 100)
		line += fmt.Sprintf(" %d:%.1f/%.1f", percent, r, w)
	}
	t.Logf("%-24s %d, among three %.1f:%s", name, len(rs.all), 100*float64(among)/float64(len(rs.all)), line)
	if name == "strangers" || name == "all" {
		t.Logf("%-24s wrong: %v", name, wrong)
	}
}

// kindOf is what sort of mistake a wrong reading is.
func kindOf(r asRead) string {
	truth := r.a.truths[0]
	should, one := ontology.ScheduleC().ByPath(truth)
	is, understood := ontology.ScheduleC().ByPath(r.means)
	switch {
	case !one:
		return "of what is " + truth
	case !understood:
		return "as " + r.means
	case should.Kind.OnForm() != is.Kind.OnForm():
		return "in and not out of the profit, or the reverse"
	default:
		return "another line"
	}
}
