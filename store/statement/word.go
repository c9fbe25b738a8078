package statement

import "strings"

// mostRepeated is how many bytes of a word may come again within it before it is looked for by a regular expression.
const mostRepeated = 8

// Has is how a text in lower case is asked whether it has a word, by an operator and what stands on its right. A word
// that repeats itself, such as aaaaaaaaab, makes LIKE begin anew within each of its beginnings that a text has: in a
// text of 4,096 equal letters that takes 60 times as long. PostgreSQL looks for a regular expression in one pass.
func Has(word string) (operator, pattern string) {
	if repeated(strings.ToLower(word)) > mostRepeated {
		return "~", "***=" + word // what follows is read literally
	}
	return "LIKE", LikePattern(word)
}

// repeated is the length of the longest beginning of a word that also ends one of its beginnings.
func repeated(word string) (longest int) {
	borders := make([]int, len(word)) // of the beginnings up to each byte
	for i, b := 1, 0; i < len(word); i++ {
		for b > 0 && word[i] != word[b] {
			b = borders[b-1]
		}
		if word[i] == word[b] {
			b++
		}
		borders[i], longest = b, max(longest, b)
	}
	return longest
}
