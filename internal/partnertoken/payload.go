package partnertoken

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"bizfin/internal/visible"
)

// Payload is the business entry of a token: the complete current list of the
// person's businesses and the one that is selected (contract: Business entry).
type Payload struct {
	BusinessID *string    `json:"business_id"` // nil only when Businesses is empty
	Businesses []Business `json:"businesses"`
	Tier       string     `json:"tier,omitempty"` // "free", "paid" or, when not given, ""
}

// Business is one business that the person may act in.
type Business struct {
	ID   string `json:"id"`   // the partner's own ID, 1 to 200 code points, unique in the list
	Name string `json:"name"` // trimmed, 1 to 120 code points
	Role string `json:"role"` // "owner" or "member"
}

// MarshalJSON writes an empty list of businesses as an array, never as null.
func (p Payload) MarshalJSON() ([]byte, error) {
	type plain Payload
	if p.Businesses == nil {
		p.Businesses = []Business{}
	}
	return json.Marshal(plain(p))
}

// Problem is one broken rule of a payload.
type Problem struct {
	Path string // RFC 6901 pointer within the claims, such as "/payload/businesses/0/role"
	// required, type, enum, minLength, maxLength, additionalProperties, duplicate, pattern or consistency
	Code    string
	Message string // what is expected; never the value
}

// MaxProblems is how many problems are told at once.
const MaxProblems = 100

const (
	maxBusinessID   = 200
	maxBusinessName = 120
)

// ParsePayload reads a payload and judges it by all its rules. It returns either
// the payload or, in order, its problems, at most [MaxProblems].
func ParsePayload(raw json.RawMessage) (Payload, []Problem) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowInvalidUTF8(true)) // the end judges raw by itself
	r := payloadReader{dec: dec, ids: map[string]bool{}, idsKnown: true}
	p := r.payload()
	if r.err == nil {
		if _, err := r.dec.ReadToken(); err != io.EOF {
			r.err = io.ErrUnexpectedEOF
		}
	}
	if r.err != nil || !utf8.Valid(raw) {
		return Payload{}, []Problem{{"/payload", "type", "must be one JSON object without repeated members"}}
	}
	if len(r.problems) > 0 {
		return Payload{}, r.problems
	}
	return p, nil
}

// payloadReader goes once through the JSON text and notes each problem where it
// stands. Text that is not JSON ends the reading with err.
type payloadReader struct {
	dec      *jsontext.Decoder
	problems []Problem
	err      error

	ids      map[string]bool // of the businesses read
	idsKnown bool            // no business ID was missing or of the wrong type
}

func (r *payloadReader) payload() Payload {
	var p Payload
	var idKnown, listKnown bool
	r.object([]string{"business_id", "businesses"}, func(name string) bool {
		switch name {
		case "business_id":
			p.BusinessID, idKnown = r.businessID()
		case "businesses":
			p.Businesses, listKnown = r.businesses()
		case "tier":
			p.Tier = r.enum("free", "paid")
		default:
			return false
		}
		return true
	})
	if idKnown && listKnown {
		switch {
		case p.BusinessID == nil && len(p.Businesses) > 0:
			r.report("/payload/business_id", "consistency", "may be null only when businesses is empty")
		case p.BusinessID != nil && r.idsKnown && !r.ids[*p.BusinessID]:
			r.report("/payload/business_id", "consistency", "must occur in businesses")
		}
	}
	return p
}

func (r *payloadReader) businessID() (id *string, known bool) {
	if r.dec.PeekKind() == 'n' {
		r.skip()
		return nil, true
	}
	s, ok := r.text("must be a string or null")
	if ok {
		r.length(s, maxBusinessID)
	}
	return &s, ok
}

func (r *payloadReader) businesses() (list []Business, known bool) {
	if r.dec.PeekKind() != '[' {
		r.wrongType("must be an array")
		return nil, false
	}
	r.token()
	list = []Business{}
	for r.err == nil && r.dec.PeekKind() != ']' {
		list = append(list, r.business())
	}
	r.token()
	return list, true
}

