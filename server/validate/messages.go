package validate

import (
	"fmt"
	"strconv"
	"strings"

	"bizfin/internal/money"
)

const (
	messageRequired  = "is required"
	messageNUL       = "must not contain the character U+0000"
	messagePattern   = "must match the pattern documented for this field"
	messageDate      = "must be a real calendar date written YYYY-MM-DD, in the years 0001 to 9999"
	messageDecimals  = "must have at most two decimals"
	messageTruncated = "more problems exist; only the first 100 are listed"
	messageUTF8      = "must be valid UTF-8"
	messageRepeated  = "must be given once"
	messageQuery     = "the query string must be name=value pairs joined by &, URL-encoded; " +
		"write ; as %3B and % as %25"
	messageEmptyQuery = "is not a known query parameter; this operation has none"
)

// messageType says which JSON type is expected.
func (s *schema) messageType() string {
	switch s.kind {
	case kindDecimal:
		return "must be a number such as 12.50, without quotes"
	case kindInteger:
		return "must be an integer, without fraction, exponent or quotes"
	case kindBoolean:
		return "must be true or false, without quotes"
	case kindArray:
		return "must be an array"
	case kindObject:
		return "must be an object"
	}
	return "must be a string"
}

func (s *schema) messageNull() string { return s.messageType() + ", not null" }

// messageArray says how an array is written as a parameter.
func (s *schema) messageArray() string {
	example := "[1,2]"
	switch s.items.kind {
	case kindString:
		example = `["a","b"]`
	case kindArray:
		example = `[["a","b"],["c"]]`
	}
	return "must be a JSON array such as " + example
}

func (s *schema) messagePattern() string {
	if s.message != "" {
		return s.message
	}
	return messagePattern
}

func (s *schema) messageFormat() string {
	if s.message != "" {
		return s.message
	}
	return s.formatWanted
}

func (s *schema) messageEnum() string { return "must be one of: " + strings.Join(s.enum, ", ") }

func (s *schema) messageMinLength() string {
	return fmt.Sprintf("must have at least %s (Unicode code points)%s", count(s.minLength, "character"),
		s.afterTrimming())
}

func (s *schema) messageMaxLength() string {
	return fmt.Sprintf("must have at most %s (Unicode code points)%s", count(s.maxLength, "character"),
		s.afterTrimming())
}

func (s *schema) afterTrimming() string {
	if s.trim {
		return " after trimming white space"
	}
	return ""
}

func (s *schema) messageMinItems() string {
	return "must have at least " + count(s.minItems, "item")
}

func (s *schema) messageMaxItems() string {
	return "must have at most " + count(s.maxItems, "item")
}

func (s *schema) messageMinimum() string { return "must be at least " + s.bound(s.low) }

func (s *schema) messageMaximum() string { return "must be at most " + s.bound(s.high) }

func (s *schema) bound(n int64) string {
	if s.kind == kindDecimal {
		return money.Amount(n).String()
	}
	return strconv.FormatInt(n, 10)
}

func (s *schema) messageUnknownField() string {
	return "is not a known field; known fields are: " + strings.Join(s.names, ", ")
}

func messageDuplicate(field string) string {
	return "must differ from the " + field + " of every other item in the list"
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
