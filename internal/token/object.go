package token

import (
	"bytes"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// maxDepth bounds how deep objects and arrays may nest in a header or in claims.
const maxDepth = 32

// object is a JSON object with its members in order and their values unread.
type object []member

type member struct {
	name  string
	value jsontext.Value
}

// get returns the value of a member, or nil where there is none.
func (o object) get(name string) jsontext.Value {
	for _, m := range o {
		if m.name == name {
			return m.value
		}
	}
	return nil
}

// parseObject reads data as one JSON object in UTF-8 and nothing after it.
// Member names may not repeat at any depth; at the top they may not differ in
// case alone either, because JSON libraries disagree on which one counts.
//
// Escaped lone surrogates pass, since they are a fault of the string that holds
// them: text refuses them, and ParsePayload can say where they are.
func parseObject(data []byte) (object, error) {
	if !utf8.Valid(data) {
		return nil, invalid("JSON is not UTF-8")
	}
	if tooDeep(data) {
		return nil, invalid("JSON nests too deep")
	}
	dec := newDecoder(data)
	start, err := dec.ReadToken()
	if err != nil || start.Kind() != '{' {
		return nil, invalid("not a JSON object")
	}
	members := make(object, 0, 12)
	seen := make(map[string]bool, 12)
	for {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, invalid("JSON is malformed or repeats a member")
		}
		if name.Kind() == '}' {
			break
		}
		m := member{name: name.String()}
		if m.value, err = readValue(dec, data); err != nil {
			return nil, invalid("JSON is malformed or repeats a member")
		}
		folded := strings.Map(fold, m.name)
		if seen[folded] {
			return nil, invalid("member names differ in case alone")
		}
		seen[folded] = true
		members = append(members, m)
	}
	if _, err := dec.ReadToken(); err != io.EOF {
		return nil, invalid("data after the JSON object")
	}
	return members, nil
}

// newDecoder reads data without a copy; data must be valid UTF-8.
func newDecoder(data []byte) *jsontext.Decoder {
	return jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowInvalidUTF8(true))
}

// readValue reads the next value as a part of data, which unlike the decoder's
// own slice stays valid.
func readValue(dec *jsontext.Decoder, data []byte) (jsontext.Value, error) {
	value, err := dec.ReadValue()
	if err != nil {
		return nil, err
	}
	end := int(dec.InputOffset())
	return data[end-len(value) : end : end], nil
}

// elements splits a valid JSON array.
func elements(array jsontext.Value) ([]jsontext.Value, error) {
	dec := newDecoder(array)
	if _, err := dec.ReadToken(); err != nil {
		return nil, err
	}
	var items []jsontext.Value
	for dec.PeekKind() != ']' {
		item, err := readValue(dec, array)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return items, nil
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
