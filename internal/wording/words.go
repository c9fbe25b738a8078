package wording

import (
	_ "embed"
	"regexp"
	"strings"
	"sync"
	"unicode"

	"bizfin/internal/ontology"
	"bizfin/internal/questions"
)

// People answer in their own words: with the name of a category, or a common other word for it, and what somebody is
// to the business. A phrase counts as a whole or not at all; capitals, punctuation and spaces do not matter. What can
// mean two things is not understood.

// Direction is that of the money asked about: rent that is paid is a cost, rent that comes in is income.
type Direction int

// Either understands only what means the same in both directions.
const (
	Either Direction = iota
	Out
	In
)

// CategoryNamed finds the category that words name, if one takes transactions.
func CategoryNamed(words string, d Direction) (*ontology.Category, bool) {
	if c, ok := names()[Fold(words)]; ok {
		return c, true
	}
	return phrases().category(predicate(Fold(words)), d)
}

// IsName is whether words are the very name of a category.
func IsName(words string) bool {
	_, is := names()[Fold(words)]
	return is
}

// RelationshipNamed finds what words say that somebody is to the business, in the contract's vocabulary.
func RelationshipNamed(words string) (string, bool) {
	relationship, ok := phrases().relationships[predicate(Fold(words))]
	return relationship, ok
}

// CategoryOf is what money to or from somebody with a relationship is, where the relationship alone says it.
func CategoryOf(relationship string, d Direction) (*ontology.Category, bool) {
	return phrases().category(relationshipPrefix+relationship, d)
}

// ReservedWord finds what words do that are reserved.
func ReservedWord(words string) (Reserved, bool) {
	does, ok := phrases().reserved[Fold(words)]
	return does, ok
}

// IsAmbiguous is whether words alone mean two things: gas may be for the car or the stove.
func IsAmbiguous(words string) bool { return phrases().ambiguous[Fold(words)] }

// Same reports whether two phrases are one, capitals, punctuation and spaces aside.
func Same(a, b string) bool { return Fold(a) == Fold(b) }

// Agrees reports whether words say yes, or no.
func Agrees(words string) (yes, ok bool) {
	switch Fold(words) {
	case "yes", "y", "yeah", "yep", "true", "correct", "right":
		return true, true
	case "no", "n", "nope", "nah", "false":
		return false, true
	}
	return false, false
}

// Refuses reports whether words are a yes or a no, or begin with a no: nothing was asked that it could answer.
func Refuses(words string) bool {
	first, _, _ := strings.Cut(strings.NewReplacer(".", ",", ";", ",", "!", ",").Replace(words), ",")
	yes, ok := Agrees(first)
	_, all := Agrees(words)
	return all || ok && !yes && first != words
}

// NamesFirm reports whether words are a firm's name alone, by the form of the firm that ends them: whom the money is
// with does not say what it is for, whatever else a word of the name means.
func NamesFirm(words string) bool { return firm.MatchString(words) }

var firm = regexp.MustCompile(`(?i)^\s*[\pL\d&'.-]+(\s+[\pL\d&'.-]+){0,4},?\s+` +
	`(llc|inc|corp|llp|ltd|pllc|holdings)\.?\s*$`)

// BesideFirm are words without the firms that they name, which say whom the money is with and not what it is for.
func BesideFirm(words string) string {
	return withFirm.ReplaceAllStringFunc(words, func(said string) string {
		if someFirm.MatchString(said) {
			return said
		}
		return " "
	})
}

// withFirm is a firm by the form that ends its name, and someFirm one that is not named: my other LLC.
var (
	withFirm = regexp.MustCompile(`(?i)\b(from|to|by|with)\s+([\pL\d&'.-]+,?\s+){1,4}` +
		`(llc|inc|corp|llp|ltd|pllc)\b\.?`)
	someFirm = regexp.MustCompile(`(?i)\s(the|my|our|his|her|their|your|an?|another|other|own|new|old|for|of|and|` +
		`every)\s`)
)

// IsAddress reports whether words are an address of the network alone: whom to ask is not what the money is for.
func IsAddress(words string) bool { return address.MatchString(words) }

var address = regexp.MustCompile(`(?i)^\s*([^\s@]+@[^\s@]+\.\pL+|(https?://|www\.)\S+)\s*$`)

// HalfSaid reports whether words are a share, a rate or an amount with hardly a word beside, which was no split. They
// are not read for that word: what is said of a part, or taken off, is not said of the whole.
func HalfSaid(words string) bool {
	words = strings.ToLower(words)
	if rate.MatchString(words) || strings.Contains(words, questions.AsRead) {
		return true
	}
	said := beside.FindAllString(ShareOrAmount.ReplaceAllString(words, " "), -1)
	return ShareOrAmount.MatchString(words) && len(said) <= fewBeside
}

const fewBeside = 3

var (
	// rate is interest with a figure of it, a share that is taken off of nothing, and what has no word at all.
	rate = regexp.MustCompile(
		`^\s*(?:loan\s+)?interest\b(?:[ -]free\b|(?:[\s,(]+\pL+){0,2}[\s,(]+[-−]?\$?\d[\d.,]*[\s)]*(?:%.*)?$)|` +
			`^\s*(?:less|minus)\b|[€£¥]\s*\d|\d\s*[€£¥]|^[^\pL]*[%/][^\pL]*$|^\s*\d{1,2}/\d{1,2}\s.*\brest\b`)
	ShareOrAmount = regexp.MustCompile(`\d\s*%(?:\s+of\b)?|\b(?:percent|per\s+cent|pct)\b|\b[1-9]/(?:[2-9]|10)\b|` +
		`\b(?:less|minus)\s+\$?\d|\b\d[\d.,]*\s*(?:eur|euros?|gbp|pounds|chf|cad)\b|\bhalf\s+(?:the|of|my)\b|` +
		`\b(?:one|two|three|a)\s+(?:half|third|fourth|quarter|fifth|tenth)s?\b`)
	beside = regexp.MustCompile(`\pL[\pL']*`)
)

