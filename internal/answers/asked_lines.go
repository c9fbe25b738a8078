package answers

import (
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"bizfin/internal/money"
	"bizfin/internal/wording"
)

// AskedLine is a row of a question as an answer can name it.
type AskedLine struct {
	N            int // the number that it is shown with
	Transaction  uuid.UUID
	Amount       money.Amount
	Currency     string
	Description  string
	Counterparty string // its name; empty where the line names nobody
	Reads        int    // the category that its line reads; 0 where nothing is suggested
	Date         time.Time
}

// calledBy are the counterparties of a question's rows, by what an answer may call them.
type calledBy struct {
	names []string
	same  map[string]string          // the words of each name, in an order of their own
	alike map[string][]string        // the names of the same words
	whole map[string][]string        // the names of the same letters, whatever stands between them
	words map[string]map[string]bool // the names that have a word
	plain []string                   // the words of names, without and, where one that is cut was looked for
	lines map[uuid.UUID]string       // what lines read, folded, of those that were looked at

	mentioned map[string][]mention // where words name rows, of those that were looked through
}

// reads is what a line reads, folded, and whom it is with.
func (c *calledBy) reads(l AskedLine) string {
	if c.lines == nil {
		c.lines = map[uuid.UUID]string{}
	}
	said, is := c.lines[l.Transaction]
	if !is {
		said = wording.Fold(l.Description + " " + l.Counterparty)
		c.lines[l.Transaction] = said
	}
	return said
}

func calledIn(lines []AskedLine) *calledBy {
	c := &calledBy{same: map[string]string{"": ""}, alike: map[string][]string{}, whole: map[string][]string{},
		words: map[string]map[string]bool{}, mentioned: map[string][]mention{}}
	for _, l := range lines {
		name := l.Counterparty
		if _, seen := c.same[name]; seen {
			continue
		}
		words := strings.Fields(wording.Fold(name))
		whole := strings.Join(words, "")
		slices.Sort(words)
		same := strings.Join(words, " ")
		c.names, c.same[name] = append(c.names, name), same
		c.alike[same], c.whole[whole] = append(c.alike[same], name), append(c.whole[whole], name)
		for _, w := range words {
			if c.words[w] == nil {
				c.words[w] = map[string]bool{}
			}
			c.words[w][name] = true
		}
	}
	return c
}

// one are the names of the one counterparty that is called so: wholly, or by some of its words. Names of the same words
// in another order are of one. ok is false where there is none, or several.
func (c *calledBy) one(reference string) (names []string, ok bool) {
	words := strings.Fields(wording.Fold(reference))
	if len(words) == 0 {
		return nil, false
	}
	same, found := "", false
	add := func(name string) (one bool) {
		one = !found || c.same[name] == same
		same, found = c.same[name], true
		return one
	}
	for _, name := range c.whole[strings.Join(words, "")] {
		if !add(name) {
			return nil, false
		}
	}
	if found {
		return c.alike[same], true
	}
	for name := range c.words[words[0]] {
		has := !slices.ContainsFunc(words[1:], func(w string) bool { return !c.words[w][name] })
		if has && !add(name) {
			return nil, false
		}
	}
	return c.alike[same], found
}

// cutFrom is the one name that the bank cut within the last word of a reference: Juniper Ha, of Juniper & Ham.
func (c *calledBy) cutFrom(reference string) (names []string) {
	const shortest = 6 // letters of a name that is known by its beginning
	plain := func(name string) string { return strings.ReplaceAll(wording.Fold(name), " and ", " ") }
	if c.plain == nil {
		for _, name := range c.names {
			c.plain = append(c.plain, plain(name))
		}
	}
	said := plain(reference)
	for i, name := range c.names {
		called := c.plain[i]
		rest, cut := strings.CutPrefix(said, called)
		if cut && len(called) >= shortest && strings.Contains(called, " ") && !strings.Contains(rest, " ") {
			names = append(names, name)
		}
	}
	if len(names) > 1 {
		return nil
	}
	return names
}

// oneOfMore are the names that a reference is the beginning of, or has all words of, where the shortest begins all of
// them: Elena Ortega, and what the bank makes of a note to her.
func (c *calledBy) oneOfMore(reference string) (names []string, ok bool) {
	words := strings.Fields(wording.Fold(reference))
	if len(words) == 0 {
		return nil, false
	}
	for name := range c.words[words[0]] {
		if !slices.ContainsFunc(words[1:], func(w string) bool { return !c.words[w][name] }) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return len(a) - len(b) })
	return names, len(names) > 0 && !slices.ContainsFunc(names, func(name string) bool {
		return !strings.HasPrefix(wording.Fold(name)+" ", wording.Fold(names[0])+" ")
	})
}
