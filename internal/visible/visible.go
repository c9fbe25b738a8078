// Package visible knows which text shows something. What people see as blank is blank here too, however it is made.
package visible

import (
	"strings"
	"unicode"
)

// Trim cuts white space around text, and U+FEFF, which JavaScript trims too. Text that shows nothing is empty then.
func Trim(text string) string {
	if Blank(text) {
		return ""
	}
	return strings.TrimFunc(text, space)
}

// Blank reports whether text shows nothing: it is of white space, of controls, and of what Unicode has for joining,
// directing and filling.
func Blank(text string) bool {
	return strings.IndexFunc(text, func(r rune) bool { return !unseen(r) }) < 0
}

func space(r rune) bool { return unicode.IsSpace(r) || r == '\uFEFF' }

// unseen are those that leave nothing on the screen by themselves.
func unseen(r rune) bool {
	const brailleBlank = '\u2800'
	return space(r) || r == brailleBlank ||
		unicode.In(r, unicode.Cc, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
}
