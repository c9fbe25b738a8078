package validate

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	"github.com/getkin/kin-openapi/openapi3"

	"bizfin/internal/money"
)

// maxDepth is how deep the arrays and objects of a JSON text may be nested.
const maxDepth = 32

const contentJSON = "application/json"

// The extensions this package gives a meaning.
const (
	extensionTrim     = "x-trim"      // on a string: judge and hand on the text without white space around it
	extensionMessage  = "x-message"   // on a string: what its pattern or format asks for, in words
	extensionUniqueBy = "x-unique-by" // on an array of objects: the string field that must differ between items
	// On a decimal: the most digits after the point. multipleOf cannot say it: most validators compute in binary
	// floating point, in which 0.07 is no multiple of 0.01.
	extensionDecimals = "x-decimals"
)

// cents is the one x-decimals that a decimal may have.
const cents = 2

// anyUnicodeButNUL documents for clients what is refused in every string anyway.
const anyUnicodeButNUL = `^[^\u0000]*$`

// compile turns a schema of the document into its compiled form, and fails on
// any keyword that it would leave unjudged.
func compile(ref *openapi3.SchemaRef, depth int) (*schema, error) {
	switch {
	case ref == nil || ref.Value == nil:
		return nil, errors.New("schema is missing")
	case depth > maxDepth:
		return nil, fmt.Errorf("schema is nested deeper than %d", maxDepth)
	case ref.Ref != "" && len(ref.Extensions) > 0:
		return nil, fmt.Errorf("extensions beside $ref %q have no effect", ref.Ref)
	}

	// Each step takes the keywords it understands out of rest; what remains at
	// the end is not understood.
	rest := *ref.Value
	rest.Origin, rest.Extensions = nil, nil
	rest.Title, rest.Description, rest.ExternalDocs = "", "", nil
	rest.Default, rest.Example, rest.Deprecated = nil, nil, false

	// A lone allOf is how OpenAPI 3.0 puts a default or description beside a $ref.
	if len(rest.AllOf) == 1 {
		inner := rest.AllOf[0]
		rest.AllOf = nil
		if err := leftOver(rest); err != nil {
			return nil, fmt.Errorf("beside allOf: %w", err)
		}
		return compile(inner, depth+1)
	}

	c := compiler{extensions: ref.Value.Extensions, rest: &rest, depth: depth}
	s := &schema{nullable: rest.Nullable, minLength: 0, maxLength: -1, maxItems: -1}
	types := rest.Type.Slice()
	rest.Nullable, rest.Type = false, nil
	if len(types) != 1 {
		return nil, errors.New("schema must have one type")
	}
	var err error
	switch types[0] {
	case "string":
		err = c.text(s)
	case "number":
		err = c.decimal(s)
	case "integer":
		err = c.integer(s)
	case "boolean":
		s.kind = kindBoolean
	case "array":
		err = c.array(s)
	case "object":
		err = c.object(s)
	default:
		err = fmt.Errorf("type %q is not supported", types[0])
	}
	if err == nil {
		err = leftOver(rest)
	}
	if err == nil {
		err = c.misplaced(s.kind)
	}
	if err != nil {
		return nil, err
	}
	return s, nil
}

// compiler holds what is still to be understood of one schema.
type compiler struct {
	extensions map[string]any
	rest       *openapi3.Schema
	depth      int
}

func (c compiler) text(s *schema) error {
	s.kind = kindString
	if c.rest.MinLength > math.MaxInt32 {
		return errors.New("minLength is out of range")
	}
	s.minLength = int(c.rest.MinLength)
	if limit := c.rest.MaxLength; limit != nil {
		s.maxLength = int(min(*limit, math.MaxInt32))
	}
	var err error
	pattern := c.rest.Pattern
	switch c.rest.Format {
	case "":
	case "uuid":
		if pattern == "" {
			pattern = openapi3.FormatOfStringForUUIDOfRFC9562
		}
	case "date":
		s.format, s.formatWanted = isDate, messageDate
	case "date-or-datetime":
		s.format, s.formatWanted = isDateOrDateTime, ErrDate.Error()
	default:
		return fmt.Errorf("format %q of a string is not supported", c.rest.Format)
	}
	if pattern != "" && pattern != anyUnicodeButNUL {
		if s.pattern, err = regexp.Compile(goPattern(pattern)); err != nil {
			return fmt.Errorf("pattern: %w", err)
		}
	}
	for _, value := range c.rest.Enum {
		text, ok := value.(string)
		if !ok && !(value == nil && s.nullable) {
			return fmt.Errorf("enum value %v is not a string", value)
		}
		if ok {
			s.enum = append(s.enum, text)
		}
	}
	if s.trim, err = extension[bool](c.extensions, extensionTrim); err != nil {
		return err
	}
	if s.message, err = extension[string](c.extensions, extensionMessage); err != nil {
		return err
	}
	c.rest.MinLength, c.rest.MaxLength, c.rest.Pattern, c.rest.Format, c.rest.Enum = 0, nil, "", "", nil
	return nil
}

// goPattern writes the code points of an ECMA pattern, \uXXXX, as Go does.
func goPattern(pattern string) string {
	return codePoint.ReplaceAllString(pattern, `\x{$1}`)
}

var codePoint = regexp.MustCompile(`\\u([0-9A-Fa-f]{4})`)

