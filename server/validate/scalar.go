package validate

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"unicode/utf8"

	"bizfin/internal/money"
	"bizfin/internal/visible"
)

// text judges a string by its schema and tells whether it is valid.
func (w *walker) text(s *schema, text []byte) bool {
	if bytes.IndexByte(text, 0) >= 0 {
		// PostgreSQL cannot store it, so it is refused whatever the schema says.
		w.fail(CodePattern, func() string { return messageNUL })
		return false
	}
	ok := true
	fail := func(code string, message func() string) {
		ok = false
		w.fail(code, message)
	}
	// A text has at most one code point in each byte, so most need no counting.
	if s.minLength > 0 || s.maxLength >= 0 && len(text) > s.maxLength {
		switch length := utf8.RuneCount(text); {
		case length < s.minLength:
			fail(CodeMinLength, s.messageMinLength)
		case s.maxLength >= 0 && length > s.maxLength:
			fail(CodeMaxLength, s.messageMaxLength)
		}
	}
	if s.pattern != nil && !s.pattern.Match(text) {
		fail(CodePattern, s.messagePattern)
	}
	if s.format != nil && !s.format(text) {
		fail(CodeFormat, s.messageFormat)
	}
	if s.enum != nil && !slices.Contains(s.enum, string(text)) {
		fail(CodeEnum, s.messageEnum)
	}
	return ok
}

// literal judges the literal of a number or boolean. Text that is no such
// literal, which only a parameter can bring, has the wrong type.
func (w *walker) literal(s *schema, text []byte) {
	switch s.kind {
	case kindDecimal:
		w.decimal(s, text)
	case kindInteger:
		w.integer(s, text)
	default:
		if string(text) != "true" && string(text) != "false" {
			w.fail(CodeType, s.messageType)
		}
	}
}

// decimal judges the digits as they are written: a float would already have
// lost what there is to judge.
func (w *walker) decimal(s *schema, text []byte) {
	var amount money.Amount
	var err error
	if s.rounded {
		amount, err = money.ParseRounded(string(text))
	} else {
		amount, err = money.Parse(string(text))
	}
	negative := len(text) > 0 && text[0] == '-'
	switch {
	case errors.Is(err, money.ErrPrecision):
		w.fail(CodeDecimal, func() string { return messageDecimals })
	case errors.Is(err, money.ErrRange) && negative, err == nil && int64(amount) < s.low:
		w.fail(CodeMinimum, s.messageMinimum)
	case errors.Is(err, money.ErrRange), err == nil && int64(amount) > s.high:
		w.fail(CodeMaximum, s.messageMaximum)
	case err != nil:
		w.fail(CodeType, s.messageType)
	}
}

func (w *walker) integer(s *schema, text []byte) {
	digits, negative := bytes.CutPrefix(text, []byte("-"))
	if len(digits) == 0 || len(digits) > 1 && digits[0] == '0' || bytes.ContainsFunc(digits, isNoDigit) {
		w.fail(CodeType, s.messageType)
		return
	}
	n, err := strconv.ParseInt(string(text), 10, 64)
	tooLarge := err != nil // all that can be wrong with digits
	switch {
	case tooLarge && negative, !tooLarge && n < s.low:
		w.fail(CodeMinimum, s.messageMinimum)
	case tooLarge, n > s.high:
		w.fail(CodeMaximum, s.messageMaximum)
	}
}

func isNoDigit(r rune) bool { return r < '0' || '9' < r }

// trimmed is text without white space around it; it is empty where it shows nothing.
func trimmed(text []byte) []byte { return []byte(visible.Trim(string(text))) }
