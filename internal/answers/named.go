package answers

import (
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"

	"bizfin/internal/categorize"
	"bizfin/internal/money"
	"bizfin/internal/wording"
)

var (
	theOnes    = regexp.MustCompile(`(?i)^(?:the|those|these|that|all)\s+`)
	saysOfKind = regexp.MustCompile(`(?i)^\s*(?:(?:is|are|was|were|half|all|private|personal|business|mine|ours)\b|` +
		`[\d½¼¾=(])`)
	someOnes = regexp.MustCompile(`(?i)^((?:[\pL&'\d-]+\s+){1,3}?)` +
		`(?:ones?|stuff|things?|charges?|payments?|checks?|deposits?|trips?|purchases?|wires?|orders?|tickets?|` +
		`debits?|` +
		`credits?|withdrawals?|transfers?|lines?|rows?|transactions?|parts?)\b`)
	bankWords = regexp.MustCompile(`^((?:\d+[A-Z]|` +
		`[A-Z])[A-Z\d&]+(?:[ -][A-Z\d&]{2,})*)(?:\s+ones?\b)?(?:\s*(?:[,;:.=]|is\b|are\b|was\b|were\b|and\b)|$)`)
	bankWord = regexp.MustCompile(`^((?:\d+[A-Z]|[A-Z])[A-Z\d&]+(?:[ -][A-Z\d&]{2,})*)(?:\s+ones?\b)?`)
	aName    = regexp.MustCompile(`^(\p{Lu}[\pL'’&-]+(?:\s+\p{Lu}[\pL'’&-]+)*)`)
	thatSay  = regexp.MustCompile(`(?i)^(?:ones?|those|lines?|rows?|that)?\s*(?:that|which|with)?\s*(?:say|` +
		`says|saying)\s+"?([\pL\d&'-]+(?:\s+(?-i:[A-Z\d&]{2,}))*)"?`)
)

// partyAt are the rows of a counterparty among several, by its name or by words of it that mean nothing else.
func (q Asked) partyAt(text string, at int, _ []mention) (m mention, ok bool) {
	const longest = 6 // words of a name
	first, with := firstWord(text[at:]), q.parties()
	if inPlace.MatchString(text[:at]) {
		return mention{}, false
	}
	if len(with.names) < 2 || with.words[first] == nil && with.words[strings.TrimSuffix(first, "s")] == nil &&
		with.words[first+"s"] == nil && with.whole[first] == nil {
		return q.kindAt(text, at)
	}
	var ends []int
	for end := at; end < len(text) && len(ends) < longest; {
		next := strings.IndexAny(text[end:], " \n\t")
		if next < 0 {
			next = len(text) - end
		}
		word := strings.TrimRight(text[end:end+next], ".,;:!?)\"")
		if endsName.MatchString(word) && !isJoint.MatchString(word) {
			ends = append(ends, end+len(word))
		}
		if len(word) < next {
			break
		}
		end += next
		for end < len(text) && strings.ContainsRune(" \n\t", rune(text[end])) {
			end++
		}
	}
	for _, end := range slices.Backward(ends) {
		name := text[at:end]
		if rows := q.ofWhole(name); rows != nil { // Casey's
			return mention{to: end, rows: rows, rank: byName, kind: theParty, sure: true, several: true}, true
		}
		own := ownedBy.FindString(name)
		if own != "" && itIs.MatchString(text[end:]) {
			end -= len(own)
		}
		name = strings.TrimSuffix(name, own)
		firm := capital.MatchString(name) && (!begins.MatchString(upBefore(text, at)) || own != "" ||
			isVerb.MatchString(text[end:]) || saysNothing(wording.Fold(name)))
		if rows := q.ofParty(name, firm); rows != nil {
			return mention{to: end, rows: rows, rank: byName, kind: theParty, sure: true, several: true}, true
		}
	}
	return q.kindAt(text, at)
}

