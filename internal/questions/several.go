package questions

import (
	"slices"

	"bizfin/internal/money"
	"bizfin/internal/split"
)

// What was said of a topic before and since, where that is several things.

// decided is what answers about a topic said last, and the largest amount they were about.
type decided struct {
	Said
	largest money.Amount // without sign
	uses    []Answered   // what the last answer said, one where it said one thing
	whole   bool         // said last of all money of a counterparty in a direction
	place   int          // among all answers: a later one has a larger
	splits  []*split.Spec
	differ  bool // answers before said something else of others of the topic
}

// outweighs is whether as many rows as an answer is about, or more, were said to be one other thing.
func (d decided) outweighs(a Answered) bool {
	said := map[int]int64{}
	for _, u := range d.uses {
		said[value(u.CategoryID)] += value(u.RowCount)
	}
	last := value(a.CategoryID)
	for category, rows := range said {
		if category != last && rows >= said[last]+value(a.RowCount) {
			return true
		}
	}
	return false
}

// with is what was said with a use beside that is another thing: then each is one of several.
func (d decided) with(a Answered) decided {
	d.uses = append(slices.Clone(d.uses), a)
	for i := range d.uses {
		d.uses[i].Several = true
	}
	if a.Split != nil {
		d.splits = append(slices.Clip(d.splits), a.Split)
	}
	d.largest, d.differ = max(d.largest, a.Largest, a.Amount, -a.Amount), true
	return d
}

// severally is whether answers said several things of the rows of a topic.
func (d decided) severally() bool { return len(d.uses) > 0 && d.uses[0].Several }