// Mixed reports whether words say that no one category fits.
func Mixed(words string) bool {
	switch Fold(words) {
	case "mixed", "mix", "a mix", "both", "some of both", "part personal", "partly personal", "partly business",
		"half and half", "half half", "50 50", "half personal half business", "half business half personal":
		return true
	}
	return false
}

// Fold keeps the words of a phrase in lower case.
func Fold(phrase string) string {
	phrase = folding.Replace(strings.ToLower(phrase))
	return strings.Join(strings.FieldsFunc(phrase, func(r rune) bool {
		return !unicode.IsLetter(r) &&
			!unicode.IsDigit(r)
	}), " ")
}

var folding = strings.NewReplacer("&", " and ", "'", "", "’", "")

// aboutIt is how somebody begins who says what or who it is.
var aboutIt = regexp.MustCompile(`^((he|she|they|it|this|that)((s|re) | (is|are) )((my|our|the|an?) )?)?` +
	`(all ((of (it|them|this|that) )?(is |are |was |were )?)?)?`)

// predicate is what folded words say that it is: of "shes my landlord" it is "landlord".
func predicate(words string) string { return aboutIt.ReplaceAllString(words, "") }

// names are the categories by key, by name and by the names from the root. A name in front of a remark in parentheses
// is one too.
var names = sync.OnceValue(func() map[string]*ontology.Category {
	byPhrase := map[string]*ontology.Category{}
	ambiguous := map[string]bool{}
	add := func(phrase string, c *ontology.Category) {
		phrase = Fold(phrase)
		if other, ok := byPhrase[phrase]; ok && other != c {
			ambiguous[phrase] = true
		}
		byPhrase[phrase] = c
	}
	for _, c := range ontology.ScheduleC().All() {
		if !c.Assignable {
			continue
		}
		add(c.Path, c)
		add(c.Name, c)
		add(strings.Join(c.Names, " "), c)
		if short, _, ok := strings.Cut(c.Name, "("); ok {
			add(short, c)
		}
	}
	for phrase := range ambiguous {
		delete(byPhrase, phrase)
	}
	return byPhrase
})

//go:embed data/phrases.tsv
var phrasesTSV string

// table is the file of phrases.
type table struct {
	categories    map[string][2]*ontology.Category // out, in
	relationships map[string]string
	reserved      map[string]Reserved
	ambiguous     map[string]bool
}

// relationshipPrefix marks the lines of the file that are about a relationship.
const relationshipPrefix = "@"

// reservedPrefix marks the lines of the file that are about a reserved word.
const reservedPrefix = "!"

// ambiguousPrefix marks the lines of the file that are about words which mean two things.
const ambiguousPrefix = "?"

func (t table) category(phrase string, d Direction) (*ontology.Category, bool) {
	c := t.categories[phrase]
	switch {
	case d == Out:
		return c[0], c[0] != nil
	case d == In:
		return c[1], c[1] != nil
	default:
		return c[0], c[0] != nil && c[0] == c[1]
	}
}

// phrases reads the file once; a fault of it panics, which the package's tests rule out.
var phrases = sync.OnceValue(func() table {
	t := table{categories: map[string][2]*ontology.Category{}, relationships: map[string]string{},
		reserved: map[string]Reserved{}, ambiguous: map[string]bool{}}
	for line := range strings.Lines(phrasesTSV) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") || len(fields) != 3 {
			continue
		}
		categories := [2]*ontology.Category{categoryAt(fields[0]), categoryAt(fields[1])}
		for phrase := range strings.SplitSeq(fields[2], ",") {
			phrase = strings.TrimSpace(phrase)
			if word, ok := strings.CutPrefix(fields[0], reservedPrefix); ok {
				t.reserved[Fold(phrase)] = Reserved(word)
				continue
			}
			if fields[0] == ambiguousPrefix {
				t.ambiguous[Fold(phrase)] = true
				continue
			}
			if relationship, ok := strings.CutPrefix(fields[0], relationshipPrefix); ok {
				t.relationships[Fold(phrase)] = relationship
				continue
			}
			if name, ok := strings.CutPrefix(phrase, relationshipPrefix); ok {
				t.categories[relationshipPrefix+name] = categories
				continue
			}
			if _, twice := t.categories[Fold(phrase)]; twice {
				panic("wording: " + phrase + " stands twice")
			}
			t.categories[Fold(phrase)] = categories
		}
	}
	return t
})

func categoryAt(path string) *ontology.Category {
	if path == "" || path == ambiguousPrefix || strings.HasPrefix(path, relationshipPrefix) ||
		strings.HasPrefix(path, reservedPrefix) {
		return nil
	}
	c, ok := ontology.ScheduleC().ByPath(path)
	if !ok || !c.Assignable {
		panic("wording: no transaction takes " + path)
	}
	return c
}

// Reserved is what a reserved word does.
type Reserved string

// The reserved words.
const (
	Undo Reserved = "undo" // as if it had never been answered
	Skip Reserved = "skip" // nobody knows yet: the question stays open and is asked last
)
