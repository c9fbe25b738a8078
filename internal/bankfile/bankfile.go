// Package bankfile reads what banks let their customers download: CSV in many styles, and OFX (QFX). It guesses what
// columns mean and says what it guessed. What two readings would fit it never guesses: it fails with a [Question].
package bankfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"bizfin/internal/money"
)

// Row is one transaction as the bank shows it.
type Row struct {
	ID          string // the same in every file that has the row, and no other row's in the account
	Day         time.Time
	Amount      money.Amount // positive is incoming
	Currency    string       // empty where the file does not say
	Description string
	Line        int // of the file, from 1
}

// Skipped is a line that is no transaction, or none to be kept.
type Skipped struct {
	Line int
	Why  string
}

// Account is one account's part of a file.
type Account struct {
	ID       string // the bank's number, or empty
	Name     string // what the file calls it, or empty
	Type     string // of the contract: depository, credit, loan …; empty where the file does not say
	Currency string // empty where the file does not say
	Balance  *money.Amount
	Rows     []Row
	Skipped  []Skipped
}

// File is what was read.
type File struct {
	Format   string   // CSV or OFX
	Style    string   // whose it is, such as Chase; empty where that is not known
	Guesses  []string // what was taken from where, in words
	Accounts []Account
}

// Options answer what a file leaves open. The zero value lets it be guessed, where there is one reading.
type Options struct {
	Columns    map[string]string // a role to the name or number (from 1) of a column; see Roles
	DateOrder  string            // mdy, dmy or ymd
	Charges    string            // positive or negative: how money that leaves is written
	Decimal    string            // point or comma
	HeaderLine int               // 0 finds it
	Type       string            // of the account, where it is known: cards are mostly charges
	Today      time.Time         // days after the next year are refused; zero has no such bound
}

func (q *Question) Error() string { return q.Asks + "\n  Say which: " + q.Option }

// ErrNothing: the file has no transactions that can be read.
var ErrNothing = errors.New("the file has no transactions")

// ErrCut: the end of the file is missing, and with it transactions.
var ErrCut = errors.New("the file was cut here: its end is missing, and what it had is not known\n" +
	"  Download it again")

// plausible refuses the years that only a typing error or a wrong reading gives a bank's row.
func plausible(r Row, today time.Time) error {
	const first = 1970
	year := r.Day.Year()
	if year >= first && (today.IsZero() || year <= today.Year()+1) {
		return nil
	}
	return fmt.Errorf("line %d: the year of %s is none of a bank's file: it must be from %d to the next one", r.Line,
		r.Day.Format(time.DateOnly), first)
}

// lineEnds makes the line ends of all systems one.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

func decode(raw []byte) string { return lineEnds.Replace(unicodeOf(raw)) }

// unicodeOf makes text of bytes: Unicode by its mark or form, else the code page of Western Windows, which every bank
// that does not write Unicode writes.
func unicodeOf(raw []byte) string {
	switch {
	case bytes.HasPrefix(raw, []byte{0xFF, 0xFE}), bytes.HasPrefix(raw, []byte{0xFE, 0xFF}):
		big := raw[0] == 0xFE
		units := make([]uint16, 0, len(raw)/2)
		for i := 2; i+1 < len(raw); i += 2 {
			low, high := raw[i], raw[i+1]
			if big {
				low, high = high, low
			}
			units = append(units, uint16(high)<<8|uint16(low))
		}
		return string(utf16.Decode(units))
	case utf8.Valid(raw):
		return strings.TrimPrefix(string(raw), "\uFEFF")
	default:
		var text strings.Builder
		for _, b := range raw {
			if b >= 0x80 && b < 0xA0 {
				text.WriteRune(windows1252[b-0x80])
			} else {
				text.WriteRune(rune(b))
			}
		}
		return text.String()
	}
}

// windows1252 are the characters of that code page from 0x80 to 0x9F, where it is not Latin-1.
var windows1252 = [32]rune{'€', '\uFFFD', '‚', 'ƒ', '„', '…', '†', '‡', 'ˆ', '‰', 'Š', '‹', 'Œ', '\uFFFD', 'Ž',
	'\uFFFD',
	'\uFFFD', '‘', '’', '“', '”', '•', '–', '—', '˜', '™', 'š', '›', 'œ', '\uFFFD', 'ž', 'Ÿ'}

// name gives rows their ids: what the bank calls them, else what they say. Of rows that are alike, the first,
// second and so on of a day have ids of their own: a later file has them again, in whatever order.
func name(rows []Row) {
	alike, called := map[string]int{}, map[string]int{}
	for _, r := range rows {
		called[r.ID]++
	}
	for i := range rows {
		r := &rows[i]
		words := strings.Join(strings.Fields(strings.ToLower(r.Description)), " ")
		content := fmt.Sprintf("%s\n%d\n%s\n%s", r.Day.Format(time.DateOnly), int64(r.Amount), r.Currency, words)
		what := content
		switch {
		case r.ID != "" && called[r.ID] == 1:
			what = "bank\n" + r.ID
		case r.ID != "": // some banks call two rows the same
			what = "bank\n" + r.ID + "\n" + content
		}
		sum := sha256.Sum256([]byte(what))
		key := hex.EncodeToString(sum[:12])
		alike[key]++
		r.ID = fmt.Sprintf("file-%s-%d", key, alike[key])
	}
}

// oneLine joins the words of descriptions, without repeating one that says nothing new, up to what the contract takes.
func oneLine(parts ...string) string {
	var line string
	for _, part := range parts {
		part = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(part, "\x00", ""), "")), " ")
		switch {
		case part == "" || strings.Contains(strings.ToLower(line), strings.ToLower(part)):
		case line == "" || strings.HasPrefix(strings.ToLower(part), strings.ToLower(line)):
			line = part
		default:
			line += " " + part
		}
	}
	const most = 4096
	if runes := []rune(line); len(runes) > most {
		line = string(runes[:most])
	}
	return line
}
