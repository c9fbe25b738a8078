package worker

import (
	"strings"

	"bizfin/internal/categorize"
	"bizfin/store"
)

// memory is what a business answered: what decides the next rows, what was said without deciding, and which
// counterparties are one.
type memory struct {
	engine categorize.Memory
	groups map[topic]int // categories, by what was answered
	notes  map[topic]string
	same   map[string]store.SeenCounterparty // by the key of another
}

// topic is what an answer is about.
type topic struct {
	key      string
	incoming bool
}

// remember reads the answers of a business, oldest first.
func remember(answers []store.Remembered) memory {
	m := memory{engine: categorize.NewMemory(), groups: map[topic]int{}, notes: map[topic]string{}, same: map[string]store.SeenCounterparty{}}
	next, known := map[string]string{}, map[string]store.SeenCounterparty{}
	for _, r := range answers {
		if r.SameAs == nil {
			continue
		}
		next[r.CounterpartyKey] = *r.SameAs
		if r.SameAsName != nil {
			known[*r.SameAs] = store.SeenCounterparty{Key: *r.SameAs, Name: *r.SameAsName, Type: *r.SameAsType,
				Relationship: *r.SameAsRelationship, Website: value(r.SameAsWebsite), Confidence: *r.SameAsConfidence}
		}
	}
	others := map[string][]string{} // the keys that mean a counterparty
	for key := range next {
		at := key
		for range next { // at most so many steps, whatever was answered
			if further, ok := next[at]; ok {
				at = further
			}
		}
		if is, ok := known[at]; ok {
			m.same[key] = is
			others[at] = append(others[at], key)
		}
	}
	m.learnAll(answers, others)
	return m
}

// learnAll learns each answer for its own key and for those that mean the same counterparty. What was answered about a
// key itself counts before what was answered about the counterparty, and that before what was answered about another of
// its keys.
func (m *memory) learnAll(answers []store.Remembered, others map[string][]string) {
	decided := map[topic]bool{}
	for _, r := range answers {
		if r.CategoryID != nil && r.SameAs == nil {
			decided[topic{r.CounterpartyKey, r.Incoming}] = true
		}
	}
	for _, r := range answers {
		m.learn(r, r.CounterpartyKey)
		counterparty := r.CounterpartyKey
		if same, ok := m.same[counterparty]; ok {
			counterparty = same.Key
			if r.CategoryID == nil || r.SameAs != nil || decided[topic{counterparty, r.Incoming}] {
				continue
			}
			m.learn(r, counterparty)
		}
		for _, key := range others[counterparty] {
			if key != r.CounterpartyKey && !decided[topic{key, r.Incoming}] {
				m.learn(r, key)
			}
		}
	}
}

func (m *memory) learn(r store.Remembered, key string) {
	answer := categorize.Answer{CounterpartyKey: key, Incoming: r.Incoming, Amount: r.Amount, Relationship: value(r.Relationship)}
	if r.CategoryID != nil {
		answer.CategoryID = *r.CategoryID
		m.groups[topic{key, r.Incoming}] = *r.CategoryID
	}
	m.engine.Learn(answer)
	about := topic{key, r.Incoming}
	switch {
	case r.CategoryID != nil: // where answers differ by amount, the person decides these rows, and is asked again
		delete(m.notes, about)
	case r.SameAs == nil:
		note := value(r.Note)
		if note == "" {
			note = answer.Relationship
		}
		m.notes[about] = note
	}
}

// settle takes the question away that the business answered before without deciding it, about the counterparty or about
// the name on the line. The row is then what the rows of that question were left as: their doubtful category, or none
// where no one category fits.
func (m memory) settle(d *store.Decided, key string) {
	if d.Question == nil || d.Question.Kind != store.KindCategory {
		return
	}
	incoming := d.Transaction.Amount > 0
	note, ok := m.notes[topic{d.Question.GroupKey, incoming}]
	if !ok && d.Question.GroupKey == m.same[key].Key {
		note, ok = m.notes[topic{key, incoming}]
	}
	if !ok {
		return
	}
	d.Question, d.Note = nil, note
	d.Reason += "; a guess, as the answer to the question about it did not say which category it is"
	if strings.HasPrefix(note, partPersonal) {
		d.CategoryID = 0
	}
}

func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}
