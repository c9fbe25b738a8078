package partnertoken

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds how deep objects and arrays may nest in a header or in claims.
const maxDepth = 32

// object holds the members of a JSON object by their names, with their values
// unread; what is not there is nil.
type object map[string]jsontext.Value

// readObject reads data as one JSON object in UTF-8 and nothing after it.
// Member names may not repeat at any depth; at the top they may not differ in
// case alone either, because JSON libraries disagree on which one counts.
//
// Escaped lone surrogates pass, since they are a fault of the string that holds
// them: text refuses them, and ParsePayload can say where they are.
func readObject(data []byte) (object, error) {
	if !utf8.Valid(data) {
		return nil, invalid("JSON is not UTF-8")
	}
	if tooDeep(data) {
		return nil, invalid("JSON nests too deep")
	}
	var members object
	err := json.Unmarshal(data, &members, jsontext.AllowInvalidUTF8(true))
	if err != nil || members == nil {
		return nil, invalid("not one JSON object, or it repeats a member")
	}
	seen := make(map[string]bool, len(members))
	for name := range members {
		folded := strings.Map(fold, name)
		if seen[folded] {
			return nil, invalid("member names differ in case alone")
		}
		seen[folded] = true
	}
	return members, nil
}

// tooDeep reports whether data nests beyond maxDepth. It only counts brackets
// outside strings, so that no parser sees hostile nesting at all.
func tooDeep(data []byte) bool {
	depth, inString := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}

// fold maps all runes that differ in case alone to one of them.
func fold(r rune) rune {
	for {
		next := unicode.SimpleFold(r)
		if next <= r {
			return next
		}
		r = next
	}
}
