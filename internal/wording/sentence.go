package wording

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// heard is an idea at its place among the words.
type heard struct {
	ideas []idea
	at    int
	end   int // behind the last of its words
	part  int // of the sentence, between commas
}

func (h heard) is(of idea) bool { return slices.Contains(h.ideas, of) }

// sentence is what was heard of an answer.
type sentence struct {
	words   []string
	stems   []string
	parts   []int // of each stem
	yes     []heard
	denied  []heard
	strange []bool // whether a word says nothing to anybody
	denials int
	doubt   bool
	shares  bool
}

// listen finds the ideas of words, and which are denied: from a denial to the end of its part, or to where the speaker
// turns.
func listen(words string) sentence {
	l := theLexicon()
	s := sentence{}
	for part, text := range partsOf(strings.ReplaceAll(words, "+", " plus ")) {
		for _, w := range strings.Fields(Fold(text)) {
			is := stem(w)
			if !l.stems[is] {
				is = cmp.Or(l.meant(w), is)
			} else if l.otherWord(w) {
				is = w + "'"
			}
			s.words, s.stems, s.parts = append(s.words, w), append(s.stems, is), append(s.parts, part)
			s.strange = append(s.strange, false)
		}
	}
	s.doubt = strings.Contains(words, "?")
	s.shares = shared.MatchString(words) && (sides.MatchString(words) || len(shared.FindAllString(words, -1)) > 1)
	denying, part := false, -1
	for i := 0; i < len(s.stems); {
		if s.parts[i] != part {
			denying, part = false, s.parts[i]
		}
		h, ok := s.phraseAt(i)
		if !ok {
			if !strings.ContainsFunc(s.words[i], unicode.IsDigit) {
				s.strange[i] = true
			}
			i++
			continue
		}
		switch {
		case h.is(ideaDoubt):
			s.doubt = true
		case h.is(ideaShares):
			s.shares = true
		case h.is(ideaNo) && s.deniedNext(h): // no, not that
		case h.is(ideaNot), h.is(ideaNo) && !s.alone(h):
			if denying {
				s.denials++
			}
			denying = true
			s.denials++
		case h.is(ideaTurns):
			denying = false
		case denying:
			s.denied = append(s.denied, h)
		default:
			s.yes = append(s.yes, h)
		}
		i = h.end
	}
	return s
}

// Denies reports whether words deny something.
func Denies(words string) bool { return listen(words).denials > 0 }

// Doubts reports whether words ask, or say that the speaker does not know.
func Doubts(words string) bool { return listen(words).doubt }

// shared is what a part of something looks like: 40 %, 1/2, half this half that.
var shared = regexp.MustCompile(
	`(?i)\b[1-9]?\d ?(?:%|percent\b)|\b\d{1,2} ?[/⁄] ?\d{1,2}\b|\b(?:half|part)\b.+\b(?:half|part)\b`)

// sides are words for whose a share is: a gallery keeps 40 % and divides nothing.
var sides = regexp.MustCompile(
	`(?i)\b(personal|private|business|work|home|house|mine|me|my|rest|other|half|part|shop)\b`)

// partsOf are the parts of a sentence, between its signs. A dash or a dot within a word is none.
func partsOf(words string) []string {
	var parts []string
	from := 0
	runes := []rune(words)
	for i, r := range runes {
		last := i+1 == len(runes)
		within := strings.ContainsRune(".-–—", r) && !last && !unicode.IsSpace(runes[i+1])
		if strings.ContainsRune(",;:!?()\n.-–—", r) && !within {
			parts = append(parts, string(runes[from:i]))
			from = i + 1
		}
	}
	return append(parts, string(runes[from:]))
}

// alone is whether nothing follows in the same part: "No, it was rent".
func (s sentence) alone(h heard) bool { return h.end >= len(s.parts) || s.parts[h.end] != h.part }

// deniedNext is whether a denial follows at once.
func (s sentence) deniedNext(h heard) bool {
	if s.alone(h) {
		return false
	}
	next, ok := s.phraseAt(h.end)
	return ok && slices.Contains(next.ideas, ideaNot)
}

// phraseAt is the longest phrase that begins at a word, within its part, up to where a longer one begins: the customer
// paid us back is about the paying back.
func (s sentence) phraseAt(at int) (heard, bool) {
	h, ok := s.longestAt(at, len(s.stems))
	for next := at + 1; ok && next < h.end; next++ {
		if longer, found := s.longestAt(next, len(s.stems)); found && longer.end-longer.at > h.end-h.at {
			return s.longestAt(at, next)
		}
	}
	return h, ok
}

// longestAt is the longest phrase that begins at a word and ends before another, within its part.
func (s sentence) longestAt(at, before int) (heard, bool) {
	l := theLexicon()
	for n := min(l.longest, before-at); n > 0; n-- {
		if s.parts[at+n-1] != s.parts[at] {
			continue
		}
		ideas, ok := l.exact[strings.Join(s.words[at:at+n], " ")]
		if !ok {
			ideas, ok = l.phrases[strings.Join(s.stems[at:at+n], " ")]
		}
		if ok {
			return heard{ideas: ideas, at: at, end: at + n, part: s.parts[at]}, true
		}
	}
	return heard{}, false
}
