package validate

import (
	"math/bits"
	"regexp"
)

// kind is the one JSON type that a schema allows, with numbers split by how
// exactly they are read.
type kind uint8

const (
	kindString  kind = iota
	kindDecimal      // type: number, format: decimal; judged in cents
	kindInteger
	kindBoolean
	kindArray
	kindObject
)

// schema is a compiled schema. Each use of a $ref is compiled apart, so a
// schema may carry what its place in the document asks of it.
type schema struct {
	kind     kind
	nullable bool

	// Strings.
	trim         bool // white space around the text is no part of it
	minLength    int  // code points
	maxLength    int  // code points; -1 without a limit
	pattern      *regexp.Regexp
	format       func(text []byte) bool // nil without a format
	formatWanted string                 // what the format asks for
	enum         []string
	message      string // x-message: what the pattern or format asks for, in words
	unique       bool   // an x-unique-by of the array around counts this field

	// Numbers: whole cents for a decimal, units for an integer.
	low, high int64
	rounded   bool // a decimal without x-decimals may have more than two decimals

	// Arrays.
	items    *schema
	minItems int
	maxItems int // -1 without a limit
	distinct bool

	// Objects.
	properties map[string]*property
	names      []string // of the properties, sorted; the bit of a property is its place here
	required   fieldSet
	open       bool // unknown fields are ignored: additionalProperties is not false
}

// property is one declared field of an object.
type property struct {
	bit    int
	schema *schema
}

// maxProperties is how many fields an object may declare: the bits of a fieldSet.
const maxProperties = 64

// fieldSet holds which of an object's declared fields are meant.
type fieldSet uint64

func (f *fieldSet) add(bit int) { *f |= 1 << bit }

// first returns the lowest field of a set that is not empty.
func (f fieldSet) first() int { return bits.TrailingZeros64(uint64(f)) }

// rest is the set without its first field.
func (f fieldSet) rest() fieldSet { return f & (f - 1) }
