package validate

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// walker judges JSON tokens against a schema while it reads them.
type walker struct {
	collector
	in     string
	prefix string              // of every path: for a parameter, "/" and its name
	dec    *jsontext.Decoder   // nil while a parameter's raw text is judged
	spare  []byte              // holds one unquoted string
	seen   map[string]struct{} // what the array around has seen of its x-unique-by field
	edits  []edit
	wrong  int // members and items that are refused, told or not
}

// fail adds a problem at the value read last.
func (w *walker) fail(code string, message func() string) {
	if w.full() {
		return
	}
	path := w.prefix
	if w.dec != nil {
		path += string(w.dec.StackPointer())
	}
	w.add(Problem{w.in, path, code, message()})
}

// edit replaces one JSON string of the body by its trimmed text.
type edit struct {
	from, to int
	text     string
}

var errTooMuch = errors.New("validate: too much is wrong")
