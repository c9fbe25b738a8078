package wording

import (
	"bizfin/internal/ontology"
)

// Reading is what free words say of the money. Where nothing stands clear, both Category and Split are empty.
type Reading struct {
	Category   *ontology.Category   // the one thing that the words say; nil where none stands clear
	Split      bool                 // they say that it is several things at once
	Candidates []*ontology.Category // what they may say, the likeliest first
}

// mostCandidates are so many readings that a person chooses from.
const mostCandidates = 4

// sureEnough is how much a reading is trusted that is believed: of answers whose author the reader has never read few
// are then read wrongly (TestWordsOfOtherAuthors says how many).
const sureEnough = sureOne * 85 / 100

// Read finds what an answer says, as far as the model is sure. What is doubted is not believed, and seldom what a
// part of it does not say: "software and checks" are two things. What is likeliest of the question, and clear without
// it, is clear: of what is used at home, too, no option says that gas for the van is fuel.
func (q Context) Read(words string) Reading {
	if q.Incoming == nil {
		return q.eitherWay(words)
	}
	r, likeliest, clear := q.read(words)
	if !clear && len(q.Options) > 0 {
		q.Options, q.Question = nil, ""
		asked := likeliest
		if _, likeliest, clear = q.read(words); asked != likeliest && learned().classes[asked] != meansUnclear {
			clear = false
		}
	}
	if m := learned(); clear {
		r.Category, r.Split = m.of[likeliest], m.classes[likeliest] == meansSplit && q.Direction() == Out
	}
	return r
}

// read is what words may say, the class of the likeliest, and whether that stands clear.
func (q Context) read(words string) (r Reading, likeliest int, clear bool) {
	m, s, d := learned(), listen(words), q.Direction()
	features := q.featuresOf(s, d)
	sure := m.weigh(features, q.Options, d)
	r.Candidates = m.likeliest(sure, mostCandidates)
	best := m.best(sure)
	clear = !s.doubt && m.trusts(m.signsOf(q, s, features, best)) >= sureEnough && m.evident(q, s, best.class)
	return r, best.class, clear
}

// eitherWay is what words say of money in and of money out alike.
func (q Context) eitherWay(words string) Reading {
	way := func(incoming bool) Reading {
		of := q
		of.Incoming = &incoming
		return of.Read(words)
	}
	r, in := way(false), way(true)
	if r.Category != in.Category {
		r.Category = nil
	}
	r.Split = r.Split && in.Split
	return r
}
