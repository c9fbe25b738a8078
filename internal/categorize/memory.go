package categorize

import "bizfin/internal/money"

// Memory is what one business answered about its counterparties. The zero value
// remembers nothing; [NewMemory] makes one that can learn.
//
// What a Memory says depends only on the answers it learned and their order, not
// on time. A copy shares its answers with the original, and learning while
// another goroutine decides with it is a data race.
type Memory struct {
	answers map[memoryKey][]remembered
}

type memoryKey struct {
	counterparty string
	dir          direction
}

type remembered struct {
	id           [16]byte
	amount       money.Amount // without sign
	category     int
	relationship string
}

// Answer is one answer of the business, about one counterparty and direction.
type Answer struct {
	ID              [16]byte     // as its caller knows it
	CounterpartyKey string       // Counterparty.Key of the decision that was asked about
	Incoming        bool         // the direction of the money
	Amount          money.Amount // of the transaction asked about; its sign does not matter
	CategoryID      int          // 0 where the answer is only about the relationship
	Relationship    string       // in the contract's vocabulary, "" where not answered
}

// NewMemory returns a memory without answers.
func NewMemory() Memory { return Memory{answers: map[memoryKey][]remembered{}} }

// Learn adds an answer. One without a counterparty teaches nothing: it would
// speak for every line that names nobody. Guesses of the engine must not be learned.
func (m *Memory) Learn(a Answer) {
	if a.CounterpartyKey == "" {
		return
	}
	if m.answers == nil {
		*m = NewMemory()
	}
	key := memoryKey{a.CounterpartyKey, out}
	if a.Incoming {
		key.dir = in
	}
	m.answers[key] = append(m.answers[key], remembered{a.ID, size(a.Amount), a.CategoryID, a.Relationship})
}

// recollection is what a memory knows of a counterparty and direction.
type recollection struct {
	category     int      // 0 where the answers do not decide
	answer       [16]byte // the last that says so
	count        int      // answers that say so
	band         bool
	conflict     bool
	alternatives []Alternative
	relationship string
}

// recall looks up a counterparty. Where its answers differ, only those about
// similar amounts count; where these differ too, nothing is decided.
func (m Memory) recall(counterparty string, dir direction, amount money.Amount) recollection {
	var r recollection
	answers := m.answers[memoryKey{counterparty, dir}]
	agree := true
	for _, a := range answers {
		if a.relationship != "" {
			r.relationship = a.relationship
		}
		if a.category == 0 {
			continue
		}
		if r.count > 0 && a.category != r.category {
			agree = false
		}
		r.category, r.answer = a.category, a.id
		r.count++
	}
	if agree {
		return r
	}
	r.category, r.count, r.band, agree = 0, 0, true, true
	for _, a := range answers {
		if a.category == 0 || !similar(a.amount, size(amount)) {
			continue
		}
		if r.count > 0 && a.category != r.category {
			agree = false
		}
		r.category, r.answer = a.category, a.id
		r.count++
	}
	if !agree || r.count == 0 {
		r.category, r.conflict = 0, true
	}
	r.alternatives = shares(answers)
	return r
}

// similar amounts differ by at most a quarter of the larger.
func similar(a, b money.Amount) bool {
	large, small := max(a, b), min(a, b)
	return large-small <= large/4
}

func size(a money.Amount) money.Amount {
	if a < 0 {
		return -a
	}
	return a
}

// shares are the answered categories by how often, the earlier answered first among equals.
func shares(answers []remembered) []Alternative {
	var list []Alternative
	total := money.Ratio(0)
	for _, a := range answers {
		if a.category == 0 {
			continue
		}
		total++
		found := false
		for i := range list {
			if list[i].CategoryID == a.category {
				list[i].Confidence++
				found = true
			}
		}
		if !found {
			list = append(list, Alternative{a.category, 1})
		}
	}
	for i := range list { // insertion sort: few, and stable
		for j := i; j > 0 && list[j].Confidence > list[j-1].Confidence; j-- {
			list[j], list[j-1] = list[j-1], list[j]
		}
	}
	list = list[:min(len(list), maxAlternatives)]
	for i := range list {
		list[i].Confidence = list[i].Confidence * 10_000 / total
	}
	return list
}