var (
	ownedBy = regexp.MustCompile(`(?:'s|’s)$`)
	// endsName is what a name may end with: a word that is no joint.
	endsName = regexp.MustCompile(`(?i)[\pL\pN]`)
	isJoint  = regexp.MustCompile(`(?i)^(?:and|or|the|of|at|for|n|is|was|are|were)$`)
	itIs     = regexp.MustCompile(`(?i)^\s+(?:the|a|an|my|our|for|just|all|not)\b`)
	begins   = regexp.MustCompile(`(?:^|[.!?;\n:])\s*(?:(?i:the|and|but|also|so|ok|okay)\s+)*$`)
	isVerb   = regexp.MustCompile(`(?i)^\s*(?:\d[\d.]*\s*(?:%|percent)|half\b|too\b)|^\s*(?:is|are|was|were|does|` +
		`did|has|helps?|makes?|fixed|fixes|cleans?|` +
		`covers?|works?|teaches|took|gave|got|bought|lent|loaned|owed?s?)\b`)
)

// namesNobodyHere reports whether a sentence is about somebody whom it names, and none of the rows is with: Blue Cross
// is our health plan, where the bank writes BCBS.
func (q Asked) namesNobodyHere(text string) bool {
	of := aboutName.FindStringSubmatch(text)
	if of == nil || len(q.parties().names) < 2 && !q.uneven() {
		return false
	}
	words := strings.Fields(of[1])
	first := wording.Fold(words[0])
	if slices.ContainsFunc(q.Lines, func(l AskedLine) bool {
		return strings.HasPrefix(wording.Fold(l.Counterparty), first)
	}) {
		return false // that is whom all are with
	}
	abbreviated := len(first) > 1 && words[0] == strings.ToUpper(words[0])
	return !pronoun[first] && (len(words) > 1 || abbreviated || strangeWord(first) || categorize.IsGivenName(first))
}

// isOfOneThing reports whether a sentence is about one thing that no row is known by, of rows that are with several:
// the county fair was with the kids.
func (q Asked) isOfOneThing(text string) bool {
	if q.readApart() || !q.apart() && !q.uneven() {
		return false
	}
	of := aboutOne.FindStringSubmatch(text)
	return of != nil && !anyRows.MatchString(of[1]) || whatTheyHave.MatchString(text)
}

// isOfAThing reports whether words of rows that their lines tell apart are about one thing that no row is known by:
// group plan is the staff's, individual is mine.
func (q Asked) isOfAThing(text string) bool {
	of := aboutAThing.FindStringSubmatch(text)
	return of != nil && q.readApart() && !anyRows.MatchString(of[1]) && !pronoun[wording.Fold(of[1])] &&
		!allOfThem.MatchString(of[1])
}

// uneven reports whether the rows are purchases none of which costs as much as another: of a shop, and not of what is
// paid month by month.
func (q Asked) uneven() bool {
	const least = 3
	seen := map[money.Amount]bool{}
	for _, l := range q.Lines {
		seen[l.Amount] = true
	}
	return q.Direction() == wording.Out && len(q.Lines) >= least && len(seen) == len(q.Lines)
}

var (
	// whatTheyHave is what of a shop is somebody's.
	whatTheyHave = regexp.MustCompile(`(?i)^(?:(?:my|our|the)\s+\pL+['’]s\s+(?:stuff|things?|orders?|ones?)|` +
		`what\s+(?:my|our|the)\s+` +
		`\pL+\s+(?:ordered|bought|got|needed|wanted))\s+(?:is|are|was|were)\b`)
	aboutAThing = regexp.MustCompile(`(?i)^(?:the\s+|my\s+|our\s+)?(\pL[\pL'’-]*(?:\s+\pL[\pL'’-]*){0,2}?)\s+` +
		`(?:is|are|was|were)\s+(?:mine|ours|private|personal|(?:the|my|our)\s+\pL+['’]s?)[\s.!]*$`)
	allOfThem = regexp.MustCompile(`(?i)^(?:everything|everyone|all|both|most|none|nothing|each|some|that|what)\b`)
	aboutOne  = regexp.MustCompile(`(?i)^the\s+((?:[\pL'’&-]+\s+){1,4}?)(?:is|are|was|were)\b`)
	// anyRows are subjects that may be all rows.
	anyRows = regexp.MustCompile(`(?i)\b(?:checks?|payments?|deposits?|cash|money|charges?|transfers?|purchases?|` +
		`lines?|rows?|` +
		`ones?|orders?|stuff|things?|account|card|loan|app|rest|others?|people|customers|shops|firms|debits?|` +
		`credits?|` +
		`withdrawals?|taxes|transactions?|bills?|fees?|rent|premiums?|receipts?|wires?|store|supplier|vendor)\b`)
	aboutName = regexp.MustCompile(`^(?:[Tt]he\s+)?(\p{Lu}[\pL'’&.-]*(?:\s+(?:(?:of|and|` +
		`&)\s+)?\p{Lu}[\pL'’&.-]*){0,4})` +
		`(?:\s+(?:payments?|ones?|charges?|deposits?|checks?))?\s+(?:is|are|was|were|private|personal)\b`)
	pronoun = map[string]bool{"i": true, "it": true, "they": true, "these": true, "those": true, "this": true,
		"that": true, "all": true, "he": true, "she": true, "we": true, "you": true}
)

