package store

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"time"

	"github.com/google/uuid"
)

// Page is how much of a list to return, and from where.
type Page struct {
	Limit  int
	Cursor string // empty for the start
}

// List is one page of a list.
type List[Row any] struct {
	Rows       []Row
	NextCursor string // empty on the last page
}

// after is the place that the page begins behind; nil for the start. ErrCursor for one of another list.
func (p Page) after(filters any) (*cursor, error) {
	if p.Cursor == "" {
		return nil, nil
	}
	place, err := decodeCursor(p.Cursor, filters)
	return &place, err
}

// listOf makes a page of rows that were read up to one further than it goes, or more, to know whether there are more.
func listOf[Row any](rows []Row, p Page, filters any, place func(Row) cursor) List[Row] {
	if len(rows) <= p.Limit {
		return List[Row]{Rows: rows}
	}
	return List[Row]{Rows: rows[:p.Limit], NextCursor: place(rows[p.Limit-1]).encode(filters)}
}

// cursor is a place in a list: the key of its last row, bound to the filters of the list. A day of -2^63 .. is never
// needed: the instant is microseconds since 1970, PostgreSQL's own precision.
type cursor struct {
	at   time.Time
	id   uuid.UUID
	late bool // behind all that are not
}

const (
	cursorFilters  = 1              // the version of one that is bound to filters alone, as all were once
	cursorBusiness = 2              // of one that is bound to a business, too
	cursorLate     = 0x80           // beside the version
	cursorLength   = 1 + 8 + 8 + 16 // version, filters, instant, id
)

// listOfBusiness is what a place of a business's list is bound to. One of another business's list would leave out the
// rows before it.
type listOfBusiness struct {
	Business uuid.UUID
	Filters  any
}

func (o *Organization) list(filters any) any { return listOfBusiness{o.ID, filters} }

// encode writes the cursor for the list that filters describe.
func (c cursor) encode(filters any) string {
	raw := make([]byte, 0, cursorLength)
	version := byte(cursorFilters)
	if _, ok := filters.(listOfBusiness); ok {
		version = cursorBusiness
	}
	if c.late {
		version |= cursorLate
	}
	raw = append(raw, version)
	raw = append(raw, fingerprint(filters)...)
	raw = binary.BigEndian.AppendUint64(raw, uint64(c.at.UnixMicro()))
	raw = append(raw, c.id[:]...)
	return base64.RawURLEncoding.EncodeToString(raw)
}

// decodeCursor reads a cursor of the same list. ErrCursor.
func decodeCursor(text string, filters any) (cursor, error) {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) != cursorLength {
		return cursor{}, ErrCursor
	}
	switch of, ok := filters.(listOfBusiness); {
	case ok && raw[0]&^cursorLate == cursorBusiness, !ok && raw[0]&^cursorLate == cursorFilters:
	case ok && raw[0]&^cursorLate == cursorFilters: // of a page that the program before gave
		filters = of.Filters
	default:
		return cursor{}, ErrCursor
	}
	if string(raw[1:9]) != string(fingerprint(filters)) {
		return cursor{}, ErrCursor
	}
	at := time.UnixMicro(int64(binary.BigEndian.Uint64(raw[9:17]))).UTC()
	if at.Year() < 1 || at.Year() > 9999 {
		return cursor{}, ErrCursor
	}
	return cursor{at: at, id: uuid.UUID(raw[17:33]), late: raw[0]&cursorLate != 0}, nil
}

// fingerprint tells filters apart. It keeps no secret: a forged cursor reaches nothing that a filter does not.
func fingerprint(filters any) []byte {
	text, err := json.Marshal(filters)
	if err != nil {
		panic(err) // filters are plain values
	}
	sum := sha256.Sum256(text)
	return sum[:8]
}