func (c compiler) decimal(s *schema) error {
	s.kind = kindDecimal
	if c.rest.Format != "decimal" {
		return errors.New("type number needs format decimal: amounts are exact")
	}
	decimals, err := extension[float64](c.extensions, extensionDecimals)
	switch {
	case err != nil:
		return err
	case decimals != 0 && decimals != cents:
		return fmt.Errorf("%s: %v is not supported", extensionDecimals, decimals)
	}
	s.rounded = decimals == 0
	s.low, s.high = int64(money.Min), int64(money.Max)
	err = c.bounds(s, func(bound float64) (int64, error) {
		amount, err := money.Parse(strconv.FormatFloat(bound, 'f', -1, 64))
		return int64(amount), err
	})
	c.rest.Format = ""
	return err
}

func (c compiler) integer(s *schema) error {
	s.kind = kindInteger
	switch c.rest.Format {
	case "", "int64":
		s.low, s.high = math.MinInt64, math.MaxInt64
	case "int32":
		s.low, s.high = math.MinInt32, math.MaxInt32
	default:
		return fmt.Errorf("format %q of an integer is not supported", c.rest.Format)
	}
	c.rest.Format = ""
	return c.bounds(s, func(bound float64) (int64, error) {
		if bound != math.Trunc(bound) || math.Abs(bound) > 1<<53 {
			return 0, fmt.Errorf("bound %v of an integer is not exact", bound)
		}
		return int64(bound), nil
	})
}

// bounds narrows the range of a number to its minimum and maximum. An exclusive
// bound is the next number inside, which exists because the units are whole.
func (c compiler) bounds(s *schema, exactly func(float64) (int64, error)) error {
	if bound := c.rest.Min; bound != nil {
		low, err := exactly(*bound)
		if err != nil {
			return fmt.Errorf("minimum: %w", err)
		}
		if c.rest.ExclusiveMin.IsTrue() {
			low++
		}
		s.low = max(s.low, low)
		c.rest.Min, c.rest.ExclusiveMin = nil, openapi3.ExclusiveBound{}
	}
	if bound := c.rest.Max; bound != nil {
		high, err := exactly(*bound)
		if err != nil {
			return fmt.Errorf("maximum: %w", err)
		}
		if c.rest.ExclusiveMax.IsTrue() {
			high--
		}
		s.high = min(s.high, high)
		c.rest.Max, c.rest.ExclusiveMax = nil, openapi3.ExclusiveBound{}
	}
	return nil
}

func (c compiler) array(s *schema) error {
	s.kind = kindArray
	var err error
	if s.items, err = compile(c.rest.Items, c.depth+1); err != nil {
		return fmt.Errorf("items: %w", err)
	}
	s.minItems = int(min(c.rest.MinItems, math.MaxInt32))
	if limit := c.rest.MaxItems; limit != nil {
		s.maxItems = int(min(*limit, math.MaxInt32))
	}
	name, err := extension[string](c.extensions, extensionUniqueBy)
	if err != nil {
		return err
	}
	if name != "" {
		field := s.items.properties[name]
		if field == nil || field.schema.kind != kindString {
			return fmt.Errorf("%s: items have no string field %q", extensionUniqueBy, name)
		}
		s.distinct, field.schema.unique = true, true
	}
	c.rest.Items, c.rest.MinItems, c.rest.MaxItems = nil, 0, nil
	return nil
}

func (c compiler) object(s *schema) error {
	s.kind = kindObject
	additional := c.rest.AdditionalProperties
	if additional.Schema != nil {
		return errors.New("additionalProperties with a schema is not supported")
	}
	s.open = additional.Has == nil || *additional.Has
	for name := range c.rest.Properties {
		s.names = append(s.names, name)
	}
	slices.Sort(s.names)
	if len(s.names) > maxProperties {
		return fmt.Errorf("an object may have at most %d properties", maxProperties)
	}
	s.properties = make(map[string]*property, len(s.names))
	for bit, name := range s.names {
		inner, err := compile(c.rest.Properties[name], c.depth+1)
		if err != nil {
			return fmt.Errorf("property %s: %w", name, err)
		}
		s.properties[name] = &property{bit: bit, schema: inner}
	}
	for _, name := range c.rest.Required {
		field := s.properties[name]
		if field == nil {
			return fmt.Errorf("required property %q is not declared", name)
		}
		s.required.add(field.bit)
	}
	c.rest.AdditionalProperties = openapi3.AdditionalProperties{}
	c.rest.Properties, c.rest.Required = nil, nil
	return nil
}

// uniform tells whether the objects in s are all open or all closed, as s is: a
// single open object in a closed body is one whose additionalProperties: false
// was forgotten.
func (s *schema) uniform(open bool) bool {
	switch s.kind {
	case kindArray:
		return s.items.uniform(open)
	case kindObject:
		for _, field := range s.properties {
			if !field.schema.uniform(open) {
				return false
			}
		}
		return s.open == open
	}
	return true
}

// extension reads one of this package's extensions; absent is the zero value.
func extension[T any](extensions map[string]any, name string) (T, error) {
	raw, found := extensions[name]
	value, ok := raw.(T)
	if found && !ok {
		return value, fmt.Errorf("%s must be a %T", name, value)
	}
	return value, nil
}

// misplaced fails on an extension of this package that the kind does not know.
func (c compiler) misplaced(k kind) error {
	places := map[string]kind{extensionTrim: kindString, extensionMessage: kindString,
		extensionUniqueBy: kindArray, extensionDecimals: kindDecimal}
	for name, place := range places {
		if _, found := c.extensions[name]; found && place != k {
			return fmt.Errorf("%s has no meaning here", name)
		}
	}
	return nil
}

// leftOver fails on the first keyword that is still set.
func leftOver(rest openapi3.Schema) error {
	value := reflect.ValueOf(rest)
	for i := range value.NumField() {
		if !value.Field(i).IsZero() {
			return fmt.Errorf("keyword %s is not supported here", value.Type().Field(i).Name)
		}
	}
	return nil
}
