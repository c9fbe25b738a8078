// Package validate judges a request against the OpenAPI document and reports
// every problem it finds as a [Problem].
//
// [New] compiles the document's parameters and request bodies once. A body is
// then judged in one pass over its JSON tokens: no tree of values is built, so
// a full upload batch costs little more than reading it. New refuses a document
// with a keyword that this package does not judge, so nothing in the document
// is silently unchecked.
package validate

import (
	"errors"
	"strings"
	"unicode/utf8"
)

// ErrMalformed reports that a body is not one JSON text (RFC 8259) without
// duplicate names, in valid UTF-8, nested at most 32 deep. It carries nothing
// of the body.
var ErrMalformed = errors.New("malformed JSON")

// MaxProblems is the most problems one request is answered with.
const MaxProblems = 100

// Where a problem was found: the values of [Problem.In] that this package gives.
const (
	InBody   = "body"
	InQuery  = "query"
	InPath   = "path"
	InHeader = "header"
)

// The values of [Problem.Code]. Most are the names of the schema keyword that was
// broken; the others name a rule that no keyword of OpenAPI 3.0 can express.
const (
	CodeRequired             = "required"
	CodeType                 = "type"
	CodeNullable             = "nullable"
	CodeEnum                 = "enum"
	CodePattern              = "pattern"
	CodeFormat               = "format"
	CodeMinLength            = "minLength"
	CodeMaxLength            = "maxLength"
	CodeMinItems             = "minItems"
	CodeMaxItems             = "maxItems"
	CodeMinimum              = "minimum"
	CodeMaximum              = "maximum"
	CodeAdditionalProperties = "additionalProperties"

	CodeDecimal   = "decimal"   // more decimals than a cent
	CodeDuplicate = "duplicate" // a value that x-unique-by wants once occurs again
	CodeUnknown   = "unknown"   // a query parameter the operation does not have
	CodeRepeated  = "repeated"  // a parameter given more than once
	CodeTruncated = "truncated" // the list ends here, the problems do not
)

// Problem is one broken rule of a request. It never carries the offending value.
type Problem struct {
	In      string `json:"in"`      // body, query, path or header; callers may add places of their own
	Path    string `json:"path"`    // RFC 6901 pointer; for a parameter "/" and its name
	Code    string `json:"code"`    // stable, for programs
	Message string `json:"message"` // what is expected, for people
}

// Limit returns at most [MaxProblems] problems. Where it leaves some out, the last
// one it returns says so ([CodeTruncated]).
func Limit(problems []Problem) []Problem {
	if len(problems) <= MaxProblems {
		return problems
	}
	limited := append([]Problem(nil), problems[:MaxProblems]...)
	return sayTruncated(limited)
}

func sayTruncated(problems []Problem) []Problem {
	last := &problems[MaxProblems-1]
	*last = Problem{In: last.In, Code: CodeTruncated, Message: messageTruncated}
	return problems
}

// collector gathers the problems of one request. Beyond MaxProblems it only notes
// that there are more, so that a hostile body cannot make the answer grow.
type collector struct {
	list []Problem
	more bool
}

func (c *collector) full() bool {
	c.more = c.more || len(c.list) >= MaxProblems
	return c.more
}

func (c *collector) add(problem Problem) {
	if !c.full() {
		c.list = append(c.list, problem)
	}
}

// rollBack forgets what was added since mark.
func (c *collector) rollBack(mark collector) {
	c.list, c.more = c.list[:len(mark.list)], mark.more
}

func (c *collector) problems() []Problem {
	if c.more {
		return sayTruncated(c.list)
	}
	return c.list
}

// maxName is how many code points of a name sent by a client are repeated to it.
const maxName = 64

// clip makes a name sent by a client fit to be repeated in a path.
func clip(name string) string {
	if len(name) > maxName {
		n := 0
		for i := range name {
			if n == maxName {
				name = name[:i]
				break
			}
			n++
		}
	}
	if !utf8.ValidString(name) {
		name = strings.ToValidUTF8(name, "\uFFFD")
	}
	return name
}
