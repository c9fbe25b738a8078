package answers

import "regexp"

// splitBut reads an answer that divides all rows and says of some that they are something else: 40% supplies, rest
// personal, but July all personal. ok is false where it is none. Of which rows the exception is must be known, or the
// division is not said of all.
func (q Asked) splitBut(words string) (m Meaning, ok bool) {
	for _, exception := range []*regexp.Regexp{butSome, thenSome} {
		of := exception.FindStringSubmatch(words)
		if of == nil || q.Company || len(q.Lines) < 2 {
			continue
		}
		divided := q.inHalves(of[1])
		if rule, written := q.readSplit(plain(divided)); !written || rule.Split == nil || rule.Split.Yearly {
			continue
		}
		parts, named, unheard := q.told(of[2])
		if !named || parts == nil || len(unheard) > 0 {
			if exception == thenSome {
				continue
			}
			return q.unclear(nil), true
		}
		parts = append(parts, part{rank: theRest, target: divided})
		return q.ofParts(parts, true, Meaning{})
	}
	return Meaning{}, false
}

var (
	butSome  = regexp.MustCompile(`(?i)^(.*?[^\s,;.])[,;.]?\s+(?:but|except(?:\s+for)?)\s+(.+)$`)
	thenSome = regexp.MustCompile(`(?i)^(.*?[^\s,;.])[.;]\s+((?:in|on|the|over|under|from|since|until)\s+.+)$`)
)
