package main

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"bizfin/internal/categorize/merchants"
)

// names tells which names identify a brand on a bank line.
type names struct {
	ordinary map[string]bool // folded names that identify nobody
	known    map[string]bool // folded names and aliases of the curated part
	begins   map[string]bool // folded curated aliases
}

// newNames reads the list of ordinary names, one a line, and what is curated.
func newNames(ordinary string, curated []merchants.Merchant) *names {
	n := &names{ordinary: map[string]bool{}, known: map[string]bool{}, begins: map[string]bool{}}
	for line := range strings.Lines(ordinary) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			n.ordinary[folded(line)] = true
		}
	}
	for _, m := range curated {
		n.known[folded(m.Name)] = true
		for _, alias := range m.Aliases {
			n.known[folded(alias)] = true
			n.begins[folded(alias)] = true
		}
		for _, exact := range m.Exact {
			n.known[folded(exact)] = true
		}
	}
	return n
}

// curated reports whether the curated part has an answer for the name: its own,
// or that of a merchant whose alias begins the name.
func (n *names) curated(alias string) bool {
	if n.known[folded(alias)] {
		return true
	}
	words := strings.Fields(alias)
	for i := range words {
		if n.begins[folded(strings.Join(words[:i+1], " "))] {
			return true
		}
	}
	return false
}

// identifies reports whether the alias names one merchant whatever follows it:
// it has at least four letters, is no ordinary word or name, and no town or
// county, which collects for many things.
func (n *names) identifies(alias string) bool {
	words := strings.Fields(alias)
	if len(words) > 1 && words[0] == "THE" {
		words = words[1:]
	}
	if len(words) > 1 && words[1] == "OF" && slices.Contains(bodies, words[0]) {
		return false
	}
	core := strings.Join(words, " ")
	letters := 0
	for _, r := range core {
		if r >= 'A' && r <= 'Z' {
			letters++
		}
	}
	if letters < 4 || len(alias) > 40 {
		return false
	}
	return !n.ordinary[folded(core)] && !n.ordinary[strings.TrimSuffix(folded(core), "S")]
}

// bodies begin the names of local governments.
var bodies = []string{"BOROUGH", "CITY", "COUNTY", "TOWN", "TOWNSHIP", "VILLAGE"}

// printed is the name as banks print it: upper case ASCII without apostrophes,
// words separated by single spaces. It is "" for names in another script.
func printed(name string) string {
	var out strings.Builder
	for _, r := range strings.ToUpper(name) {
		switch base := latin(r); {
		case base != "":
			out.WriteString(base)
		case r == '\'' || r == '’' || r == '‘' || r == '`' || r == 'ʻ' || r == '´' || r == '®' || r == '™':
		case r == '&' || r == '.' || r == '-' || r == '/':
			out.WriteRune(r)
		case unicode.IsLetter(r) || unicode.IsMark(r):
			return ""
		default:
			out.WriteByte(' ')
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// folded is what of a name is compared: its letters and digits.
func folded(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, printed(name))
}

// accents are upper-case letters with the letters banks print for them.
var accents = strings.NewReplacer(
	"À", "A", "Á", "A", "Â", "A", "Ã", "A", "Ä", "A", "Å", "A", "Ā", "A", "Æ", "AE", "Ç", "C", "Č", "C", "Ć", "C",
	"È", "E", "É", "E", "Ê", "E", "Ë", "E", "Ē", "E", "Ě", "E", "Ì", "I", "Í", "I", "Î", "I",
	"Ï", "I", "Ī", "I", "İ", "I",
	"Ñ", "N", "Ń", "N", "Ò", "O", "Ó", "O", "Ô", "O", "Õ", "O", "Ö", "O", "Ø", "O", "Ō", "O",
	"Ś", "S", "Š", "S", "Ş", "S",
	"Ù", "U", "Ú", "U", "Û", "U", "Ü", "U", "Ū", "U", "Ý", "Y", "Ÿ", "Y", "Ž", "Z", "Ź", "Z", "Ż", "Z", "Ł", "L",
)

// latin returns the ASCII letters or the digit for an upper-case letter, "" for
// anything else.
func latin(r rune) string {
	if r < utf8.RuneSelf {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return string(r)
		}
		return ""
	}
	s := accents.Replace(string(r))
	if c := s[0]; c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
		return s
	}
	return ""
}
