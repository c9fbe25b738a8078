package wording

import (
	"slices"

	"bizfin/internal/questions"
)

// What money of a direction mostly is speaks for a category whatever was said: most that comes in are sales, so that
// "hello" would be sales. So a reading is believed only where words of the answer speak for it by themselves, without
// the direction, the question and its options. Pieces of words do not count: anything written has some.

// How much likelier words make a category than it is where nothing is said, in percent, so that they are evidence of
// it. The bars were set on authors that the model had not read (TestWordsOfOtherAuthors).
const (
	wordsSpeak = 105 // all words together, or one of them
	oneOfMany  = 130 // a word that counts as one of several
	wordSpeaks = 150 // a word alone, of a category that is expected anyway
	saleSpeaks = 650 // a word alone, of sales, which are what money is that comes in: a table may be anything
)

const (
	fewWords = 3                  // that the model knows; more are a story
	expected = sureOne * 45 / 100 // of a category before anything was said
)

// evident is whether the words of an answer are evidence of a class.
func (m *model) evident(q Context, s sentence, class int) bool {
	d := q.Direction()
	nothing := m.likely(nil, class, d)
	var all []string
	known, several, most, polite := 0, 0, 0, true
	for _, word := range s.said(d) {
		if !slices.ContainsFunc(word.features, func(f string) bool { return m.weights.line(f) != "" }) {
			continue
		}
		by := m.likely(word.features, class, d)
		if known++; by*100 > oneOfMany*nothing {
			several++
		}
		all, most, polite = append(all, word.features...), max(most, by), polite && word.neutral
	}
	enough := wordsSpeak
	if known <= fewWords && several <= 1 {
		switch {
		case m.of[class] == questions.Sales:
			enough = saleSpeaks
		case !m.expects(q, class):
		case polite: // "yes, thank you"
			return false
		default:
			enough = wordSpeaks
		}
	}
	return max(most, m.likely(all, class, d))*100 >= enough*nothing
}

// likely is how sure a class is by features alone, of sureOne.
func (m *model) likely(features []string, class int, d Direction) int {
	features = slices.Compact(slices.Sorted(slices.Values(features)))
	return m.with(m.weigh(features, nil, d), class)
}

// expects is whether a class is what such money mostly is, whatever is said of it.
func (m *model) expects(q Context, class int) bool {
	d := q.Direction()
	f := features{way: wayOf(d)}
	f.without(q)
	return m.with(m.weigh(slices.Compact(slices.Sorted(slices.Values(f.all))), q.Options, d), class) > expected
}

// spoken is a word or a phrase as the features that it has by itself: what it is, and what it is about.
type spoken struct {
	features []string
	neutral  bool // it says nothing of the books
}

// said are the words that are not denied, each once.
func (s sentence) said(d Direction) []spoken {
	const nobody, denied = -1, -2
	by := slices.Repeat([]int{nobody}, len(s.words))
	mark := func(h heard, as int) {
		for i := h.at; i < h.end; i++ {
			by[i] = as
		}
	}
	for _, h := range s.denied {
		mark(h, denied)
	}
	way := wayOf(d)
	var all []spoken
	for i, h := range s.yes {
		mark(h, i)
		w := spoken{neutral: true}
		for _, of := range h.ideas {
			if of.says() {
				w.neutral = false
				w.features = append(w.features, way+"i "+string(of), way+"is "+string(of))
			}
		}
		all = append(all, w)
	}
	for i, w := range s.stems {
		switch feature := way + "w " + w; {
		case by[i] == denied, s.denies(i):
		case by[i] == nobody:
			all = append(all, spoken{[]string{feature}, !s.strange[i]})
		default:
			all[by[i]].features = append(all[by[i]].features, feature)
		}
	}
	slices.SortFunc(all, func(a, b spoken) int { return slices.Compare(a.features, b.features) })
	return slices.CompactFunc(all, func(a, b spoken) bool { return slices.Equal(a.features, b.features) })
}

// denies is whether a word denies others.
func (s sentence) denies(at int) bool {
	ideas := theLexicon().exact[s.words[at]]
	return slices.Contains(ideas, ideaNot) || slices.Contains(ideas, ideaNo)
}
