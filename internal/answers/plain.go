package answers

import (
	"regexp"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// plain is an answer in the letters, digits and signs that its reader knows: wide ones, as some keyboards write them,
// are what others write, and ½ is 1⁄2. What is kept of an answer is what was written.
func plain(words string) string {
	return norm.NFKC.String(besideNumber.ReplaceAllString(words, "$1 $2"))
}

// besideNumber is a fraction behind a whole number, which would be another number without a space between: 1½ is no
// 11⁄2.
var besideNumber = regexp.MustCompile(`(\d)(\p{No})`)

// separated is an answer with plain signs between its parts. Its digits stay: what is said of line １ may be of another.
func separated(words string) string { return wideSigns.Replace(words) }

var wideSigns = strings.NewReplacer("：", ":", "；", ";", "，", ",", "＃", "#")