func firstWord(text string) string {
	end := strings.IndexAny(text, " \n\t,;:()\"")
	if end < 0 {
		end = len(text)
	}
	first, _, _ := strings.Cut(wording.Fold(ownedBy.ReplaceAllString(strings.TrimRight(text[:end], ".!?"), "")), " ")
	return first
}

// ofWhole are the rows of a counterparty that is called as a name of one's own is written, or begins so.
func (q Asked) ofWhole(name string) []uuid.UUID {
	if !ownedBy.MatchString(name) {
		return nil
	}
	said := wording.Fold(strings.NewReplacer("'", "", "’", "").Replace(name))
	return q.those(func(l AskedLine) bool {
		is := wording.Fold(l.Counterparty)
		return is == said || strings.HasPrefix(is, said+" ")
	})
}

// ofParty are the rows of the one counterparty that a name means: all of it, several words of it, or one that says
// nothing else to anybody, or is written as a name. Where a name of several words is wholly that of one, those that are
// called so and more are the same: Mei Lan, and Mei Lan Foster.
func (q Asked) ofParty(name string, firm bool) []uuid.UUID {
	said := wording.Fold(name)
	names, one := q.party(name)
	if !one {
		names, one = q.parties().oneOfMore(said)
	}
	if !one && strings.HasSuffix(said, "s") {
		said = strings.TrimSuffix(said, "s")
		names, one = q.party(said)
	}
	if !one {
		names = q.parties().cutFrom(said)
		one = len(names) > 0
	}
	together := func(words string) string { return strings.ReplaceAll(words, " ", "") }
	whole := slices.ContainsFunc(names, func(is string) bool { return together(wording.Fold(is)) == together(said) })
	strange := slices.ContainsFunc(strings.Fields(said), strangeWord) || firm
	if !one || !whole && !strange && !proper.MatchString(name) {
		return nil
	}
	if whole && strings.Contains(said, " ") {
		for _, more := range q.parties().names {
			if strings.HasPrefix(wording.Fold(more), said+" ") {
				names = append(slices.Clone(names), more)
			}
		}
	}
	return q.those(func(l AskedLine) bool { return slices.Contains(names, l.Counterparty) })
}

// A name as one writes it: of one word, and of several.
var (
	capital = regexp.MustCompile(`^\p{Lu}[\pL'.-]+$`)
	proper  = regexp.MustCompile(`^\p{Lu}.*\s\p{Lu}[\pL'&.-]*$`)
)

// strangeWord reports whether a word says nothing of money to anybody, so that it may be a name.
func strangeWord(word string) bool {
	const shortest = 3
	return len(word) >= shortest && wording.Strange(word) && !plainWords[word]
}

// saysNothing reports whether a word has no meaning of its own, as many given names have none.
func saysNothing(word string) bool {
	const shortest = 3
	return len(word) >= shortest && !plainWords[word] && !wording.Tells(word)
}

// plainWords are common ones that say nothing of money.
var plainWords = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range strings.Fields(`the and for are was were all not but his her our your they them this that these
		those with from what who one two out off new big old good day way man men too any can did has had got how may
		now see use via per yes own some most more much many other another each every little small large great
		north south east west first second last city county state street road park lake river valley hill center`) {
		words[w] = true
	}
	return words
}()

