package validate

import (
	"bytes"
	"errors"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// tooMuch members or items of a body are wrong, or too many, when it is read no further: nobody made that by a mistake,
// and a megabyte of it takes longer to read than a hundred requests. The answer has the problems that were found, and
// what comes after may be no JSON.
const tooMuch = 5000

// Body judges the raw request body of an operation that has one
// ([Operation.HasBody]).
//
// It returns the JSON text to hand to [Bind]: raw itself, or a copy of it in
// which the strings that the document wants trimmed are trimmed. With problems
// there is nothing to bind. It fails with [ErrMalformed] where raw is no JSON;
// raw is not changed and must not be changed while the result is in use.
func (o *Operation) Body(raw []byte) (text []byte, problems []Problem, err error) {
	w := walker{in: InBody}
	if err := w.run(raw, o.body); err != nil {
		return nil, nil, err
	}
	if len(w.list) > 0 {
		return nil, w.problems(), nil
	}
	return w.edited(raw), nil, nil
}

// Bind decodes a text that [Operation.Body] has accepted into the generated
// type that into points to. Names are matched exactly. An error means that the
// document and the type disagree, which is a defect of this service and none of
// the request.
func Bind(text []byte, into any) error {
	// Body has established both of what is not looked for again.
	return json.Unmarshal(text, into, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
}

// run judges all of raw. It fails with ErrMalformed only; whatever was found
// before is void then.
func (w *walker) run(raw []byte, s *schema) error {
	w.dec = jsontext.NewDecoder(bytes.NewBuffer(raw)) // reads raw in place; refuses duplicate names and invalid UTF-8
	if err := w.value(s); errors.Is(err, errTooMuch) && len(w.list) > 0 {
		return nil
	} else if err != nil {
		return ErrMalformed
	}
	if _, err := w.dec.ReadToken(); err != io.EOF {
		return ErrMalformed
	}
	return nil
}

// value judges the next value. Its error is one of syntax.
func (w *walker) value(s *schema) error {
	next := w.dec.PeekKind()
	switch {
	case next == '{' && s.kind == kindObject:
		return w.object(s)
	case next == '[' && s.kind == kindArray:
		return w.array(s)
	case next == '{' || next == '[':
		if err := w.skip(); err != nil {
			return err
		}
		w.fail(CodeType, s.messageType)
		return nil
	}
	raw, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	switch {
	case next == 'n':
		if !s.nullable {
			w.fail(CodeNullable, s.messageNull)
		}
	case next == '"' && s.kind == kindString:
		w.quoted(s, raw)
	case next == '0' && (s.kind == kindDecimal || s.kind == kindInteger), (next == 't' || next == 'f') &&
		s.kind == kindBoolean:
		w.literal(s, raw)
	default:
		w.fail(CodeType, s.messageType)
	}
	return nil
}

func (w *walker) object(s *schema) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	var given fieldSet
	for w.dec.PeekKind() == '"' {
		quoted, err := w.dec.ReadValue()
		if err != nil {
			return err
		}
		name := w.unquote(quoted)
		field := s.properties[string(name)]
		if field != nil {
			given.add(field.bit)
			if err := w.value(field.schema); err != nil {
				return err
			}
			continue
		}
		var repeated string
		if !s.open && !w.more {
			repeated = clip(string(name))
		}
		if err := w.skip(); err != nil {
			return err
		}
		if !s.open && w.isTooMuch() {
			return errTooMuch
		}
		if !s.open && !w.full() {
			path := w.dec.StackPointer().Parent().AppendToken(repeated)
			w.add(Problem{w.in, w.prefix + string(path), CodeAdditionalProperties, s.messageUnknownField()})
		}
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for missing := s.required &^ given; missing != 0; missing = missing.rest() {
		if w.full() {
			break
		}
		path := w.dec.StackPointer().AppendToken(s.names[missing.first()])
		w.add(Problem{w.in, w.prefix + string(path), CodeRequired, messageRequired})
	}
	return nil
}

func (w *walker) array(s *schema) error {
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	mark, around := w.collector, w.seen
	if s.distinct {
		w.seen = make(map[string]struct{})
	}
	items := 0
	var ended error
	for next := w.dec.PeekKind(); ended == nil && next != ']' && next != 0; next = w.dec.PeekKind() {
		var err error
		if s.maxItems < 0 || items < s.maxItems {
			err = w.value(s.items)
		} else if err = w.skip(); err == nil && w.isTooMuch() {
			err = errTooMuch
		}
		if errors.Is(err, errTooMuch) {
			ended = err
		} else if err != nil {
			return err
		}
		items++
	}
	w.seen = around
	if ended != nil {
		if s.maxItems >= 0 && items > s.maxItems {
			w.rollBack(mark)
			w.add(Problem{w.in, w.prefix + string(w.dec.StackPointer().Parent()), CodeMaxItems, s.messageMaxItems()})
		}
		return ended
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	switch {
	case s.maxItems >= 0 && items > s.maxItems:
		// One problem says it all; those of the items would drown it.
		w.rollBack(mark)
		w.fail(CodeMaxItems, s.messageMaxItems)
	case items < s.minItems:
		w.fail(CodeMinItems, s.messageMinItems)
	}
	return nil
}

// isTooMuch counts one more that is refused.
func (w *walker) isTooMuch() bool {
	w.wrong++
	return w.wrong > tooMuch
}

// skip reads the next value for its syntax alone.
func (w *walker) skip() error {
	depth := w.dec.StackDepth()
	for {
		if _, err := w.dec.ReadToken(); err != nil {
			return err
		}
		switch now := w.dec.StackDepth(); {
		case now > maxDepth:
			return ErrMalformed
		case now <= depth:
			return nil
		}
	}
}

// quoted judges a JSON string.
func (w *walker) quoted(s *schema, raw []byte) {
	text := w.unquote(raw)
	kept := text
	if s.trim {
		kept = trimmed(text)
	}
	if !w.text(s, kept) {
		return
	}
	if s.unique {
		if _, found := w.seen[string(kept)]; found {
			w.fail(CodeDuplicate, func() string {
				return messageDuplicate(w.dec.StackPointer().LastToken())
			})
			return
		}
		w.seen[string(kept)] = struct{}{}
	}
	if len(kept) < len(text) {
		end := int(w.dec.InputOffset())
		w.edits = append(w.edits, edit{from: end - len(raw), to: end, text: string(kept)})
	}
}

// unquote returns the text of a JSON string. It is valid until the next call.
func (w *walker) unquote(raw []byte) []byte {
	if bytes.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	// The decoder has accepted raw, so there is no error.
	w.spare, _ = jsontext.AppendUnquote(w.spare[:0], raw)
	return w.spare
}

// edited returns raw with the edits applied.
func (w *walker) edited(raw []byte) []byte {
	if len(w.edits) == 0 {
		return raw
	}
	text := make([]byte, 0, len(raw))
	at := 0
	for _, e := range w.edits {
		text = append(text, raw[at:e.from]...)
		text, _ = jsontext.AppendQuote(text, e.text) // the text is valid UTF-8
		at = e.to
	}
	return append(text, raw[at:]...)
}