func (r *payloadReader) business() Business {
	var b Business
	idKnown := false
	r.object([]string{"id", "name", "role"}, func(name string) bool {
		switch name {
		case "id":
			if b.ID, idKnown = r.text("must be a string"); idKnown {
				r.length(b.ID, maxBusinessID)
				if r.ids[b.ID] {
					r.report(r.here(), "duplicate", "must be unique among the businesses")
				}
				r.ids[b.ID] = true
			}
		case "name":
			if s, ok := r.text("must be a string"); ok {
				b.Name = visible.Trim(s)
				r.length(b.Name, maxBusinessName)
			}
		case "role":
			b.Role = r.enum("owner", "member")
		default:
			return false
		}
		return true
	})
	r.idsKnown = r.idsKnown && idKnown
	return b
}

// object reads an object. field consumes the value of the member it is given, or
// returns false where it does not know the name.
func (r *payloadReader) object(required []string, field func(name string) bool) {
	if r.dec.PeekKind() != '{' {
		r.wrongType("must be an object")
		return
	}
	r.token()
	var seen uint
	for r.err == nil && r.dec.PeekKind() != '}' {
		name := r.token()
		if r.err != nil {
			return
		}
		if i := slices.Index(required, name); i >= 0 {
			seen |= 1 << i
		}
		if !field(name) {
			r.skip()
			r.report(r.here(), "additionalProperties", "is not a documented field")
		}
	}
	r.token()
	for i, name := range required {
		if seen&(1<<i) == 0 {
			r.report(r.here()+"/"+name, "required", "is required")
		}
	}
}

func (r *payloadReader) enum(allowed ...string) string {
	s, ok := r.text("must be a string")
	if ok && !slices.Contains(allowed, s) {
		r.report(r.here(), "enum", "must be one of: "+strings.Join(allowed, ", "))
	}
	return s
}

// text reads a string of whole Unicode characters without NUL.
func (r *payloadReader) text(expected string) (s string, ok bool) {
	if r.dec.PeekKind() != '"' {
		r.wrongType(expected)
		return "", false
	}
	quoted, err := r.dec.ReadValue()
	if err != nil {
		r.err = err
		return "", false
	}
	unquoted, err := jsontext.AppendUnquote(nil, quoted)
	switch {
	case err != nil:
		r.report(r.here(), "pattern", "must not contain half of a surrogate pair")
		return "", false
	case slices.Contains(unquoted, 0):
		r.report(r.here(), "pattern", "must not contain the NUL character")
		return "", false
	}
	return string(unquoted), true
}

// length checks that s has 1 to limit code points.
func (r *payloadReader) length(s string, limit int) {
	var code string
	switch n := utf8.RuneCountInString(s); {
	case n == 0:
		code = "minLength"
	case n > limit:
		code = "maxLength"
	default:
		return
	}
	r.report(r.here(), code, fmt.Sprintf("must be 1 to %d characters long", limit))
}

func (r *payloadReader) wrongType(expected string) {
	r.skip()
	r.report(r.here(), "type", expected)
}

// token reads one token and returns its text where it is a member name.
func (r *payloadReader) token() string {
	if r.err != nil {
		return ""
	}
	tok, err := r.dec.ReadToken()
	if err != nil {
		r.err = err
		return ""
	}
	return tok.String()
}

func (r *payloadReader) skip() {
	if err := r.dec.SkipValue(); err != nil && r.err == nil {
		r.err = err
	}
}

// here points at the value read last.
func (r *payloadReader) here() string {
	return "/payload" + string(r.dec.StackPointer())
}

func (r *payloadReader) report(path, code, message string) {
	if len(r.problems) < MaxProblems {
		r.problems = append(r.problems, Problem{path, code, message})
	}
}