// kindAt are rows by what their lines read, as a question about several such things calls it: the internet 60 %.
func (q Asked) kindAt(text string, at int) (m mention, ok bool) {
	const longest = 64 // bytes of what a kind is called
	if !q.readApart() {
		return mention{}, false
	}
	text = text[at:]
	for end := range min(len(text), longest) + 1 {
		if end < len(text) && text[end] != ' ' {
			continue
		}
		rows := q.ofKind(text[:end])
		if len(rows) > 0 && (saysOfKind.MatchString(text[end:]) || q.kindFollows(text[end:])) {
			return mention{to: at + end, rows: rows, rank: byName, kind: theParty, sure: true, several: true}, true
		}
	}
	return mention{}, false
}

// cashOrChecks are rows by how they were paid in.
var cashOrChecks = regexp.MustCompile(`(?i)^(?:the\s+)?(cash|checks?)(\s*:|\s+(?:is|are|was|were)\s)`)

// kindFollows reports whether a list of kinds goes on: phone and internet are business.
func (q Asked) kindFollows(text string) bool {
	joint := kindJoint.FindString(text)
	if joint == "" {
		return false
	}
	_, ok := q.kindAt(text, len(joint))
	return ok
}

var kindJoint = regexp.MustCompile(`(?i)^(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*)(?:the\s+|my\s+|our\s+)?`)

// wordsAt are rows by words of their lines: the convention center one, the ones that say ROYALTY, NJGIT.
func (q Asked) wordsAt(text string, at int, _ []mention) (m mention, ok bool) {
	if say := cashOrChecks.FindStringSubmatch(text[at:]); say != nil {
		rows := q.wordOfSome(strings.ToUpper(strings.TrimSuffix(strings.ToLower(say[1]), "s")))
		m = mention{to: at + len(say[0]) - len(say[2]), rank: byWord, kind: theWords, sure: true, several: true}
		m.rows = rows
		return m, rows != nil
	}
	the := theOnes.FindString(text[at:])
	from := at + len(the)
	for _, by := range []*regexp.Regexp{thatSay, someOnes, bankWords} {
		if by == someOnes && the == "" || by == bankWords && !bankWords.MatchString(text[from:]) {
			continue
		}
		if by == bankWords {
			by = bankWord
		}
		say := by.FindStringSubmatch(text[from:])
		if say == nil {
			continue
		}
		said := " " + wording.Fold(say[1])
		const longEnough = 4 // bytes of a word of the bank that may be the beginning of a longer one
		begins := by != someOnes && len(said) > longEnough
		rows := q.those(func(l AskedLine) bool {
			reads := " " + q.parties().reads(l) + " "
			return strings.Contains(reads, said+" ") || strings.Contains(reads, said+"s ") ||
				strings.Contains(reads, said+"es ") || begins && strings.Contains(reads, said)
		})
		if len(rows) > 0 && said != " " {
			return mention{to: from + len(say[0]), rows: rows, rank: byWord, kind: theWords, sure: true}, true
		}
	}
	return mention{}, false
}

// whereItWas stands before a place where something was that rows were said to be: 3 and 4 are travel to a show in Reno.
var (
	whereItWas = regexp.MustCompile(`(?i)\s(?:is|are|was|were)\s[^.;]*\s(?:in|near|at|to)\s+$`)
	inPlace    = regexp.MustCompile(`(?i)\s(?:is|are|was|were)\s[^.;]*\s(?:in|near)\s+$`)
)

// signAt are the rows whose lines have a name that is nobody's here: a hotel's, of its chain.
func (q Asked) signAt(text string, at int, _ []mention) (m mention, ok bool) {
	say := aName.FindString(text[at:])
	words := strings.Fields(wording.Fold(say))
	if len(words) == 0 || len(words) == 1 && !strangeWord(words[0]) || whereItWas.MatchString(text[:at]) {
		return mention{}, false
	}
	said := " " + strings.Join(words, " ") + " "
	rows := q.those(func(l AskedLine) bool { return strings.Contains(" "+q.parties().reads(l)+" ", said) })
	return mention{to: at + len(say), rows: rows, rank: byName, kind: theParty, sure: true, several: true}, rows != nil
}
